"""What is left to do of a release that was cut: its rows, its export, its evaluation."""

from typing import Final

from lawsmith.gateways.warehouse import has_partition
from lawsmith.stages.context import StageContext
from lawsmith.stages.evaluations import is_evaluated
from lawsmith.stages.exports import TABLE as EXPORTS
from lawsmith.stages.exports import is_exported

STEPS: Final = ("tasks", "releases", "exports", "evaluations")
"""The assets of a cut, in order."""


def steps_left(context: StageContext, release_id: str, *, current: bool) -> tuple[str, ...]:
    """The steps of a written release that are not done, with all that follow the first of them.

    Args:
        context: of the collection of the release.
        release_id: a release whose folder stands.
        current: it holds what the store gives today, so that the rows of its tasks can be made
            again; an older one can only be exported and played.
    """

    def stored(table: str, partition: str = release_id) -> bool:
        return has_partition(context.store, table, context.collection, partition)

    if current and not (stored("tasks") and stored("dispositions", f"tasks.{release_id}")):
        return STEPS
    if current and not stored("releases"):
        return STEPS[1:]
    if not (stored(EXPORTS) and is_exported(context, release_id)):
        return STEPS[2:]
    return () if is_evaluated(context, release_id) else STEPS[3:]


__all__ = ("STEPS", "steps_left")
