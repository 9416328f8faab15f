"""Freezes small releases of this version with what was played on them and how it scored.

Run with `python -m tests.release.freezing` from the root of a checkout, once before a version of
Lawsmith is released, and commit the folder: tests/release/frozen/<version>/<release>/ holds the
release (an archive: a DuckDB file alone has a quarter of a megabyte of nothing), the episodes and
submissions, and their scores. `test_frozen.py` verifies and scores every folder for as long as
its rules are applied. A folder that stands is not written again; give `--replace` while its
version is not released.
"""

import argparse
import io
import lzma
import shutil
import sys
import tarfile
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

from lawsmith.evaluation import episode_id
from lawsmith.release.bundle import Release, read_release, write_release
from lawsmith.release.content import ReleaseContent
from lawsmith.stages.playing import EPISODES, SCORES, play_release, score_release
from lawsmith.stages.submissions import SCORES as CALIBRATED_SCORES
from lawsmith.stages.submissions import SUBMISSIONS, score_submissions
from schemas.episode import Completion, Episode
from schemas.expression import to_wire
from tests.calibration import built_problems
from tests.release import samples

ROOT = Path(__file__).resolve().parents[2]
FROZEN = Path(__file__).resolve().parent / "frozen"
ARCHIVE = "release.tar.xz"
BASELINE = "power-law"
LAW = "law-itself"
"""Who answers with the sealed law: every verdict is as good as it gets."""


def contents() -> Iterator[ReleaseContent]:
    """A Temporal release of one family, and a Historical one of a family and two problems."""
    yield samples.temporal_content()
    made = tuple(samples.calibrated_problem(built_problems, one) for one in built_problems.BOTH)
    yield samples.historical_content(problems=made)


def freeze(content: ReleaseContent, to: Path, version: str) -> None:
    """Write a release, play it, score it, and put all of it into a new folder."""
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        folder = write_release(work, content, samples.NOW, version).path
        opened = read_release(folder)
        to.mkdir(parents=True)
        play_release(
            opened.public,
            player=BASELINE,
            protocol="fixed",
            budget=4,
            repeats=1,
            to=to,
            oracle=None,
            clock=lambda: samples.NOW,
        )
        lines = (to / EPISODES).read_text(encoding="utf-8").splitlines()
        lines += [_with_law(Episode.from_json(line), opened).to_json() for line in lines]
        _write_lines(to / EPISODES, lines)
        scored = Path(name) / "scored"
        score_release(to, folder, scored)
        shutil.copy(scored / SCORES, to)
        assert opened.sealed is not None
        submissions = [
            samples.evolve(one, release_id=content.release_id)
            for item in opened.sealed.problems
            for one in item.submissions
        ]
        if submissions:
            _write_lines(to / SUBMISSIONS, [one.to_json() for one in submissions])
            answers = score_submissions(to / SUBMISSIONS, folder, scored)
            if answers.unread:
                raise ValueError(f"submissions that cannot be scored: {answers.unread}")
            shutil.copy(scored / CALIBRATED_SCORES, to)
        (to / ARCHIVE).write_bytes(_packed(folder))


def unpack(frozen: Path, to: Path) -> Path:
    """The release of a frozen folder, as it was written."""
    with tarfile.open(frozen / ARCHIVE, "r:xz") as archive:
        archive.extractall(to, filter="data")
    (folder,) = to.iterdir()
    return folder


def _with_law(episode: Episode, opened: Release) -> Episode:
    assert opened.sealed is not None
    (key,) = [key for key in opened.sealed.keys if key.id == episode.task_id]
    completion = Completion(
        selected="H1",
        predictor={law.readout: to_wire(law.expression) for law in key.laws},
        explanation="the sealed law",
        applicability="everywhere",
    )
    last = episode.turns[-1]
    action = last.action.model_copy(update={"completion": completion})
    turns = (*episode.turns[:-1], last.model_copy(update={"action": action}))
    return samples.evolve(
        episode,
        id=episode_id(episode.task_id, episode.protocol, episode.budget, LAW, episode.repeat),
        player=LAW,
        completion=completion,
        turns=turns,
    )


def _packed(folder: Path) -> bytes:
    """The folder as an archive of the same bytes whenever and by whomever it is made."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path in (folder, *sorted(folder.rglob("*"))):
            info = archive.gettarinfo(path, path.relative_to(folder.parent).as_posix())
            info.mtime, info.uid, info.gid, info.uname, info.gname = 0, 0, 0, "", ""
            # Whoever unpacks it removes it again.
            info.mode = 0o755 if path.is_dir() else 0o644
            if path.is_file():
                with path.open("rb") as stream:
                    archive.addfile(info, stream)
            else:
                archive.addfile(info)
    return lzma.compress(data.getvalue(), preset=9 | lzma.PRESET_EXTREME)


def _write_lines(path: Path, lines: list[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def main() -> None:
    """Freeze the releases of the version in pyproject.toml."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--replace", action="store_true", help="write a folder that stands again")
    replace = parser.parse_args().replace
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    version = str(project["version"])
    for content in contents():
        to = FROZEN / version / content.release_id
        if to.exists() and not replace:
            sys.stdout.write(f"{to.relative_to(ROOT)} stands; --replace writes it again\n")
            continue
        if to.exists():
            shutil.rmtree(to)
        freeze(content, to, version)
        size = sum(path.stat().st_size for path in to.iterdir())
        sys.stdout.write(f"{to.relative_to(ROOT)}: {size / 1024:.0f} KB\n")


if __name__ == "__main__":
    main()


__all__ = ("ARCHIVE", "CALIBRATED_SCORES", "FROZEN", "freeze", "unpack")
