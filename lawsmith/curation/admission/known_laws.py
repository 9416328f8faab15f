"""Laws that a Temporal case must not restate: textbook laws, Historical families, built families.

Two laws are the same when one has the form of the other with its controls put in the place of
quantities of the same dimension; every other quantity of the known law is a free constant.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import islice
from pathlib import Path
from typing import Final, Literal

from lawsmith.errors import InputError, UnitError
from lawsmith.expressions import literal_paths, parse_infix, same_form
from lawsmith.units import Dimension, parse_unit
from schemas.card import Choices, Control
from schemas.expression import Expression, Op, Var, names_of, substitute, walk
from schemas.family import Family
from schemas.historical_card import HistoricalCard
from schemas.record import strict_json

Kind = Literal["textbook", "historical", "family"]
MAX_ASSIGNMENTS: Final = 120
"""Ways to match controls that are tried for one pair of laws."""

_ALGEBRAIC: Final = frozenset({"add", "sub", "mul", "div", "neg", "pow", "sqrt", "cbrt"})


@dataclass(frozen=True)
class KnownRelation:
    """One relation of a known law: every name with its unit."""

    readout_unit: str
    expression: Expression
    units: Mapping[str, str]
    """Name -> unit, of every name of the expression."""
    settable: frozenset[str] | None
    """The names that are controls; None = any of them may be (a textbook does not say)."""

    @cached_property
    def form(self) -> "KnownForm":
        """What decides whether a law restates this one, apart from how its names are written.

        Names are numbered as they appear, so that relations told apart by their names alone
        are one form and are searched once.
        """
        order = dict.fromkeys(
            node.var for _, node in walk(self.expression) if isinstance(node, Var)
        )
        plain = {name: f"q{number}" for number, name in enumerate(order)}
        settable = None
        if self.settable is not None:
            settable = frozenset(plain[name] for name in self.settable if name in plain)
        return KnownForm(
            readout=_dimension(self.readout_unit),
            expression=substitute(self.expression, {a: Var(b) for a, b in plain.items()}),
            dimensions=tuple(
                None
                if self.settable is not None and name not in self.settable
                else _dimension(self.units[name])
                for name in order
            ),
            settable=settable,
        )


@dataclass(frozen=True)
class KnownForm:
    """A known relation with its names `q0`, `q1`, … in order of appearance."""

    readout: Dimension | None
    expression: Expression
    dimensions: tuple[Dimension | None, ...]
    """Of `q0`, `q1` and so on; None for constants, in whose place no control is put."""
    settable: frozenset[str] | None

    def dimension(self, name: str) -> Dimension | None:
        """Of one of its names."""
        return self.dimensions[int(name[1:])]


@dataclass(frozen=True)
class KnownLaw:
    """A law that is known already, as a set of relations."""

    id: str
    kind: Kind
    relations: tuple[KnownRelation, ...]


@dataclass(frozen=True)
class CandidateLaw:
    """A law under question: an expression over controls alone."""

    expression: Expression
    readout_unit: str


def textbook_laws(path: Path) -> tuple[KnownLaw, ...]:
    """The laws of a JSONL file, one `{id, readout, expression, units, citation}` a line.

    Raises:
        InputError: a line is not such a row; names the file and the line.
    """
    found = []
    for n, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = strict_json(line)
            units = dict(row["units"])
            readout = units.pop(row["readout"])
            law = KnownRelation(readout, parse_infix(row["expression"], units), units, None)
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"no textbook law: {error}", path=f"{path.name}:{n}") from error
        found.append(KnownLaw(str(row["id"]), "textbook", (law,)))
    return tuple(found)


def historical_law(card: HistoricalCard) -> KnownLaw:
    """The Original of a Historical card: derived quantities written out, corrections zero."""
    units = {control.name: control.unit for control in card.controls}
    units |= {part.name: part.unit for part in card.independent}
    inner: dict[str, Expression] = {part.name: 0.0 for part in card.corrections}
    for part in card.derived:
        inner[part.name] = substitute(part.expression, inner)
    readouts = {readout.name: readout.unit for readout in card.readouts}
    controls = frozenset(control.name for control in card.controls)
    relations = tuple(
        KnownRelation(
            readouts[relation.readout], substitute(relation.expression, inner), units, controls
        )
        for relation in card.relations
    )
    return KnownLaw(card.id, "historical", relations)


def family_law(family: Family) -> KnownLaw:
    """The Original of a family that is built already."""
    original = family.original
    units = {control.name: control.unit for control in family.controls}
    units |= {part.name: part.unit for part in original.parameters}
    inner: dict[str, Expression] = {}
    for part in original.definitions:
        inner[part.name] = substitute(part.expression, inner)
    readouts = {readout.name: readout.unit for readout in family.readouts}
    controls = frozenset(control.name for control in family.controls)
    relations = tuple(
        KnownRelation(
            readouts[relation.readout], substitute(relation.expression, inner), units, controls
        )
        for relation in original.relations
    )
    return KnownLaw(family.id, "family", relations)


def restated_by(
    laws: Sequence[CandidateLaw], controls: Sequence[Control], known: Sequence[KnownLaw]
) -> tuple[KnownLaw, ...]:
    """The known laws that all the candidate laws restate.

    Args:
        laws: the relations of a case but its definitions, over controls alone.
        controls: their names, units and domains.
        known: what to compare with.
    """
    if not laws:
        return ()
    named = {control.name: control for control in controls}
    asked = [(law, _dimension(law.readout_unit)) for law in laws]

    @cache
    def restates(at: int, form: KnownForm) -> bool:
        law, dimension = asked[at]
        return dimension == form.readout and _restates(law, named, form)

    return tuple(
        law
        for law in known
        if all(any(restates(at, r.form) for r in law.relations) for at in range(len(laws)))
    )


def _restates(law: CandidateLaw, controls: Mapping[str, Control], known: KnownForm) -> bool:
    used = sorted(names_of(law.expression))
    functions = _functions(law.expression, frozenset(used))
    for assignment in islice(_assignments(used, controls, known), MAX_ASSIGNMENTS):
        mapped = frozenset(assignment.values())
        # The search for constants is dear; laws of one form call the same functions.
        if functions != _functions(known.expression, mapped):
            continue
        renamed: dict[str, Expression] = {name: Var(other) for name, other in assignment.items()}
        form, free = _with_constants(known.expression, mapped)
        domain = {other: _domain(controls[name]) for name, other in assignment.items()}
        if same_form(substitute(law.expression, renamed), form, free, domain).equal:
            return True
    return False


def _with_constants(expression: Expression, kept: frozenset[str]) -> tuple[Expression, list[str]]:
    """The expression with every other name a number, and the paths of its free constants."""
    others = sorted(names_of(expression) - kept)
    # Plain values apart from 1, at which factors and exponents would drop out.
    values: dict[str, Expression] = {name: 1.25 + 0.5 * n for n, name in enumerate(others)}
    form = substitute(expression, values)
    paths = [
        path for path, node in walk(expression) if isinstance(node, Var) and node.var in values
    ]
    return form, sorted({*paths, *literal_paths(form)})


def _domain(control: Control) -> tuple[float, float] | list[float]:
    if isinstance(control.domain, Choices):
        return list(control.domain.choices)
    return control.domain.low, control.domain.high


def _assignments(
    used: Sequence[str], controls: Mapping[str, Control], known: KnownForm
) -> Iterator[dict[str, str]]:
    """Every way to put the used controls in the place of like-dimensioned known names."""
    names = [f"q{number}" for number in range(len(known.dimensions))]
    if known.settable is not None:
        names = [name for name in names if name in known.settable]
        if len(names) != len(used):
            return
    places = {
        control: [
            name for name in names if known.dimension(name) == _dimension(controls[control].unit)
        ]
        for control in used
    }
    yield from _choose(list(used), places, {})


def _choose(
    left: list[str], places: Mapping[str, list[str]], chosen: dict[str, str]
) -> Iterator[dict[str, str]]:
    if not left:
        yield dict(chosen)
        return
    for name in places[left[0]]:
        if name not in chosen.values():
            yield from _choose(left[1:], places, {**chosen, left[0]: name})


def _functions(expression: Expression, names: frozenset[str]) -> frozenset[str]:
    """The operators on these names that no algebra removes."""
    return frozenset(
        node.op
        for _, node in walk(expression)
        if isinstance(node, Op) and node.op not in _ALGEBRAIC and names_of(node) & names
    )


def _dimension(unit: str) -> Dimension | None:
    try:
        return parse_unit(unit).dimension.compared
    except UnitError:
        return None


__all__ = (
    "MAX_ASSIGNMENTS",
    "CandidateLaw",
    "KnownForm",
    "KnownLaw",
    "KnownRelation",
    "family_law",
    "historical_law",
    "restated_by",
    "textbook_laws",
)
