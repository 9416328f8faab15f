"""Fits of NIST's reference data return the certified constants and standard deviations.

The files are those of the Statistical Reference Datasets (nonlinear regression), works of the
United States government.
"""

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from lawsmith.calibration.fitting.fits import Constant, fit
from lawsmith.calibration.problems.records import SINGLE, Records, Space, records_of
from lawsmith.expressions import parse_infix

FILES = Path(__file__).resolve().parents[2] / "data/problems/tables/nist"
LAWS = {
    "Chwirut1": "exp(-b1*x)/(b2 + b3*x)",
    "Hahn1": "(b1 + b2*x + b3*x**2 + b4*x**3)/(1 + b5*x + b6*x**2 + b7*x**3)",
    "Thurber": "(b1 + b2*x + b3*x**2 + b4*x**3)/(1 + b5*x + b6*x**2 + b7*x**3)",
    "Roszman1": "b1 - b2*x - atan(b3/(x - b4))/acos(-1)",
    "Kirby2": "(b1 + b2*x + b3*x**2)/(1 + b4*x + b5*x**2)",
    "Nelson": "exp(b1 - b2*x*exp(-b3*x2))",
    "Eckerle4": "b1/b2*exp(-0.5*((x - b3)/b2)**2)",
    "Bennett5": "b1*(b2 + x)**(-1/b3)",
}
# Nelson is certified for the logarithm of the response.
SPACES = {"Nelson": Space("log10")}


@dataclass
class Certified:
    starts: list[list[float]]
    values: list[float]
    deviations: list[float]
    sum_of_squares: float
    freedom: int
    records: Records


def read(name: str) -> Certified:
    text = (FILES / f"{name}.dat").read_text(encoding="ascii")
    rows = [[float(v) for v in m] for m in re.findall(r"b\d+ =" + r"\s+(\S+)" * 4, text)]
    lines = text.splitlines()
    first, last = (int(v) for v in re.findall(r"Data\s+\(lines (\d+) to (\d+)\)", text)[0])
    data = np.array([[float(v) for v in line.split()] for line in lines[first - 1 : last]])
    inputs = {"x": data[:, 1]} | ({"x2": data[:, 2]} if data.shape[1] == 3 else {})
    squares = re.search(r"Residual Sum of Squares:\s+(\S+)", text)
    freedom = re.search(r"Degrees of Freedom:\s+(\S+)", text)
    assert squares is not None
    assert freedom is not None
    return Certified(
        [[row[0] for row in rows], [row[1] for row in rows]],
        [row[2] for row in rows],
        [row[3] for row in rows],
        float(squares[1]),
        int(freedom[1]),
        records_of(inputs, data[:, 0]),
    )


def digits(found: float, certified: float) -> float:
    """Significant digits in common (log relative error)."""
    return 16.0 if found == certified else -np.log10(abs(found - certified) / abs(certified))


@pytest.mark.parametrize("start", [0, 1])
@pytest.mark.parametrize("name", LAWS)
def test_both_official_starts_lead_to_the_certified_values(name: str, start: int) -> None:
    certified = read(name)
    constants = [
        Constant(f"b{place + 1}", (value,)) for place, value in enumerate(certified.starts[start])
    ]
    space = SPACES.get(name, Space("linear"))
    found = fit(parse_infix(LAWS[name]), constants, certified.records, space)
    estimates = [found.constants[SINGLE][c.name] for c in constants]
    for estimate, value, deviation in zip(
        estimates, certified.values, certified.deviations, strict=True
    ):
        assert digits(estimate.value, value) >= 8
        assert estimate.deviation is not None
        assert digits(estimate.deviation, deviation) >= 6
    natural = np.log(10.0) ** 2 if space.kind == "log10" else 1.0
    assert digits(found.sum_of_squares * natural, certified.sum_of_squares) >= 9
    assert found.freedom == certified.freedom
