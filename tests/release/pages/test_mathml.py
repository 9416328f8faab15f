"""Formulas for people: every operator prints as well-formed MathML, with the fewest brackets."""

import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lawsmith.expressions import OPERATORS, parse_infix
from lawsmith.release.pages.mathml import equation, math, mathml, number_mathml
from lawsmith.release.pages.symbols import name_mathml, symbol_mathml, symbols_of
from schemas.expression import ARITIES, Expression, Op, Var

CHILDREN = {
    "mfrac": 2,
    "msup": 2,
    "msub": 2,
    "mroot": 2,
    "mover": 2,
    "msubsup": 3,
}
"""Elements of MathML Core whose number of children is fixed."""


def checked(rows: str) -> ET.Element:
    """The parsed formula, every element with as many children as it must have."""
    root = ET.fromstring(math(rows))
    for element in root.iter():
        tag = element.tag.partition("}")[2]
        if tag in CHILDREN:
            assert len(element) == CHILDREN[tag], ET.tostring(element)
        if tag in ("mi", "mn", "mo", "mtext"):
            assert element.text
            assert len(element) == 0
    return root


def read(text: str, **symbols: str) -> str:
    """The text content of a printed formula, without invisible signs."""
    rows = mathml(parse_infix(text), symbols)
    words = "".join(checked(rows).itertext())
    return re.sub("[\u2061\u2062]", "", words)


@pytest.mark.parametrize("name", sorted(OPERATORS))
@pytest.mark.parametrize("argument", [Var("x_1"), -2.5, Op("add", (Var("a"), 1e-7))])
def test_every_operator_is_well_formed(name: str, argument: Expression) -> None:
    fewest, most = ARITIES[name]
    for count in {fewest, fewest + 1} if most is None else {fewest}:
        node = Op(name, (argument, *(Var(f"b{i}") for i in range(count - 1))))
        checked(mathml(node, {}))
        checked(mathml(Op("pow", (node, node)), {}))
        checked(mathml(Op("mul", (node, node)), {}, {"/args/0", "/args/1/args/0"}))


LEAVES = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(["x", "lambda", "k_lin", "speed", "a_b_c", "_", "n1"]).map(Var),
)


def _nodes(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    def of(name: str) -> st.SearchStrategy[Expression]:
        fewest, most = ARITIES[name]
        return st.lists(inner, min_size=fewest, max_size=most or 3).map(
            lambda args: Op(name, tuple(args))
        )

    return st.sampled_from(sorted(ARITIES)).flatmap(of)


@given(st.recursive(LEAVES, _nodes, max_leaves=12))
def test_any_tree_is_well_formed(expression: Expression) -> None:
    checked(mathml(expression, {}))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a - (b - c)", "a−(b−c)"),
        ("a + (-b)", "a−b"),
        ("a - b*c", "a−bc"),
        ("(a + b)*c", "(a+b)c"),
        ("2*3*x", "2⋅3x"),
        ("-(a + b)", "−(a+b)"),
        ("(-a)**2", "(−a)2"),
        ("(a*b)**c", "(ab)c"),
        ("a**b**c", "abc"),
        ("sin(x)*y", "sinx⋅y"),
        ("sin(2*x)", "sin(2x)"),
        ("sin(x)**2", "sin2x"),
        ("exp(-x/tau)", "e−x/τ"),
        ("exp((a + b)/c)", "exp(a+bc)"),
        ("sin(x)**-1", "(sinx)−1"),
        ("sqrt(a + b)", "a+b"),
        ("speed*mass", "speed⋅mass"),
        ("min(a, b + c)", "min(a,b+c)"),
        ("log10(x)", "log10x"),
        ("2*pi*r", "2πr"),
        ("1.5e-7*x", "1.5×10−7x"),
        ("abs(a - b)", "|a−b|"),
        ("mod(a, b)", "(amodb)"),
        ("atan2(y, x)", "atan2(y,x)"),
    ],
)
def test_the_fewest_brackets(text: str, shown: str) -> None:
    assert read(text) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (2.0, "2"),
        (-0.25, "−0.25"),
        (79300000000.0, "7.93×1010"),
        (6.6743e-11, "6.6743×10−11"),
        (1234567.0, "1234567"),
        (0.0001, "0.0001"),
    ],
)
def test_numbers_keep_every_digit(value: float, shown: str) -> None:
    assert "".join(checked(number_mathml(value)).itertext()) == shown


@pytest.mark.parametrize(
    ("symbol", "shown"),
    [
        (r"\varepsilon_0", "ε0"),
        ("v_0", "v0"),
        (r"\Delta P", "ΔP"),
        (r"t_{1/2}", "t1/2"),
        (r"T_{\rm s}", "Ts"),
        (r"k_{\mathrm{eff}}", "keff"),
        (r"\theta'", "θ′"),
        (r"\dot{m}", "m˙"),
        ("Lp", "Lp"),
        ("v_ref", "vref"),
        (r"\kappa_ref", "κref"),
    ],
)
def test_printed_symbols(symbol: str, shown: str) -> None:
    drawn = symbol_mathml(symbol)
    assert drawn is not None
    assert "".join(checked(drawn).itertext()) == shown


@pytest.mark.parametrize("symbol", ["", r"\frac{a}{b}", r"\foo", "{", "}", "<b>", "a&b", "x^^2"])
def test_what_is_no_symbol_is_shown_by_its_name(symbol: str) -> None:
    assert symbol_mathml(symbol) is None
    assert symbols_of([("k_lin", symbol)]) == {"k_lin": name_mathml("k_lin")}


def test_symbols_that_collide_are_shown_by_name() -> None:
    found = symbols_of([("R_gas", "R"), ("R_tube", "R"), ("x", "x")])
    assert found["R_gas"] == name_mathml("R_gas")
    assert found["R_tube"] == name_mathml("R_tube")
    assert found["x"] == "<mi>x</mi>"


def test_marks_are_rows_of_their_own() -> None:
    tree = parse_infix("a + b*c")
    root = checked(mathml(tree, {}, {"/args/1"}))
    (hit,) = [element for element in root.iter() if element.get("class") == "hit"]
    assert "".join(hit.itertext()).replace("\u2062", "") == "bc"
    assert ET.fromstring(equation("<mi>y</mi>", "<mi>x</mi>")) is not None
