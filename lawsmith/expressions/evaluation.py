"""Evaluation in float64: one reference walk and compiled laws that agree with it.

Strictly real: whatever is not a finite real number is undefined, and the error names the node
and the first input that broke it. Numbers are used as declared; nothing converts units here.
"""

import ast
import builtins
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lawsmith.errors import InputError, UndefinedValueError
from lawsmith.expressions.operators import OPERATORS, Operator
from schemas.expression import Expression, Op, Var, names_of

CHUNK: Final = 8192

Value = float | NDArray[np.float64]
Inputs = Mapping[str, ArrayLike]


def evaluate(expression: Expression, inputs: Inputs) -> Value:
    """The value of an expression: a float for scalar inputs, else an array of their shape.

    Args:
        expression: any expression.
        inputs: name -> a number or an array; arrays are broadcast against each other.

    Raises:
        InputError: a name has no input, or an input is not numeric.
        UndefinedValueError: no finite real value; names the node (the first in evaluation
            order) and the first offending input.
    """
    values, shape = _prepared(names_of(expression), inputs)
    with np.errstate(all="ignore"):
        result = _walk(expression, values, "")
    return _shaped(result, shape)


@dataclass(frozen=True, slots=True)
class Compiled:
    """An expression as one generated function; it gives what `evaluate` gives."""

    expression: Expression
    names: tuple[str, ...]
    _array_law: Callable[..., Any] = field(repr=False)
    _scalar_law: Callable[..., Any] = field(repr=False)

    def __call__(self, inputs: Inputs) -> Value:
        """The value at the inputs; same shapes and same errors as `evaluate`."""
        if all(type(value) is float for value in inputs.values()):
            result = self._at_point(inputs)
            return evaluate(self.expression, inputs) if result is None else result + 0.0
        values, shape = _prepared(self.names, inputs)
        columns = [values[name] for name in self.names]
        if len(shape) == 1 and shape[0] > 2 * CHUNK:
            found = self._in_chunks(columns, shape[0])
        else:
            with np.errstate(all="ignore"):
                found = self._array_law(*columns)
        if found is None:
            # Some point is undefined: the reference walk finds which node and which input.
            return evaluate(self.expression, inputs)
        return _shaped(found, shape)

    def _at_point(self, inputs: Mapping[str, Any]) -> float | None:
        if not all(name in inputs for name in self.names):
            return None
        with np.errstate(all="ignore"):
            result: float | None = self._scalar_law(*(inputs[name] for name in self.names))
        return result

    def _in_chunks(self, columns: list[Any], size: int) -> NDArray[np.float64] | None:
        # Short pieces stay in the processor's cache from one operator to the next.
        whole = np.empty(size)
        with np.errstate(all="ignore"):
            for start in range(0, size, CHUNK):
                piece = slice(start, start + CHUNK)
                part = self._array_law(*(c[piece] if c.size > 1 else c for c in columns))
                if part is None:
                    return None
                whole[piece] = part
        return whole


@lru_cache(maxsize=2048)
def compile_expression(expression: Expression) -> Compiled:
    """The expression as a fast function of the same inputs; repeated subtrees run once."""
    names = tuple(sorted(names_of(expression)))
    array_law = _generate(expression, names, scalar=False)
    return Compiled(expression, names, array_law, _generate(expression, names, scalar=True))


def _prepared(names: Any, inputs: Inputs) -> tuple[dict[str, Any], tuple[int, ...]]:
    values: dict[str, Any] = {}
    for name in inputs:
        value = np.asarray(inputs[name])
        if value.dtype.kind not in "fiu":
            raise InputError(f"input is of type {value.dtype}, not a number", path=name)
        values[name] = value.astype(np.float64, copy=False)
    missing = [name for name in sorted(names) if name not in values]
    if missing:
        raise InputError(
            f"no input for name {missing[0]!r}",
            path=missing[0],
            fix=f"inputs were given for {', '.join(sorted(values)[:12]) or 'nothing'}",
        )
    if all(value.ndim == 0 for value in values.values()):
        return values, ()
    return values, np.broadcast_shapes(*(value.shape for value in values.values()))


def _shaped(result: Any, shape: tuple[int, ...]) -> Value:
    if not shape:
        return float(result) + 0.0
    return np.broadcast_to(np.asarray(result, dtype=np.float64), shape) + 0.0


def _walk(node: Expression, values: dict[str, Any], path: str) -> Any:
    if isinstance(node, Var):
        value = values[node.var]
        _require(np.isfinite(value), f"{node.var} is not finite", path, values)
        return value
    if not isinstance(node, Op):
        return np.float64(node)
    args = [_walk(arg, values, f"{path}/args/{i}") for i, arg in enumerate(node.args)]
    operator = OPERATORS[node.op]
    if operator.defined is not None:
        problem = f"{node.op} needs {operator.domain}"
        _require(operator.defined(*args), problem, path, values)
    result = operator.numeric(*args)
    _require(np.isfinite(result), f"{node.op} leaves the finite numbers", path, values)
    return result


def _require(mask: Any, problem: str, path: str, values: dict[str, Any]) -> None:
    if mask.all():
        return
    shape = np.broadcast_shapes(mask.shape, *(value.shape for value in values.values()))
    first = int(np.argmin(np.broadcast_to(mask, shape).ravel()))
    inputs = {
        name: float(np.broadcast_to(value, shape).ravel()[first])
        for name, value in sorted(values.items())
    }
    raise UndefinedValueError(problem, path=path, inputs=inputs)


_PLAIN: Final[Mapping[str, ast.operator]] = {
    "add": ast.Add(),
    "sub": ast.Sub(),
    "mul": ast.Mult(),
    "div": ast.Div(),
}
"""Operators whose Python form on two floats gives the very number that numpy gives."""


class _Writer:
    """Writes the body of a generated function, one assignment for each distinct node."""

    def __init__(self, names: tuple[str, ...], *, scalar: bool) -> None:
        self.constants: dict[str, Any] = {
            "__builtins__": builtins,
            "finite": math.isfinite if scalar else np.isfinite,
            "real": float,
        }
        self.body: list[ast.stmt] = []
        self._scalar = scalar
        self._slots: dict[Expression, str] = {Var(n): f"x{i}" for i, n in enumerate(names)}
        self._checked: set[str] = set()

    def slot(self, node: Expression) -> str:
        """The local or constant that holds the node's value."""
        if node in self._slots:
            return self._slots[node]
        if isinstance(node, Op):
            name = self._operation(OPERATORS[node.op], [self.slot(arg) for arg in node.args])
        else:
            name = f"c{len(self.constants)}"
            value = node if self._scalar or not isinstance(node, float) else np.float64(node)
            self.constants[name] = value
            self._checked.add(name)
        self._slots[node] = name
        return name

    def check(self, slot: str) -> None:
        """Require a slot to be finite, once."""
        if slot not in self._checked:
            self._checked.add(slot)
            self._require(_call("finite", [slot]))

    def _require(self, holds: ast.expr) -> None:
        """Leave the function with None unless the test holds everywhere."""
        if not self._scalar:
            holds = ast.Call(ast.Attribute(holds, "all", ast.Load()), [], [])
        leave = ast.Return(ast.Constant(None))
        self.body.append(ast.If(ast.UnaryOp(ast.Not(), holds), [leave], []))

    def _operation(self, operator: Operator, args: list[str]) -> str:
        if operator.hides:
            for arg in args:
                self.check(arg)
        if operator.name == "div" and self._scalar:
            self._require(ast.Compare(_load(args[1]), [ast.NotEq()], [ast.Constant(0.0)]))
        elif operator.defined is not None:
            self.constants[f"ok_{operator.name}"] = operator.defined
            self._require(_call(f"ok_{operator.name}", args))
        target = f"t{len(self.body)}"
        self.body.append(ast.Assign([ast.Name(target, ast.Store())], self._value(operator, args)))
        return target

    def _value(self, operator: Operator, args: list[str]) -> ast.expr:
        if self._scalar and operator.name in _PLAIN:
            value = _load(args[0])
            for arg in args[1:]:
                value = ast.BinOp(value, _PLAIN[operator.name], _load(arg))
            return value
        self.constants[f"op_{operator.name}"] = operator.numeric
        value = _call(f"op_{operator.name}", args)
        return ast.Call(_load("real"), [value], []) if self._scalar else value


def _load(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


def _call(function: str, args: list[str]) -> ast.expr:
    return ast.Call(_load(function), [_load(arg) for arg in args], [])


def _generate(
    expression: Expression, names: tuple[str, ...], *, scalar: bool
) -> Callable[..., Any]:
    writer = _Writer(names, scalar=scalar)
    result = writer.slot(expression)
    for i in range(len(names)):
        writer.check(f"x{i}")
    writer.check(result)
    writer.body.append(ast.Return(_load(result)))
    parameters = [ast.arg(f"x{i}") for i in range(len(names))]
    arguments = ast.arguments([], parameters, None, [], [], None, [])
    function = ast.FunctionDef("law", arguments, writer.body, [], None, None)
    module = ast.fix_missing_locations(ast.Module([function], []))
    code = next(c for c in compile(module, "<law>", "exec").co_consts if isinstance(c, CodeType))
    return FunctionType(code, writer.constants)


__all__ = ("Compiled", "Inputs", "Value", "compile_expression", "evaluate")
