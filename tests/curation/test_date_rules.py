"""The date rules as properties, against every way in which imprecise dates can be meant."""

import calendar
from collections.abc import Iterable
from datetime import date, timedelta
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lawsmith.eligibility.date_windows import Policy, day_span, judge_eligibility
from schemas.source import Publication, ReasonCode, RelatedPreprint
from tests.curation.conftest import make_paper, make_publication

# Few years, so that dates often meet.
DAYS = st.dates(date(2025, 11, 1), date(2027, 2, 28))
CUTS = st.dates(date(2026, 1, 1), date(2026, 12, 31))
PRECISIONS = st.sampled_from([4, 7, 10])
POLICIES: tuple[Policy, ...] = ("journal_required", "preprint_only")


@st.composite
def stated(draw: st.DrawFn) -> str:
    """A day at one of the three precisions."""
    return draw(DAYS).isoformat()[: draw(PRECISIONS)]


def meant(text: str) -> list[date]:
    """Every day that a stated date may mean, counted out."""
    parts = [int(part) for part in text.split("-")]
    if len(parts) == 3:
        return [date(*parts)]
    months = [parts[1]] if len(parts) == 2 else range(1, 13)
    return [
        date(parts[0], month, day)
        for month in months
        for day in range(1, calendar.monthrange(parts[0], month)[1] + 1)
    ]


def publication(
    v1: date,
    online: str | None,
    in_print: str | None,
    posted: Iterable[str | None] = (),
    *,
    retracted: bool = False,
) -> Publication:
    return make_publication(
        published=f"{v1}T23:59:59Z",
        journal_online=online,
        journal_print=in_print,
        related_preprints=tuple(
            RelatedPreprint(identifier=f"p{n}", posted=text) for n, text in enumerate(posted)
        ),
        retracted=retracted,
    )


def judged(found: Publication, cutoff: date, until: date, policy: Policy) -> tuple[str, ReasonCode]:
    what = judge_eligibility(
        make_paper(published=found.published), found, str(cutoff), str(until), policy
    )
    return what.outcome, what.reason_code


@given(stated(), CUTS)
def test_a_date_passes_and_lies_inside_only_if_all_that_it_may_mean_does(
    text: str, bound: date
) -> None:
    days, span = meant(text), day_span(text)
    assert (span.earliest, span.latest) == (days[0], days[-1])
    assert span.passes(bound) == all(day > bound for day in days)
    assert span.inside(bound) == all(day <= bound for day in days)


def holds(
    v1: date,
    journal: tuple[date, ...],
    posted: tuple[date, ...],
    cutoff: date,
    until: date,
    policy: Policy,
) -> bool:
    """The rule of science.md, section 3, for dates known to the day."""
    if min((v1, *journal, *posted)) <= cutoff:
        return False
    if policy == "preprint_only":
        return v1 <= until
    return bool(journal) and cutoff < min(journal) <= until


@settings(max_examples=400)
@given(
    v1=DAYS,
    journal=st.lists(stated(), max_size=2),
    posted=st.lists(stated(), max_size=2),
    cutoff=CUTS,
    until=CUTS,
    policy=st.sampled_from(POLICIES),
)
def test_a_paper_passes_only_if_it_does_however_its_dates_are_meant(
    v1: date, journal: list[str], posted: list[str], cutoff: date, until: date, policy: Policy
) -> None:
    """The rule is monotone in each date, so the first and last days of each decide."""
    online, in_print = [*journal, None, None][:2]
    found = publication(v1, online, in_print, posted)
    ends = [(meant(text)[0], meant(text)[-1]) for text in (*journal, *posted)]
    every = all(
        holds(v1, days[: len(journal)], days[len(journal) :], cutoff, until, policy)
        for days in product(*ends)
    )
    assert (judged(found, cutoff, until, policy)[0] == "passed") == every


@given(
    v1=DAYS,
    online=st.none() | stated(),
    in_print=st.none() | stated(),
    posted=st.lists(st.none() | stated(), max_size=3),
    cutoff=CUTS,
    until=CUTS,
    days=st.integers(0, 200),
    policy=st.sampled_from(POLICIES),
)
def test_stricter_terms_never_admit_more(
    v1: date,
    online: str | None,
    in_print: str | None,
    posted: list[str | None],
    cutoff: date,
    until: date,
    days: int,
    policy: Policy,
) -> None:
    found = publication(v1, online, in_print, posted)
    shift = timedelta(days=days)
    for stricter in ((cutoff + shift, until), (cutoff, until - shift)):
        if judged(found, *stricter, policy)[0] == "passed":
            assert judged(found, cutoff, until, policy)[0] == "passed"
    if judged(found, cutoff, until, "journal_required")[0] == "passed":
        # What a journal admits was public as a preprint only after the cutoff, too.
        assert judged(found, cutoff, date(2030, 1, 1), "preprint_only")[0] == "passed"


@given(
    v1=DAYS, texts=st.lists(st.none() | stated(), min_size=4, max_size=4), cutoff=CUTS, until=CUTS
)
def test_the_order_of_dates_of_a_kind_is_nothing(
    v1: date, texts: list[str | None], cutoff: date, until: date
) -> None:
    one = publication(v1, texts[0], texts[1], texts[2:])
    other = publication(v1, texts[1], texts[0], texts[:1:-1])
    for policy in POLICIES:
        assert judged(one, cutoff, until, policy) == judged(other, cutoff, until, policy)


@given(v1=DAYS, posted=st.lists(st.none() | stated(), max_size=3), cutoff=CUTS, until=CUTS)
def test_an_unknown_date_never_passes(
    v1: date, posted: list[str | None], cutoff: date, until: date
) -> None:
    outcome, _ = judged(publication(v1, None, None, posted), cutoff, until, "journal_required")
    assert outcome in {"waiting", "rejected"}
    unknown = publication(v1, "2026-12-31", None, [*posted, None])
    for policy in POLICIES:
        assert judged(unknown, cutoff, until, policy)[0] != "passed"


@given(v1=DAYS, online=st.none() | stated(), cutoff=CUTS, until=CUTS)
def test_the_withdrawn_and_the_retracted_never_pass(
    v1: date, online: str | None, cutoff: date, until: date
) -> None:
    gone = publication(v1, online, None, retracted=True)
    for policy in POLICIES:
        assert judged(gone, cutoff, until, policy) == ("rejected", ReasonCode.RETRACTED)
        what = judge_eligibility(
            make_paper(published=f"{v1}T00:00:00Z", withdrawn=True),
            publication(v1, online, None),
            str(cutoff),
            str(until),
            policy,
        )
        assert (what.outcome, what.reason_code) == ("rejected", ReasonCode.WITHDRAWN)


@pytest.mark.parametrize("second", ["00:00:00", "23:59:59"])
def test_a_day_of_a_cutoff_is_a_day_in_utc(second: str) -> None:
    """Any instant of the cutoff day is too early; the first of the next day is not."""
    for day, outcome in (("2026-04-30", "rejected"), ("2026-05-01", "passed")):
        found = publication(date(2026, 5, 9), "2026-06-01", None)
        found = Publication.model_validate({**found.model_dump(), "published": f"{day}T{second}Z"})
        what = judged(found, date(2026, 4, 30), date(2026, 10, 31), "journal_required")
        assert what[0] == outcome
