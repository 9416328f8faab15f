"""The leak check: nothing public leads to a family's sealed facts or tells its environment.

Three parts. Every public row is searched for its own family's sealed names. The rows of a
family's two environments must be equal but for their ids, and its Fixed rows but for their
outputs. What is left, the ids and the order they put rows in, is given to a trivial
classifier: a sign test over family pairs for each public feature, which must stay at chance.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from lawsmith.expressions import to_infix
from lawsmith.mutation.laws import folded
from lawsmith.release.content import PaperNote
from lawsmith.release.differences import differences
from lawsmith.release.tables import TABLE_PATHS, row_path
from schemas.card import Card, Choices
from schemas.expression import walk
from schemas.family import Environment, Family, FamilyControl, FamilyReadout
from schemas.historical_card import HistoricalCard
from schemas.record import canonical_json
from schemas.release import Fault
from schemas.task import FixedObservation, PublicTask, SealedKey

SIGNIFICANCE: Final = 1e-3
"""A feature is at fault when its sign test, times the number of features, is below this."""

SMALL: Final = 12
"""Whole numbers up to here are no sign of anything."""

NUMBER: Final = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w])")
"""A number in a text."""


class _SealedFacts(NamedTuple):
    """What the four tasks of a family are searched for, worked out once."""

    names: Mapping[str, str]
    constants: frozenset[float]


def leak_faults(
    tasks: Sequence[PublicTask],
    fixed: Sequence[FixedObservation],
    keys: Sequence[SealedKey],
    families: Sequence[Family],
    cards: Sequence[Card | HistoricalCard],
    papers: Sequence[PaperNote],
) -> list[Fault]:
    """Every leak of the public rows, each with the row and field it stands in."""
    by_id = {task.id: task for task in tasks}
    card_of = {card.id: card for card in cards}
    paper_of = {note.paper_id: note for note in papers}
    sealed = {
        family.id: _SealedFacts(
            sealed_names(family, card_of.get(family.card_id), paper_of.get(family.paper_id or "")),
            _private_constants(family),
        )
        for family in families
    }
    faults: list[Fault] = []
    for key in keys:
        task, facts = by_id.get(key.id), sealed.get(key.family_id)
        if task is None or facts is None:
            continue
        faults += _named(task, facts.names)
        faults += _drawn(task, facts.constants)
        if task.setting == "discovery":
            faults += _written(task, key)
    faults += _order(tasks, fixed)
    faults += _pairs(by_id, fixed, keys)
    faults += classifier_faults(tasks, keys)
    return faults


def sealed_names(
    family: Family, card: Card | HistoricalCard | None, paper: PaperNote | None
) -> dict[str, str]:
    """What must not be read in a public row of the family: kind -> text."""
    names = {"family id": family.id, "card id": family.card_id}
    if family.paper_id is not None:
        names["paper id"] = family.paper_id
        names["paper key"] = family.paper_id.partition(":")[2]
    if card is not None:
        names["title"] = card.title
    if isinstance(card, HistoricalCard):
        names["slug in words"] = card.id.replace("_", " ").replace("-", " ")
        names["discoverer"] = card.discoverer
        names["citation"] = card.citation
    if paper is not None:
        names["paper title"] = paper.title
        names["attribution"] = paper.attribution
        if paper.doi:
            names["doi"] = paper.doi
    return {kind: text for kind, text in names.items() if len(text) >= 4}


def classifier_faults(tasks: Sequence[PublicTask], keys: Sequence[SealedKey]) -> list[Fault]:
    """Public features that tell the environments of a family apart better than chance.

    For every feature the pairs (Original, Counterfactual) in which it is larger on one side
    are counted; under chance that is a fair coin. Two-sided exact binomial test, Bonferroni
    over the features; with few families it can only fire on what is nearly perfect.
    """
    position = {task.id: index for index, task in enumerate(tasks)}
    texts = {task.id: task.to_json() for task in tasks}
    pairs = list(_environment_pairs(keys))
    features: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for one, other in pairs:
        if one not in position or other not in position:
            continue
        left = _features(one, position[one], texts[one])
        right = _features(other, position[other], texts[other])
        for name, value in left.items():
            features[name].append((value, right[name]))
    faults: list[Fault] = []
    for name, values in features.items():
        larger = sum(a > b for a, b in values)
        unequal = sum(a != b for a, b in values)
        chance = sign_test(larger, unequal)
        if chance * len(features) < SIGNIFICANCE:
            faults.append(
                Fault(
                    path=f"public tasks/{name}",
                    what=f"tells the environment: {larger} of {unequal} pairs, p = {chance:.2g}",
                )
            )
    return faults


def sign_test(larger: int, unequal: int) -> float:
    """Two-sided exact binomial p of `larger` heads in `unequal` throws of a fair coin."""
    # Here, since scipy.special takes a tenth of a second and few commands come this far.
    from scipy.special import bdtr

    tail = min(larger, unequal - larger)
    return min(1.0, 2.0 * float(bdtr(tail, unequal, 0.5)))


def _features(identity: str, position: int, text: str) -> dict[str, float]:
    digits = identity.removeprefix("t-")
    number = int(digits, 16) if re.fullmatch(r"[0-9a-f]+", digits) else 0
    return {
        "parity of id": float(number % 2),
        "first digit of id": float(number >> max(0, 4 * (len(digits) - 1))),
        "id as a number": float(number),
        "order": float(position),
        "length of id": float(len(identity)),
        "length of row": float(len(text)),
    }


def _environment_pairs(keys: Iterable[SealedKey]) -> Iterator[tuple[str, str]]:
    found: dict[tuple[str, str], dict[Environment, str]] = defaultdict(dict)
    for key in keys:
        found[(key.family_id, key.setting)][key.environment] = key.id
    for group in found.values():
        if len(group) == 2:
            yield group["original"], group["counterfactual"]


def _named(task: PublicTask, names: Mapping[str, str]) -> Iterator[Fault]:
    for field, text in _texts(task):
        for kind, name in names.items():
            # A paper key such as 0001 must not be found inside the number 0.0001.
            pattern = rf"(?<![A-Za-z0-9.]){re.escape(name)}(?![A-Za-z0-9]|\.[0-9])"
            if re.search(pattern, text, re.IGNORECASE):
                yield Fault(
                    path=f"{row_path(task.setting, task.id)}/{field}", what=f"holds the {kind}"
                )


def _texts(task: PublicTask) -> Iterator[tuple[str, str]]:
    yield "id", task.id
    yield "background", task.background
    named: list[tuple[str, FamilyControl | FamilyReadout]] = []
    named += [(f"controls/{i}", item) for i, item in enumerate(task.controls)]
    named += [(f"readouts/{i}", item) for i, item in enumerate(task.readouts)]
    for where, quantity in named:
        yield f"{where}/name", quantity.name
        yield f"{where}/symbol", quantity.symbol
        yield f"{where}/meaning", quantity.meaning
    for index, constraint in enumerate(task.constraints):
        yield f"constraints/{index}/meaning", constraint.meaning


def drawn_constants(family: Family) -> frozenset[float]:
    """The numbers that only the Counterfactual has: drawn under the key.

    Small whole numbers are left out: they stand in every text, as in "m^2".
    """

    def literals(environment: Environment) -> set[float]:
        relations = getattr(family, environment)
        trees = [item.expression for item in (*relations.definitions, *relations.relations)]
        nodes = {node for tree in trees for _, node in walk(tree) if isinstance(node, float)}
        return nodes | {item.value for item in relations.parameters}

    new = literals("counterfactual") - literals("original")
    return frozenset(value for value in new if not (value.is_integer() and abs(value) <= SMALL))


def _private_constants(family: Family) -> frozenset[float]:
    """The drawn constants that no public number of the family happens to equal."""
    # A bound of a domain may coincide with a drawn number by chance; it is public anyway.
    public: set[float] = set()
    for control in family.controls:
        domain = control.domain
        bounds = domain.choices if isinstance(domain, Choices) else (domain.low, domain.high)
        public.update(bounds)
    public |= {readout.resolution for readout in family.readouts if readout.resolution is not None}
    return drawn_constants(family) - public


def _drawn(task: PublicTask, drawn: frozenset[float]) -> Iterator[Fault]:
    for field, text in _texts(task):
        for match in NUMBER.finditer(text):
            if float(match.group()) in drawn:
                yield Fault(
                    path=f"{row_path(task.setting, task.id)}/{field}",
                    what="holds a constant drawn for the Counterfactual",
                )


def _written(task: PublicTask, key: SealedKey) -> Iterator[Fault]:
    text = re.sub(r"\s+", "", canonical_json([item for _, item in _texts(task)]))
    for law in key.laws:
        # As the world computes it, and with constants folded.
        written = {to_infix(law.expression), to_infix(folded(law.expression))}
        found = {re.sub(r"\s+", "", infix) for infix in written}
        # A one-letter law, as y = x, cannot be told from the name of a control.
        if any(len(infix) >= 3 and infix in text for infix in found):
            yield Fault(
                path=row_path("discovery", task.id), what=f"holds the law of {law.readout} in text"
            )


def _order(tasks: Sequence[PublicTask], fixed: Sequence[FixedObservation]) -> Iterator[Fault]:
    for setting in ("discovery", "identification"):
        ids = [task.id for task in tasks if task.setting == setting]
        if ids != sorted(ids):
            yield Fault(path=TABLE_PATHS[setting], what="rows are not in the order of their ids")
    places = [(row.task_id, row.index) for row in fixed]
    if places != sorted(places):
        yield Fault(
            path=TABLE_PATHS["fixed_observations"], what="rows are not in the order of their ids"
        )


def _pairs(
    tasks: Mapping[str, PublicTask],
    fixed: Sequence[FixedObservation],
    keys: Sequence[SealedKey],
) -> Iterator[Fault]:
    inputs: dict[str, list[tuple[float, ...]]] = defaultdict(list)
    for row in fixed:
        inputs[row.task_id].append(row.inputs)
    for one, other in _environment_pairs(keys):
        if one not in tasks or other not in tasks:
            continue
        left, right = tasks[one].content(), tasks[other].content()
        for path in differences(left, right):
            yield Fault(
                path=row_path(tasks[one].setting, one) + path,
                what=f"differs from {other}, the other environment's row",
            )
        if inputs[one] != inputs[other]:
            yield Fault(
                path=f"{row_path('fixed_observations', one)}/inputs",
                what=f"differ from those of {other}",
            )


__all__ = (
    "NUMBER",
    "SIGNIFICANCE",
    "SMALL",
    "classifier_faults",
    "drawn_constants",
    "leak_faults",
    "sealed_names",
    "sign_test",
)
