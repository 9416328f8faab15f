"""Windows, weeks and eligibility: the date rules (design.md, section 2; science.md, section 3).

A date passes a cutoff when its earliest possible instant at its stated precision lies on a
later day; it is inside `until` when its latest possible instant is not later than that day.
"""

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Literal

from lawsmith.eligibility.restrictions import AllowLists, Refusal
from lawsmith.errors import InputError
from schemas.source import Outcome, Paper, Publication, ReasonCode, Window

FIRST_WEEK = date(1991, 7, 1)
"""The Monday of the first partition; older papers fall into it. The literal never moves."""

Policy = Literal["journal_required", "preprint_only"]

_WINDOW = re.compile(r"(\d{4}-\d\d-\d\d)\.\.(\d{4}-\d\d-\d\d)")
_WEEK = timedelta(days=7)
_NO_LISTS = AllowLists()


@dataclass(frozen=True)
class DaySpan:
    """The days on which something may have happened, as far as its date is stated.

    Attributes:
        earliest: first possible day, UTC.
        latest: last possible day, UTC.
    """

    earliest: date
    latest: date

    def passes(self, cutoff: date) -> bool:
        """Whether it certainly happened on a later day than the cutoff."""
        return self.earliest > cutoff

    def inside(self, until: date) -> bool:
        """Whether it certainly happened not later than that day."""
        return self.latest <= until


@dataclass(frozen=True)
class Judgement:
    """Whether a paper may stand in a release.

    Attributes:
        outcome: passed, rejected, or waiting where a date is missing.
        reason_code: why.
        sentence: why, for people.
        first_public: the earliest known public date at its stated precision.
    """

    outcome: Outcome
    reason_code: ReasonCode
    sentence: str
    first_public: str


def parse_window(text: str) -> Window:
    """The half-open window of a text `A..B`, two calendar days.

    Raises:
        InputError: another form, no such day, or a start that is not before the end.
    """
    match = _WINDOW.fullmatch(text.strip())
    if not match:
        raise InputError(
            f"{text!r} is not a window A..B of two days",
            path="window",
            fix="write 2026-10-05..2026-10-12; the second day is outside",
        )
    start, end = _day(match.group(1), "window"), _day(match.group(2), "window")
    if start >= end:
        raise InputError(
            f"window {text.strip()} is empty: it does not start before it ends",
            path="window",
            fix="the second day is outside the window, so name a later one",
        )
    return Window(start=match.group(1), end=match.group(2))


def in_window(instant: str, window: Window) -> bool:
    """Whether an instant `…Z` lies in [start 00:00Z, end 00:00Z)."""
    return window.start <= _instant(instant).date().isoformat() < window.end


def week_of(instant: str) -> str:
    """The ISO Monday, `YYYY-MM-DD`, of the week an instant falls in; at least the first week."""
    return _monday(_instant(instant).date()).isoformat()


def weeks_of(window: Window) -> list[str]:
    """The weeks that share a day with a window, as Mondays in order."""
    week = _monday(date.fromisoformat(window.start))
    last = _monday(date.fromisoformat(window.end) - timedelta(days=1))
    return [(week + n * _WEEK).isoformat() for n in range((last - week) // _WEEK + 1)]


def last_closed_week(now: str, lag_days: int) -> str:
    """The newest week that ended at least `lag_days` days before `now`.

    arXiv announces papers a day or two after they are submitted, so a week is not complete
    when it ends.
    """
    return _monday(_instant(now).date() - timedelta(days=lag_days) - _WEEK).isoformat()


def day_span(text: str) -> DaySpan:
    """The days that a date at its stated precision, or an instant, may mean.

    Raises:
        InputError: no such date.
    """
    parts = text[:10].split("-")
    if len(parts) == 3:
        day = _instant(text).date() if len(text) > 10 else _day(text, "date")
        return DaySpan(day, day)
    if not re.fullmatch(r"\d{4}(-\d\d)?", text):
        raise InputError(f"{text!r} is not YYYY, YYYY-MM or YYYY-MM-DD", path="date")
    month = int(parts[1]) if len(parts) == 2 else None
    first = _day(f"{parts[0]}-{month or 1:02}-01", "date")
    # Day 1 of the following month or year, less one day.
    following = (
        date(first.year + 1, 1, 1) if month in {None, 12} else date(first.year, first.month + 1, 1)
    )
    return DaySpan(first, following - timedelta(days=1))


def journal_span(publication: Publication) -> DaySpan | None:
    """When the journal published it: the earliest of online and print; None if unknown."""
    stated = (publication.journal_online, publication.journal_print)
    spans = [day_span(text) for text in stated if text is not None]
    if not spans:
        return None
    # Of two dates known to a span each, the earlier lies between both lower and upper bounds.
    return DaySpan(min(span.earliest for span in spans), min(span.latest for span in spans))


def judge_eligibility(
    paper: Paper,
    publication: Publication,
    cutoff: str,
    until: str,
    policy: Policy,
    lists: AllowLists = _NO_LISTS,
) -> Judgement:
    """Whether a paper version may stand in a release of this cutoff and end.

    `journal_required`: first public date and journal date after the cutoff, journal date not
    after `until`. `preprint_only`: every known date after the cutoff, v1 not after `until`.
    An unknown date never passes: the paper waits. Where journals are listed, neither does an
    unknown journal, under either policy.

    Args:
        paper: the version at hand.
        publication: what is known of its dates.
        cutoff: the day that everything public must be later than.
        until: the last day.
        policy: which dates are asked for.
        lists: the journals and categories that the cut is restricted to.

    Raises:
        InputError: the publication is of another paper, or a day does not exist.
    """
    if publication.paper_id != paper.paper_id:
        raise InputError(f"publication of {publication.paper_id!r}, not {paper.paper_id!r}")
    cut, end = _day(cutoff, "cutoff"), _day(until, "until")
    first = _first_public(publication)

    def judged(outcome: Outcome, code: ReasonCode, sentence: str) -> Judgement:
        return Judgement(outcome, code, sentence, first)

    undated = _refused_at_any_date(paper, publication, lists)
    if undated is not None:
        return judged(*undated)
    early = _early_preprint(publication, cut)
    if early is not None:
        return judged("rejected", ReasonCode.BEFORE_CUTOFF, f"{early}, not after {cutoff}")
    journal = journal_span(publication)
    if journal is not None and not journal.passes(cut):
        sentence = f"journal date {_shown(journal)} is not certainly after {cutoff}"
        return judged("rejected", ReasonCode.JOURNAL_BEFORE_CUTOFF, sentence)
    missing = _missing(publication, journal, policy)
    if missing is not None:
        return judged("waiting", ReasonCode.AWAITING_PUBLICATION, missing)
    unlisted = lists.refuses_journal(publication)
    if unlisted is not None:
        return judged(*unlisted)
    last = day_span(publication.published) if policy == "preprint_only" else journal
    if last is not None and not last.inside(end):
        sentence = f"{_shown(last)} is not certainly by {until}"
        return judged("rejected", ReasonCode.AFTER_UNTIL, sentence)
    return judged("passed", ReasonCode.OK, f"first public {first}, after {cutoff}")


def _refused_at_any_date(
    paper: Paper, publication: Publication, lists: AllowLists
) -> Refusal | None:
    if paper.withdrawn:
        return "rejected", ReasonCode.WITHDRAWN, "withdrawn from its preprint server"
    if publication.retracted:
        return "rejected", ReasonCode.RETRACTED, "retracted by its journal"
    return lists.refuses_category(paper)


def _first_public(publication: Publication) -> str:
    stated = [
        publication.published[:10],
        *(item.posted for item in publication.related_preprints if item.posted),
        *(text for text in (publication.journal_online, publication.journal_print) if text),
    ]
    return min(stated, key=lambda text: (day_span(text).earliest, text))


def _early_preprint(publication: Publication, cutoff: date) -> str | None:
    """What was public as a preprint on or before the cutoff, or may have been."""
    if not day_span(publication.published).passes(cutoff):
        return f"v1 was submitted on {publication.published[:10]}"
    for item in publication.related_preprints:
        if item.posted is not None and not day_span(item.posted).passes(cutoff):
            return f"preprint {item.identifier} is dated {item.posted}"
    return None


def _missing(publication: Publication, journal: DaySpan | None, policy: Policy) -> str | None:
    for item in publication.related_preprints:
        if item.posted is None:
            return f"the date of preprint {item.identifier} is unknown"
    if journal is None and policy == "journal_required":
        return "no journal date is known"
    return None


def _shown(span: DaySpan) -> str:
    if span.earliest == span.latest:
        return span.earliest.isoformat()
    return f"between {span.earliest.isoformat()} and {span.latest.isoformat()}"


def _monday(day: date) -> date:
    return max(day - timedelta(days=day.weekday()), FIRST_WEEK)


def _day(text: str, path: str) -> date:
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        raise InputError(f"{text!r} is not a day YYYY-MM-DD", path=path)
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise InputError(f"{text!r} is no day: {error}", path=path) from error


def _instant(text: str) -> datetime:
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", text):
        raise InputError(f"{text!r} is not an instant YYYY-MM-DDThh:mm:ssZ", path="instant")
    try:
        return datetime.fromisoformat(text)
    except ValueError as error:
        raise InputError(f"{text!r} is no instant: {error}", path="instant") from error


__all__ = (
    "FIRST_WEEK",
    "DaySpan",
    "Judgement",
    "Policy",
    "day_span",
    "in_window",
    "journal_span",
    "judge_eligibility",
    "last_closed_week",
    "parse_window",
    "week_of",
    "weeks_of",
)
