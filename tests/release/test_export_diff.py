"""Copies of a release hold what they say and stay verifiable; a diff names rows and fields."""

from pathlib import Path
from types import ModuleType

import pytest

from lawsmith.errors import PrerequisiteError, ReleaseConflictError
from lawsmith.release.bundle import (
    diff_releases,
    export_release,
    read_public,
    read_release,
    verify_release,
    write_release,
)


def test_a_public_copy_holds_the_public_tree_byte_for_byte(
    temporal_release: Path, tmp_path: Path
) -> None:
    copy = export_release(temporal_release, tmp_path, public_only=True)
    assert copy == tmp_path / temporal_release.name
    assert [path.name for path in copy.iterdir()] == ["public"]
    for path in (temporal_release / "public").rglob("*"):
        if path.is_file():
            name = path.relative_to(temporal_release)
            assert (copy / name).read_bytes() == path.read_bytes()
            assert (copy / name).stat().st_mode & 0o222 == 0
    assert verify_release(copy) == []
    assert read_release(copy).sealed is None
    assert export_release(temporal_release, tmp_path, public_only=True) == copy


def test_a_discovery_copy_holds_no_candidate(temporal_release: Path, tmp_path: Path) -> None:
    copy = export_release(temporal_release, tmp_path, public_only=True, setting="discovery")
    formula = next(t.blend for t in read_public(temporal_release).tasks if t.blend is not None)
    for path in copy.rglob("*"):
        if path.is_file():
            assert formula.formulas["speed"].encode() not in path.read_bytes(), path.name
    public = read_public(copy)
    assert {task.setting for task in public.tasks} == {"discovery"}
    assert public.manifest == read_public(temporal_release).manifest
    assert verify_release(copy) == []
    again = export_release(copy, tmp_path / "again", public_only=True)
    assert verify_release(again) == []


def test_a_whole_copy_verifies_like_the_release(temporal_release: Path, tmp_path: Path) -> None:
    copy = export_release(temporal_release, tmp_path)
    assert verify_release(copy, certificates=-1) == []


def test_a_copy_over_another_one_is_refused(
    samples: ModuleType, temporal_release: Path, tmp_path: Path
) -> None:
    export_release(temporal_release, tmp_path)
    with pytest.raises(ReleaseConflictError, match="other bytes"):
        export_release(temporal_release, tmp_path, public_only=True)
    with pytest.raises(PrerequisiteError, match="no release"):
        export_release(tmp_path, tmp_path / "to")


def test_a_diff_names_added_removed_and_changed_rows(samples: ModuleType, tmp_path: Path) -> None:
    old = write_release(tmp_path, samples.historical_content(), samples.NOW, "one").path
    same = samples.historical_content(version="0.2.0-dev", parents=(old.name,))
    unchanged = write_release(tmp_path, same, samples.NOW, "one").path
    diff = diff_releases(old, unchanged)
    assert diff.identical
    assert "/parents/0" in diff.manifest

    family = samples.historical_family()
    reworded = samples.evolve(family, background="An apparatus takes two inputs.")
    third = samples.historical_content(version="0.3.0-dev", families=(reworded,))
    diff = diff_releases(old, write_release(tmp_path, third, samples.NOW, "one").path)
    assert (diff.added, diff.removed) == ((), ())
    assert {c.table for c in diff.changed} >= {"discovery", "identification", "families", "keys"}
    task = next(change for change in diff.changed if change.table == "discovery")
    assert task.paths == ("/background",)

    moved = samples.evolve(family, id="stiff_band_2")
    fourth = samples.historical_content(version="0.4.0-dev", families=(moved,))
    diff = diff_releases(old, write_release(tmp_path, fourth, samples.NOW, "one").path)
    assert len(diff.added) == len(diff.removed) == 4
