"""The rules of play: what a report must contain and when an Adaptive episode may end.

A breach is recorded, keeps S and fails ESR. A proposal that the world cannot answer is a
rejection, which the Oracle counts.
"""

import math
from typing import Final

from lawsmith.oracle.views import PlayerView
from schemas.episode import Action, Hypothesis, Proposal

SUM_TOLERANCE: Final = 1e-6
FEWEST_WHILE_EXPERIMENTING: Final = 2


def breaches_of(view: PlayerView, action: Action) -> tuple[str, ...]:
    """Every protocol rule that one action breaks, as `<rule>: <sentence>`."""
    found = [*_one_move(action), *_confidences(action.hypotheses)]
    if action.proposal is not None:
        found += _experimenting(view, action, action.proposal)
    if action.completion is not None:
        found += _completing(view, action)
    return tuple(found)


def _one_move(action: Action) -> list[str]:
    if (action.proposal is None) == (action.completion is None):
        return ["one_move: an action is either a proposal or a completion"]
    return []


def _confidences(hypotheses: tuple[Hypothesis, ...]) -> list[str]:
    found: list[str] = []
    if not hypotheses:
        return ["hypotheses: there is none"]
    if len({item.label for item in hypotheses}) != len(hypotheses):
        found.append("hypotheses: a label stands twice")
    outside = [item.label for item in hypotheses if not 0.0 <= item.confidence <= 1.0]
    if outside:
        found.append(f"confidences: {outside[0]!r} is outside [0, 1]")
    total = math.fsum(item.confidence for item in hypotheses)
    if abs(total - 1.0) > SUM_TOLERANCE:
        found.append(f"confidences: they sum to {total!r}, not 1")
    return found


def _experimenting(view: PlayerView, action: Action, proposal: Proposal) -> list[str]:
    found: list[str] = []
    different = {" ".join(item.statement.split()) for item in action.hypotheses}
    if len(different) < FEWEST_WHILE_EXPERIMENTING:
        found.append("hypotheses: at least two different ones while experimenting")
    if not proposal.rationale.strip():
        found.append("rationale: it is empty")
    found += _forecasts(action, proposal)
    if view.protocol == "adaptive" and view.threshold is not None:
        sure = [item.label for item in action.hypotheses if item.confidence >= view.threshold]
        if sure:
            found.append(
                f"threshold: another experiment although {sure[0]!r} has reached {view.threshold}"
            )
    return found


def _forecasts(action: Action, proposal: Proposal) -> list[str]:
    given = {
        (item.hypothesis, item.readout): item.value
        for item in proposal.forecasts
        if math.isfinite(item.value)
    }
    missing = [
        (item.label, readout)
        for item in action.hypotheses
        for readout in proposal.readouts
        if (item.label, readout) not in given
    ]
    if missing:
        label, readout = missing[0]
        return [f"forecasts: {label!r} has no finite forecast of {readout!r}"]
    return []


def _completing(view: PlayerView, action: Action) -> list[str]:
    completion = action.completion
    if completion is None:
        return []
    chosen = [item for item in action.hypotheses if item.label == completion.selected]
    if not chosen:
        return [f"selected: {completion.selected!r} is no hypothesis of the report"]
    if (
        view.protocol == "adaptive"
        and view.threshold is not None
        and chosen[0].confidence < view.threshold
    ):
        return [
            f"threshold: completed at confidence {chosen[0].confidence!r}, below {view.threshold}"
        ]
    return []


__all__ = ("SUM_TOLERANCE", "breaches_of")
