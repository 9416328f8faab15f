"""Date rules: windows, weeks, precision, eligibility."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lawsmith.eligibility.date_windows import (
    FIRST_WEEK,
    Policy,
    day_span,
    in_window,
    judge_eligibility,
    last_closed_week,
    parse_window,
    week_of,
    weeks_of,
)
from lawsmith.errors import InputError
from schemas.source import Publication, ReasonCode, RelatedPreprint
from tests.curation.conftest import make_paper, make_publication

CUTOFF, UNTIL = "2026-04-30", "2026-10-31"
DAYS = st.dates(date(1985, 1, 1), date(2060, 1, 1))


def _publication(
    published: str = "2026-05-13T10:00:00Z",
    online: str | None = "2026-07-14",
    in_print: str | None = None,
    preprints: tuple[RelatedPreprint, ...] = (),
    *,
    retracted: bool = False,
) -> Publication:
    return make_publication(
        published=published,
        journal_online=online,
        journal_print=in_print,
        related_preprints=preprints,
        retracted=retracted,
    )


def _code(publication: Publication, policy: Policy = "journal_required") -> tuple[str, ReasonCode]:
    judged = judge_eligibility(
        make_paper(published=publication.published), publication, CUTOFF, UNTIL, policy
    )
    assert judged.sentence
    return judged.outcome, judged.reason_code


# --- windows and weeks ------------------------------------------------------------------------


def test_a_window_is_half_open() -> None:
    window = parse_window("2026-10-05..2026-10-12")
    assert str(window) == "2026-10-05..2026-10-12"
    assert not in_window("2026-10-04T23:59:59Z", window)
    assert in_window("2026-10-05T00:00:00Z", window)
    assert in_window("2026-10-11T23:59:59Z", window)
    assert not in_window("2026-10-12T00:00:00Z", window)


@pytest.mark.parametrize(
    "text",
    [
        "2026-10-05",
        "2026-10-12..2026-10-05",
        "2026-10-05..2026-10-05",
        "2026-02-30..2026-03-02",
        "5.10.2026..12.10.2026",
        "2026-10..2026-11",
        "",
    ],
)
def test_another_text_is_no_window(text: str) -> None:
    with pytest.raises(InputError, match="window"):
        parse_window(text)


@pytest.mark.parametrize(
    ("instant", "week"),
    [
        ("2026-10-05T00:00:00Z", "2026-10-05"),
        ("2026-10-11T23:59:59Z", "2026-10-05"),
        ("2026-10-12T00:00:00Z", "2026-10-12"),
        ("2027-01-01T12:00:00Z", "2026-12-28"),
        ("1991-08-01T00:00:00Z", "1991-07-29"),
        ("1985-03-03T00:00:00Z", "1991-07-01"),
    ],
)
def test_a_week_is_named_by_its_monday(instant: str, week: str) -> None:
    assert week_of(instant) == week


def test_weeks_of_a_window_share_a_day_with_it() -> None:
    assert weeks_of(parse_window("2026-10-05..2026-10-12")) == ["2026-10-05"]
    assert weeks_of(parse_window("2026-10-11..2026-10-13")) == ["2026-10-05", "2026-10-12"]
    assert weeks_of(parse_window("1980-01-01..1991-07-09")) == ["1991-07-01", "1991-07-08"]


@given(DAYS, st.integers(1, 400), st.integers(0, 86_399))
def test_every_instant_of_a_window_is_in_one_of_its_weeks(
    start: date, days: int, second: int
) -> None:
    window = parse_window(f"{start}..{start + timedelta(days=days)}")
    weeks = weeks_of(window)
    assert weeks == sorted(set(weeks))
    assert all(date.fromisoformat(week).weekday() == 0 for week in weeks)
    for day in (start, start + timedelta(days=days - 1)):
        clock = timedelta(seconds=second)
        assert week_of(f"{day}T{int(clock.total_seconds()) // 3600:02}:00:00Z") in weeks
    assert weeks[0] == max(start - timedelta(days=start.weekday()), FIRST_WEEK).isoformat()


@pytest.mark.parametrize(
    ("now", "week"),
    [
        ("2026-10-15T06:00:00Z", "2026-10-05"),
        ("2026-10-14T23:59:59Z", "2026-09-28"),
        ("2026-10-18T00:00:00Z", "2026-10-05"),
    ],
)
def test_a_week_closes_three_days_after_its_end(now: str, week: str) -> None:
    assert last_closed_week(now, 3) == week


# --- precision --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "earliest", "latest"),
    [
        ("2026", "2026-01-01", "2026-12-31"),
        ("2026-02", "2026-02-01", "2026-02-28"),
        ("2028-02", "2028-02-01", "2028-02-29"),
        ("2026-12", "2026-12-01", "2026-12-31"),
        ("2026-10-15", "2026-10-15", "2026-10-15"),
        ("2026-10-15T23:59:59Z", "2026-10-15", "2026-10-15"),
    ],
)
def test_a_date_spans_what_its_precision_leaves_open(text: str, earliest: str, latest: str) -> None:
    span = day_span(text)
    assert (span.earliest.isoformat(), span.latest.isoformat()) == (earliest, latest)


@given(DAYS, DAYS, st.sampled_from([4, 7, 10]))
def test_coarser_dates_never_pass_more(day: date, bound: date, length: int) -> None:
    exact, coarse = day_span(day.isoformat()), day_span(day.isoformat()[:length])
    assert not coarse.passes(bound) or exact.passes(bound)
    assert not coarse.inside(bound) or exact.inside(bound)
    assert coarse.earliest <= day <= coarse.latest
    assert exact.passes(bound) == (day > bound)
    assert exact.inside(bound) == (day <= bound)


@pytest.mark.parametrize("text", ["2026-13", "2026-xx", "2026-02-30", "26-01-01", "soon", ""])
def test_no_such_date_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        day_span(text)


# --- eligibility ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("publication", "expected"),
    [
        (_publication(), ("passed", "ok")),
        (_publication("2026-05-01T00:00:00Z"), ("passed", "ok")),
        (_publication("2026-04-30T23:59:59Z"), ("rejected", "before_cutoff")),
        (_publication(online=None), ("waiting", "awaiting_publication")),
        (_publication(online="2026-10-31"), ("passed", "ok")),
        (_publication(online="2026-11-01"), ("rejected", "after_until")),
        (_publication(online="2026-10"), ("passed", "ok")),
        (_publication(online="2026-11"), ("rejected", "after_until")),
        (_publication(online="2026"), ("rejected", "journal_before_cutoff")),
        (_publication(online="2026-04"), ("rejected", "journal_before_cutoff")),
        (_publication(online="2026-04-30"), ("rejected", "journal_before_cutoff")),
        (_publication(online="2026-05"), ("passed", "ok")),
        (_publication(online=None, in_print="2026-10"), ("passed", "ok")),
        # The earlier of a day and a month that may lie before it is by that day at the latest.
        (_publication(online="2026-10-15", in_print="2026-11"), ("passed", "ok")),
        (_publication(online="2026-10-15", in_print="2026"), ("rejected", "journal_before_cutoff")),
        (
            _publication(preprints=(RelatedPreprint(identifier="x", posted="2026-05-06"),)),
            ("passed", "ok"),
        ),
        (
            _publication(preprints=(RelatedPreprint(identifier="x", posted="2026-04"),)),
            ("rejected", "before_cutoff"),
        ),
        (
            _publication(preprints=(RelatedPreprint(identifier="x", posted=None),)),
            ("waiting", "awaiting_publication"),
        ),
        (_publication(retracted=True), ("rejected", "retracted")),
    ],
)
def test_a_journal_is_required(publication: Publication, expected: tuple[str, str]) -> None:
    assert _code(publication) == expected


@pytest.mark.parametrize(
    ("publication", "expected"),
    [
        (_publication(online=None), ("passed", "ok")),
        (_publication("2026-10-31T23:00:00Z", None), ("passed", "ok")),
        (_publication("2026-11-01T00:00:00Z", None), ("rejected", "after_until")),
        (_publication(online="2026-04-01"), ("rejected", "journal_before_cutoff")),
        (_publication(online="2027-01-01"), ("passed", "ok")),
    ],
)
def test_preprints_alone_can_be_the_policy(
    publication: Publication, expected: tuple[str, str]
) -> None:
    assert _code(publication, "preprint_only") == expected


def test_a_withdrawn_paper_is_out() -> None:
    judged = judge_eligibility(
        make_paper(withdrawn=True), _publication(), CUTOFF, UNTIL, "journal_required"
    )
    assert judged.reason_code == ReasonCode.WITHDRAWN


def test_the_first_public_date_is_the_earliest_known() -> None:
    preprint = RelatedPreprint(identifier="10.99999/x", posted="2026-05-06")
    publication = _publication(preprints=(preprint,))
    judged = judge_eligibility(make_paper(), publication, CUTOFF, UNTIL, "journal_required")
    assert judged.first_public == "2026-05-06"


def test_dates_of_another_paper_are_refused() -> None:
    other = _publication().model_copy(update={"paper_id": "sample:0007"})
    with pytest.raises(InputError, match="sample:0007"):
        judge_eligibility(make_paper(), other, CUTOFF, UNTIL, "journal_required")


@given(v1=DAYS, online=st.none() | DAYS, posted=st.none() | DAYS, cutoff=DAYS, length=DAYS)
def test_nothing_public_by_the_cutoff_ever_passes(
    v1: date, online: date | None, posted: date | None, cutoff: date, length: date
) -> None:
    preprints = () if posted is None else (RelatedPreprint(identifier="x", posted=str(posted)),)
    publication = _publication(
        f"{v1}T00:00:00Z", None if online is None else str(online), None, preprints
    )
    judged = judge_eligibility(
        make_paper(published=publication.published),
        publication,
        str(cutoff),
        str(length),
        "journal_required",
    )
    dates = [day for day in (v1, online, posted) if day is not None]
    expected = online is not None and min(dates) > cutoff and online <= length
    assert (judged.outcome == "passed") == expected
    assert judged.first_public == str(min(dates))
