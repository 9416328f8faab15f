"""The table of admission: every gate, every reason code that admission gives, in one row each.

A new gate is a function from a bench (card beside packet) to reasons, its row in `GATES`, and,
where it says something new, a row in `FINDINGS`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from lawsmith.curation.admission.claims import (
    known_gate,
    licence_gate,
    origin_gate,
    restated_gate,
    status_gate,
)
from lawsmith.curation.admission.context import Bench
from lawsmith.curation.admission.domain import (
    defined_gate,
    inert_gate,
    joint_choices_gate,
    paired_gate,
)
from lawsmith.curation.admission.form import (
    anchors_gate,
    coherence_gate,
    declared_gate,
    dimensions_gate,
    executable_gate,
    packet_gate,
    units_gate,
    used_gate,
)
from lawsmith.curation.admission.formula import formula_gate, joint_gate, symbols_gate
from lawsmith.curation.admission.measures import (
    assigned_gate,
    constant_gate,
    precision_gate,
    printed_ranges_gate,
    printed_units_gate,
)
from lawsmith.curation.admission.numbers import derivation_gate, numbers_gate
from lawsmith.curation.admission.words import subject_gate
from lawsmith.curation.evidence import Reason
from schemas.review import Criterion
from schemas.source import ReasonCode


@dataclass(frozen=True)
class Finding:
    """What one reason code of admission means and what follows from it."""

    code: ReasonCode
    meaning: str
    """One sentence, as docs/reasons.md prints it."""
    lifted: bool = False
    """Whether a person's `accept` sets it aside. Findings of judgement are lifted; a card that
    cannot be run, whose quotes are not found or that goes beyond the licence stays refused."""
    criteria: tuple[Criterion, ...] = ()
    """The review criteria that speak of it; empty where the path of the reason decides."""


@dataclass(frozen=True)
class Gate:
    """One rule of admission."""

    name: str
    run: Callable[[Bench], Iterator[Reason]]
    finds: tuple[ReasonCode, ...]
    """The codes of its reasons."""
    needs: tuple[str, ...] = ()
    """Gates that must have passed for this one to mean anything."""


FINDINGS: Final = (
    Finding(
        ReasonCode.QUOTE_NOT_FOUND,
        "A quotation does not stand in the packet, or stands at several other places.",
    ),
    Finding(
        ReasonCode.NUMBER_NOT_ANCHORED,
        "A number of the card is not printed in the lines it is anchored to.",
        lifted=True,
    ),
    Finding(ReasonCode.DERIVATION_MISMATCH, "A derived value is not what its derivation gives."),
    Finding(
        ReasonCode.ANCHOR_INVALID,
        "A fact has no anchor, or one with impossible lines, length or no paraphrase.",
    ),
    Finding(ReasonCode.UNKNOWN_UNIT, "A unit is not in the table, or cannot be read."),
    Finding(
        ReasonCode.DIMENSION_MISMATCH,
        "Terms of unlike dimension meet, or a law has not its readout's dimension.",
    ),
    Finding(
        ReasonCode.UNIT_INCOHERENT,
        "Dimensions close, but somewhere a conversion is missing; one, as 100 for percent, is a "
        "parameter with a unit.",
    ),
    Finding(
        ReasonCode.INVALID_EXPRESSION,
        "A formula or name cannot be read, or a name is taken twice.",
    ),
    Finding(ReasonCode.UNDECLARED_NAME, "A formula uses a name that the card does not declare."),
    Finding(ReasonCode.UNUSED_NAME, "Something is declared and used by no formula."),
    Finding(
        ReasonCode.UNDEFINED_ON_DOMAIN,
        "The formula breaks somewhere in the stated ranges.",
        criteria=("domain", "formula"),
    ),
    Finding(
        ReasonCode.DOMAIN_MISSING,
        "A control has no printed range or list of values.",
        criteria=("domain",),
    ),
    Finding(
        ReasonCode.PAIRED_DOMAIN,
        "The source measured pairs, and the card claims the whole box.",
        lifted=True,
        criteria=("domain",),
    ),
    Finding(
        ReasonCode.OUTSIDE_DOMAIN,
        "A printed tuple of control values lies outside the range or list of one of them.",
    ),
    Finding(
        ReasonCode.STATUS_TOO_STRONG,
        "The anchored words claim less than the status says.",
        lifted=True,
        criteria=("status",),
    ),
    Finding(
        ReasonCode.NOT_EXECUTABLE,
        "Something that the law needs is missing, as a value or a relation of a readout.",
    ),
    Finding(ReasonCode.INERT_CONTROL, "A control moves no readout and is not declared inert."),
    Finding(
        ReasonCode.RESTATED,
        "The paper repeats the law from elsewhere.",
        lifted=True,
        criteria=("status",),
    ),
    Finding(
        ReasonCode.TEMPORAL_RESTATED,
        "Same form as a textbook law or a Historical family.",
        lifted=True,
    ),
    Finding(ReasonCode.DUPLICATE, "Same form as a family that is already built.", lifted=True),
    Finding(ReasonCode.BEYOND_LICENCE, "More of the paper's text than its licence lets pass on."),
    Finding(
        ReasonCode.PACKET_CHANGED,
        "The recorded reply was made to another text of this paper.",
    ),
    Finding(
        ReasonCode.FORMULA_MISMATCH,
        "The printed formula, where code can read it, is another one or of another quantity.",
        lifted=True,
    ),
    Finding(
        ReasonCode.AMBIGUOUS_SYMBOL,
        "Two quantities of the card stand under one printed sign.",
        lifted=True,
    ),
    Finding(
        ReasonCode.VALUE_MISMATCH,
        "The lines print the number, but for another symbol, or not as an error or resolution.",
        lifted=True,
    ),
    Finding(
        ReasonCode.UNIT_NOT_ANCHORED,
        "The lines print another unit beside the value, or never print this one.",
        lifted=True,
    ),
    Finding(
        ReasonCode.RANGE_NOT_ANCHORED,
        "The ends are not those of a range that the lines print for the control.",
        lifted=True,
    ),
    Finding(
        ReasonCode.NOT_A_CONTROL,
        "The paper gives the quantity one value with an error, and no range.",
        lifted=True,
    ),
    Finding(
        ReasonCode.CONDITION_DROPPED,
        "The paper prints a joint condition on two controls, and the card has none.",
        lifted=True,
    ),
    Finding(
        ReasonCode.ANCHOR_OFF_SUBJECT,
        "The anchored lines share no word and no symbol with what they should bear.",
        lifted=True,
    ),
    Finding(
        ReasonCode.CLAIM_NEGATED,
        "A sentence says yes where its quoted clause says no, or the other way round.",
        lifted=True,
    ),
)
"""Every code that admission alone gives, in the order of `ReasonCode`."""

GATES: Final = (
    Gate("packet", packet_gate, (ReasonCode.PACKET_CHANGED,)),
    Gate("anchors", anchors_gate, (ReasonCode.ANCHOR_INVALID,), ("packet",)),
    Gate("numbers", numbers_gate, (ReasonCode.NUMBER_NOT_ANCHORED,), ("packet",)),
    Gate("units", units_gate, (ReasonCode.UNKNOWN_UNIT,)),
    Gate("assigned", assigned_gate, (ReasonCode.VALUE_MISMATCH,), ("packet",)),
    Gate("printed units", printed_units_gate, (ReasonCode.UNIT_NOT_ANCHORED,), ("packet", "units")),
    Gate(
        "printed ranges", printed_ranges_gate, (ReasonCode.RANGE_NOT_ANCHORED,), ("packet", "units")
    ),
    Gate("precision", precision_gate, (ReasonCode.VALUE_MISMATCH,), ("packet",)),
    Gate("subject", subject_gate, (ReasonCode.ANCHOR_OFF_SUBJECT,), ("packet",)),
    Gate("constant", constant_gate, (ReasonCode.NOT_A_CONTROL,), ("packet",)),
    Gate("declared", declared_gate, (ReasonCode.UNDECLARED_NAME,)),
    Gate(
        "derivations",
        derivation_gate,
        (ReasonCode.DERIVATION_MISMATCH, ReasonCode.NUMBER_NOT_ANCHORED),
        ("packet", "declared"),
    ),
    Gate("used", used_gate, (ReasonCode.UNUSED_NAME,), ("declared",)),
    Gate("executable", executable_gate, (ReasonCode.NOT_EXECUTABLE,), ("declared",)),
    Gate(
        "formula",
        formula_gate,
        (ReasonCode.FORMULA_MISMATCH,),
        ("packet", "declared", "executable"),
    ),
    Gate("symbols", symbols_gate, (ReasonCode.AMBIGUOUS_SYMBOL,)),
    Gate("joint", joint_gate, (ReasonCode.CONDITION_DROPPED,), ("packet", "declared")),
    Gate("dimensions", dimensions_gate, (ReasonCode.DIMENSION_MISMATCH,), ("declared", "units")),
    Gate(
        "coherence",
        coherence_gate,
        (ReasonCode.UNIT_INCOHERENT, ReasonCode.INFEASIBLE_DESIGN, ReasonCode.TOO_FEW_COMBINATIONS),
        ("dimensions", "executable"),
    ),
    Gate(
        "defined",
        defined_gate,
        (
            ReasonCode.UNDEFINED_ON_DOMAIN,
            ReasonCode.NOT_EXECUTABLE,
            ReasonCode.INFEASIBLE_DESIGN,
            ReasonCode.TOO_FEW_COMBINATIONS,
        ),
        ("executable",),
    ),
    Gate("paired", paired_gate, (ReasonCode.PAIRED_DOMAIN,)),
    Gate("joint choices", joint_choices_gate, (ReasonCode.OUTSIDE_DOMAIN,)),
    Gate("inert", inert_gate, (ReasonCode.INERT_CONTROL,), ("defined",)),
    Gate("status", status_gate, (ReasonCode.STATUS_TOO_STRONG,), ("packet",)),
    Gate("origin", origin_gate, (ReasonCode.STATUS_TOO_STRONG,), ("packet",)),
    Gate("restated", restated_gate, (ReasonCode.RESTATED,)),
    Gate(
        "known",
        known_gate,
        (ReasonCode.TEMPORAL_RESTATED, ReasonCode.DUPLICATE),
        ("executable", "units"),
    ),
    Gate("licence", licence_gate, (ReasonCode.BEYOND_LICENCE,), ("packet",)),
)
"""Every gate, in the order in which reasons are listed."""

BUILDING_FINDS: Final = (
    ReasonCode.QUOTE_NOT_FOUND,
    ReasonCode.ANCHOR_INVALID,
    ReasonCode.UNKNOWN_UNIT,
    ReasonCode.INVALID_EXPRESSION,
    ReasonCode.UNDECLARED_NAME,
    ReasonCode.DOMAIN_MISSING,
    ReasonCode.NOT_EXECUTABLE,
    ReasonCode.CLAIM_NEGATED,
)
"""Codes that are given while a card is built of a draft, before any gate runs."""

LIFTED: Final = frozenset(finding.code for finding in FINDINGS if finding.lifted)
"""What a person's `accept` sets aside."""
CRITERIA_OF_CODE: Final = {finding.code: finding.criteria for finding in FINDINGS}
"""Reason code -> the review criteria that speak of it, whatever its path."""

__all__ = (
    "BUILDING_FINDS",
    "CRITERIA_OF_CODE",
    "FINDINGS",
    "GATES",
    "LIFTED",
    "Finding",
    "Gate",
)
