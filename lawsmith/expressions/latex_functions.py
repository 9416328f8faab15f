"""The commands of LaTeX that are functions of the table, and those that are refused, with why."""

from collections.abc import Mapping
from typing import Final

from lawsmith.expressions.operators import OPERATORS


def _all(words: str, value: tuple[str, str]) -> dict[str, tuple[str, str]]:
    return dict.fromkeys(words.split(), value)


FUNCTIONS: Final[Mapping[str, str]] = {
    **{word: row.name for row in OPERATORS.values() for word in row.spellings},
    **dict.fromkeys(("log", "lg"), "log?"),
    **{word: word for word in ("sec", "csc", "cot", "coth", "sech", "csch")},
}
"""The name of a function in LaTeX -> its operator; `log?` needs a base."""

LISTED: Final = frozenset(("min", "max", "atan2"))
"""Functions of several arguments."""

COMMANDS: Final = frozenset(
    ("exp", "ln", "log", "lg", "sin", "cos", "tan", "sec", "csc", "cot", "arcsin", "arccos")
) | {"arctan", "sinh", "cosh", "tanh", "coth", "min", "max"}
"""The functions that are commands of LaTeX itself."""

RUNNING: Final = frozenset(
    ("sin", "cos", "tan", "sec", "csc", "cot", "asin", "acos", "atan", "sinh", "cosh", "tanh")
) | {"coth", "sech", "csch"}
"""Functions whose argument without brackets may be a run of symbols, as in sin wt."""

INVERSES: Final = {
    "sin": "asin", "cos": "acos", "tan": "atan", "sinh": "asinh", "cosh": "acosh",
    "tanh": "atanh",
}  # fmt: skip

RECIPROCALS: Final = {"sec": "cos", "csc": "sin", "sech": "cosh", "csch": "sinh", "coth": "tanh"}
"""Functions that are 1 over an operator."""

SERIES: Final = {r"\sum": "add", r"\prod": "mul"}
"""The signs that are expanded over an index -> the operator between the terms."""

UNKNOWN: Final = frozenset(
    ("erf", "erfc", "erfi", "sinc", "tr", "Tr", "det", "diag", "rank", "Var", "Cov", "Ei", "Li")
)
"""Words that are functions without an operator, and no names."""

_SPELLED: Final = ("ln", "log", "exp", "sin", "cos", "tan", "sqrt", "min", "max", "arc")


def spells_function(letters: str) -> bool:
    r"""Whether adjacent letters begin like a function whose backslash was forgotten."""
    return letters.startswith(_SPELLED)


REFUSED: Final = {
    **_all(
        "int iint iiint oint idotsint smallint",
        ("integral", "an integral"),
    ),
    **_all(
        "sum prod coprod bigcup bigcap bigoplus",
        ("sum", "a sum or product without literal bounds"),
    ),
    **_all(
        "lim liminf limsup sup inf arg argmin argmax",
        ("limit_of", "a limit or extremum"),
    ),
    **_all(
        "partial nabla mathrmd dd dv pdv grad",
        ("derivative", "a derivative"),
    ),
    **_all(
        "langle rangle left< ev",
        ("average", "an average or inner product"),
    ),
    **_all(
        "| Vert lVert rVert norm",
        ("vector", "a norm"),
    ),
    **_all(
        "det Tr tr dim ker hom otimes oplus wedge bigotimes",
        ("matrix", "a matrix or vector operation"),
    ),
    **_all(
        "pmatrix bmatrix matrix substack array",
        ("matrix", "a matrix"),
    ),
    **_all(
        "cases",
        ("cases", "a case distinction"),
    ),
    **_all(
        "pm mp",
        ("ambiguous", "two signs at once"),
    ),
    **_all(
        "ldots cdots dots dotsc dotsb vdots ddots",
        ("ambiguous", "an ellipsis"),
    ),
    **_all(
        "mid middle",
        ("application", "a condition behind a bar"),
    ),
    **_all(
        "ref eqref cite citep citet",
        ("text", "a reference"),
    ),
    **_all(
        "infty degree circ",
        ("unsupported", "no number of the language"),
    ),
    **_all(
        "to rightarrow Rightarrow leftarrow mapsto implies iff",
        ("relation", "an arrow"),
    ),
}
"""Command -> (reason, what it is) for the commands worth an own word."""

RELATIONS: Final = {
    "=": "equality", r"\equiv": "definition", ":=": "definition", r"\coloneqq": "definition",
    r"\approx": "approximation", r"\simeq": "approximation", r"\cong": "approximation",
    r"\propto": "proportionality",
    **dict.fromkeys(("<", ">", r"\le", r"\leq", r"\leqslant", r"\ge", r"\geq", r"\geqslant",
                     r"\ll", r"\gg", r"\lesssim", r"\gtrsim"), "inequality"),
    **dict.fromkeys((r"\ne", r"\neq", r"\in", r"\sim", r"\doteq", r"\asymp", r"\to"), "other"),
}  # fmt: skip
"""Relation sign -> the status it states."""

__all__ = (
    "COMMANDS",
    "FUNCTIONS",
    "INVERSES",
    "LISTED",
    "RECIPROCALS",
    "REFUSED",
    "RELATIONS",
    "RUNNING",
    "SERIES",
    "UNKNOWN",
    "spells_function",
)
