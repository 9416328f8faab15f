"""Release content -> every table of both trees as canonical lines, and its content digest."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from lawsmith.release.content import ReleaseContent
from lawsmith.release.manifest import policies_of, release_digest
from lawsmith.release.pages import licence_rows
from lawsmith.release.problems import CalibratedProblem, data_licences, table_rows
from lawsmith.release.tables import (
    CALIBRATED_PUBLIC,
    PUBLIC_TABLES,
    PublicTable,
    Row,
    calibrated_row,
    observation_row,
    plain_line,
    record_line,
    task_row,
)
from lawsmith.release.tasks import make_tasks
from schemas.calibrated_task import ParallelTask, RealTask
from schemas.family import Family
from schemas.record import canonical_json, strict_json
from schemas.task import FixedObservation, PublicTask, SealedKey
from schemas.world import PairedWorld


@dataclass(frozen=True)
class Assembly:
    """Everything that a release folder holds, before it is written."""

    content: ReleaseContent
    tasks: tuple[PublicTask, ...]
    """By id, both settings."""
    fixed: tuple[FixedObservation, ...]
    keys: tuple[SealedKey, ...]
    worlds: tuple[PairedWorld, ...]
    tables: Mapping[str, tuple[str, ...]]
    """Table -> canonical JSONL lines, by id."""
    key_text: str
    """The text of the key file."""
    digest: str
    """`content-1`."""

    @property
    def calibrated(self) -> tuple[ParallelTask | RealTask, ...]:
        """Parallel and Real tasks, by id."""
        tasks = [task for item in self.content.problems for task in item.tasks]
        return tuple(sorted(tasks, key=lambda task: task.id))

    @cached_property
    def fixed_by_task(self) -> dict[str, list[FixedObservation]]:
        """Task id -> its Fixed observations, by index."""
        grouped: dict[str, list[FixedObservation]] = {task.id: [] for task in self.tasks}
        for row in self.fixed:
            grouped[row.task_id].append(row)
        return grouped

    @property
    def public_tables(self) -> tuple[PublicTable, ...]:
        """The public tables that this release has."""
        return (*PUBLIC_TABLES, *(CALIBRATED_PUBLIC if self.content.problems else ()))

    @property
    def key_sha256(self) -> str:
        """The hash of the key file."""
        return hashlib.sha256(self.key_text.encode("ascii")).hexdigest()

    def rows(self, table: PublicTable) -> list[Row]:
        """The flat rows of a public table."""
        if table == "fixed_observations":
            return [observation_row(item) for item in self.fixed]
        if table == "real_observations":
            return [strict_json(line) for line in self.tables[table]]
        if table in ("parallel", "real"):
            return [calibrated_row(task) for task in self.calibrated if task.kind == table]
        return [task_row(task) for task in self.tasks if task.setting == table]


def assemble(content: ReleaseContent) -> Assembly:
    """The tasks, keys and tables of a release.

    Raises:
        InputError: a family's blend is too large.
    """
    made = [make_tasks(family, content.key, content.collection) for family in content.families]
    tasks = tuple(sorted((t for item in made for t in item.public), key=lambda t: t.id))
    keys = tuple(sorted((k for item in made for k in item.sealed), key=lambda k: k.id))
    worlds = tuple(sorted((w for item in made for w in item.worlds), key=lambda w: w.id))
    fixed = tuple(
        sorted((row for item in made for row in item.fixed), key=lambda r: (r.task_id, r.index))
    )
    tables: dict[str, tuple[str, ...]] = {
        "discovery": _records([task for task in tasks if task.setting == "discovery"]),
        "identification": _records([task for task in tasks if task.setting == "identification"]),
        "fixed_observations": tuple(canonical_json(row.model_dump(mode="json")) for row in fixed),
        "licences": tuple(
            plain_line(row)
            for row in licence_rows(
                content.families, content.papers, data_licences(content.problems)
            )
        ),
        "keys": _records(keys),
        "task_families": tuple(plain_line(task_family_row(key)) for key in keys),
        "families": _records(content.families),
        "cards": _records(content.cards),
        "reviews": _records(content.reviews),
        "certificates": certificate_lines(content.families),
        "worlds": _records(worlds),
        "attributions": tuple(
            plain_line(vars(note)) for note in sorted(content.papers, key=lambda n: n.paper_id)
        ),
    }
    if content.problems:
        tables |= _calibrated_tables(content.problems)
    key_text = content.key.hex() + "\n"
    digest = release_digest(
        tables, policies_of(content), hashlib.sha256(key_text.encode("ascii")).hexdigest()
    )
    return Assembly(content, tasks, fixed, keys, worlds, tables, key_text, digest)


def _calibrated_tables(problems: Sequence[CalibratedProblem]) -> dict[str, tuple[str, ...]]:
    """The tables that only releases with problems have."""
    observed = sorted(
        (row for item in problems for row in item.observations), key=lambda r: (r.task_id, r.index)
    )
    rows = [row for item in problems for row in table_rows(item.problem, item.table)]
    return {
        "parallel": _records([item.parallel for item in problems if item.parallel]),
        "real": _records([item.real for item in problems if item.real]),
        "real_observations": tuple(canonical_json(row.model_dump(mode="json")) for row in observed),
        "problems": _records([item.problem for item in problems]),
        "problem_rows": tuple(
            plain_line(row) for row in sorted(rows, key=lambda row: str(row["id"]))
        ),
        "parallel_keys": _records([item.parallel_key for item in problems if item.parallel_key]),
        "real_keys": _records([item.real_key for item in problems if item.real_key]),
        "calibrated_worlds": _records([item.world for item in problems if item.world]),
        "baselines": _records([score for item in problems for score in item.baselines]),
        "baseline_submissions": _records([one for item in problems for one in item.submissions]),
    }


def task_family_row(key: SealedKey) -> dict[str, Any]:
    """Which family and environment a task belongs to."""
    return {
        "id": key.id,
        "family_id": key.family_id,
        "environment": key.environment,
        "setting": key.setting,
    }


def certificate_lines(families: Sequence[Family]) -> tuple[str, ...]:
    """One line a certificate, `<family>/c<number>`, by family and number."""
    return tuple(
        plain_line(
            {
                "id": f"{family.id}/c{item.number}",
                "family_id": family.id,
                **item.model_dump(mode="json"),
            }
        )
        for family in sorted(families, key=lambda f: f.id)
        for item in sorted(family.certificates, key=lambda c: c.number)
    )


def _records(records: Sequence[Any]) -> tuple[str, ...]:
    return tuple(record_line(item) for item in sorted(records, key=lambda item: str(item.id)))


__all__ = (
    "Assembly",
    "assemble",
    "certificate_lines",
    "task_family_row",
)
