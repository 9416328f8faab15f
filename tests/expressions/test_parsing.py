"""Infix text is read by our own grammar, and printed text reads back to the same tree."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lawsmith.errors import ParseError
from lawsmith.expressions import parse_infix, to_infix
from schemas.expression import ARITIES, Expression, Op, Var, from_wire, to_wire

NUMBERS = st.floats(allow_nan=False, allow_infinity=False).map(lambda x: x + 0.0)
NAMES = st.sampled_from(["x", "lambda", "E", "I", "beta", "in", "step", "v_01", "e", "S"])


def _operation(children: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    def build(op: str) -> st.SearchStrategy[Expression]:
        fewest, most = ARITIES[op]
        args = st.lists(children, min_size=fewest, max_size=most or 4)
        return args.map(lambda found: Op(op, tuple(found)))

    return st.sampled_from(sorted(ARITIES)).flatmap(build)


EXPRESSIONS = st.recursive(NUMBERS | NAMES.map(Var), _operation, max_leaves=25)


@given(EXPRESSIONS)
def test_printed_text_reads_back_to_the_same_tree(expression: Expression) -> None:
    assert parse_infix(to_infix(expression)) == expression


@given(EXPRESSIONS)
def test_wire_form_survives_a_round_trip(expression: Expression) -> None:
    assert from_wire(to_wire(expression)) == expression


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2", 2.0),
        ("-2", -2.0),
        ("-0", 0.0),
        (".5e-3", 5e-4),
        ("x^2", Op("pow", (Var("x"), 2.0))),
        ("-x**2", Op("neg", (Op("pow", (Var("x"), 2.0)),))),
        ("-2**2", Op("neg", (Op("pow", (2.0, 2.0)),))),
        ("2**-1", Op("pow", (2.0, -1.0))),
        ("2^3^4", Op("pow", (2.0, Op("pow", (3.0, 4.0))))),
        ("a+b+c", Op("add", (Var("a"), Var("b"), Var("c")))),
        ("a+(b+c)", Op("add", (Var("a"), Op("add", (Var("b"), Var("c")))))),
        ("a-b-c", Op("sub", (Op("sub", (Var("a"), Var("b"))), Var("c")))),
        ("a/b*c", Op("mul", (Op("div", (Var("a"), Var("b"))), Var("c")))),
        ("-a*b", Op("mul", (Op("neg", (Var("a"),)), Var("b")))),
        ("pi", Op("acos", (-1.0,))),
        ("+x", Var("x")),
        ("min(a, b, 3)", Op("min", (Var("a"), Var("b"), 3.0))),
        ("E*I", Op("mul", (Var("E"), Var("I")))),
    ],
)
def test_grammar(text: str, expected: Expression) -> None:
    assert parse_infix(text) == expected


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("", 0),
        ("1 +", 3),
        ("2x", 0),
        ("2 x", 2),
        ("a b", 2),
        ("a // b", 2),
        ("a % b", 2),
        ("x = 3", 2),
        ("foo(x)", 0),
        ("ln(x)", 0),
        ("sin(x, y)", 0),
        ("min(x)", 0),
        ("sin()", 4),
        ("(a", 2),
        ("a)", 1),
        ("x.__class__", 1),
        ("'a'", 0),
        ("[1]", 0),
        ("lambda: x", 6),
        ("1e400", 0),
        ("1e-400", 0),
        ("9007199254740993", 0),
        ("0x10", 0),
        ("1_000", 0),
        ("1j", 0),
        ("\u03b1*x", 0),
        ("x\u00b2", 1),
        ("\uff58+1", 0),
        ("2\u22121", 1),
        ("x + y" * 5000, 20_000),
        ("(" * 3000 + "x", 128),
        ("-" * 3000 + "x", 128),
        ("+".join(["x"] * 1024), None),
    ],
)
def test_what_is_not_an_expression_is_refused_with_its_position(
    text: str, position: int | None
) -> None:
    with pytest.raises(ParseError) as caught:
        parse_infix(text)
    if position is not None:
        assert caught.value.position == position


def test_a_name_must_be_declared_when_names_are_given() -> None:
    with pytest.raises(ParseError, match="'z' is not declared") as caught:
        parse_infix("x + z", names={"x", "y"})
    assert caught.value.position == 4
    assert parse_infix("x + pi", names={"x"})


def test_a_sum_of_many_terms_is_one_node_and_a_deep_chain_is_refused() -> None:
    assert len(parse_infix("+".join(["x"] * 1000)).args) == 1000  # type: ignore[union-attr]
    with pytest.raises(ParseError, match="deeper than 64"):
        parse_infix("-".join(["x"] * 80))
