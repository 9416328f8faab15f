"""What the Oracle reads of a release's calibrated worlds: tasks, keys, worlds and pools."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from lawsmith.calibration.problems import SINGLE
from lawsmith.calibration.worlds import CalibratedSimulator, HiddenForm, read_pool, world_file
from lawsmith.errors import IntegrityError
from lawsmith.keyed_draws import parse_key
from lawsmith.oracle.calibrated import ParallelWorld
from schemas.calibrated_task import ParallelKey, ParallelTask
from schemas.record import canonical_json, strict_json
from schemas.world import CalibratedWorld

TASKS: Final = "public/parallel.jsonl"
KEYS: Final = "sealed/parallel_keys.jsonl"
WORLDS: Final = "sealed/calibrated_worlds.jsonl"
SECRET: Final = "sealed/collection.key"


def load_parallel(release: Path) -> dict[str, ParallelWorld]:
    """The worlds of a release's Parallel tasks, by task id; none if it has no such table.

    Raises:
        IntegrityError: a task, its key, its world and its pool do not belong together.
        OSError: a file is missing.
    """
    if not (release / TASKS).is_file():
        return {}
    tasks = [ParallelTask.from_json(line) for line in _lines(release / TASKS)]
    keys = {key.id: key for key in map(ParallelKey.from_json, _lines(release / KEYS))}
    worlds = {world.id: world for world in map(_world, _lines(release / WORLDS))}
    secret = parse_key((release / SECRET).read_text(encoding="ascii"))
    return {task.id: _parallel(release, task, keys, worlds, secret) for task in tasks}


def hidden_form(key: ParallelKey) -> HiddenForm:
    """The sealed law of a key, with its constants by group of the table."""
    return HiddenForm(
        key.law,
        {SINGLE if part.group is None else part.group: part.values for part in key.constants},
    )


def _parallel(
    release: Path,
    task: ParallelTask,
    keys: Mapping[str, ParallelKey],
    worlds: Mapping[str, CalibratedWorld],
    secret: bytes,
) -> ParallelWorld:
    key = keys.get(task.id)
    if key is None or key.public_digest != task.digest:
        raise IntegrityError(
            f"the key of {task.id} was made for another public task",
            path=KEYS,
            fix="run verify on the release",
        )
    world = worlds.get(key.world_id)
    if world is None or world.digest != key.world_digest:
        raise IntegrityError(f"the world of {task.id} is not its key's", path=WORLDS)
    pool = read_pool(world_file(release, world).read_bytes(), world)
    return ParallelWorld(
        task=task,
        simulator=CalibratedSimulator(world, pool, hidden_form(key)),
        labels=key.group_labels,
        secret=secret,
    )


def _world(line: str) -> CalibratedWorld:
    data = strict_json(line)
    # Rows of tables bear a canary that records of worlds have not.
    data.pop("canary", None)
    return CalibratedWorld.from_json(canonical_json(data))


def _lines(path: Path) -> list[str]:
    return [line for line in path.read_text(encoding="utf-8").split("\n") if line]


__all__ = ("hidden_form", "load_parallel")
