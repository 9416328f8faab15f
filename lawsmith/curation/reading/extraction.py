"""Extraction: one schema-constrained request per packet, then at most two repair turns.

Only the form of a reply goes back to the model: JSON and schema faults. A card whose form is
right but whose facts fail an admission gate is refused and stored as such; it is never handed
back, so that a misprint in a paper is stopped and not repaired away.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from lawsmith.chat import Message, Reply, Request, Result
from lawsmith.curation.reading.card_split import case_problems, first_line, settled_cases
from lawsmith.curation.reading.prompting import (
    PromptName,
    opening,
    packet_values,
    prompt_hash,
    repair_turn,
    response_schema,
)
from lawsmith.curation.reading.replies import read_reply
from lawsmith.curation.reading.visible_lines import Shown, shown_lines
from schemas.card import CardDraft, ExtractionReply
from schemas.packet import Packet
from schemas.source import Outcome, ReasonCode

MAX_REPAIRS: Final = 2
DEFAULT_MAX_TOKENS: Final = 16_000


@dataclass(frozen=True)
class Extraction:
    """What the extraction of one packet came to.

    `reason` is `ok` (there are cards), `no_executable_relation`, `truncated_reply` or
    `unusable_reply`; the last two are failures, not answers.
    """

    reason: ReasonCode
    sentence: str
    cards: tuple[CardDraft, ...]
    model: str
    """Who gave the last reply."""
    replayed: bool
    prompt_sha256: str
    repairs: int
    packet_changed: bool
    """The recording was made against another packet; anchors are found again by quote."""
    prompt_reworded: bool
    """The recording was made with another prompt."""
    shown: Shown
    """The lines that the model was shown; no anchor may name another."""

    @property
    def outcome(self) -> Outcome:
        """passed, rejected (a valid answer: no relation) or failed (may be tried again)."""
        if self.reason is ReasonCode.OK:
            return "passed"
        return "rejected" if self.reason is ReasonCode.NO_EXECUTABLE_RELATION else "failed"


@dataclass(frozen=True)
class ExtractionConversation:
    """The conversation about one packet; see `lawsmith.chat.Conversation`."""

    packet: Packet
    max_tokens: int = DEFAULT_MAX_TOKENS
    temperature: float | None = None
    max_input_tokens: int | None = None
    """Longest prompt that the model takes; a longer packet is shown in part."""

    @cached_property
    def shown(self) -> Shown:
        """The lines of the packet that the model is shown."""
        return shown_lines(self.packet, self.max_input_tokens)

    def step(self, replies: Sequence[Reply]) -> Request | Result[Extraction]:
        """The next request, or what the replies so far come to.

        Raises:
            InputError: the model takes too short a prompt for any part of the packet.
        """
        messages = opening("extractor", packet_values(self.packet, self.shown))
        for turn, reply in enumerate(replies):
            read = self._read(reply, turn)
            if isinstance(read, ExtractionReply):
                return Result(self._answered(read, reply, turn))
            if read.final or turn >= MAX_REPAIRS:
                return Result(self._failed(read, reply, turn))
            messages += repair_turn("extractor_repair", reply.text, read.problems)
        return self._request(messages, len(replies))

    def _read(self, reply: Reply, turn: int) -> "ExtractionReply | UnreadReply":
        """The reply; how it cuts the paper into cards is put right by code at the last turn."""
        read = read_extraction(reply)
        if isinstance(read, UnreadReply) or turn >= MAX_REPAIRS:
            return read
        problems = case_problems(read.cards)
        return UnreadReply(ReasonCode.UNUSABLE_REPLY, problems, final=False) if problems else read

    def _request(self, messages: tuple[Message, ...], turn: int) -> Request:
        names: tuple[PromptName, ...] = ("extractor", "extractor_repair")
        return Request(
            role="extractor",
            subject_kind="packet",
            subject_id=self.packet.id,
            revision=0,
            round=turn,
            messages=messages,
            response_schema=response_schema(ExtractionReply),
            response_schema_name="extraction_reply",
            max_tokens=self.max_tokens,
            temperature=self.temperature,
            prompt_sha256=prompt_hash(*names[: 2 if turn else 1]),
            packet_sha256=self.packet.text_sha256,
        )

    def _answered(self, read: ExtractionReply, reply: Reply, turn: int) -> Extraction:
        cards = settled_cases(read.cards)
        if not cards:
            code = ReasonCode.NO_EXECUTABLE_RELATION
            return self._result(code, str(read.none_reason), reply, turn, ())
        sentence = f"{len(cards)} card{'s' if len(cards) > 1 else ''} drafted"
        if left := len(read.cards) - len(cards):
            sentence += f"; {left} left out: {'; '.join(case_problems(read.cards))}"
        return self._result(ReasonCode.OK, sentence, reply, turn, cards)

    def _failed(self, read: "UnreadReply", reply: Reply, turn: int) -> Extraction:
        sentence = f"reply {turn + 1}: {'; '.join(read.problems[:3])}"
        return self._result(read.reason, sentence, reply, turn, ())

    def _result(
        self,
        reason: ReasonCode,
        sentence: str,
        reply: Reply,
        turn: int,
        cards: tuple[CardDraft, ...],
    ) -> Extraction:
        return Extraction(
            reason=reason,
            sentence=sentence if self.shown.whole else f"{sentence} ({self.shown.sentence()})",
            cards=cards,
            model=reply.model,
            replayed=reply.replayed,
            prompt_sha256=prompt_hash("extractor"),
            repairs=turn,
            packet_changed=reply.packet_changed,
            prompt_reworded=reply.reworded_prompt,
            shown=self.shown,
        )


@dataclass(frozen=True)
class UnreadReply:
    """A reply that could not be read, and whether asking again for its form makes sense."""

    reason: ReasonCode
    problems: tuple[str, ...]
    final: bool
    doubted: tuple[str, ...] = ()
    """Criteria that a review accepts over, though its own verdicts do not support them."""


def extraction_conversation(
    packet: Packet,
    *,
    max_tokens: int = DEFAULT_MAX_TOKENS,
    temperature: float | None = None,
    max_input_tokens: int | None = None,
) -> ExtractionConversation:
    """The extractor's conversation about a packet.

    Args:
        packet: the text.
        max_tokens: upper bound of a reply.
        temperature: None where the model takes none.
        max_input_tokens: longest prompt of the model; None is no limit.
    """
    return ExtractionConversation(packet, max_tokens, temperature, max_input_tokens)


def read_extraction(reply: Reply) -> ExtractionReply | UnreadReply:
    """The extraction of one reply; a reply that was cut off is never parsed."""
    refused = incomplete(reply)
    if refused is not None:
        return refused
    read = read_reply(reply, ExtractionReply)
    if not isinstance(read, ExtractionReply):
        return UnreadReply(ReasonCode.UNUSABLE_REPLY, read, final=False)
    if not read.cards and not str(read.none_reason).strip():
        problem = f"$.none_reason: {read.none_reason!r}; one sentence saying why there is no card"
        return UnreadReply(ReasonCode.UNUSABLE_REPLY, (problem,), final=False)
    return read


def incomplete(reply: Reply) -> UnreadReply | None:
    """Why a reply is no whole answer, None when it is one."""
    if reply.finish_reason == "length":
        return UnreadReply(
            ReasonCode.TRUNCATED_REPLY,
            ("the reply was cut off at the token limit; raise calls.max_reply_tokens",),
            final=True,
        )
    if reply.finish_reason == "content_filter":
        said = f": {reply.text.strip()[:200]!r}" if reply.text.strip() else ""
        problem = f"the model declined, or a filter of the provider stopped the reply{said}"
        return UnreadReply(ReasonCode.UNUSABLE_REPLY, (problem,), final=True)
    if reply.finish_reason != "stop":
        problem = "the provider ended the reply for a reason that is no regular end"
        return UnreadReply(ReasonCode.UNUSABLE_REPLY, (problem,), final=True)
    if not reply.text.strip():
        problem = "$: the reply is empty; one JSON object is due"
        return UnreadReply(ReasonCode.UNUSABLE_REPLY, (problem,), final=False)
    return None


@dataclass(frozen=True)
class NumberedCard:
    """The identity of a card that a paper already has: what a re-extraction is held against."""

    card_id: str
    symbol: str
    """Of the main readout."""
    unit: str


def main_readout(draft: CardDraft) -> tuple[str, str]:
    """Symbol and unit of the readout of the first relation; of the first readout else."""
    first = draft.relations[0].readout if draft.relations else None
    for readout in draft.readouts:
        if readout.name == first:
            return readout.symbol, readout.unit
    if draft.readouts:
        return draft.readouts[0].symbol, draft.readouts[0].unit
    return "", ""


def number_cards(
    drafts: Sequence[CardDraft], paper_id: str, existing: Sequence[NumberedCard] = ()
) -> tuple[NumberedCard, ...]:
    """One `<paper>/r<n>` per draft, in the order of the drafts.

    r numbers a paper's cards by first anchored line (ties: order given). A draft whose main
    readout agrees in symbol and unit with a card the paper already has keeps that card's r;
    any other takes the next free one, so that no r is ever given to another case.
    """
    known: dict[str, NumberedCard] = {card.card_id: card for card in existing}
    free = list(known.values())
    highest = max((int(card_id.rpartition("/r")[2]) for card_id in known), default=0)
    order = sorted(range(len(drafts)), key=lambda i: (first_line(drafts[i]), i))
    given: dict[int, NumberedCard] = {}
    for i in order:
        symbol, unit = main_readout(drafts[i])
        kept = next((c for c in free if (c.symbol, c.unit) == (symbol, unit)), None)
        if kept is None:
            highest += 1
            given[i] = NumberedCard(f"{paper_id}/r{highest}", symbol, unit)
        else:
            free.remove(kept)
            given[i] = kept
    return tuple(given[i] for i in range(len(drafts)))


__all__ = (
    "DEFAULT_MAX_TOKENS",
    "MAX_REPAIRS",
    "Extraction",
    "ExtractionConversation",
    "NumberedCard",
    "UnreadReply",
    "extraction_conversation",
    "incomplete",
    "main_readout",
    "number_cards",
    "read_extraction",
)
