"""Everything that follows from the sealed families, made again and compared field by field."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from lawsmith.errors import LawsmithError
from lawsmith.measurement import feasible, inside
from lawsmith.mutation import difficulty_of
from lawsmith.mutation.laws import (
    at_pointer,
    exact_values,
    interface_of,
    laws_of,
    original_of,
    relation_set_of,
)
from lawsmith.release.differences import differences
from lawsmith.release.tables import row_path
from lawsmith.release.tasks import ENVIRONMENTS, FamilyTasks, make_tasks
from schemas.card import Card
from schemas.family import Design, Family
from schemas.historical_card import HistoricalCard
from schemas.record import Part
from schemas.release import Fault
from schemas.source import Collection
from schemas.task import FixedObservation, PublicTask, SealedKey
from schemas.world import PairedWorld

MOST_PER_TABLE = 3
"""Wrong numbers named for each design and environment; more of the same says nothing new."""


def truth_faults(family: Family) -> Iterator[Fault]:
    """Stored truths that are not the laws' values at 50 digits, inputs outside the domain."""
    where = row_path("families", family.id)
    for name in ("fixed", "hidden"):
        design: Design = getattr(family, name)
        yield from _inputs(family, design, f"{where}/{name}")
        for environment in ENVIRONMENTS:
            stored = getattr(design, environment)
            try:
                truth = exact_values(
                    laws_of(getattr(family, environment)),
                    family.controls,
                    np.asarray(design.inputs, dtype=np.float64),
                )
            except (LawsmithError, KeyError, IndexError) as error:
                yield Fault(path=f"{where}/{environment}", what=f"has no truth: {error}")
                continue
            wrong = [
                (i, r, value)
                for i, row in enumerate(truth.tolist())
                for r, value in enumerate(row)
                if i < len(stored) and r < len(stored[i]) and stored[i][r] != value
            ]
            for i, r, value in wrong[:MOST_PER_TABLE]:
                yield Fault(
                    path=f"{where}/{name}/{environment}/{i}/{r}",
                    what=f"is {stored[i][r]!r}; the law gives {value!r}",
                )
            if len(wrong) > MOST_PER_TABLE:
                yield Fault(
                    path=f"{where}/{environment}",
                    what=f"its relations do not give {len(wrong)} stored truths of {name}",
                )


def card_faults(family: Family, card: Card | HistoricalCard) -> Iterator[Fault]:
    """Where a family's Original, controls or units are not what its card gives."""
    where = row_path("families", family.id)
    try:
        original = original_of(card) if isinstance(card, HistoricalCard) else relation_set_of(card)
        interface = interface_of(card)
    except LawsmithError as error:
        yield Fault(path=row_path("cards", card.id), what=f"gives no Original: {error}")
        return
    given: dict[str, tuple[Any, Any]] = {
        "original": (_data(family.original), _data(original)),
        "controls": (_data(family.controls), _data(interface.controls)),
        "constraints": (_data(family.constraints), _data(interface.constraints)),
        "consistency": (_data(family.consistency), _data(interface.consistency)),
    }
    for name, (stored, made) in given.items():
        for path in differences(stored, made, f"/{name}"):
            yield Fault(path=where + path, what=f"is not what card {card.id} gives")
    for index, readout in enumerate(family.readouts):
        if interface.units.get(readout.name) != readout.unit:
            yield Fault(
                path=f"{where}/readouts/{index}/unit", what=f"is not what card {card.id} gives"
            )


def difficulty_faults(family: Family) -> Iterator[Fault]:
    """A stratum that is not what the family's own certificates and mutations give."""
    where = f"{row_path('families', family.id)}/difficulty"
    try:
        measured = difficulty_of(family.mutations, family.certificates).stratum
    except LawsmithError as error:
        yield Fault(path=where, what=f"cannot be measured: {error}")
        return
    if measured != family.difficulty:
        yield Fault(path=where, what=f"is {family.difficulty}; the certificates give {measured}")


def _data(parts: Part | Sequence[Part]) -> Any:
    if isinstance(parts, Part):
        return parts.model_dump(mode="json")
    return [part.model_dump(mode="json") for part in parts]


def mutation_faults(family: Family) -> Iterator[Fault]:
    """Mutations whose `before` is not what stands at their path in the Original."""
    where = row_path("families", family.id)
    for index, mutation in enumerate(family.mutations):
        try:
            found = at_pointer(family.original, mutation.path)
        except LawsmithError as error:
            yield Fault(path=f"{where}/mutations/{index}/path", what=str(error))
            continue
        if found != mutation.before:
            yield Fault(
                path=f"{where}/mutations/{index}/before",
                what="is not what the Original has at its path",
            )


def task_faults(
    family: Family,
    key: bytes,
    collection: Collection,
    stored: "StoredRows",
) -> Iterator[Fault]:
    """Tasks, keys, observations and worlds that are not those the family gives."""
    where = row_path("families", family.id)
    try:
        made: FamilyTasks = make_tasks(family, key, collection)
    except (LawsmithError, KeyError, IndexError, ValueError) as error:
        yield Fault(path=where, what=f"gives no tasks: {error}")
        return
    blamed: Counter[str] = Counter()
    for task in made.public:
        yield from _differing(task.setting, task, stored.tasks, blamed)
    for sealed in made.sealed:
        yield from _differing("keys", sealed, stored.keys, Counter())
    for world in made.worlds:
        yield from _differing("worlds", world, stored.worlds, Counter())
    for path, count in sorted(blamed.items()):
        # One task altered is that task; all of them at once is the family.
        if count == len(made.public):
            yield Fault(path=where + path, what="is not what its public tasks say")
    yield from _without_family(family, {sealed.id for sealed in made.sealed}, stored)
    for row in made.fixed:
        place = (row.task_id, row.index)
        name = row_path("fixed_observations", f"{row.task_id}/{row.index}")
        if place not in stored.fixed:
            yield Fault(path=name, what="is missing")
            continue
        for path in differences(
            stored.fixed[place].model_dump(mode="json"), row.model_dump(mode="json")
        ):
            yield Fault(path=name + path, what="is not what the world returns there")


class StoredRows:
    """The rows of a release by their ids, as verification compares them."""

    def __init__(
        self,
        tasks: Sequence[PublicTask],
        keys: Sequence[SealedKey],
        worlds: Sequence[PairedWorld],
        fixed: Sequence[FixedObservation],
    ) -> None:
        self.tasks = {task.id: task for task in tasks}
        self.keys = {key.id: key for key in keys}
        self.keys_of: dict[str, list[SealedKey]] = defaultdict(list)
        """Family id -> its keys."""
        for key in keys:
            self.keys_of[key.family_id].append(key)
        self.worlds = {world.id: world for world in worlds}
        self.fixed = {(row.task_id, row.index): row for row in fixed}


def foreign_faults(
    stored: StoredRows, families: Sequence[Family], public_only: bool
) -> Iterator[Fault]:
    """Rows that belong to no family of the release."""
    if public_only:
        return
    known = {family.id for family in families}
    for key in stored.keys.values():
        if key.family_id not in known:
            yield Fault(
                path=f"{row_path('keys', key.id)}/family_id", what="is no family of the release"
            )
    for task in stored.tasks.values():
        if task.id not in stored.keys:
            yield Fault(path=row_path(task.setting, task.id), what="has no sealed key")
    for identity, index in stored.fixed:
        if identity not in stored.tasks:
            yield Fault(
                path=row_path("fixed_observations", f"{identity}/{index}"),
                what="belongs to no task",
            )
    for world in stored.worlds.values():
        if world.family_id not in known:
            yield Fault(path=row_path("worlds", world.id), what="is no world of the release")


def _without_family(family: Family, own: set[str], stored: "StoredRows") -> Iterator[Fault]:
    """Keys that name the family, and their tasks, under ids that the collection key does not give.

    Another key file leaves all four so, and one task too many is so from the start.
    """
    for key in stored.keys_of.get(family.id, ()):
        if key.id in own:
            continue
        what = "is not the keyed id of its family, setting and environment"
        yield Fault(path=f"{row_path('keys', key.id)}/id", what=what)
        if key.id in stored.tasks:
            yield Fault(path=f"{row_path(stored.tasks[key.id].setting, key.id)}/id", what=what)


def _differing(
    table: str, expected: Any, stored: Mapping[str, Any], blamed: Counter[str]
) -> Iterator[Fault]:
    where = row_path(table, expected.id)
    found = stored.get(expected.id)
    if found is None:
        yield Fault(path=where, what="is missing")
        return
    for path in differences(found.model_dump(mode="json"), expected.model_dump(mode="json")):
        blamed[path] += 1
        yield Fault(path=where + path, what="is not what the sealed family gives")


def _inputs(family: Family, design: Design, where: str) -> Iterator[Fault]:
    points = np.asarray(design.inputs, dtype=np.float64)
    if points.ndim != 2 or points.shape[1] != len(family.controls):
        yield Fault(path=f"{where}/inputs", what=f"has shape {points.shape}")
        return
    good = inside(family.controls, points) & feasible(family.controls, family.constraints, points)
    for index in np.flatnonzero(~good):
        yield Fault(path=f"{where}/inputs/{index}", what="is not admissible")


__all__ = (
    "StoredRows",
    "card_faults",
    "foreign_faults",
    "mutation_faults",
    "task_faults",
    "truth_faults",
)
