"""Journal dates from Crossref, against its API on loopback."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lawsmith.gateways.papers.crossref_works import agreement, is_arxiv, read_work
from lawsmith.gateways.papers.paper_source import PaperSource, Problem
from schemas.source import Paper, Publication, ReasonCode, RelatedPreprint

Net = Any
Stub = Any
Opened = Callable[..., PaperSource]
NOW = "2026-11-30T00:00:00Z"
TITLE = "Scour depth behind a cylinder in a steady current"
DOI = "10.5555/flow.7"


def _paper(**changes: object) -> Paper:
    fields = {
        "id": "arxiv:2610.00002v1",
        "paper_id": "arxiv:2610.00002",
        "version": 1,
        "source": "arxiv",
        "title": TITLE,
        "abstract": "Depth.",
        "authors": ("Ana M. Poleni", "Yi Li"),
        "categories": ("physics.flu-dyn",),
        "published": "2026-10-05T00:00:00Z",
        "updated": "2026-10-05T00:00:00Z",
        "doi": DOI,
        "journal_ref": None,
        "licence": None,
        "files": (),
        "withdrawn": False,
        "synthetic": False,
    }
    return Paper.model_validate({**fields, **changes})


def _date(*parts: int) -> dict[str, object]:
    return {"date-parts": [list(parts)]}


def _work(doi: str = DOI, **changes: Any) -> dict[str, object]:
    fields: dict[str, object] = {
        "DOI": doi,
        "type": "journal-article",
        "title": [TITLE],
        "author": [{"given": "Ana M.", "family": "Poleni"}, {"given": "Yi", "family": "Li"}],
        "container-title": ["Journal of Flows"],
        "published-online": _date(2026, 10, 20),
        "published-print": _date(2026, 12),
    }
    return {**fields, **changes}


def _found(source: PaperSource, *papers: Paper) -> Publication:
    (found,) = source.publications(papers or [_paper()], NOW)
    assert isinstance(found, Publication)
    return found


def test_a_doi_gives_online_and_print_apart(stub: Stub, opened: Opened) -> None:
    stub.works = {DOI: _work()}
    found = _found(opened())
    assert (found.journal_online, found.journal_print) == ("2026-10-20", "2026-12")
    assert (found.provenance, found.matched_by, found.match_score) == ("crossref", "doi", 1.0)
    assert (found.journal_doi, found.journal) == (DOI, "Journal of Flows")
    assert found.checked_at == NOW
    assert all("mailto=curator%40example.org" in path for path in stub.asked)
    assert stub.agents[0].startswith("lawsmith/")


def test_the_journal_comes_with_its_issns(stub: Stub, opened: Opened) -> None:
    # The last has a wrong check digit: a slip of the record is not passed on.
    numbers = ["2470-0045", "10953787", "1095-3786"]
    names = ["Flows &amp; Waves", "Flows"]
    stub.works = {DOI: {**_work(), "ISSN": numbers, "container-title": names}}
    found = _found(opened())
    assert (found.journal, found.journal_issns) == ("Flows & Waves", ("1095-3787", "2470-0045"))


def test_the_api_has_a_pace_of_its_own(stub: Stub, opened: Opened, clock: Any) -> None:
    stub.works = {DOI: _work()}
    _found(
        opened(**{"crossref.delay_seconds": 2.0, "crossref.url": f"http://127.0.0.1:{stub.port}"})
    )
    assert clock.slept == [2.0] * (len(stub.asked) - 1)


def test_a_paper_without_a_doi_is_found_by_title_and_authors(stub: Stub, opened: Opened) -> None:
    stub.works = {
        DOI: _work(title=["Scour depth behind a cylinder in a <i>steady</i> current"]),
        "10.5555/other": _work("10.5555/other", title=["Scour depth before a plate"]),
    }
    found = _found(opened(), _paper(doi=None))
    assert (found.journal_doi, found.matched_by) == (DOI, "title")
    assert found.match_score == 1.0


@pytest.mark.parametrize(
    "works",
    [
        # Same title, others' names.
        [_work(author=[{"family": "Someone"}, {"family": "Else"}])],
        # Two works agree equally well.
        [_work(), _work("10.5555/twin")],
        # Not in a journal.
        [_work(type="book-chapter")],
        [_work(title=["Scour depth behind a pair of cylinders in waves"])],
        [],
    ],
)
def test_what_is_not_certainly_the_paper_gives_no_date(
    stub: Stub, opened: Opened, works: list[dict[str, Any]]
) -> None:
    stub.works = {work["DOI"]: work for work in works}
    found = _found(opened(), _paper(doi=None))
    assert (found.journal_online, found.journal_print, found.matched_by) == (None, None, None)


def test_a_doi_that_is_unknown_or_no_article_falls_back_to_the_title(
    stub: Stub, opened: Opened
) -> None:
    stub.works = {"10.5555/data": _work("10.5555/data", type="dataset"), DOI: _work()}
    found = _found(opened(), _paper(doi="10.5555/gone 10.5555/data"))
    assert (found.journal_doi, found.matched_by) == (DOI, "title")


def test_other_preprints_come_with_their_dates(stub: Stub, opened: Opened) -> None:
    relation = {
        "has-preprint": [
            {"id": "10.48550/arXiv.2610.00002", "id-type": "doi"},
            {"id": "https://doi.org/10.21203/RS.1", "id-type": "doi"},
            {"id": "10.7777/not-of-crossref", "id-type": "doi"},
        ]
    }
    back = {"is-preprint-of": [{"id": DOI, "id-type": "doi"}]}
    stub.works = {
        DOI: _work(relation=relation),
        "10.21203/rs.1": _work("10.21203/RS.1", type="posted-content", posted=_date(2026, 3, 2)),
        "10.2139/ssrn.2": _work(
            "10.2139/ssrn.2", type="posted-content", posted=_date(2026, 5), relation=back
        ),
        "10.9/unrelated": _work("10.9/unrelated", type="posted-content", posted=_date(2020)),
    }
    assert _found(opened()).related_preprints == (
        RelatedPreprint(identifier="10.21203/rs.1", posted="2026-03-02"),
        RelatedPreprint(identifier="10.2139/ssrn.2", posted="2026-05"),
        RelatedPreprint(identifier="10.7777/not-of-crossref", posted=None),
    )


def test_a_preprint_elsewhere_is_found_by_its_title_too(stub: Stub, opened: Opened) -> None:
    stub.works = {
        "10.21203/rs.1": _work("10.21203/rs.1", type="posted-content", posted=_date(2026, 3, 2))
    }
    found = _found(opened(), _paper(doi=None))
    assert found.journal_online is None
    assert found.related_preprints == (
        RelatedPreprint(identifier="10.21203/rs.1", posted="2026-03-02"),
    )


@pytest.mark.parametrize(
    ("changes", "retracted"),
    [
        ({"updated-by": [{"type": "retraction", "DOI": "10.5555/n"}]}, True),
        ({"updated-by": [{"type": "removal", "DOI": "10.5555/n"}]}, True),
        ({"updated-by": [{"type": "correction", "DOI": "10.5555/n"}]}, False),
        ({"title": [f"RETRACTED: {TITLE}"]}, True),
        ({"title": [f"[Retracted] {TITLE}"]}, True),
        ({"title": ["Withdrawn heat from a borehole"]}, False),
        ({}, False),
    ],
)
def test_a_retraction_is_recorded(
    stub: Stub, opened: Opened, changes: dict[str, Any], retracted: bool
) -> None:
    stub.works = {DOI: _work(**changes)}
    assert _found(opened()).retracted is retracted


def test_one_look_up_serves_all_versions(stub: Stub, opened: Opened) -> None:
    stub.works = {DOI: _work()}
    first = _paper(doi=None)
    second = _paper(id="arxiv:2610.00002v2", version=2)
    found = opened().publications([first, second], NOW)
    assert [(item.id, item.journal_online) for item in found if isinstance(item, Publication)] == [
        ("arxiv:2610.00002v1", "2026-10-20"),
        ("arxiv:2610.00002v2", "2026-10-20"),
    ]
    assert len([path for path in stub.asked if path.startswith("/works/")]) == 1


def test_papers_of_other_sources_are_left_alone(stub: Stub, opened: Opened) -> None:
    paper = _paper(id="folder:1v1", paper_id="folder:1", source="folder")
    assert opened().publications([paper], NOW) == []
    assert stub.asked == []


@pytest.mark.parametrize(
    "fault",
    [
        (503, b"", {}),
        (200, b"<html>", {}),
        (200, b'{"message": 3}', {}),
        (200, b"[]", {}),
        (403, b"", {}),
    ],
)
def test_an_outage_leaves_papers_for_the_next_run(
    stub: Stub, opened: Opened, fault: tuple[int, bytes, dict[str, str]]
) -> None:
    stub.works = {DOI: _work()}
    stub.faults = [fault] * 8
    papers = [_paper(id=f"arxiv:2610.0000{n}v1", paper_id=f"arxiv:2610.0000{n}") for n in range(5)]
    tries = 1 if fault[0] == 403 else 4
    source = opened()
    found = source.publications(papers, NOW)
    assert all(isinstance(item, Problem) for item in found)
    assert {(x.outcome, x.reason_code) for x in found if isinstance(x, Problem)} == {
        ("waiting", ReasonCode.NOT_LOOKED_UP)
    }
    assert len(stub.asked) == 2 * tries
    stub.faults = []
    assert all(isinstance(item, Publication) for item in source.publications(papers, NOW))


@pytest.mark.parametrize(
    ("value", "date"),
    [
        (_date(2026, 10, 5), "2026-10-05"),
        (_date(2026, 10), "2026-10"),
        (_date(2026), "2026"),
        (_date(2026, 13), None),
        (_date(2026, 2, 30), None),
        ({"date-parts": [[None]]}, None),
        ({"date-parts": [["2026"]]}, None),
        ({"date-parts": []}, None),
        ({}, None),
        ("2026-10-05", None),
        (None, None),
    ],
)
def test_a_date_has_the_precision_of_its_record(value: object, date: str | None) -> None:
    assert read_work({**_work(), "published-online": value}).online == date


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    [
                        "DOI",
                        "title",
                        "author",
                        "family",
                        "relation",
                        "has-preprint",
                        "id",
                        "date-parts",
                    ]
                ),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    ),
    st.sampled_from(["title", "author", "relation", "published-online", "updated-by", "posted"]),
)
def test_no_record_breaks_the_reader(value: object, field: str) -> None:
    work = read_work({**_work(), field: value})
    assert 0 <= agreement(TITLE, ("Ana Poleni",), work) <= 1


def test_the_agreement_weighs_title_and_names() -> None:
    assert agreement(TITLE, ("Ana Poleni", "Yi Li"), read_work(_work())) == 1.0
    assert agreement(TITLE, ("Ana Poléni", "Y. Li"), read_work(_work())) == 1.0
    # One of two names is missing on one side: half of a quarter is lost.
    assert agreement(TITLE, ("Ana Poleni",), read_work(_work())) == 0.875
    assert agreement(TITLE, (), read_work(_work())) == 0.75
    assert agreement("", ("Yi Li",), read_work(_work())) == 0.0


@pytest.mark.parametrize(
    ("title", "agrees"),
    [
        (TITLE.upper(), True),
        (f"RETRACTED: {TITLE}", True),
        (f"{TITLE} II", False),
        (f"{TITLE}: part 2", False),
        (f"Erratum: {TITLE}", False),
        (f'Reply to "{TITLE}"', False),
        (f"Comment on {TITLE}", False),
        (TITLE.replace("steady", "oscillating"), False),
        (TITLE.replace("a steady", "an unsteady"), False),
        (TITLE.replace("current", "currents"), True),
        (TITLE.replace("behind", "before"), False),
        (f"{TITLE} over a bed of mixed gravel", False),
    ],
)
def test_another_part_or_a_note_about_a_paper_is_not_the_paper(title: str, agrees: bool) -> None:
    score = agreement(TITLE, ("Ana Poleni", "Yi Li"), read_work(_work(title=[title])))
    assert (score >= 0.95) is agrees


@pytest.mark.parametrize(
    ("identifier", "own"),
    [
        ("10.48550/arXiv.2610.00002", True),
        ("10.48550/arxiv.2610.00002v2", True),
        ("arXiv:2610.00002", True),
        ("10.48550/arXiv.2610.00003", False),
        ("10.5555/arxiv.2610.00002", False),
    ],
)
def test_the_papers_own_preprint_is_no_other(identifier: str, own: bool) -> None:
    assert is_arxiv(identifier, "2610.00002") is own
