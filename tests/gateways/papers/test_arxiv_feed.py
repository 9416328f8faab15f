"""arXiv behind the source interface, against a server on loopback that misbehaves at will."""

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from lawsmith.curation.packets import packet_of_paper
from lawsmith.errors import InputError, PrerequisiteError
from lawsmith.gateways.papers.paper_source import PaperSource
from schemas.source import ReasonCode, Window

WEEK = Window(start="2026-10-05", end="2026-10-12")
Opened = Callable[..., PaperSource]
Answer = tuple[int, bytes, dict[str, str]]
Stub = Any
Net = Any
Clock = Any


def _week(stub: Stub, net: Net) -> None:
    stub.entries = [
        net.Entry("2610.00001", "2026-10-04T23:59:59Z"),
        net.Entry("2610.00002", "2026-10-05T00:00:00Z"),
        net.Entry("physics/0610003", "2026-10-07T12:00:00Z", version=3),
        net.Entry("2610.00004", "2026-10-11T23:59:59Z", comment="This paper has been withdrawn"),
        net.Entry("2610.00005", "2026-10-12T00:00:00Z"),
    ]
    stub.files = {
        "/src/2610.00002v1": (
            200,
            net.packed(**{"ms.tex": net.TEX, "body.tex": b"k = 3", "old.tex": b"x"}),
            {},
        ),
        "/pdf/physics/0610003v3": (200, net.PDF, {}),
    }
    stub.licences = {"2610.00002": net.CC_BY, "physics/0610003": ""}


def _pages(stub: Stub) -> list[dict[str, list[str]]]:
    return [parse_qs(urlsplit(path).query) for path in stub.asked if path.startswith("/api")]


def test_a_window_is_listed_whole_with_its_files(stub: Stub, net: Net, opened: Opened) -> None:
    _week(stub, net)
    source = opened()
    harvest = source.harvest(WEEK)
    assert [paper.id for paper in harvest.papers] == [
        "arxiv:2610.00002v1",
        "arxiv:2610.00004v1",
        "arxiv:physics.0610003v3",
    ]
    assert (harvest.expected, harvest.found, harvest.complete, harvest.strays) == (5, 5, True, 0)
    first, withdrawn, old = harvest.papers
    assert first.title == "A title"
    assert (first.licence, old.licence) == ("CC-BY-4.0", None)
    assert [file.path for file in first.files] == [
        "2610.00002v1/src/body.tex",
        "2610.00002v1/src/ms.tex",
    ]
    assert "k = 3" in packet_of_paper(first, source.folder).lines
    assert packet_of_paper(old, source.folder).kind == "pdf"
    assert withdrawn.withdrawn
    assert [(item.paper_id, item.reason_code) for item in harvest.problems] == [
        (withdrawn.id, ReasonCode.WITHDRAWN)
    ]
    with pytest.raises(InputError, match="--window"):
        source.submission_dates()


def test_requests_are_paced_named_and_ask_a_day_more(
    stub: Stub, net: Net, opened: Opened, clock: Clock
) -> None:
    _week(stub, net)
    opened().harvest(WEEK)
    # Three pages, three files, two licences: one pace for all of them.
    assert len(stub.asked) == 3 + 3 + 2
    assert clock.slept == [3.0] * 7
    assert set(stub.agents) == {stub.agents[0]}
    assert stub.agents[0].startswith("lawsmith/")
    assert "curator@example.org" in stub.agents[0]
    query = _pages(stub)[0]
    assert "submittedDate:[202610040000 TO 202610132359]" in query["search_query"][0]
    assert "cat:physics.*" in query["search_query"][0]
    assert query["sortOrder"] == ["ascending"]


def test_files_and_licences_are_fetched_once(stub: Stub, net: Net, opened: Opened) -> None:
    _week(stub, net)
    before = opened().harvest(WEEK)
    stub.asked.clear()
    assert opened().harvest(WEEK) == before
    assert all(path.startswith("/api/query") for path in stub.asked)


def test_faults_are_tried_again_as_the_server_asks(
    stub: Stub, net: Net, opened: Opened, clock: Clock
) -> None:
    _week(stub, net)
    stub.faults = [
        (429, b"", {"Retry-After": "30"}),
        (503, b"", {}),
        (200, b"<html>maintenance</html>", {}),
    ]
    assert opened().harvest(WEEK).complete
    assert clock.slept[:3] == [30.0, 10.0, 20.0]


def test_every_kind_of_broken_page_is_tried_again(
    stub: Stub, net: Net, opened: Opened, clock: Clock
) -> None:
    _week(stub, net)
    whole = stub._feed({"start": ["0"], "max_results": ["9"], "search_query": [""]})
    faults: list[Answer] = [
        (200, b"Rate exceeded.", {}),
        (200, whole, net.CUT),
        (200, whole[: len(whole) // 2], {}),
        (503, b"", {"Retry-After": "Thu, 05 Nov 2026 06:01:00 GMT"}),
        (200, b"", net.HANG),
    ]
    for fault in faults:
        stub.faults = [fault]
        assert opened(**{"arxiv.read_seconds": 0.2}).harvest(WEEK).complete
    # The date that one server gave lies a minute after the test's clock began.
    assert max(clock.slept) <= 60.0


@pytest.mark.parametrize(
    ("answer", "message", "tries"),
    [
        ((200, b"<html>maintenance</html>", {}), "not an Atom feed", 4),
        ((200, b"Rate exceeded.", {}), "not an Atom feed", 4),
        ((503, b"", {}), "HTTP 503", 4),
        ((400, b"bad query", {}), "HTTP 400", 1),
        ((429, b"", {"Retry-After": "86400"}), "asks to wait 86400 s", 1),
        ((301, b"", {"Location": "ftp://example.org/"}), "redirected to", 1),
    ],
)
def test_an_outage_is_an_error_and_never_an_empty_window(
    stub: Stub, opened: Opened, answer: Answer, message: str, tries: int
) -> None:
    stub.faults = [answer] * 10
    with pytest.raises(PrerequisiteError, match=message):
        opened().harvest(WEEK)
    assert len(stub.asked) == tries


def test_a_window_without_papers_is_empty_and_complete(stub: Stub, opened: Opened) -> None:
    harvest = opened().harvest(WEEK)
    assert (harvest.papers, harvest.expected, harvest.complete) == ((), 0, True)


def test_entries_that_do_not_come_make_the_harvest_incomplete(
    stub: Stub, net: Net, opened: Opened
) -> None:
    _week(stub, net)
    stub.total = 8
    harvest = opened().harvest(WEEK)
    assert (harvest.expected, harvest.found, harvest.complete) == (8, 5, False)
    assert len(harvest.papers) == 3


def test_an_empty_first_page_with_a_total_is_not_an_empty_window(
    stub: Stub, net: Net, opened: Opened
) -> None:
    _week(stub, net)
    feed = stub._feed({"start": ["9"], "max_results": ["9"], "search_query": [""]})
    stub.faults = [(200, feed, {})] * 2
    assert opened().harvest(WEEK).complete
    stub.faults = [(200, feed, {})] * 100
    harvest = opened().harvest(WEEK)
    assert (harvest.papers, harvest.expected, harvest.complete) == ((), 5, False)


def test_short_pages_and_wrong_order_lose_nothing(stub: Stub, net: Net, opened: Opened) -> None:
    _week(stub, net)
    stub.longest_page, stub.reverse = 1, True
    harvest = opened(**{"arxiv.page_size": 100}).harvest(WEEK)
    assert (harvest.found, harvest.complete) == (5, True)
    assert len(harvest.papers) == 3


def test_an_entry_repeated_over_pages_is_one_and_the_newest_version_stays(
    stub: Stub, net: Net, opened: Opened
) -> None:
    stub.entries = [
        net.Entry("physics/0610003", "2026-10-07T12:00:00Z", version=version)
        for version in (2, 3, 2)
    ]
    harvest = opened().harvest(WEEK)
    assert [paper.version for paper in harvest.papers] == [3]
    assert not harvest.complete


def test_an_entry_lost_between_pages_comes_with_a_second_look(
    stub: Stub, net: Net, opened: Opened
) -> None:
    _week(stub, net)
    moved = [stub.entries[0], stub.entries[1], stub.entries[1], *stub.entries[3:]]
    right, stub.entries = stub.entries, moved
    looks = 0
    feed = stub._feed

    def feed_once(query: dict[str, list[str]]) -> bytes:
        nonlocal looks
        looks += query["start"] == ["0"]
        stub.entries = right if looks > 1 else moved
        body: bytes = feed(query)
        return body

    stub._feed = feed_once
    harvest = opened().harvest(WEEK)
    assert (looks, harvest.found, harvest.complete) == (2, 5, True)


def test_entries_outside_the_days_asked_for_are_left_out_and_counted(
    stub: Stub, net: Net, opened: Opened
) -> None:
    _week(stub, net)
    stub.entries.insert(0, net.Entry("2012.00009", "2020-12-01T00:00:00Z"))
    stub.filters = False
    harvest = opened().harvest(WEEK)
    assert (len(harvest.papers), harvest.strays, harvest.complete) == (3, 1, True)


def test_large_windows_are_halved(
    stub: Stub, net: Net, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lawsmith.gateways.papers.arxiv_listing.MAX_SLICE", 3)
    stub.entries = [
        net.Entry(f"2610.0{n:04}", f"2026-10-{5 + n // 4:02}T{6 * (n % 4):02}:30:15Z")
        for n in range(28)
    ]
    harvest = opened().harvest(WEEK)
    assert (harvest.expected, harvest.found, harvest.complete) == (28, 28, True)
    assert len(harvest.papers) == 28
    # No query was read beyond the bound.
    assert max(int(query["start"][0]) for query in _pages(stub)) < 3


def test_a_server_that_ignores_dates_does_not_make_halving_endless(
    stub: Stub, net: Net, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lawsmith.gateways.papers.arxiv_listing.MAX_SLICE", 3)
    monkeypatch.setattr("lawsmith.gateways.papers.arxiv_listing.MAX_HALVINGS", 3)
    _week(stub, net)
    stub.filters = False
    harvest = opened().harvest(WEEK)
    assert not harvest.complete
    assert len(_pages(stub)) < 60


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ((404, b"", {}), "HTTP 404"),
        ((200, b"<html>sorry</html>", {}), "not a PDF"),
        ((200, b"%PDF-1.7 and no end", {}), "cut off"),
        ((200, b"%PDF-" + b"x" * 3000, {}), "longer than 2000 bytes"),
        ((200, b"%PDF-1.7 %%EOF", {":do": "cut"}), "no usable answer in 4 tries"),
    ],
)
def test_a_failed_download_is_a_problem_of_its_paper(
    stub: Stub, net: Net, opened: Opened, answer: Answer, sentence: str
) -> None:
    stub.entries = [net.Entry("2610.00002", "2026-10-05T00:00:00Z")]
    stub.files = {"/pdf/2610.00002v1": answer}
    source = opened(**{"arxiv.max_file_bytes": 2000})
    harvest = source.harvest(WEEK)
    assert harvest.papers[0].files == ()
    (problem,) = harvest.problems
    assert (problem.outcome, problem.reason_code) == ("failed", ReasonCode.DOWNLOAD_FAILED)
    assert sentence in problem.sentence
    assert not (source.folder / "2610.00002v1").exists()


def test_after_some_failures_in_a_row_the_rest_waits_for_the_next_run(
    stub: Stub, net: Net, opened: Opened
) -> None:
    stub.entries = [net.Entry(f"2610.0000{n}", "2026-10-05T00:00:00Z") for n in range(6)]
    stub.faults_at = {"/src/": [(503, b"", {})] * 100}
    source = opened()
    harvest = source.harvest(WEEK)
    assert [item.outcome for item in harvest.problems] == ["failed"] * 6
    assert sum("not tried" in item.sentence for item in harvest.problems) == 3
    assert len([path for path in stub.asked if path.startswith("/src/")]) == 3 * 4
    stub.faults_at = {}
    stub.files = {f"/pdf/2610.0000{n}v1": (200, net.PDF, {}) for n in range(6)}
    assert source.harvest(WEEK).problems == ()


def test_a_source_that_is_a_pdf_is_the_pdf(stub: Stub, net: Net, opened: Opened) -> None:
    stub.entries = [net.Entry("2610.00002", "2026-10-05T00:00:00Z")]
    stub.files = {"/src/2610.00002v1": (200, net.PDF, {})}
    (paper,) = opened().harvest(WEEK).papers
    assert [file.path for file in paper.files] == ["2610.00002v1/paper.pdf"]
    assert not [path for path in stub.asked if path.startswith("/pdf")]


def test_a_source_without_a_main_file_gives_way_to_the_pdf(
    stub: Stub, net: Net, opened: Opened
) -> None:
    stub.entries = [net.Entry("2610.00002", "2026-10-05T00:00:00Z")]
    stub.files = {
        "/src/2610.00002v1": (200, net.packed(**{"figure.tex": b"\\draw"}), {}),
        "/pdf/2610.00002v1": (200, net.PDF, {}),
    }
    (paper,) = opened().harvest(WEEK).papers
    assert [file.path for file in paper.files] == ["2610.00002v1/paper.pdf"]


def test_a_note_in_place_of_the_source_means_withdrawn(
    stub: Stub, net: Net, opened: Opened
) -> None:
    stub.entries = [net.Entry("2610.00002", "2026-10-05T00:00:00Z")]
    note = b"%auto-ignore\nThis paper has been withdrawn by the author.\n"
    stub.files = {"/src/2610.00002v1": (200, net.gzip.compress(note), {})}
    harvest = opened().harvest(WEEK)
    assert harvest.papers[0].withdrawn
    assert [(x.outcome, x.reason_code) for x in harvest.problems] == [
        ("rejected", ReasonCode.WITHDRAWN)
    ]


def test_new_versions_are_found_by_id(stub: Stub, net: Net, opened: Opened) -> None:
    _week(stub, net)
    source = opened()
    papers = source.harvest(WEEK).papers
    stub.entries[1].version = 2
    stub.asked.clear()
    found = source.newest_versions(papers)
    assert found == {
        "arxiv:2610.00002": 2,
        "arxiv:2610.00004": 1,
        "arxiv:physics.0610003": 3,
    }
    assert [query["id_list"][0] for query in _pages(stub)] == [
        "2610.00002,2610.00004",
        "physics/0610003",
    ]


def test_a_licence_that_does_not_come_is_not_taken_for_none(
    stub: Stub, net: Net, opened: Opened
) -> None:
    _week(stub, net)
    stub.faults_at = {"/oai?": [(200, b"<html>", {})] * 4}
    harvest = opened().harvest(WEEK)
    failed = [item for item in harvest.problems if item.outcome == "failed"]
    assert [item.reason_code for item in failed] == [ReasonCode.DOWNLOAD_FAILED]
    again = opened().harvest(WEEK)
    assert [paper.licence for paper in again.papers] == ["CC-BY-4.0", None, None]
    assert [item.outcome for item in again.problems] == ["rejected"]


@pytest.mark.parametrize(
    ("comment", "abstract", "withdrawn"),
    [
        ("This paper has been withdrawn by the authors", "", True),
        ("Withdrawn due to an error in eq. 3", "", True),
        ("12 pages", "This submission has been withdrawn.", True),
        ("12 pages", "The article was since withdrawn by its author.", True),
        ("12 pages", "This paper gives the rate at which groundwater is withdrawn.", False),
        ("12 pages", "We report the heat withdrawn from a borehole in this paper.", False),
    ],
)
def test_a_withdrawn_paper_is_told_from_one_about_withdrawing(
    stub: Stub, net: Net, opened: Opened, comment: str, abstract: str, withdrawn: bool
) -> None:
    entry = net.Entry("2610.00002", "2026-10-05T00:00:00Z", comment=comment, abstract=abstract)
    stub.entries = [entry]
    stub.files = {"/src/2610.00002v1": (200, net.PDF, {})}
    (paper,) = opened().harvest(WEEK).papers
    assert paper.withdrawn is withdrawn
