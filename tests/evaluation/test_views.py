"""Views are built by allow-list: nothing tells the environment but observed values."""

import json
from pathlib import Path

import pytest

from lawsmith.errors import InputError
from lawsmith.evaluation.views import PlayerView, player_view
from lawsmith.release.bundle import PublicRelease, read_public, read_release
from schemas.episode import Protocol
from schemas.task import PublicTask


@pytest.fixture
def public(historical_release: Path) -> PublicRelease:
    return read_public(historical_release)


def twins(release: Path, setting: str) -> tuple[PublicTask, PublicTask]:
    sealed = read_release(release).sealed
    assert sealed is not None
    ids = {key.environment: key.id for key in sealed.keys if key.setting == setting}
    public = read_public(release)
    return public.task(ids["original"]), public.task(ids["counterfactual"])


@pytest.mark.parametrize("setting", ["discovery", "identification"])
@pytest.mark.parametrize("protocol", ["prior-only", "adaptive"])
def test_views_of_both_environments_are_the_same_bytes(
    historical_release: Path, setting: str, protocol: Protocol
) -> None:
    one, other = (player_view(task, protocol) for task in twins(historical_release, setting))
    assert one.to_text() == other.to_text()


def test_fixed_views_differ_in_observed_values_only(historical_release: Path) -> None:
    public = read_public(historical_release)
    views = [
        player_view(task, "fixed", 8, public.fixed[task.id])
        for task in twins(historical_release, "discovery")
    ]
    assert views[0].to_text() != views[1].to_text()
    blanked = [
        view.model_copy(
            update={
                "observations": tuple(
                    row.model_copy(update={"outputs": {}}) for row in view.observations
                )
            }
        ).to_text()
        for view in views
    ]
    assert blanked[0] == blanked[1]


def test_a_view_holds_no_identity_and_says_that_the_case_is_the_world(
    public: PublicRelease,
) -> None:
    for task in public.tasks:
        view = player_view(task, "fixed", 4, public.fixed[task.id])
        text = view.to_text()
        for name in (task.id, task.digest, task.canary, task.collection, public.manifest.id):
            assert name not in text
        assert "may differ from familiar laws" in view.world
        assert set(json.loads(text)) == set(PlayerView.model_fields)
        assert (view.blend is None) == (task.setting == "discovery")


@pytest.mark.parametrize("budget", [1, 2, 4, 8, 16])
def test_fixed_budgets_are_prefixes(public: PublicRelease, budget: int) -> None:
    task = public.tasks[0]
    rows = public.fixed[task.id]
    view = player_view(task, "fixed", budget, rows[::-1])
    assert [tuple(row.inputs.values()) for row in view.observations] == [
        row.inputs for row in rows[:budget]
    ]


@pytest.mark.parametrize(
    ("protocol", "budget"),
    [("prior-only", 4), ("fixed", 3), ("fixed", 0), ("fixed", 32), ("adaptive", 0),
     ("adaptive", 1025)],
)  # fmt: skip
def test_a_budget_that_does_not_fit_is_refused(
    public: PublicRelease, protocol: Protocol, budget: int
) -> None:
    task = public.tasks[0]
    with pytest.raises(InputError, match="budget"):
        player_view(task, protocol, budget, public.fixed[task.id])


def test_observations_of_another_task_are_refused(public: PublicRelease) -> None:
    one, other = public.tasks[:2]
    with pytest.raises(InputError, match="observations"):
        player_view(one, "fixed", 4, public.fixed[other.id])
