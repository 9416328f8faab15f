"""Several cards of one paper: one a set of controls, at most four, in the order of the paper."""

from collections.abc import Sequence
from typing import Final

from schemas.card import CardDraft

MAX_CARDS: Final = 4


def case_problems(drafts: Sequence[CardDraft]) -> tuple[str, ...]:
    """What is wrong with the cut of a paper into cards, each with its path.

    Two cards with the same controls and ranges are one case, unless each has a fixed condition
    that the other lacks: then they are of different systems.
    """
    problems = [
        f"$.cards[{j}].controls: the same controls and ranges as $.cards[{i}]; give one card with"
        " all readouts over them, or, for different systems, name each one's own system in its"
        " fixed_conditions"
        for j, i in sorted(_repeated(drafts).items())
    ]
    if len(drafts) > MAX_CARDS:
        problems.append(
            f"$.cards: {len(drafts)} cards; at most {MAX_CARDS} are taken, the best supported"
        )
    return tuple(problems)


def settled_cases(drafts: Sequence[CardDraft]) -> tuple[CardDraft, ...]:
    """The cards that stand: without repeated cases, the first four, by first anchored line."""
    repeated = _repeated(drafts)
    kept = [draft for i, draft in enumerate(drafts) if i not in repeated][:MAX_CARDS]
    # The sort is stable: cards that begin on one line keep the order in which they were given.
    return tuple(sorted(kept, key=first_line))


def first_line(draft: CardDraft) -> int:
    """The first line that a relation of a card is anchored to; 0 where there is none."""
    lines = [anchor.first_line for relation in draft.relations for anchor in relation.anchors]
    return min(lines, default=0)


def _repeated(drafts: Sequence[CardDraft]) -> dict[int, int]:
    """Index of each card that repeats a case -> index of the first card of that case."""
    found: dict[int, int] = {}
    for j, later in enumerate(drafts):
        for i, earlier in enumerate(drafts[:j]):
            if i not in found and _same_case(earlier, later):
                found[j] = i
                break
    return found


def _same_case(a: CardDraft, b: CardDraft) -> bool:
    if not a.controls or _controls(a) != _controls(b):
        return False
    here, there = (
        {item.statement.strip().lower() for item in draft.fixed_conditions} for draft in (a, b)
    )
    return not (here - there and there - here)


def _controls(draft: CardDraft) -> list[tuple[str, str, str]]:
    return sorted(
        (part.symbol.strip(), part.unit, repr((part.low, part.high, part.choices)))
        for part in draft.controls
    )


__all__ = ("MAX_CARDS", "case_problems", "first_line", "settled_cases")
