"""Background text of Parallel and Real tasks: by template over the columns of a table.

It names every control, the readout and the groups with units and ranges, and nothing that
leads to the data set, its source or a law.
"""

from collections.abc import Sequence
from typing import Final

from lawsmith.curation.admission import Input, Output, column_text_faults
from lawsmith.errors import InputError
from lawsmith.expressions import number_text
from schemas.calibrated_task import CalibratedControl, CalibratedReadout, QueryBudget, SplitName
from schemas.card import Choices, Range
from schemas.problem import Problem

PARALLEL_WORLD: Final = (
    "The supplied case defines the world of this task; its law may differ from familiar ones."
)
REAL_WORLD: Final = (
    "The records are real measurements; the law sought is one that holds for held-out ones too."
)
_ASKED: Final = {
    "interpolation": "Held-out records lie among the records given.",
    "range_extrapolation": "Held-out records lie beyond the range of the records given.",
    "temporal": "Held-out records are later than the records given.",
    "cross_condition": "Held-out records were taken under a condition that is not given.",
    "unseen_group": "Held-out records are of groups of which only a few records are given.",
}


def parallel_background(
    controls: Sequence[CalibratedControl],
    readout: CalibratedReadout,
    groups: Sequence[str],
    space: str,
    budget: QueryBudget,
) -> str:
    """What a Parallel task says of its world."""
    noise = (
        "Every reading bears noise, which adds to the base-10 logarithm of the output."
        if space == "log10"
        else "Every reading bears noise, which adds to the output."
    )
    asked = (
        f"Queries: {budget.calls} calls of at most {budget.points_per_call} points, each read 1"
        f" to {budget.samples_per_point} times."
    )
    lines = ["An apparatus takes the inputs below and reports the output below.", ""]
    lines += [*_columns(controls, readout), *_group_lines(groups), "", noise, asked]
    return "\n".join(lines) + "\n"


def real_background(
    controls: Sequence[CalibratedControl],
    readout: CalibratedReadout,
    groups: Sequence[str],
    split: SplitName,
) -> str:
    """What a Real task says of its records."""
    lines = ["Records give the inputs below and the output below.", ""]
    lines += [*_columns(controls, readout), *_group_lines(groups), "", _ASKED[split]]
    return "\n".join(lines) + "\n"


def check_calibrated_background(
    text: str,
    problem: Problem,
    controls: Sequence[CalibratedControl],
    readout: CalibratedReadout,
) -> None:
    """The text defines every column and names nothing that leads to its problem.

    Raises:
        InputError: what it names, or leaves undefined.
    """
    inputs = [
        Input(
            c.name,
            c.meaning,
            c.unit,
            Range(low=c.low, high=c.high) if c.low < c.high else Choices(choices=(c.low,)),
        )
        for c in controls
    ]
    outputs = [Output(readout.name, readout.meaning, readout.unit, None)]
    faults = column_text_faults(text, inputs=inputs, outputs=outputs, names=sealed_texts(problem))
    if faults:
        raise InputError(
            f"the background text may not be shown: {'; '.join(faults)}",
            path=f"{problem.id}: background",
            fix="word the meanings of the columns without what they name",
        )


def sealed_texts(problem: Problem) -> tuple[str, ...]:
    """What no public text of a problem's tasks may say."""
    names = [problem.title, problem.provenance.source.citation, problem.provenance.holder]
    # An id of one word may be a plain word of the columns themselves.
    names += [problem.id, problem.id.replace("_", " ")] if "_" in problem.id else [problem.id]
    for law in problem.laws:
        names += [law.title, law.source.citation]
        names += [entry.source.citation for entry in law.reported]
    names += [facts.label for facts in problem.table.groups if not facts.label.isdigit()]
    return tuple(dict.fromkeys(name for name in names if len(name) > 3))


def _columns(controls: Sequence[CalibratedControl], readout: CalibratedReadout) -> list[str]:
    lines = ["Inputs:"]
    for c in controls:
        kind = (
            f"Any value from {number_text(c.low)} to {number_text(c.high)}"
            if c.low < c.high
            else f"Always {number_text(c.low)}"
        )
        lines.append(f"- `{c.name}`: {_phrase(c.meaning)}. {kind}; {_unit(c.unit)}.")
    return [
        *lines,
        "",
        "Output:",
        f"- `{readout.name}`: {_phrase(readout.meaning)}. {_read(readout)}.",
    ]


def _read(readout: CalibratedReadout) -> str:
    parts = ["Whole numbers" if readout.integer else "In full precision"]
    if readout.natural_low is not None:
        parts.append(f"never below {number_text(readout.natural_low)}")
    if readout.natural_high is not None:
        parts.append(f"never above {number_text(readout.natural_high)}")
    return f"{', '.join(parts)}; {_unit(readout.unit)}"


def _group_lines(groups: Sequence[str]) -> list[str]:
    if not groups:
        return []
    named = ", ".join(f"`{group}`" for group in groups)
    return [
        "",
        f"Groups: {named}. The form of the law is one for all groups; its constants may differ.",
    ]


def _unit(unit: str) -> str:
    return "unit 1 (a pure number)" if unit == "1" else f"unit {unit}"


def _phrase(text: str) -> str:
    return " ".join(text.split()).rstrip(".;, ")


__all__ = (
    "PARALLEL_WORLD",
    "REAL_WORLD",
    "check_calibrated_background",
    "parallel_background",
    "real_background",
    "sealed_texts",
)
