"""The refit of a form to another law: every constant free, any size and sign."""

from itertools import pairwise

import numpy as np
import pytest

from lawsmith.expressions import compile_expression, parse_infix
from lawsmith.mutation.laws.law_constants import LawForm, law_forms
from lawsmith.mutation.screening.refitting import Refit, linear_constants
from schemas.card import Range
from schemas.family import FamilyControl, FamilyReadout, LawParameter, LawRelation, RelationSet

AXES = {"x": (0.5, 8.0), "z": (1.0, 30.0)}
CONTROLS = tuple(
    FamilyControl(name=n, symbol=n, meaning=n, unit="1", domain=Range(low=low, high=high))
    for n, (low, high) in AXES.items()
)
READOUT = FamilyReadout(
    name="h", symbol="h", meaning="h", unit="1", resolution=None, absolute=1e-3, relative=1e-3
)
POINTS = np.column_stack(
    [
        low + (high - low) * np.modf(np.arange(1, 257) * step)[0]
        for (low, high), step in zip(
            AXES.values(), (0.7548776662466927, 0.5698402909980532), strict=True
        )
    ]
)


def form_of(text: str, **values: float) -> LawForm:
    relations = RelationSet(
        parameters=tuple(
            LawParameter(name=name, symbol=name, value=value, unit="1", mutable=True)
            for name, value in values.items()
        ),
        definitions=(),
        relations=(LawRelation(readout="h", expression=parse_infix(text)),),
    )
    return law_forms(relations, values)["h"]


def least(form: LawForm, target: str) -> float:
    """Least of the largest errors, in tolerances, over the sets that the refit gives."""
    inputs = {"x": POINTS[:, 0], "z": POINTS[:, 1]}
    truth = np.broadcast_to(compile_expression(parse_infix(target))(inputs), len(POINTS))
    law, allowed = compile_expression(form.expression), 1e-3 + 1e-3 * np.abs(truth)
    found = Refit(form, CONTROLS, POINTS, np.array(truth), READOUT).constants()
    return min(float((np.abs(law({**inputs, **c}) - truth) / allowed).max()) for c in found)


@pytest.mark.parametrize(
    ("text", "values", "target"),
    [
        # Equal in the law, and free to differ.
        (
            "a*(1 + b*x)*(1 + c*x)*exp(-k*z)",
            {"a": 143.0, "b": 0.5, "c": 0.5, "k": 0.05},
            "90*(1 + 0.1*x)*(1 + 2.5*x)*exp(-0.02*z)",
        ),
        # Idle in the law, and active elsewhere.
        ("min(a*x, b*z)*exp(-k*z)", {"a": 1.0, "b": 5e3, "k": 0.05}, "min(x, 0.05*z)*exp(-0.05*z)"),
        # The other sign, alone and in an exponent.
        ("a*(10 + b*x)*z", {"a": 2.0, "b": 1.0}, "2*(10 - x)*z"),
        ("x*10**(a - b/(z - c))", {"a": 2.0, "b": 10.0, "c": -40.0}, "x*10**(1 + 7/(z + 25))"),
        ("a*x*exp(b*z)", {"a": 2.0, "b": 0.1}, "-3*x*exp(-0.2*z)"),
        # Zero.
        ("a*10**(b - c*x)*z", {"a": 1.0, "b": 4.1, "c": 0.95}, "z*10**(-0.57*x)"),
        ("a + b*x*z + c*exp(-k*z)", {"a": 1.0, "b": 2.0, "c": 5.0, "k": 0.1}, "3*x*z"),
        ("a*x**b*z", {"a": 1.0, "b": 0.7}, "5*z"),
        # A limit, which no constant is but which a tolerance cannot tell.
        ("v*x/(k + x)*z", {"v": 10.0, "k": 3.0}, "2*x*z"),
        ("a*(1 - exp(-k*x))*z", {"a": 10.0, "k": 0.7}, "2*x*z"),
        # Far from the law's own values.
        ("a*(2 + sin(w*x + p))*z", {"a": 3.0, "w": 3.0, "p": 0.3}, "3*(2 + sin(3.6*x + 0.3))*z"),
        ("a*(2 + sin(w*x + p))*z", {"a": 3.0, "w": 1.0, "p": 0.3}, "3*(2 + sin(6*x + 0.3))*z"),
        ("a*exp(-((x - m)/s)**2)*z", {"a": 9.0, "m": 2.0, "s": 0.5}, "4*exp(-((x - 6)/1.2)**2)*z"),
        # A declared exponent, also one that the law does not show.
        ("a*x**b*z", {"a": 1.0, "b": 0.62}, "2*x**-1.4*z"),
        ("a*x**n*z", {"a": 1.0, "n": 1.0}, "2*x**2.5*z"),
        # Constants with one effect do not stand in each other's way.
        ("a*exp(b + c*x)*2**(-z/h)", {"a": 1.0, "b": -2.1, "c": 0.2, "h": 9.0}, "-exp(-x - z/3)"),
        (
            "(p + q*x)*r/(s + t*z)",
            dict(zip("pqrst", (1.0, 2.0, 3.0, 4.0, 0.5), strict=True)),
            "x/z",
        ),
    ],
)
def test_a_form_reaches_what_other_constants_make_of_it(
    text: str, values: dict[str, float], target: str
) -> None:
    assert least(form_of(text, **values), target) < 0.5


@pytest.mark.parametrize(
    ("text", "values", "target"),
    [
        ("a*x*exp(-k*z)", {"a": 2.0, "k": 0.1}, "2*x/(1 + 0.1*z)"),
        ("a*x**2*z", {"a": 2.0}, "2*x**2.3*z"),
        ("a + b*x*z", {"a": 2.0, "b": 1.0}, "2 + x*z + 0.3*x**2"),
        ("a*10**(b - c*x)*z", {"a": 1.0, "b": 4.1, "c": 0.95}, "z*10**(4.1 - 0.95*x)*(1 + 0.2*z)"),
    ],
)
def test_another_form_stays_out_of_reach(text: str, values: dict[str, float], target: str) -> None:
    assert least(form_of(text, **values), target) > 10.0


@pytest.mark.parametrize(
    ("text", "values", "linear"),
    [
        ("a + b*x + c*z", {"a": 1.0, "b": 2.0, "c": 3.0}, {1.0, 2.0, 3.0}),
        ("a*(b + c*x)*exp(-k*z)", {"a": 1.5, "b": 2.0, "c": 3.0, "k": 0.5}, {2.0, 3.0}),
        ("v*x/(k + x)", {"v": 2.0, "k": 3.0}, {2.0}),
        ("max(a*x, b*z)", {"a": 2.0, "b": 3.0}, set()),
    ],
)
def test_linear_constants_are_jointly_affine(
    text: str, values: dict[str, float], linear: set[float]
) -> None:
    form = form_of(text, **values)
    assert {form.values[name] for name in linear_constants(form)} == linear


def test_two_searches_go_the_same_way() -> None:
    form = form_of("a*x**b*exp(-k*z)", a=2.0, b=0.6, k=0.1)
    truth = np.asarray(
        compile_expression(parse_infix("3*x/(1 + 0.2*z)"))({"x": POINTS[:, 0], "z": POINTS[:, 1]})
    )
    runs = [list(Refit(form, CONTROLS, POINTS, truth, READOUT).constants()) for _ in range(2)]
    assert all(one == other for one, other in pairwise(runs))
