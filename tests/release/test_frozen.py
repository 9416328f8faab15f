"""Releases of every version that was released are verified and scored, or refused by name."""

import shutil
from pathlib import Path

import pytest

from lawsmith.release.bundle import verify_release
from lawsmith.release.manifest import PUBLIC_MANIFEST
from lawsmith.rules import check_manifest
from lawsmith.stages.playing import EPISODES, score_release
from lawsmith.stages.submissions import SUBMISSIONS, score_submissions
from tests.release.freezing import CALIBRATED_SCORES, FROZEN, unpack

SCORES = "scores.jsonl"
KEPT = sorted(path for path in FROZEN.glob("*/*") if path.is_dir())


@pytest.fixture(params=KEPT, ids=lambda path: f"{path.parent.name}/{path.name}")
def frozen(request: pytest.FixtureRequest) -> Path:
    """Each kept folder."""
    path: Path = request.param
    return path


def test_a_release_of_each_collection_is_kept() -> None:
    assert {path.name.split("-")[0] for path in KEPT} == {"temporal", "historical"}


def test_a_kept_release_is_verified_by_its_own_rules(frozen: Path, tmp_path: Path) -> None:
    release = unpack(frozen, tmp_path)
    text = (release / PUBLIC_MANIFEST).read_text(encoding="utf-8")
    assert {"records", "score", "cert"} <= check_manifest(text, "verify").keys()
    # Hidden laws are searched for again in the tests of `verify`; here it would take a minute.
    assert verify_release(release, certificates=1) == []


def test_a_kept_release_gives_the_scores_it_gave(frozen: Path, tmp_path: Path) -> None:
    release = unpack(frozen, tmp_path / "release")
    played = tmp_path / "played"
    played.mkdir()
    shutil.copy(frozen / EPISODES, played)
    scores = score_release(played, release, played)
    assert {score.strict for score in scores if score.player == "law-itself"} == {True}
    assert (played / SCORES).read_bytes() == (frozen / SCORES).read_bytes()
    if (frozen / SUBMISSIONS).is_file():
        assert score_submissions(frozen / SUBMISSIONS, release, played).unread == []
        found = (played / CALIBRATED_SCORES).read_bytes()
        assert found == (frozen / CALIBRATED_SCORES).read_bytes()
        assert found
