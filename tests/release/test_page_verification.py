"""Verify makes the pages again: an edited one is found though every hash was made again."""

import os
from pathlib import Path
from types import ModuleType

import pytest

from lawsmith.release.bundle import export_release, verify_release
from lawsmith.release.bundle.page_verification import same_page
from tests.release import tampering


def edited(release: Path, pattern: str, old: str, new: str) -> str:
    """Replaces a text in a file of a release, seals it again, and gives the file's name."""
    path = next(
        item for item in sorted(release.glob(pattern)) if old in item.read_text(encoding="utf-8")
    )
    path.write_text(path.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    tampering._write_manifests(release)
    return path.relative_to(release).as_posix()


@pytest.mark.parametrize(
    ("pattern", "old", "new"),
    [
        ("public/gallery/t-*.html", "</body>", "<!-- note --></body>"),
        ("public/gallery/index.html", "<h1>", "<h1>The "),
        ("public/README.md", "paired law-discovery", "paired"),
        ("sealed/gallery/family-0001.html", "Original", "Other"),
        ("sealed/gallery/index.html", "sealed", "open"),
    ],
)
def test_an_edited_page_is_named(
    samples: ModuleType, temporal_release: Path, tmp_path: Path, pattern: str, old: str, new: str
) -> None:
    copy = samples.writable_copy(temporal_release, tmp_path / temporal_release.name)
    name = edited(copy, pattern, old, new)
    assert [fault.path for fault in verify_release(copy)] == [name]
    public = export_release(copy, tmp_path / "copies", public_only=True)
    named = [name] if name.startswith("public") else []
    assert [fault.path for fault in verify_release(public)] == named


@pytest.mark.parametrize("pattern", ["public/gallery/t-*.html", "sealed/gallery/problem-*.html"])
def test_an_edited_page_of_real_data_is_named(
    samples: ModuleType, data_release: Path, tmp_path: Path, pattern: str
) -> None:
    copy = samples.writable_copy(data_release, tmp_path / data_release.name)
    name = edited(copy, pattern, "<h1>", "<h1>A ")
    assert [fault.path for fault in verify_release(copy)] == [name]


def test_pages_that_are_missing_or_of_nothing_are_named(
    samples: ModuleType, temporal_release: Path, tmp_path: Path
) -> None:
    copy = samples.writable_copy(temporal_release, tmp_path / temporal_release.name)
    gone = sorted((copy / "public/gallery").glob("t-*"))[0]
    gone.rename(gone.with_name("t-0000000000000000.html"))
    tampering._write_manifests(copy)
    assert {(fault.path, fault.what) for fault in verify_release(copy)} == {
        (f"public/gallery/{gone.name}", "is missing"),
        ("public/gallery/t-0000000000000000.html", "is the page of nothing"),
    }


@pytest.mark.parametrize("folder", ["public/empty", "sealed/gallery/deep/deeper"])
def test_an_empty_folder_is_named(
    samples: ModuleType, temporal_release: Path, tmp_path: Path, folder: str
) -> None:
    copy = samples.writable_copy(temporal_release, tmp_path / temporal_release.name)
    (copy / folder).mkdir(parents=True)
    assert [(fault.path, fault.what) for fault in verify_release(copy)] == [
        (folder, "is an empty folder")
    ]


def test_a_pipe_is_named_and_not_read(
    samples: ModuleType, temporal_release: Path, tmp_path: Path
) -> None:
    copy = samples.writable_copy(temporal_release, tmp_path / temporal_release.name)
    os.mkfifo(copy / "public/pipe")
    assert [fault.path for fault in verify_release(copy)] == ["public/pipe"]


DRAWN = '<p>3.5</p><svg viewBox="0 0 9 9"><path d="M1.1 2.2L3 4"/><text x="1">0.5</text></svg>'


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("2.2", "2.3", True),
        ("2.2", "2.4", False),
        ("L3", "H3", False),
        (">0.5<", ">0.6<", False),
        (">3.5<", ">3.50001<", False),
        ("<path", "<path/><path", False),
        ("</svg>", "</svg> ", False),
    ],
)
def test_only_the_last_digit_of_a_coordinate_may_differ(old: str, new: str, same: bool) -> None:
    assert same_page(DRAWN.replace(old, new), DRAWN) is same


def test_figures_of_fits_may_differ_a_little_where_it_is_said() -> None:
    moved = DRAWN.replace("3.5", "3.5001")
    assert same_page(moved, DRAWN, figures=1e-3)
    assert not same_page(DRAWN.replace("3.5", "3.6"), DRAWN, figures=1e-3)
    assert not same_page(moved, DRAWN)
