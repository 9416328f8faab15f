"""The symbolic column of the operator table agrees with the numeric one."""

import numpy as np
import pytest
import sympy

from lawsmith.errors import InputError
from lawsmith.expressions import (
    OPERATORS,
    equivalent,
    evaluate,
    from_sympy,
    parse_infix,
    second_opinion,
    to_sympy,
)
from schemas.expression import ARITIES, Op, Var


@pytest.mark.parametrize("name", sorted(set(ARITIES) - {"round"}))
def test_symbolic_forms_have_the_same_values(name: str) -> None:
    count = OPERATORS[name].arity[0]
    names = [f"x{i}" for i in range(count)]
    expression = Op(name, tuple(Var(n) for n in names))
    symbolic = to_sympy(expression)
    points = np.random.Generator(np.random.PCG64(3)).uniform(0.1, 0.9, (4, count))
    if name == "acosh":
        points += 1.0
    for point in points.tolist():
        values = dict(zip(names, point, strict=True))
        found = symbolic.subs({sympy.Symbol(n, real=True): v for n, v in values.items()}).evalf()
        assert float(found) == pytest.approx(evaluate(expression, values), rel=1e-12)


def test_a_law_comes_back_from_sympy_as_an_equal_one() -> None:
    laws = (
        "a*x**2/(1 + b*x)",
        "sqrt(x)*exp(-x/a) + log10(b)",
        "max(x, a) - min(b, x, 2)",
        "mod(x, a) + floor(x) - ceil(b) + sign(x)*abs(b)",
        "sinh(x)/cosh(a) + atan2(x, b) + pi/3",
        "x**(-0.75) - 1/3 + asinh(b)",
    )
    domain = {name: {"low": 0.5, "high": 2.5} for name in "abx"}
    for text in laws:
        law = parse_infix(text)
        assert equivalent(from_sympy(to_sympy(law)), law, domain).verdict == "equal", text


@pytest.mark.parametrize(
    ("value", "part"),
    [
        (sympy.gamma(sympy.Symbol("x")), "gamma"),
        (sympy.Integral(sympy.Symbol("x"), sympy.Symbol("x")), "Integral"),
        (sympy.I * sympy.Symbol("x"), "Imaginary"),
        (sympy.oo, "Infinity"),
    ],
)
def test_what_the_language_has_not_is_refused_and_shown(value: sympy.Expr, part: str) -> None:
    with pytest.raises(InputError, match=part):
        from_sympy(value)


def test_a_symbol_that_is_no_name_is_refused() -> None:
    with pytest.raises(InputError, match="identifier"):
        from_sympy(sympy.Symbol("x; y"))
    with pytest.raises(InputError, match="str"):
        from_sympy("x + y")


def test_the_second_opinion_tells_equal_from_different_laws() -> None:
    domain = {name: {"low": 0.5, "high": 2.5} for name in "ab"}
    one = parse_infix("sqrt(a**2*b)")
    assert second_opinion(one, parse_infix("a*sqrt(b)"), domain) == "equal"
    assert second_opinion(one, parse_infix("a*sqrt(b) + 1e-9"), domain) == "different"
    # Without the domain a may be negative.
    assert second_opinion(parse_infix("sqrt(a**2)"), parse_infix("a")) == "different"
