"""Evaluation in float64: one reference walk and compiled laws that agree with it.

Strictly real: whatever is not a finite real number is undefined, and the error names the node
and the first input that broke it. Numbers are used as declared; nothing converts units here.
"""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lawsmith.errors import InputError, UndefinedValueError
from lawsmith.expressions.compiling import BlockLaw, PointLaw, block_law, point_law
from lawsmith.expressions.operators import OPERATORS
from lawsmith.expressions.programs import Program, program_of
from schemas.expression import Expression, Op, Var, names_of

BLOCK: Final = 32768
"""Points in a block: 256 kB for each buffer, so that a few stay in a core's own cache."""

_POOL: Final = threading.local()
"""Buffers of each thread: fresh memory would cost more than the arithmetic done in it."""

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
    if 0 in shape:
        return np.empty(shape)
    with np.errstate(all="ignore"):
        result = _walk(expression, values, "")
    return _shaped(result, shape)


def evaluate_where_defined(expression: Expression, inputs: Inputs) -> NDArray[np.float64]:
    """The values of an expression, NaN at each point where it is undefined.

    For searches among many points of which some may lie outside an expression's domain.

    Args:
        expression: any expression.
        inputs: name -> a number or an array; arrays are broadcast against each other.

    Returns:
        The shape that the inputs of the names in it broadcast to.

    Raises:
        InputError: a name has no input, or an input is not numeric.
    """
    values, _ = _prepared(names_of(expression), inputs)
    with np.errstate(all="ignore"):
        return np.asarray(_masked(expression, values, {}), dtype=np.float64)


def _masked(node: Expression, values: dict[str, Any], done: dict[Op, Any]) -> Any:
    if isinstance(node, Var):
        return np.where(np.isfinite(values[node.var]), values[node.var], np.nan)
    if not isinstance(node, Op):
        return np.float64(node)
    if node not in done:
        args = [_masked(arg, values, done) for arg in node.args]
        operator = OPERATORS[node.op]
        # Looked at first: some operators make a number of what is none.
        fine = np.logical_and.reduce([np.isfinite(arg) for arg in np.broadcast_arrays(*args)])
        if operator.defined is not None:
            fine = fine & operator.defined(*args)
        result = operator.apply(*args)
        done[node] = np.where(fine & np.isfinite(result), result, np.nan)
    return done[node]


@dataclass(frozen=True, slots=True)
class Compiled:
    """An expression as generated functions; it gives what `evaluate` gives, bit for bit."""

    expression: Expression
    names: tuple[str, ...]
    _program: Program = field(repr=False)
    _point_law: PointLaw = field(repr=False)
    _block_laws: dict[frozenset[str], BlockLaw] = field(repr=False, default_factory=dict)

    def __call__(self, inputs: Inputs) -> Value:
        """The value at the inputs; same shapes and same errors as `evaluate`."""
        # Other inputs may be arrays too, and give the result their shape.
        if len(inputs) == len(self.names):
            value = self._at_point(inputs)
            if value is not None:
                return value
        values, shape = _prepared(self.names, inputs)
        if shape:
            result: Value | None = self._at_points(values, shape)
        else:
            result = self._at_point({name: values[name].item() for name in self.names})
        # Some point is undefined: the reference walk finds which node and which input.
        return evaluate(self.expression, inputs) if result is None else result

    def _at_point(self, inputs: Mapping[str, Any]) -> float | None:
        try:
            return self._point_law(inputs)
        except (ArithmeticError, ValueError, KeyError):
            return None

    def _at_points(
        self, values: Mapping[str, NDArray[np.float64]], shape: tuple[int, ...]
    ) -> NDArray[np.float64] | None:
        columns = frozenset(name for name in self.names if values[name].size > 1)
        if not columns or 0 in shape:
            return None
        if columns not in self._block_laws:
            self._block_laws[columns] = block_law(self._program, columns)
        law = self._block_laws[columns]
        fixed = self._fixed(law, values)
        if fixed is None:
            return None
        flat = {name: np.broadcast_to(values[name], shape).reshape(-1) for name in law.columns}
        single = {name: values[name].reshape(()) for name in law.fixed_names}
        whole = np.empty(shape)
        blocks = _Blocks(self.expression, law, flat, single, [np.array(value) for value in fixed])
        return whole if blocks.fill(whole.reshape(-1)) else None

    def _fixed(self, law: BlockLaw, values: Mapping[str, Any]) -> Sequence[float] | None:
        single = {name: values[name].item() for name in law.fixed_names}
        try:
            fixed = law.fixed(single)
        except (ArithmeticError, ValueError):
            fixed = None
        # The quick way refuses what might raise a flag, such as exp(-800).
        return self._program.values(law.fixed_places, single) if fixed is None else fixed


@dataclass(frozen=True, slots=True)
class _Blocks:
    """One call of a law on many points; short blocks stay in the processor's cache."""

    expression: Expression
    law: BlockLaw
    columns: dict[str, NDArray[np.float64]]
    single: dict[str, NDArray[np.float64]]
    fixed: list[NDArray[np.float64]]

    def fill(self, whole: NDArray[np.float64]) -> bool:
        """Write the values; False if one is undefined."""
        scratch = self._scratch(min(BLOCK, whole.size))
        with np.errstate(all="raise", under="ignore"):
            for start in range(0, whole.size, BLOCK):
                piece = slice(start, start + BLOCK)
                out = whole[piece]
                if start and out.size < BLOCK:
                    scratch = self._scratch(out.size)
                parts = [column[piece] for column in self.columns.values()]
                try:
                    surely = self.law.function(*parts, *self.fixed, out, *scratch)
                except FloatingPointError:
                    surely = False
                if not (surely or self._fill_slowly(piece, out)):
                    return False
        return True

    def _scratch(self, length: int) -> list[Any]:
        seen = bytearray(length)
        pool = _POOL.__dict__.setdefault("buffers", [])
        pool.extend(np.empty(BLOCK) for _ in range(self.law.buffers - len(pool)))
        buffers = [buffer[:length] for buffer in pool[: self.law.buffers]]
        return [np.frombuffer(seen, dtype=bool), seen.find, *buffers]

    def _fill_slowly(self, piece: slice, out: NDArray[np.float64]) -> bool:
        """A flag may be raised without need: the reference walk decides for the block."""
        parts = {name: column[piece] for name, column in self.columns.items()}
        try:
            with np.errstate(all="ignore"):
                np.add(_walk(self.expression, parts | self.single, ""), 0.0, out=out)
        except UndefinedValueError:
            return False
        return True


@lru_cache(maxsize=2048)
def compile_expression(expression: Expression) -> Compiled:
    """The expression as a fast function of the same inputs; repeated subtrees run once."""
    program = program_of(expression)
    return Compiled(expression, program.names, program, point_law(program))


def _prepared(names: Any, inputs: Inputs) -> tuple[dict[str, Any], tuple[int, ...]]:
    values: dict[str, Any] = {}
    for name in inputs:
        value = np.asarray(inputs[name])
        if value.dtype.kind not in "fiu":
            raise InputError(f"input is of type {value.dtype}, not a number", path=name)
        values[name] = np.asarray(value, dtype=np.float64, order="C")
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
    result = operator.apply(*args)
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


__all__ = (
    "Compiled",
    "Inputs",
    "Value",
    "compile_expression",
    "evaluate",
    "evaluate_where_defined",
)
