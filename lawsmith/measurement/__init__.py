"""Measurement: instruments, errors and scores, designs, constraints and fits."""

from lawsmith.measurement.constraints import admissible, feasible
from lawsmith.measurement.designs import fixed_design, hidden_design, nested
from lawsmith.measurement.fits import fit_affine, fit_constant, fit_monomial, fit_polynomial
from lawsmith.measurement.prediction import Score, prediction_errors, score_prediction
from lawsmith.measurement.resolution import quantise
from lawsmith.measurement.sampling import DesignError, corner_design, dense_design

__all__ = (
    "DesignError",
    "Score",
    "admissible",
    "corner_design",
    "dense_design",
    "feasible",
    "fit_affine",
    "fit_constant",
    "fit_monomial",
    "fit_polynomial",
    "fixed_design",
    "hidden_design",
    "nested",
    "prediction_errors",
    "quantise",
    "score_prediction",
)
