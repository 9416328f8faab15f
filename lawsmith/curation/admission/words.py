"""Gates on words: an anchor speaks of its fact, and a sentence says yes where its quote does.

Both compare words only. They find an anchor that has nothing to do with what it bears, and a
claim whose negation was lost or put in; what the words mean is the reviewer's.
"""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Final

from lawsmith.curation.admission.context import Bench
from lawsmith.curation.evidence import (
    CLAIMS,
    ESTIMATED,
    FIT,
    LIGATURES,
    Named,
    Reason,
    is_table_head,
    mentions,
    numbers_in,
    prose,
    spellings,
)
from lawsmith.expressions import number_text
from schemas.card import (
    Anchor,
    AnchorDraft,
    CardDraft,
    Choices,
    Control,
    Definition,
    Parameter,
    Readout,
)
from schemas.packet import Packet
from schemas.source import ReasonCode

STATEMENTS: Final = (
    *("fixed_conditions", "mechanisms", "applicability", "limitations"),
    *("aggregation", "sample_size", "claim_dependencies"),
)
CLOSE: Final = 20
"""Lines between the head of a table, or the sentence of a claim, and what it belongs to."""
_TABLED: Final = ("/parameters", "/controls", "/readouts")
_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_COMMON: Final = frozenset(
    {"all", "and", "any", "are", "but", "can", "for", "has", "had", "his", "how", "its", "may"}
    | {"nor", "not", "our", "out", "set", "the", "too", "two", "was", "who", "yet", "per", "see"}
    | {"one", "non", "did", "let", "via", "sec", "eqs", "fig", "tab", "ref", "use", "now", "own"}
    | {"lies", "left", "right", "frac", "begin", "equation", "table", "figure", "section", "label"}
    | {"about", "above", "after", "also", "anchor", "author", "because", "been", "before", "below"}
    | {"between", "both", "case", "does", "each", "every", "from", "given", "gives", "have"}
    | {"here", "into", "line", "more", "most", "only", "other", "over", "paper", "part", "same"}
    | {"said", "says", "some", "state", "such", "than", "that", "their", "them", "then", "there"}
    | {"these", "they", "this", "those", "used", "uses", "using", "value", "were", "when", "where"}
    | {"which", "while", "will", "with", "would", "printed", "print", "under", "what"}
)
_STEM: Final = 5
_TYPOGRAPHY: Final = str.maketrans({**LIGATURES, "\u2019": "'", "\u2018": "'"})
_NO: Final = r"\b(?:not|no|never|nor|neither|none|cannot|nothing|nowhere|nobody)\b|n['’]t\b"
_STRICT: Final = re.compile(_NO, re.IGNORECASE)
_PARTIAL: Final = re.compile(
    r"\bnot (?:all|only|every|just|merely|necessarily|so much)\b|\bno (?:more|less|later"
    r"|longer than"
    r"|sooner|fewer) than\b|\bwhether or not\b",
    re.IGNORECASE,
)
_SOFT: Final = re.compile(
    rf"{_NO}|\b(?:without|lack\w*|absen\w+|exclud\w+|except\w*|outside|beyond|only|unless|fail\w*"
    r"|lost|loses?|missing|omit\w*|avoid\w*|refus\w*|reject\w*|discard\w*|dropped|ruled out"
    r"|left out"
    r"|rather than|instead of|hardly|seldom|rarely|little|limited|restrict\w*|prevent\w*|stop\w*"
    r"|silent|unknown|out of|but|far from|too|neglect\w*|ignor\w*|against|free of|less|fewer)\b"
    r"|\b(?:un|in|im|ir|non)-?[a-z]{4,}|\b\w+less\b",
    re.IGNORECASE,
)
_DENIES: Final = re.compile(
    rf"{_NO}|\b(?:without|lack\w*|absen\w+|exclud\w+|except\w*|outside|beyond|only|unless|fail\w*"
    r"|lost|missing|omit\w*|avoid\w*|refus\w*|reject\w*|discard\w*|ruled out|left out|but"
    r"|rather than|instead of|hardly|seldom|rarely|little|unknown|neglect\w*|ignor\w*|free of"
    r"|impossible|invalid|insensitive|independent\w*|insufficient\w*|incomplete\w*"
    r"|irrelevant|unable|un[a-z]{3,}(?:ed|able|ible))\b|\b\w+less\b",
    re.IGNORECASE,
)
_SILENCE: Final = re.compile(
    r"\b(?:do(?:es)? not|did not|is not|are not|not|never|no)\s+(?:say|state|give|print|report"
    r"|mention|specif|list|quote|describ|provid|tell|document|claim|standard|error)\w*",
    re.IGNORECASE,
)
_NOT_SO: Final = re.compile(r"\bnot ((?:[a-z]+ )?[a-z]+)", re.IGNORECASE)
_SENTENCE_END: Final = re.compile(r"[.?!;](?=\s)")
_MAIN: Final = re.compile(r"[;:,]|\b(?:but|though|although|so|since|because|which|while)\b")


def subject_gate(bench: Bench) -> Iterator[Reason]:
    """The lines of each anchor share a word or symbol with what they are said to bear."""
    everything = [
        *(bench.card.controls + bench.card.readouts),
        *(bench.card.parameters + bench.card.definitions),
    ]
    all_symbols = tuple(s for part in everything for s in spellings(part))
    for path, anchors, own, symbols in _facts(bench):
        anywhere = all_symbols if path.startswith("/relations") else symbols
        for i, anchor in enumerate(anchors):
            lines = bench.anchored((anchor,))
            words = f"{own} {anchor.support}"
            shared = _stems(words) & _stems(lines) or _numerals(words) & _numerals(lines)
            named = [s for s in all_symbols if len(s) > 1 and mentions(words, (s,))]
            named += _spoken_of(everything, part_words=words)
            if (
                not shared
                and not mentions(lines, (*anywhere, *named))
                and not _bears(bench, path, anchors, i)
            ):
                yield Reason(
                    ReasonCode.ANCHOR_OFF_SUBJECT,
                    f"{path}/{i}",
                    f"lines {anchor.first_line}-{anchor.last_line} share no word and no symbol"
                    " with what they are to bear",
                )
        if symbols and anchors and not _named(bench, anchors, own, symbols):
            yield Reason(
                ReasonCode.ANCHOR_OFF_SUBJECT,
                path,
                f"none of its lines prints {' or '.join(symbols)} or speaks of it",
            )


def _spoken_of(parts: Sequence[Definition | Named], part_words: str) -> Iterator[str]:
    """Symbols of the parts that words speak of: the discharge in words is the q of the lines."""
    stems = _stems(part_words)
    for part in parts:
        if stems & _stems(getattr(part, "meaning", "")):
            yield from spellings(part)


def _bears(bench: Bench, path: str, anchors: Sequence[Anchor], index: int) -> bool:
    """Whether lines without a shared word still bear what the other anchors are about.

    A sentence that says how strong a relation is names neither its symbols nor its subject, and
    the head of a table names no row: such an anchor needs another one close by.
    """
    own = anchors[index]
    others = [other for n, other in enumerate(anchors) if n != index]
    close = any(
        other.first_line - CLOSE <= own.last_line and own.first_line <= other.last_line + CLOSE
        for other in others
    )
    if not close:
        return False
    if path.startswith("/relations"):
        words = prose(bench.anchored((own,)))
        return any(pattern.search(words) for pattern in (FIT, ESTIMATED, CLAIMS))
    below = any(own.last_line <= other.last_line for other in others)
    return path.startswith(_TABLED) and below and is_table_head(bench.anchored((own,)))


def _named(bench: Bench, anchors: Sequence[Anchor], own: str, symbols: Sequence[str]) -> bool:
    text = bench.anchored(tuple(anchors))
    shared = _stems(own) & _stems(text)
    # A number of a formula that the paper gives no symbol has only itself to go by.
    return mentions(text, symbols) or len(shared) >= 2 or bool(_numerals(own) & _numerals(text))


def _facts(
    bench: Bench,
) -> Iterator[tuple[str, Sequence[Anchor], str, tuple[str, ...]]]:
    """Path, anchors, own words and folded spellings of every anchored fact with words."""
    card = bench.card
    readouts = {readout.name: spellings(readout) for readout in card.readouts}
    for i, relation in enumerate(card.relations):
        symbols = readouts.get(relation.readout, ())
        yield f"/relations/{i}/anchors", relation.anchors, card.title, symbols
    for table, attribute in (
        ("controls", "meaning"),
        ("readouts", "definition"),
        ("parameters", "meaning"),
    ):
        for i, part in enumerate(getattr(card, table)):
            own = f"{getattr(part, attribute)} {_own_numbers(part)}"
            yield f"/{table}/{i}/anchors", part.anchors, own, spellings(part)
    for table in STATEMENTS:
        for i, part in enumerate(getattr(card, table)):
            yield f"/{table}/{i}/anchors", part.anchors, part.statement, ()


def _own_numbers(part: Control | Readout | Parameter) -> str:
    if isinstance(part, Control):
        domain = part.domain
        ends = domain.choices if isinstance(domain, Choices) else (domain.low, domain.high)
        return " ".join(number_text(value) for value in ends)
    if isinstance(part, Readout):
        return "" if part.resolution is None else number_text(part.resolution)
    return f"{number_text(part.value)} {part.universal_constant or ''}"


def _numerals(text: str) -> set[Decimal]:
    return {abs(number) for number in numbers_in([text])} - {Decimal(n) for n in range(4)}


@lru_cache(maxsize=4096)
def _stems(text: str) -> frozenset[str]:
    text = re.sub(r"(?<=\w)[-\u2010\u00ad]\n(?=\w)", "", text)
    words = {word.lower() for word in _WORD.findall(fold_case(text))}
    words = {word for word in words if word not in _COMMON}
    return frozenset(_singular(word)[:_STEM] for word in words) - _COMMON


def _singular(word: str) -> str:
    """A word without the s of a plural, so that short words match too: rates and rate."""
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def fold_case(text: str) -> str:
    """The text with ligatures and typographic quotation marks folded, spaces kept."""
    return text.translate(_TYPOGRAPHY)


def polarity_reasons(draft: CardDraft, packet: Packet) -> Iterator[Reason]:
    """Sentences of a draft that deny what their quotes affirm, or affirm what they deny."""
    for table in STATEMENTS:
        for i, part in enumerate(getattr(draft, table)):
            quoted = [found for a in part.anchors if (found := _sentence(a, packet)) is not None]
            problem = _turned(part.statement, quoted)
            if problem is not None:
                path = f"/{table}/{i}/statement"
                yield Reason(ReasonCode.CLAIM_NEGATED, path, problem)


def _turned(statement: str, quoted: Sequence[tuple[str, str]]) -> str | None:
    if not quoted:
        return None
    said = _PARTIAL.sub(" ", statement)
    lost = [clause for clause, _ in quoted if _STRICT.search(_PARTIAL.sub(" ", clause))]
    if len(lost) == len(quoted) and not _SOFT.search(said):
        return f"says yes where the quoted clause says no: {lost[0][-80:]!r}"
    main = _MAIN.split(_SILENCE.sub(" ", said))[0]
    denied = rf"{_DENIES.pattern}{_prefixed(main)}"
    if _STRICT.search(main) and not any(
        re.search(denied, nearby, re.IGNORECASE) for _, nearby in quoted
    ):
        return "says no where nothing in the anchored lines or the quoted sentence does"
    return None


def _prefixed(statement: str) -> str:
    """The words that a statement says no to, with the prefix by which a paper may deny them."""
    words = {
        word[:_STEM]
        for match in _NOT_SO.finditer(statement.lower())
        for word in match[1].split()
        if len(word) > 3
    }
    return "".join(rf"|\b(?:non|un|in|im|ir|il|dis|a)[-\u2010]?{word}" for word in sorted(words))


def _sentence(anchor: AnchorDraft, packet: Packet) -> tuple[str, str] | None:
    """The clause up to the end of a quote, and its whole sentence with the anchored lines."""
    first, last = max(1, anchor.first_line - 3), anchor.last_line + 3
    text = _kept(" ".join(packet.lines[first - 1 : last]))
    quote = _kept(anchor.quote)
    start = text.find(quote)
    if start < 0:
        return None
    end = start + len(quote)
    ends = [match.end() for match in _SENTENCE_END.finditer(text)]
    begin = max((position for position in ends if position <= start), default=0)
    close = min((position for position in ends if position >= end), default=len(text))
    clause_begin = max(begin, max((text.rfind(mark, begin, start) for mark in ",:;("), default=0))
    lines = " ".join(packet.lines[max(1, anchor.first_line) - 1 : anchor.last_line])
    return text[clause_begin:end], f"{text[begin:close]} {lines}"


def _kept(text: str) -> str:
    text = re.sub(r"(?<=\w)[\u2010\u00ad-]\s+(?=\w)", "", text)
    return re.sub(r"\s+", " ", fold_case(text))


__all__ = ("STATEMENTS", "fold_case", "polarity_reasons", "subject_gate")
