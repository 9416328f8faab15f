"""Words and texts of the galleries: certificates, figures, units, moves."""

import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Final

from markupsafe import Markup

from lawsmith.release.pages.axes import tick_text
from lawsmith.release.pages.mathml import decimal_parts
from schemas.family import MoveKind

QUESTIONS: Final[Mapping[int, str]] = {
    1: "Does every term have the right dimension, and do the laws give the same in SI units?",
    2: "Is each law defined everywhere a player may ask, and computed accurately there?",
    3: "Are the laws different in form, so that no other constants turn one into the other?",
    4: "Do the data tell the two worlds apart, in both directions?",
    5: "Do simple fits that know nothing of the law fail?",
    6: "Does every control move some readout?",
    7: "Can the constants be found again from the sixteen Fixed observations?",
    8: "Are steps, tolerances and the range of each readout in proportion?",
    9: "Are the constants short enough to be stated exactly?",
    10: "Is there one experiment that tells the two worlds apart?",
    11: "Do the identities among the readouts hold in both worlds?",
    12: "Do shares, signs and dependences that are necessary hold, and are sizes in proportion?",
}
"""What a certificate asks, in plain words, by number."""

MOVES: Final[Mapping[MoveKind, tuple[str, str]]] = {
    "coefficient": ("coefficient", "Another coefficient"),
    "exponent": ("exponent", "Another exponent"),
    "transform": ("function", "A quantity enters through another function"),
    "interaction": ("interaction", "Two inputs act on each other"),
    "operator_swap": ("operator", "Two terms are joined by another operator"),
    "term_added": ("added term", "A term is added"),
    "term_removed": ("removed term", "A term is removed"),
    "historical_parameter": ("parameter", "A parameter has another value"),
    "historical_correction": (
        "correction",
        "A correction that is zero in the Original is present",
    ),
}
"""What a move changes, as a noun and as a sentence."""

_POWER: Final = re.compile(r"(?:\^|\*\*)\(?(-?\d+(?:\.\d+)?(?:/\d+)?)\)?")
_SMALL: Final = re.compile(r"(?<=[A-Za-z])_([A-Za-z0-9]+)")


def unit_html(unit: str) -> Markup:
    """A unit with raised powers and centred dots; `1` for none."""
    if unit in ("", "1"):
        return Markup("1")
    text = escape(unit)
    text = _POWER.sub(lambda m: f"<sup>{m.group(1).replace('-', '−')}</sup>", text)
    text = _SMALL.sub(r"<sub>\1</sub>", text)
    return Markup(text.replace("*", "·"))


def number_html(value: float) -> Markup:
    """A number that can be read: a power of ten where its digits alone are too many."""
    mantissa, power = decimal_parts(value)
    if power:
        raised = str(power).replace("-", "−")
        mantissa += f"&thinsp;×&thinsp;10<sup>{raised}</sup>"
    return Markup(mantissa)


def figure_text(value: float | str) -> str:
    """A figure of a certificate to four digits."""
    return value if isinstance(value, str) else tick_text(float(f"{value:.4g}"))


def figure_label(key: str, names: Sequence[str]) -> str:
    """A figure's key in words; the name of a control or readout at its end stays whole."""
    for name in sorted(names, key=len, reverse=True):
        if key.endswith(f"_{name}"):
            return key.removesuffix(name).replace("_", " ") + name
    return key.replace("_", " ")


__all__ = (
    "MOVES",
    "QUESTIONS",
    "figure_label",
    "figure_text",
    "number_html",
    "unit_html",
)
