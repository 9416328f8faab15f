"""The wire form: what it accepts, what it refuses and where."""

import pytest

from schemas.expression import (
    ARITIES,
    MAX_DEPTH,
    MAX_NODES,
    Op,
    Var,
    WireError,
    from_wire,
    names_of,
    node_count,
    substitute,
    to_wire,
    walk,
    with_node,
)


def test_a_tree_survives_its_wire_form() -> None:
    wire = {"op": "add", "args": [{"var": "x"}, {"op": "neg", "args": [2.5]}, 1.0]}
    tree = from_wire(wire)
    assert tree == Op("add", (Var("x"), Op("neg", (2.5,)), 1.0))
    assert to_wire(tree) == wire


def test_integers_become_floats_and_minus_zero_zero() -> None:
    assert from_wire(3) == 3.0
    assert str(from_wire(-0.0)) == "0.0"


@pytest.mark.parametrize(
    ("wire", "path"),
    [
        (True, "/"),
        (None, "/"),
        (float("inf"), "/"),
        (2**53 + 1, "/"),
        ("x", "/"),
        ([1], "/"),
        ({"var": "x y"}, "/var"),
        ({"var": "é"}, "/var"),
        ({"var": 1}, "/var"),
        ({"var": "x", "op": "neg"}, "/"),
        ({"op": "eval", "args": [1]}, "/op"),
        ({"op": "neg", "args": 1}, "/args"),
        ({"op": "neg", "args": [1, 2]}, "/args"),
        ({"op": "add", "args": [1]}, "/args"),
        ({"op": "add", "args": [1, {"op": "neg", "args": ["x"]}]}, "/args/1/args/0"),
    ],
)
def test_what_is_no_expression_is_refused_at_its_place(wire: object, path: str) -> None:
    with pytest.raises(WireError) as caught:
        from_wire(wire)
    assert (caught.value.path or "/") == path


def test_sizes_are_counted_before_anything_is_built() -> None:
    deep: object = 1.0
    for _ in range(MAX_DEPTH):
        deep = {"op": "neg", "args": [deep]}
    assert node_count(from_wire(deep)) == MAX_DEPTH + 1
    with pytest.raises(WireError, match="deeper"):
        from_wire({"op": "neg", "args": [deep]})
    wide = {"op": "add", "args": [1.0] * (MAX_NODES - 1)}
    assert node_count(from_wire(wide)) == MAX_NODES
    with pytest.raises(WireError, match="nodes"):
        from_wire({"op": "add", "args": [1.0] * MAX_NODES})
    endless: object = 1.0
    for _ in range(100_000):
        endless = {"op": "neg", "args": [endless]}
    with pytest.raises(WireError, match="deeper"):
        from_wire(endless)


def test_walk_names_and_substitution() -> None:
    tree = from_wire({"op": "mul", "args": [{"var": "x"}, {"op": "sin", "args": [{"var": "y"}]}]})
    assert [path for path, _ in walk(tree)] == ["", "/args/0", "/args/1", "/args/1/args/0"]
    assert names_of(tree) == {"x", "y"}
    assert names_of(substitute(tree, {"y": 2.0})) == {"x"}


def test_with_node_replaces_one_place() -> None:
    tree = Op("add", (Op("mul", (3.0, Var("x"))), 1.0))
    assert with_node(tree, "/args/0/args/0", 2.0) == Op("add", (Op("mul", (2.0, Var("x"))), 1.0))
    assert with_node(tree, "", 1.0) == 1.0
    with pytest.raises(ValueError, match="below a leaf"):
        with_node(tree, "/args/0/args/0/args/0", 1.0)


def test_every_operator_has_an_arity() -> None:
    assert len(ARITIES) == 34
    assert ARITIES["atan2"] == (2, 2)
    assert ARITIES["max"] == (2, None)
    assert ARITIES["step"] == (1, 1)
