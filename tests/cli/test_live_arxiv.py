"""Live arXiv: the same command against an Atom server on loopback."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Shell = Any
WEEK = "2026-10-05..2026-10-12"
PDF_PAPERS = {"2610.00002": "sample-0008", "2610.00004": "sample-0009"}


@pytest.fixture
def arxiv(stub: Any, entry: Any, sample_pdf: Callable[[str], bytes]) -> dict[str, str]:
    """An API that lists two papers of a week and one after it, and the variables to use it."""
    stub.entries = [
        entry("2610.00002", "2026-10-05T00:00:00Z"),
        entry("2610.00004", "2026-10-11T23:59:59Z"),
        entry("2610.00009", "2026-10-12T00:00:00Z"),
    ]
    stub.files = {
        f"/pdf/{name}v1": (200, sample_pdf(file), {}) for name, file in PDF_PAPERS.items()
    }
    return {
        "LAWSMITH_ARXIV_URL": f"http://127.0.0.1:{stub.port}/api/query",
        "LAWSMITH_ARXIV_DELAY": "0.01",
        "LAWSMITH_CONTACT_EMAIL": "curator@example.org",
    }


def stands(ended: Any) -> dict[str, tuple[str, str]]:
    return {row["paper"]: (row["stage"], row["reason"]) for row in ended.json["papers"]}


@pytest.mark.long
def test_a_window_of_arxiv_without_a_model(
    lawsmith: Shell, stub: Any, arxiv: dict[str, str]
) -> None:
    asked = ("refresh", "--source", "arxiv", "--window", WEEK, "--json")
    ended = lawsmith(*asked, **arxiv)
    # The papers are there and read; what is missing is a reply to each.
    assert ended.code == 1
    assert "2 papers are not done (2 reply_missing)" in ended.err
    assert stands(ended) == {
        "arxiv:2610.00002v1": ("cards", "reply_missing"),
        "arxiv:2610.00004v1": ("cards", "reply_missing"),
    }
    assert all("curator@example.org" in agent for agent in stub.agents)
    packets = lawsmith("sql", "--json", "select kind, lines > 10 as whole from packets", **arxiv)
    assert packets.json == [{"kind": "pdf", "whole": True}] * 2

    # A week that was harvested whole is not asked for again.
    stub.asked.clear()
    lawsmith(*asked, **arxiv)
    assert not [path for path in stub.asked if path.startswith(("/pdf", "/src"))]


def test_a_window_of_arxiv_with_live_models(
    lawsmith: Shell,
    arxiv: dict[str, str],
    chat_server: Any,
    recorded_models: Callable[..., Any],
) -> None:
    models = recorded_models("0008", "0009")
    ended = lawsmith(
        *("refresh", "--source", "arxiv", "--window", WEEK, "--json", "--max-tokens", "3000000"),
        **arxiv,
        LAWSMITH_EXTRACTOR="openai/reader-one",
        LAWSMITH_REVIEWER="openai/reader-two",
        LAWSMITH_EXTRACTOR_API_BASE=chat_server.base,
        LAWSMITH_REVIEWER_API_BASE=chat_server.base,
    )
    assert ended.code == 0, ended.err
    found = stands(ended)
    assert found["arxiv:2610.00004v1"] == ("cards", "no_executable_relation")
    assert found["arxiv:2610.00002v1"][0] in {"reviews/case", "worlds"}
    assert len(models.calls) >= 4
    # No journal date is known, so nothing of it can be in a release yet.
    released = lawsmith(
        "release", "temporal", "--source", "arxiv", "--cutoff", "2026-04-30", "--allow-incomplete"
    )
    assert released.code == 1
    assert released.err.count("\n") == 1


QUARTER = "2026-07-01..2026-10-01"


@pytest.fixture
def quarter(
    stub: Any, entry: Any, sample_pdf: Callable[[str], bytes], tmp_path: Path
) -> dict[str, str]:
    """Papers in the first, a middle and the last week of a quarter; triage turns all away."""
    days = {"2607.00001": "01T00:00", "2608.00002": "12T09:30", "2609.00003": "30T23:59"}
    stub.entries = [
        entry(name, f"2026-{name[2:4]}-{day}:00Z", title=f"Paper {name}")
        for name, day in days.items()
    ]
    stub.files = {f"/pdf/{name}v1": (200, sample_pdf("sample-0009"), {}) for name in days}
    config = tmp_path / "strict.toml"
    config.write_text("[triage]\nthreshold = 1.0\n", encoding="utf-8")
    return {
        "LAWSMITH_ARXIV_URL": f"http://127.0.0.1:{stub.port}/api/query",
        "LAWSMITH_ARXIV_DELAY": "0.01",
        "LAWSMITH_CROSSREF_URL": f"http://127.0.0.1:{stub.port}",
        "LAWSMITH_CROSSREF_DELAY": "0.01",
        "LAWSMITH_CONTACT_EMAIL": "curator@example.org",
        "LAWSMITH_CONFIG": str(config),
    }


def _files(asked: list[str]) -> list[str]:
    return sorted(path for path in asked if path.startswith(("/pdf", "/src")))


@pytest.mark.long
def test_a_quarter_is_one_command_and_done_asks_for_nothing(
    lawsmith: Shell, stub: Any, entry: Any, sample_pdf: Callable[[str], bytes], quarter: Any
) -> None:
    asked = ("refresh", "--source", "arxiv", "--window", QUARTER, "--json")
    first = lawsmith(*asked, **quarter)
    assert first.code == 0, first.err
    names = ["2607.00001", "2608.00002", "2609.00003"]
    assert stands(first) == {f"arxiv:{name}v1": ("cards", "below_triage") for name in names}
    # Every file once: the source that is not there, then the PDF.
    assert _files(stub.asked) == sorted(
        f"/{kind}/{name}v1" for name in names for kind in ("pdf", "src")
    )

    # The quarter is done: not even a list is asked for, nor Crossref within the week.
    stub.asked.clear()
    again = lawsmith(*asked, **quarter)
    assert (again.code, stub.asked) == (0, [])
    assert stands(again) == stands(first)

    # A longer window takes up the new week alone.
    stub.entries.append(entry("2610.00004", "2026-10-06T10:00:00Z", title="Paper 2610.00004"))
    stub.files["/pdf/2610.00004v1"] = (200, sample_pdf("sample-0009"), {})
    longer = lawsmith(*asked[:4], "2026-07-01..2026-10-12", "--json", **quarter)
    assert longer.code == 0, longer.err
    assert len(stands(longer)) == 4
    assert _files(stub.asked) == ["/pdf/2610.00004v1", "/src/2610.00004v1"]
    listed = [path for path in stub.asked if "submittedDate" in path]
    assert len(listed) == 1
    assert "submittedDate%3A%5B202610040000+TO+202610132359%5D" in listed[0]
