"""What is released under the public keys stays what it is: digests that no change may move.

`pinned.json` holds the content digests of the releases that `make refresh` cuts, and those of
their families. A change that is meant gives another rule version (`lawsmith.rules`) and new
digests here, in the same commit.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from lawsmith.mutation.laws import load_historical
from lawsmith.mutation.pairing import forge_family
from lawsmith.release.bundle import read_release

ROOT = Path(__file__).resolve().parents[2]
PINNED: dict[str, dict[str, str]] = json.loads(
    Path(__file__).with_name("pinned.json").read_text(encoding="utf-8")
)
SAMPLE = "temporal-2026.10.0-sample"
CARDS = sorted(path.stem for path in (ROOT / "data/historical").glob("*.json"))


@pytest.mark.parametrize("name", CARDS)
def test_a_historical_family_is_forged_as_ever(name: str) -> None:
    key = bytes.fromhex((ROOT / "data/keys/historical-dev").read_text(encoding="ascii").strip())
    family = forge_family(load_historical(ROOT / f"data/historical/{name}.json"), key)
    assert family.digest == PINNED["families"][family.id]


def test_the_release_of_the_sample_has_the_content_it_had(main_job: Any) -> None:
    release = read_release(main_job.home.path / "releases" / SAMPLE)
    assert release.sealed is not None
    assert {f.id: f.digest for f in release.sealed.families}.items() <= PINNED["families"].items()
    assert release.sealed.manifest.content_digest == PINNED["releases"][SAMPLE]
