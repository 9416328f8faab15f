"""What the Oracle reads of a release: public tasks, and the sealed laws and worlds."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lawsmith.errors import IntegrityError, PrerequisiteError
from lawsmith.oracle.calibrated import ParallelWorld
from lawsmith.oracle.calibrated_sealed import load_parallel
from lawsmith.oracle.simulator import Simulator
from lawsmith.rules import check_manifest
from schemas.record import canonical_json, strict_json
from schemas.release import PublicManifest
from schemas.task import PublicTask, SealedKey
from schemas.world import PairedWorld


@dataclass(frozen=True)
class SealedWorlds:
    """The tasks of one release, each with its simulator."""

    release_id: str
    tasks: Mapping[str, PublicTask]
    simulators: Mapping[str, Simulator]
    parallel: Mapping[str, ParallelWorld]
    """The Parallel tasks; empty in a release without."""


def load_worlds(release: Path) -> SealedWorlds:
    """The worlds of a release folder.

    Raises:
        PrerequisiteError: the folder is no release, its sealed tree is not here, or it goes by a
            version of a rule that another Lawsmith applies.
        IntegrityError: a key and its public task do not belong together, or a calibrated world
            is not the one its key states.
    """
    if not (release / "public" / "manifest.json").is_file():
        raise PrerequisiteError(f"no release at {release}", fix="give a release folder")
    if not (release / "sealed" / "keys.jsonl").is_file():
        raise PrerequisiteError(
            f"{release} has no sealed tree",
            fix="serve the whole release; a --public-only copy cannot answer experiments",
        )
    text = _text(release / "public" / "manifest.json")
    check_manifest(text, "play")
    manifest = PublicManifest.from_json(text)
    tasks = {
        task.id: task
        for table in ("discovery", "identification")
        for task in map(PublicTask.from_json, _lines(release / "public" / f"{table}.jsonl"))
    }
    worlds = {world.id: world for world in map(_world, _lines(release / "sealed" / "worlds.jsonl"))}
    keys = [SealedKey.from_json(line) for line in _lines(release / "sealed" / "keys.jsonl")]
    simulators: dict[str, Simulator] = {}
    for key in keys:
        if key.id not in tasks or tasks[key.id].digest != key.public_digest:
            raise IntegrityError(
                f"the key of {key.id} was made for another public task",
                path="sealed/keys.jsonl",
                fix="run verify on the release",
            )
        simulators[key.id] = Simulator(
            laws={law.readout: law.expression for law in key.laws},
            resolutions=worlds[key.world_id].resolutions,
        )
    return SealedWorlds(manifest.id, tasks, simulators, load_parallel(release))


def _world(line: str) -> PairedWorld:
    data = strict_json(line)
    del data["canary"]
    return PairedWorld.from_json(canonical_json(data))


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _lines(path: Path) -> list[str]:
    return [line for line in _text(path).split("\n") if line]


__all__ = ("SealedWorlds", "load_worlds")
