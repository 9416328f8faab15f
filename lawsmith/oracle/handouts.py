"""What the Oracle hands out: the public part of every task, as its player may see it."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from lawsmith.errors import IntegrityError
from lawsmith.oracle.views import player_view
from schemas.calibrated_task import RealObservation, RealTask
from schemas.episode import Protocol
from schemas.release import PublicManifest
from schemas.task import FixedObservation, PublicTask

Row = TypeVar("Row")


@dataclass(frozen=True)
class Handouts:
    """The public tables that views are made of."""

    digest: str
    """Of the public manifest."""
    fixed: Mapping[str, tuple[FixedObservation, ...]]
    """Task id -> observations of a paired task."""
    real: Mapping[str, RealTask]
    observations: Mapping[str, tuple[RealObservation, ...]]
    """Task id -> public records of a Real task."""

    def paired_view(self, task: PublicTask, protocol: Protocol, budget: int | None) -> Any:
        """The view of a paired task as JSON data.

        Raises:
            InputError: the budget does not fit the protocol.
        """
        view = player_view(task, protocol, budget, self.fixed.get(task.id, ()))
        return view.model_dump(mode="json")

    def real_view(self, identity: str) -> dict[str, Any]:
        """A Real task and its public records as JSON data."""
        rows = [row.model_dump(mode="json") for row in self.observations.get(identity, ())]
        return {"task": self.real[identity].model_dump(mode="json"), "observations": rows}


def load_handouts(release: Path) -> Handouts:
    """The public tables of a release folder; a table that is not there has no rows.

    Raises:
        IntegrityError: a row does not read; the path says which.
    """
    public = release / "public"
    (manifest,) = _read(public / "manifest.json", PublicManifest.from_json)
    fixed: dict[str, list[FixedObservation]] = defaultdict(list)
    for row in _read(public / "fixed_observations.jsonl", FixedObservation.model_validate_json):
        fixed[row.task_id].append(row)
    records: dict[str, list[RealObservation]] = defaultdict(list)
    for record in _read(public / "real_observations.jsonl", RealObservation.model_validate_json):
        records[record.task_id].append(record)
    return Handouts(
        digest=manifest.digest,
        fixed={name: tuple(rows) for name, rows in fixed.items()},
        real={task.id: task for task in _read(public / "real.jsonl", RealTask.from_json)},
        observations={
            name: tuple(sorted(rows, key=lambda row: row.index)) for name, rows in records.items()
        },
    )


def _read(path: Path, read: Callable[[str], Row]) -> list[Row]:
    if not path.is_file():
        return []
    text = path.read_text(encoding="utf-8")
    lines = text.split("\n") if path.suffix == ".jsonl" else [text]
    found = []
    for number, line in enumerate(lines, start=1):
        if not line:
            continue
        try:
            found.append(read(line))
        except ValueError as error:
            raise IntegrityError(
                f"does not read: {error}", path=f"{path}:{number}", fix="run verify on the release"
            ) from error
    return found


__all__ = ("Handouts", "load_handouts")
