"""A slice of the seeded-defect bench: sample cards always, those of papers where these are."""

import pytest

from benchmarks.defects.bases import PAPERS
from benchmarks.defects.gates import at_hand, false_alarms, measure
from benchmarks.defects.kinds import Kind, kinds

SLICE = 1
MORE = 12
DECIDABLE = [kind for kind in kinds() if kind.decidable]


def test_correct_cards_raise_no_alarm() -> None:
    found, _ = at_hand(PAPERS)
    assert len(found) >= 7
    assert list(false_alarms(found)) == []


@pytest.mark.parametrize("kind", DECIDABLE, ids=lambda kind: kind.name)
def test_a_decidable_kind_is_caught_by_code(kind: Kind) -> None:
    _all_caught(kind, seed=1, count=SLICE)


@pytest.mark.long
@pytest.mark.parametrize("kind", DECIDABLE, ids=lambda kind: kind.name)
def test_more_of_a_decidable_kind_are_caught_by_code(kind: Kind) -> None:
    _all_caught(kind, seed=2, count=MORE)


def _all_caught(kind: Kind, seed: int, count: int) -> None:
    found, absent = at_hand(PAPERS)
    row = measure(kind, found, seed, count)
    if not row.made:
        pytest.skip(f"no site without the papers of {', '.join(absent)}")
    assert row.missed == ()
