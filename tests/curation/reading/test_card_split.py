"""How a paper is cut into cards: one a set of controls, at most four, in the paper's order."""

import json
from collections.abc import Callable
from typing import Any

from lawsmith.chat import Reply, Request, Result
from lawsmith.curation.reading.card_split import MAX_CARDS, case_problems, settled_cases
from lawsmith.curation.reading.extraction import extraction_conversation
from schemas.card import CardDraft
from schemas.packet import Packet

Data = dict[str, Any]
DraftOf = Callable[[Data], CardDraft]


def variant(data: Data, *, high: float = 8.0, line: int = 8, system: str | None = None) -> Data:
    """The card with another range, first line or system."""
    made: Data = json.loads(json.dumps(data))
    made["controls"][0]["high"] = high
    made["relations"][0]["anchors"][0]["first_line"] = line
    if system is not None:
        made["fixed_conditions"][0]["statement"] = system
    return made


def test_one_set_of_controls_is_one_card(data: Data, draft_of: DraftOf) -> None:
    drafts = [draft_of(variant(data)), draft_of(variant(data, high=4.0)), draft_of(data)]
    (problem,) = case_problems(drafts)
    assert problem.startswith("$.cards[2].controls: the same controls and ranges as $.cards[0]")
    assert settled_cases(drafts) == tuple(drafts[:2])


def test_other_systems_are_other_cards(data: Data, draft_of: DraftOf) -> None:
    systems = [draft_of(variant(data, system=f"The slab was of {s}")) for s in ("clay", "felt")]
    assert case_problems(systems) == ()
    unnamed = [systems[0], draft_of({**data, "fixed_conditions": []})]
    assert len(case_problems(unnamed)) == 1


def test_four_cards_in_the_order_of_the_paper(data: Data, draft_of: DraftOf) -> None:
    drafts = [draft_of(variant(data, high=float(n), line=12 - n)) for n in range(2, 8)]
    (problem,) = case_problems(drafts)
    assert problem == "$.cards: 6 cards; at most 4 are taken, the best supported"
    kept = settled_cases(drafts)
    assert len(kept) == MAX_CARDS
    assert kept == tuple(reversed(drafts[:4]))


def test_a_repeated_case_is_asked_about_and_then_left_out(
    packet: Packet, data: Data, reply_of: Callable[..., Reply]
) -> None:
    talk = extraction_conversation(packet)
    twice = reply_of(
        {"cards": [data, variant(data, line=9)], "none_reason": None, "near_misses": []}
    )
    repair = talk.step([twice])
    assert isinstance(repair, Request)
    assert "$.cards[1].controls" in repair.messages[-1].text
    once = talk.step([twice, reply_of({"cards": [data], "none_reason": None, "near_misses": []})])
    assert isinstance(once, Result)
    assert once.value.sentence == "1 card drafted"
    end = talk.step([twice, twice, twice])
    assert isinstance(end, Result)
    assert len(end.value.cards) == 1
    assert end.value.sentence.startswith("1 card drafted; 1 left out: $.cards[1].controls")
