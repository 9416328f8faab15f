"""A release folder read back into records; the public tree alone where that is all there is."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final, get_args

from lawsmith.errors import InputError, IntegrityError, PrerequisiteError
from lawsmith.keyed_draws import parse_key
from lawsmith.release.bundle.calibrated_reading import read_calibrated_public, read_problems
from lawsmith.release.bundle.lines import bare, load, load_lines, load_manifest, without_canary
from lawsmith.release.content import PaperNote
from lawsmith.release.manifest import PUBLIC_MANIFEST, SEALED_MANIFEST
from lawsmith.release.problems import CalibratedProblem
from lawsmith.release.provenance import mark_release
from lawsmith.release.tables import PublicTable, Row, rows_where
from schemas.calibrated_task import ParallelTask, RealObservation, RealTask
from schemas.card import Card
from schemas.family import Certificate, Family
from schemas.historical_card import HistoricalCard
from schemas.record import canonical_json
from schemas.release import PublicManifest, SealedManifest
from schemas.review import Review
from schemas.task import FixedObservation, PublicTask, SealedKey, Setting
from schemas.world import PairedWorld

SETTINGS: Final[tuple[Setting, ...]] = get_args(Setting)
CALIBRATED: Final[tuple[tuple[PublicTable, type[ParallelTask] | type[RealTask]], ...]] = (
    ("parallel", ParallelTask),
    ("real", RealTask),
)


@dataclass(frozen=True)
class PublicRelease:
    """What players may see of a release."""

    path: Path
    manifest: PublicManifest
    tasks: tuple[PublicTask, ...]
    """Paired tasks by id, both settings."""
    fixed: Mapping[str, tuple[FixedObservation, ...]]
    """Task id -> observations by index."""
    calibrated: tuple[ParallelTask | RealTask, ...] = ()
    """Parallel and Real tasks, by id."""
    observations: Mapping[str, tuple[RealObservation, ...]] = field(default_factory=dict)
    """Id of a Real task -> its public records by index."""

    @property
    def task_ids(self) -> frozenset[str]:
        """Of every kind."""
        return frozenset(task.id for task in (*self.tasks, *self.calibrated))

    def calibrated_task(self, identity: str) -> ParallelTask | RealTask:
        """The Parallel or Real task of an id.

        Raises:
            KeyError: no such task.
        """
        return self._calibrated_by_id[identity]

    @cached_property
    def _calibrated_by_id(self) -> dict[str, ParallelTask | RealTask]:
        return {task.id: task for task in self.calibrated}

    def task(self, identity: str) -> PublicTask:
        """The task of an id.

        Raises:
            KeyError: no such task.
        """
        return self._by_id[identity]

    @cached_property
    def _by_id(self) -> dict[str, PublicTask]:
        return {task.id: task for task in self.tasks}


@dataclass(frozen=True)
class SealedRelease:
    """The answers of a release, read after episodes have ended."""

    manifest: SealedManifest
    key: bytes
    keys: tuple[SealedKey, ...]
    families: tuple[Family, ...]
    cards: tuple[Card | HistoricalCard, ...]
    reviews: tuple[Review, ...]
    certificates: Mapping[str, Certificate]
    """`<family>/c<number>` -> certificate."""
    worlds: tuple[PairedWorld, ...]
    papers: tuple[PaperNote, ...]
    problems: tuple[CalibratedProblem, ...] = ()
    """By id; each with its tasks, keys, world, pool and baselines."""


@dataclass(frozen=True)
class Release:
    """A release folder; `sealed` is None in a public-only copy."""

    path: Path
    public: PublicRelease
    sealed: SealedRelease | None


def read_public(release: Path) -> PublicRelease:
    """The public tree of a release folder; sealed/ is not opened.

    Raises:
        PrerequisiteError: the folder is no release, or its rows have a form that another Lawsmith
            reads.
        IntegrityError: a file or row does not read; the path says which.
    """
    manifest = read_manifest(release)
    tasks = [
        task
        for table in SETTINGS
        if (release / "public" / f"{table}.jsonl").is_file()
        for task in load_lines(release, f"public/{table}.jsonl", PublicTask.from_json)
    ]
    fixed: dict[str, list[FixedObservation]] = defaultdict(list)
    for row in load_lines(
        release, "public/fixed_observations.jsonl", FixedObservation.model_validate_json
    ):
        fixed[row.task_id].append(row)
    return PublicRelease(
        path=release,
        manifest=manifest,
        tasks=tuple(
            mark_release(task, manifest.digest) for task in sorted(tasks, key=lambda task: task.id)
        ),
        fixed={
            identity: tuple(sorted(rows, key=lambda row: row.index))
            for identity, rows in sorted(fixed.items())
        },
        **read_calibrated_public(release),
    )


def read_task(release: Path, identity: str) -> PublicRelease:
    """The public tree of a release with one task of any kind and its observations alone.

    It is read from Parquet, so that a large release costs no more than a small one.

    Raises:
        PrerequisiteError: the folder is no release.
        InputError: it has no such task.
        IntegrityError: a file or row does not read; the path says which.
    """
    manifest = read_manifest(release)
    paired = [
        PublicTask.from_json(row["record"])
        for table in SETTINGS
        for row in _task_rows(release, table, identity)
    ]
    calibrated: list[ParallelTask | RealTask] = [
        kind.from_json(row["record"])
        for table, kind in CALIBRATED
        for row in _task_rows(release, table, identity)
    ]
    if not paired and not calibrated:
        raise InputError(
            f"{manifest.id} has no task {identity!r}",
            path=str(release),
            fix="give an id of its discovery, identification, parallel or real table",
        )
    shown = [
        FixedObservation.model_validate_json(canonical_json(row))
        for row in _task_rows(release, "fixed_observations", identity)
    ]
    observed = [
        RealObservation.model_validate_json(canonical_json(row))
        for row in _task_rows(release, "real_observations", identity)
    ]
    return PublicRelease(
        path=release,
        manifest=manifest,
        tasks=tuple(paired),
        fixed={identity: tuple(sorted(shown, key=lambda row: row.index))} if shown else {},
        calibrated=tuple(calibrated),
        observations={identity: tuple(sorted(observed, key=lambda row: row.index))}
        if observed
        else {},
    )


def read_manifest(release: Path) -> PublicManifest:
    """The public manifest of a release folder.

    Raises:
        PrerequisiteError: the folder is no release, or its rows have a form that another Lawsmith
            reads.
        IntegrityError: it does not read.
    """
    if not (release / PUBLIC_MANIFEST).is_file():
        raise PrerequisiteError(
            f"no release at {release}", fix="give a folder with public/manifest.json"
        )
    return load_manifest(release)


def _task_rows(release: Path, table: PublicTable, identity: str) -> list[Row]:
    """The rows of a task in a table; none where the release or copy has no such table."""
    path = f"public/{table}.parquet"
    if not (release / path).is_file():
        return []
    column = "task_id" if table.endswith("observations") else "id"
    try:
        return rows_where(release / path, table, column, identity)
    except (ValueError, OSError) as error:
        raise IntegrityError(f"does not read: {error}", path=path) from error


def read_release(release: Path) -> Release:
    """Both trees of a release folder.

    Raises:
        PrerequisiteError: the folder is no release.
        IntegrityError: a file or row does not read; the path says which.
    """
    public = read_public(release)
    sealed = read_sealed(release, public) if (release / SEALED_MANIFEST).is_file() else None
    return Release(release, public, sealed)


def read_sealed(release: Path, public: PublicRelease) -> SealedRelease:
    """The sealed tree of a release folder.

    Args:
        release: the folder.
        public: its public tree: problems are read with their tasks.

    Raises:
        IntegrityError: a file or row does not read; the path says which.
    """
    return SealedRelease(
        manifest=load(release, SEALED_MANIFEST, SealedManifest.from_json),
        key=load(release, "sealed/collection.key", parse_key),
        keys=load_lines(release, "sealed/keys.jsonl", SealedKey.from_json),
        families=load_lines(release, "sealed/families.jsonl", without_canary(Family)),
        cards=load_lines(release, "sealed/cards.jsonl", read_card),
        reviews=load_lines(release, "sealed/reviews.jsonl", without_canary(Review)),
        certificates=dict(load_lines(release, "sealed/certificates.jsonl", read_certificate)),
        worlds=load_lines(release, "sealed/worlds.jsonl", without_canary(PairedWorld)),
        papers=load_lines(release, "sealed/attributions.jsonl", _paper),
        problems=read_problems(release, public.calibrated, public.observations),
    )


def read_card(line: str) -> Card | HistoricalCard:
    """A card of either kind.

    Raises:
        ValueError: it is neither.
    """
    data = bare(line)
    kind = HistoricalCard if "mutation_rules" in data else Card
    return kind.from_json(canonical_json(data))


def read_certificate(line: str) -> tuple[str, Certificate]:
    """The id and the certificate of a line.

    Raises:
        ValueError: a field is missing, extra or of the wrong type.
    """
    data = bare(line)
    identity, family = str(data.pop("id")), str(data.pop("family_id"))
    certificate = Certificate.model_validate_json(canonical_json(data))
    if identity != f"{family}/c{certificate.number}":
        raise ValueError(f"id {identity!r} is not {family}/c{certificate.number}")
    return identity, certificate


def _paper(line: str) -> PaperNote:
    return PaperNote(**bare(line))


__all__ = (
    "PublicRelease",
    "Release",
    "SealedRelease",
    "load",
    "load_lines",
    "read_card",
    "read_certificate",
    "read_manifest",
    "read_public",
    "read_release",
    "read_sealed",
    "read_task",
    "without_canary",
)
