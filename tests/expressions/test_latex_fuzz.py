"""Hostile LaTeX ends in an expression or in the one declared error, soon."""

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lawsmith.expressions import LatexError, parse_latex, parse_latex_equation, to_latex
from lawsmith.expressions.latex.tokens import REASONS
from lawsmith.expressions.parsing import MAX_TEXT
from schemas.expression import MAX_DEPTH, MAX_NODES, from_wire, node_count, to_wire

_COMMANDS = r"""
\\ \frac \dfrac \sqrt \over \left \right \big \bigl \{ \} \sin \ln \log \exp \max \min \cot \pi
\alpha \Delta \delta \dot \bar \vec \mathrm \rm \mathit \text \operatorname{sgn} \mathbf \cdot
\times \, \lfloor \rfloor \begin{align} \end{align} \label{a} \int \sum \infty \bmod \times 10^{
\prime \approx {,}000 \lvert \_ \[ \] \ 10 2.5 .5 := \mathrm{d} \mathrm{e} \sin^{-1} \log_{10}
\sum_{i=0}^{3} \prod_{x=1}^{2} _{i+1} ^i _i ^{2i}
"""
PIECES = st.sampled_from([*"abdeixyzTS0123459+-*/=^_{}()[]|,.'!&<>:;~$%\n ", *_COMMANDS.split()])
TEXTS = st.one_of(
    st.lists(PIECES, max_size=40).map("".join),
    st.text(max_size=60),
    st.tuples(PIECES, st.integers(1, 3000), PIECES).map(lambda made: made[0] * made[1] + made[2]),
    st.tuples(PIECES, PIECES, st.integers(1, 1500)).map(lambda made: (made[0] + made[1]) * made[2]),
)
NAMES = st.sampled_from([None, {"a", "b", "x", "ab"}, {r"\alpha": "al", "S(x)": "S", "x": "x"}])


def _refused(read: Callable[[], object]) -> LatexError | None:
    try:
        read()
    except LatexError as error:
        return error
    return None


def _reads_or_refuses(text: str, names: set[str] | dict[str, str] | None) -> None:
    error = _refused(lambda: parse_latex(text, names))
    if error is None:
        expression = parse_latex(text, names)
        assert node_count(expression) <= MAX_NODES
        assert from_wire(to_wire(expression)) == expression
        printed = to_latex(expression)
        assert len(printed) > MAX_TEXT or parse_latex(printed) == expression
    else:
        assert error.reason in REASONS
        assert error.position is not None
        assert 0 <= error.position <= len(text)
    error = _refused(lambda: parse_latex_equation(text, names, log_base="e"))
    assert error is None or error.reason in REASONS


@given(TEXTS, NAMES)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_text(text: str, names: set[str] | dict[str, str] | None) -> None:
    _reads_or_refuses(text, names)


@pytest.mark.long
@given(TEXTS, NAMES)
@settings(max_examples=20_000, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_text_at_length(text: str, names: set[str] | dict[str, str] | None) -> None:
    _reads_or_refuses(text, names)


@pytest.mark.parametrize(
    "text",
    [
        "{" * 20_000,
        "(" * 20_000,
        r"\sin" * 5000,
        r"\sqrt" * 4000,
        r"\frac" * 4000,
        "x^{" * 6000,
        "x_{" * 6000,
        r"\dot" * 5000,
        r"\left(" * 3000,
        "|" * 20_000,
        "x^2_" * 5000,
        "-" * 20_000,
        "9" * 20_000,
        "a" * 20_000,
        "x'" * 10_000,
        "x^" * 10_000,
        r"\log_" * 4000,
        "e^{" * 6000 + "x" + "}" * 2000,
        "f(" * 10_000,
        "a{,}000" * 2800,
        r"1\,000" * 3000,
        r"\begin{align}" * 1500,
        r"\mathrm{" * 2500,
        r"\sum" * 4000,
        r"\sum_{i=0}^{9}" * 1300,
        "".join(rf"\sum_{{{i}=0}}^{{63}}" for i in "abcfghijklmnopq") + "a_{bc} x^{q}" * 900,
        r"\sum_{i=0}^{63}(" + "x" * 900 + "+" * 9 + r"x^i)",
        "{x" * 60 + "}" * 60,
        "+".join([r"\frac{a}{b}"] * 1500),
    ],
)
@pytest.mark.parametrize("names", [None, {"a", "aa", "aaa", "x"}])
def test_a_tower_of_anything(text: str, names: set[str] | None) -> None:
    with pytest.raises(LatexError):
        parse_latex(text, names)


def test_the_deepest_tree_is_read_and_one_deeper_is_refused() -> None:
    deepest = r"\sqrt{" * MAX_DEPTH + "x" + "}" * MAX_DEPTH
    assert node_count(parse_latex(deepest)) == MAX_DEPTH + 1
    with pytest.raises(LatexError, match="deeper than 64"):
        parse_latex(r"\sqrt{" + deepest + "}")
