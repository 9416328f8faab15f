"""Files of episodes read line by line: what is no honest record is named and left out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from lawsmith.errors import InputError, LawsmithError, PrerequisiteError
from lawsmith.evaluation import ForgedError, episode_id
from lawsmith.gateways.store import write_whole
from lawsmith.release.bundle import PublicRelease
from schemas.episode import Episode
from schemas.record import strict_json
from schemas.score import Attestation, TaskCount, Unscored, UnscoredOutcome
from schemas.task import SealedKey

UNSCORED = "unscored.jsonl"
TASK_COUNTS = "task_counts.jsonl"


class LineError(InputError):
    """One line has no score."""

    def __init__(self, outcome: UnscoredOutcome, problem: str, *, field: str) -> None:
        super().__init__(problem, path=field)
        self.outcome: UnscoredOutcome = outcome


@dataclass
class Places:
    """Where lines stand, and what is known of those without a score."""

    file: Path
    keys: Mapping[str, SealedKey]
    collection: str
    unscored: list[Unscored] = field(default_factory=list)

    def leave_out(
        self,
        number: int,
        error: LawsmithError,
        said: Mapping[str, Any],
        attestation: Attestation = "self_reported",
    ) -> None:
        """Name a line that has no score."""
        outcome: UnscoredOutcome = "unreadable"
        if isinstance(error, ForgedError):
            outcome = "forged"
        elif isinstance(error, LineError):
            outcome = error.outcome
        key = self.keys.get(str(said.get("task_id")))
        self.unscored.append(
            Unscored(
                outcome=outcome,
                place=f"{self.file}:{number}",
                field=error.path,
                problem=error.problem[:500],
                kind=said.get("kind", "paired"),
                task_id=_text(said.get("task_id")),
                collection=self.collection,
                setting=None if key is None else key.setting,
                environment=None if key is None else key.environment,
                player=_text(said.get("player")),
                protocol=_text(said.get("protocol")),
                budget=_count(said.get("budget")),
                repeat=_count(said.get("repeat")),
                attestation=attestation,
            )
        )


def numbered_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines of a JSON lines file that are not empty, with their numbers from 1.

    Raises:
        PrerequisiteError: the file cannot be read.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise PrerequisiteError(f"cannot be read: {error}", path=str(path)) from error
    for number, line in enumerate(data.split(b"\n"), start=1):
        if line.strip():
            yield number, line


def said_of(line: bytes) -> dict[str, Any]:
    """What a line says of itself, believed nowhere; empty where it is no JSON object."""
    try:
        data = strict_json(line.decode("utf-8"))
    except ValueError:
        return {}
    return data if isinstance(data, dict) else {}


def read_episode(line: bytes) -> Episode:
    """The episode of one line.

    Raises:
        LineError: it is none, or its digest is not that of its content.
    """
    try:
        data = strict_json(line.decode("utf-8"))
    except ValueError as error:
        raise LineError("unreadable", f"no strict JSON: {error}", field="") from error
    if not isinstance(data, dict):
        raise LineError("unreadable", f"a {type(data).__name__}, not an object", field="")
    try:
        return Episode.from_json(line.decode("utf-8"))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = "/".join(str(part) for part in first["loc"])
        raise LineError("unreadable", first["msg"], field=where) from error
    except ValueError as error:
        if data.get("schema_version") != Episode.schema_version:
            raise LineError("unreadable", str(error), field="schema_version") from error
        raise LineError("forged", str(error), field="digest") from error


def check_release(episode: Episode, public: PublicRelease) -> None:
    """An episode is of this release, and called by what it is of.

    Raises:
        ForgedError: it says another release, a task that this one has not, or another id than
            that of its task, protocol, player and repeat: one try would count as two.
    """
    manifest = public.manifest
    identity = episode_id(
        episode.task_id, episode.protocol, episode.budget, episode.player, episode.repeat
    )
    known = {task.id for task in public.tasks}
    for name, stated, true in (
        ("id", episode.id, identity),
        ("release_id", episode.release_id, manifest.id),
        ("release_digest", episode.release_digest, manifest.digest),
        ("synthetic_sources", episode.synthetic_sources, manifest.synthetic_sources),
    ):
        if stated != true:
            raise ForgedError(f"is {stated!r}; this release has {true!r}", path=name)
    if episode.task_id not in known:
        raise ForgedError(f"{episode.task_id!r} is no task of {manifest.id}", path="task_id")


def task_counts(keys: Sequence[SealedKey], collection: str) -> list[TaskCount]:
    """How many tasks of each setting and environment a release has."""
    groups = sorted({(key.setting, key.environment) for key in keys})
    return [
        TaskCount(
            collection=collection,
            setting=setting,
            environment=environment,
            tasks=sum((key.setting, key.environment) == (setting, environment) for key in keys),
        )
        for setting, environment in groups
    ]


def write_beside(to: Path, counts: Sequence[TaskCount], unscored: Sequence[Unscored]) -> None:
    """Write what a report needs beside the scores: all tasks, and what has no score."""
    to.mkdir(parents=True, exist_ok=True)
    _write(to / TASK_COUNTS, counts)
    _write(to / UNSCORED, unscored)


def read_beside(folder: Path) -> tuple[list[TaskCount], list[Unscored]]:
    """What `write_beside` wrote; nothing where it wrote nothing."""
    found: tuple[list[TaskCount], list[Unscored]] = ([], [])
    if (folder / TASK_COUNTS).is_file():
        found[0].extend(
            TaskCount.model_validate_json(line) for _, line in numbered_lines(folder / TASK_COUNTS)
        )
    if (folder / UNSCORED).is_file():
        found[1].extend(
            Unscored.model_validate_json(line) for _, line in numbered_lines(folder / UNSCORED)
        )
    return found


def _write(path: Path, parts: Sequence[TaskCount] | Sequence[Unscored]) -> None:
    text = "".join(part.model_dump_json() + "\n" for part in parts)
    write_whole(path, text)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


__all__ = (
    "TASK_COUNTS",
    "UNSCORED",
    "LineError",
    "Places",
    "check_release",
    "numbered_lines",
    "read_beside",
    "read_episode",
    "said_of",
    "task_counts",
    "write_beside",
)
