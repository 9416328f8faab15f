"""The leak check finds every kind of seeded leak and passes clean rows."""

from fractions import Fraction
from math import comb
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lawsmith.expressions import to_infix
from lawsmith.release.leaks import classifier_faults, drawn_constants, leak_faults, sign_test
from lawsmith.release.tasks import FamilyTasks, make_tasks
from schemas.release import Fault
from schemas.task import PublicTask, SealedKey


def check(samples: ModuleType, made: FamilyTasks, **changes: Any) -> list[Fault]:
    content = samples.temporal_content()
    tasks = [samples.evolve(task, **changes) for task in made.public]
    keys = [
        samples.evolve(key, public_digest=task.digest)
        for key, task in zip(made.sealed, tasks, strict=True)
    ]
    return leak_faults(tasks, made.fixed, keys, content.families, content.cards, content.papers)


@pytest.fixture
def made(samples: ModuleType) -> FamilyTasks:
    return make_tasks(samples.temporal_family(), samples.KEY, "temporal-sample")


def test_clean_rows_pass(samples: ModuleType, made: FamilyTasks) -> None:
    assert check(samples, made) == []


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("From sample:9001, the channel.", "paper id"),
        ("See 9001 for more.", "paper key"),
        ("Case sample:9001/r1/f1.", "family id"),
        ("DRIFT OF GLASS BEADS IN A SLANTED CHANNEL", "title"),
        ("doi 10.0000/sample.9001", "doi"),
    ],
)
def test_a_sealed_name_in_a_text_is_found(
    samples: ModuleType, made: FamilyTasks, text: str, kind: str
) -> None:
    faults = check(samples, made, background=text)
    assert len({fault.path for fault in faults}) == 4
    assert all(fault.path.endswith("/background") for fault in faults)
    assert any(kind in fault.what for fault in faults)


def test_a_paper_key_inside_a_number_is_no_leak(samples: ModuleType, made: FamilyTasks) -> None:
    assert check(samples, made, background="From 0.9001 to 9001.5 in m^3.") == []


def test_a_drawn_constant_in_a_text_is_found(samples: ModuleType) -> None:
    family = samples.historical_family()
    (constant, *_) = sorted(drawn_constants(family) - {0.0})
    made = make_tasks(
        samples.evolve(family, background=f"The strip has {constant:g} threads."),
        samples.KEY,
        "historical-dev",
    )
    faults = leak_faults(
        made.public, made.fixed, made.sealed, (family,), (samples.historical_card(),), ()
    )
    assert len(faults) == 4
    assert all("drawn" in fault.what for fault in faults)


def test_the_law_in_a_discovery_text_is_found(samples: ModuleType, made: FamilyTasks) -> None:
    law = to_infix(made.sealed[0].laws[0].expression)
    faults = check(samples, made, background=f"Perhaps {law}.")
    discovery = {task.id for task in made.public if task.setting == "discovery"}
    found = {f.path.partition("#")[2] for f in faults if "law of speed" in f.what}
    assert found
    assert found <= discovery


def test_rows_of_two_environments_must_agree(samples: ModuleType, made: FamilyTasks) -> None:
    changed = made.public[0]
    tasks = (samples.evolve(changed, adaptive_cap=7), *made.public[1:])
    content = samples.temporal_content()
    faults = leak_faults(
        tasks, made.fixed, made.sealed, content.families, content.cards, content.papers
    )
    assert [fault.path.rpartition("/")[2] for fault in faults] == ["adaptive_cap"]


def test_rows_out_of_order_are_found(samples: ModuleType, made: FamilyTasks) -> None:
    content = samples.temporal_content()
    faults = leak_faults(
        made.public[::-1], made.fixed, made.sealed, content.families, content.cards, content.papers
    )
    assert {fault.path for fault in faults} == {
        "public/discovery.jsonl",
        "public/identification.jsonl",
    }


def pairs(made: FamilyTasks, count: int, fair: bool) -> tuple[list[PublicTask], list[SealedKey]]:
    """`count` pairs of rows whose ids tell the environment (odd = Counterfactual), or do not."""
    tasks, keys = [], []
    for number in range(count):
        for index, environment in enumerate(("original", "counterfactual")):
            flip = index if not fair or number % 2 else 1 - index
            task = made.public[0].model_copy(update={"id": f"t-{16 * number + flip:016x}"})
            tasks.append(task)
            keys.append(
                made.sealed[0].model_copy(
                    update={
                        "id": task.id,
                        "family_id": f"f{number}",
                        "environment": environment,
                        "setting": "discovery",
                    }
                )
            )
    return sorted(tasks, key=lambda task: task.id), keys


def test_ids_that_tell_the_environment_are_caught_by_the_classifier(made: FamilyTasks) -> None:
    faults = classifier_faults(*pairs(made, 24, fair=False))
    assert {fault.path for fault in faults} >= {
        "public tasks/parity of id",
        "public tasks/id as a number",
        "public tasks/order",
    }
    assert classifier_faults(*pairs(made, 24, fair=True)) == []


@pytest.mark.parametrize(
    ("larger", "unequal", "p"),
    [(0, 0, 1.0), (1, 2, 1.0), (0, 4, 0.125), (4, 4, 0.125), (8, 10, 0.109375), (0, 20, 2 / 2**20)],
)
def test_the_sign_test_is_exact(larger: int, unequal: int, p: float) -> None:
    assert sign_test(larger, unequal) == pytest.approx(p)


@given(st.integers(0, 6000), st.data())
def test_the_sign_test_is_that_of_whole_numbers_at_any_size(
    unequal: int, data: st.DataObject
) -> None:
    larger = data.draw(st.integers(0, unequal))
    tail = sum(comb(unequal, heads) for heads in range(min(larger, unequal - larger) + 1))
    assert sign_test(larger, unequal) == pytest.approx(
        float(min(Fraction(1), Fraction(2 * tail, 2**unequal))), rel=1e-9, abs=1e-300
    )


@pytest.mark.parametrize("families", [511, 512, 1100])
def test_the_classifier_judges_a_release_of_any_size(made: FamilyTasks, families: int) -> None:
    assert classifier_faults(*pairs(made, families, fair=True)) == []
    told = {fault.path for fault in classifier_faults(*pairs(made, families, fair=False))}
    assert "public tasks/parity of id" in told
