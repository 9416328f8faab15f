"""Every rule of a report, broken once."""

import math
from pathlib import Path
from typing import Any

import pytest

from lawsmith.evaluation.protocols import breaches_of
from lawsmith.evaluation.views import PlayerView, player_view
from lawsmith.release.bundle import read_public
from schemas.episode import Action, Completion, Forecast, Hypothesis, Proposal, Protocol


def view_of(release: Path, protocol: Protocol) -> PlayerView:
    public = read_public(release)
    task = public.tasks[0]
    return player_view(task, protocol, None, public.fixed[task.id])


def hypotheses(*confidences: float) -> tuple[Hypothesis, ...]:
    return tuple(
        Hypothesis(label=f"H{i}", statement=f"statement {i}", confidence=value)
        for i, value in enumerate(confidences)
    )


def experiment(*confidences: float, **changes: Any) -> Action:
    fields: dict[str, Any] = {
        "inputs": {"stretch": 0.2, "width": 0.05},
        "readouts": ("pull",),
        "rationale": "to tell H0 from H1",
        "forecasts": tuple(
            Forecast(hypothesis=f"H{i}", readout="pull", value=1.0) for i in range(len(confidences))
        ),
    }
    return Action(
        hypotheses=hypotheses(*confidences),
        proposal=Proposal(**{**fields, **changes}),
        completion=None,
    )


def final(*confidences: float, selected: str = "H0") -> Action:
    return Action(
        hypotheses=hypotheses(*confidences),
        proposal=None,
        completion=Completion(
            selected=selected, predictor={"pull": 1.0}, explanation="", applicability=""
        ),
    )


@pytest.mark.parametrize(
    ("protocol", "action"),
    [
        ("adaptive", experiment(0.6, 0.4)),
        ("adaptive", experiment(0.6, 0.4 + 9e-7)),
        ("adaptive", experiment(0.8999, 0.1001)),
        ("adaptive", final(1.0)),
        ("adaptive", final(0.9, 0.1)),
        ("fixed", final(0.4, 0.6)),
        ("prior-only", final(1.0)),
    ],
)
def test_a_kept_protocol_has_no_breach(
    historical_release: Path, protocol: Protocol, action: Action
) -> None:
    assert breaches_of(view_of(historical_release, protocol), action) == ()


@pytest.mark.parametrize(
    ("action", "rule"),
    [
        (experiment(1.0), "hypotheses"),
        (experiment(0.6, 0.4 + 2e-6), "confidences"),
        (experiment(1.2, -0.2), "confidences"),
        (experiment(0.9, 0.1), "threshold"),
        (experiment(0.6, 0.4, rationale=" "), "rationale"),
        (experiment(0.6, 0.4, forecasts=()), "forecasts"),
        (final(0.89, 0.11), "threshold"),
        (final(0.95, 0.05, selected="H1"), "threshold"),
        (final(1.0, selected="H7"), "selected"),
        (final(), "hypotheses"),
        (Action(hypotheses=hypotheses(1.0), proposal=None, completion=None), "one_move"),
    ],
)
def test_a_broken_rule_is_named(historical_release: Path, action: Action, rule: str) -> None:
    found = breaches_of(view_of(historical_release, "adaptive"), action)
    assert rule in {item.partition(":")[0] for item in found}


def test_two_hypotheses_must_say_different_things(historical_release: Path) -> None:
    same = tuple(
        Hypothesis(label=label, statement=text, confidence=0.5)
        for label, text in (("H0", "it is  linear"), ("H1", "it is linear"))
    )
    action = experiment(0.5, 0.5).model_copy(update={"hypotheses": same})
    found = breaches_of(view_of(historical_release, "adaptive"), action)
    assert [item.partition(":")[0] for item in found] == ["hypotheses"]


def test_forecasts_are_finite_for_every_hypothesis_and_readout(historical_release: Path) -> None:
    one = Forecast(hypothesis="H0", readout="pull", value=1.0)
    other = Forecast.model_construct(hypothesis="H1", readout="pull", value=math.nan)
    action = experiment(0.5, 0.5)
    assert action.proposal is not None
    proposal = action.proposal.model_copy(update={"forecasts": (one, other)})
    found = breaches_of(
        view_of(historical_release, "adaptive"), action.model_copy(update={"proposal": proposal})
    )
    assert found == ("forecasts: 'H1' has no finite forecast of 'pull'",)
