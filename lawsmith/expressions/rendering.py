"""Expression -> infix text (read back to the same tree by `parse_infix`) and LaTeX."""

from collections.abc import Mapping
from typing import Final

from lawsmith.expressions.operators import OPERATORS
from lawsmith.expressions.parsing import PI
from schemas.expression import Expression, Op, Var, node_count

_INFIX: Final = {"add": (" + ", 1), "sub": (" - ", 1), "mul": ("*", 2), "div": ("/", 2)}
_UNARY: Final = 3
_POWER: Final = 4
_ATOM: Final = 5
_SIGNED: Final = 2
_PRODUCT: Final = 3


def to_infix(expression: Expression) -> str:
    """The infix text of an expression; parsing it gives the same tree again."""
    return _infix(expression)[0]


def to_latex(expression: Expression, symbols: Mapping[str, str] | None = None) -> str:
    r"""LaTeX for display only; `symbols` maps names to their LaTeX, as `{"lam": r"\lambda"}`."""
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
        return _latex_number(node), _ATOM if node >= 0 else _SIGNED
    if node == PI:
        return r"\pi", _ATOM
    parts = [_latex(arg, symbols) for arg in node.args]
    if node.op in ("add", "sub", "mul", "neg", "pow"):
        return _latex_infix(node.op, parts)
    template = OPERATORS[node.op].latex
    texts = [text for text, _ in parts]
    if len(texts) > template.count("{}"):
        return template.format(", ".join(texts)), _ATOM
    return template.format(*texts), _PRODUCT if node.op == "div" else _ATOM


def _latex_infix(op: str, parts: list[tuple[str, int]]) -> tuple[str, int]:
    if op == "neg":
        return f"-{_bracket(parts[0], _PRODUCT)}", _SIGNED
    if op == "pow":
        return f"{_bracket(parts[0], _ATOM)}^{{{parts[1][0]}}}", _POWER
    rest = [_bracket(part, _PRODUCT) for part in parts[1:]]
    sign = OPERATORS[op].latex
    if op == "mul":
        first = parts[0]
        level = _SIGNED if first[1] == _SIGNED else _PRODUCT
        return sign.join([_bracket(first, _SIGNED), *rest]), level
    return sign.join([parts[0][0], *rest]), 1


def _bracket(part: tuple[str, int], lowest: int) -> str:
    text, level = part
    return text if level >= lowest else rf"\left({text}\right)"


def _latex_name(name: str) -> str:
    head, _, tail = name.partition("_")
    if not tail:
        return name if len(name) == 1 else rf"\mathrm{{{name}}}"
    subscript = tail.replace("_", r"\_")
    if not head:
        return rf"\mathrm{{\_{subscript}}}"
    front = head if len(head) == 1 else rf"\mathrm{{{head}}}"
    return rf"{front}_{{\mathrm{{{subscript}}}}}"


def _latex_number(value: float) -> str:
    mantissa, mark, exponent = number_text(value).partition("e")
    return rf"{mantissa} \times 10^{{{int(exponent)}}}" if mark else mantissa


__all__ = ("complexity", "number_text", "to_infix", "to_latex")
