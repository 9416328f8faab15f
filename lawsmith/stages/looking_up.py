"""Which papers are due for a look-up, and what their source and Crossref say of them together.

What the metadata of a folder states is believed; Crossref is asked only where they state no
journal date, and only with a contact address. The bundled sample is never looked up.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from lawsmith.gateways.papers import PaperSource, Problem, open_look_ups
from lawsmith.runs import StageContext
from schemas.source import Paper, Publication

Held = Mapping[str, Publication]
"""Paper version -> what the store knows of it."""
_OF_THE_LOOK = {"checked_at", "unchanged_since"}


def due_now(context: StageContext, papers: Sequence[Paper], held: Held) -> list[Paper]:
    """All versions of the papers of which one was never looked up or long enough ago."""
    now = datetime.fromisoformat(context.now())
    due = {one.paper_id for one in papers if _is_due(context, held.get(one.id), now)}
    return [one for one in papers if one.paper_id in due]


def due_of_folder(
    context: StageContext, source: PaperSource, papers: Sequence[Paper], held: Held
) -> list[Paper]:
    """The papers of a folder that Crossref is to be asked about now; none without an address."""
    if open_look_ups(context.settings, context.store, context.source) is None:
        return []
    return due_now(context, _undated(papers, _stated(source, papers, context.now())), held)


def dates_of_folder(
    context: StageContext, source: PaperSource, papers: Sequence[Paper], held: Held
) -> list[Publication | Problem]:
    """What is known now of the papers of a folder, where it is not known already."""
    now = context.now()
    stated = _stated(source, papers, now)
    crossref = open_look_ups(context.settings, context.store, context.source)
    fresh: dict[str, Publication] = {}
    problems = list[Problem]()
    if crossref is not None:
        for found in crossref.publications(due_now(context, _undated(papers, stated), held), now):
            if isinstance(found, Publication):
                fresh[found.id] = found
            else:
                problems.append(found)
    return [*_joined(stated, fresh, held), *problems]


def facts(publication: Publication) -> dict[str, object]:
    """What a record says apart from when it was looked at."""
    return publication.model_dump(exclude=_OF_THE_LOOK)


def _joined(stated: Mapping[str, Publication], fresh: Held, held: Held) -> Iterator[Publication]:
    for name, one in stated.items():
        if name in fresh:
            yield _together(one, fresh[name])
            continue
        before = held.get(name)
        if before is None or before.provenance == "metadata":
            yield one
            continue
        # Not asked again: what Crossref said stands, and only news of the metadata count.
        kept = _together(one, before)
        if facts(kept) != facts(before):
            yield kept


def _together(stated: Publication, found: Publication) -> Publication:
    """The metadata's facts, with those of a look-up where the metadata have none."""
    dated = _dated(stated)
    preprints = {item.identifier: item for item in found.related_preprints}
    for item in stated.related_preprints:
        if item.posted is not None or item.identifier not in preprints:
            preprints[item.identifier] = item
    dates = stated if dated else found
    return Publication.model_validate(
        {
            **found.model_dump(),
            "published": stated.published,
            "journal_online": dates.journal_online,
            "journal_print": dates.journal_print,
            "related_preprints": tuple(preprints[name] for name in sorted(preprints)),
            "retracted": stated.retracted or found.retracted,
            "journal": stated.journal or found.journal,
            "journal_issns": stated.journal_issns or found.journal_issns,
        }
    )


def _undated(papers: Sequence[Paper], stated: Mapping[str, Publication]) -> list[Paper]:
    """The papers without a journal date that Crossref can be asked about."""
    return [
        one
        for one in papers
        if one.id in stated
        and not _dated(stated[one.id])
        and (one.doi or (one.title and one.authors))
    ]


def _dated(publication: Publication) -> bool:
    return bool(publication.journal_online or publication.journal_print)


def _stated(source: PaperSource, papers: Sequence[Paper], now: str) -> dict[str, Publication]:
    found = source.publications(papers, now)
    return {one.id: one for one in found if isinstance(one, Publication)}


def _is_due(context: StageContext, found: Publication | None, now: datetime) -> bool:
    if found is None or found.provenance == "metadata":
        return True
    terms = context.settings.crossref
    waits = not _dated(found) and not found.retracted
    days = terms.waiting_days if waits else terms.published_days
    return now - datetime.fromisoformat(found.checked_at) >= timedelta(days=days)


__all__ = ("Held", "dates_of_folder", "due_now", "due_of_folder", "facts")
