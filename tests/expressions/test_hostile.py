"""Text and trees made to break a reader: every one is read or refused, and nothing else happens."""

import contextlib
import json
import string
import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from lawsmith.errors import DimensionError, ParseError, UndefinedValueError
from lawsmith.expressions import (
    compile_expression,
    complexity,
    dimension_of,
    evaluate,
    evaluate_exact,
    parse_infix,
    to_infix,
)
from schemas.expression import (
    ARITIES,
    MAX_DEPTH,
    MAX_NODES,
    Expression,
    ExpressionField,
    Op,
    Var,
    WireError,
    from_wire,
    names_of,
    to_wire,
    walk,
)
from schemas.record import strict_json

ADAPTER: TypeAdapter[Any] = TypeAdapter(ExpressionField)
PIECES = (
    *("x", "y", "lambda", "pi", "e", "E", "__import__", "eval", "None", "_", "os", "x1", "1x"),
    *("0", "1", "2.5", "1e300", "1e-400", "9007199254740993", ".5", "5.", "1e", "0x1F", "1_0"),
    *("+", "-", "*", "**", "^", "/", "//", "%", "(", ")", ",", ".", "=", ":", ";", "[", "]", "{"),
    *("'", '"', "\\", "\0", "\n", "\t", "#", "@", "!", "&", "|", "~", "$", "`", "if", "for"),
    *("\u00d7", "\u2212", "\uff11", "\u0661", "\u00b2", "\u0445", "\u202e", "\ud800", "\U0001d465"),
    *sorted(ARITIES),
)
TEXTS = (
    st.lists(st.sampled_from(PIECES), max_size=40).map("".join)
    | st.lists(st.sampled_from(PIECES), max_size=40).map(" ".join)
    | st.text(max_size=60)
    | st.text(string.printable, max_size=60)
)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-4, 4).map(lambda n: n * 10**5000)
    | st.floats()
    | st.text(max_size=6)
    | st.sampled_from(["x", *sorted(ARITIES), "__class__", "\u0445", "x" * 65])
)


def _data(children: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return (
        st.lists(children, max_size=4)
        | st.tuples(children, children)
        | st.dictionaries(st.sampled_from(["op", "args", "var", "x"]) | st.integers(), children)
        | st.builds(lambda name: {"var": name}, children)
        | st.builds(lambda op, args: {"op": op, "args": args}, SCALARS, st.lists(children))
        | st.builds(
            lambda op, args: {"op": op, "args": args},
            st.sampled_from(sorted(ARITIES)),
            st.lists(children, min_size=1, max_size=3),
        )
    )


DATA = st.recursive(SCALARS, _data, max_leaves=25)


def check_text(text: str) -> None:
    """A text is an expression within the limits that its own print gives again, or refused."""
    try:
        found = parse_infix(text)
    except ParseError as error:
        refused = error
    else:
        check_tree(found)
        assert parse_infix(to_infix(found)) == found
        return
    assert refused.position is None or 0 <= refused.position <= len(text)
    assert len(str(refused)) < 1000


def check_tree(found: Expression) -> None:
    """A tree keeps the limits; its form and every evaluation end in a value or our error."""
    assert complexity(found) <= MAX_NODES
    assert all(path.count("/args/") <= MAX_DEPTH for path, _ in walk(found))
    assert from_wire(json.loads(json.dumps(to_wire(found), allow_nan=False))) == found
    point = dict.fromkeys(names_of(found), 1.5)
    outcomes = [_outcome(law, point) for law in (compile_expression(found), _walk_of(found))]
    assert outcomes[0] == outcomes[1]
    _outcome(lambda inputs: evaluate_exact(found, inputs), point)
    with contextlib.suppress(DimensionError):
        dimension_of(found, dict.fromkeys(point, "m"))


def _walk_of(expression: Expression) -> Any:
    return lambda inputs: evaluate(expression, inputs)


def _outcome(law: Any, point: dict[str, float]) -> tuple[str, Any]:
    try:
        return "value", law(point)
    except UndefinedValueError as error:
        return "undefined", error.path


def check_data(data: object) -> None:
    """Data are an expression, or refused at a place, in few words."""
    try:
        found = from_wire(data)
    except WireError as error:
        refused = error
    else:
        check_tree(found)
        return
    assert len(str(refused)) < 2000


@settings(max_examples=250, deadline=None)
@given(TEXTS)
def test_any_text_is_read_or_refused(text: str) -> None:
    check_text(text)


@settings(max_examples=150, deadline=None)
@given(DATA)
def test_any_data_are_a_tree_or_refused(data: object) -> None:
    check_data(data)


LONG = settings(max_examples=100_000, suppress_health_check=[HealthCheck.too_slow], deadline=None)


@pytest.mark.long
@LONG
@given(TEXTS)
def test_very_many_texts_are_read_or_refused(text: str) -> None:
    check_text(text)


@pytest.mark.long
@LONG
@given(DATA)
def test_very_many_data_are_a_tree_or_refused(data: object) -> None:
    check_data(data)


MILLION = 1_000_000


@pytest.mark.parametrize(
    "text",
    [
        *("9" * 5000, "9" * 19_000, "-" + "9" * 400, "0." + "0" * 19_000 + "1"),
        *(
            "1" * 19_000 + "x",
            "1." * 9_000,
            "." * 19_000,
            "1e" + "9" * 19_000,
            "1" * 9000 + "." * 9,
        ),
        *("a" * 19_000, "a" * 19_000 + "(x)", "x " + "y" * 19_000, "_" * 65),
        *("(" * 19_000, ")" * 19_000, "-" * 19_000, "+" * 19_000 + "x", "2**" * 6_000 + "2"),
        *("sin(" * 4_000 + "x" + ")" * 4_000, "min(" * 4_000, "min(" + "x," * 9_000 + "x)"),
        *("x+" * 9_000 + "x", "x*y+" * 4_000 + "x", "x-" * 9_000 + "x", "x^" * 9_000 + "x"),
        *(" " * 20_000, "\n" * 19_999, "x" * MILLION, "(" * MILLION, "\u0661" * MILLION),
        *("", "\0", "\ud800", "x\u200b+1", "\u0445+1", "\uff11+1", "1\u0660", "x\u0301", "\u212f"),
        *("\U0001d465+1", "pi\u00a0*2", "x; y", "x\\\ny", "__import__('os').system('true')"),
        *("(lambda: 1)()", "x if y else z", "[x for x in y]", "f'{x}'", "x := 1", "x.real", "1j"),
        *("0x1p3", "1__0", "00x", "inf", "nan()", "Infinity(", "1e309", "-1e309", "5e-325"),
    ],
    ids=lambda text: repr(text[:12]) + str(len(text)),
)
@pytest.mark.timeout(60)
def test_texts_made_to_break_a_reader_are_refused_or_small(text: str) -> None:
    tracemalloc.start()
    try:
        if text == "inf":
            assert parse_infix(text) == Var("inf")
        else:
            with pytest.raises(ParseError) as caught:
                parse_infix(text)
            assert len(str(caught.value)) < 1000
        assert tracemalloc.get_traced_memory()[1] < 40e6
    finally:
        tracemalloc.stop()


def _nested(depth: int, wrap: Any) -> Any:
    node: Any = 1.0
    for _ in range(depth):
        node = wrap(node)
    return node


@pytest.mark.parametrize(
    "data",
    [
        _nested(100_000, lambda node: [node]),
        _nested(100_000, lambda node: {"op": "neg", "args": [node]}),
        _nested(100_000, lambda node: {"op": node, "args": []}),
        _nested(100_000, lambda node: {"var": node}),
        {"op": "add", "args": [1.0] * MILLION},
        {"op": "add", "args": [{"op": "add", "args": [1.0] * 40}] * 40},
        {"op": "x" * MILLION, "args": []},
        {"var": "x" * MILLION},
        {"var": 10**6000},
        {"op": 10**6000, "args": []},
        {10**6000: 1},
        dict.fromkeys(range(MILLION)),
        {"x" * MILLION: 1},
        10**6000,
        -(10**6000),
        2**53 + 1,
        True,
        None,
        float("nan"),
        float("-inf"),
        "x",
        b"x",
        {"var": "\u0445"},
        {"var": "x\n"},
        {"var": ""},
        {"var": "x", "op": "add"},
        {"op": "neg", "args": [1.0], "extra": 0},
        {"op": "neg", "args": {"0": 1.0}},
        {"op": "neg", "args": "x"},
        {"op": "__class__", "args": [1.0]},
        {"op": "min", "args": [1.0]},
        {"op": "sub", "args": [1.0, 2.0, 3.0]},
    ],
    ids=[f"data{i}" for i in range(32)],
)
@pytest.mark.timeout(60)
def test_data_made_to_break_a_reader_are_refused(data: object) -> None:
    with pytest.raises(WireError) as caught:
        from_wire(data)
    assert len(str(caught.value)) < 2000


def test_a_shared_subtree_counts_each_time_it_stands() -> None:
    node: Any = {"var": "x"}
    for _ in range(40):
        node = {"op": "mul", "args": [node, node]}
    with pytest.raises(WireError, match="more than 1024 nodes"):
        from_wire(node)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 200_000,
        '{"op":"neg","args":[' * 100_000,
        '{"var":"x","var":"y"}',
        '{"op":"neg","args":[1],"args":[2]}',
        "NaN",
        '{"op":"neg","args":[Infinity]}',
        '{"op":"neg","args":[-Infinity]}',
        "9" * 10_000,
        '{"var":"x"',
        "",
        "\ufeff1",
    ],
    ids=lambda text: repr(text[:12]),
)
def test_json_made_to_break_a_reader_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"JSON|twice|NaN|Infinity|digits|Expecting|delimiter|BOM"):
        from_wire(strict_json(text))


@pytest.mark.parametrize("text", ["[" * 200_000, "NaN", "1e999", "9" * 10_000, '{"var":"x"', "{}"])
def test_json_read_by_the_schema_is_refused_too(text: str) -> None:
    with pytest.raises(ValidationError):
        ADAPTER.validate_json(text)


def _towers() -> st.SearchStrategy[Expression]:
    numbers = st.sampled_from([2.0, 10.0, 1e15, 1e300, -1e300, 0.5, 1e-300, 9007199254740992.0])
    leaves = numbers | st.just(Var("x"))

    def grow(children: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
        pairs = st.tuples(
            st.sampled_from(["pow", "pow", "mul", "mod", "atan2"]), children, children
        )
        singles = st.tuples(
            st.sampled_from(["exp", "exp", "floor", "round", "sin", "tan", "cbrt", "cosh"]),
            children,
        )
        return pairs.map(lambda p: Op(p[0], p[1:])) | singles.map(lambda p: Op(p[0], p[1:]))

    return st.recursive(leaves, grow, max_leaves=8)


@settings(max_examples=100, deadline=None)
@given(_towers())
def test_towers_of_powers_have_a_value_or_none_at_once(tower: Expression) -> None:
    check_tree(tower)


@pytest.mark.long
@settings(max_examples=30_000, deadline=None)
@given(_towers())
def test_very_many_towers_have_a_value_or_none_at_once(tower: Expression) -> None:
    check_tree(tower)


@pytest.mark.parametrize("op", ["pow", "mul", "add", "div"])
def test_a_tree_of_the_largest_size_is_compiled_and_evaluated(op: str) -> None:
    node: Expression = Var("x")
    for place in range(60):
        node = Op(op, (node, 4.0 if op == "pow" else Var("x")))
        node = Op("add", (node,) + (Var("y"),) * 14) if place % 4 == 3 and op != "pow" else node
        if complexity(node) > 1000:
            break
    law = compile_expression(node)
    inputs: dict[str, Any] = {"x": np.linspace(0.9, 1.0, 5), "y": 0.01}
    np.testing.assert_array_equal(law(inputs), evaluate(node, inputs))
