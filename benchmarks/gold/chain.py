"""Recorded papers through extraction, gates and review, and each beside its gold card."""

import shutil
import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from benchmarks.gold.cards import GoldCase, gold_cases, gold_verdict
from benchmarks.gold.facts import Compared
from benchmarks.gold.fields import compare
from lawsmith.chat import Conversation, Reply, Result, ValueT
from lawsmith.curation.admission.card_building import Making, build_card
from lawsmith.curation.admission.gates import Admission, admit, admit_draft
from lawsmith.curation.admission.known_laws import KnownLaw, textbook_laws
from lawsmith.curation.evidence.search_view import SearchView
from lawsmith.curation.packets import build_packet, packet_of_paper
from lawsmith.curation.reading.extraction import Extraction, extraction_conversation, number_cards
from lawsmith.curation.review.card_review import CardReview, ReviewTerms, card_review_conversation
from lawsmith.gateways.models.provider_errors import ReplyMissingError
from lawsmith.gateways.models.replay import ReplayAnswerer
from lawsmith.gateways.papers.local_folder import FolderSource
from schemas.card import CardDraft
from schemas.packet import Packet
from schemas.source import Paper, ReasonCode, Window

Source = Literal["sample", "folder"]
ROOT = Path(__file__).resolve().parents[2]
EVER = Window(start="1900-01-01", end="2100-01-01")
EXECUTABILITY = frozenset(
    {
        ReasonCode.DOMAIN_MISSING,
        ReasonCode.NOT_EXECUTABLE,
        ReasonCode.INVALID_EXPRESSION,
        ReasonCode.UNDECLARED_NAME,
        ReasonCode.UNKNOWN_UNIT,
        ReasonCode.DIMENSION_MISMATCH,
        ReasonCode.UNIT_INCOHERENT,
        ReasonCode.UNDEFINED_ON_DOMAIN,
    }
)
"""What keeps a card from running; a gold card's automatic anchors are no matter of the reader."""
SLIPPED = "nothing: slipped through"


@dataclass(frozen=True)
class Chained:
    """One drafted card after gates and review."""

    draft: CardDraft
    admission: Admission
    review: CardReview | None
    """None where a gate stopped it, or where no review is recorded."""

    @property
    def last_draft(self) -> CardDraft:
        """The draft that stands at the end, revisions included."""
        return self.review.drafts[-1] if self.review is not None else self.draft

    @property
    def fate(self) -> str:
        """What became of the card as a whole."""
        if self.admission.reasons:
            return f"gate {', '.join(sorted({one.code.value for one in self.admission.reasons}))}"
        if self.review is None:
            return "not reviewed"
        revised = len(self.review.drafts) - 1
        after = f" after {revised} revisions" if revised else ""
        return f"review {self.review.reason.value}{after}"

    def stopped_by(self, path: str) -> str:
        """What stopped this card, a finding at the path first."""
        reasons = self.admission.reasons
        if reasons:
            here = sorted({one.code.value for one in reasons if _touches(one.path, path)})
            if here:
                return f"gate {', '.join(here)}"
            return f"gate {reasons[0].code.value}, found elsewhere in the card"
        if self.review is None:
            return "not reviewed"
        doubted = [
            item.criterion
            for item in (self.review.reviews[-1].criteria if self.review.reviews else ())
            if item.verdict != "supported"
        ]
        if self.review.reason is ReasonCode.OK:
            return SLIPPED
        return f"reviewer {', '.join(doubted) or self.review.reason.value}"


def _touches(found: str, path: str) -> bool:
    """Whether a finding and a fact lie on one branch of the card."""
    one, two = f"{found}/", f"{path}/"
    return bool(path) and (one.startswith(two) or two.startswith(one))


@dataclass(frozen=True)
class Judged:
    """One recorded paper."""

    slug: str
    extraction: Extraction | None
    """None where the recording lacks a reply."""
    cards: tuple[Chained, ...]
    gold: tuple[tuple[GoldCase, tuple[ReasonCode, ...]], ...]
    """Each gold relation with the codes that keep it from running; none where there is no gold."""
    compared: tuple[tuple[GoldCase, Chained | None, tuple[Compared, ...]], ...]
    recorded: bool = True
    verdict: str | None = None
    """What a complete gold card says of the paper: `runs`, `stopped` or `none`."""
    read: tuple[Paper, Packet] | None = None
    """Paper and packet; None for a paper without a recording."""

    @property
    def executable(self) -> int:
        """Gold relations that nothing keeps from running."""
        return sum(not codes for _, codes in self.gold)

    @property
    def has_gold(self) -> bool:
        """Whether there is a gold card, be it one that says that there is no relation."""
        return bool(self.gold) or self.verdict is not None


def judge(
    recorded: Path, papers: Path, gold: Path | None = None, source: Source = "folder"
) -> list[Judged]:
    """Every recorded paper that is there, through the chain and against its gold card.

    Args:
        recorded: folder of `metadata.jsonl` and `replies.jsonl`.
        papers: folder of the papers' files.
        gold: folder of one JSON file a paper; without it a paper's gold card is the
            `gold_card.json` in its own folder, where there is one.
        source: name of the source that the recording gives its papers.
    """

    def card_of(slug: str) -> Path:
        return gold / f"{slug}.json" if gold is not None else papers / slug / "gold_card.json"

    answerer = ReplayAnswerer(f"replay/{recorded.name}", root=recorded.parent)
    known = textbook_laws(ROOT / "data" / "textbook_laws.jsonl")
    with tempfile.TemporaryDirectory() as shelf:
        found = [
            _judged(paper, packet_of_paper(paper, Path(shelf)), answerer, known, card_of)
            for paper in _papers(recorded, papers, Path(shelf), source)
        ]
    if gold is not None:
        return found
    return [*found, *_unrecorded({judged.slug for judged in found}, papers)]


def _unrecorded(recorded: Collection[str], papers: Path) -> Iterator[Judged]:
    """Gold papers without a recording: only what our gates say of the gold card."""
    for path in sorted(papers.glob("*/gold_card.json")):
        folder = path.parent
        if folder.name in recorded:
            continue
        sources = [folder / name for name in ("source", "source.tex", "paper.pdf")]
        packet = build_packet(next(source for source in sources if source.exists()))
        cases = gold_cases(path, packet)
        gold = tuple((case, kept_from_running(case, packet, None)) for case in cases)
        yield Judged(folder.name, None, (), gold, (), recorded=False)


def _papers(recorded: Path, papers: Path, shelf: Path, source: Source) -> tuple[Paper, ...]:
    shutil.copy(recorded / "metadata.jsonl", shelf)
    for folder in papers.iterdir():
        if folder.is_dir():
            shutil.copytree(folder, shelf / folder.name)
    return FolderSource(shelf, source).harvest(EVER).papers


def _judged(
    paper: Paper,
    packet: Packet,
    answerer: ReplayAnswerer,
    known: Sequence[KnownLaw],
    card_of: Callable[[str], Path],
) -> Judged:
    slug = paper.paper_id.partition(":")[2]
    extraction = answered(extraction_conversation(packet), answerer)
    drafts = extraction.cards if extraction else ()
    numbers = number_cards(drafts, paper.paper_id)
    cards = tuple(
        _chained(draft, number.card_id, packet, paper, extraction.model, answerer, known)
        for draft, number in zip(drafts, numbers, strict=True)
        if extraction is not None
    )
    path = card_of(slug)
    there = path.is_file()
    gold = tuple(
        (case, kept_from_running(case, packet, paper))
        for case in (gold_cases(path, packet) if there else ())
    )
    compared = tuple(_best(case, cards) for case, _ in gold) if cards else ()
    verdict = gold_verdict(path) if there else None
    return Judged(slug, extraction, cards, gold, compared, verdict=verdict, read=(paper, packet))


def answered(talk: Conversation[ValueT], answerer: ReplayAnswerer) -> ValueT | None:
    """What recorded replies bring a conversation to; None where one is missing."""
    replies: list[Reply] = []
    while True:
        step = talk.step(tuple(replies))
        if isinstance(step, Result):
            return step.value
        try:
            replies.extend(answerer.answer([step]))
        except ReplyMissingError:
            return None


def kept_from_running(
    case: GoldCase, packet: Packet, paper: Paper | None
) -> tuple[ReasonCode, ...]:
    """The codes of our gates that keep a gold relation from running."""
    making = Making(f"{packet.paper_id}/r1", "gold", "0" * 64, 0, False)
    built = build_card(case.draft, packet, SearchView(packet), making)
    found = {reason.code for reason in built.reasons}
    if built.card is not None:
        licence = None if paper is None else paper.licence
        found |= {reason.code for reason in admit(built.card, packet, licence=licence).reasons}
    return tuple(code for code in ReasonCode if code in found & EXECUTABILITY)


def _chained(
    draft: CardDraft,
    card_id: str,
    packet: Packet,
    paper: Paper,
    model: str,
    answerer: ReplayAnswerer,
    known: Sequence[KnownLaw],
) -> Chained:
    admission = admit_draft(
        draft,
        packet,
        card_id=card_id,
        paper=paper,
        extractor=model,
        prompt_sha256="0" * 64,
        replayed=True,
        known=known,
    )
    if admission.card is None:
        return Chained(draft, admission, None)
    terms = ReviewTerms(known=known)
    talk = card_review_conversation(admission.card, draft, packet, paper, terms)
    return Chained(draft, admission, answered(talk, answerer))


def _best(
    case: GoldCase, cards: Sequence[Chained]
) -> tuple[GoldCase, Chained | None, tuple[Compared, ...]]:
    """The drafted card that agrees best with a gold relation."""
    tried = [(card, tuple(compare(case, card.draft))) for card in cards]
    card, facts = max(tried, key=lambda pair: sum(fact.agrees for fact in pair[1]))
    if not any(fact.agrees for fact in facts):
        return case, None, tuple(compare(case, None))
    return case, card, facts


def mistakes(judged: Judged) -> Iterator[tuple[str, str, str, str, str]]:
    """(gold relation, fact, gold, reader, what stopped it) of everything that differs."""
    for case, card, facts in judged.compared:
        if card is None:
            continue
        later = {(fact.what, fact.agrees) for fact in compare(case, card.last_draft)}
        for fact in facts:
            if fact.agrees or fact.field == "relation form":
                continue
            revised = card.last_draft is not card.draft and (fact.what, False) not in later
            stop = "revision" if revised else card.stopped_by(fact.path)
            yield case.id, fact.what, str(fact.gold), str(fact.draft), stop
    if judged.verdict is None:
        return
    taken = [card for _, card, _ in judged.compared]
    for card in judged.cards:
        if not any(card is one for one in taken):
            yield "–", "a card of its own", "None", card.draft.title, card.stopped_by("")
    if not judged.cards and judged.gold:
        yield judged.gold[0][0].id, "a card", judged.gold[0][0].id, "None", "no card was drafted"


__all__ = (
    "SLIPPED",
    "Chained",
    "Judged",
    "answered",
    "judge",
    "kept_from_running",
    "mistakes",
)
