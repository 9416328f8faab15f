"""Scores of Real tasks: fits of ours, held-out rows, validity items."""

from types import ModuleType

import pytest

from lawsmith.errors import IntegrityError
from schemas.validity import Bound, Monotone, Sign

POSITIVE = Sign(kind="sign", sign="positive")
RISING = Monotone(
    kind="monotone",
    control="x",
    direction="increasing",
    strict=True,
    low=None,
    high=None,
    step=None,
)
SMALL = Bound(kind="bound", low=None, high=1.0)


def test_local_constants_are_fitted_group_by_group(problems: ModuleType) -> None:
    case = problems.small_real(probes=[POSITIVE, RISING])
    score = case.score("a*x", local=problems.local("a"))
    assert score.valid
    assert score.numeric == pytest.approx(0.5, abs=0.05)
    assert [group.group for group in score.groups] == ["g1", "g2"]
    assert all(group.score == pytest.approx(0.5, abs=0.05) for group in score.groups)
    assert score.validity == 1.0


def test_starts_and_bounds_are_the_submissions(problems: ModuleType) -> None:
    case = problems.small_real()
    (constant,) = problems.local("a")
    bounded = constant.model_copy(update={"low": 0.5, "high": 3.0})
    score = case.score("a*x", local=(bounded,))
    assert score.groups[0].score > 0.4
    assert score.groups[1].score == 0.0


def test_shared_constants_are_taken_by_value(problems: ModuleType) -> None:
    case = problems.small_real()
    one = case.score("a*x + b", shared={"b": 0.0}, local=problems.local("a"))
    two = case.score("a*x + b", shared={"b": 3.0}, local=problems.local("a"))
    assert one.numeric > two.numeric


def test_a_score_is_the_same_every_time(problems: ModuleType) -> None:
    case = problems.small_real()
    scores = {case.score("a*x^b", local=problems.local("a", "b")).to_json() for _ in range(2)}
    assert len(scores) == 1


def test_a_group_without_a_value_is_a_failure_and_the_others_count(problems: ModuleType) -> None:
    case = problems.small_real()
    # ln(a - 4.9) has no value where a fits near 2.
    law = "a*x + 0*log(a - 4.9 + 0*x)"
    score = case.score(law, local=problems.local("a", starts=(2.0, 5.0)))
    assert score.groups[1].score == pytest.approx(0.5, abs=0.05)
    assert score.numeric == pytest.approx(sum(group.score for group in score.groups) / 2)


def test_undefined_values_at_held_out_rows_are_failures(problems: ModuleType) -> None:
    case = problems.small_real(probes=[POSITIVE])
    score = case.score("a*x + 0*sqrt(8.5 - x)", local=problems.local("a"))
    assert (score.numeric, score.metric, score.validity) == (0.0, None, 0.0)
    assert score.valid
    assert "x" in score.reason
    assert score.probes[0].passed is None


def test_validity_is_the_share_of_items_passed(problems: ModuleType) -> None:
    case = problems.small_real(probes=[POSITIVE, RISING, SMALL])
    score = case.score("a*x", local=problems.local("a"))
    assert score.validity == pytest.approx(2 / 3)
    assert [verdict.passed for verdict in score.probes] == [True, True, False]


@pytest.mark.parametrize(
    ("law", "more", "message"),
    [
        ("a*x", {}, "uses 'a'"),
        ("2*x", {"shared": {"b": 1.0}}, "does not use constant 'b'"),
        ("a*x", {"shared": {"a": 1.0}, "local": "a"}, "declared twice"),
        ("x*x", {"shared": {"x": 1.0}}, "no constant may be called 'x'"),
        ("x", {"task_id": "t-other"}, "is not task"),
    ],
)
def test_inadmissible_submissions_score_nothing(
    problems: ModuleType, law: str, more: dict[str, object], message: str
) -> None:
    if isinstance(more.get("local"), str):
        more = {**more, "local": problems.local(more["local"])}
    score = problems.small_real().score(law, **more)
    assert (score.valid, score.numeric, score.validity) == (False, 0.0, 0.0)
    assert message in score.reason


def test_starts_that_do_not_fit_are_refused(problems: ModuleType) -> None:
    case = problems.small_real()
    uneven = (*problems.local("a"), *problems.local("b", starts=(1.0, 2.0)))
    assert "starts" in case.score("a*x + b", local=uneven).reason
    (constant,) = problems.local("a")
    outside = constant.model_copy(update={"low": 2.0})
    assert "out of bounds" in case.score("a*x", local=(outside,)).reason
    crossed = constant.model_copy(update={"low": 2.0, "high": 1.0})
    assert "not below" in case.score("a*x", local=(crossed,)).reason


def test_task_key_and_rows_belong_together(problems: ModuleType) -> None:
    case = problems.small_real()
    other = case.key.model_copy(update={"public_digest": "f" * 64})
    with pytest.raises(IntegrityError, match="another public task"):
        type(case)(case.task, other, case.observations).score("2*x")
    with pytest.raises(IntegrityError, match="no rows on one side"):
        type(case)(case.task, case.key, ()).score("2*x")


def test_the_published_law_of_a_real_problem_is_worth_one_half(problems: ModuleType) -> None:
    found = problems.tasks(problems.GROUPED)
    best = next(s for s in found.baselines if s.kind == "real" and s.player.endswith("oracle-form"))
    assert best.numeric == pytest.approx(0.5, abs=1e-6)
    assert best.metric == pytest.approx(
        next(a.metric for a in found.real_key.anchors if a.law_id == found.real_key.reference),
        rel=1e-6,
    )
