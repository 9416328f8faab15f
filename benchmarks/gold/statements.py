"""Sentences of a card beside those of a complete gold card.

No code can tell whether two sentences mean the same. Compared is what can be: a reader's sentence
stands for a gold one where it is anchored to the same words of the paper, and where it holds the
numerals that the gold sentence turns on. In which list of the card it stands is not judged: the
lists overlap in meaning (a limit of use is a condition turned round). What remains is read by
hand.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from benchmarks.gold.cards import GoldCase, GoldStatement
from benchmarks.gold.facts import Compared
from lawsmith.curation.evidence.search_view import fold
from schemas.card import AnchorDraft, CardDraft

SHARED = 12
"""Characters in a row that two quotations share at the least."""
HOMES = {
    "conditions": ("fixed_conditions", "applicability", "claim_dependencies", "constraints"),
    "limitations": ("limitations",),
    "aggregation": ("aggregation",),
    "sample_size": ("sample_size",),
}
"""Field of the table -> lists of a draft whose sentences count under it."""
ELSEWHERE = ("mechanisms", "readouts")
"""Lists where a fact may stand as well; their own entries are not judged as sentences."""
_FIELDS = {name: title for title, names in HOMES.items() for name in names}


@dataclass(frozen=True)
class _Said:
    """One sentence of a draft."""

    path: str
    field: str | None
    text: str
    anchors: tuple[AnchorDraft, ...]


def compared_statements(gold: GoldCase, draft: CardDraft) -> Iterator[Compared]:
    """Every gold sentence with the reader's, then what the reader says beyond gold."""
    said = list(_sentences(draft))
    for item in gold.statements:
        if item.bound:
            near = [one for one in said if _same_place(item.anchor, one.anchors)]
            hit = next((one for one in near if _says(item, one)), None)
            shown = hit or next(iter(near), None)
            told = None if shown is None else shown.text
            path = "" if shown is None else shown.path
            field = _FIELDS[item.field]
            yield Compared(field, item.statement, item.statement, told, hit is not None, path)
    for one in said:
        if one.field is None or one.path.startswith("/constraints"):
            continue
        known = [item for item in gold.statements if _same_place(item.anchor, one.anchors)]
        if not any(item.bound for item in known):
            right = any(_says(item, one) for item in known)
            yield Compared(one.field, f"also says: {one.text}", None, one.text, right, one.path)


def _sentences(draft: CardDraft) -> Iterator[_Said]:
    for names, field in [*((names, field) for field, names in HOMES.items()), (ELSEWHERE, None)]:
        for name in names:
            for i, item in enumerate(getattr(draft, name)):
                words = (getattr(item, key, "") for key in ("statement", "meaning", "definition"))
                yield _Said(f"/{name}/{i}", field, " ".join(words).strip(), tuple(item.anchors))


def _says(item: GoldStatement, one: _Said) -> bool:
    return all(word.lower() in one.text.lower() for word in item.says)


def _same_place(gold: AnchorDraft, anchors: Sequence[AnchorDraft]) -> bool:
    """Whether a quotation on the gold lines shares words with the gold quotation."""
    return any(
        gold.first_line <= one.last_line
        and one.first_line <= gold.last_line
        and _shared(fold(gold.quote), fold(one.quote))
        for one in anchors
    )


def _shared(one: str, two: str) -> bool:
    wanted = min(SHARED, len(one), len(two))
    match = SequenceMatcher(None, one, two, autojunk=False).find_longest_match()
    return match.size >= wanted


__all__ = ("compared_statements",)
