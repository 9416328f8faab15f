r"""Quantities written with the siunitx macros of TeX, put into the words of other papers.

`\SI{1.2}{\kilo\gram\per\cubic\metre}` becomes `1.2 kg m^-3`, `\SIrange{1}{2}{\second}` becomes
`1 to 2 s`. Macro names as in the manual of the siunitx package, versions 2 and 3.
"""

import re
from typing import Final

_PREFIXES: Final = {
    "yocto": "y",
    "zepto": "z",
    "atto": "a",
    "femto": "f",
    "pico": "p",
    "nano": "n",
    "micro": "u",
    "milli": "m",
    "centi": "c",
    "deci": "d",
    "deca": "da",
    "hecto": "h",
    "kilo": "k",
    "mega": "M",
    "giga": "G",
    "tera": "T",
    "peta": "P",
}
_UNITS: Final = {
    "metre": "m",
    "meter": "m",
    "litre": "L",
    "liter": "L",
    "celsius": "degC",
    "degreeCelsius": "degC",
    "second": "s",
    "gram": "g",
    "kilogram": "kg",
    "newton": "N",
    "watt": "W",
    "pascal": "Pa",
    "kelvin": "K",
    "volt": "V",
    "ampere": "A",
    "hertz": "Hz",
    "joule": "J",
    "mole": "mol",
    "hour": "h",
    "minute": "min",
    "day": "day",
    "degree": "deg",
    "percent": "percent",
    "ohm": "ohm",
    "coulomb": "C",
    "tesla": "T",
    "bar": "bar",
    "radian": "rad",
    "lumen": "lm",
    "candela": "cd",
    "electronvolt": "eV",
    "farad": "F",
    "henry": "H",
    "weber": "Wb",
    "siemens": "S",
    "lux": "lx",
    "becquerel": "Bq",
    "gray": "Gy",
    "sievert": "Sv",
    "tonne": "t",
    "hectare": "ha",
    "dalton": "Da",
    "angstrom": "angstrom",
}
_POWERS: Final = {"square": 2, "cubic": 3, "squared": 2, "cubed": 3}
_OPTION: Final = r"\s*(?:\[[^\]]*\])?\s*"
_GROUP: Final = r"\{((?:[^{}]|\{[^{}]*\})*)\}"
_MACRO: Final = re.compile(
    rf"\\(?P<kind>SIrange|qtyrange|numrange){_OPTION}{_GROUP}\s*{_GROUP}(?:\s*{_GROUP})?"
    rf"|\\(?P<list>SIlist|qtylist|numlist|SI|qty|num){_OPTION}{_GROUP}(?:\s*{_GROUP})?"
    rf"|\\(?P<unit>si|unit){_OPTION}{_GROUP}"
)
_PIECE: Final = re.compile(r"\\([A-Za-z]+)(?:\s*\{\s*(-?\d+)\s*\})?")


def without_siunitx(text: str) -> str:
    """A text with each macro of siunitx as a number and a unit in plain letters."""
    return _MACRO.sub(_plain, text) if "\\" in text else text


def _plain(match: re.Match[str]) -> str:
    if match["kind"]:
        low, high, unit = match[2], match[3], match[4]
        # The plain form has no unit: a group behind it belongs to something else.
        tail = "" if unit is None else _unit(unit)
        return f" {low} to {high} {tail} "
    if match["list"]:
        numbers, unit = match[6], match[7]
        shown = numbers.replace(";", ", ").replace("+-", " ± ").replace("\\pm", " ± ")
        return f" {shown} {'' if unit is None else _unit(unit)} "
    return f" {_unit(match[9])} "


def _unit(text: str) -> str:
    """The macros of a unit as symbols with powers; what is spelt in letters stays."""
    if "\\" not in text:
        return text.replace(".", " ").replace("~", " ")
    atoms: list[tuple[str, int]] = []
    prefix, sign, power = "", 1, 1
    for name, given in _PIECE.findall(text):
        if name == "per":
            sign = -1
        elif name in _PREFIXES:
            prefix = _PREFIXES[name]
        elif name in ("squared", "cubed", "tothe") and atoms:
            atom, old = atoms[-1]
            atoms[-1] = (atom, old * int(given or _POWERS.get(name, 1)))
        elif name in ("square", "cubic", "raiseto"):
            power = int(given or _POWERS.get(name, 1))
        elif name in _UNITS:
            atoms.append((prefix + _UNITS[name], sign * power))
            prefix, sign, power = "", 1, 1
        else:
            return text
    return " ".join(atom if n == 1 else f"{atom}^{n}" for atom, n in atoms)


__all__ = ("without_siunitx",)
