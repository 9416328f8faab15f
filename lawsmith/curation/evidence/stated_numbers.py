"""The numbers that a piece of a paper states, in every reading that its typography allows.

`numbers_in` answers one question: may a card say that this number stands there? Where the
text allows two readings (1,2 is a pair or a decimal comma) it gives both. It never puts back an
exponent that print has lost: 106 is not 10^6, and 10-20 is a range. What a text would state if
exponents had been lost is told apart by `flattened_in`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_RAISED_RUN = re.compile(r"[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺]+")
_TIDY: tuple[tuple[re.Pattern[str], str], ...] = (
    # TeX's dashes: two hyphens between two numbers are a range, not a sign.
    (re.compile(r"\$?(?<!-)-{2,3}(?!-)\$?"), "\u2013"),
    (re.compile(r"[\u2010-\u2015\u2212\ufe63\uff0d]"), "-"),
    (re.compile(r"\{,\}"), ","),
    (re.compile(r"\\(?:times|cdot|ast)(?![A-Za-z])|[×·⋅∙]"), "*"),
    (re.compile(r"\\pm(?![A-Za-z])|±|\+/-|\+-"), " ± "),
    (re.compile(r"\\[,:;! ]|[\u2009\u202f\u00a0]"), "\u2009"),
    (re.compile(r"~"), " "),
    (re.compile(r"\\%"), "%"),
    (re.compile(r"\\(?:mathrm|text|rm|mathit)(?![A-Za-z])"), " "),
    (re.compile(r"\^\s*\{\s*([-+]?[\d.]+)\s*\}"), r"^\1"),
    (re.compile(r"[${}]"), " "),
    (re.compile(r"(?<![\d.,])(\d{1,3}), (?=000(?!\d))"), r"\1,"),
)

_DIGITS = r"\d+(?:\.\d+)?|\.\d+"
_TOKEN = re.compile(
    rf"(?P<number>\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d{{1,3}}(?:[ \u2009]\d{{3}})+(?:\.\d+)?(?![\d])"
    rf"|{_DIGITS})"
    r"(?P<digits>\(\d+\))?"
    r"(?:[eE](?P<exponent>[-+]?\d+)(?![\w.]))?"
)
_POWER = re.compile(r"\s*(?:[*]|[xX](?=\s*10))\s*10\s*\^\s*([-+]?\s*\d+)")
_BARE_POWER = re.compile(r"\s*\^\s*([-+]?\s*\d+)(?![\d.])")
_FLATTENED = re.compile(
    rf"(?<![\w.,^])(?:(?P<mantissa>{_DIGITS})\s*[*xX]\s*)?"
    r"10(?P<exponent>\s?[-+]\s?\d{1,3}|[1-9]\d?)(?![\d.,]*\d|\s*\^)"
)
_RANGE = re.compile(
    rf"\s*(?:-|to\b|and\b)\s*-?(?:\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|{_DIGITS})(?:[eE][-+]?\d+)?"
    r"(?![\d.,]*\d)"
)
_PERCENT = re.compile(r"[\s\u2009]*(?:%|per\s?cent\b)")
_PREFIXED = re.compile(
    r"[\s\u2009]*(?P<prefix>[fpnuµμmckMGT])"
    r"(?P<unit>m|g|s|A|K|mol|Hz|N|Pa|J|W|C|V|F|Ω|Ohm|ohm|T|H|L|l|M|eV|bar|Sv|Bq|S|yr|pc)(?![A-Za-z])"
)
_PREFIXES = {
    "f": -15,
    "p": -12,
    "n": -9,
    "u": -6,
    "µ": -6,
    "μ": -6,
    "m": -3,
    "c": -2,
    "k": 3,
    "M": 6,
    "G": 9,
    "T": 12,
}
_SMALL = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_WORDS = {word: Decimal(value) for value, word in enumerate(_SMALL)} | {
    "half": Decimal("0.5"),
    "twice": Decimal(2),
    "eleven": Decimal(11),
    "twelve": Decimal(12),
    "twenty": Decimal(20),
    "hundred": Decimal(100),
}
_WORD = re.compile(rf"\b(?:{'|'.join(_WORDS)})\b", re.IGNORECASE)


@dataclass(frozen=True)
class Flattened:
    """A number that a text would state if print had lost an exponent.

    Attributes:
        value: the number with the exponent put back.
        shown: what stands in the text, in its plain form.
        meant: how the number would have been printed.
    """

    value: Decimal
    shown: str
    meant: str


def numbers_in(lines: Sequence[str]) -> list[Decimal]:
    """The numbers that the lines state, each once, in order of appearance.

    Read are signs in any dash, decimal points and commas, thousands in groups (`20, 000` too),
    1.5e-3, 1.5 × 10^-3 (raised or in braces), 10^6, 5 % (as 5 and 0.05), 1.23(4) (as 1.23 and
    0.04), both ends of a range, SI prefixes (5 kPa as 5 and 5000; 5-8 kPa so at both ends) and
    small numbers in words. A minus with space on both sides gives both signs. A power of ten
    also gives its ten and its exponent, as a formula may be written with them.
    """
    text = _tidy("\n".join(lines))
    found: dict[Decimal, None] = {}
    for match in _TOKEN.finditer(text):
        for value in _readings(text, match):
            found[value] = None
    for word in _WORD.finditer(text):
        found[_WORDS[word.group().lower()]] = None
    return list(found)


def readings_of(numeral: str) -> list[Decimal]:
    """The readings of one numeral as a whole: of 3 × 10^6 neither the ten nor the six."""
    text = _tidy(numeral)
    match = _TOKEN.search(text)
    if match is None:
        return []
    values = dict.fromkeys(_readings(text, match))
    if match["number"] == "10" and _BARE_POWER.match(text, match.end()):
        del values[Decimal(10)]
    return list(values)


def flattened_in(lines: Sequence[str]) -> list[Flattened]:
    """What the lines would state if exponents of ten had been lost: 106 as 10^6.

    None of it may stand in a card; it is for saying why a number does not.
    """
    found = []
    for match in _FLATTENED.finditer(_tidy("\n".join(lines))):
        exponent = re.sub(r"\s", "", match["exponent"])
        before = f"{match['mantissa']} × " if match["mantissa"] else ""
        value = Decimal(match["mantissa"] or 1).scaleb(int(exponent))
        found.append(Flattened(value, f"{before}10{exponent}", f"{before}10^{exponent}"))
    return found


def _tidy(text: str) -> str:
    text = _RAISED_RUN.sub(lambda match: "^" + match.group().translate(_RAISED), text)
    for pattern, replacement in _TIDY:
        text = pattern.sub(replacement, text)
    return text


def _readings(text: str, match: re.Match[str]) -> Iterator[Decimal]:
    signs = _signs(text, match.start())
    for plain in _plain(match["number"]):
        value = plain.scaleb(int(match["exponent"])) if match["exponent"] else plain
        for sign in signs:
            yield from _scaled(text, match.end(), sign * value)
        if match["digits"]:
            yield _last_digits(plain, match["digits"])
    yield from _decimal_comma(text, match, signs)
    if match["number"] == "10":
        power = _BARE_POWER.match(text, match.end())
        if power:
            yield Decimal(1).scaleb(_integer(power.group(1)))


def _plain(number: str) -> Iterator[Decimal]:
    """The readings of digits with group separators; groups by plain spaces may be apart, too."""
    if number.startswith("0,"):
        yield Decimal(number.replace(",", ".", 1).replace(",", ""))
        return
    yield Decimal(re.sub(r"[, \u2009]", "", number))
    if " " in number:
        for part in number.split(" "):
            yield Decimal(part.replace("\u2009", ""))


def _decimal_comma(text: str, match: re.Match[str], signs: tuple[int, ...]) -> Iterator[Decimal]:
    tail = re.match(r",(\d+)(?![\d,.])", text[match.end() : match.end() + 20])
    if tail and match["number"].isdigit() and not match["digits"]:
        for sign in signs:
            yield sign * Decimal(f"{match['number']}.{tail.group(1)}")


def _scaled(text: str, end: int, value: Decimal) -> Iterator[Decimal]:
    power = _POWER.match(text, end)
    if power:
        value = value.scaleb(_integer(power.group(1)))
        end = power.end()
    yield value
    other = _RANGE.match(text, end)
    if other and (_PERCENT.match(text, other.end()) or _PREFIXED.match(text, other.end())):
        # The unit behind a range is that of both its ends.
        end = other.end()
    if _PERCENT.match(text, end):
        yield value.scaleb(-2)
    unit = _PREFIXED.match(text, end)
    if unit:
        yield value.scaleb(_PREFIXES[unit["prefix"]])


def _last_digits(value: Decimal, digits: str) -> Decimal:
    exponent = value.as_tuple().exponent
    return Decimal(digits[1:-1]).scaleb(exponent if isinstance(exponent, int) else 0)


def _signs(text: str, start: int) -> tuple[int, ...]:
    before = text[:start].rstrip(" \u2009")
    if not before.endswith("-"):
        return (1,)
    tight = len(before) == start
    ahead = before[:-1]
    if tight and re.search(r"[\w.)\]%]\Z", ahead):
        return (1,)
    if tight or not re.search(r"\S\s*$", ahead):
        return (-1,)
    return (1, -1)


def _integer(text: str) -> int:
    return int(text.replace(" ", ""))


__all__ = ("Flattened", "flattened_in", "numbers_in", "readings_of")
