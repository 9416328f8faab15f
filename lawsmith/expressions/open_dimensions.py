"""Whether a law with constants of unknown units can close in dimensions at all.

A submitted law often holds fitted numbers without units. It closes if dimensions can be given
to its constants and numbers so that every operator is content and the whole is the readout's:
a linear system over the rationals, one unknown a constant and tag.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from lawsmith.expressions.dimensions import constant_fraction
from lawsmith.expressions.operators import OPERATORS
from lawsmith.units import Dimension, parse_unit
from schemas.expression import Expression, Op, Var, names_of


@dataclass(frozen=True, slots=True)
class _Open:
    """A product of known dimensions and unknown ones to rational powers."""

    known: Dimension
    unknown: Mapping[str, Fraction] = field(default_factory=dict)

    def __mul__(self, other: "_Open") -> "_Open":
        total = dict(self.unknown)
        for name, power in other.unknown.items():
            total[name] = total.get(name, Fraction(0)) + power
        return _Open(self.known * other.known, {n: p for n, p in total.items() if p})

    def __pow__(self, power: Fraction) -> "_Open":
        if not power:
            return _Open(Dimension())
        return _Open(self.known**power, {n: p * power for n, p in self.unknown.items()})


def closes_in_dimensions(
    expression: Expression, units: Mapping[str, str], output_unit: str
) -> bool:
    """Whether dimensions can be given to the open constants so that the law closes.

    Args:
        expression: the law.
        units: name -> unit, of the controls; every other name, and every number outside an
            exponent, is an open constant. Two numbers are two constants.
        output_unit: the readout's unit.

    Raises:
        UnitError: a unit is not in the table.
    """
    known = {name: parse_unit(unit).dimension.compared for name, unit in units.items()}
    pure: list[_Open] = []
    found = _walk(expression, "", known, pure)
    pure.append(found * _Open(parse_unit(output_unit).dimension.compared) ** Fraction(-1))
    return _solvable(pure)


def _walk(node: Expression, path: str, known: Mapping[str, Dimension], pure: list[_Open]) -> _Open:
    if isinstance(node, Var):
        if node.var in known:
            return _Open(known[node.var])
        return _Open(Dimension(), {node.var: Fraction(1)})
    if not isinstance(node, Op):
        return _Open(Dimension(), {f"number {path}": Fraction(1)})
    if node.op == "pow":
        return _power(node, path, known, pure)
    args = [_walk(arg, f"{path}/args/{i}", known, pure) for i, arg in enumerate(node.args)]
    return _applied(OPERATORS[node.op].dimension, args, pure)


def _applied(rule: str, args: Sequence[_Open], pure: list[_Open]) -> _Open:
    if rule in ("same", "same_to_pure"):
        pure += [other * args[0] ** Fraction(-1) for other in args[1:]]
        return args[0] if rule == "same" else _Open(Dimension())
    if rule == "pure":
        pure += args
        return _Open(Dimension())
    if rule == "drop":
        return _Open(Dimension())
    if rule in ("root2", "root3"):
        return args[0] ** Fraction(1, int(rule[-1]))
    total = args[0]
    for other in args[1:]:
        total = total * (other ** Fraction(-1) if rule == "quotient" else other)
    return total


def _power(node: Op, path: str, known: Mapping[str, Dimension], pure: list[_Open]) -> _Open:
    base = _walk(node.args[0], f"{path}/args/0", known, pure)
    exponent = constant_fraction(node.args[1])
    if exponent is not None:
        return base**exponent
    pure.append(_walk(node.args[1], f"{path}/args/1", known, pure))
    if names_of(node.args[1]).isdisjoint(known):
        # A fitted exponent: whatever the power is, a constant beside it can take it up.
        return _Open(Dimension(), {f"power {path}": Fraction(1)})
    pure.append(base)
    return _Open(Dimension())


def _solvable(pure: Sequence[_Open]) -> bool:
    """Gauss's elimination: no row may be left that says 'nothing = something'."""
    tags = sorted({tag for item in pure for tag, _ in item.known})
    rows = [
        (dict(item.unknown), [dict(item.known.powers).get(tag, Fraction(0)) for tag in tags])
        for item in pure
    ]
    while rows:
        unknown, right = rows.pop()
        if not unknown:
            if any(right):
                return False
            continue
        pivot, factor = next(iter(unknown.items()))
        for other, sums in rows:
            share = other.pop(pivot, Fraction(0)) / factor
            if not share:
                continue
            for name, power in unknown.items():
                if name == pivot:
                    continue
                left = other.get(name, Fraction(0)) - share * power
                other.pop(name, None)
                if left:
                    other[name] = left
            for i, value in enumerate(right):
                sums[i] -= share * value
    return True


__all__ = ("closes_in_dimensions",)
