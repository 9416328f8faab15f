"""What the sealed page of one family shows, ready for its template."""

from collections.abc import Mapping
from typing import Any, Final

from markupsafe import Markup

from lawsmith.measurement import is_logarithmic
from lawsmith.mutation import HOPELESS, difficulty_of
from lawsmith.release.pages.changes import Formula, Shown, shown_laws
from lawsmith.release.pages.mathml import equation, math, mathml, number_mathml
from lawsmith.release.pages.plots import slice_is_logarithmic, slice_svg, thumbnail_svg
from lawsmith.release.pages.slices import Laws, Slice, slices_of, telling_slice
from lawsmith.release.pages.symbols import Symbols, symbols_of
from lawsmith.release.pages.wording import MOVES, QUESTIONS, figure_label, figure_text
from schemas.card import Card
from schemas.expression import Expression, Op, node_count
from schemas.family import Environment, Family, Mutation
from schemas.historical_card import HistoricalCard
from schemas.task import PublicTask

ENVIRONMENTS: tuple[Environment, Environment] = ("original", "counterfactual")
SIDE_BY_SIDE: Final = 26
"""Most nodes of a formula of which two fit beside each other on a wide page."""

View = dict[str, Any]


def family_view(family: Family, card: Card | HistoricalCard | None, laws: Laws) -> View:
    """Everything on the page of a family but its tasks and its attribution.

    Args:
        family: the family.
        card: its card, where the release has it: titles and meanings come from it.
        laws: environment -> its folded laws, in the order of the readouts.
    """
    symbols = family_symbols(family)
    shown = shown_laws(family)
    found = slices_of(family, laws)
    telling, readout = telling_slice(family, found)
    names = [item.name for item in family.controls] + [item.name for item in family.readouts]
    return {
        "family": family,
        "title_text": family.id if card is None else card.title,
        "card": card if isinstance(card, HistoricalCard) else None,
        "thumbnail": _drawn(thumbnail_svg(family, telling, readout)),
        "laws": {name: _laws(shown[name], symbols, family) for name in ENVIRONMENTS},
        "constants": _constants(family, shown, symbols, _meanings(card)),
        "short_laws": _short(shown),
        "changes": [_change(item, family, symbols, card) for item in family.mutations],
        "slices": [_slice(family, item, symbols) for item in found],
        "symbols": {name: math_inline(text) for name, text in symbols.items()},
        "constraints": _conditions(family, symbols),
        "identities": [
            _math(equation(mathml(item.left, symbols), mathml(item.right, symbols)))
            for item in family.consistency
        ],
        "certificates": [
            {
                "number": item.number,
                "name": item.name,
                "question": QUESTIONS.get(item.number, ""),
                "outcome": item.outcome,
                "sentence": item.sentence,
                "figures": [
                    (figure_label(key, names), figure_text(value), str(value))
                    for key, value in sorted(item.figures.items())
                ],
            }
            for item in family.certificates
        ],
        "folded": laws,
        "difficulty": _difficulty(family, laws),
    }


def family_symbols(family: Family) -> dict[str, str]:
    """Name -> MathML for every name of a family; symbols that collide are shown as names."""
    named = _interface(family)
    taken = {name for name, _ in named}
    for rules in (family.original, family.counterfactual):
        pairs = [(p.name, p.symbol) for p in rules.parameters]
        pairs += [(d.name, "") for d in rules.definitions]
        named += [(name, symbol) for name, symbol in pairs if name not in taken]
        taken |= {name for name, _ in pairs}
    return symbols_of(named)


def interface_symbols(item: Family | PublicTask) -> dict[str, Markup]:
    """Name -> inline formula for the controls and readouts of a task."""
    pairs = _interface(item)
    return {name: math_inline(text) for name, text in symbols_of(pairs).items()}


def conditions(item: Family | PublicTask) -> list[View]:
    """The joint conditions of a task or family, as formulas over its own symbols."""
    return _conditions(item, symbols_of(_interface(item)))


def math_inline(rows: str) -> Markup:
    """A formula inside a line of text."""
    return Markup(math(rows, display=False))


def _interface(item: Family | PublicTask) -> list[tuple[str, str]]:
    controls = [(control.name, control.symbol) for control in item.controls]
    return controls + [(readout.name, readout.symbol) for readout in item.readouts]


def _math(text: str) -> Markup:
    return Markup(text)


def _drawn(svg: str) -> Markup:
    return Markup(svg)


def _conditions(item: Family | PublicTask, symbols: Symbols) -> list[View]:
    shown = []
    for condition in item.constraints:
        left: Expression = condition.expression
        right: Expression = 0.0
        if isinstance(left, Op) and left.op == "sub":
            left, right = left.args
        rows = f"{mathml(left, symbols)}<mo>≥</mo>{mathml(right, symbols)}"
        shown.append({"math": math_inline(rows), "meaning": condition.meaning})
    return shown


def _laws(shown: Shown, symbols: Symbols, family: Family) -> View:
    units = {item.name: item.unit for item in family.readouts}
    return {
        "relations": [
            _formula(item, symbols) | {"unit": units[item.name]} for item in shown.relations
        ],
        "definitions": [_formula(item, symbols) for item in shown.definitions],
    }


def _formula(item: Formula, symbols: Symbols) -> View:
    text = equation(symbols[item.name], mathml(item.expression, symbols, item.marks))
    return {"name": item.name, "math": _math(text), "changed": item.changed}


def _short(shown: Mapping[Environment, Shown]) -> bool:
    """Whether every formula is narrow enough for the two laws to stand side by side."""
    formulas = [f for item in shown.values() for f in (*item.relations, *item.definitions)]
    return max(node_count(formula.expression) for formula in formulas) <= SIDE_BY_SIDE


def _meanings(card: Card | HistoricalCard | None) -> dict[str, str]:
    if isinstance(card, HistoricalCard):
        found = {item.name: item.meaning for item in card.independent}
        return found | {item.name: item.meaning for item in card.corrections}
    return {} if card is None else {item.name: item.meaning for item in card.parameters}


def _constants(
    family: Family,
    shown: Mapping[Environment, Shown],
    symbols: Symbols,
    meanings: Mapping[str, str],
) -> list[View]:
    """Every constant that a shown law uses, with its value in each environment."""
    used = {c.parameter.name for item in shown.values() for c in item.constants}
    values = {name: {p.name: p for p in getattr(family, name).parameters} for name in ENVIRONMENTS}
    rows = []
    for name in dict.fromkeys((*values["original"], *values["counterfactual"])):
        if name in used:
            both = [values[environment].get(name) for environment in ENVIRONMENTS]
            known = next(item for item in both if item is not None)
            rows.append(
                {
                    "name": name,
                    "symbol": math_inline(symbols[name]),
                    "meaning": meanings.get(name, ""),
                    "unit": known.unit,
                    "values": [None if item is None else item.value for item in both],
                    "changed": len({None if item is None else item.value for item in both}) > 1,
                }
            )
    return rows


def _change(
    item: Mutation, family: Family, symbols: Symbols, card: Card | HistoricalCard | None
) -> View:
    """One mutation in words, with the formula before and after."""
    kind, index = item.path.split("/")[1], int(item.path.split("/")[2])
    name, where = "", ""
    rule = None
    if kind == "parameters":
        name = family.original.parameters[index].name
        rules = card.mutation_rules if isinstance(card, HistoricalCard) else ()
        rule = next((item for item in rules if item.target == name), None)
    elif kind == "definitions":
        name, where = family.original.definitions[index].name, "in the definition of"
    else:
        name, where = family.original.relations[index].readout, "in the law of"
    unit = family.original.parameters[index].unit if kind == "parameters" else ""
    return {
        "words": MOVES[item.move][1],
        "noun": MOVES[item.move][0],
        "where": where,
        "symbol": math_inline(symbols[name]),
        "name": name,
        "before": _math(math(mathml(item.before, symbols))),
        "after": _math(math(mathml(item.after, symbols))),
        "unit": unit,
        "parameter": kind == "parameters",
        "factor": _factor(item),
        "meaning": _meanings(card).get(name, "").rstrip("."),
        "rule": rule,
        "introduced": [
            {
                "math": math_inline(f"{symbols[p.name]}<mo>=</mo>{number_mathml(p.value)}"),
                "unit": p.unit,
            }
            for p in item.introduced
        ],
    }


def _factor(item: Mutation) -> str:
    """How many times as large a changed number is, or nothing."""
    if isinstance(item.before, float) and isinstance(item.after, float) and item.before != 0.0:
        return figure_text(float(f"{item.after / item.before:.3g}"))
    return ""


def _slice(family: Family, found: Slice, symbols: Symbols) -> View:
    held = [
        {
            "symbol": math_inline(symbols[control.name]),
            "value": found.base[i],
            "unit": control.unit,
        }
        for i, control in enumerate(family.controls)
        if i != found.axis
    ]
    control = family.controls[found.axis]
    return {
        "symbol": math_inline(symbols[control.name]),
        "meaning": control.meaning.rstrip("."),
        "unit": control.unit,
        "held": held,
        "middle": found.middle,
        "logarithmic": is_logarithmic(control),
        "charts": [
            {
                "symbol": math_inline(symbols[readout.name]),
                "unit": readout.unit,
                "svg": _drawn(slice_svg(family, found, index)),
                "logarithmic": slice_is_logarithmic(found, index),
            }
            for index, readout in enumerate(family.readouts)
        ],
    }


def _difficulty(family: Family, laws: Laws) -> View:
    """The stratum with the figures that it is measured by."""
    found = difficulty_of(family.mutations, family.certificates)
    nodes = [sum(node_count(law.expression) for law in laws[name]) for name in ENVIRONMENTS]
    return {
        "stratum": family.difficulty,
        "moves": found.moves,
        "distance": figure_text(found.distance),
        "refit": figure_text(found.refit) + (" or more" if found.refit >= HOPELESS else ""),
        "nodes": nodes,
    }


__all__ = (
    "View",
    "conditions",
    "family_symbols",
    "family_view",
    "interface_symbols",
    "math_inline",
)
