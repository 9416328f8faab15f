"""Old weeks that want another look: a paper was published or revised since the last one."""

from lawsmith.curation.windows import week_of
from lawsmith.gateways.warehouse import read_table
from lawsmith.stages.context import StageContext
from schemas.source import Publication


def weeks_to_take_up(context: StageContext, cursor: str | None) -> tuple[list[str], str]:
    """(weeks whose papers' publication changed after the cursor, the new cursor).

    The cursor is the newest instant of a look-up; without one (a first tick, or nothing looked
    up yet) nothing is taken up, since there is nothing to compare with.
    """
    changed: set[str] = set()
    newest = cursor or ""
    for row in read_table(context.store, "publications", context.collection):
        found = Publication.from_json(row.record)
        newest = max(newest, found.checked_at)
        if cursor and found.checked_at > cursor and row.outcome != "waiting":
            changed.add(week_of(found.published))
    return sorted(changed), newest
