"""Expression -> infix text (read back to the same tree by `parse_infix`) and LaTeX."""

from collections.abc import Mapping
from typing import Final

from lawsmith.expressions.greek import GREEK
from lawsmith.expressions.latex_functions import FUNCTIONS, UNKNOWN
from lawsmith.expressions.operators import OPERATORS
from lawsmith.expressions.parsing import PI
from schemas.expression import Expression, Op, Var, node_count

_INFIX: Final = {"add": (" + ", 1), "sub": (" - ", 1), "mul": ("*", 2), "div": ("/", 2)}
_UNARY: Final = 3
_POWER: Final = 4
_ATOM: Final = 5
_SIGNED: Final = 2
_PRODUCT: Final = 3
_CALL: Final = 4
_LATEX_LEVELS: Final = dict.fromkeys(("div", "abs", "sqrt", "cbrt", "floor", "ceil", "mod"), 5) | {
    "div": 4
}
_DOUBTFUL: Final = frozenset("eid")
"""Letters that alone would be Euler's number, the imaginary unit or a differential."""


def to_infix(expression: Expression) -> str:
    """The infix text of an expression; parsing it gives the same tree again."""
    return _infix(expression)[0]


def to_latex(expression: Expression, symbols: Mapping[str, str] | None = None) -> str:
    r"""LaTeX that `parse_latex` reads back to the same tree.

    Args:
        expression: what to print.
        symbols: names -> their LaTeX, as `{"lam": r"\lambda"}`; each entry turned round is a
            declared name for reading back.
    """
    return _latex(expression, symbols or {})[0]


def complexity(expression: Expression) -> int:
    """The number of nodes of the tree, the measure of size used everywhere."""
    return node_count(expression)


def number_text(value: float) -> str:
    """The shortest decimal text of a number; whole numbers below 1e15 carry no point."""
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return repr(value)


def _infix(node: Expression) -> tuple[str, int]:
    if isinstance(node, Var):
        return node.var, _ATOM
    if not isinstance(node, Op):
        return number_text(node), _ATOM if node >= 0 else _UNARY
    if node == PI:
        return "pi", _ATOM
    parts = [_infix(arg) for arg in node.args]
    if node.op in _INFIX:
        return _chain(node, parts)
    if node.op == "neg":
        literal = isinstance(node.args[0], float) and node.args[0] >= 0
        return f"-{_within(parts[0], _ATOM + 1 if literal else _UNARY)}", _UNARY
    if node.op == "pow":
        return f"{_within(parts[0], _ATOM)}**{_within(parts[1], _UNARY)}", _POWER
    return f"{node.op}({', '.join(text for text, _ in parts)})", _ATOM


def _chain(node: Op, parts: list[tuple[str, int]]) -> tuple[str, int]:
    sign, level = _INFIX[node.op]
    first = node.args[0]
    # A leading chain of the same n-ary operator would be merged on reading.
    merged = isinstance(first, Op) and first.op == node.op and node.op in ("add", "mul")
    head = _within(parts[0], level + 1 if merged else level)
    return sign.join([head, *(_within(part, level + 1) for part in parts[1:])]), level


def _within(part: tuple[str, int], lowest: int) -> str:
    text, level = part
    return text if level >= lowest else f"({text})"


def _latex(node: Expression, symbols: Mapping[str, str]) -> tuple[str, int]:
    if isinstance(node, Var):
        return symbols.get(node.var, _latex_name(node.var)), _ATOM
    if not isinstance(node, Op):
        return _latex_number(node)
    if node == PI:
        return r"\pi", _ATOM
    parts = [_latex(arg, symbols) for arg in node.args]
    if node.op == "pow":
        return _latex_power(parts, node.args[1])
    if node.op in ("add", "sub", "mul", "neg"):
        return _latex_infix(node, parts)
    texts = [_bracket(part, _PRODUCT + 1) if node.op == "mod" else part[0] for part in parts]
    template = OPERATORS[node.op].latex
    level = _LATEX_LEVELS.get(node.op, _CALL)
    if len(texts) > template.count("{}"):
        return template.format(", ".join(texts)), level
    return template.format(*texts), level


def _latex_power(parts: list[tuple[str, int]], exponent: Expression) -> tuple[str, int]:
    upper = parts[1][0]
    if isinstance(exponent, Var) and (upper.startswith(r"\mathrm{") or upper == "T"):
        # Upright text or a T alone up there would be a label or a transpose.
        upper = rf"\mathit{{{upper}}}" if upper == "T" else rf"\mathit{upper[7:]}"
    return f"{_bracket(parts[0], _ATOM)}^{{{upper}}}", _POWER


def _latex_infix(node: Op, parts: list[tuple[str, int]]) -> tuple[str, int]:
    first = node.args[0]
    if node.op == "neg":
        negated = _bracket(parts[0], _PRODUCT + 1)
        return (rf"-\left({negated}\right)" if negated[:1].isdigit() else f"-{negated}"), _SIGNED
    # A leading chain of the same n-ary operator would be merged on reading.
    merged = node.op in ("add", "mul") and isinstance(first, Op) and first.op == node.op
    if node.op == "mul":
        head = _bracket(parts[0], _ATOM + 1 if merged else _SIGNED)
        text, last = head, head
        for part in parts[1:]:
            factor = _bracket(part, _PRODUCT + 1)
            text += (r" \cdot " if _needs_dot(last, factor) else r" \, ") + factor
            last = factor
        return text, _SIGNED if text.startswith("-") else _PRODUCT
    sign = OPERATORS[node.op].latex
    head = _bracket(parts[0], _ATOM + 1 if merged else 1)
    return sign.join([head, *(_bracket(part, _PRODUCT) for part in parts[1:])]), 1


def _needs_dot(left: str, right: str) -> bool:
    """Whether two factors side by side would be read as something else than a product."""
    if right[:1].isdigit() or left in (r"\Delta", r"\delta"):
        return True
    if left.lstrip("-")[:1].isdigit() and right.startswith(r"\mathrm"):
        return True
    return right.startswith((r"\left(", "(")) and not (left[-1] in ")|" or left.isdigit())


def _bracket(part: tuple[str, int], lowest: int) -> str:
    text, level = part
    return text if level >= lowest else rf"\left({text}\right)"


def _latex_name(name: str) -> str:
    head, _, tail = name.partition("_")
    if not head or not tail:
        return _latex_word(name)
    return rf"{_latex_word(head)}_{{\mathrm{{{_escaped(tail)}}}}}"


def _latex_word(word: str) -> str:
    if word in GREEK and word != "pi":
        return rf"\{word}"
    if word in _DOUBTFUL or word in FUNCTIONS or word in UNKNOWN:
        return rf"\mathit{{{word}}}"
    return word if len(word) == 1 and word != "_" else rf"\mathrm{{{_escaped(word)}}}"


def _escaped(text: str) -> str:
    return text.replace("_", r"\_")


def _latex_number(value: float) -> tuple[str, int]:
    mantissa, mark, exponent = number_text(value).partition("e")
    text = rf"{mantissa} \times 10^{{{int(exponent)}}}" if mark else mantissa
    if value < 0:
        return text, _SIGNED
    return text, _PRODUCT + 1 if mark else _ATOM


__all__ = ("complexity", "number_text", "to_infix", "to_latex")
