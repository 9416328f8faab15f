"""Identities between readouts of an Original, found by computing.

What is an identity here. A relation among readouts and controls, with parameters by their names,
that (1) ties at least two readouts, (2) holds for every value of the controls and of the card's
parameters, and (3) is more than the readouts' own laws say: where each of the tied readouts is
by itself a monomial, or a sum of low monomials, of controls and parameters, the relation counts
only if its numbers are simple and no fitted parameter stands in it, or only beside the readouts
in a sum where something that both laws share cancels. So P = V*I counts beside I = V/R and
P = V**2/R, and K + U = m*g*h beside U = m*g*y; but b*y = a*z does not beside y = a*x and z = b*x:
two fitted laws of a simple form are no tie. Of those that are left the simplest come first, and
never so many on a set of readouts that none of them is free: all of them together would be the
laws themselves, and a law must be able to change.

Two classes are looked for: products of powers (ranks of logarithms), and sums of readouts times
low monomials (ranks of columns, monomials of fitting units alone), over rows in which controls
and parameters are drawn at random. float64 proposes; 50 digits confirm.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from math import exp, isclose, log, log10, pi
from typing import Final, Protocol

import numpy as np
import scipy
from numpy.typing import NDArray

from lawsmith.errors import UndefinedValueError
from lawsmith.expressions import compile_expression, evaluate, evaluate_exact
from lawsmith.measurement import Controlled, is_logarithmic
from lawsmith.units import Unit, parse_unit
from schemas.card import Choices
from schemas.expression import Expression, Op, Var, names_of, substitute
from schemas.family import FamilyConsistency, LawParameter, RelationSet

IDENTITY_BOUND: Final = 1e-12
"""Largest relative difference of two sides, at 50 digits."""
_RANK: Final = 1e-9
"""Share of its size below which what is left of a column is rounding."""
_NONZERO: Final = 1e-6
"""Share of the whole below which a coefficient is none."""
_SEED: Final = 1212
_DECADES: Final = 6
"""Rows whose readouts lie farther from the middle are left out."""
_NUDGE: Final = 1e-6
_SPREAD: Final = 0.4
"""Parameters are drawn within e^-0.4 to e^0.4 of their values."""
_EXPONENTS: Final = (1, 2, 3)
_MOST_READOUTS: Final = 3
"""Readouts in a product of powers."""
_LARGEST_POWER: Final = 6
_DENOMINATORS: Final = (1, 2, 3)
_MOST_TERMS: Final = 6
_DEGREE: Final = 3
_MOST_COLUMNS: Final = 120
_FITTED: Final = 4
"""What a fitted parameter costs in a relation, where a control costs 1."""
_LEAST: Final = 1e-150
_LARGEST: Final = 1e150
"""Sizes of columns beyond which float64 may overflow."""
_CONFIRMED: Final = 8
"""Rows that confirm a relation at 50 digits."""
_SHORT: Final = 1000
"""Largest denominator of a number that is written as a fraction."""
_PI: Final = Op("acos", (-1.0,))
_FACTORS: Final[tuple[tuple[Expression | None, float], ...]] = (
    (None, 1.0),
    (_PI, pi),
    (Op("div", (1.0, _PI)), 1 / pi),
    (Op("pow", (_PI, 2.0)), pi**2),
    (Op("log", (2.0,)), log(2)),
    (Op("div", (1.0, Op("log", (2.0,)))), 1 / log(2)),
    (Op("log", (10.0,)), log(10)),
    (Op("div", (1.0, Op("log", (10.0,)))), 1 / log(10)),
)
"""Numbers that stand in laws as they are."""
_SIMPLE: Final = 12
"""Largest numerator and denominator of a simple number, powers of ten and factors apart."""

Floats = NDArray[np.float64]


class Governed(Controlled, Protocol):
    """A control of a family: its domain and its unit."""

    @property
    def unit(self) -> str:
        """Unit text."""


@dataclass(frozen=True, slots=True)
class Tie:
    """An identity that was found."""

    left: Expression
    right: Expression
    readouts: frozenset[str]
    cost: float


def identities_of(
    relations: RelationSet,
    controls: Sequence[Governed],
    units: Mapping[str, str],
    declared: Sequence[FamilyConsistency] = (),
) -> tuple[FamilyConsistency, ...]:
    """The identities between readouts that hold in a relation set, beside those declared.

    Args:
        relations: the Original.
        controls: the axes with their units.
        units: readout -> unit.
        declared: identities of the card; what they tie is not tied again.
    """
    if len(relations.relations) < 2:
        return ()
    rows = _Rows(relations, controls, units)
    if rows.count <= len(rows.names) + len(rows.readouts) + 1:
        return ()
    taken = [one for one in declared if rows.confirmed(one.left, one.right)]
    known = len(taken)
    for tie in sorted((*_products(rows), *_sums(rows)), key=lambda tie: tie.cost):
        one = FamilyConsistency(left=tie.left, right=tie.right, origin="computed")
        if rows.leaves_one_free([*taken, one]) and rows.confirmed(tie.left, tie.right):
            taken.append(one)
    return tuple(taken[known:])


class _Rows:
    """Readouts at rows in which controls and parameters are drawn, where all have values."""

    def __init__(
        self, relations: RelationSet, controls: Sequence[Governed], units: Mapping[str, str]
    ) -> None:
        self.readouts = tuple(one.readout for one in relations.relations)
        known: dict[str, Expression] = {}
        for definition in relations.definitions:
            known[definition.name] = substitute(definition.expression, known)
        self._known = known
        self._laws = {r.readout: substitute(r.expression, known) for r in relations.relations}
        used = {name for law in self._laws.values() for name in names_of(law)}
        parameters = [p for p in relations.parameters if p.name in used]
        self.fitted = frozenset(p.name for p in parameters if p.mutable)
        self.names = tuple(c.name for c in controls if c.name in used)
        self.names += tuple(p.name for p in parameters)
        parsed = {c.name: parse_unit(c.unit) for c in controls}
        parsed |= {p.name: parse_unit(p.unit) for p in parameters}
        self.units: dict[str, Unit] = {name: parsed[name] for name in self.names}
        self.units |= {name: parse_unit(units[name]) for name in self.readouts}
        wanted = 2 * _MOST_COLUMNS
        rng = np.random.Generator(np.random.PCG64(_SEED))
        drawn = {c.name: _control_values(c, wanted, rng) for c in controls}
        drawn |= {p.name: _parameter_values(p, wanted, rng) for p in parameters}
        drawn = {name: drawn[name] for name in self.names}
        found = {name: _values(law, drawn, wanted) for name, law in self._laws.items()}
        table = np.column_stack([*found.values(), *drawn.values()])
        whole = np.isfinite(table).all(axis=1) & (table != 0.0).all(axis=1)
        if whole.any():
            # A correction drawn far too large drowns every other row.
            sizes = np.log10(np.abs(np.where(whole[:, None], table, 1.0)[:, : len(found)]))
            whole &= (np.abs(sizes - np.median(sizes[whole], axis=0)) < _DECADES).all(axis=1)
        self.count = int(whole.sum())
        self.values = {name: column[whole] for name, column in (found | drawn).items()}

    def confirmed(self, left: Expression, right: Expression) -> bool:
        """Whether two sides agree at some rows, at 50 digits."""
        meanings = self._known | self._laws
        sides = [substitute(side, meanings) for side in (left, right)]
        if any(names_of(side) - set(self.names) for side in sides):
            return False
        for row in range(min(_CONFIRMED, self.count)):
            inputs = {name: float(self.values[name][row]) for name in self.names}
            try:
                one, other = (evaluate_exact(side, inputs) for side in sides)
            except UndefinedValueError:
                return False
            if abs(one - other) > IDENTITY_BOUND * max(abs(one), abs(other)):
                return False
        return True

    def leaves_one_free(self, ties: Sequence[FamilyConsistency]) -> bool:
        """Whether the ties are independent, and fewer than the readouts of any that they tie."""
        tied = [frozenset(names_of(t.left) | names_of(t.right)) for t in ties]
        fewer = all(
            len(frozenset().union(*some) & frozenset(self.readouts)) > size
            for size in range(1, len(ties) + 1)
            for some in combinations(tied, size)
        )
        if not fewer:
            return False
        slopes = np.array([self._slopes(tie) for tie in ties])
        return bool(np.isfinite(slopes).all()) and np.linalg.matrix_rank(slopes, 1e-4) == len(ties)

    def _slopes(self, tie: FamilyConsistency) -> Floats:
        """How a tie answers to each readout at one row, the largest answer being 1."""
        point = {name: float(column[0]) for name, column in self.values.items()}
        gap = substitute(Op("sub", (tie.left, tie.right)), self._known)
        found = np.zeros(len(self.readouts))
        for place, name in enumerate(self.readouts):
            moved = [point | {name: point[name] * (1 + s * _NUDGE)} for s in (1, -1)]
            try:
                above, below = (float(evaluate(gap, one)) for one in moved)
            except UndefinedValueError:
                return np.full(len(self.readouts), np.nan)
            found[place] = above - below
        return np.asarray(found / (np.abs(found).max() or 1.0))


def _control_values(control: Controlled, count: int, rng: np.random.Generator) -> Floats:
    domain = control.domain
    if isinstance(domain, Choices):
        return rng.choice(np.asarray(domain.choices), count)
    if is_logarithmic(control):
        return np.asarray(np.exp(rng.uniform(np.log(domain.low), np.log(domain.high), count)))
    return rng.uniform(domain.low, domain.high, count)


def _parameter_values(parameter: LawParameter, count: int, rng: np.random.Generator) -> Floats:
    """Values around a parameter's own; of a correction, which is zero, of any size."""
    if parameter.value:
        return np.asarray(parameter.value * np.exp(rng.uniform(-_SPREAD, _SPREAD, count)))
    return np.asarray(rng.choice([-1.0, 1.0], count) * 10.0 ** rng.uniform(-6, 3, count))


def _values(law: Expression, inputs: Mapping[str, Floats], count: int) -> Floats:
    """The law at every row, nan where it has no value."""
    if not names_of(law):
        inputs = {}
    compiled = compile_expression(law)

    def at(rows: slice) -> Floats:
        length = rows.stop - rows.start
        try:
            value = np.asarray(compiled({name: column[rows] for name, column in inputs.items()}))
            return np.broadcast_to(value, length)
        except UndefinedValueError:
            if length == 1:
                return np.array([np.nan])
        middle = rows.start + length // 2
        return np.concatenate([at(slice(rows.start, middle)), at(slice(middle, rows.stop))])

    return at(slice(0, count))


def _products(rows: _Rows) -> Iterator[Tie]:
    """Products of powers of readouts, controls and parameters that are constant."""
    logs = np.column_stack([np.log(np.abs(rows.values[name])) for name in rows.names])
    design = np.column_stack([logs, np.ones(rows.count)])
    sizes = np.column_stack([np.log(np.abs(rows.values[name])) for name in rows.readouts])
    solution, _, rank, _ = np.linalg.lstsq(design, sizes, rcond=None)
    if rank < design.shape[1]:
        # A control of one value, or two that are never apart: their powers cannot be told.
        return
    rest = sizes - design @ solution
    bound = _RANK * (1 + np.abs(sizes).max())
    plain = np.abs(rest).max(axis=0) <= bound
    for powers in _small_powers(len(rows.readouts)):
        if np.abs(rest @ powers).max() > bound:
            continue
        exponents = [_rational(value) for value in (solution[:-1] @ powers).tolist()]
        if any(value is None for value in exponents):
            continue
        own = {name: v for name, v in zip(rows.names, exponents, strict=True) if v}
        used = [i for i, power in enumerate(powers) if power]
        fitted = [name for name in own if name in rows.fitted]
        constant = _constant(rows, powers, own)
        if plain[used].all() and (fitted or not _is_simple(constant)):
            continue
        readouts = {rows.readouts[i]: int(powers[i]) for i in used}
        yield _product_tie(readouts, own, constant, rows)


def _small_powers(count: int) -> Iterator[NDArray[np.int64]]:
    """Exponents of readouts: two or three of them, coprime, the first positive."""
    for size in range(2, min(count, _MOST_READOUTS) + 1):
        largest = _EXPONENTS if size == 2 else _EXPONENTS[:2]
        signed = [s * e for e in largest for s in (1, -1)]
        for places in combinations(range(count), size):
            for own in product(largest, *(signed for _ in places[1:])):
                if np.gcd.reduce(np.abs(own)) > 1:
                    continue
                powers = np.zeros(count, dtype=np.int64)
                powers[list(places)] = own
                yield powers


def _rational(value: float) -> Fraction | None:
    """The small fraction that an exponent is, None if it is none."""
    for denominator in _DENOMINATORS:
        near = round(value * denominator)
        if abs(value * denominator - near) <= 1e-6 and abs(near) <= _LARGEST_POWER * denominator:
            return Fraction(near, denominator)
    return None


def _constant(rows: _Rows, powers: NDArray[np.int64], own: Mapping[str, Fraction]) -> float:
    """The number that readouts^powers is times names^own."""
    total = np.zeros(rows.count)
    sign = np.ones(rows.count)
    for name, power in zip(rows.readouts, powers.tolist(), strict=True):
        total += power * np.log(np.abs(rows.values[name]))
        sign *= np.sign(rows.values[name]) ** (power % 2)
    for name, exponent in own.items():
        total -= float(exponent) * np.log(np.abs(rows.values[name]))
        if exponent.denominator == 1:
            sign *= np.sign(rows.values[name]) ** (exponent.numerator % 2)
    size = min(max(float(np.median(total)), log(_LEAST)), log(_LARGEST))
    return exp(size) * float(np.median(sign))


def _written(value: float) -> Expression:
    """A number as laws write it: a short decimal or fraction, also times pi, ln 2 or ln 10."""
    for factor, size in _FACTORS:
        near = Fraction(value / size).limit_denominator(_SHORT)
        if not near or not isclose(value, float(near) * size, rel_tol=1e-11):
            continue
        share: Expression = float(near)
        if float(f"{float(near):.6g}") != float(near):
            share = Op("div", (float(near.numerator), float(near.denominator)))
        if factor is None:
            return share
        return factor if share == 1.0 else Op("mul", (share, factor))
    short = float(f"{value:.10g}")
    return short if isclose(value, short, rel_tol=1e-12) else value


def _is_simple(value: float) -> bool:
    """Whether a number is a small fraction times a power of ten, and one of the factors."""
    for _, size in _FACTORS:
        share = abs(value) / size
        share /= 10.0 ** np.floor(log10(share))
        for scale in (0.1, 1.0, 10.0):
            near = Fraction(share * scale).limit_denominator(_SIMPLE)
            if 0 < near.numerator <= _SIMPLE and isclose(share * scale, float(near), rel_tol=1e-10):
                return True
    return False


def _product_tie(
    readouts: Mapping[str, int], own: Mapping[str, Fraction], constant: float, rows: _Rows
) -> Tie:
    """The product solved for the last readout of the least power."""
    last = min(reversed(tuple(readouts)), key=lambda name: abs(readouts[name]))
    sign = 1 if readouts[last] > 0 else -1
    powers = {name: Fraction(-sign * e) for name, e in readouts.items() if name != last}
    powers |= {name: sign * exponent for name, exponent in own.items()}
    left = _power(Var(last), Fraction(abs(readouts[last])))
    right = _monomial(constant**sign, powers)
    cost = float(sum(map(abs, readouts.values())))
    cost += _cost(own, rows.fitted)
    return Tie(left, right, frozenset(readouts), cost)


def _cost(own: Mapping[str, Fraction], fitted: frozenset[str]) -> float:
    return float(sum(abs(e) * (_FITTED if name in fitted else 1) for name, e in own.items()))


def _monomial(constant: float, powers: Mapping[str, Fraction]) -> Expression:
    above = [_power(Var(name), e) for name, e in powers.items() if e > 0]
    below = [_power(Var(name), -e) for name, e in powers.items() if e < 0]
    number = _written(constant)
    if number != 1.0 or not above:
        above = [number, *above]
    return Op("div", (_product(above), _product(below))) if below else _product(above)


def _product(factors: list[Expression]) -> Expression:
    return factors[0] if len(factors) == 1 else Op("mul", tuple(factors))


def _power(base: Expression, exponent: Fraction) -> Expression:
    if exponent == 1:
        return base
    if exponent.denominator == 1:
        return Op("pow", (base, float(exponent)))
    return Op("pow", (base, Op("div", (float(exponent.numerator), float(exponent.denominator)))))


def _sums(rows: _Rows) -> Iterator[Tie]:
    """Sums of readouts times low monomials that are low monomials."""
    table = _monomials(rows)
    plain = {base: _own_terms(rows, table, base) for base in rows.readouts}
    for base in rows.readouts:
        yield from _sums_from(rows, table, base, plain)


@dataclass(frozen=True, slots=True)
class _Monomials:
    """Monomials of controls and parameters, cheapest first."""

    powers: NDArray[np.int64]
    """Shape (k, names)."""
    dimensions: Floats
    """Shape (k, tags)."""
    logs: Floats
    """Logarithm of the scale to SI base units, shape (k,)."""
    cost: Floats


@dataclass(frozen=True, slots=True)
class _Column:
    """A readout, or none, times a monomial."""

    readout: str | None
    place: int
    values: Floats


def _monomials(rows: _Rows) -> _Monomials:
    count = len(rows.names)
    tags = sorted({tag for unit in rows.units.values() for tag, _ in unit.dimension.compared})
    own = np.array([_dimension(rows.units[name], tags) for name in rows.names])
    own = own.reshape(count, len(tags))
    scales = np.log([float(rows.units[name].scale) for name in rows.names])
    weights = np.array([_FITTED if name in rows.fitted else 1 for name in rows.names])
    found = [np.zeros(count, dtype=np.int64)]
    for degree in range(1, _DEGREE + 1):
        for places in combinations(range(count), degree):
            for signs in product((1, -1), repeat=degree):
                row = np.zeros(count, dtype=np.int64)
                row[list(places)] = signs
                found.append(row)
    for place in range(count):
        for power in (2, -2):
            row = np.zeros(count, dtype=np.int64)
            row[place] = power
            found.append(row)
    powers = np.array(found)
    cost = np.abs(powers) @ weights
    order = np.argsort(cost, kind="stable")
    powers = powers[order]
    return _Monomials(
        powers, np.asarray(powers @ own), np.asarray(powers @ scales), np.asarray(cost[order] * 1.0)
    )


def _dimension(unit: Unit, tags: Sequence[str]) -> list[float]:
    powers = dict(unit.dimension.compared)
    return [float(powers.get(tag, 0)) for tag in tags]


def _columns(rows: _Rows, table: _Monomials, base: str, readouts: Sequence[str]) -> list[_Column]:
    """What may stand in one sum with a readout: terms of its unit, cheapest first."""
    tags = sorted({tag for unit in rows.units.values() for tag, _ in unit.dimension.compared})
    goal, scale = np.array(_dimension(rows.units[base], tags)), rows.units[base].scale
    found: list[tuple[float, int, _Column]] = []
    for rank, readout in enumerate([*readouts, None]):
        due, log = goal, np.log(float(scale))
        if readout is not None:
            due = goal - np.array(_dimension(rows.units[readout], tags))
            log = log - np.log(float(rows.units[readout].scale))
        fits = (np.abs(table.dimensions - due) < 1e-9).all(axis=1)
        fits &= np.abs(table.logs - log) < 1e-9
        for place in np.flatnonzero(fits).tolist():
            values = _monomial_values(rows, table.powers[place])
            if readout is not None:
                with np.errstate(all="ignore"):
                    values = values * rows.values[readout]
            sizes = np.abs(values)
            if not _LEAST < sizes.min() <= sizes.max() < _LARGEST:
                continue
            cost = float(table.cost[place])
            found.append((cost + (readout is None) / 2, rank, _Column(readout, place, values)))
    found.sort(key=lambda one: (one[0], one[1]))
    return [column for _, _, column in found[:_MOST_COLUMNS]]


def _monomial_values(rows: _Rows, powers: NDArray[np.int64]) -> Floats:
    values = np.ones(rows.count)
    with np.errstate(all="ignore"):
        for name, power in zip(rows.names, powers.tolist(), strict=True):
            if power:
                values = values * rows.values[name] ** power
    return values


class _Basis:
    """Independent columns, the cheapest of those that span the same."""

    def __init__(self, most: int, count: int) -> None:
        self.columns: list[_Column] = []
        self._directions = np.zeros((most, count))
        self._shares = np.zeros((most, most))

    def added(self, column: _Column) -> list[_Column] | None:
        """The columns that a new one depends on; None where it depends on none, and is kept."""
        size, kept = _size(column.values), len(self.columns)
        rest, shares = column.values / size, np.zeros(kept)
        for _ in range(2):
            part = self._directions[:kept] @ rest
            rest = rest - part @ self._directions[:kept]
            shares = shares + part
        left = _size(rest)
        if left <= _RANK:
            own = scipy.linalg.solve_triangular(self._shares[:kept, :kept], shares)
            large = np.abs(own) > _NONZERO
            return [one for one, keep in zip(self.columns, large, strict=True) if keep]
        self._directions[kept] = rest / left
        self._shares[:kept, kept] = shares
        self._shares[kept, kept] = left
        self.columns.append(column)
        return None


def _own_terms(rows: _Rows, table: _Monomials, base: str) -> int:
    """How many low monomials a readout by itself is the sum of, 0 if it is no such sum."""
    columns = _columns(rows, table, base, ())
    basis = _Basis(len(columns) + 1, rows.count)
    for column in columns:
        basis.added(column)
    terms = basis.added(_Column(base, 0, rows.values[base]))
    return len(terms or ())


def _sums_from(
    rows: _Rows, table: _Monomials, base: str, plain: Mapping[str, int]
) -> Iterator[Tie]:
    columns = _columns(rows, table, base, rows.readouts)
    basis = _Basis(len(columns), rows.count)
    for column in columns:
        support = basis.added(column)
        if support is not None:
            tie = _sum_tie(rows, table, [*support, column], plain)
            if tie is not None:
                yield tie


def _sum_tie(
    rows: _Rows, table: _Monomials, columns: list[_Column], plain: Mapping[str, int]
) -> Tie | None:
    """The relation by which the last column depends on the others, None if it is no identity."""
    tied = [column.readout for column in columns if column.readout is not None]
    if len(set(tied)) < 2 or len(set(tied)) < len(tied) or not 3 <= len(columns) <= _MOST_TERMS:
        return None
    sizes = np.array([_size(column.values) for column in columns])
    design = np.column_stack([column.values for column in columns]) / sizes
    found = np.linalg.lstsq(design[:, :-1], design[:, -1], rcond=None)[0]
    numbers = [*(found / sizes[:-1] * sizes[-1]).tolist(), -1.0]
    terms = list(zip(columns, numbers, strict=True))
    own = [_powers(rows, table, column) for column, _ in terms]
    fitted = [
        column.readout is not None
        for (column, _), powers in zip(terms, own, strict=True)
        if not rows.fitted.isdisjoint(powers)
    ]
    lead = next(c for column, c in terms if column.readout is not None)
    numbers = [c / lead for _, c in terms]
    if all(plain[name] for name in tied):
        # Fitted laws of low monomials: something of them must cancel, as it is in both.
        cancels = len(terms) - len(tied) <= sum(plain[name] for name in tied) - 2
        if any(fitted) or (fitted and not cancels) or not all(map(_is_simple, numbers)):
            return None
    left: list[Expression] = []
    right: list[Expression] = []
    for (column, _), number, powers in zip(terms, numbers, own, strict=True):
        if column.readout is None:
            right.append(_monomial(-number, powers))
        else:
            left.append(_monomial(number, {column.readout: Fraction(1), **powers}))
    if not right:
        right = [Op("neg", (left.pop(),))]
    cost = float(len(terms)) + sum(_cost(powers, rows.fitted) for powers in own)
    return Tie(_sum(left), _sum(right), frozenset(tied), cost)


def _powers(rows: _Rows, table: _Monomials, column: _Column) -> dict[str, Fraction]:
    exponents = table.powers[column.place].tolist()
    return {name: Fraction(e) for name, e in zip(rows.names, exponents, strict=True) if e}


def _sum(terms: list[Expression]) -> Expression:
    return terms[0] if len(terms) == 1 else Op("add", tuple(terms))


def _size(values: Floats) -> float:
    largest = float(np.abs(values).max(initial=0.0))
    if not largest:
        return 1.0
    scaled = values / largest
    return largest * float(np.sqrt(scaled @ scaled))


__all__ = ("IDENTITY_BOUND", "identities_of")
