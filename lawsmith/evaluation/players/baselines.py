"""Baseline players: they fit a law-blind form to the given observations and complete."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lawsmith.evaluation.episodes import NoAnswerError, Player
from lawsmith.evaluation.views import PlayerView
from lawsmith.measurement import fit_affine, fit_constant, fit_monomial
from schemas.episode import Action, Completion, Hypothesis, Turn
from schemas.expression import Expression, to_wire

Array = NDArray[np.float64]
Fit = Callable[[Sequence[str], Array, Array], tuple[Expression, ...]]


class FittingPlayer:
    """Completes at once with one fit of all observations of its view."""

    def __init__(self, name: str, sentence: str, fit: Fit) -> None:
        self.name = name
        self._sentence = sentence
        self._fit = fit

    def act(self, view: PlayerView, turns: Sequence[Turn]) -> Action:
        """A completion with the fitted predictor.

        Raises:
            NoAnswerError: there are no observations to fit.
        """
        seen = [*view.observations, *(turn.observation for turn in turns if turn.observation)]
        if not seen:
            raise NoAnswerError(f"player {self.name!r} has no observations to fit")
        names = [control.name for control in view.controls]
        readouts = [readout.name for readout in view.readouts]
        inputs = np.array([[row.inputs[name] for name in names] for row in seen])
        values = np.array([[row.outputs[name] for name in readouts] for row in seen])
        laws = self._fit(names, inputs, values)
        return _completion(dict(zip(readouts, laws, strict=True)), self._sentence)


class NullPlayer:
    """Completes with zero for every readout: the floor of every table."""

    def act(self, view: PlayerView, turns: Sequence[Turn]) -> Action:
        """A completion with the zero predictor."""
        zero: dict[str, Expression] = {readout.name: 0.0 for readout in view.readouts}
        return _completion(zero, "every readout is zero")


def _completion(laws: Mapping[str, Expression], sentence: str) -> Action:
    return Action(
        hypotheses=(Hypothesis(label="H1", statement=sentence, confidence=1.0),),
        proposal=None,
        completion=Completion(
            selected="H1",
            predictor={name: to_wire(law) for name, law in laws.items()},
            explanation=sentence,
            applicability="the stated ranges",
        ),
    )


BASELINES: Final[Mapping[str, Callable[[PlayerView], Player]]] = {
    "null": lambda _: NullPlayer(),
    "mean": lambda _: FittingPlayer("mean", "every readout is constant", fit_constant),
    "affine": lambda _: FittingPlayer(
        "affine", "every readout is affine in the controls", fit_affine
    ),
    "power-law": lambda _: FittingPlayer(
        "power-law", "every readout is a product of powers of the controls", fit_monomial
    ),
}
"""Player name -> what makes a new one for an episode."""


__all__ = ("BASELINES", "FittingPlayer", "NullPlayer")
