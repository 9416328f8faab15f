"""Correct cards that the seeded-defect bench starts from, each beside its packet.

Four sources: the recorded drafts of the bundled sample, cards read by hand from papers of
`../shared/papers` (`cards.json`, quotes of at most 300 characters), and two sets that
no gate was written with in view: cards of the other papers there (`heldout.json`) and
short made-up papers in other typographies (`papers.json`).
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from lawsmith.curation.admission.gates import Admission, admit_draft
from lawsmith.curation.admission.known_laws import KnownLaw, textbook_laws
from lawsmith.curation.evidence.search_view import SearchView
from lawsmith.curation.packets import build_packet
from schemas.card import CardDraft
from schemas.packet import Packet
from schemas.source import Paper

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "data" / "sample"
PAPERS = ROOT.parent / "shared" / "papers"
CARDS = ROOT / "benchmarks" / "defects" / "cards.json"
HELD_OUT = ROOT / "benchmarks" / "defects" / "heldout.json"
MADE = ROOT / "benchmarks" / "defects" / "papers.json"
Data = dict[str, Any]
_UNMADE = frozenset({"domain_missing", "not_executable"})


@dataclass(frozen=True, eq=False)
class Base:
    """A correct draft beside its packet.

    Attributes:
        id: names the paper and the card.
        draft: as JSON data.
        packet: the text it was read from.
        readable: the print of its formulas can be read by code.
        expected: reason codes that the card has for what the paper is; subtracted.
        wording: pieces of the packet that say how values were combined and where the law is from.
        whole: the paper prints all that a card needs. Without it no card is made and most gates do
            not run, so that nothing is seeded: such a card only must raise no other alarm.
    """

    id: str
    draft: Data
    packet: Packet
    readable: bool
    expected: frozenset[str]
    wording: dict[str, str]
    whole: bool = True

    @cached_property
    def view(self) -> SearchView:
        """The packet's search view."""
        return SearchView(self.packet)

    def with_lines(self, lines: list[str]) -> "Base":
        """The same card beside another text."""
        return replace(self, packet=repacked(self.packet, lines))


def repacked(packet: Packet, lines: list[str]) -> Packet:
    """A packet with other lines, under the hash of its text."""
    digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()
    head, _, _ = packet.id.rpartition("/")
    return packet.model_copy(
        update={"lines": tuple(lines), "text_sha256": digest, "id": f"{head}/{digest[:12]}"}
    )


def bases(papers: Path = PAPERS) -> tuple[list[Base], list[str]]:
    """The base cards at hand, and the ids of those whose paper is not in this folder."""
    found = [*_sample(), *_made()]
    absent = []
    for row in (
        *json.loads(CARDS.read_text(encoding="utf-8")),
        *json.loads(HELD_OUT.read_text(encoding="utf-8")),
    ):
        path = papers / row["file"]
        if not path.exists():
            absent.append(row["id"])
            continue
        packet = build_packet(path, paper_id=f"folder:{row['id'].split('/')[0]}", version=1)
        expected = frozenset(row["base_reasons"])
        whole = not expected & _UNMADE
        found.append(Base(row["id"], row["draft"], packet, False, expected, {}, whole))
    return found, absent


def admission(base: Base, draft: Data, known: tuple[KnownLaw, ...] = ()) -> Admission:
    """What building and every gate say about a draft beside the packet of a base."""
    packet = base.packet
    paper = Paper(
        id=f"{packet.paper_id}v{packet.version}",
        paper_id=packet.paper_id,
        version=packet.version,
        source="folder",
        title="",
        abstract="",
        authors=(),
        categories=(),
        published="2026-05-04T00:00:00Z",
        updated="2026-05-04T00:00:00Z",
        doi=None,
        journal_ref=None,
        licence="CC-BY-4.0",
        files=(),
        withdrawn=False,
        synthetic=True,
    )
    return admit_draft(
        CardDraft.model_validate_json(json.dumps(draft)),
        packet,
        card_id=f"{packet.paper_id}/r1",
        paper=paper,
        extractor="reader-a",
        prompt_sha256="0" * 64,
        known=known,
        view=base.view,
    )


def known_laws() -> tuple[KnownLaw, ...]:
    """The bundled textbook laws."""
    return textbook_laws(ROOT / "data" / "textbook_laws.jsonl")


_SAMPLE_WORDING: dict[str, dict[str, str]] = {
    "0001": {
        "crossed": "in a full-factorial design: every one of the 42 combinations was run",
        "crossed2": "were crossed with",
        "claim": "A weighted least-squares fit to the 42 mean fluxes gave the relation",
    },
    "0002": {
        "claim": "The relation fitted to the steady fluxes by least squares on the logarithm of the"
        " flux is",
        "crossed": "eight pressures, six velocities and five concentrations were crossed in full,"
        " with one exception.",
    },
    "0003": {
        "crossed": "were crossed with seven payloads from 0.5 kg to 6.0 kg, and all 63 combinations"
        " were walked",
        "claim": "A fit to the 63 mean powers gave",
    },
    "0005": {"crossed": "were crossed in full", "claim": "The excess temperature was fitted by"},
    "0006": {
        "crossed": "were crossed with",
        "crossed2": "all 56 combinations were measured",
        "claim": "The rates were fitted by",
    },
    "0007": {
        "crossed": "Times and velocities were crossed in full",
        "claim": "All 80 depths were fitted at once by",
    },
    "0008": {
        "crossed": "The levels were crossed in full",
        "claim": "A fit to the 150 means gave",
    },
}


def _sample() -> Iterator[Base]:
    for line in (SAMPLE / "replies.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        cards = json.loads(row["text"]).get("cards") if row["role"] == "extractor" else None
        if not cards:
            continue
        head, kind, _ = row["subject_id"].split("/")
        number = head[7:11]
        folder = {"pdf": f"papers/sample-{number}.pdf", "tex": f"tex/sample-{number}/main.tex"}
        packet = build_packet(SAMPLE / folder[kind], paper_id=f"sample:{number}", version=1)
        expected = frozenset({"dimension_mismatch"} if number == "0005" else ())
        for draft in cards:
            name, wording = f"sample/{number}", _SAMPLE_WORDING[number]
            yield Base(name, draft, packet, True, expected, wording)


def _made() -> Iterator[Base]:
    for row in json.loads(MADE.read_text(encoding="utf-8")) if MADE.exists() else ():
        text = "\n".join(row["lines"])
        digest = hashlib.sha256(text.encode()).hexdigest()
        packet = Packet(
            id=f"folder:{row['id'].replace('/', '-')}v1/{row['kind']}/{digest[:12]}",
            paper_id=f"folder:{row['id'].replace('/', '-')}",
            version=1,
            kind=row["kind"],
            extractor="none",
            extractor_version="1",
            options={},
            files=(),
            lines=tuple(row["lines"]),
            sections=(None,) * len(row["lines"]),
            pages=(None,) * len(row["lines"]),
            text_sha256=digest,
            excluded_pages=(),
            quality={},
        )
        yield Base(row["id"], row["draft"], packet, True, frozenset(), row["wording"])


__all__ = ("Base", "Data", "admission", "bases", "known_laws", "repacked")
