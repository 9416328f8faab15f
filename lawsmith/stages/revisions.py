"""Old weeks that want another look: a paper was published or revised since the last one."""

from lawsmith.eligibility import week_of
from lawsmith.gateways.store import read_table
from lawsmith.runs import StageContext
from lawsmith.stages.publications import revised_papers
from schemas.source import Publication


def weeks_to_take_up(context: StageContext, cursor: str | None) -> tuple[list[str], str]:
    """(weeks whose papers were published, retracted or revised since the cursor, new cursor).

    The cursor is the newest instant of a look-up; without one (a first tick, or nothing looked
    up yet) nothing is taken up, since there is nothing to compare with.
    """
    changed: set[str] = set()
    newest = cursor or ""
    revised = revised_papers(context, since=cursor or "")
    for row in read_table(context.store, "publications", context.collection):
        found = Publication.from_json(row.record)
        newest = max(newest, found.checked_at)
        news = (found.unchanged_since or found.checked_at) > (cursor or "")
        if cursor and ((news and row.outcome != "waiting") or row.paper_id in revised):
            changed.add(week_of(found.published))
    return sorted(changed), newest
