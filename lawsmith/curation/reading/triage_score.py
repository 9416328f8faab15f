"""Triage: how much a packet looks like it holds an executable relation; no model is asked.

The score only orders the queue and cuts off what says nothing quantitative; it never admits.
"""

import math
import re
from dataclasses import dataclass

from schemas.packet import Packet

_UNIT = (
    r"(?:[fpnuµμmckMGT]?(?:m|g|s|A|K|mol|Hz|N|Pa|J|W|C|V|T|M|L|l|eV|bar)|min|h|d|yr|days?|mag|dex"
    r"|°C|percent|%)(?:\^?[-−]?\d)?(?![A-Za-z])"
)
# A line of a formula: no sentence ends in it, though a decimal point may.
_FORMULA = r"(?:[^.!?\n]|\.(?=\d))"
_SIGNS: dict[str, tuple[float, float, re.Pattern[str]]] = {
    # name: (weight, count at which half of the weight is reached, pattern)
    "equations": (
        2.0,
        4.0,
        re.compile(
            r"\\begin\s*\{(?:equation|align|eqnarray|gather|multline|displaymath)\*?\}|\\\[|^\s*\$\$"
            rf"|^{_FORMULA}{{1,60}}[=≈∝]{_FORMULA}{{0,60}}$",
            re.MULTILINE,
        ),
    ),
    "numbered_equations": (
        1.0,
        3.0,
        re.compile(r"^(?:.{0,80}[=≈∝].{0,80})?\(\d{1,2}[a-z]?\)$|\\label\{eq", re.MULTILINE),
    ),
    "fit_words": (
        2.0,
        4.0,
        re.compile(
            r"\b(?:fit(?:s|ted|ting)?\b|least[- ]squares|regress(?:ion|ed)|best[- ]fit"
            r"|power[- ]law|exponents?\b|coefficients?\b|calibrat\w+|scal(?:es|ing) (?:as|with|law)"
            r"|empirical (?:relation|law|formula)|relation\b|correction factor|analytic\w*)",
            re.IGNORECASE,
        ),
    ),
    "parameter_values": (
        2.0,
        4.0,
        re.compile(r"[A-Za-zα-ωΑ-Ω}_$]\s*\$?\s*[=≈]\s*\$?\s*[-−]?\d|±|\\pm(?![a-z])"),
    ),
    "quantities": (1.0, 15.0, re.compile(rf"\d\s?\$?\\?[ ,~]?{_UNIT}")),
    "ranges": (
        1.5,
        2.0,
        re.compile(
            r"\b(?:from|between)\s+\$?[-−]?[\d.]+[^.\n]{0,25}?\s(?:to|and)\s+\$?[-−]?\d"
            r"|\d\s?[-–−]{1,2}\s?\d+(?:\.\d+)?\s?[A-Za-z°%]|\d\s*(?:<|≤|\\le)\s*\S{1,12}\s*(?:<|≤|\\le)\s*\d"
        ),
    ),
    "tables": (0.5, 2.0, re.compile(r"\bTable\s+\d|\\begin\s*\{table\*?\}")),
    "design_words": (
        1.0,
        4.0,
        re.compile(
            r"\b(?:varied|was set|were set|as a function of|depend(?:s|ence) on|readout"
            r"|steady[- ]state|proportional|increases with|decreases with|versus)\b",
            re.IGNORECASE,
        ),
    ),
}
_WHOLE = sum(weight for weight, _, _ in _SIGNS.values())
_REFERENCES = re.compile(r"(?:references|bibliography|acknowledge?ments?)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Triage:
    """What the text of a packet promises.

    Attributes:
        score: 0 (nothing quantitative) to 1.
        figures: how often each sign of a relation occurs, references left out.
    """

    score: float
    figures: dict[str, float]


def triage(packet: Packet) -> Triage:
    """The score of a packet: a weighted mean of saturating counts, n / (n + half)."""
    text = "\n".join(
        line
        for line, section in zip(packet.lines, packet.sections, strict=True)
        if section is None or not is_reference_list(section)
    )
    figures = _figures(text)
    return Triage(score=_score(figures), figures=figures)


def score_of_text(text: str) -> float:
    """The score that a packet of this text alone would have."""
    return _score(_figures(text))


def is_reference_list(section: str) -> bool:
    """Whether a section of this title holds references or thanks."""
    return _REFERENCES.search(section) is not None


def _figures(text: str) -> dict[str, float]:
    return {
        name: float(sum(1 for _ in pattern.finditer(text)))
        for name, (_, _, pattern) in _SIGNS.items()
    }


def _score(figures: dict[str, float]) -> float:
    total = math.fsum(
        weight * figures[name] / (figures[name] + half)
        for name, (weight, half, _) in _SIGNS.items()
    )
    return round(total / _WHOLE, 6)


__all__ = ("Triage", "is_reference_list", "score_of_text", "triage")
