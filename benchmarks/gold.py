"""Cards that a chain of readers' replies produced, against the gold cards of ../shared/papers.

Run with `python -m benchmarks.gold [folder of papers]`. It takes the recorded replies of
tests/real (readers saw only the rendered requests), runs extraction, gates and review over them,
and holds what comes out against each paper's gold card, field by field. Since a recorded reader
may rightly say that a paper has no executable relation, each gold relation goes through the same
gates in draft form: (a) do reader and gates agree on executability, (b) where there is a draft,
are its fields right. Every mistake of a reader is listed with what stopped it: a gate, the
reviewer, or nothing.
"""

import shutil
import sys
import tempfile
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.gold_cards import GoldCase, gold_cases
from benchmarks.gold_fields import Compared, Tally, compare
from lawsmith.chat import Conversation, Reply, Result, ValueT
from lawsmith.curation.admission import Admission, admit, admit_draft
from lawsmith.curation.admission_build import Making, build_card
from lawsmith.curation.extraction import Extraction, extraction_conversation, number_cards
from lawsmith.curation.known_laws import KnownLaw, textbook_laws
from lawsmith.curation.packets import build_packet, packet_of_paper
from lawsmith.curation.reviewing import CardReview, ReviewTerms, card_review_conversation
from lawsmith.curation.search_view import SearchView
from lawsmith.gateways.faults import ReplyMissingError
from lawsmith.gateways.local_folder import FolderSource
from lawsmith.gateways.replay import ReplayAnswerer
from schemas.card import CardDraft
from schemas.packet import Packet
from schemas.source import Paper, ReasonCode, Window

ROOT = Path(__file__).resolve().parents[1]
RECORDED = ROOT / "tests" / "real"
PAPERS = ROOT.parent / "shared" / "papers"
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
FIELDS = (
    *("relation", "relation form", "controls", "control units", "range ends"),
    *("readouts", "readout units", "readout resolution", "readout uncertainty"),
    *("parameters", "parameter units", "parameter values", "parameter uncertainty"),
    *("status", "origin", "conditions"),
)


@dataclass(frozen=True)
class Chained:
    """One drafted card after gates and review."""

    draft: CardDraft
    admission: Admission
    review: CardReview | None
    """None where a gate stopped it, or where no review is recorded."""

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
            return "nothing: slipped through"
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

    @property
    def executable(self) -> int:
        """Gold relations that nothing keeps from running."""
        return sum(not codes for _, codes in self.gold)


def judge(recorded: Path, papers: Path) -> list[Judged]:
    """Every recorded paper that is there, through the chain and against its gold card.

    Args:
        recorded: folder of `metadata.jsonl` and `replies.jsonl`.
        papers: folder of one folder a paper, with a `gold_card.json` where there is one.
    """
    answerer = ReplayAnswerer(f"replay/{recorded.name}", root=recorded.parent)
    known = textbook_laws(ROOT / "data" / "textbook_laws.jsonl")
    with tempfile.TemporaryDirectory() as shelf:
        found = [
            _judged(paper, packet_of_paper(paper, Path(shelf)), answerer, known, papers)
            for paper in _papers(recorded, papers, Path(shelf))
        ]
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


def _papers(recorded: Path, papers: Path, shelf: Path) -> tuple[Paper, ...]:
    shutil.copy(recorded / "metadata.jsonl", shelf)
    for folder in papers.iterdir():
        if folder.is_dir():
            shutil.copytree(folder, shelf / folder.name)
    return FolderSource(shelf, "folder").harvest(EVER).papers


def _judged(
    paper: Paper,
    packet: Packet,
    answerer: ReplayAnswerer,
    known: Sequence[KnownLaw],
    papers: Path,
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
    path = papers / slug / "gold_card.json"
    gold = tuple(
        (case, kept_from_running(case, packet, paper))
        for case in (gold_cases(path, packet) if path.is_file() else ())
    )
    compared = tuple(_best(case, cards) for case, _ in gold) if cards else ()
    return Judged(slug, extraction, cards, gold, compared)


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


def tallied(facts: Iterable[Compared]) -> dict[str, Tally]:
    """Counts by field, with their sum under `overall`."""
    found: dict[str, Tally] = defaultdict(Tally)
    for fact in facts:
        found[fact.field].add(fact)
        found["overall"].add(fact)
    return found


def mistakes(judged: Judged) -> Iterator[tuple[str, str, str, str, str]]:
    """(gold relation, fact, gold, reader, what stopped it) of everything that differs."""
    for case, card, facts in judged.compared:
        for fact in facts:
            if fact.agrees or card is None or fact.field == "relation form":
                continue
            stop = card.stopped_by(fact.path)
            yield case.id, fact.what, str(fact.gold), str(fact.draft), stop


def main() -> None:
    """Print the tables."""
    papers = Path(sys.argv[1]) if len(sys.argv) > 1 else PAPERS
    if not papers.is_dir():
        print(f"no papers at {papers}: nothing to compare")
        return
    found = judge(RECORDED, papers)
    print_executability(found)
    for judged in found:
        if judged.compared:
            print_fields(judged.slug, [fact for *_, facts in judged.compared for fact in facts])
    every = [fact for judged in found for *_, facts in judged.compared for fact in facts]
    print_fields("all papers with a draft", every)
    print("\nreaders' mistakes")
    listed = [(judged.slug, *row) for judged in found for row in mistakes(judged)]
    for slug, case, what, gold, got, stop in listed:
        print(f"  {slug}/{case}: {what}: gold {gold[:70]}, reader {got[:70]} -> {stop}")
    slipped = sum("slipped" in row[-1] for row in listed)
    print(f"  {len(listed)} differences, {slipped} of them slipped through")


def print_executability(found: Sequence[Judged]) -> None:
    """Whether reader and gates agree that a paper has something to run."""
    print(
        f"{'paper':26} {'gold':>4} {'runs':>4} {'drafts':>6} {'admitted':>8} {'accepted':>8}  agree"
    )
    agreed = 0
    for judged in found:
        drafts = len(judged.cards)
        admitted = sum(card.admission.card is not None for card in judged.cards)
        accepted = sum(
            card.review is not None and card.review.reason is ReasonCode.OK for card in judged.cards
        )
        agree = bool(admitted) == bool(judged.executable)
        comparable = bool(judged.gold) and judged.recorded
        agreed += agree and comparable
        verdict = ("yes" if agree else "no") if comparable else "–"
        counts = f"{len(judged.gold):4} {judged.executable:4} {drafts:6} {admitted:8} {accepted:8}"
        print(f"{judged.slug:26} {counts}  {verdict}")
        for case, codes in judged.gold:
            print(f"    gold {case.id}: {', '.join(codes) or 'runs'}")
        if judged.extraction is None:
            print("    reader: no recorded reply")
        elif not judged.gold:
            print("    no gold card")
        elif not drafts:
            print(f"    reader: {judged.extraction.reason}: {judged.extraction.sentence}")
    held = sum(bool(one.gold) and one.recorded for one in found)
    print(f"agreement on executability: {agreed} of {held} recorded papers with a gold card")


def print_fields(title: str, facts: Sequence[Compared]) -> None:
    """Precision and recall by field."""
    print(f"\n{title}")
    if not facts:
        print("  no reader drafted a card: no field to compare")
        return
    counts = tallied(facts)
    for name in (*FIELDS, "overall"):
        if name in counts:
            tally = counts[name]
            shares = f"precision {_share(tally.precision)}   recall {_share(tally.recall)}"
            numbers = (
                f"{tally.right:3} right of {tally.in_draft:3} drafted, {tally.in_gold:3} in gold"
            )
            print(f"  {name:22} {numbers}   {shares}")


def _share(value: float | None) -> str:
    return "   –" if value is None else f"{value:4.2f}"


if __name__ == "__main__":
    main()
