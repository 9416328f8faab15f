"""What a player sees: copied field by field from the public task, nothing else.

A view holds no id, collection, release or digest: the Prior-only views of a family's two
environments are the same bytes, and its Fixed views differ in observed values only.
"""

from collections.abc import Sequence
from typing import Final

from lawsmith.errors import InputError
from lawsmith.measurement import BUDGETS
from schemas.episode import Observation, Protocol
from schemas.family import FamilyConstraint, FamilyControl, FamilyReadout
from schemas.record import Part, canonical_json
from schemas.task import Blend, FixedObservation, PublicTask, Setting

MAIN_BUDGET: Final = 4
"""B of the main table of the Fixed protocol."""


class PlayerView(Part):
    """Everything a player knows before its first action."""

    setting: Setting
    protocol: Protocol
    background: str
    world: str
    """One sentence: the case defines the world, which may differ from familiar laws."""
    controls: tuple[FamilyControl, ...]
    readouts: tuple[FamilyReadout, ...]
    constraints: tuple[FamilyConstraint, ...]
    blend: Blend | None
    """The candidate formula of Identification."""
    budget: int | None
    """Fixed: how many observations are given; Adaptive: how many may be asked for."""
    threshold: float | None
    """tau; Adaptive only."""
    observations: tuple[Observation, ...]
    """Fixed: all there will be; otherwise empty."""

    def to_text(self) -> str:
        """The view as canonical JSON: the bytes that two views are compared by."""
        return canonical_json(self.model_dump(mode="json"))


def player_view(
    task: PublicTask,
    protocol: Protocol,
    budget: int | None = None,
    fixed: Sequence[FixedObservation] = (),
) -> PlayerView:
    """The view of a task under a protocol.

    Args:
        task: the public task.
        protocol: prior-only, fixed or adaptive.
        budget: fixed: B, one of 1, 2, 4, 8, 16 (default 4); adaptive: accepted proposals at
            most (default the task's cap); prior-only: none.
        fixed: the task's public observations, by index.

    Raises:
        InputError: the budget does not fit the protocol, or there are too few observations.
    """
    allowed = effective_budget(task, protocol, budget)
    given: tuple[Observation, ...] = ()
    if protocol == "fixed":
        rows = sorted(fixed, key=lambda row: row.index)[:allowed]
        if len(rows) != allowed or any(row.task_id != task.id for row in rows):
            raise InputError(
                f"{len(rows)} observations of task {task.id}; B = {allowed} are needed",
                path="fixed",
            )
        given = tuple(observation_of(task, row) for row in rows)
    return PlayerView(
        setting=task.setting,
        protocol=protocol,
        background=task.background,
        world=task.world,
        controls=task.controls,
        readouts=task.readouts,
        constraints=task.constraints,
        blend=task.blend,
        budget=allowed,
        threshold=task.threshold if protocol == "adaptive" else None,
        observations=given,
    )


def effective_budget(task: PublicTask, protocol: Protocol, budget: int | None) -> int | None:
    """The budget a protocol plays with.

    Raises:
        InputError: the budget does not fit the protocol.
    """
    if protocol == "prior-only":
        if budget is not None:
            raise InputError(f"prior-only takes no budget, got {budget!r}", path="budget")
        return None
    if protocol == "fixed":
        chosen = MAIN_BUDGET if budget is None else budget
        if chosen not in BUDGETS:
            raise InputError(f"budget {chosen!r} is not one of {BUDGETS}", path="budget")
        return chosen
    chosen = task.adaptive_cap if budget is None else budget
    if not 1 <= chosen <= task.adaptive_cap:
        raise InputError(f"budget {chosen!r} is not in 1..{task.adaptive_cap}", path="budget")
    return chosen


def observation_of(task: PublicTask, row: FixedObservation) -> Observation:
    """A public observation by names."""
    return Observation(
        inputs=dict(zip((c.name for c in task.controls), row.inputs, strict=True)),
        outputs=dict(zip((r.name for r in task.readouts), row.outputs, strict=True)),
    )


__all__ = ("MAIN_BUDGET", "PlayerView", "effective_budget", "observation_of", "player_view")
