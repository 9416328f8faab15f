"""Human decisions: `overrides.toml`, read by the gates, each with a reason and a name.

```toml
[[decision]]
subject = "sample:0004/r1"      # paper, paper version, card or family
action = "reject"               # accept | reject | withdraw
reason = "the prefactor was set by eye"
by = "A. Curator"
```
"""

import hashlib
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, cast, get_args

from lawsmith.curation.admission.gate_table import LIFTED
from lawsmith.curation.evidence import Reason, Verdict
from lawsmith.errors import InputError
from schemas.card import Card
from schemas.review import CARD_CRITERIA, Criterion, CriterionVerdict, Review
from schemas.source import ReasonCode

BY_HAND: Final = "/by-hand"
"""How the id of a person's review ends: it stands beside a model's review of the revision."""
Action = Literal["accept", "reject", "withdraw"]
_KEYS: Final = ("subject", "action", "reason", "by")


@dataclass(frozen=True)
class Override:
    """One decision of a person."""

    subject: str
    action: Action
    reason: str
    by: str


def parse_overrides(text: str, path: str = "overrides.toml") -> tuple[Override, ...]:
    """The decisions of a TOML text.

    Raises:
        InputError: not TOML, an unknown key, a missing or empty field, an unknown action, or
            two decisions about one subject.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"not TOML: {error}", path=path) from error
    if unknown := sorted(set(data) - {"decision"}):
        raise InputError(f"unknown key {unknown[0]!r}", path=path, fix="use [[decision]] tables")
    rows = data.get("decision", [])
    if not isinstance(rows, list):
        raise InputError("decision is no list of tables", path=path, fix="write [[decision]]")
    found: dict[str, Override] = {}
    for i, row in enumerate(rows):
        override = _row(row, f"{path}: decision[{i}]")
        if override.subject in found:
            raise InputError(
                f"a second decision about {override.subject!r}", path=f"{path}: decision[{i}]"
            )
        found[override.subject] = override
    return tuple(found.values())


def override_for(overrides: Sequence[Override], *subjects: str) -> Override | None:
    """The decision about the first of these ids that has one: give the most particular first."""
    named = {override.subject: override for override in overrides}
    return next((named[subject] for subject in subjects if subject in named), None)


def overruled(verdict: Verdict, override: Override | None) -> Verdict:
    """The verdict after a person's decision; what was set aside or added is `overridden`."""
    if override is None:
        return verdict
    sentence = f"{override.action} by {override.by}: {override.reason}"
    if override.action == "accept":
        kept = tuple(reason for reason in verdict.reasons if reason.code not in LIFTED)
        return Verdict(not kept, kept, verdict.not_run)
    added = Reason(ReasonCode.OVERRIDDEN, "", sentence)
    return Verdict(False, (*verdict.reasons, added), verdict.not_run)


def review_by_hand(override: Override, card: Card) -> Review:
    """A person's decision about a card as a review: the reviewer is the person.

    A person judges the card as a whole, so every criterion carries the one reason and no
    quotation. `accept` supports them all; `reject` and `withdraw` leave them unclear.
    """
    accepted = override.action == "accept"
    said = f"{override.action} by {override.by}: {override.reason}"
    return Review(
        id=f"{card.id}/card/{card.revision}{BY_HAND}",
        subject="card",
        card_id=card.id,
        paper_id=card.paper_id,
        packet_sha256=card.packet_sha256,
        subject_digest=card.digest,
        revision=card.revision,
        reviewer=override.by,
        same_model=False,
        criteria=tuple(
            CriterionVerdict(
                criterion=cast(Criterion, criterion),
                verdict="supported" if accepted else "unclear",
                first_line=None,
                last_line=None,
                quote_sha256=None,
                reason=said,
            )
            for criterion in CARD_CRITERIA
        ),
        decision="accept" if accepted else "reject",
        changes=None,
        # There is no prompt: the hash is that of what the person said.
        prompt_sha256=hashlib.sha256(said.encode("utf-8")).hexdigest(),
        replayed=False,
    )


def accepted_by_hand(card: Card, reviews: Sequence[Review]) -> Override | None:
    """The decision behind a person's accepting review of exactly this card, if there is one."""
    for review in reviews:
        if (
            review.id.endswith(BY_HAND)
            and review.decision == "accept"
            and review.subject_digest == card.digest
        ):
            reason = review.criteria[0].reason
            return Override(card.id, "accept", reason, review.reviewer)
    return None


def _row(row: object, path: str) -> Override:
    if not isinstance(row, dict):
        raise InputError(f"{row!r} is no table", path=path)
    if unknown := sorted(set(row) - set(_KEYS)):
        raise InputError(f"unknown key {unknown[0]!r}", path=path, fix=f"keys: {', '.join(_KEYS)}")
    for key in _KEYS:
        value = row.get(key)
        if not isinstance(value, str) or not value.strip():
            raise InputError(f"{key} is {value!r}; a text is due", path=path)
    if row["action"] not in get_args(Action):
        raise InputError(
            f"action {row['action']!r} is not one of {get_args(Action)}", path=f"{path}.action"
        )
    return Override(row["subject"], row["action"], row["reason"], row["by"])


__all__ = (
    "BY_HAND",
    "Action",
    "Override",
    "accepted_by_hand",
    "override_for",
    "overruled",
    "parse_overrides",
    "review_by_hand",
)
