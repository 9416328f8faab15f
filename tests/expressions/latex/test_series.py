"""Finite sums and products are written out term by term; what print leaves open is refused."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lawsmith.expressions import (
    LatexError,
    evaluate,
    parse_infix,
    parse_latex,
    parse_latex_equation,
    to_latex,
)
from schemas.expression import MAX_NODES, node_count


@pytest.mark.parametrize(
    ("latex", "infix"),
    [
        (r"\sum_{n=0}^{3} c_n x^n", "c_0*1 + c_1*x + c_2*x**2 + c_3*x**3"),
        (r"\sum\limits^2_{n=1} c_{n} n x", "c_1*1*x + c_2*2*x"),
        (r"\sum_{k=1}^{2} c_{k+1} x^{2k-1}", "c_2*x + c_3*x**3"),
        (r"\sum_{k=1}^{2} c_{k-1,a}", "c_0_a + c_1_a"),
        (r"\sum_{n=-2}^{-1} x^n", "x**-2 + x**-1"),
        (r"\sum_{n=-1}^{+1} a_{n+1} x^{-n}", "a_0*x + a_1*1 + a_2*x**-1"),
        (r"\sum_{n=7}^{7} c_n", "c_7"),
        (r"\sum_{n=9}^{10} c_n", "c_9 + c_10"),
        (r"\prod_{i=1}^{3} (1 + x_i)", "(1 + x_1)*(1 + x_2)*(1 + x_3)"),
        (r"\prod_{i=1}^2 a_i x_i^2", "(a_1*x_1**2)*(a_2*x_2**2)"),
        (r"a + \sum_{n=1}^2 b_n y + c", "a + (b_1*y + b_2*y) + c"),
        (r"\sum_{n=1}^2 (b_n + y)^2 - c", "(b_1 + y)**2 + (b_2 + y)**2 - c"),
        (r"2\sum_{n=1}^2 b_n / y", "2*(b_1/y + b_2/y)"),
        (r"1/\sum_{n=1}^2 b_n + c", "1/(b_1 + b_2) + c"),
        (r"\frac{\sum_{n=1}^2 b_n y}{z}", "(b_1*y + b_2*y)/z"),
        (r"\left|\sum_{n=1}^2 b_n\right|", "abs(b_1 + b_2)"),
        (r"\exp{\sum_{n=1}^2 b_n}", "exp(b_1 + b_2)"),
        (r"\max(\sum_{n=1}^2 b_n, c)", "max(b_1 + b_2, c)"),
        (r"\sum_{i=1}^{2}\sum_{j=0}^{1} a_{ij} x^j", "(a_10*1 + a_11*x) + (a_20*1 + a_21*x)"),
        (r"\sum_{i=9}^{10}\sum_{j=1}^{1} a_{i,j}", "a_9_1 + a_10_1"),
        (r"\sum_{i=1}^2 a_i \prod_{j=1}^2 b_j", "a_1*(b_1*b_2) + a_2*(b_1*b_2)"),
        (r"\sum_{i=1}^2 a_i + \sum_{i=1}^2 b_i", "(a_1 + a_2) + (b_1 + b_2)"),
        (r"\sum_{n=0}^2 \log_{10}^n x", "1 + log10(x) + log10(x)**2"),
        (r"\sum_{n=0}^2 [\ln x]^n", "1 + log(x) + log(x)**2"),
        (r"\sum_{n=1}^2 b_n \cos n\omega t", "b_1*cos(1*omega*t) + b_2*cos(2*omega*t)"),
        (r"\sum_{n=1}^2 b_n \sin(n x)", "b_1*sin(1*x) + b_2*sin(2*x)"),
        (r"\sum_{n=1}^2 e^{-n x}", "exp(-1*x) + exp(-2*x)"),
        (r"\sum_{n=2}^3 n(n+1) x^{1}", "2*(2 + 1)*x**1 + 3*(3 + 1)*x**1"),
        (r"\sum_{o=1}^2 x_o^{\rm rot} \mathrm{Ro}", "x_1_rot*Ro + x_2_rot*Ro"),
    ],
)
def test_is_written_out(latex: str, infix: str) -> None:
    found = parse_latex(latex)
    assert found == parse_infix(infix)
    assert parse_latex(to_latex(found)) == found


@pytest.mark.parametrize(
    ("latex", "reason", "position"),
    [
        (r"a + \sum_n x_n", "sum", 4),
        (r"\sum_{n=0}^{N} x_n", "sum", 0),
        (r"\sum_{n=0}^\infty x_n", "sum", 0),
        (r"\sum_{n=a}^{3} x_n", "sum", 0),
        (r"\sum_{n=0, n\ne 2}^{3} x_n", "sum", 0),
        (r"\sum_{n=0.5}^{3} x_n", "sum", 0),
        (r"\sum_{n=0}^{2^3} x_n", "sum", 0),
        (r"\sum_{\nu=0}^{2} x_\nu", "sum", 0),
        (r"\sum^3_{n=0}^4 x_n", "sum", 0),
        (r"\sum_{n=0} x_n", "sum", 0),
        (r"\sum x", "sum", 0),
        (r"\coprod_{n=0}^{2} x_n", "sum", 0),
        (r"\sum_{n=3}^{2} x_n", "sum", 0),
        (r"\sum_{n=0}^{-1} x_n", "sum", 0),
        (r"\sum_{n=0}^{64} x_n", "limit", 0),
        (r"\sum_{n=0}^{1000000000} x_n", "limit", 12),
        (r"\sum_{n=-1000000000}^{0} x_n", "limit", 9),
        (r"\sum_{n=-999999}^{999999} x_n", "limit", 0),
        (r"\sum_{n=0}^{10^9} x_n", "sum", 0),
        (r"\sum_{n=0}^{" + "9" * 9000 + "} x_n", "limit", 12),
        (r"\sum_{n=0}^12 x_n", "ambiguous", 11),
        (r"\sum_{i=0}^{63} \sum_{j=0}^{63} x^i y^j", "limit", 0),
        (r"\sum_{n=0}^{3}", "syntax", 14),
        (r"\sum_{n=0}^{3} a", "ambiguous", 0),
        (r"\sum_{n=0}^{3} -a_n", "ambiguous", 15),
        (r"\sum_{n=0}^{3} a_n + n", "ambiguous", 21),
        (r"\sum_{n=0}^{3} a_n + b_n", "ambiguous", 23),
        (r"a_n \sum_{n=0}^{3} b_n", "ambiguous", 2),
        (r"y_n = \sum_{n=0}^{3} b_n", "ambiguous", 2),
        (r"y(n) = \sum_{n=0}^{3} b_n", "ambiguous", 2),
        (r"\sum_{n=0}^{3} \sum_{n=0}^{3} b_n", "ambiguous", 15),
        (r"\prod_{n=0}^{3} a_n b", "ambiguous", 20),
        (r"\prod_{n=0}^{3} a_n / b", "ambiguous", 22),
        (r"1/\sum_{n=0}^{3} a_n b", "ambiguous", 2),
        (r"1/-\sum_{n=0}^{3} a_n b", "ambiguous", 3),
        (r"\ln \sum_{n=0}^{3} a_n", "ambiguous", 4),
        (r"{\sum_{n=0}^{3} a_n}^2", "ambiguous", 0),
        (r"\sum_{n=0}^{3} a_n \bmod 2", "ambiguous", 19),
        (r"\sum_{n=0}^{3} a_{in}", "ambiguous", 19),
        (r"\sum_{n=0}^{3} a_{2n}", "ambiguous", 19),
        (r"\sum_{n=0}^{3} a_{n1}", "ambiguous", 18),
        (r"\sum_{i=9}^{10} \sum_{j=1}^{2} a_{ij}", "ambiguous", 34),
        (r"\sum_{n=0}^{3} a_{n-1}", "unsupported", 18),
        (r"\sum_{n=0}^{3} a_n n_0", "ambiguous", 19),
        (r"\sum_{n=0}^{3} a_n \bar{n}", "ambiguous", 19),
        (r"\sum_{n=0}^{3} a_n T_{\rm n}", "ambiguous", 22),
        (r"\sum_{n=0}^{3} \Delta n", "ambiguous", 15),
        (r"\sum_{n=0}^{3} x 2^n n 2", "ambiguous", 23),
        (r"\sum_{n=0}^{3} f(n)", "application", 15),
        (r"\sum_{n=0}^{3} [\log x]^n", "ambiguous", 16),
        (r"\sum_{n=-1}^{1} \sin^n x", "ambiguous", 16),
        (r"\sum_{n=0}^{3} x^n / n!", "unsupported", 22),
        (r"\sum_{e=1}^{2} e^{e x}", "ambiguous", 0),
    ],
)
def test_is_refused_at_its_place(latex: str, reason: str, position: int) -> None:
    with pytest.raises(LatexError) as caught:
        parse_latex(latex)
    assert (caught.value.reason, caught.value.position) == (reason, position)


@pytest.mark.parametrize(
    ("latex", "names", "reason"),
    [
        (r"\sum_{n=0}^{1} S(n)", {"S(n)": "S"}, "application"),
        (r"\sum_{n=0}^{1} c_n", {"c_n": "c"}, "name"),
        (r"\sum_{n=0}^{1} nx", {"n", "x", "nx"}, "ambiguous"),
        (r"n \sum_{n=0}^{1} c_n", {"n", "c_0", "c_1"}, "ambiguous"),
    ],
)
def test_names_do_not_reach_past_the_index(
    latex: str, names: dict[str, str] | set[str], reason: str
) -> None:
    with pytest.raises(LatexError) as caught:
        parse_latex(latex, names)
    assert caught.value.reason == reason


def test_the_terms_have_the_declared_names() -> None:
    names = {"c_0": "a", "c_1": "b", "x": "x", "Bi": "Bi", "y": "y"}
    found = parse_latex_equation(r"y = \sum_{i=0}^{1} [\log x]^i c_i Bi", names, log_base=10)
    assert found.right == parse_infix("1*a*Bi + log10(x)*b*Bi")


def test_a_power_with_exponent_zero_is_one_at_zero_too() -> None:
    law = parse_latex(r"\sum_{n=0}^{2} c_n x^n")
    assert evaluate(law, {"x": 0.0, "c_0": 3.0, "c_1": 5.0, "c_2": 7.0}) == 3.0


@given(
    st.integers(-8, 8),
    st.integers(0, 11),
    st.floats(0.5, 2.0),
    st.floats(0.5, 2.0),
)
@settings(deadline=None)
def test_the_value_is_that_of_a_loop(lower: int, more: int, x: float, b: float) -> None:
    upper = lower + more
    bounds = rf"_{{n={lower}}}^{{{upper}}}"
    total = sum(n * b * x ** (2 * n - 1) for n in range(lower, upper + 1))
    absolute = sum(abs(n) * b * x ** (2 * n - 1) for n in range(lower, upper + 1))
    found = evaluate(parse_latex(rf"\sum{bounds} n b x^{{2n-1}}"), {"x": x, "b": b})
    assert found == pytest.approx(total, rel=1e-12, abs=1e-13 * absolute)
    product = math.prod(b + n * n * x for n in range(lower, upper + 1))
    found = evaluate(parse_latex(rf"\prod{bounds} (b + n^2 x)"), {"x": x, "b": b})
    assert found == pytest.approx(product, rel=1e-12)


def test_a_nested_sum_has_the_value_of_two_loops() -> None:
    latex = r"\sum_{i=1}^{4} \sum_{j=0}^{3} a_{i,j} x^i y^j"
    inputs = {f"a_{i}_{j}": i + 0.5 * j for i in range(1, 5) for j in range(4)}
    wanted = sum(inputs[f"a_{i}_{j}"] * 1.5**i * 0.75**j for i in range(1, 5) for j in range(4))
    found = evaluate(parse_latex(latex), inputs | {"x": 1.5, "y": 0.75})
    assert found == pytest.approx(wanted, rel=1e-14)


def test_the_longest_sum_is_read_and_keeps_the_limit_of_nodes() -> None:
    found = parse_latex(r"\sum_{n=1}^{64} a_n x^{n}")
    assert node_count(found) <= MAX_NODES
    with pytest.raises(LatexError, match="more than 1024 nodes"):
        parse_latex(r"\sum_{n=1}^{64} a_n x^{n} y^{n} z^{n} \sin(n x) \cos(n y)")
