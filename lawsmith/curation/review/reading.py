"""Reading a review: every criterion once, quotes found by code, no accept over a doubt."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from typing import Final

from lawsmith.chat import Reply
from lawsmith.curation.evidence import SearchView, place_quote
from lawsmith.curation.reading import Shown, UnreadReply, incomplete, read_reply
from lawsmith.curation.review.disagreement import accept_refused
from schemas.packet import Packet
from schemas.review import (
    CARD_CRITERIA,
    CASE_CRITERIA,
    CriterionDraft,
    CriterionVerdict,
    ReviewDraft,
    ReviewSubject,
)
from schemas.source import ReasonCode

CRITERIA: Final[dict[ReviewSubject, tuple[str, ...]]] = {
    "card": CARD_CRITERIA,
    "case": CASE_CRITERIA,
}
_UNQUOTED: Final = frozenset({"construction", "background"})
"""Criteria that may be supported without a quote: they speak of what is not in the paper."""


def read_review(
    reply: Reply,
    subject: ReviewSubject,
    packet: Packet,
    view: SearchView,
    shown: Shown | None = None,
) -> tuple[ReviewDraft, tuple[CriterionVerdict, ...]] | UnreadReply:
    """A reviewer's reply with its quotes found in the packet, or what is wrong with it.

    Args:
        reply: of the reviewer.
        subject: card or case, which decides the criteria.
        packet: the text.
        view: its search view.
        shown: the lines that the reviewer read; a quote of another is refused. None: all.
    """
    refused = incomplete(reply)
    if refused is not None:
        return refused
    draft = read_reply(reply, ReviewDraft)
    if not isinstance(draft, ReviewDraft):
        return UnreadReply(ReasonCode.UNUSABLE_REPLY, draft, final=False)
    doubted = _doubted(draft)
    problems = list(_whole_problems(draft, CRITERIA[subject], doubted))
    verdicts = []
    for i, criterion in enumerate(draft.criteria):
        verdict, problem = _placed(criterion, packet, view, f"$.criteria[{i}]")
        if shown and problem is None and verdict.first_line and verdict.last_line:
            problem = _unseen(verdict.first_line, verdict.last_line, shown, f"$.criteria[{i}]")
        verdicts.append(verdict)
        problems += [problem] if problem else []
    if problems:
        return UnreadReply(ReasonCode.UNUSABLE_REPLY, tuple(problems), False, doubted)
    order = {name: n for n, name in enumerate(CRITERIA[subject])}
    return draft, tuple(sorted(verdicts, key=lambda verdict: order[verdict.criterion]))


def _unseen(first_line: int, last_line: int, shown: Shown, path: str) -> str | None:
    if shown.holds(first_line, last_line):
        return None
    return f"{path}.first_line: lines {first_line}-{last_line} were left out of what you read"


def _doubted(draft: ReviewDraft) -> tuple[str, ...]:
    """The criteria that a review accepts over without supporting them."""
    if draft.decision != "accept":
        return ()
    return tuple(c.criterion for c in draft.criteria if c.verdict != "supported")


def _whole_problems(
    draft: ReviewDraft, criteria: Sequence[str], doubted: Sequence[str]
) -> list[str]:
    counts: Counter[str] = Counter(criterion.criterion for criterion in draft.criteria)
    problems = [
        f"$.criteria: {name!r} is given {counts[name]} times; once is due"
        for name in criteria
        if counts[name] != 1
    ]
    problems += [
        f"$.criteria: {name!r} is no criterion of this review"
        for name in counts
        if name not in criteria
    ]
    if doubted:
        problems.append(f"$.decision: {accept_refused(doubted)}")
    said = draft.changes is not None and draft.changes.strip() != ""
    if (draft.decision == "revise") != said:
        problems.append(
            f"$.changes: the decision is {draft.decision!r} and changes is"
            f" {'given' if said else 'null'}; changes are due exactly when the decision is revise"
        )
    return problems


def _placed(
    draft: CriterionDraft, packet: Packet, view: SearchView, path: str
) -> tuple[CriterionVerdict, str | None]:
    given = (draft.first_line, draft.last_line, draft.quote)
    problem: str | None = None
    first, last, digest = draft.first_line, draft.last_line, None
    if draft.first_line is None or draft.last_line is None or draft.quote is None:
        if any(part is not None for part in given):
            problem = f"{path}: first_line, last_line and quote are null together or not at all"
        elif draft.verdict == "supported" and draft.criterion not in _UNQUOTED:
            problem = f"{path}.quote: {draft.criterion!r} is supported, so a quote is due"
    else:
        placed = place_quote(draft.quote, draft.first_line, draft.last_line, packet, view, path)
        first, last = placed.first_line, placed.last_line
        digest = hashlib.sha256(draft.quote.encode("utf-8")).hexdigest()
        if placed.reason is not None:
            problem = f"{path}.quote: {placed.reason.sentence}"
    if not draft.reason.strip():
        problem = problem or f"{path}.reason: a reason is due"
    verdict = CriterionVerdict(
        criterion=draft.criterion,
        verdict=draft.verdict,
        first_line=first,
        last_line=last,
        quote_sha256=digest,
        reason=draft.reason,
    )
    return verdict, problem


__all__ = ("CRITERIA", "read_review")
