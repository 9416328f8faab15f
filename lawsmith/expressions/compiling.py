"""Programs -> Python functions, made of `ast` nodes: no text enters the code.

Both kinds are fast because they do not look at every step. Where a non-finite value would
show in what comes after, only the end is looked at; where an operator would hide it, its
argument is looked at first. In blocks the processor's own floating-point flags report what
becomes non-finite inside plain arithmetic; what an operator of the mathematical library gives
is looked at, since such flags are not certain. A function that finds anything says so and no
more: the reference walk then says what and where.
"""

import ast
import builtins
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any, Final

import numpy as np

from lawsmith.expressions.operators import OPERATORS, Operator
from lawsmith.expressions.programs import Program, Step

_PLAIN: Final[dict[str, ast.operator]] = {
    "add": ast.Add(),
    "sub": ast.Sub(),
    "mul": ast.Mult(),
    "div": ast.Div(),
}
"""Operators whose Python form on two floats gives the very number that numpy gives."""


@dataclass(frozen=True, slots=True)
class BlockLaw:
    """A law on blocks of points."""

    function: Callable[..., bool]
    """(columns..., fixed values..., result, mask, find in its bytes, buffers...) -> whether every
    value is finite; the result is written. Undefined values may raise FloatingPointError."""
    columns: tuple[str, ...]
    fixed: Callable[[Mapping[str, float]], tuple[float, ...] | None]
    """Every other name -> the values that are one for all points; it may refuse as a point law
    does."""
    fixed_names: tuple[str, ...]
    fixed_places: tuple[int, ...]
    """The steps of those values."""
    buffers: int


PointLaw = Callable[[Mapping[str, Any]], float | None]


def point_law(program: Program) -> PointLaw:
    """Name -> float, to the value; None or an error if it is undefined or an input no float.

    The errors are KeyError, ArithmeticError and ValueError, as Python itself raises them.
    """
    writer = _PointWriter(program, program.names)
    last = len(program.steps) - 1
    writer.finite(last)
    writer.body.append(ast.Return(_without_sign(writer.slot(last))))
    return writer.function(["inputs"])


def block_law(program: Program, columns: frozenset[str]) -> BlockLaw:
    """The law for the case that just these names have a value for each point."""
    varies = program.depends_on(columns)
    reached = {a for step, v in zip(program.steps, varies, strict=True) if v for a in step.args}
    wanted = sorted(place for place in reached if not varies[place])
    single = tuple(name for name in program.names if name not in columns)
    prologue = _PointWriter(program, single)
    for place in wanted:
        prologue.finite(place)
    slots: list[ast.expr] = [_without_sign(prologue.slot(place)) for place in wanted]
    prologue.body.append(ast.Return(ast.Tuple(slots, ast.Load())))
    fixed = prologue.function(["inputs"])
    several = tuple(name for name in program.names if name in columns)
    writer = _BlockWriter(program, varies, several, wanted)
    writer.write()
    used = [f"b{i}" for i in range(writer.buffers)]
    parameters = [f"x{i}" for i in range(len(several))] + [f"h{place}" for place in wanted]
    function = writer.function([*parameters, "out", "mask", "find", *used])
    return BlockLaw(function, several, fixed, single, tuple(wanted), writer.buffers)


class _Code:
    """The body and the globals of one generated function."""

    def __init__(self) -> None:
        self.body: list[ast.stmt] = []
        self.constants: dict[str, Any] = {"__builtins__": builtins}

    def constant(self, name: str, value: Any) -> ast.expr:
        """A global of the function."""
        self.constants[name] = value
        return _load(name)

    def leave_unless(self, holds: ast.expr, result: bool | None) -> None:
        """Leave the function with the result unless the test holds."""
        leave = ast.Return(ast.Constant(result))
        self.body.append(ast.If(ast.UnaryOp(ast.Not(), holds), [leave], []))

    def function(self, parameters: Sequence[str]) -> Callable[..., Any]:
        """The function with these parameters."""
        arguments = ast.arguments([], [ast.arg(p) for p in parameters], None, [], [], None, [])
        law = ast.FunctionDef("law", arguments, self.body, [], None, None)
        module = ast.fix_missing_locations(ast.Module([law], []))
        compiled = compile(module, "<law>", "exec")
        code = next(c for c in compiled.co_consts if isinstance(c, CodeType))
        return FunctionType(code, self.constants)


class _PointWriter(_Code):
    """One assignment of a float for each step that a wanted value needs."""

    def __init__(self, program: Program, names: tuple[str, ...]) -> None:
        super().__init__()
        self._steps = program.steps
        self._names = {name: f"x{i}" for i, name in enumerate(names)}
        self._slots: dict[int, str] = {}
        self._known_finite: set[int] = set()
        real = self.constant("real", float)
        for name, slot in self._names.items():
            value = ast.Subscript(_load("inputs"), ast.Constant(name), ast.Load())
            self.body.append(ast.Assign([ast.Name(slot, ast.Store())], value))
            kind = ast.Call(self.constant("kind", type), [_load(slot)], [])
            self.leave_unless(ast.Compare(kind, [ast.Is()], [real]), None)

    def slot(self, place: int) -> ast.expr:
        """What holds the step's value; written first if it is not there yet."""
        for needed in self._missing(place):
            self._slots[needed] = self._write(needed)
        return _load(self._slots[place])

    def finite(self, place: int) -> None:
        """Require a step's value to be finite, once."""
        slot = self.slot(place)
        if place not in self._known_finite:
            self._known_finite.add(place)
            # An infinity less itself is no number.
            nothing = ast.BinOp(slot, ast.Sub(), slot)
            self.leave_unless(ast.Compare(nothing, [ast.Eq()], [ast.Constant(0.0)]), None)

    def _missing(self, place: int) -> list[int]:
        needed: set[int] = set()
        stack = [place]
        while stack:
            place = stack.pop()
            if place not in needed and place not in self._slots:
                needed.add(place)
                stack.extend(self._steps[place].args)
        return sorted(needed)

    def _write(self, place: int) -> str:
        step = self._steps[place]
        if step.op == "name":
            return self._names[str(step.value)]
        if step.op == "number":
            self._known_finite.add(place)
            self.constants[f"c{place}"] = step.value
            return f"c{place}"
        value = self._operation(OPERATORS[step.op], step)
        self.body.append(ast.Assign([ast.Name(f"t{place}", ast.Store())], value))
        return f"t{place}"

    def _operation(self, operator: Operator, step: Step) -> ast.expr:
        args = [_load(self._slots[arg]) for arg in step.args]
        if operator.quiet is not None and operator.point is None:
            low, high = (ast.Constant(bound) for bound in operator.quiet)
            between: list[ast.cmpop] = [ast.LtE(), ast.LtE()]
            self.leave_unless(ast.Compare(low, between, [args[0], high]), None)
            self._known_finite.add(step.args[0])
        else:
            for arg in operator.hidden(step.args):
                self.finite(arg)
        if operator.name in _PLAIN:
            return ast.BinOp(args[0], _PLAIN[operator.name], args[1])
        if operator.name == "neg":
            return ast.UnaryOp(ast.USub(), args[0])
        if operator.point is not None:
            return ast.Call(self.constant(f"op_{operator.name}", operator.point), args, [])
        if operator.silent and operator.defined is not None:
            defined = self.constant(f"ok_{operator.name}", operator.defined)
            self.leave_unless(ast.Call(defined, args, []), None)
        value = ast.Call(self.constant(f"op_{operator.name}", operator.numeric), args, [])
        return ast.Call(self.constant("real", float), [value], [])


class _BlockWriter(_Code):
    """One call that fills a buffer for each step that differs from point to point."""

    def __init__(
        self, program: Program, varies: list[bool], columns: tuple[str, ...], fixed: list[int]
    ) -> None:
        super().__init__()
        self._steps = program.steps
        self._varies = varies
        self._names = {name: f"x{i}" for i, name in enumerate(columns)}
        self._slots: dict[int, str] = {place: f"h{place}" for place in fixed}
        self._known_finite = set(fixed)
        self._last_use = {arg: p for p, step in enumerate(self._steps) for arg in step.args}
        self._free: list[str] = []
        self.buffers = 0

    def write(self) -> None:
        """Write every step; the last one fills `out`."""
        end = len(self._steps) - 1
        for place, step in enumerate(self._steps):
            if not self._varies[place]:
                continue
            if step.op == "name":
                self._slots[place] = self._names[str(step.value)]
            else:
                self._operation(place, step, final=place == end)
        self._require_finite(end)
        if self._slots[end] != "out" or not self._unsigned_zero(end):
            # Adding zero drops the sign of -0.0.
            zero = self.constant("zero", np.zeros(()))
            self._call(self.constant("op_add", np.add), [_load(self._slots[end]), zero], "out")
        self.body.append(ast.Return(ast.Constant(True)))

    def _operation(self, place: int, step: Step, *, final: bool) -> None:
        operator = OPERATORS[step.op]
        for arg in operator.hidden(step.args):
            self._require_finite(arg)
        args = [_load(self._slots[arg]) for arg in step.args]
        if operator.silent and operator.defined is not None:
            defined = self.constant(f"ok_{operator.name}", operator.defined)
            self._require_all(ast.Call(defined, args, []))
        for arg in dict.fromkeys(step.args):
            if self._last_use[arg] == place and self._slots[arg].startswith("b"):
                self._free.append(self._slots[arg])
        function = self.constant(f"op_{operator.name}", operator.numeric)
        self._slots[place] = "out" if final else self._buffer()
        self._call(function, args, self._slots[place])

    def _unsigned_zero(self, place: int) -> bool:
        """Whether a step is never -0.0: a sum is not unless all of its terms are."""
        step = self._steps[place]
        if step.op == "add":
            return any(self._unsigned_zero(arg) for arg in step.args)
        if step.op == "sub":
            return self._unsigned_zero(step.args[0])
        square = step.op == "mul" and step.args[0] == step.args[1]
        return square or step.op in ("exp", "cosh", "abs") or not self._varies[place]

    def _buffer(self) -> str:
        if self._free:
            return self._free.pop()
        self.buffers += 1
        return f"b{self.buffers - 1}"

    def _call(self, function: ast.expr, args: list[ast.expr], out: str) -> None:
        self.body.append(ast.Expr(ast.Call(function, args, [ast.keyword("out", _load(out))])))

    def _require_all(self, mask: ast.expr) -> None:
        every = self.constant("every", np.all)
        self.leave_unless(ast.Call(every, [mask], []), False)

    def _require_finite(self, place: int) -> None:
        """Make it certain that no value of a step is infinite or no number."""
        doubtful = self._doubtful(place)
        if not doubtful:
            return
        alone = next(iter(doubtful))
        # A name that is looked at itself need not be looked at again.
        looked = alone if len(doubtful) == 1 and self._steps[alone].op == "name" else place
        # The mask's bytes are searched as text, which takes a tenth of the time of `all`.
        self._call(self.constant("finite", np.isfinite), [_load(self._slots[looked])], "mask")
        first = ast.Call(_load("find"), [ast.Constant(0)], [])
        self.leave_unless(ast.Compare(first, [ast.Lt()], [ast.Constant(0)]), False)
        self._known_finite |= doubtful | {place}

    def _doubtful(self, place: int) -> set[int]:
        """The names and library values that could make a step non-finite without a flag."""
        found: set[int] = set()
        seen: set[int] = set()
        stack = [place]
        while stack:
            here = stack.pop()
            if here in self._known_finite or here in seen or not self._varies[here]:
                continue
            seen.add(here)
            step = self._steps[here]
            if step.op == "name" or not OPERATORS[step.op].ieee:
                found.add(here)
            else:
                stack.extend(step.args)
        return found


def _without_sign(value: ast.expr) -> ast.expr:
    """The value plus zero, which is never -0.0."""
    return ast.BinOp(value, ast.Add(), ast.Constant(0.0))


def _load(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


__all__ = ("BlockLaw", "PointLaw", "block_law", "point_law")
