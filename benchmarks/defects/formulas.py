"""Defects of formulas and values: exponent, sign, operator, dropped term, digit, exchange.

Each maker takes a base, a generator and the number of the wording pool, and returns one
defective card beside its packet, or None where the base has no site.
"""

import re

from benchmarks.defects.bases import Base, Data
from benchmarks.defects.edits import Made, Rng, another_digit, copied, formulas, pick, replaced

_EXPONENT = re.compile(r"\^\s*(\(-?\d+(?:\.\d+)?\)|-?\d+(?:\.\d+)?)")


_NUMBER = re.compile(r"(?<![A-Za-z_\d.^])\d+(?:\.\d+)?(?![A-Za-z_\d.])")


def exponent(base: Base, rng: Rng, seed: int) -> Made | None:
    draft = copied(base)
    sites = [
        (part, key, match)
        for part, key in formulas(draft)
        for match in _EXPONENT.finditer(part[key])
    ]
    if not sites:
        return None
    part, key, match = pick(rng, sites)
    old = match[1].strip("()")
    way = int(rng.integers(5))
    new = {
        0: another_digit(rng, old),
        1: old.removeprefix("-") if old.startswith("-") else f"(-{old})",
        2: str(round(float(old) + 1, 4)),
        3: str(round(float(old) / 2, 4)),
        4: "1",
    }[way]
    if float(new.strip("()")) == float(old):
        return None
    new = f"({new})" if new.startswith("-") else new
    part[key] = replaced(part[key], match, f"^{new}")
    return base, draft


def sign(base: Base, rng: Rng, seed: int) -> Made | None:
    draft = copied(base)
    sites = [
        (part, key, match)
        for part, key in formulas(draft)
        for match in re.finditer(r" ([+-]) |(?<=[\w)])([+-])(?=\w)|\((-)(?=[\w(])", part[key])
    ]
    signed = [p for p in draft["parameters"] if p["value"] and p["universal_constant"] is None]
    if signed and (not sites or rng.random() < 0.2):
        part = pick(rng, signed)
        part["value"] = -part["value"]
        return base, draft
    if not sites:
        return None
    part, key, match = pick(rng, sites)
    text = match[0]
    part[key] = replaced(
        part[key],
        match,
        text.replace("(-", "(") if "(" in text else text.translate(str.maketrans("+-", "-+")),
    )
    return base, draft


def operator(base: Base, rng: Rng, seed: int) -> Made | None:
    draft = copied(base)
    sites = [
        (part, key, match)
        for part, key in formulas(draft)
        for match in re.finditer(r"[*/](?![*])|\b(?:exp|tanh|log|log10|sqrt)(?=\()", part[key])
    ]
    if not sites:
        return None
    part, key, match = pick(rng, sites)
    others = {"*": "/", "/": "*", "exp": "cosh", "tanh": "atan", "log": "log10", "log10": "log"}
    part[key] = replaced(part[key], match, others.get(match[0], "cbrt"))
    return base, draft


def term_dropped(base: Base, rng: Rng, seed: int) -> Made | None:
    """A parameter and its part of the formula are left out without a trace."""
    draft = copied(base)
    parameter = pick(rng, draft["parameters"])
    name = re.escape(parameter["name"])
    rules = (
        (rf"(?<=[(\s]){name} \+ |^{name} \+ ", ""),
        (rf" [+-] {name}(?=[)\s]|$)", ""),
        (rf"(?<![\w^]){name}\*", ""),
        (rf"\*{name}(?![\w^])", ""),
        (rf"/{name}(?![\w^])", ""),
    )
    done = False
    for part, key in formulas(draft):
        for pattern, new in rules:
            made = re.sub(pattern, new, part[key])
            done = done or made != part[key]
            part[key] = made
    left = any(re.search(rf"\b{name}\b", part[key]) for part, key in formulas(draft))
    if not done or left:
        return None
    draft["parameters"].remove(parameter)
    return base, draft


def _text_of(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else repr(value)


def digit(base: Base, rng: Rng, seed: int) -> Made | None:
    draft = copied(base)
    sites: list[tuple[Data, str]] = []
    for parameter in draft["parameters"]:
        sites += [(parameter, k) for k in ("value", "uncertainty") if parameter[k]]
    for control in draft["controls"]:
        sites += [(control, k) for k in ("low", "high") if control[k]]
    sites += [(readout, "resolution") for readout in draft["readouts"] if readout["resolution"]]
    texts = [
        (part, key, match)
        for part, key in formulas(draft)
        for match in _NUMBER.finditer(part[key])
        if float(match[0]) not in (0, 1, 2, 0.5)
    ]
    if texts and rng.random() < 0.2:
        part, key, match = pick(rng, texts)
        part[key] = replaced(part[key], match, another_digit(rng, match[0]))
        return base, draft
    part, key = pick(rng, sites)
    new = float(another_digit(rng, _text_of(part[key])))
    low_high = (
        new if key == "low" else part.get("low"),
        new if key == "high" else part.get("high"),
    )
    if key in ("low", "high") and not (low_high[0] or 0) < (low_high[1] or 0):
        return None
    part[key] = new
    return base, draft


def swapped_values(base: Base, rng: Rng, seed: int) -> Made | None:
    draft = copied(base)
    pairs = [
        (a, b)
        for a in draft["parameters"]
        for b in draft["parameters"]
        if a["name"] < b["name"] and a["value"] != b["value"]
    ]
    if not pairs:
        return None
    a, b = pick(rng, pairs)
    a["value"], b["value"] = b["value"], a["value"]
    if rng.random() < 0.5:
        a["uncertainty"], b["uncertainty"] = b["uncertainty"], a["uncertainty"]
    if rng.random() < 0.5:
        a["anchors"], b["anchors"] = b["anchors"], a["anchors"]
    return base, draft


def inert_turned(base: Base, rng: Rng, seed: int) -> Made | None:
    draft = copied(base)
    control = pick(rng, draft["controls"])
    control["inert"] = not control["inert"]
    draft["title"] += pick(rng, ["", " here", " again", " anew", " once more", " in short"])
    return base, draft


__all__ = (
    "digit",
    "exponent",
    "inert_turned",
    "operator",
    "sign",
    "swapped_values",
    "term_dropped",
)
