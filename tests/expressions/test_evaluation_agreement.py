"""Points, arrays and compiled laws give one value, bit for bit, or one error, on every edge."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lawsmith.errors import UndefinedValueError
from lawsmith.expressions import compile_expression, evaluate, parse_infix
from schemas.expression import ARITIES, Expression, Op, Var, names_of

EDGES = (
    *(0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -1.5, 2.0, -2.0, 2.5, -2.5, 3.0, -3.0, 4.0, 0.1, 1 / 3),
    *(5e-324, -5e-324, 1e-310, 2.2250738585072014e-308, 1e-200, 1e-160, 1e-155, 1e-20, 1e20),
    *(1e150, -1e154, 1.4e154, 1e200, 1e308, -1e308, 1.7976931348623157e308, 2.0**52, 2.0**53),
    *(math.nextafter(1.0, 2.0), math.nextafter(1.0, 0.0), -math.nextafter(1.0, 2.0)),
    *(math.pi, -math.pi, math.pi / 2, 709.0, 709.79, 710.5, -745.2, -746.0, 19.5, -27.0, 1e15),
)
WILD = (*EDGES, math.inf, -math.inf, math.nan)
NAMES = ("x", "y", "z")


def outcome(law: Any, inputs: Any) -> tuple[Any, ...]:
    """The bytes of the value, or where and at which input it is undefined."""
    try:
        value = law(inputs)
    except UndefinedValueError as error:
        named = {name: repr(number) for name, number in error.inputs.items()}
        return "undefined", error.path, error.problem.split(" at {")[0], named
    if isinstance(value, float):
        return "value", value.hex()
    return "values", value.shape, value.tobytes()


def check(expression: Expression, columns: dict[str, list[float]]) -> None:
    """All ways to evaluate, on every point alone and on all of them at once."""
    law = compile_expression(expression)
    tables = {name: np.array(column) for name, column in columns.items()}
    size = len(next(iter(columns.values())))
    points = [{name: column[i] for name, column in columns.items()} for i in range(size)]
    alone = [outcome(lambda i: evaluate(expression, i), point) for point in points]
    assert alone == [outcome(law, point) for point in points]
    together = outcome(lambda i: evaluate(expression, i), tables)
    assert together == outcome(law, tables)
    undefined = [found for found in alone if found[0] == "undefined"]
    if undefined:
        assert together in undefined
        assert together[1] == _first_path(expression, {found[1] for found in undefined})
    else:
        values = np.frombuffer(together[2])
        assert [("value", float(value).hex()) for value in values] == alone
    mixed: dict[str, Any] = dict(tables) | {"x": points[0]["x"]}
    assert outcome(lambda i: evaluate(expression, i), mixed) == outcome(law, mixed)


def _first_path(expression: Expression, paths: set[str]) -> str:
    """The first of the paths in the order in which a tree is evaluated: arguments first."""
    order: list[str] = []

    def visit(node: Expression, path: str) -> None:
        if isinstance(node, Op):
            for i, arg in enumerate(node.args):
                visit(arg, f"{path}/args/{i}")
        order.append(path or "/")

    visit(expression, "")
    return min(paths, key=order.index)


@pytest.mark.parametrize("name", sorted(ARITIES))
def test_every_operator_on_every_edge(name: str) -> None:
    fewest, most = ARITIES[name]
    count = fewest if most else 3
    pool = WILD if count < 3 else WILD[::4]
    places = list(itertools.product(pool, repeat=count))
    expression = Op(name, tuple(Var(n) for n in NAMES[:count]))
    law = compile_expression(expression)
    columns = {n: [place[i] for place in places] for i, n in enumerate(NAMES[:count])}
    tables = {n: np.array(column) for n, column in columns.items()}
    found = [
        outcome(lambda i: evaluate(expression, i), dict(zip(columns, place, strict=True)))
        for place in places
    ]
    compiled = [outcome(law, dict(zip(columns, place, strict=True))) for place in places]
    assert found == compiled
    good = np.array([one[0] == "value" for one in found])
    inside = {n: column[good] for n, column in tables.items()}
    values = law(inside)
    assert isinstance(values, np.ndarray)
    assert [("value", float(v).hex()) for v in values] == [
        one for one in found if one[0] == "value"
    ]
    assert values.tobytes() == np.asarray(evaluate(expression, inside)).tobytes()
    # Each undefined point is found among defined ones, wherever it stands.
    for place in np.flatnonzero(~good)[:: max(1, int((~good).sum()) // 40)].tolist():
        table = {n: np.append(inside[n][:50], column[place]) for n, column in tables.items()}
        assert outcome(law, table) == found[place]


@pytest.mark.parametrize("exponent", [e for e in WILD if math.isfinite(e)])
def test_literal_exponents_follow_the_same_rule_as_named_ones(exponent: float) -> None:
    written, named = Op("pow", (Var("x"), exponent)), Op("pow", (Var("x"), Var("y")))
    for base in WILD:
        one = outcome(compile_expression(written), {"x": base})
        table = {"x": np.array([base]), "y": np.array([exponent])}
        both = [
            outcome(compile_expression(named), {"x": base, "y": exponent}),
            outcome(lambda i: evaluate(named, i), {"x": np.float64(base), "y": exponent}),
        ]
        if one[0] == "value":
            assert both == [one, one]
            several = {name: np.repeat(column, 3) for name, column in table.items()}
            values = compile_expression(named)(several)
            assert isinstance(values, np.ndarray)
            assert {float(value).hex() for value in values} == {one[1]}
        else:
            assert {found[0] for found in both} == {"undefined"}


def _trees() -> st.SearchStrategy[Expression]:
    leaves = st.sampled_from([Var(n) for n in NAMES]) | st.sampled_from([e + 0.0 for e in EDGES])

    def operation(children: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
        def build(op: str) -> st.SearchStrategy[Expression]:
            fewest, most = ARITIES[op]
            args = st.lists(children, min_size=fewest, max_size=most or 3)
            return args.map(lambda found: Op(op, tuple(found)))

        weights = [*sorted(ARITIES), *["div", "add", "mul", "sub", "pow"] * 4]
        return st.sampled_from(weights).flatmap(build)

    return st.recursive(leaves, operation, max_leaves=12)


TREES = _trees().filter(lambda tree: bool(names_of(tree)))
TAME = st.floats(-8, 8) | st.integers(-4, 4).map(float)
NUMBERS = TAME | TAME | st.sampled_from(WILD)


def _columns(data: st.DataObject) -> dict[str, list[float]]:
    size = data.draw(st.integers(1, 6))
    return {n: data.draw(st.lists(NUMBERS, min_size=size, max_size=size)) for n in NAMES}


@settings(max_examples=150)
@given(tree=TREES, data=st.data())
def test_all_ways_agree_on_random_laws(tree: Expression, data: st.DataObject) -> None:
    check(tree, _columns(data))


@pytest.mark.long
@settings(max_examples=30_000)
@given(tree=TREES, data=st.data())
def test_all_ways_agree_on_many_more_random_laws(tree: Expression, data: st.DataObject) -> None:
    check(tree, _columns(data))


@settings(max_examples=25)
@given(tree=TREES, data=st.data())
def test_one_bad_point_among_very_many_is_found(tree: Expression, data: st.DataObject) -> None:
    size = data.draw(st.sampled_from([32_767, 32_768, 40_001]))
    columns = {n: np.full(size, data.draw(TAME)) for n in NAMES}
    bad = data.draw(st.integers(0, size - 1))
    for name in NAMES:
        columns[name][bad] = data.draw(st.sampled_from(WILD))
    law = compile_expression(tree)
    assert outcome(law, columns) == outcome(lambda i: evaluate(tree, i), columns)


def test_a_flag_without_need_costs_time_only() -> None:
    # exp(-800) and 1e40**0.7 are outside what the quick way allows a single number.
    law = parse_infix("x*exp(a) + b**0.7*y")
    inputs = {"x": np.linspace(1, 2, 9), "y": np.linspace(0, 1, 9), "a": -800.0, "b": 1e40}
    assert outcome(compile_expression(law), inputs) == outcome(lambda i: evaluate(law, i), inputs)


def test_a_power_may_be_written_over_its_own_arguments() -> None:
    law = parse_infix("abs(abs(y)**abs(x)) + sqrt(abs(y)**abs(x*2))")
    columns = {"x": [0.0, 0.0, 2.0, 0.3], "y": [1.0, 2.0, 3.0, 4.0], "z": [0.0] * 4}
    check(law, columns)


def test_strides_and_shapes_do_not_change_a_bit() -> None:
    law = parse_infix("sin(x)*exp(y)/x**1.7 + tan(y)*log(x)")
    base = np.random.Generator(np.random.PCG64(3)).uniform(0.5, 3.0, (6000, 3))
    plain = {"x": base[:, 0].copy(), "y": base[:, 1].copy()}
    strided = {"x": base[:, 0], "y": base[::-1, 1][::-1]}
    expected = outcome(lambda i: evaluate(law, i), plain)
    assert outcome(compile_expression(law), plain) == expected
    assert outcome(compile_expression(law), strided) == expected
    assert outcome(lambda i: evaluate(law, i), strided) == expected
    grid = {name: column.reshape(60, 100) for name, column in plain.items()}
    assert outcome(compile_expression(law), grid)[2] == expected[2]


@pytest.mark.parametrize("text", ["x/a", "1/a + x"])
def test_no_points_have_no_value_to_be_undefined(text: str) -> None:
    law = parse_infix(text)
    nothing: dict[str, Any] = {"x": np.empty(0), "a": 0.0}
    for value in (evaluate(law, nothing), compile_expression(law)(nothing)):
        assert isinstance(value, np.ndarray)
        assert value.shape == (0,)
