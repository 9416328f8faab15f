"""What is left to do of a release that was written: its rows, its export, its evaluation."""

from lawsmith.gateways.store import has_partition
from lawsmith.release.bundle import read_release
from lawsmith.runs import StageContext
from lawsmith.stages import releases, tasks
from lawsmith.stages.cuts import cut_of
from lawsmith.stages.evaluations import is_evaluated
from lawsmith.stages.exports import TABLE as EXPORTS
from lawsmith.stages.exports import is_exported


def restore_rows(context: StageContext, release_id: str) -> list[str]:
    """Write the rows of a standing release that are gone; the release itself has what they say.

    Returns:
        The tables that were written.
    """

    def lost(table: str, partition: str = release_id) -> bool:
        return not has_partition(context.store, table, context.collection, partition)

    written = ["cuts"] if lost("cuts") else []
    cut = cut_of(context, release_id)
    if lost("dispositions", f"tasks.{release_id}"):
        tasks.restore_judgement(context, cut)
        written.append("dispositions")
    if lost(tasks.TABLE) or lost(releases.TABLE):
        release = read_release(context.store.releases / release_id)
        for stage in (tasks, releases):
            if lost(stage.TABLE):
                stage.restore(context, release)
                written.append(stage.TABLE)
    return written


def first_step_left(context: StageContext, release_id: str) -> str | None:
    """The first step of a written release that is not done; all that follow it are due, too."""
    exported = has_partition(context.store, EXPORTS, context.collection, release_id)
    if not (exported and is_exported(context, release_id)):
        return "exports"
    return None if is_evaluated(context, release_id) else "evaluations"


__all__ = ("first_step_left", "restore_rows")
