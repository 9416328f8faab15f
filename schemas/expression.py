"""The wire form of an expression: nodes, operator names and arities, size limits.

An expression is a finite number, `{"var": "name"}` or `{"op": "name", "args": [...]}`
(SciGame, appendix A.2). It is the only executable form of a law.
"""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Annotated, Any, Final, TypeAlias

from pydantic import PlainSerializer, PlainValidator, WithJsonSchema

MAX_NODES: Final = 1024
MAX_DEPTH: Final = 64
MAX_INTEGER: Final = 2**53

NARY: Final = ("add", "mul", "min", "max")
BINARY: Final = ("sub", "div", "pow", "atan2", "mod")
UNARY: Final = (
    *("neg", "abs", "sqrt", "cbrt", "exp", "log", "log10", "log2"),
    *("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh"),
    *("asinh", "acosh", "atanh", "floor", "ceil", "round", "sign", "step"),
)
ARITIES: Final[Mapping[str, tuple[int, int | None]]] = (
    dict.fromkeys(NARY, (2, None)) | dict.fromkeys(BINARY, (2, 2)) | dict.fromkeys(UNARY, (1, 1))
)
"""Operator name -> (fewest, most) arguments; None = no upper bound."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")


@dataclass(frozen=True, slots=True)
class Var:
    """A reference to a declared name."""

    var: str


@dataclass(frozen=True, slots=True)
class Op:
    """An operator applied to its arguments, in order."""

    op: str
    args: "tuple[Expression, ...]"


Expression: TypeAlias = float | Var | Op
"""A node: a float, a `Var` or an `Op`. Trees are immutable and hashable."""


class WireError(ValueError):
    """A wire form that is not an expression.

    Attributes:
        path: JSON Pointer to the first node at fault, `""` for the root.
        problem: what is wrong there, with the value and the bound.
    """

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"{path or '/'}: {problem}")
        self.path = path
        self.problem = problem


def from_wire(data: object) -> Expression:
    """The expression of parsed JSON data.

    Sizes are counted before anything is built; one error is raised, the first in
    document order, with its path.

    Raises:
        WireError: not a node, an unknown operator, a wrong number of arguments, a name that
            is no identifier, a number that is not finite or an integer beyond 2^53, more than
            1,024 nodes, or deeper than 64.
    """
    if isinstance(data, Var | Op):
        data = to_wire(data)
    _check_wire(data)
    return _build(data)


def to_wire(expression: Expression) -> Any:
    """The JSON data of an expression: floats, `{"var"}` and `{"op", "args"}` objects."""
    if isinstance(expression, Var):
        return {"var": expression.var}
    if isinstance(expression, Op):
        return {"op": expression.op, "args": [to_wire(arg) for arg in expression.args]}
    return float(expression)


def walk(expression: Expression, path: str = "") -> Iterator[tuple[str, Expression]]:
    """Every node with its JSON Pointer, parents before children, left to right."""
    stack = [(path, expression)]
    while stack:
        where, node = stack.pop()
        yield where, node
        if isinstance(node, Op):
            children = [(f"{where}/args/{i}", arg) for i, arg in enumerate(node.args)]
            stack.extend(reversed(children))


def names_of(expression: Expression) -> frozenset[str]:
    """Every name the expression refers to."""
    names: set[str] = set()
    stack = [expression]
    while stack:
        node = stack.pop()
        if isinstance(node, Op):
            stack.extend(node.args)
        elif isinstance(node, Var):
            names.add(node.var)
    return frozenset(names)


def node_count(expression: Expression) -> int:
    """How many nodes the tree has."""
    return sum(1 for _ in walk(expression))


def substitute(expression: Expression, values: dict[str, Expression]) -> Expression:
    """The expression with every named variable replaced by the given subtree."""
    if isinstance(expression, Var):
        return values.get(expression.var, expression)
    if isinstance(expression, Op):
        return Op(expression.op, tuple(substitute(arg, values) for arg in expression.args))
    return expression


def with_node(expression: Expression, path: str, new: Expression) -> Expression:
    """The expression with the node at a JSON Pointer replaced.

    Raises:
        ValueError: the pointer leads below a leaf.
    """
    if not path:
        return new
    _, _, index, *rest = path.split("/")
    if not isinstance(expression, Op):
        raise ValueError(f"{path} leads below a leaf")
    args = list(expression.args)
    args[int(index)] = with_node(args[int(index)], "".join(f"/{part}" for part in rest), new)
    return Op(expression.op, tuple(args))


def _shown(value: object) -> str:
    """The start of a text, and of anything else its kind: its text may have no end."""
    return repr(value[:80]) if isinstance(value, str) else f"a {type(value).__name__}"


def _check_wire(data: object) -> None:
    count = 0
    stack: list[tuple[str, object, int]] = [("", data, 0)]
    while stack:
        path, node, depth = stack.pop()
        count += 1
        if count > MAX_NODES:
            raise WireError(path, f"more than {MAX_NODES} nodes")
        if depth > MAX_DEPTH:
            raise WireError(path, f"deeper than {MAX_DEPTH}")
        args = _check_node(path, node)
        if count + len(stack) + len(args) > MAX_NODES:
            raise WireError(path, f"more than {MAX_NODES} nodes")
        stack.extend(
            (f"{path}/args/{i}", arg, depth + 1) for i, arg in reversed(list(enumerate(args)))
        )


def _check_node(path: str, node: object) -> list[object]:
    if isinstance(node, bool) or node is None:
        raise WireError(path, f"{node!r} is not a number, a variable or an operator")
    if isinstance(node, int):
        if abs(node) > MAX_INTEGER:
            raise WireError(path, f"integer of {node.bit_length()} bits is beyond 2^53")
        return []
    if isinstance(node, float):
        if not math.isfinite(node):
            raise WireError(path, f"number {node!r} is not finite")
        return []
    if not isinstance(node, dict):
        raise WireError(path, f"a {type(node).__name__} is not a number, a variable or an operator")
    if node.keys() == {"var"}:
        name = node["var"]
        if not (isinstance(name, str) and _NAME.fullmatch(name)):
            raise WireError(f"{path}/var", f"{_shown(name)} is not an ASCII identifier")
        return []
    if node.keys() == {"op", "args"}:
        return _check_operator(path, node["op"], node["args"])
    keys = ", ".join(_shown(key) for key in islice(node, 5))
    raise WireError(path, f"keys {keys} are neither 'var' nor 'op' and 'args'")


def _check_operator(path: str, name: object, args: object) -> list[object]:
    if not isinstance(name, str) or name not in ARITIES:
        raise WireError(f"{path}/op", f"{_shown(name)} is not an operator")
    if not isinstance(args, list | tuple):
        raise WireError(f"{path}/args", f"a {type(args).__name__} is not a list of arguments")
    fewest, most = ARITIES[name]
    if len(args) < fewest or (most is not None and len(args) > most):
        bound = str(fewest) if most == fewest else f"at least {fewest}"
        raise WireError(f"{path}/args", f"{name} has {len(args)} arguments; it takes {bound}")
    return list(args)


def _build(data: Any) -> Expression:
    if isinstance(data, Var | Op):
        return data
    if isinstance(data, dict):
        if "var" in data:
            return Var(data["var"])
        return Op(data["op"], tuple(_build(arg) for arg in data["args"]))
    return float(data) + 0.0


ExpressionField = Annotated[
    Expression,
    PlainValidator(from_wire),
    PlainSerializer(to_wire),
    WithJsonSchema({"type": ["object", "number"], "description": "an expression in wire form"}),
]
"""An expression as a field of a record: checked on the way in, wire form on the way out."""
