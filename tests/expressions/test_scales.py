import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lawsmith.errors import CoherenceError
from lawsmith.expressions import check_scales, parse_infix, unit_coherent
from lawsmith.expressions.dimensions import check_dimensions
from lawsmith.units import parse_unit
from schemas.expression import Expression, Op, Var

UNITS = {
    "x": "m", "y": "km", "x0": "m", "k": "m/km", "c": "ppm", "K": "ppm", "p": "percent",
    "hundred": "percent", "f": "1", "n": "1", "T": "degC", "Ta": "degC", "Tf": "degF", "d": "K",
    "q": "K", "m1": "g", "m2": "g", "de": "deg", "per": "rad/deg", "t": "s",
}  # fmt: skip
POINTS: dict[str, Any] = {
    name: np.linspace(0.2, 0.9, 7) * (1 + i / 20) for i, name in enumerate(UNITS)
}

CLASHES = [
    ("1 + c", "1", ""),
    ("x*(1 + c)", "m", "/args/1"),
    ("max(1, c)", "1", ""),
    ("min(f, p)", "1", ""),
    ("step(c - 5)", "1", "/args/0"),
    ("sign(x - y)", "1", "/args/0"),
    ("abs(x - y)", "m", "/args/0"),
    ("f*max(x, x + 0.1*y)", "m", "/args/1/args/1"),
    ("min(x, y)", "m", ""),
    ("mod(x, y)", "m", ""),
    ("atan2(y, x)", "1", ""),
    ("x + step(f - 2)*y", "m", ""),  # a branch that no point reaches
    ("x*exp(-p)", "m", "/args/1"),
    ("x*f**p", "m", "/args/1/args/1"),
    ("x*p**n", "m", "/args/1"),
    ("x*(y/x0)**n", "m", "/args/1"),
    ("100*p", "1", ""),
    ("log(y/x0)", "1", ""),
    ("floor(p)", "1", ""),
    ("sin(de)", "1", ""),
    ("max(T, T - Ta)", "degC", ""),
    ("min(T - Ta, Ta)", "degC", ""),
    ("abs(T)", "degC", ""),
    ("f*abs(T)", "degC", "/args/1"),
    ("sign(T)", "1", ""),
    ("step(T)*f", "1", "/args/0"),
    ("step(T - Ta + Ta)*f", "1", "/args/0"),
    ("T + Ta", "degC", ""),
    ("T - Ta", "degC", ""),
    ("T", "K", ""),
    ("q", "degC", ""),
    ("f*T", "degC", ""),
    ("T*Ta", "K^2", ""),
    ("d*f/T", "1", ""),
    ("sqrt(T)", "K^0.5", ""),
    ("T + step(f - 1)*Ta", "degC", ""),
    ("f*T + (2 - f)*Ta", "degC", ""),
    ("T + Tf", "degC", ""),
    ("mod(T, d)", "K", ""),
]
COHERENT = [
    ("1 + c/K", "1"),
    ("c/(c + K)", "1"),
    ("max(c, K)", "ppm"),
    ("max(0, c)", "ppm"),
    ("abs(c - 0)", "ppm"),
    ("1 + p/hundred", "1"),
    ("hundred*f", "percent"),
    ("x + k*y", "m"),
    ("min(x, k*y)", "m"),
    ("step(x - k*y)", "1"),
    ("x*(k*y/x0)**n", "m"),
    ("sqrt(y*x)*sqrt(k)", "m"),
    ("sin(per*de)", "1"),
    ("T - Ta", "K"),
    ("T - Ta", "delta_degC"),
    ("abs(T - Ta)", "K"),
    ("step(T - Ta)*f", "1"),
    ("max(T, Ta)", "degC"),
    ("Ta + (T - Ta)*exp(-f)", "degC"),
    ("max(Ta, Ta + (T - Ta)*f)", "degC"),
    ("(m1*T + m2*Ta)/(m1 + m2)", "degC"),
    ("f*T + (1 - f)*Ta", "degC"),
    ("T + d*f", "degC"),
    ("-(Ta - T) + Ta", "degC"),
    ("T + Ta - Ta", "degC"),
    ("0.5*T + 0.5*Ta", "degC"),
    ("(m1*(T - Ta) + m2*(Ta - T))/m2", "K"),
    ("(T - Ta)/d", "1"),
]


def scales(text: str, unit: str) -> None:
    law = parse_infix(text)
    check_dimensions(law, UNITS, unit)
    check_scales(law, UNITS, unit, POINTS)


@pytest.mark.parametrize(("text", "unit", "path"), CLASHES)
def test_units_that_clash_at_any_node_are_refused_with_the_node(
    text: str, unit: str, path: str
) -> None:
    with pytest.raises(CoherenceError) as caught:
        scales(text, unit)
    assert caught.value.path == (path or "/")
    assert not unit_coherent(parse_infix(text), UNITS, unit, POINTS)


@pytest.mark.parametrize(("text", "unit"), COHERENT)
def test_a_law_that_closes_in_units_passes(text: str, unit: str) -> None:
    scales(text, unit)
    assert unit_coherent(parse_infix(text), UNITS, unit, POINTS)


def test_a_condition_must_not_hang_on_the_zero_of_its_unit() -> None:
    check_scales(parse_infix("T - Ta"), UNITS, None, POINTS)
    check_scales(parse_infix("k*y - x"), UNITS, None, POINTS)
    for text in ("T", "y - x", "T + Ta", "1 - c"):
        with pytest.raises(CoherenceError):
            check_scales(parse_infix(text), UNITS, None, POINTS)


LENGTHS = st.sampled_from([Var("x"), Var("y"), Op("mul", (Var("k"), Var("y"))), Var("x0")])


def _of_lengths(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    pairs = st.tuples(st.sampled_from(["add", "sub", "min", "max"]), inner, inner)
    scaled = st.tuples(inner, inner, inner)
    return st.one_of(
        pairs.map(lambda p: Op(p[0], (p[1], p[2]))),
        inner.map(lambda one: Op("abs", (one,))),
        inner.map(lambda one: Op("neg", (one,))),
        scaled.map(lambda p: Op("div", (Op("mul", (p[0], Op("abs", (p[1],)))), Var("x0")))),
        scaled.map(lambda p: Op("mul", (p[0], Op("step", (Op("sub", (p[1], p[2])),))))),
    )


@settings(max_examples=150, deadline=None)
@given(law=st.recursive(LENGTHS, _of_lengths, max_leaves=8))
def test_what_passes_has_the_same_value_in_si_base_units_everywhere(law: Expression) -> None:
    try:
        check_scales(law, UNITS, "m", POINTS)
    except CoherenceError:
        return
    rng = np.random.Generator(np.random.PCG64(7))
    points = {name: rng.uniform(0.001, 3.0, 40) for name in UNITS}
    found = unit_coherent(law, UNITS, "m", points)
    assert found.worst < 1e-12


def test_scales_of_powers_and_roots_add_up() -> None:
    assert math.isclose(float(parse_unit("km^0.5").scale), 1000**0.5)
    scales("y**0.5*x**0.5*k**0.5", "m")
    with pytest.raises(CoherenceError):
        scales("y**0.5*x**0.5", "m")
