r"""LaTeX text -> expression or relation: `parse_latex`, `parse_latex_equation`.

`docs/expressions.md` has the rules of reading. Everything that sums without literal bounds,
integrates, differentiates, averages, distinguishes cases or can be read in two ways is a
`LatexError` at its place.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final, Literal, NoReturn

from lawsmith.errors import InputError
from lawsmith.expressions.latex.grammar import Grammar
from lawsmith.expressions.latex.names import DIFFERENCES
from lawsmith.expressions.latex.symbols import read_symbol, starts_symbol
from lawsmith.expressions.latex.tokens import LatexError, Stream, Token
from lawsmith.expressions.latex_functions import RELATIONS
from schemas.expression import Expression, Var

Relation = Literal["equality", "definition", "approximation", "proportionality"]
LogBase = Literal["e", 2, 10]
Names = Mapping[str, str] | Collection[str]

_COMPARISONS: Final = frozenset(
    sign for sign, kind in RELATIONS.items() if kind in ("inequality", "other")
) | {r"\text", r"\mathrm", r"\textrm", r"\mbox", r"\forall", r"\rm"}


@dataclass(frozen=True, slots=True)
class LatexEquation:
    """A relation read from LaTeX.

    Attributes:
        left: the left side; the bare variable where `f(x, t)` is defined.
        right: the right side.
        relation: what the sign between them states.
        condition: the LaTeX behind the comma that limits it, `""` if there is none.
    """

    left: Expression
    right: Expression
    relation: Relation
    condition: str = ""


def parse_latex(
    text: str, names: Names | None = None, *, log_base: LogBase | None = None
) -> Expression:
    r"""The expression of a LaTeX text; of `y = ...` or `y(x, t) = ...` the right side.

    Args:
        text: at most 20,000 characters, with or without an equation environment.
        names: the declared names: a mapping from LaTeX symbols (`r"k_{\rm B}"`, also applied
            ones as `"S(t)"`) to variables, or a collection of variables that the identifiers
            of symbols (`k_B`, `tau_f`, `x_dot`) must be in. None takes each letter as its own
            symbol and every identifier as it comes.
        log_base: what `\log` without a base means; None refuses it.

    Raises:
        LatexError: with position, line, column, excerpt and reason of the first fault.
        InputError: a declared name is no name.
    """
    reader = _reader(text, names, log_base)
    _skip_left(reader.stream)
    expression = reader.sum()
    reader.indices.check(reader.stream, reader.names)
    if token := reader.stream.peek():
        if token.text in RELATIONS:
            _refuse_relation(reader.stream, token)
        _unused(reader.stream, token)
    return expression


def parse_latex_equation(
    text: str, names: Names | None = None, *, log_base: LogBase | None = None
) -> LatexEquation:
    r"""Both sides of a LaTeX equation; arguments and errors are those of `parse_latex`.

    `f(x, t) = ...` has the variable `f` at its left. A comma and a comparison or words behind
    the right side are its condition.
    """
    reader = _reader(text, names, log_base)
    stream = reader.stream
    left = _left(reader)
    token = stream.peek()
    if token is None or token.text not in RELATIONS:
        _unused(stream, token)
    relation = RELATIONS[token.text]
    if relation not in ("equality", "definition", "approximation", "proportionality"):
        stream.fail("relation", f"{token.text} is no equation")
    stream.take()
    right = reader.sum()
    reader.indices.check(reader.stream, reader.names)
    return LatexEquation(left, right, relation, _condition(stream))  # type: ignore[arg-type]


def _reader(text: str, names: Names | None, log_base: LogBase | None) -> Grammar:
    if log_base not in (None, "e", 2, 10):
        raise InputError(f"log_base {log_base!r} is none of 'e', 2, 10")
    if isinstance(names, str):
        raise InputError(f"names {names[:40]!r} is a text, not a collection of names")
    return Grammar(Stream(text), names, log_base)


def _left(reader: Grammar) -> Expression:
    stream = reader.stream
    head = _definition_head(stream)
    if head is None:
        return reader.sum()
    symbol = read_symbol(stream, head[0])
    declared = None if reader.names is None else reader.names.applied(stream, symbol)
    stream.index = head[1]
    return reader.nodes.variable(symbol) if declared is None else Var(declared)


def _definition_head(stream: Stream) -> tuple[int, int] | None:
    """Letters of the symbol and index of the relation, where `f(x, t) =` begins the text."""
    if not starts_symbol(stream.peek()):
        return None
    start = stream.index
    letters = 1
    while (token := stream.peek(letters)) and token.kind == "letter" and token.glued:
        letters += 1
    first = stream.peek()
    letters = letters if first is not None and first.kind == "letter" else 1
    read_symbol(stream, letters)
    close = stream.closing(stream.index) if stream.sees("(") else None
    inside = [] if close is None else stream.tokens[stream.index + 1 : close]
    follows = None if close is None or close + 1 >= len(stream.tokens) else close + 1
    stream.index = start
    if follows is None or RELATIONS.get(stream.tokens[follows].text) not in _STATING:
        return None
    if any(token.text in ("+", "-", "=", "/", r"\cdot", r"\times", r"\frac") for token in inside):
        return None
    return letters, follows


_STATING: Final = ("equality", "definition", "approximation", "proportionality")


def _skip_left(stream: Stream) -> None:
    """Moves behind `y =` or `y(x) =`; another left side is refused."""
    start = stream.index
    head = _definition_head(stream)
    if head is not None:
        stream.index = head[1]
    elif starts_symbol(stream.peek()):
        try:
            mark = read_symbol(stream)
            if mark.spelling in DIFFERENCES and starts_symbol(stream.peek()):
                read_symbol(stream)
        except LatexError:
            stream.index = start
            return
    token = stream.peek()
    if token is None or RELATIONS.get(token.text) not in ("equality", "definition"):
        stream.index = start
        return
    stream.take()


def _refuse_relation(stream: Stream, token: Token) -> None:
    kind = RELATIONS[token.text]
    if kind in ("equality", "definition"):
        stream.fail(
            "relation", "an equation whose left side is no single symbol, or more than one",
            fix="read it with parse_latex_equation, or give one side",
        )  # fmt: skip
    stream.fail("relation", f"{token.text} is no sign of equality", fix="give one side")


def _unused(stream: Stream, token: Token | None) -> NoReturn:
    if token is None:
        stream.fail("relation", "no sign of equality", fix="read it with parse_latex")
    if token.text in RELATIONS:
        stream.fail("several", "more than one relation", fix="give one equation at a time")
    if token.text in (",", ";"):
        behind = stream.tokens[stream.index :]
        limited = any(piece.text in _COMPARISONS for piece in behind)
        stream.fail(
            "condition" if limited else "several",
            "a condition stands behind the comma" if limited else "more stands behind the comma",
        )
    if token.kind == "bar":
        stream.fail("application", "a condition behind a bar")
    stream.fail("syntax", f"{token.text!r} stands after a whole expression")


def _condition(stream: Stream) -> str:
    token = stream.peek()
    if token is None:
        return ""
    behind = stream.tokens[stream.index + 1 :]
    statement = any(RELATIONS.get(piece.text) in _STATING for piece in behind)
    if token.text not in (",", ";") or statement:
        _unused(stream, token)
    if not any(piece.text in _COMPARISONS for piece in behind):
        _unused(stream, token)
    return stream.text[behind[0].position : behind[-1].end]


__all__ = ("LatexEquation", "LatexError", "parse_latex", "parse_latex_equation")
