"""Defects of what is claimed: combinations, status, origin, joint conditions.

Each maker takes a base, a generator and the number of the wording pool, and returns one
defective card beside its packet, or None where the base has no site.
"""

import re

from benchmarks.defects.bases import Base
from benchmarks.defects.edits import Made, Rng, copied, formulas, pick, reworded
from benchmarks.defects.wordings import APPROXIMATE, CREDITS, JOINT, PAIRED, PROPORTIONAL


def paired(base: Base, rng: Rng, seed: int) -> Made | None:
    """The paper says that values went together; the card says Cartesian and quotes that."""
    draft = copied(base)
    old = base.wording["crossed"]
    made = reworded(base, draft, old, pick(rng, PAIRED[seed % 2]))
    if made is not None and (second := base.wording.get("crossed2")):
        made = reworded(made, draft, second, "were run with")
    return None if made is None else (made, draft)


def unstated(base: Base, rng: Rng, seed: int) -> Made | None:
    """Nothing is said of combinations; the card says Cartesian and anchors something else."""
    draft = copied(base)
    draft["sampling"] = "cartesian"
    part = pick(rng, [*draft["controls"], *draft["readouts"], *draft["parameters"]])
    anchor = dict(pick(rng, part["anchors"]))
    text = " ".join(base.packet.lines[anchor["first_line"] - 1 : anchor["last_line"]])
    if re.search(r"cross|combination|factorial|grid|independent|each|every|rectangle|box", text):
        return None
    draft["sampling_anchors"] = [anchor | {"support": "values were combined freely"}]
    return base, draft


def stronger_than_fit(base: Base, rng: Rng, seed: int) -> Made | None:
    draft = copied(base)
    fitted = [r for r in draft["relations"] if r["status"] == "fitted"]
    if not fitted:
        return None
    relation = pick(rng, fitted)
    relation["status"] = pick(rng, ["equality", "definition", "prediction"])
    relation["origin"] = pick(rng, ["derived_here", "fitted_here"])
    if rng.random() < 0.5:
        relation["anchors"] = relation["anchors"][:1]
    return base, draft


def _claimed(
    base: Base, rng: Rng, wording: tuple[str, ...], status: tuple[str, ...], origin: str
) -> Made | None:
    draft = copied(base)
    new = pick(rng, list(wording))
    made = reworded(base, draft, base.wording["claim"], new)
    if made is None:
        return None
    place = made.view.find(new)[0]
    for relation in draft["relations"]:
        if relation["status"] != "fitted":
            continue
        relation["status"], relation["origin"] = pick(rng, list(status)), origin
        anchor = {
            "first_line": place.first_line,
            "last_line": min(place.first_line + 3, len(made.packet.lines)),
            "quote": new[:300],
            "support": "the sentence that brings the formula",
        }
        formula = [a for a in relation["anchors"] if "=" in a["quote"]]
        relation["anchors"] = [anchor, *formula]
    return made, draft


def approximation(base: Base, rng: Rng, seed: int) -> Made | None:
    status = ("equality", "prediction", "definition")
    return _claimed(base, rng, APPROXIMATE[seed % 2], status, "derived_here")


def restated(base: Base, rng: Rng, seed: int) -> Made | None:
    status = ("equality", "prediction")
    return _claimed(base, rng, CREDITS[seed % 2], status, "derived_here")


def restated_base(base: Base, rng: Rng, seed: int) -> Made | None:
    """A card that is honest about being restated, now called derived or fitted here."""
    draft = copied(base)
    taken = [r for r in draft["relations"] if r["origin"] == "restated"]
    if not taken or any(relation["status"] == "fitted" for relation in taken):
        return None
    for relation in taken:
        relation["origin"] = "derived_here"
        relation["status"] = pick(rng, ["prediction", "definition", "equality"])
    kept = pick(rng, taken)
    if len(kept["anchors"]) > 1 and rng.random() < 0.5:
        kept["anchors"] = list(reversed(kept["anchors"]))
    draft["title"] += pick(rng, ["", " again", " anew", " revisited", " here"])
    return base, draft


def proportional(base: Base, rng: Rng, seed: int) -> Made | None:
    """The paper prints only a proportionality; the card makes an equation of it."""
    draft = copied(base)
    relation = draft["relations"][0]
    printed = next((a for a in relation["anchors"] if "=" in a["quote"]), None)
    if printed is None or len(draft["relations"]) > 1:
        return None
    claim = base.wording["claim"]
    new = pick(rng, list(PROPORTIONAL[seed % 2]))
    made = reworded(base, draft, claim, new)
    if made is None:
        return None
    lines = list(made.packet.lines)
    for n in range(printed["first_line"] - 1, printed["last_line"]):
        lines[n] = lines[n].replace(" = ", r" \propto " if made.packet.kind == "tex" else " ∝ ", 1)
    made = made.with_lines(lines)
    place = made.view.find(new)[0]
    relation["status"] = pick(rng, ["equality", "prediction", "definition", "approximation"])
    relation["origin"] = "derived_here"
    quote = next(
        lines[n].strip()
        for n in range(printed["first_line"] - 1, printed["last_line"])
        if "∝" in lines[n] or "propto" in lines[n]
    )
    at = next(n for n, line in enumerate(lines, 1) if quote in line)
    head = {"first_line": place.first_line, "last_line": place.last_line, "quote": new[:300]}
    relation["anchors"] = [
        head | {"support": "the sentence that brings the formula"},
        {"first_line": at, "last_line": at, "quote": quote[:300], "support": "the formula j"},
    ]
    return made, draft


def joint_dropped(base: Base, rng: Rng, seed: int) -> Made | None:
    """The paper prints a joint condition on two controls; the card has none."""
    draft = copied(base)
    controls = draft["controls"]
    if draft["constraints"]:
        used = set(re.findall(r"\w+", draft["constraints"][0]["expression"]))
        draft["constraints"] = []
        text = " ".join(part[key] for part, key in formulas(draft))
        draft["parameters"] = [
            p
            for p in draft["parameters"]
            if p["name"] not in used or re.search(rf"\b{re.escape(p['name'])}\b", text)
        ]
        draft["title"] += pick(rng, ["", " here", " again"])
        return base, draft
    a, b = (controls[int(n)] for n in rng.permutation(len(controls))[:2])
    tex = base.packet.kind == "tex"
    one, other = (c["symbol"] if tex else c["name"] for c in (a, b))
    less = pick(rng, ["<=", "<", "≤"] if not tex else [r"\le", "<", r"\leq"])
    condition = pick(
        rng, [f"{one} {less} q {other}", f"{one} {less} {other}/w", f"{one} {less} q {other}^2"]
    )
    sentence = pick(rng, list(JOINT[seed % 2])).format(f"${condition}$" if tex else condition)
    lines = list(base.packet.lines)
    # At the end of an existing line, so that no line number moves.
    places = [n for n, line in enumerate(lines) if line.rstrip().endswith(".") and len(line) > 30]
    n = pick(rng, places)
    lines[n] = f"{lines[n]} {sentence}"
    return base.with_lines(lines), draft


def condition_dropped(base: Base, rng: Rng, seed: int) -> Made | None:
    draft = copied(base)
    table = pick(rng, ["fixed_conditions", "applicability", "limitations", "claim_dependencies"])
    if not draft[table]:
        return None
    draft[table].pop(int(rng.integers(len(draft[table]))))
    return base, draft


def meaning_changed(base: Base, rng: Rng, seed: int) -> Made | None:
    """The prose of a quantity tells something else of the same words."""
    draft = copied(base)
    part = pick(rng, [*draft["controls"], *draft["parameters"]])
    part["meaning"] = (
        pick(rng, ["Largest ", "Time average of the ", "Inverse of the ", "Total ", "Initial "])
        + part["meaning"]
    )
    return base, draft


def restated_fit(base: Base, rng: Rng, seed: int) -> Made | None:
    """A fit of others, honestly called restated, now called a fit of this paper."""
    draft = copied(base)
    if draft["relations"][0]["origin"] != "restated" or draft["relations"][0]["status"] != "fitted":
        return None
    draft["relations"][0]["origin"] = "fitted_here"
    draft["title"] += pick(rng, ["", " here", " again", " anew", " once more", " in short"])
    return base, draft


def role_changed(base: Base, rng: Rng, seed: int) -> Made | None:
    draft = copied(base)
    if not draft["parameters"]:
        return None
    part = pick(rng, draft["parameters"])
    part["role"] = pick(rng, [r for r in ("constant", "fitted", "reference") if r != part["role"]])
    if part["role"] == "reference":
        return None
    return base, draft


__all__ = (
    "approximation",
    "condition_dropped",
    "joint_dropped",
    "meaning_changed",
    "paired",
    "proportional",
    "restated",
    "restated_base",
    "restated_fit",
    "role_changed",
    "stronger_than_fit",
    "unstated",
)
