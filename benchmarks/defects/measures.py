"""Defects of units, ranges, numbers and of what is a control or a readout.

Each maker takes a base, a generator and the number of the wording pool, and returns one
defective card beside its packet, or None where the base has no site.
"""

import re
from collections.abc import Callable
from typing import Final

from benchmarks.defects.bases import Base, Data
from benchmarks.defects.edits import STATEMENTS, Made, Rng, copied, numbers_of_lines, pick, replaced

_PREFIXES: Final = {"k": "M", "m": "u", "c": "m", "": "k"}


_PREFIXED = re.compile(r"\b(kPa|mm|kg|mg|mmol|m|g|W|J|L|K|V|mV|Pa|s)\b")


_LIKE: Final = {
    "m/s": ("km/h", "cm/s"),
    "kPa": ("bar", "atm"),
    "K": ("degC",),
    "min": ("h", "s"),
    "W": ("J/h", "eV/s"),
    "kg": ("lb", "tonne"),
    "h": ("min", "day"),
    "1/day": ("1/h", "1/yr"),
    "g/L": ("g/m^3", "mg/L"),
    "mg/L": ("g/L", "kg/L"),
    "g/m^2": ("kg/m^2", "g/cm^2"),
    "W/m^2": ("W/cm^2", "mW/m^2"),
    "J/m": ("J/km", "W*h/m"),
    "mm": ("inch", "um"),
    "mV": ("V", "uV"),
    "mL": ("L",),
    "N": ("dyn",),
    "V": ("mV",),
    "Pa": ("bar",),
    "degC": ("K",),
    "mm/s": ("m/h",),
    "mg": ("lb",),
    "1/s": ("1/min",),
    "Hz": ("rpm",),
}


def _units(draft: Data) -> list[Data]:
    return [part for t in ("controls", "readouts", "parameters") for part in draft[t]]


def _other_unit(draft: Data, rng: Rng, change: Callable[[str], str]) -> bool:
    """One unit of the card changed; in half of the cases wherever the card has it."""
    parts = [part for part in _units(draft) if change(part["unit"]) != part["unit"]]
    if not parts:
        return False
    old = pick(rng, parts)["unit"]
    new = change(old)
    same = [part for part in parts if part["unit"] == old]
    for part in same if rng.random() < 0.5 else [pick(rng, same)]:
        part["unit"] = new
    return True


def prefix(base: Base, rng: Rng, seed: int) -> Made | None:
    draft = copied(base)
    up = rng.random() < 0.5

    def change(unit: str) -> str:
        match = _PREFIXED.search(unit)
        if match is None:
            return unit
        word = match[0]
        known = word[0] in "km" and len(word) > 1
        stem = word[1:] if known else word
        new = (stem if up else _PREFIXES[word[0]] + stem) if known else ("k" if up else "m") + stem
        return replaced(unit, match, new)

    return (base, draft) if _other_unit(draft, rng, change) else None


def like_unit(base: Base, rng: Rng, seed: int) -> Made | None:
    draft = copied(base)
    turn = int(rng.integers(2))

    def change(unit: str) -> str:
        others = _LIKE.get(unit)
        return others[turn % len(others)] if others else unit

    return (base, draft) if _other_unit(draft, rng, change) else None


def widened(base: Base, rng: Rng, seed: int) -> Made | None:
    """Beyond both printed ends, or to another number that the same lines print."""
    draft = copied(base)
    ranged = [c for c in draft["controls"] if c["low"] is not None]
    if not ranged:
        return None
    control = pick(rng, ranged)
    low, high = control["low"], control["high"]
    way = int(rng.integers(3))
    if way == 0:
        control["high"] = float(pick(rng, [high * 2, high * 10, round(high * 1.5, 6), high + 1]))
    elif way == 1:
        control["low"] = float(pick(rng, [0.0, round(low / 2, 6), round(low / 10, 6)]))
    else:
        values = [float(text) for text in numbers_of_lines(base, control["anchors"])]
        below, above = [v for v in values if v < low], [v for v in values if v > high]
        if not below + above:
            return None
        value = pick(rng, below + above)
        control["low" if value < low else "high"] = value
    if (control["low"], control["high"]) == (low, high):
        return None
    return base, draft


def other_range(base: Base, rng: Rng, seed: int) -> Made | None:
    """The range of another control, anchors left or taken over."""
    draft = copied(base)
    ranged = [c for c in draft["controls"] if c["low"] is not None]
    pairs = [
        (a, b)
        for a in ranged
        for b in ranged
        if a is not b and (a["low"], a["high"]) != (b["low"], b["high"])
    ]
    if not pairs:
        return None
    a, b = pick(rng, pairs)
    a["low"], a["high"] = b["low"], b["high"]
    return base, draft


def fabricated(base: Base, rng: Rng, seed: int) -> Made | None:
    """A number that the anchored lines do not print: a resolution, an error, a sentence."""
    draft = copied(base)
    made = float(f"{rng.uniform(0.1, 9.9):.3f}")
    way = int(rng.integers(4))
    parts = [part for table in STATEMENTS for part in draft[table]]
    if (way == 1 and not draft["parameters"]) or (way == 3 and not parts):
        return None
    if way == 0:
        pick(rng, draft["readouts"])["resolution"] = made
    elif way == 1:
        pick(rng, draft["parameters"])["uncertainty"] = made
    elif way == 2:
        pick(rng, draft["readouts"]).update(uncertainty=made, uncertainty_kind="absolute")
    else:
        part = pick(rng, parts)
        part["statement"] = part["statement"].rstrip(".") + f", with a spread of {made}."
    return base, draft


def misused_number(base: Base, rng: Rng, seed: int) -> Made | None:
    """A resolution made of another number that the readout's lines print."""
    draft = copied(base)
    readout = pick(rng, draft["readouts"])
    values = {float(text) for text in numbers_of_lines(base, readout["anchors"])} - {0.0}
    values.discard(readout["resolution"])
    text = " ".join(
        line
        for a in readout["anchors"]
        for line in base.packet.lines[a["first_line"] - 1 : a["last_line"]]
    )
    if not values or re.search(r"resol|step|reads? in|precis|digit", text):
        return None
    readout["resolution"] = pick(rng, sorted(values))
    return base, draft


def fitted_control(base: Base, rng: Rng, seed: int) -> Made | None:
    """A fitted constant listed among the controls, over a range of printed numbers."""
    draft = copied(base)
    fitted = [p for p in draft["parameters"] if p["role"] == "fitted" and p["value"]]
    if not fitted:
        return None
    part = pick(rng, fitted)
    value, error = part["value"], part["uncertainty"] or abs(part["value"]) / 10
    numbers = sorted({float(t) for t in numbers_of_lines(base, part["anchors"])} | {float(value)})
    ends = pick(
        rng,
        [
            (value - error, value + error),
            tuple(sorted((error, value))),
            (value / 2, value * 2) if value > 0 else (value * 2, value / 2),
            (numbers[0], numbers[-1]),
            (value - 2 * error, value + 2 * error),
        ],
    )
    low, high = (float(f"{end:.6g}") for end in ends)
    if not low < high:
        return None
    draft["parameters"].remove(part)
    draft["controls"].append(
        {
            **{key: part[key] for key in ("name", "symbol", "meaning", "unit", "anchors")},
            "low": low,
            "high": high,
            "choices": None,
            "inert": False,
        }
    )
    return base, draft


def readout_swapped(base: Base, rng: Rng, seed: int) -> Made | None:
    """Laws of two readouts exchanged, or the readout turned into a control or a constant."""
    draft = copied(base)
    relations = draft["relations"]
    if len(relations) > 1 and rng.random() < 0.5:
        a, b = rng.permutation(len(relations))[:2]
        one, other = relations[int(a)], relations[int(b)]
        key = pick(rng, ["expression", "readout"])
        one[key], other[key] = other[key], one[key]
        return base, draft
    readout = pick(rng, draft["readouts"])
    taken = pick(rng, [*draft["controls"], *draft["parameters"]])
    old = readout["name"]
    readout["symbol"] = taken["symbol"]
    readout["definition"] = taken["meaning"]
    readout["name"] = f"{taken['name']}_out"
    if rng.random() < 0.5:
        readout["anchors"] = [dict(a) for a in taken["anchors"]]
        readout["resolution"] = None
    for relation in relations:
        if relation["readout"] == old:
            relation["readout"] = readout["name"]
    for part in draft["consistency"]:
        for key in ("left", "right"):
            part[key] = re.sub(rf"\b{re.escape(old)}\b", readout["name"], part[key])
    return base, draft


def apparatus_range(base: Base, rng: Rng, seed: int) -> Made | None:
    """A wider range that the paper prints for the apparatus, anchored where it stands."""
    draft = copied(base)
    control = pick(rng, draft["controls"])
    if control["low"] is None:
        return None
    low, high = control["low"] / 2, control["high"] * 2
    low, high = float(f"{low:.3g}"), float(f"{high:.3g}")
    lines = list(base.packet.lines)
    places = [n for n, line in enumerate(lines) if line.rstrip().endswith(".") and len(line) > 30]
    n = pick(rng, places)
    words = control["meaning"].split()[:4]
    unit = "" if control["unit"] == "1" else f" {control['unit']}"
    sentence = (
        f"The rig reaches {' '.join(words)} {control['name']} from {low}{unit} to {high}{unit}."
    )
    lines[n] = f"{lines[n]} {sentence}"
    control.update(low=low, high=high)
    control["anchors"] = [
        {"first_line": n + 1, "last_line": n + 1, "quote": sentence[:290], "support": "its range"}
    ]
    return base.with_lines(lines), draft


__all__ = (
    "apparatus_range",
    "fabricated",
    "fitted_control",
    "like_unit",
    "misused_number",
    "other_range",
    "prefix",
    "readout_swapped",
    "widened",
)
