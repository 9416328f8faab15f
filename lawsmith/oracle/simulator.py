"""The simulated world of one task: y = Q_r(g_r(x)), deterministic (SciGame, section 2)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lawsmith.expressions import evaluate_exact
from lawsmith.measurement import quantise
from schemas.expression import Expression


@dataclass(frozen=True)
class Simulator:
    """The laws of one environment and the steps of its instruments."""

    laws: Mapping[str, Expression]
    """Readout -> law over the controls alone."""
    resolutions: Mapping[str, float | None]
    """Readout -> instrument step in its unit; None = unrounded."""

    def observe(self, inputs: Mapping[str, float], readouts: Sequence[str]) -> dict[str, float]:
        """What the instruments show at one input: truth at 50 digits, rounded to their steps.

        Args:
            inputs: control name -> value in its unit, every control.
            readouts: which readouts to observe.

        Raises:
            UndefinedValueError: a law has no value there; certificate 2 excludes it on the
                domain.
        """
        return {
            name: quantise(evaluate_exact(self.laws[name], inputs), self.resolutions[name])
            for name in readouts
        }


__all__ = ("Simulator",)
