"""The table of operators: every row is whole, and its columns agree with each other."""

import dataclasses
import math

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from lawsmith.expressions import OPERATORS, Operator, evaluate, parse_latex
from lawsmith.expressions.equality.intervals import combine
from lawsmith.expressions.operators.balls import ball
from lawsmith.expressions.truth import exact_number, precision
from lawsmith.release.pages.mathml import mathml
from schemas.expression import ARITIES, Op, Var

NAMES = sorted(OPERATORS)
MAY_BE_ABSENT = {"reach", "normal", "settled", "defined", "point", "quiet"}
"""Columns whose absence has a meaning of its own, as the docstrings say."""
INSIDE = {"asin": (-0.9, 0.9), "acos": (-0.9, 0.9), "atanh": (-0.9, 0.9), "acosh": (1.1, 4.0)}


def places(name: str) -> int:
    return OPERATORS[name].arity[0]


def test_the_table_and_the_arities_name_the_same_operators() -> None:
    assert set(OPERATORS) == set(ARITIES)


def test_a_row_without_a_column_is_refused() -> None:
    row = OPERATORS["tanh"]
    fields = [field for field in dataclasses.fields(Operator) if field.name != "name"]
    whole = {field.name: getattr(row, field.name) for field in fields}
    needed = [f.name for f in fields if f.default is dataclasses.MISSING]
    assert {"numeric", "ball", "dimension", "slopes", "encloses", "latex", "mathml"} <= set(needed)
    for missing in needed:
        with pytest.raises(TypeError, match=missing):
            Operator(name="new", **{k: v for k, v in whole.items() if k != missing})


@pytest.mark.parametrize("name", NAMES)
def test_every_column_of_a_row_is_filled(name: str) -> None:
    row = OPERATORS[name]
    for field in dataclasses.fields(Operator):
        if field.name not in MAY_BE_ABSENT | {"spellings", "domain"}:
            assert getattr(row, field.name) is not None, field.name
    assert len(row.slopes) == places(name)
    assert (row.defined is None) == (row.domain == "")
    assert not row.kink or row.settled is not None


@pytest.mark.parametrize("name", NAMES)
def test_the_normal_form_of_every_operator_but_one_is_written_out(name: str) -> None:
    assert (OPERATORS[name].normal is None) == (name == "atan2")


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
def test_an_enclosure_holds_the_values_inside_it(name: str, data: st.DataObject) -> None:
    low, high = INSIDE.get(name, (0.2, 3.0))
    number = st.floats(low, high)
    boxes = [sorted(data.draw(st.tuples(number, number))) for _ in range(places(name))]
    shares = [data.draw(st.floats(0, 1)) for _ in boxes]
    at = [min(max(a + s * (b - a), a), b) for (a, b), s in zip(boxes, shares, strict=True)]
    with precision(128):
        bounds = combine(name, [(exact_number(a), exact_number(b)) for a, b in boxes])
        value = ball(OPERATORS[name].ball(*(exact_number(x) for x in at)))
        assert bounds is None or (not value < bounds[0] and not value > bounds[1])
        reach = OPERATORS[name].reach
        assert reach is None or (not value < reach[0] and not value > reach[1])


@pytest.mark.parametrize("name", [n for n in NAMES if OPERATORS[n].rising])
@given(data=st.data())
def test_a_rising_operator_rises(name: str, data: st.DataObject) -> None:
    low, high = INSIDE.get(name, (0.2, 3.0))
    one = data.draw(st.floats(low, high - 0.05))
    other = data.draw(st.floats(one + 1e-3, high))
    with precision(128):
        values = [ball(OPERATORS[name].ball(exact_number(x))) for x in (one, other)]
    assert values[0] < values[1]


@pytest.mark.parametrize("name", [n for n in NAMES if OPERATORS[n].spellings])
def test_every_spelling_is_read_as_its_operator(name: str) -> None:
    arguments = ", ".join("xy"[: places(name)])
    wanted = Op(name, tuple(Var(letter) for letter in "xy"[: places(name)]))
    for word in OPERATORS[name].spellings:
        if word != "sqrt":
            assert parse_latex(rf"\operatorname{{{word}}}({arguments})", ["x", "y"]) == wanted


@pytest.mark.parametrize("name", NAMES)
def test_every_operator_is_shown_as_mathml(name: str) -> None:
    law = Op(name, tuple(Var(letter) for letter in "xy"[: places(name)]))
    text = mathml(law, {"x": "<mi>x</mi>", "y": "<mi>y</mi>"})
    assert all(f"<mi>{letter}</mi>" in text for letter in "xy"[: places(name)])
    assert text.count("<mrow>") == text.count("</mrow>")


@pytest.mark.parametrize("name", NAMES)
def test_float64_and_balls_agree(name: str) -> None:
    low, high = INSIDE.get(name, (0.2, 3.0))
    at = [low + (high - low) * share for share in (0.37, 0.81)][: places(name)]
    law = Op(name, tuple(Var(letter) for letter in "xy"[: places(name)]))
    value = evaluate(law, dict(zip("xy", at, strict=False)))
    with precision(128):
        exact = OPERATORS[name].ball(*(exact_number(x) for x in at))
        near = float(exact.p) / float(exact.q) if isinstance(exact, fmpq) else float(exact.mid())
    assert math.isclose(float(np.asarray(value)), near, rel_tol=1e-15)
