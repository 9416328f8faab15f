"""`lawsmith refresh` cuts the very releases whose digests are pinned."""

import json
from pathlib import Path
from typing import Any

import pytest

from lawsmith.release.bundle import read_release

PINNED: dict[str, str] = json.loads(
    (Path(__file__).resolve().parents[1] / "release/pinned.json").read_text(encoding="utf-8")
)["releases"]


@pytest.mark.long
def test_a_refresh_cuts_the_releases_it_cut(lawsmith: Any) -> None:
    assert lawsmith("refresh").code == 0
    for name, digest in PINNED.items():
        release = read_release(lawsmith.home / "releases" / name)
        assert release.sealed is not None
        assert release.sealed.manifest.content_digest == digest
