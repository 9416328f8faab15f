"""Gates on formulas: each law is the printed one wherever the print can be read for certain.

The printed right side is read over the card's own symbols and compared with the card's formula
at points of the domain, parameters moved off their values. Print that cannot be read (stacked
fractions of a page without TeX, symbols without a value) decides nothing.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal

import numpy as np

from lawsmith.curation.admission.context import Bench
from lawsmith.curation.evidence import (
    Named,
    PrintedEquation,
    Reason,
    UnreadError,
    assignments,
    plain_symbols,
    printed_equations,
    read_plain,
    spelled,
    spellings,
)
from lawsmith.errors import InputError, UndefinedValueError
from lawsmith.expressions import evaluate
from lawsmith.measurement import DesignError, columns, dense_design
from schemas.card import Anchors
from schemas.expression import Expression, Op, Var, names_of, substitute, walk
from schemas.source import ReasonCode

POINTS: Final = 12
SAME: Final = 1e-9
"""Relative difference up to which two formulas agree at a point."""
_MOVES: Final = (1.13, 0.87, 1.29, 0.79, 1.07, 0.93, 1.21)
"""Factors that take parameters off their values, so that a parameter that is 1 counts."""
_CONSTANTS: Final[dict[str, Expression]] = {"pi": Op("acos", (-1.0,)), "e": Op("exp", (1.0,))}
_INEQUALITY: Final = re.compile(r"(?P<sign><=|>=|≤|≥|<|>)")
_LEFT_WORDS: Final = 9
"""Words before an inequality that its left side is looked for in."""
_MAY_COMPARE: Final = re.compile(r"[<>≤≥]|\\[lg]e")
Outcome = Literal["same", "different", "unread"]


def formula_gate(bench: Bench) -> Iterator[Reason]:
    """Relations and definitions against the equations that the packet prints for them."""
    reader = _Reader(bench)
    card = bench.card
    readouts = {readout.name: readout for readout in card.readouts}
    for i, relation in enumerate(card.relations):
        readout = readouts.get(relation.readout)
        if readout is not None:
            law = bench.laws_with_parameters[i]
            path = f"/relations/{i}/expression"
            yield from reader.check(path, spellings(readout), law, relation.anchors)
            yield from reader.other_left(path, spellings(readout), law, relation.anchors)
    for i, part in enumerate(card.definitions):
        law = bench.definitions[part.name]
        path = f"/definitions/{i}/expression"
        yield from reader.check(path, spellings(part), law, part.anchors)


class _Reader:
    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        card = bench.card
        given: list[Named] = [*card.readouts]
        given.extend(card.definitions)
        parts: list[Named] = [*given, *card.controls]
        parts.extend(card.parameters)
        self.names = spelled(parts)
        symbols: dict[str, str] = {
            s: getattr(part, "symbol", part.name) for part in parts for s in spellings(part)
        }
        lefts = {s for part in given for s in spellings(part)}
        self.intermediate = {s for part in card.definitions for s in spellings(part)}
        self.equations = printed_equations(bench.packet, lefts, symbols)
        near = _lines_of(*(relation.anchors for relation in card.relations))
        self.all_equations = printed_equations(bench.packet, None, symbols, near)
        self.points = list(_points(bench))

    def check(
        self, path: str, lefts: Sequence[str], law: Expression, anchors: Anchors
    ) -> Iterator[Reason]:
        lines = _lines_of(anchors)
        printed = [equation for equation in self.equations if equation.left in lefts]
        here = [equation for equation in printed if equation.touches(lines)]
        # Elsewhere a symbol may be set to a number, which says nothing of its law.
        pool = here or [equation for equation in printed if not _is_value(equation)]
        outcomes = [self._outcome(equation, law) for equation in pool]
        if outcomes and all(outcome == "different" for outcome in outcomes):
            first = pool[0]
            yield Reason(
                ReasonCode.FORMULA_MISMATCH,
                path,
                f"is not what line {first.first_line} prints: {first.left} = {first.text}",
            )

    def other_left(
        self, path: str, lefts: Sequence[str], law: Expression, anchors: Anchors
    ) -> Iterator[Reason]:
        """The anchored lines print this very law, but for another symbol only."""
        lines = _lines_of(anchors)
        here = [equation for equation in self.all_equations if equation.touches(lines)]
        same = [e for e in here if self._outcome(e, law) == "same"]
        if same and not any(e.left in lefts or e.left in self.intermediate for e in same):
            yield Reason(
                ReasonCode.FORMULA_MISMATCH,
                path,
                f"line {same[0].first_line} prints this for {same[0].left}, not for {lefts[0]}",
            )

    def _outcome(self, equation: PrintedEquation, law: Expression) -> Outcome:
        found = {self._compare(reading, law) for reading in equation.readings}
        if "same" in found:
            return "same"
        return "different" if found == {"different"} else "unread"

    def _compare(self, reading: Expression, law: Expression) -> Outcome:
        known = {s: Var(name) for s, name in self.names.items()}
        printed = substitute(reading, {**_unless(known, _CONSTANTS), **known})
        printed = self._written_out(printed)
        strange = names_of(printed) - set(self.names.values())
        left_over = bool(names_of(law) - names_of(printed)) or bool(
            _literals(law) - _literals(printed)
        )
        if strange and not left_over:
            # Nothing of the card can stand for a symbol of the print: it was left out.
            return "different"
        values = {name: self._value(name) for name in strange}
        if None in values.values():
            return "unread"
        printed = substitute(printed, {n: v for n, v in values.items() if v is not None})
        if self._agree(printed, law):
            return "same"
        return "unread" if strange else "different"

    def _written_out(self, printed: Expression) -> Expression:
        laws: dict[str, Expression] = dict(self.bench.definitions)
        relations = zip(self.bench.card.relations, self.bench.laws_with_parameters, strict=True)
        laws |= {relation.readout: law for relation, law in relations}
        return substitute(printed, laws)

    def _value(self, spelling: str) -> float | None:
        """The one number that the packet gives a symbol the card does not declare."""
        found = {
            value
            for given in assignments(self.bench.packet.text, (spelling,))
            for value in given.values
        }
        return float(found.pop()) if len(found) == 1 else None

    def _agree(self, a: Expression, b: Expression) -> bool:
        seen = False
        for point in self.points:
            one, other = _at(a, point), _at(b, point)
            if one is None and other is None:
                continue
            seen = True
            if one is None or other is None:
                return False
            if abs(one - other) > SAME * max(abs(one), abs(other)):
                return False
        return seen or a == b


def _is_value(equation: PrintedEquation) -> bool:
    return bool(equation.readings) and not any(names_of(one) for one in equation.readings)


def _lines_of(*lists: Anchors) -> set[int]:
    return {n for anchors in lists for a in anchors for n in range(a.first_line, a.last_line + 1)}


def _unless(known: Mapping[str, object], more: Mapping[str, Expression]) -> dict[str, Expression]:
    return {name: value for name, value in more.items() if name not in known}


def _literals(expression: Expression) -> set[float]:
    return {abs(node) for _, node in walk(expression) if isinstance(node, float)}


def _points(bench: Bench) -> Iterator[dict[str, float]]:
    controls = bench.card.controls
    try:
        design = dense_design(controls, bench.constraints, POINTS)
    except DesignError:
        # That no point of the domain is allowed is the finding of the domain gate.
        return
    inputs = columns(controls, design)
    for n in range(len(design)):
        moved = {
            name: value * _MOVES[(n + k) % len(_MOVES)]
            for k, (name, value) in enumerate(sorted(bench.values.items()))
        }
        yield {**moved, **{name: float(values[n]) for name, values in inputs.items()}}


def _at(expression: Expression, point: dict[str, float]) -> float | None:
    try:
        value = float(evaluate(expression, point))
    except (UndefinedValueError, InputError):
        return None
    return value if np.isfinite(value) else None


def symbols_gate(bench: Bench) -> Iterator[Reason]:
    """No two quantities of a card stand under one printed sign."""
    seen: dict[str, str] = {}
    card = bench.card
    for table in ("controls", "readouts", "parameters"):
        for i, part in enumerate(getattr(card, table)):
            sign = re.sub(r"[\s{}$]", "", part.symbol)
            if sign and sign in seen:
                yield Reason(
                    ReasonCode.AMBIGUOUS_SYMBOL,
                    f"/{table}/{i}/symbol",
                    f"{part.symbol!r} is already the sign of {seen[sign]}",
                )
            seen.setdefault(sign, f"/{table}/{i}")


def joint_gate(bench: Bench) -> Iterator[Reason]:
    """A joint condition on the controls that the packet prints in symbols is in the card."""
    card = bench.card
    names = spelled((*card.controls, *card.parameters))
    controls = {control.name for control in card.controls}
    held = [names_of(bench.expanded(part.expression)) & controls for part in card.constraints]
    if len(controls) < 2:
        return
    for n, line in enumerate(bench.packet.lines, start=1):
        if not _MAY_COMPARE.search(line):
            continue
        for sign in _INEQUALITY.finditer(plain := _plain_line(line)):
            used = _sides(plain, sign, names) & controls
            if len(used) >= 2 and not any(used <= each for each in held):
                shown = plain[max(0, sign.start() - 12) : sign.end() + 20].strip()
                yield Reason(
                    ReasonCode.CONDITION_DROPPED,
                    "/constraints",
                    f"line {n} limits {' and '.join(sorted(used))} jointly ({shown}), the card not",
                )
                return


def _plain_line(line: str) -> str:
    return plain_symbols(line).replace("−", "-")


def _sides(text: str, sign: re.Match[str], names: Mapping[str, str]) -> set[str]:
    """The names on both sides of an inequality; none unless either side is a formula."""
    left = _left_side(text[: sign.start()], names)
    if not left:
        return set()
    symbols = [*names, *re.findall(r"\b[A-Za-z]\b", text[sign.end() : sign.end() + 30])]
    try:
        right = read_plain(text[sign.end() :], symbols).expression
    except UnreadError:
        return left
    return left | {names[s] for s in names_of(right) if s in names}


def _left_side(text: str, names: Mapping[str, str]) -> set[str]:
    """The names of the longest formula of known symbols at the end of a text."""
    words = re.split(r"[.,;:=<>≤≥&]", text)[-1].split()[-_LEFT_WORDS:]
    for start in range(len(words)):
        piece = " ".join(words[start:])
        try:
            read = read_plain(piece, [*names])
        except UnreadError:
            continue
        used = names_of(read.expression)
        if used and not read.rest.strip() and used <= names.keys():
            return {names[symbol] for symbol in used}
    return set()


__all__ = ("formula_gate", "joint_gate", "symbols_gate")
