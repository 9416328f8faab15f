"""Live arXiv: the same command against an Atom server on loopback."""

from collections.abc import Callable
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
