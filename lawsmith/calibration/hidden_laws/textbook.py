"""Whether a hidden law is one of the bundled textbook laws in other letters."""

from collections.abc import Sequence

from lawsmith.calibration.hidden_laws.context import Workbench
from lawsmith.calibration.hidden_laws.screens import Survivor
from lawsmith.calibration.hidden_laws.variants import representative
from lawsmith.calibration.problems import SINGLE
from lawsmith.curation.admission import CandidateLaw, KnownLaw, restated_by
from schemas.card import Choices, Control, Range
from schemas.expression import Expression, substitute


def restated(bench: Workbench, found: Survivor, known: Sequence[KnownLaw]) -> str | None:
    """The id of a known law that a survivor restates; None if it restates none.

    Controls are matched by dimension; every other name of the known law is a free constant.
    """
    if not known:
        return None
    label = representative(bench.records)
    own = bench.records
    own = own if label == SINGLE else own.take(own.group_rows()[label])
    values: dict[str, Expression] = dict(found.form.constants[label])
    controls = []
    for column in bench.problem.controls:
        low, high = float(own.inputs[column.name].min()), float(own.inputs[column.name].max())
        domain = Range(low=low, high=high) if low < high else Choices(choices=(low,))
        controls.append(
            Control(
                name=column.name,
                symbol=column.symbol,
                meaning=column.meaning,
                unit=column.unit,
                domain=domain,
                inert=False,
                anchors=(),
            )
        )
    law = CandidateLaw(substitute(found.variant.law, values), bench.problem.readout.unit)
    laws = restated_by([law], controls, known)
    return laws[0].id if laws else None


__all__ = ("restated",)
