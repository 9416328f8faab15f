"""What the Oracle reads of a release: public tasks, and the sealed laws and worlds."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from lawsmith.errors import IntegrityError, PrerequisiteError
from lawsmith.oracle.calibrated import ParallelWorld
from lawsmith.oracle.calibrated_sealed import load_parallel
from lawsmith.oracle.simulator import Simulator
from lawsmith.rules import check_manifest
from schemas.record import canonical_json, strict_json
from schemas.release import PublicManifest
from schemas.task import PublicTask, SealedKey, Setting
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
    served = _settings(release)
    tasks = {
        task.id: task
        for setting in served
        for task in map(PublicTask.from_json, _lines(release / "public" / f"{setting}.jsonl"))
    }
    worlds = {world.id: world for world in map(_world, _lines(release / "sealed" / "worlds.jsonl"))}
    every = [SealedKey.from_json(line) for line in _lines(release / "sealed" / "keys.jsonl")]
    keys = [key for key in every if key.setting in served]
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


def _settings(release: Path) -> tuple[Setting, ...]:
    """The settings whose tasks are there; an export of one setting says which files it lacks.

    Raises:
        IntegrityError: a table is missing that no export left out.
    """
    note = release / "public" / "export.json"
    omitted = strict_json(_text(note))["omitted"] if note.is_file() else ()
    found: list[Setting] = []
    for setting in get_args(Setting):
        path = f"public/{setting}.jsonl"
        if (release / path).is_file():
            found.append(setting)
        elif path not in omitted:
            raise IntegrityError("is missing", path=path, fix="run verify on the release")
    return tuple(found)


def _world(line: str) -> PairedWorld:
    data = strict_json(line)
    del data["canary"]
    return PairedWorld.from_json(canonical_json(data))


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _lines(path: Path) -> list[str]:
    return [line for line in _text(path).split("\n") if line]


__all__ = ("SealedWorlds", "load_worlds")
