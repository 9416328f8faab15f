"""Admission: the gates of code that a card passes before review, after revision and at the cut.

The gates stand in `gate_table`. Every gate that can run does run, so that all reasons are
collected; a gate that builds on another one's finding is listed as not run when that one failed.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from lawsmith.curation.admission.card_building import Making, build_card
from lawsmith.curation.admission.context import Bench
from lawsmith.curation.admission.gate_table import GATES
from lawsmith.curation.admission.known_laws import KnownLaw
from lawsmith.curation.admission.overrides import Override, overruled
from lawsmith.curation.admission.words import polarity_reasons
from lawsmith.curation.evidence import Reason, SearchView, Verdict
from lawsmith.curation.reading import Shown, hidden_anchors
from schemas.card import Card, CardDraft
from schemas.packet import Packet
from schemas.source import Paper


@dataclass(frozen=True)
class Admission:
    """What the gates made of a draft."""

    card: Card | None
    """The admitted card; None when any reason stands."""
    reasons: tuple[Reason, ...]
    not_run: tuple[str, ...]
    refused: Card | None
    """The card that could be built and was refused, for the record."""


def admit(
    card: Card,
    packet: Packet,
    known: Sequence[KnownLaw] = (),
    licence: str | None = None,
    override: Override | None = None,
) -> Verdict:
    """The verdict of every gate on a card.

    Args:
        card: the card.
        packet: the frozen text it was made from.
        known: textbook laws, Historical families and families already built.
        licence: SPDX identifier of the paper; None = not redistributable.
        override: a person's decision about the card or its paper.
    """
    bench = Bench(card, packet, known, licence)
    reasons: list[Reason] = []
    not_run: list[str] = []
    blocked: set[str] = set()
    for gate in GATES:
        if blocked.intersection(gate.needs):
            not_run.append(gate.name)
            blocked.add(gate.name)
            continue
        found = tuple(gate.run(bench))
        if found:
            blocked.add(gate.name)
        reasons.extend(found)
    return overruled(Verdict(not reasons, tuple(reasons), tuple(not_run)), override)


def admit_draft(
    draft: CardDraft,
    packet: Packet,
    *,
    card_id: str,
    paper: Paper,
    extractor: str,
    prompt_sha256: str,
    revision: int = 0,
    replayed: bool = False,
    known: Sequence[KnownLaw] = (),
    override: Override | None = None,
    shown: Shown | None = None,
    view: SearchView | None = None,
) -> Admission:
    """The card of a draft, if anchoring, making and every gate allow it.

    Args:
        draft: what the extractor filled in.
        packet: the text shown to it.
        card_id: `<paper>/r<n>`.
        paper: for the licence.
        extractor: the model that answered.
        prompt_sha256: of the prompt file it answered to.
        revision: 0, or 1 or 2 after a review.
        replayed: the reply was read from a recording.
        known: as for `admit`.
        override: as for `admit`.
        shown: the lines that the extractor read, where the packet was too long for it; an
            anchor that names another is refused. None: all of them.
        view: the packet's search view, where the caller has it already.
    """
    making = Making(card_id, extractor, prompt_sha256, revision, replayed)
    built = build_card(draft, packet, view or SearchView(packet), making)
    # Code may have found a quote elsewhere than the draft says: both places count.
    hidden = (*hidden_anchors(draft, shown), *hidden_anchors(built.card, shown))
    turned = tuple(polarity_reasons(draft, packet))
    if built.card is None:
        reasons = tuple(dict.fromkeys((*built.reasons, *hidden, *turned)))
        return Admission(None, reasons, tuple(gate.name for gate in GATES), None)
    verdict = admit(built.card, packet, known, paper.licence, override)
    # Building and the anchors gate may both find that a fact has no anchor.
    reasons = tuple(dict.fromkeys((*built.reasons, *hidden, *turned, *verdict.reasons)))
    admitted = not reasons
    return Admission(
        card=built.card if admitted else None,
        reasons=reasons,
        not_run=verdict.not_run,
        refused=None if admitted else built.card,
    )


__all__ = ("Admission", "Reason", "Verdict", "admit", "admit_draft")
