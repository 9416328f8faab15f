"""Words: off-subject anchors, lost and added negations, combinations, status and origin."""

from collections.abc import Callable
from typing import Any

import pytest

from lawsmith.curation.admission.gates import admit_draft
from schemas.card import CardDraft
from schemas.packet import Packet
from schemas.source import Paper, ReasonCode

Data = dict[str, Any]
Stopped = Callable[..., set[str]]


@pytest.fixture
def stopped(
    paper: Paper,
    draft_of: Callable[[Data], CardDraft],
    packet_of: Callable[..., Packet],
    lines: tuple[str, ...],
) -> Stopped:
    """Paths of the reasons with a code against a draft, lines added to the paper."""

    def run(data: Data, code: ReasonCode, *more: str) -> set[str]:
        admission = admit_draft(
            draft_of(data),
            packet_of((*lines, *more)),
            card_id="sample:0001/r1",
            paper=paper.model_copy(update={"licence": "CC-BY-4.0"}),
            extractor="reader-a",
            prompt_sha256="0" * 64,
        )
        return {reason.path for reason in admission.reasons if reason.code is code}

    return run


def at(line: int, quote: str) -> Data:
    return {"first_line": line, "last_line": line, "quote": quote, "support": "zzz"}


def test_an_anchor_shares_a_word_with_what_it_bears(stopped: Stopped, data: Data) -> None:
    statement = {"statement": "Slabs were weighed", "anchors": [at(14, "Birds sing in spring.")]}
    data["mechanisms"] = [statement]
    where = stopped(data, ReasonCode.ANCHOR_OFF_SUBJECT, "Birds sing in spring.")
    assert where == {"/mechanisms/0/anchors/0"}
    statement["statement"] = "The birds were heard"
    assert stopped(data, ReasonCode.ANCHOR_OFF_SUBJECT, "Birds sing in spring.") == set()


@pytest.mark.parametrize(
    ("line", "quote", "statement", "turned"),
    [
        ("The law was not tested on slopes.", "tested on slopes", "It was tested on slopes", True),
        ("The law was not tested on slopes.", "tested on slopes", "Slopes are outside it", False),
        ("Slabs were dried in air.", "were dried in air", "Slabs were not dried in air", True),
        ("Slabs were dried in air.", "were dried in air", "Dry slabs; nothing is not said", False),
        ("Not all runs were dried.", "all runs were dried", "Some runs were dried", False),
        ("The error is 2.", "The error is 2", "The lines do not say what the error is", False),
        ("Only slabs were dried.", "slabs were dried", "Bricks were not dried", False),
    ],
)
def test_a_sentence_says_yes_where_its_quote_does(
    stopped: Stopped, data: Data, line: str, quote: str, statement: str, turned: bool
) -> None:
    data["limitations"] = [{"statement": statement, "anchors": [at(14, quote)]}]
    found = stopped(data, ReasonCode.CLAIM_NEGATED, line)
    assert found == ({"/limitations/0/statement"} if turned else set())


@pytest.mark.parametrize(
    ("line", "refused"),
    [
        ("The speeds were crossed with the deficits.", False),
        ("Each speed was run at every deficit.", False),
        ("Speed and deficit were varied independently of each other.", False),
        ("Speed and deficit were set as Table 1 lists.", True),
        ("Speed and deficit were raised together.", True),
        ("The speeds were not crossed with the deficits.", True),
    ],
)
def test_cartesian_needs_words_of_free_combination(
    stopped: Stopped, data: Data, line: str, refused: bool
) -> None:
    data["sampling_anchors"] = [at(14, line)]
    found = stopped(data, ReasonCode.PAIRED_DOMAIN, line)
    assert found == ({"/sampling"} if refused else set())


@pytest.mark.parametrize(
    ("status", "constants", "roles", "path"),
    [
        ("equality", "own", "fitted", "/relations/0/status"),
        ("definition", "own", "fitted", "/relations/0/status"),
        ("prediction", "own", "constant", "/relations/0/status"),
        ("fitted", "chosen", "fitted", "/relations/0/status"),
        ("fitted", "own", "fitted", None),
        ("fitted", None, "fitted", None),
        ("approximation", "own", "fitted", None),
    ],
)
def test_a_fit_is_called_a_fit(
    stopped: Stopped, data: Data, status: str, constants: str | None, roles: str, path: str | None
) -> None:
    origin = {"form": "own", "constants": constants}
    data["relations"][0] |= {"status": status, "origin": origin}
    for part in data["parameters"]:
        part["role"] = roles
    found = stopped(data, ReasonCode.STATUS_TOO_STRONG)
    assert found == ({path} if path else set())


@pytest.mark.parametrize(
    "credit",
    [
        "Following Moreau et al. we write",
        "The relation, due to Moreau and Lind (2004), is",
        "In the model of [6] one has",
        "As was shown previously,",
        "Dennis and Kemp^5 used the form",
    ],
)
def test_credit_to_others_is_seen(stopped: Stopped, data: Data, credit: str) -> None:
    line = f"{credit} j = (b0 + b1 (v/v0)^0.62) D/(D + Dh)"
    for form in ("own", None, "taken_over", "textbook"):
        origin = {"form": form, "constants": "own"}
        data["relations"][0] |= {"status": "approximation", "origin": origin}
        data["relations"][0]["anchors"] = [at(14, line)]
        found = stopped(data, ReasonCode.STATUS_TOO_STRONG, line)
        assert found == ({"/relations/0/origin"} if form in ("own", None) else set())
