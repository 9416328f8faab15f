"""What Parallel and Real tasks of a problem have in common."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lawsmith.calibration import caps_of, nodes_allowed
from lawsmith.calibration.hidden_laws import BuiltProblem
from lawsmith.calibration.problems import spans_decade
from lawsmith.keyed_draws import generator
from lawsmith.release.calibrated_background import check_calibrated_background
from schemas.calibrated_task import CalibratedControl, CalibratedReadout
from schemas.problem import Problem
from schemas.record import CANARY

Floats = NDArray[np.float64]


class NoTaskError(Exception):
    """Why a problem has no task of a kind: a finding that its disposition states."""


def group_labels(key: bytes, identity: str, labels: Sequence[str]) -> dict[str, str]:
    """Public label -> label of the table, `g1`, `g2`, … in a keyed order."""
    ordered = sorted(labels)
    places = generator(key, "groups", identity).permutation(len(ordered)).tolist()
    return {f"g{number}": ordered[place] for number, place in enumerate(places, start=1)}


def common_fields(
    built: BuiltProblem,
    identity: str,
    text: str,
    controls: tuple[CalibratedControl, ...],
    groups: Sequence[str],
) -> dict[str, Any]:
    """The fields of `CalibratedTask`, its `world` apart; the text is checked.

    Raises:
        InputError: the text names what it may not.
    """
    problem, readout = built.problem, readout_of(built.problem)
    check_calibrated_background(text, problem, controls, readout)
    return {
        "id": identity,
        "collection": built.collection,
        "background": text,
        "controls": controls,
        "readout": readout,
        "groups": tuple(groups),
        "residual_space": problem.residuals.space,
        "floor": problem.residuals.floor,
        "caps": caps_of(problem.laws),
        "max_nodes": nodes_allowed(problem.laws),
        "canary": CANARY,
    }


def control_of(problem: Problem, place: int, values: Floats) -> CalibratedControl:
    """A control as tasks show it; its range is that of the values."""
    column = problem.controls[place]
    return CalibratedControl(
        name=column.name,
        symbol=column.symbol,
        meaning=column.meaning,
        unit=column.unit,
        low=float(values.min()),
        high=float(values.max()),
        logarithmic=bool(spans_decade(values.ravel())),
    )


def readout_of(problem: Problem) -> CalibratedReadout:
    """The readout as tasks show it."""
    readout = problem.readout
    return CalibratedReadout(
        name=readout.name,
        symbol=readout.symbol,
        meaning=readout.meaning,
        unit=readout.unit,
        natural_low=readout.natural_low,
        natural_high=readout.natural_high,
        integer=readout.integer,
    )


__all__ = ("NoTaskError", "common_fields", "control_of", "group_labels", "readout_of")
