"""LaTeX as papers have it is read, and what has two readings is refused at its place."""

from typing import Any

import pytest

from lawsmith.errors import InputError, ParseError
from lawsmith.expressions import (
    LatexError,
    parse_infix,
    parse_latex,
    parse_latex_equation,
)


@pytest.mark.parametrize(
    ("latex", "infix"),
    [
        (r"\frac{a}{b}", "a/b"),
        (r"\dfrac ab + \tfrac12 + \cfrac{1}{x}", "a/b + 1/2 + 1/x"),
        (r"{a + b \over c}", "(a + b)/c"),
        (r"a \over b", "a/b"),
        (r"ab/c", "a*b/c"),
        (r"a/b/c", "a/b/c"),
        (r"\sqrt2 + \sqrt{x} + \sqrt[3]{y}", "sqrt(2) + sqrt(x) + cbrt(y)"),
        (r"\sqrt[n]{z}", "z**(1/n)"),
        (r"x^2 y^{-n}", "x**2*y**-n"),
        (r"x^2_i + x_i^2", "x_i**2 + x_i**2"),
        (r"k_{\rm B} T_\mathrm{eff} \tau_{ij}^{\rm os}", "k_B*T_eff*tau_ij_os"),
        (r"D_\infty x' y'' + \dot{x}_1", "D_infty*x_prime*y_prime_prime + x_dot_1"),
        (r"\bar{x} \hat x \tilde\alpha", "x_bar*x_hat*alpha_tilde"),
        (r"\Delta T \cdot {\rm Re} \times \mathit{Pr}", "Delta_T*Re*Pr"),
        (r"\mathcal{L}_{\mathrm{iso}} + \varepsilon_0", "calL_iso + varepsilon_0"),
        (r"-2x - -y", "-2*x - -y"),
        (r"-x^2", "-x**2"),
        (r"-ab", "-a*b"),
        (r"\left[ \left\{ a + b \right\} c \right] \big( c - \bigl[ d \bigr] \big)",
         "((a + b)*c)*(c - d)"),
        (r"|x| + \left|\frac{|y|}{z}\right| + \lvert w \rvert", "abs(x) + abs(abs(y)/z) + abs(w)"),
        (r"|a||b|", "abs(a)*abs(b)"),
        (r"\lfloor x \rfloor + \left\lceil y \right\rceil", "floor(x) + ceil(y)"),
        (r"\ln x + \log_{10} y + \log_2 z + \log_{e} w", "log(x) + log10(y) + log2(z) + log(w)"),
        (r"\log_{3} x", "log(x)/log(3)"),
        (r"\sin^2 x + \cos^{2}\theta \sin\phi", "sin(x)**2 + cos(theta)**2*sin(phi)"),
        (r"\sin^{-1} x + \tanh^{-1}(y) + \arcsin z", "asin(x) + atanh(y) + asin(z)"),
        (r"\sin 2\pi f t + \cos\omega t", "sin(2*pi*f*t) + cos(omega*t)"),
        (r"\log_{10}^2(x) + \ln\left(\frac{a}{b}\right) c", "log10(x)**2 + log(a/b)*c"),
        (r"\exp{(-x/y)} + \exp\left[-z\right] + \exp{-w}", "exp(-x/y) + exp(-z) + exp(-w)"),
        (r"\sin kx + \cos 2\theta \sin\omega_0 t", "sin(k*x) + cos(2*theta)*sin(omega_0*t)"),
        (r"\Delta G = \Delta H - T\Delta S", "Delta_H - T*Delta_S"),
        (r"I_0\,10^{-a} 2^b", "I_0*10**-a*2**b"),
        (r"2\pi (R + h)", "2*pi*(R + h)"),
        (r"\lambda_{\max} T_{1/2}", "lambda_max*T_1_per_2"),
        (r"\mathcal{L_{\mathrm{iso}}} + \mathrm{T_{eff}}", "calL_iso + T_eff"),
        (r"\cot x + \sec y", "cos(x)/sin(x) + 1/cos(y)"),
        (r"\max(a, b, 0) + \min\{a, b\}", "max(a, b, 0) + min(a, b)"),
        (r"\operatorname{arsinh} x + \operatorname{sgn}(y) + \mathrm{arctan}(z)",
         "asinh(x) + sign(y) + atan(z)"),
        (r"(a \bmod b)", "mod(a, b)"),
        (r"6.022 \times 10^{23} x", "6.022e23*x"),
        (r"-1.5\times10^{-3}", "-1.5e-3"),
        (r"2 \cdot 10^{3}", "2*10**3"),
        (r"10{,}000 x + 10\,000.", "10000*x + 10000"),
        (r"I_0 e^{-\mu x} + \mathrm{e}^{2} + {\rm e}^{-t/\tau}",
         "I_0*exp(-mu*x) + exp(2) + exp(-t/tau)"),
        (r"2\pi r", "2*pi*r"),
        (r"\begin{equation} y = a x + b, \label{eq:1} \end{equation}", "a*x + b"),
        ("\\begin{align*}\n y &= a \\\\ \n &\\quad + b \\nonumber \\end{align*}", "a + b"),
        (r"\begin{eqnarray} y &=& a \times \\ && b \end{eqnarray}", "a*b"),
        (r"$$ y = \displaystyle \frac{a}{b}\,. $$", "a/b"),
        (r"\[ y(x, t) \equiv a % a remark" + "\n + b;\\]", "a + b"),
    ],
)  # fmt: skip
def test_is_read(latex: str, infix: str) -> None:
    assert parse_latex(latex) == parse_infix(infix)


@pytest.mark.parametrize(
    ("latex", "reason", "position"),
    [
        (r"a/bc", "ambiguous", 3),
        (r"1/2 \cdot x", "ambiguous", 4),
        (r"a + \log x", "ambiguous", 4),
        (r"\sin\theta\, r", "ambiguous", 13),
        (r"\sin x/2", "ambiguous", 6),
        (r"\sin(x)^2", "ambiguous", 7),
        (r"\ln a b", "ambiguous", 6),
        (r"\cos\theta L", "ambiguous", 11),
        (r"\cos\omega t e^{-t}", "ambiguous", 13),
        (r"r^2(t)", "application", 0),
        (r"x^2(a + b)", "ambiguous", 0),
        (r"(a + b)(t)", "ambiguous", 7),
        (r"1.23(4)", "ambiguous", 4),
        (r"3 {\rm km}", "ambiguous", 2),
        (r"ln x", "ambiguous", 0),
        (r"a expx", "ambiguous", 2),
        (r"\operatorname{erf} x", "unsupported", 0),
        (r"\sin\omega(t - s)", "ambiguous", 4),
        (r"\exp{(-t)^{b}}", "ambiguous", 4),
        (r"\ln^{-1} x", "ambiguous", 0),
        (r"k(a + b)", "ambiguous", 0),
        (r"f(x)", "application", 0),
        (r"x + f(0, t)", "application", 4),
        (r"p(x|y)", "application", 0),
        (r"(x, y)", "application", 2),
        (r"e^2", "ambiguous", 0),
        (r"a e", "ambiguous", 2),
        (r"e^{i \omega t}", "ambiguous", 3),
        (r"x^T", "ambiguous", 2),
        (r"x^{(1)}", "ambiguous", 3),
        (r"x^23", "ambiguous", 2),
        (r"x 2", "ambiguous", 2),
        (r"2 3", "ambiguous", 2),
        (r"1e5", "ambiguous", 1),
        (r"5\,\mathrm{km}", "ambiguous", 3),
        (r"{a + b} c", "ambiguous", 0),
        (r"|a| b |c|", "ambiguous", 4),
        (r"k_B + k_{\rm B}", "ambiguous", 6),
        (r"\delta x", "ambiguous", 0),
        (r"a \pm b", "ambiguous", 2),
        (r"\pm b", "ambiguous", 0),
        (r"30^\circ", "unsupported", 3),
        (r"n!", "unsupported", 1),
        (r"\int x", "integral", 0),
        (r"a + \sum_i x_i", "sum", 4),
        (r"\lim_{t\to 0} x", "limit_of", 0),
        (r"\frac{dx}{dt}", "derivative", 5),
        (r"\frac{\partial x}{y}", "derivative", 6),
        (r"p\,dV", "derivative", 3),
        (r"\vec{x} + 1", "vector", 0),
        (r"\mathbf{x}", "vector", 0),
        (r"\langle x \rangle", "average", 0),
        (r"\begin{cases} a \end{cases}", "cases", 0),
        (r"\begin{pmatrix} a \end{pmatrix}", "matrix", 0),
        (r"x \approx 1", "relation", 2),
        (r"x + y = z", "relation", 6),
        (r"x = y = z", "relation", 6),
        (r"y \le 3", "relation", 2),
        (r"y = D^2, \quad 0 < D", "condition", 7),
        ("a \\\\ b", "several", 2),
        (r"(a", "syntax", 2),
        (r"a)", "syntax", 1),
        (r"\frac{a}", "syntax", 8),
        (r"\left(a)", "syntax", 7),
        (r"\undefined x", "unsupported", 0),
        ("", "syntax", 0),
        ("α", "syntax", 0),
        (r"\input{x}", "unsupported", 0),
        ("9007199254740993", "limit", 0),
        (r"1\times 10^{999}", "limit", 0),
        ("{" * 200 + "x", "limit", 68),
        ("x+" * 1100 + "x", "limit", 2046),
    ],
)  # fmt: skip
def test_is_refused_at_its_place(latex: str, reason: str, position: int) -> None:
    with pytest.raises(LatexError) as caught:
        parse_latex(latex)
    assert (caught.value.reason, caught.value.position) == (reason, position)
    assert isinstance(caught.value, ParseError)


def test_the_error_says_line_column_and_excerpt() -> None:
    with pytest.raises(
        LatexError, match=r"line 2, column 5, near '.*int_0.*': an integral"
    ) as caught:
        parse_latex("y = a\n +  \\int_0^1 x")
    assert (caught.value.line, caught.value.column) == (2, 5)
    assert caught.value.excerpt == r"\int_0^1 x"


@pytest.mark.parametrize(
    ("latex", "names", "infix"),
    [
        (r"k(a + b)", {"k", "a", "b"}, "k*(a + b)"),
        (r"EI + Ro", {"E", "I", "Ro"}, "E*I + Ro"),
        (r"Re\, x", {"Re", "x"}, "Re*x"),
        (r"Ro_{max}", {"Ro_max"}, "Ro_max"),
        (r"\lambda t", {r"\lambda": "lam", "t": "t"}, "lam*t"),
        (r"k_{\rm B} T", {"k_B": "k", "T": "T"}, "k*T"),
        (r"r S(t)^{\theta}", {"r": "r", "S(t)": "S", r"\theta": "th"}, "r*S**th"),
        (r"D(L) + x", {"D(L)": "D", "x": "x"}, "D + x"),
        (r"a e^2 + e^{-x}", {"a", "e", "x"}, "a*e**2 + e**-x"),
        (r"a e^{2}", {"a"}, "a*exp(2)"),
        (r"\vec{F} m", {r"\vec{F}": "F", "m": "m"}, "F*m"),
        (r"p\,dV", {"p", "d", "V"}, "p*d*V"),
        (r"\delta x + \Delta T", {"delta", "x", "Delta_T"}, "delta*x + Delta_T"),
        (r"\Delta T", {r"\Delta T": "dT"}, "dT"),
        (r"5\,\mathrm{km}", {"km"}, "5*km"),
        (r"2\pi r", {"r"}, "2*pi*r"),
        (r"\pi r", {r"\pi": "p", "r": "r"}, "p*r"),
        (r"x^T", {"x", "T"}, "x**T"),
    ],
)
def test_declared_names_settle_what_is_meant(
    latex: str, names: dict[str, str] | set[str], infix: str
) -> None:
    assert parse_latex(latex, names) == parse_infix(infix)


@pytest.mark.parametrize(
    ("latex", "names", "reason", "position"),
    [
        (r"a + z", {"a"}, "name", 4),
        (r"ab", {"a", "b", "ab"}, "ambiguous", 0),
        (r"k(a)", {"k", "a"}, "application", 0),
        (r"y(x + h)", {"y(x)": "y0", "y": "y", "x": "x", "h": "h"}, "application", 0),
        (r"\Delta T", {"Delta", "T", "Delta_T"}, "ambiguous", 0),
    ],
)
def test_what_names_do_not_settle(
    latex: str, names: dict[str, str] | set[str], reason: str, position: int
) -> None:
    with pytest.raises(LatexError) as caught:
        parse_latex(latex, names)
    assert (caught.value.reason, caught.value.position) == (reason, position)


@pytest.mark.parametrize("names", [{"x y"}, {"": "x"}, {"x + y": "z"}, "xy", {"x": "2"}])
def test_a_declared_name_must_be_one(names: dict[str, str] | set[str]) -> None:
    with pytest.raises(InputError):
        parse_latex("x", names)


@pytest.mark.parametrize(("base", "infix"), [("e", "log(x)"), (10, "log10(x)"), (2, "log2(x)")])
def test_a_logarithm_without_base_is_read_as_told(base: Any, infix: str) -> None:
    assert parse_latex(r"\log x", log_base=base) == parse_infix(infix)


@pytest.mark.parametrize(
    ("latex", "left", "relation", "right", "condition"),
    [
        (r"F = m a", "F", "equality", "m*a", ""),
        (r"\eta(t) := a t", "eta", "definition", "a*t", ""),
        (r"f(S(t)|r, K) = r", "f", "equality", "r", ""),
        (r"x^2 + y^2 = r^2", "x**2 + y**2", "equality", "r**2", ""),
        (r"y \propto x^2.", "y", "proportionality", "x**2", ""),
        (r"y \approx x", "y", "approximation", "x", ""),
        (r"y = x^2, ~~~ 0 < x < 3,", "y", "equality", "x**2", "0 < x < 3"),
        (r"\log_{10}(P) = a", "log10(P)", "equality", "a", ""),
    ],
)
def test_an_equation_gives_both_sides(
    latex: str, left: str, relation: str, right: str, condition: str
) -> None:
    found = parse_latex_equation(latex)
    assert (found.left, found.right) == (parse_infix(left), parse_infix(right))
    assert (found.relation, found.condition) == (relation, condition)


@pytest.mark.parametrize(
    ("latex", "reason", "position"),
    [
        (r"x + 1", "relation", 5),
        (r"x = y = z", "several", 6),
        (r"x = y, z = w", "several", 5),
        (r"x \sim y", "relation", 2),
        (r"x \le y", "relation", 2),
        (r"X(t+1) = a", "ambiguous", 0),
        (r"x = a, b", "several", 5),
    ],
)
def test_what_is_no_single_equation(latex: str, reason: str, position: int) -> None:
    with pytest.raises(LatexError) as caught:
        parse_latex_equation(latex)
    assert (caught.value.reason, caught.value.position) == (reason, position)
