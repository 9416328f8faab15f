"""A reader's draft against a gold case, field by field.

Names are matched first: by symbol, then by shared words of equal dimension. A gold fact that the
draft has counts for recall; a draft fact that gold has, too, counts for precision. A draft fact
of which gold says nothing (a range that gold leaves open) is not judged, unless the gold card is
complete: then the paper is silent, too, and the draft is wrong. A relation, control, readout or
parameter without a partner in gold counts against precision.
"""

import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from benchmarks.gold.cards import GoldCase
from benchmarks.gold.facts import Compared, Tally
from benchmarks.gold.statements import compared_statements
from lawsmith.errors import InputError, UnitError
from lawsmith.expressions import equivalent, parse_infix, same_form
from lawsmith.units import convert, parse_unit
from schemas.card import (
    AnchorDraft,
    CardDraft,
    ControlDraft,
    ParameterDraft,
    ReadoutDraft,
)
from schemas.expression import Expression, substitute

Named = ControlDraft | ReadoutDraft | ParameterDraft
KINDS = ("controls", "readouts", "parameters")
CONDITIONS = (
    *("fixed_conditions", "applicability", "limitations", "constraints", "claim_dependencies"),
    "relations",
)
"""Where a draft may keep what a gold quotation says; some of those support the law itself."""
CLOSE = 1e-9
_GREEK = {"gam": "gamma", "lam": "lambda", "al": "alpha", "ga": "gamma", "eps": "epsilon"}
_SMALL_WORDS = frozenset({"the", "of", "a", "an", "in", "and", "at", "to", "for", "by", "is"})


@dataclass
class Pairing:
    """Which name of a draft is which of gold, by kind."""

    pairs: dict[str, list[tuple[Named | None, Named | None, int]]] = field(default_factory=dict)
    """Kind -> (gold, draft, index in the draft or -1)."""
    renaming: dict[str, str] = field(default_factory=dict)
    """Name in the draft -> name in gold, over all kinds."""


def compare(gold: GoldCase, draft: CardDraft | None) -> list[Compared]:
    """Every fact of a gold case beside the draft; without a draft all are missing."""
    empty = CardDraft.model_validate(
        {
            name: [] if name not in {"title", "sampling"} else "unstated"
            for name in CardDraft.model_fields
        }
    )
    other = draft or empty
    pairing = paired(gold.draft, other)
    facts = list(_relations(gold, other, pairing))
    for kind in KINDS:
        for one, two, index in pairing.pairs[kind]:
            path = f"/{kind}/{index}" if index >= 0 else ""
            facts.extend(_named(kind, one, two, path))
            if gold.complete and one is not None and two is not None:
                facts.extend(_unstated(kind, one, two, path))
    if not gold.complete:
        return [*facts, *_conditions(gold.draft, other)]
    return [*facts, *_case_wide(gold, other, pairing), *compared_statements(gold, other)]


def paired(gold: CardDraft, draft: CardDraft) -> Pairing:
    """The names of a draft and of a gold case matched within each kind."""
    found = Pairing()
    everything = [part for kind in KINDS for part in getattr(gold, kind)]
    for kind in KINDS:
        left: list[Named] = list(getattr(gold, kind))
        right: list[Named] = list(getattr(draft, kind))
        taken: dict[int, int] = {}
        for alike in (_same_symbol, _same_words):
            for i, one in enumerate(left):
                free = [j for j in range(len(right)) if j not in taken.values()]
                partner = next((j for j in free if alike(one, right[j])), None)
                if i not in taken and partner is not None:
                    taken[i] = partner
        pairs = [(left[i], right[j], j) for i, j in sorted(taken.items())]
        found.pairs[kind] = [
            *pairs,
            *((one, None, -1) for i, one in enumerate(left) if i not in taken),
            *((None, two, j) for j, two in enumerate(right) if j not in taken.values()),
        ]
        found.renaming |= {two.name: one.name for one, two, _ in pairs}
        # A name of another kind is still the same quantity in a formula.
        for two in right:
            same = next((one for one in everything if _same_symbol(one, two)), None)
            if same is not None:
                found.renaming.setdefault(two.name, same.name)
    return found


def plain_symbol(text: str) -> str:
    r"""A symbol without typography: `P_{\rm rot}`, `P_rot` and `Prot` are one."""
    spelt = "".join(
        unicodedata.name(char).split()[-1].lower()
        if unicodedata.name(char, "").startswith("GREEK")
        else char
        for char in text
    )
    spelt = re.sub(r"\\(?:mathrm|mathit|text|rm|it|mathbf)(?![A-Za-z])", "", spelt)
    spelt = re.sub(r"[^A-Za-z0-9]", "", spelt)
    return _GREEK.get(spelt, spelt)


def _same_symbol(one: Named, two: Named) -> bool:
    mine = {plain_symbol(one.symbol), plain_symbol(one.name)}
    return bool(mine & {plain_symbol(two.symbol), plain_symbol(two.name)})


def _same_words(one: Named, two: Named) -> bool:
    shared = _words(one) & _words(two)
    return len(shared) >= 2 and _unit_agrees(one.unit, two.unit)


def _words(part: Named) -> set[str]:
    text = part.definition if isinstance(part, ReadoutDraft) else part.meaning
    return set(re.findall(r"[a-z]{3,}", text.lower())) - _SMALL_WORDS


def _unit_agrees(one: str, two: str) -> bool:
    """Same dimension and scale; units that the table does not know agree by their text."""
    try:
        return math.isclose(convert(1.0, one, two), 1.0, rel_tol=CLOSE) or (
            parse_unit(one).dimension == parse_unit(two).dimension
            and math.isclose(float(parse_unit(one).scale), float(parse_unit(two).scale))
        )
    except UnitError:
        return one == two


def _named(kind: str, one: Named | None, two: Named | None, path: str) -> Iterator[Compared]:
    name = one.symbol if one is not None else two.symbol if two is not None else ""
    label = kind.removesuffix("s")
    yield Compared(
        kind,
        f"{label} {name}",
        None if one is None else one.symbol,
        None if two is None else two.symbol,
        one is not None and two is not None,
        path,
    )
    if one is None:
        return
    if one.unit != "unstated":
        agrees = two is not None and _unit_agrees(one.unit, two.unit)
        given = None if two is None else two.unit
        yield Compared(f"{label} units", f"unit of {name}", one.unit, given, agrees, f"{path}/unit")
    for field_name, attribute in _NUMBERS[kind]:
        stated = getattr(one, attribute)
        if stated is None:
            continue
        got = None if two is None else getattr(two, attribute)
        agrees = two is not None and _number_agrees(stated, got, one.unit, two.unit)
        shown = None if got is None else repr(got)
        where = f"{path}/{attribute}" if path else ""
        yield Compared(field_name, f"{attribute} of {name}", repr(stated), shown, agrees, where)


def _unstated(kind: str, one: Named, two: Named, path: str) -> Iterator[Compared]:
    """Numbers that a draft gives and the paper does not; and the role of a parameter."""
    for field_name, attribute in _NUMBERS[kind]:
        told = getattr(two, attribute)
        if getattr(one, attribute) is None and told is not None:
            what = f"{attribute} of {one.symbol}"
            yield Compared(field_name, what, None, repr(told), False, f"{path}/{attribute}")
    if isinstance(one, ParameterDraft) and isinstance(two, ParameterDraft):
        same = one.role == two.role
        what = f"role of {one.symbol}"
        yield Compared("parameter roles", what, one.role, two.role, same, f"{path}/role")


def _case_wide(gold: GoldCase, draft: CardDraft, pairing: Pairing) -> Iterator[Compared]:
    """Sampling, joint conditions and identities among readouts."""
    one, two = gold.draft.sampling, draft.sampling
    yield Compared("sampling", "sampling", one, two, one == two, "/sampling")
    mine = [item.expression for item in gold.draft.constraints]
    theirs = [item.expression for item in draft.constraints]
    yield from _expressions("constraints", gold, draft, (mine, theirs), pairing)
    mine = [f"{item.left} - ({item.right})" for item in gold.draft.consistency]
    theirs = [f"{item.left} - ({item.right})" for item in draft.consistency]
    yield from _expressions("consistency", gold, draft, (mine, theirs), pairing)


def _expressions(
    name: str,
    gold: GoldCase,
    draft: CardDraft,
    texts: tuple[list[str], list[str]],
    pairing: Pairing,
) -> Iterator[Compared]:
    """Expressions that stand for themselves; an identity may be written either way round."""
    free = dict(enumerate(texts[1]))
    for text in texts[0]:
        ways = [text, f"-({text})"] if name == "consistency" else [text]
        hit = next(
            (
                i
                for i, other in free.items()
                if any(_functions_agree(gold, draft, way, other, pairing)[1] for way in ways)
            ),
            None,
        )
        told = None if hit is None else free.pop(hit)
        path = "" if hit is None else f"/{name}/{hit}"
        yield Compared(name, f"{name} {text}", text, told, told is not None, path)
    for i, other in free.items():
        yield Compared(name, f"{name} {other}", None, other, False, f"/{name}/{i}")


_NUMBERS = {
    "controls": (("range ends", "low"), ("range ends", "high"), ("range ends", "choices")),
    "readouts": (("readout resolution", "resolution"), ("readout uncertainty", "uncertainty")),
    "parameters": (
        ("parameter values", "value"),
        ("parameter values", "universal_constant"),
        ("parameter uncertainty", "uncertainty"),
    ),
}


def _number_agrees(one: object, two: object, unit: str, other: str) -> bool:
    """Equal numbers in units of their own; lists number by number."""
    if isinstance(one, list):
        return (
            isinstance(two, list)
            and len(one) == len(two)
            and all(_number_agrees(a, b, unit, other) for a, b in zip(one, two, strict=True))
        )
    if not isinstance(one, int | float) or not isinstance(two, int | float):
        return str(one).lower() == str(two).lower()
    try:
        return math.isclose(one, convert(float(two), other, unit), rel_tol=CLOSE)
    except UnitError:
        return math.isclose(one, two, rel_tol=CLOSE)


def _relations(gold: GoldCase, draft: CardDraft, pairing: Pairing) -> Iterator[Compared]:
    free = list(enumerate(draft.relations))
    for law in gold.draft.relations:
        partner = next(
            (item for item in free if pairing.renaming.get(item[1].readout) == law.readout), None
        )
        path = "" if partner is None else f"/relations/{partner[0]}"
        got = None if partner is None else partner[1]
        if partner is not None:
            free.remove(partner)
        told = None if got is None else got.expression
        form, values = (
            (False, False)
            if got is None
            else _functions_agree(gold, draft, law.expression, got.expression, pairing)
        )
        what = f"law of {law.readout}"
        where = f"{path}/expression" if path else ""
        yield Compared("relation form", what, law.expression, told, form, where)
        yield Compared("relation", what, law.expression, told, values, where)
        claims: list[tuple[str, str, str | None]] = [
            ("status", law.status, None if got is None else got.status)
        ]
        if gold.states_origin:
            claims.append(("origin", str(law.origin), None if got is None else str(got.origin)))
        for name, stated, given in claims:
            where = f"{path}/{name}" if path else ""
            also = gold.also.get(law.readout, ()) if name == "status" else ()
            right = given in {stated, *also}
            yield Compared(name, f"{name} of {law.readout}", stated, given, right, where)
    for index, extra in free:
        told = f"{extra.readout} = {extra.expression}"
        for name in ("relation form", "relation"):
            where = f"/relations/{index}/expression"
            yield Compared(name, f"law of {extra.readout}", None, told, False, where)


def _functions_agree(
    gold: GoldCase, draft: CardDraft, law: str, got: str, pairing: Pairing
) -> tuple[bool, bool]:
    """(same form, same function), names matched and parameters written out."""
    try:
        mine = _written_out(gold.draft, law, {})
        theirs = _written_out(draft, got, pairing.renaming)
        domain = {control.name: _span(gold, control) for control in gold.draft.controls}
        if equivalent(theirs, mine, domain).equal:
            return True, True
        return same_form(theirs, mine, domain=domain).equal, False
    except InputError:
        return law.replace(" ", "") == got.replace(" ", ""), False


def _span(gold: GoldCase, control: ControlDraft) -> tuple[float, float]:
    """Where laws are compared: a control's range, or around the gold card's example."""
    if control.low is not None and control.high is not None:
        return control.low, control.high
    value = gold.example.get(control.name, 1.0)
    return (value / 2, value * 2) if value > 0 else (0.5, 2.0)


def _written_out(card: CardDraft, text: str, renaming: dict[str, str]) -> Expression:
    """A formula over controls: definitions and parameters written out, names as in gold."""
    known: dict[str, Expression] = {
        item.name: item.value for item in card.parameters if item.value is not None
    }
    for item in card.parameters:
        if item.derivation is not None:
            known[item.name] = substitute(parse_infix(item.derivation), known)
    for definition in card.definitions:
        known[definition.name] = substitute(parse_infix(definition.expression), known)
    whole = substitute(parse_infix(text), known)
    return substitute(whole, {name: parse_infix(other) for name, other in renaming.items()})


def _conditions(gold: CardDraft, draft: CardDraft) -> Iterator[Compared]:
    """A gold quotation is kept where lines of a condition, or of the law, overlap with it."""
    stated = [anchor for item in gold.applicability for anchor in item.anchors]
    given = [
        (f"/{table}/{i}", item.anchors)
        for table in CONDITIONS
        for i, item in enumerate(getattr(draft, table))
    ]
    for anchor in stated:
        path = next((path for path, anchors in given if _overlap([anchor], anchors)), None)
        what = f"condition at line {anchor.first_line}"
        yield Compared("conditions", what, anchor.quote, path, path is not None, path or "")


def _overlap(some: Sequence[AnchorDraft], others: Sequence[AnchorDraft]) -> bool:
    return any(
        one.first_line <= two.last_line and two.first_line <= one.last_line
        for one in some
        for two in others
    )


__all__ = ("Compared", "Pairing", "Tally", "compare", "paired", "plain_symbol")
