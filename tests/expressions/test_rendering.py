"""LaTeX for display, and the size of a law."""

import pytest

from lawsmith.expressions import complexity, parse_infix, to_latex


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("k*m/r**2", r"\frac{k \, m}{r^{2}}"),
        ("a - (b - c)", r"a - \left(b - c\right)"),
        ("(a + b)*c", r"\left(a + b\right) \, c"),
        ("-(a + b)", r"-\left(a + b\right)"),
        ("(a*b)**2", r"\left(a \, b\right)^{2}"),
        ("2*pi*sqrt(L/g)", r"2 \, \pi \, \sqrt{\frac{L}{g}}"),
        ("exp(-lam*t)", r"\exp\left(-\lambda \, t\right)"),
        ("max(a, b, 0)", r"\max(a, b, 0)"),
        ("1e-30*x_ref", r"1 \times 10^{-30} \, x_{\mathrm{ref}}"),
        ("log10(T) + atan2(y, x)", r"\log_{10}\left(T\right) + \operatorname{atan2}(y, x)"),
    ],
)
def test_latex(text: str, latex: str) -> None:
    assert to_latex(parse_infix(text), {"lam": r"\lambda"}) == latex


def test_complexity_counts_nodes() -> None:
    assert complexity(parse_infix("k*m/r**2")) == 7
