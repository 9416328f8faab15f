"""What stands behind a row of a table: how much was to be played, and what has no score."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from schemas.score import EpisodeScore, TaskCount, Unscored

Group = tuple[str, str, str, str, str, str]
"""Collection, setting, environment, protocol with its budget, player, attestation."""


@dataclass(frozen=True)
class Coverage:
    """Counts of one row."""

    asked: int | None
    """Tasks of the release in this setting and environment, times repeats; None where the number
    of tasks is not stored beside the scores."""
    missing: int | None
    """Of those, how many were not handed in."""
    forged: int
    """Handed in, contradicted by turns, release or world, and not scored."""


def group_of(score: EpisodeScore) -> Group:
    """The row of a score."""
    return (
        score.collection,
        score.setting,
        score.environment,
        protocol_text(score.protocol, score.budget),
        score.player,
        score.attestation,
    )


def protocol_text(protocol: str, budget: int | None) -> str:
    """A protocol with its budget, as tables show it."""
    if protocol == "fixed":
        return f"fixed B = {budget}"
    return f"adaptive, cap {budget}" if protocol == "adaptive" else protocol


def unscored_by_group(unscored: Sequence[Unscored]) -> dict[Group, list[Unscored]]:
    """Forged episodes and unused trials by the row they would stand in, where they say it."""
    found: dict[Group, list[Unscored]] = defaultdict(list)
    for one in unscored:
        if (
            one.collection is None
            or one.setting is None
            or one.environment is None
            or one.protocol is None
            or one.player is None
            or one.outcome not in ("forged", "missing")
        ):
            continue
        group = (
            one.collection,
            one.setting,
            one.environment,
            protocol_text(one.protocol, one.budget),
            one.player,
            one.attestation,
        )
        found[group].append(one)
    return found


def tasks_by_group(counts: Sequence[TaskCount]) -> dict[tuple[str, str, str], int]:
    """How many tasks there are in a collection, setting and environment."""
    return {(one.collection, one.setting, one.environment): one.tasks for one in counts}


def coverage_of(
    group: Group,
    scores: Sequence[EpisodeScore],
    unscored: Sequence[Unscored],
    tasks: Mapping[tuple[str, str, str], int],
) -> Coverage:
    """The counts of one row; its repeats are those of which anything was handed in or out."""
    played = {(score.task_id, score.repeat) for score in scores}
    forged = {(one.task_id, one.repeat) for one in unscored if one.outcome == "forged"} - played
    repeats = {score.repeat for score in scores} | {one.repeat for one in unscored}
    known = tasks.get((group[0], group[1], group[2]))
    asked = None if known is None else known * len(repeats)
    missing = None if asked is None else max(0, asked - len(played) - len(forged))
    return Coverage(asked=asked, missing=missing, forged=len(forged))


__all__ = (
    "Coverage",
    "Group",
    "coverage_of",
    "group_of",
    "protocol_text",
    "tasks_by_group",
    "unscored_by_group",
)
