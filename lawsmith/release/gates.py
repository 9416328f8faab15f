"""The gates of the release step: every earlier gate once more, before a byte is written.

A failed check of an earlier stage does not stop a later stage that runs alone, so the
release repeats them itself.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from lawsmith.errors import IntegrityError
from lawsmith.mutation.screening import certify, differing_figures
from lawsmith.release.content import ReleaseContent, check_version
from lawsmith.release.tables import row_path
from schemas.card import Card
from schemas.family import Certificate, Family
from schemas.historical_card import HistoricalCard
from schemas.release import Fault
from schemas.review import CARD_CRITERIA, CASE_CRITERIA, Review

Certifier = Callable[[Family], Sequence[Certificate]]
CERTIFIERS: Final[Mapping[int, Certifier]] = {2: certify}
"""Version of the rule `cert` -> what recomputes its certificates."""


def check_gates(content: ReleaseContent, certifier: Certifier = certify) -> None:
    """Nothing, or an error that lists every gate that does not hold.

    Raises:
        InputError: the version is none or has the wrong suffix.
        IntegrityError: a gate does not hold.
    """
    check_version(content.collection, content.version)
    faults = list(gate_faults(content.families, content.cards, content.reviews, content.relaxed))
    for family in content.families:
        faults += certificate_faults(family, certifier)
    faults += admission_faults(content)
    if content.incomplete == () and any(row.outcome == "failed" for row in content.dispositions):
        faults.append(Fault(path="dispositions", what="there are failed rows"))
    if faults:
        listed = "; ".join(f"{fault.path}: {fault.what}" for fault in faults[:20])
        raise IntegrityError(
            f"{len(faults)} gates do not hold: {listed}",
            path=content.release_id,
            fix="rebuild the families and reviews named, or leave them out",
        )


def gate_faults(
    families: Sequence[Family],
    cards: Sequence[Card | HistoricalCard],
    reviews: Sequence[Review],
    relaxed: bool,
) -> Iterator[Fault]:
    """What the records of a release say against it, without recomputing anything.

    Every family has its card, by digest; certificates passed, or are `not_run` where the
    version allows it; a family from a paper has both reviews accepted with nothing
    unsupported.
    """
    by_id = {card.id: card for card in cards}
    of_card: dict[str, list[Review]] = defaultdict(list)
    for review in reviews:
        of_card[review.card_id].append(review)
    if len({family.id for family in families}) != len(families):
        yield Fault(path="families", what="a family stands twice")
    for family in families:
        where = row_path("families", family.id)
        card = by_id.get(family.card_id)
        if card is None:
            yield Fault(path=f"{where}/card_id", what=f"card {family.card_id} is not there")
        elif card.digest != family.card_digest:
            yield Fault(
                path=row_path("cards", card.id),
                what="the card's digest is not the one the family was forged from",
            )
        yield from _outcomes(family, where, relaxed)
        if family.kind == "temporal":
            yield from _reviewed(family, of_card[family.card_id])


def certificate_faults(family: Family, certifier: Certifier = certify) -> list[Fault]:
    """Where recomputed certificates differ from the stored ones, figure by figure."""
    return [
        Fault(
            path=f"{row_path('families', family.id)}/{path}",
            what="differs from the recomputed certificate",
        )
        for path in differing_figures(family.certificates, certifier(family))
    ]


def admission_faults(content: ReleaseContent) -> list[Fault]:
    """Cards that no longer pass admission, where their packets are at hand."""
    packets = content.packets or {}
    if not packets:
        return []
    # Verifying and scoring import this module and need nothing of curation.
    from lawsmith.curation.admission import accepted_by_hand, admit

    licences = {paper.paper_id: paper.licence for paper in content.papers}
    faults: list[Fault] = []
    for card in content.cards:
        if not isinstance(card, Card) or card.id not in packets:
            continue
        verdict = admit(
            card,
            packets[card.id],
            licence=licences.get(card.paper_id),
            override=accepted_by_hand(card, content.reviews),
        )
        faults += [
            Fault(
                path=row_path("cards", card.id) + reason.path,
                what=f"{reason.code}: {reason.sentence}",
            )
            for reason in verdict.reasons
        ]
    return faults


def _outcomes(family: Family, where: str, relaxed: bool) -> Iterator[Fault]:
    if not family.certificates:
        yield Fault(path=f"{where}/certificates", what="there are none")
    for certificate in family.certificates:
        if certificate.outcome == "failed":
            yield Fault(
                path=f"{where}/certificates/{certificate.number}/outcome",
                what=f"failed: {certificate.sentence}",
            )
        elif certificate.outcome == "not_run" and not relaxed:
            yield Fault(
                path=f"{where}/certificates/{certificate.number}/outcome",
                what="not run; allowed only in -sample and -dev versions",
            )


def _reviewed(family: Family, reviews: Sequence[Review]) -> Iterator[Fault]:
    """What is missing of the reviews of a family, given every review of its card."""
    wanted: Mapping[str, tuple[str, tuple[str, ...]]] = {
        "card": (family.card_digest, CARD_CRITERIA),
        "case": (family.digest, CASE_CRITERIA),
    }
    for subject, (digest, criteria) in wanted.items():
        where = row_path("reviews", f"{family.card_id}/{subject}")
        found = [
            review
            for review in reviews
            if review.subject == subject and review.subject_digest == digest
        ]
        accepted = [review for review in found if review.decision == "accept"]
        if not accepted:
            yield Fault(path=where, what=f"no accepting {subject} review of {digest[:12]}")
            yield from _of_another(reviews, subject, digest)
        for review in accepted:
            verdicts = {item.criterion: item.verdict for item in review.criteria}
            missing = [name for name in criteria if name not in verdicts]
            against = [name for name, verdict in verdicts.items() if verdict == "unsupported"]
            if missing or against:
                yield Fault(
                    path=f"{row_path('reviews', review.id)}/criteria",
                    what=f"accepted without {missing} and against unsupported {against}",
                )


def _of_another(reviews: Sequence[Review], subject: str, digest: str) -> Iterator[Fault]:
    """Reviews of the same card that judged something else than what is released."""
    for review in reviews:
        if review.subject == subject and review.subject_digest != digest:
            yield Fault(
                path=f"{row_path('reviews', review.id)}/subject_digest",
                what=f"is not the digest of the released {subject}",
            )


__all__ = (
    "CERTIFIERS",
    "Certifier",
    "admission_faults",
    "certificate_faults",
    "check_gates",
    "gate_faults",
)
