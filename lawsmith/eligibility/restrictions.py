"""Allow-lists of a cut: the journals and categories whose papers a release may hold.

An empty list restricts nothing. A journal is listed by its name, compared by letters and digits
alone (`Phys. Rev. E` is `phys rev e`; `&` is `and`, a leading `The` is nothing), or by an ISSN.
A category is listed by its own name or by that of its archive: `physics` allows
`physics.flu-dyn`, as in the query that papers are harvested by.
"""

import html
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from lawsmith.errors import InputError
from schemas.source import Outcome, Paper, Publication, ReasonCode

_ISSN = re.compile(r"(?:issn)?:?\s*(\d{4})-?(\d{3})([\dX])", re.I)
_CATEGORY = re.compile(r"[a-z]+(?:-[a-z]+)*(?:\.[a-z]+(?:-[a-z]+)*)?", re.I)

Refusal = tuple[Outcome, ReasonCode, str]
"""Outcome, reason code, sentence."""


@dataclass(frozen=True)
class AllowLists:
    """What a cut asks of a paper's journal and categories.

    Attributes:
        journals: names or ISSNs; none: any journal will do.
        categories: categories or archives; none: any will do.
    """

    journals: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()

    def refuses_category(self, paper: Paper) -> Refusal | None:
        """Why none of a paper's categories is listed; None where one is."""
        if not self.categories:
            return None
        listed = {name.casefold() for name in self.categories}
        for category in paper.categories:
            name = category.casefold()
            if name in listed or name.partition(".")[0] in listed:
                return None
        held = ", ".join(paper.categories) or "it names none"
        sentence = f"no category of it is listed ({held}); the cut asks for {_some(listed)}"
        return "rejected", ReasonCode.CATEGORY_NOT_LISTED, sentence

    def refuses_journal(self, publication: Publication) -> Refusal | None:
        """Why the journal of a paper is not listed, or that it is unknown; None where it is."""
        if not self.journals:
            return None
        listed = {journal_key(name) for name in self.journals}
        names = [*publication.journal_issns, *filter(None, [publication.journal])]
        if not names:
            sentence = f"its journal is not known; the cut names {len(listed)}"
            return "waiting", ReasonCode.JOURNAL_UNKNOWN, sentence
        if any(journal_key(name) in listed for name in names):
            return None
        sentence = f"its journal {names[-1]!r} is not listed; the cut names {len(listed)}"
        return "rejected", ReasonCode.JOURNAL_NOT_LISTED, sentence


def journal_key(name: str) -> str:
    """What two spellings of one journal share: an ISSN as `1234-567X`, else its plain words."""
    issn = as_issn(name)
    if issn is not None:
        return issn
    bare = unicodedata.normalize("NFKD", html.unescape(name).replace("&", " and "))
    bare = "".join(sign for sign in bare if not unicodedata.combining(sign))
    words = re.findall(r"[^\W_]+", bare.casefold())
    return " ".join(words[1:] if words[:1] == ["the"] and len(words) > 1 else words)


def as_issn(text: str) -> str | None:
    """The ISSN that a text is, as `1234-567X`; None where it is none or fails its check digit.

    The check digit makes the sum of digits weighted 8 to 1 a multiple of 11; X counts ten
    (ISO 3297).
    """
    match = _ISSN.fullmatch(text.strip())
    if match is None:
        return None
    digits = "".join(match.groups()).upper()
    values = [10 if sign == "X" else int(sign) for sign in digits]
    if sum(weight * value for weight, value in zip(range(8, 0, -1), values, strict=True)) % 11:
        return None
    return f"{digits[:4]}-{digits[4:]}"


def allow_lists(journals: Sequence[str], categories: Sequence[str]) -> AllowLists:
    """Lists as a cut stores them: every entry once, in an order that does not depend on theirs.

    Raises:
        InputError: an entry that can name no journal or category, or an ISSN whose check digit
            is wrong.
    """
    for name in journals:
        if _ISSN.fullmatch(name.strip()) and as_issn(name) is None:
            raise InputError(
                f"{name!r} is no ISSN: its check digit is wrong",
                path="eligibility.journals",
                fix="copy the ISSN from the journal's page, or give the journal's name",
            )
        if not journal_key(name):
            raise InputError(
                f"{name!r} names no journal",
                path="eligibility.journals",
                fix="give a name or an ISSN; leave the list empty to restrict nothing",
            )
    for name in categories:
        if not _CATEGORY.fullmatch(name.strip()):
            raise InputError(
                f"{name!r} names no category",
                path="eligibility.categories",
                fix="give an archive as physics or a category as physics.flu-dyn",
            )
    return AllowLists(_once(journals, journal_key), _once(categories, str.casefold))


def _once(names: Iterable[str], key: Callable[[str], str]) -> tuple[str, ...]:
    held: dict[str, str] = {}
    for name in sorted(" ".join(name.split()) for name in names):
        held.setdefault(key(name), name)
    return tuple(held[word] for word in sorted(held))


def _some(names: Iterable[str]) -> str:
    ordered = sorted(names)
    more = f" and {len(ordered) - 5} more" if len(ordered) > 5 else ""
    return ", ".join(ordered[:5]) + more


__all__ = ("AllowLists", "Refusal", "allow_lists", "as_issn", "journal_key")
