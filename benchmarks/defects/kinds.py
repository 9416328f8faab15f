"""The kinds of seeded defects, and whether code can decide each.

A kind is decidable where every card of it leaves an equality between card and packet false that
code can check.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from benchmarks.defects import claims, measures, quotes
from benchmarks.defects import formulas as laws
from benchmarks.defects.bases import Base
from benchmarks.defects.edits import Made, Rng

Maker = Callable[[Base, Rng, int], Made | None]


@dataclass(frozen=True)
class Kind:
    """A kind of defect.

    Attributes:
        name: in tables.
        decidable: whether code can decide every card of it.
        equality: the equality that is false, or the question that only a reader can answer.
        make: one defective card of a base; None where there is no site.
        where: the bases it applies to.
    """

    name: str
    decidable: bool
    equality: str
    make: Maker
    where: Callable[[Base], bool] = lambda base: True


def _has(*keys: str) -> Callable[[Base], bool]:
    return lambda base: base.readable and all(key in base.wording for key in keys)


def _readable(base: Base) -> bool:
    return base.readable


def _unreadable(base: Base) -> bool:
    return not base.readable


def _crossable(base: Base) -> bool:
    return len(base.draft["controls"]) > 1


def kinds() -> Iterator[Kind]:
    """Every kind, decidable ones first."""
    reads = "the printed formula, read by code, equals the card's"
    yield Kind("exponent", True, reads, laws.exponent, _readable)
    yield Kind("sign", True, reads, laws.sign, _readable)
    yield Kind("operator", True, reads, laws.operator, _readable)
    yield Kind("term dropped with its constant", True, reads, laws.term_dropped, _readable)
    yield Kind("digit", True, "each number stands in its lines, beside its symbol", laws.digit)
    yield Kind(
        "values exchanged", True, "a symbol's number is the parameter's", laws.swapped_values
    )
    yield Kind("prefix", True, "the printed unit is the card's", measures.prefix, _readable)
    yield Kind("wrong unit of right dimension", True, "the same", measures.like_unit, _readable)
    yield Kind("widened range", True, "the ends are those of one printed range", measures.widened)
    yield Kind("range of another control", True, "the same, unit included", measures.other_range)
    yield Kind(
        "paired made Cartesian",
        True,
        "Cartesian only where lines say so",
        claims.paired,
        _has("crossed"),
    )
    yield Kind("unstated made Cartesian", True, "the same", claims.unstated, _crossable)
    yield Kind(
        "fit made equality, prediction",
        True,
        "no fit in the words",
        claims.stronger_than_fit,
        _readable,
    )
    yield Kind(
        "approximation made exact",
        True,
        "no hedge in the words",
        claims.approximation,
        _has("claim"),
    )
    yield Kind(
        "proportionality made equation",
        True,
        "an equation stands there",
        claims.proportional,
        _has("claim"),
    )
    yield Kind(
        "restated made derived", True, "no credit in the words", claims.restated, _has("claim")
    )
    yield Kind("restated card made derived", True, "the same", claims.restated_base, _unreadable)
    yield Kind("anchor moved, number", True, "the number stands in the lines", quotes.moved_number)
    yield Kind("quote altered", True, "the quote stands in the packet", quotes.quote_altered)
    yield Kind("quote negated", True, "the same", quotes.quote_negated)
    yield Kind("statement negated", True, "a no has a no in its sentence", quotes.statement_negated)
    yield Kind(
        "negation cut off", True, "a quoted no has a no in the statement", quotes.negation_cut
    )
    yield Kind("fabricated number", True, "each number stands in its lines", measures.fabricated)
    yield Kind("number misused as resolution", True, "lines call it one", measures.misused_number)
    yield Kind(
        "fitted parameter as control",
        True,
        "no value with an error is a control",
        measures.fitted_control,
    )
    yield Kind(
        "readout swapped",
        True,
        "the printed left side is the readout",
        measures.readout_swapped,
        _readable,
    )
    yield Kind(
        "joint condition dropped",
        True,
        "a printed inequality is in the card",
        claims.joint_dropped,
        _crossable,
    )
    yield Kind(
        "inert turned", True, "inert controls, and no others, move nothing", laws.inert_turned
    )
    broken = "is the formula the printed one? (its print is broken over lines)"
    yield Kind("exponent, print broken", False, broken, laws.exponent, _unreadable)
    yield Kind("sign, print broken", False, broken, laws.sign, _unreadable)
    yield Kind("operator, print broken", False, broken, laws.operator, _unreadable)
    yield Kind("anchor moved, words only", False, "do the lines say this?", quotes.moved_words)
    yield Kind("condition dropped", False, "is anything needed missing?", claims.condition_dropped)
    yield Kind(
        "range of the apparatus",
        False,
        "which range bears the relation?",
        measures.apparatus_range,
        _readable,
    )
    yield Kind("meaning changed", False, "is it this quantity?", claims.meaning_changed)
    yield Kind(
        "restated fit called own", False, "whose fit is it?", claims.restated_fit, _unreadable
    )
    yield Kind("role changed", False, "is the number from a fit?", claims.role_changed)


__all__ = ("Kind", "Maker", "kinds")
