"""Whether a number of a card is printed in the lines it is anchored to."""

import re
from collections.abc import Collection, Sequence
from decimal import Decimal

from lawsmith.curation.evidence.stated_numbers import flattened_in, readings_of

_SENTENCE_NUMBER = re.compile(
    r"(?<![A-Za-z_\d.])\d+(?:[.,]\d+)*(?:[eE][-+]?\d+)?(?:\s*[×x*]\s*10\s*\^?\{?[-−]?\d+\}?)?"
)
_RAISED = re.compile(r"(?:\^|\*\*|_)[{(]?[-−]?$")
_LABEL = re.compile(
    r"(?:sections?|sec|tables?|tab|figures?|figs?|eqs?|eqn|equations?|relations?|refs?|lines?"
    r"|appendix|pages?|models?|laws?|formulas?)\.?\s*[\[(]?$",
    re.IGNORECASE,
)


def is_printed(value: float, printed: Collection[Decimal], *, signed: bool = True) -> bool:
    """Whether a value is among printed numbers, as an equal decimal value.

    Args:
        value: the number of a card.
        printed: every reading of the anchored lines.
        signed: False compares sizes, since a printed minus may have become an operator.
    """
    exact = Decimal(repr(value))
    if signed:
        return exact in printed
    return exact in printed or -exact in printed


def unprinted_in_sentence(sentence: str, printed: Sequence[Decimal]) -> tuple[str, ...]:
    """The numerals of a sentence that are not printed; exponents and labels are passed over."""
    sizes = {abs(number) for number in printed}
    missing = []
    for match in _SENTENCE_NUMBER.finditer(sentence):
        before = sentence[max(0, match.start() - 16) : match.start()]
        if _RAISED.search(before) or _LABEL.search(before):
            continue
        if not any(abs(reading) in sizes for reading in numeral_readings(match[0])):
            missing.append(match[0])
    return tuple(missing)


def numeral_readings(numeral: str) -> list[Decimal]:
    """What a numeral of a card's sentence may mean; the writer may have flattened a power."""
    return [*readings_of(numeral), *(item.value for item in flattened_in([numeral]))]


__all__ = ("is_printed", "numeral_readings", "unprinted_in_sentence")
