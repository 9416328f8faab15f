"""Labelled pairs of laws, equal and different, several kinds of each, from a seed.

A pair is right by construction. Beside that, `witness` names a point at which the sides of a
different pair differ; `python -m benchmarks.labelled_pairs` proves every label with mpmath at
400 digits, which shares nothing with the checker.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import mpmath
import numpy as np

from benchmarks.rewriting import Rewriter, Wire
from lawsmith.expressions import parse_infix
from schemas.expression import Expression, from_wire, to_wire

Domain = dict[str, Any]
Point = dict[str, float]


@dataclass(frozen=True)
class Pair:
    """Two laws, the domain, and whether they are the same function on it."""

    kind: str
    a: Expression
    b: Expression
    domain: Domain
    equal: bool
    witness: Point | None = field(default=None)


class _Draw:
    """Short decimals, names and small laws from one seed."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.Generator(np.random.PCG64(seed))

    def of(self, *items: Any) -> Any:
        return items[int(self.rng.integers(len(items)))]

    def number(self, low: float = 0.2, high: float = 9.0, digits: int = 2) -> float:
        return round(float(self.rng.uniform(low, high)), digits)

    def names(self, count: int) -> list[str]:
        pool = ["x", "y", "t", "E", "I", "S", "N", "beta", "gamma", "lambda", "Q", "zeta", "O"]
        return [pool[int(place)] for place in self.rng.permutation(len(pool))[:count]]

    def law(self, x: str, y: str) -> str:
        a, b, c = self.number(), self.number(), self.number()
        return str(
            self.of(
                f"{a}*{x}**2/{y} + {b}",
                f"{a}*exp(-{x}/{b})*{y}**1.5",
                f"{a}*{x}/({b} + {x}) + {c}*{y}",
                f"sqrt({a}*{x} + {b}*{y}**2)",
                f"{a}*log(1 + {x}*{y}) - {b}*{x}",
                f"{a}*sin({b}*{x})*{y} + {c}",
                f"{x}**{b}*{y}**{c}*{a}",
                f"{a}*tanh({x}/{b}) + {y}/({c} + {x}**2)",
                f"{a}*({x} - {b}*{y})**3 + {c}*{x}*{y}",
                f"1/(exp({x}/{a}) + {b}) + {c}*{y}",
                f"atan({a}*{x}/{y}) + {b}",
            )
        )


Maker = Callable[[_Draw], "tuple[str, str, Domain, Point | None]"]


def _fill(template: str, **values: Any) -> str:
    for name, value in values.items():
        template = template.replace("{" + name + "}", f"({value})")
    return template


def _inner(d: _Draw, x: str, y: str) -> str:
    return str(
        d.of(
            x,
            f"{d.number()}*{x}",
            f"{x} + {d.number()}*{y}",
            f"{x}*{y}",
            f"{x}/{d.number()} - {y}",
            f"{x}**2 + {y}",
        )
    )


def _named(identities: tuple[tuple[str, str], ...], low: float, high: float) -> Maker:
    def make(d: _Draw) -> tuple[str, str, Domain, None]:
        x, y = d.names(2)
        left, right = identities[int(d.rng.integers(len(identities)))]
        u, v = _inner(d, x, y), _inner(d, y, x)
        if u == f"{x}*{y}" and v == f"{y}*{x}":
            # The same function twice would make 0/0 of some identities.
            v = y
        law, scale = d.law("u1", "v1").replace("u1", x).replace("v1", y), d.number()
        values = {"u": u, "v": v, "c": d.number(), "n": d.of(2, 3, 5)}
        wrap = d.of("{s}*{e}", "{e} + {l}", "{e}*{s} - {l}")
        a = _fill(wrap, s=scale, e=_fill(left, **values), l=law)
        b = _fill(wrap, s=scale, e=_fill(right, **values), l=law)
        return a, b, {x: (low, high), y: (low, high)}, None

    return make


_TRIG: Final = (
    ("sin({u})**2 + cos({u})**2", "1"),
    ("sin({u} + {v})", "sin({u})*cos({v}) + cos({u})*sin({v})"),
    ("cos({u})**3", "(cos(3*{u}) + 3*cos({u}))/4"),
    ("sin({u})**4", "(3 - 4*cos(2*{u}) + cos(4*{u}))/8"),
    ("1 + tan({u})**2", "1/cos({u})**2"),
    ("tan({u}/2)", "sin({u})/(1 + cos({u}))"),
    ("sin({u}) - sin({v})", "2*cos(({u} + {v})/2)*sin(({u} - {v})/2)"),
    ("cos({u})*cos({v})", "(cos({u} - {v}) + cos({u} + {v}))/2"),
    ("cos(atan({u}))", "1/sqrt(1 + {u}**2)"),
    ("sin({u} + pi/3)", "sin({u})/2 + sqrt(3)/2*cos({u})"),
    ("sin(2*atan({u}))", "2*{u}/(1 + {u}**2)"),
    ("tan({u})", "(1 - cos(2*{u}))/sin(2*{u})"),
)
_HYPERBOLIC: Final = (
    ("cosh({u})**2 - sinh({u})**2", "1"),
    ("tanh({u})", "(exp(2*{u}) - 1)/(exp(2*{u}) + 1)"),
    ("1/(1 + exp(-{u}))", "(1 + tanh({u}/2))/2"),
    ("sinh({u} + {v})", "sinh({u})*cosh({v}) + cosh({u})*sinh({v})"),
    ("asinh({u})", "log({u} + sqrt({u}**2 + 1))"),
    ("1/(exp({u}) - 1)", "(1/tanh({u}/2) - 1)/2"),
    ("2*atan(tanh({u}/2))", "atan(sinh({u}))"),
    ("cosh({u})", "(exp({u}) + exp(-{u}))/2"),
    ("sinh(3*{u})", "3*sinh({u}) + 4*sinh({u})**3"),
    ("sinh(asinh({u})*2)", "2*{u}*sqrt(1 + {u}**2)"),
)
_ALGEBRA: Final = (
    ("({u}**{n} - {v}**{n})/({u} - {v}) * 1", "({u}**{n} - {v}**{n})*({u} - {v})**(-1)"),
    ("1/(1/{u} + 1/({c} + {v}**2))", "{u}*({c} + {v}**2)/({u} + {c} + {v}**2)"),
    ("({u} + {v})**3", "{u}**3 + 3*{u}**2*{v} + 3*{u}*{v}**2 + {v}**3"),
    ("sqrt({u}**2 + {c}) - {u}", "{c}/(sqrt({u}**2 + {c}) + {u})"),
    ("{u}/({u}**2 - {c}**2)", "(1/({u} - {c}) + 1/({u} + {c}))/2"),
    ("({u} - {c})*({u} + {c})", "{u}**2 - {c}**2"),
    ("1/sqrt({c} + {u}**2)", "sqrt({c} + {u}**2)/({c} + {u}**2)"),
    ("({u}**2 + {c})**1.5", "({u}**2 + {c})*sqrt({u}**2 + {c})"),
    ("sqrt({c} + {u}**2)*sqrt({c} + {v}**2)", "sqrt(({c} + {u}**2)*({c} + {v}**2))"),
    ("sqrt(3 + 2*sqrt(2))*{u}", "(1 + sqrt(2))*{u}"),
)
_LOGS: Final = (
    ("log(x*y)", "log(x) + log(y)"),
    ("log({c}*x**3/y)", "log({c}) + 3*log(x) - log(y)"),
    ("x**y", "exp(y*log(x))"),
    ("(x*y)**{c}", "x**{c}*y**{c}"),
    ("10**({c}*log10(x))", "x**{c}"),
    ("log(sqrt(x/y))", "(log(x) - log(y))/2"),
    ("exp({c}*log(x) - y)", "x**{c}*exp(-y)"),
    ("log10(x)*log(10)", "log(x)"),
    ("2**(x/{c})", "exp(log(2)*x/{c})"),
    ("log(exp(x) + exp(y))", "x + log(1 + exp(y - x))"),
    ("x**log(y)", "y**log(x)"),
    ("cbrt(x)**2*y", "x**(2/3)*y"),
    ("(x**y)**{c}", "x**({c}*y)"),
    ("log(1 + 1/x)", "log(1 + x) - log(x)"),
)
_KINKS: Final = (
    ("max({u}, {v})", "({u} + {v} + abs({u} - {v}))/2"),
    ("min({u}, {v})", "-max(-{u}, -{v})"),
    ("max({u}, {v}) + min({u}, {v})", "{u} + {v}"),
    ("max({u}, {v})*min({u}, {v})", "{u}*{v}"),
    ("abs({u})", "sqrt({u}**2)"),
    ("abs({u})", "{u}*sign({u})"),
    ("max({u}, 0)", "{u}*step({u})"),
    ("max({u}, 0) - max(-{u}, 0)", "{u}"),
    ("abs({u})*abs({v})", "abs({u}*{v})"),
    ("step({u})", "(1 + sign({u}))/2"),
    ("sign({u})*sign({v})", "sign({u}*{v})"),
    ("max(-{c}, min({c}, {u}))", "min({c}, max(-{c}, {u}))"),
    ("max(-{c}, min({c}, {u}))", "(abs({u} + {c}) - abs({u} - {c}))/2"),
    ("max({u}, {v}, {c})", "max({v}, max({c}, {u}))"),
    ("max({u}, {v})**2", "max({u}*abs({u}), {v}*abs({v}), {u}*{v})*0 + max({u}, {v})**2"),
    ("exp(max({u}, {v}))", "max(exp({u}), exp({v}))"),
    ("abs({u})**3", "{u}**2*abs({u})"),
    ("step({u}) + step(-{u})", "1"),
    ("cbrt({u}**3)", "{u}"),
    ("cbrt({u})", "sign({u})*abs({u})**(1/3)"),
    ("{c}*step({u} - {v}) + {u}*step({v} - {u})", "{u} + ({c} - {u})*step({u} - {v})"),
    ("atan2({u}, {c})", "atan({u}/{c})"),
    ("min({u}, {v}, {c})", "min({u}, min({v}, {c}))"),
    ("log({u}**2)", "2*log(abs({u}))"),
)
_WHOLE: Final = (
    ("ceil({u})", "-floor(-{u})"),
    ("mod({u}, {c})", "{u} - {c}*floor({u}/{c})"),
    ("mod({u} + {n}*{c}, {c})", "mod({u}, {c})"),
    ("floor({u} + {n})", "floor({u}) + {n}"),
    ("ceil({u})", "floor({u}) + 1"),
    ("mod({u}, {c})/{c}", "mod({u}/{c}, 1)"),
    ("mod(-{u}, {c})", "{c} - mod({u}, {c})"),
    ("sin(2*pi*mod({u}, 1))", "sin(2*pi*{u})"),
    ("round({u})", "floor({u} + 1/2)"),
    ("round(-{u})", "-round({u})"),
    ("exp(-mod({u}, {c}))", "exp({c}*floor({u}/{c}))*exp(-{u})"),
    ("mod({u}, 1)**2", "mod({u} + {n}, 1)*mod({u}, 1)"),
)
_REMOVABLE: Final = (
    ("({u}**2 - {c}**2)/({u} - {c})", "{u} + {c}"),
    ("sin({u})/tan({u})", "cos({u})"),
    ("{u}**2/{u}", "{u}"),
    ("({u}**3 - {c}**3)/({u} - {c})", "{u}**2 + {c}*{u} + {c}**2"),
    ("{u}/({u} - {c}) - {c}/({u} - {c})", "1"),
    ("({u} - {v})/({u} - {v})", "1"),
    ("exp(log(abs({u})))", "abs({u})"),
    ("sign({u} - {c})*({u} - {c})", "abs({u} - {c})"),
    ("sign({u})**2", "1"),
)


def _logs(d: _Draw) -> tuple[str, str, Domain, None]:
    left, right = _LOGS[int(d.rng.integers(len(_LOGS)))]
    c, x, y = d.number(), *d.names(2)
    law = d.law(x, y)
    sides = [_fill(side, c=c) for side in (left, right)]
    sides = [_rename(side, x, y) for side in sides]
    return f"{sides[0]} + {law}", f"{sides[1]} + {law}", {x: (0.2, 6.0), y: (0.3, 5.0)}, None


def _rename(text: str, x: str, y: str) -> str:
    """The text with x and y replaced by other names, function names left alone."""
    out, place = "", 0
    while place < len(text):
        end = place
        while end < len(text) and (text[end].isalnum() or text[end] == "_"):
            end += 1
        word = text[place:end]
        out += {"x": x, "y": y}.get(word, word) if word else text[place]
        place = max(end, place + 1)
    return out


def _narrowed(d: _Draw) -> tuple[str, str, Domain, None]:
    """True because of the domain alone."""
    x, c = d.names(1)[0], d.number(1.0, 5.0)
    law = d.law(x, x)
    a, b, ends = d.of(
        (f"abs({x} - {c})", f"{c} - {x}", (c / 10, c)),
        (f"abs({x} - {c})", f"{x} - {c}", (c, 2 * c)),
        (f"max({x}, {c})", f"{x}", (c, 3 * c)),
        (f"min({x}, {c})", f"{c}", (c, 3 * c)),
        (f"step({x} - {c})", "1", (c, 3 * c)),
        (f"sign({c} - {x})", "1", (0.1, c)),
        (f"sqrt(({x} - {c})**2)", f"{c} - {x}", (0.1, c)),
        (f"floor({x}/{c})", "0", (0.01, 0.9 * c)),
        (f"mod({x}, {c})", f"{x}", (0.01, 0.9 * c)),
        (f"asin(sin({x}))", f"{x}", (0.05, 1.5)),
        (f"acos(cos({x}))", f"{x}", (0.05, 3.1)),
        (f"atan(tan({x}))", f"{x}", (0.1, 1.5)),
        (f"asin(sin({x}))", f"pi - {x}", (1.6, 4.7)),
        (f"acos(cos({x}))", f"2*pi - {x}", (3.2, 6.2)),
        (f"acosh(cosh({x}))", f"{x}", (0.1, 4.0)),
        (f"floor({x})", f"step({x} - 1) + step({x} - 2) + step({x} - 3)", (0.2, 3.7)),
        (f"atan({x}) + atan(1/{x})", "pi/2", (0.1, 5.0)),
        (f"log({x}**2)", f"2*log({x})", (0.1, 5.0)),
    )
    return f"{a} + {law}", f"{b} + {law}", {x: ends}, None


def _constants(d: _Draw) -> tuple[str, str, Domain, None]:
    x, y = d.names(2)
    law, c = d.law(x, y), d.number()
    a, b = d.of(
        ("0.1 + 0.2", "0.3"),
        ("sqrt(8)", "2*sqrt(2)"),
        ("acos(-1)", "4*atan(1)"),
        ("log10(1000)", "3"),
        ("exp(log(3))", "3"),
        ("sqrt(2)*sqrt(3)", "sqrt(6)"),
        ("1/3 + 1/6", "0.5"),
        ("cos(pi/3)", "0.5"),
        ("1e-30/1e-31", "10"),
        ("cbrt(27)", "3"),
        ("4**0.5", "2"),
        ("1/(sqrt(2) - 1)", "sqrt(2) + 1"),
        ("log2(8)*log(2)", "log(8)"),
        ("1.1*1.1", "1.21"),
        ("6.02e23*1.38e-23", "8.3076"),
        ("9007199254740992 + 1 - 9007199254740991", "2"),
        ("sin(pi/4)**2", "1/2"),
        ("16*atan(1/5) - 4*atan(1/239)", "pi"),
        ("cbrt(2 + sqrt(5)) + cbrt(2 - sqrt(5))", "1"),
        ("sqrt(5 + 2*sqrt(6))", "sqrt(2) + sqrt(3)"),
    )
    if d.of(0, 1):
        return f"({a})*{x} + {law}", f"({b})*{x} + {law}", _box(x, y), None
    return f"({a})**2*{x}*{c}", f"({b})**2*{x}*{c}", _box(x), None


def _box(*names: str) -> Domain:
    return dict.fromkeys(names, (0.3, 4.0))


def _chosen(d: _Draw) -> tuple[str, str, Domain, None]:
    x, n = d.names(2)
    law = d.law(x, x)
    a, b, choices = d.of(
        (f"(-1)**{n}", "1", [0.0, 2.0, 4.0]),
        (f"(-1)**{n}", f"cos(pi*{n})", [1.0, 2.0, 3.0, 4.0]),
        (f"{x}**{n}", f"{x}*{x}", [2.0]),
        (f"step({n} - 2.5)", f"floor({n}/3)", [1.0, 2.0, 3.0, 4.0, 5.0]),
        (f"mod({n}, 2)", f"(1 - (-1)**{n})/2", [1.0, 2.0, 3.0, 7.0]),
        (f"{n}*({n} - 1)*({n} - 2)", "0", [0.0, 1.0, 2.0]),
        (f"{n}**2", f"3*{n} - 2", [1.0, 2.0]),
        (f"{x}*{n}*({n} - 1)", f"{x}*(2*{n} - 2)", [1.0, 2.0]),
        (f"sin(pi*{n})", "0", [1.0, 2.0, 3.0]),
        (f"abs({n} - 3)*{x}", f"(3 - {n})*{x}", [1.0, 2.0, 3.0]),
        (f"round({n})", f"{n} + 0.5", [0.5 - 1, 1.5, 3.5]),
    )
    return f"({a}) + {law}", f"({b}) + {law}", {x: (0.5, 3.0), n: choices}, None


def _last_digit(d: _Draw) -> tuple[str, str, Domain, Point]:
    x, y = d.names(2)
    c = d.number(1.0, 9.0, 4)
    step = d.of(1e-4, 1e-8, 1e-12, 1e-15)
    law = d.law(x, y)
    form = d.of("{c}*{x} + {l}", "{l}*{c}", "{x}**{c} + {l}", "exp(-{c}*{x}) + {l}", "sin({c}*{x})")
    a = _fill(form, c=repr(c), x=x, l=law)
    b = _fill(form, c=repr(c + step * c), x=x, l=law)
    return a, b, _box(x, y), {x: 1.37, y: 2.11}


def _tiny(d: _Draw) -> tuple[str, str, Domain, Point]:
    x, y = d.names(2)
    e = d.of("1e-12", "1e-30", "1e-60", "1e-200", "1e-300", "exp(-300)", "1e-40*cos(3)")
    law = d.law(x, y)
    form = d.of(
        "({l})*(1 + {e}*{x})",
        "{l} + {e}*{x}*{y}",
        "{l} + {e}*sin({x})",
        "({l})*exp({e}*{x})",
        "{l} + {e}",
        "{l} + tanh({e}*{x})",
        "sqrt(({l})**2 + {e}) + ({l}) - abs({l})",
        "log(exp({l}) + {e})",
    )
    return law, _fill(form, l=law, e=e, x=x, y=y), _box(x, y), {x: 1.37, y: 2.11}


def _bump(d: _Draw) -> tuple[str, str, Domain, Point]:
    x, y = d.names(2)
    law = d.law(x, y)
    c, w, h = d.number(0.5, 3.5, 4), d.of(1e-3, 1e-6, 1e-9), d.of(1.0, 1e-3, 1e-9)
    k = d.number(0.5, 3.5, 4)
    bump = d.of(
        f"{h}*max(0, {w} - abs({x} - {c}))",
        f"{h}*max(0, {w} - ({x} - {c})**2)",
        f"{h}*step({x} - {c - w!r})*step({c + w!r} - {x})",
        f"{h}*exp(-(({x} - {c})/{w})**2)",
        f"{h}*max(0, {w} - ({x} - {c})**2 - ({y} - {k})**2)",
        f"{h}*max(0, {w} - abs({x} - {c}) - abs({y} - {k}))",
        f"{h}*(step({x} - {c - w!r}) - step({x} - {c + w!r}))",
        f"{h}*max(0, 1 - abs(({x} - {c})/{w}))**2*{y}",
        f"{h}/(1 + exp((abs({x} - {c}) - {w})/{w * w!r}))",
        f"{h}*({x}/4)**4000",
        f"{h}*(1 - tanh(({x} - {c})/{w})**2)",
        f"{h}*min(0, abs({x}*{y} - {c}) - {w})",
        f"{h}*floor(cos({x} - {c}) + {w})",
    )
    at = {x: c, y: c / c if f"{x}*{y}" in bump else k}
    if "4000" in bump:
        at = {x: 3.99, y: k}
    return law, f"{law} + {bump}", _box(x, y), at


def _piece(d: _Draw) -> tuple[str, str, Domain, Point]:
    """Two laws that differ on a piece of measure 1e-6 or less, at an end or inside."""
    x, y = d.names(2)
    law = d.law(x, y)
    w = d.of(1e-4, 1e-6, 1e-8, 1e-10)
    low, high, mid = 0.3, 4.0, d.number(0.5, 3.5, 3)
    a, b, at = d.of(
        (f"max({x}, {low + w!r})", x, low + w / 3),
        (f"min({x}, {high - w!r})", x, high - w / 3),
        (f"abs({x} - {low + w!r})", f"{x} - {low + w!r}", low + w / 3),
        (f"abs({x} - {mid})", f"abs({x} - {mid + w!r}) + {w}", mid + w / 3),
        (f"step({x} - {mid})", f"step({x} - {mid + w!r})", mid + w / 3),
        (f"sign({x} - {mid})", f"sign({x} - {mid + w!r})", mid + w / 3),
        (f"min({x}, {mid})", f"min({x}, {mid + w!r})", mid + w / 3),
        (f"floor({x} + {w})", f"floor({x})", 2 - w / 3),
        (f"round({x})", f"round({x} + {w})", 1.5 - w / 3),
        (f"mod({x}, 1)", f"mod({x} + {w}, 1) - {w}", 2 - w / 3),
        (f"floor({x}*{y})", f"floor({x}*{y} - {w})", None),
        (f"max({x} + {y}, {0.6 + w!r})", f"{x} + {y}", None),
        (f"sqrt(({x} - {mid})**2)", f"{x} - {mid} + 2*max({mid - w!r} - {x}, 0)", mid - 0.1),
    )
    point = {x: at if at is not None else 2.0, y: 1.7}
    if at is None:
        point = {x: 2.0, y: 1.0} if "floor" in a else {x: low, y: low}
    return f"({a})*({law})", f"({b})*({law})", _box(x, y), point


def _hole(d: _Draw) -> tuple[str, str, Domain, Point]:
    """One side is undefined on a small piece."""
    x, y = d.names(2)
    law = d.law(x, y)
    c, w = d.number(0.5, 3.5, 3), d.of(1e-3, 1e-6, 1e-9)
    e = c + w
    extra, at = d.of(
        (f"0*sqrt(({x} - {c})*({x} - {e!r}))", c + w / 2),
        (f"0*log(abs({x} - {c}) - {w})", c + w / 3),
        (f"0*asin(1 + {w} - abs({x} - {c}))", c + w / 3),
        (f"0*({x} - {0.3 + w!r})**0.5", 0.3 + w / 3),
        (f"log({x} - {0.3 + w!r}) - log({x} - {0.3 + w!r})", 0.3 + w / 3),
        (f"sqrt({4.0 - w!r} - {x})**2 + {x} - {4.0 - w!r}", 4.0 - w / 3),
        (f"0*acosh({x}/{0.3 + w!r})", 0.3 + w / 3),
        (f"0*(({x} - {c})**2 - {w})**1.5", c),
        (f"0/max(0, abs({x} - {c}) - {w})", c + w / 3),
        (f"0*atanh({x}/{4 - w!r})", 4.0 - w / 3),
    )
    return law, f"{law} + {extra}", _box(x, y), {x: at, y: 1.7}


def _near(d: _Draw) -> tuple[str, str, Domain, Point]:
    """Functions that look alike."""
    x, y = d.names(2)
    law = d.law(x, y)
    a, b, at = d.of(
        (f"cos({x}/100)", f"1 - ({x}/100)**2/2 + ({x}/100)**4/24", 3.7),
        (f"exp({x}/50)", f"1 + {x}/50*(1 + {x}/100*(1 + {x}/150*(1 + {x}/200)))", 3.7),
        (f"tanh(40*{x})", f"sign({x})", 1.0),
        (f"sqrt({x}**2 + 1e-40)", x, 1.0),
        (f"log(exp({x}) + 1e-30)", x, 1.0),
        (f"pi*{x}", f"3.141592653589793*{x}", 1.0),
        (f"exp(1)*{x}", f"2.718281828459045*{x}", 1.0),
        (f"exp(pi*sqrt(163))*{x}", f"(262537412640768*1000 + 744)*{x}", 1.0),
        (f"{x}*355/113", f"pi*{x}", 1.0),
        (f"sin({x})", f"sin({x} + 1e-20)", 1.0),
        (f"{x}**2", f"{x}**2.0000000001", 1.5),
        (f"2*atan(exp({x}))", f"pi/2 + atan(sinh({x}*(1 + 1e-15)))", 1.5),
        (f"atan({x}) + atan(1/{x})", "1.5707963267948966", 1.0),
        (f"1/(exp(1e-14*{x}) - 1)", f"1/(1e-14*{x}) - 1/2", 1.0),
        (f"exp(-800*{x})", "0", 0.9),
        (f"mod({x}, 1)", f"mod({x}, 1.000000000001)", 2.5),
        (f"erf_like*0 + tanh({x})".replace("erf_like*0 + ", ""), f"{x}/sqrt(1 + {x}**2)", 1.0),
        (f"max({x}, {y})", f"log(exp(500*{x}) + exp(500*{y}))/500", 1.0),
        (f"abs({x} - {y})", f"sqrt(({x} - {y})**2 + 1e-24)", 1.0),
        (f"(1 + {x}/1e15)**1e15", f"exp({x})", 1.0),
        (f"{x}**100*exp(-100*log({x}))", f"1 + 1e-50*{x}", 1.5),
    )
    return f"{a} + {law}", f"{b} + {law}", _box(x, y), {x: at, y: 1.7}


def _structure(d: _Draw) -> tuple[str, str, Domain, Point]:
    x, y = d.names(2)
    c, k = d.number(), d.number()
    a, b = d.of(
        (f"{c}*{x}*{y}**2", f"{c}*{x}*{y}**3"),
        (f"{c}*exp(-{k}*{x})", f"{c}*exp(-{k}*{x}**2)"),
        (f"{c}*{x}/({k} + {x})", f"{c}*{x}/({k} - {x} + 2*{y})"),
        (f"sin({x})*{y}", f"cos({x})*{y}"),
        (f"max({x}, {y})", f"min({x}, {y})"),
        (f"{x} - {y}", f"{y} - {x}"),
        (f"log({x})*{c}", f"log10({x})*{c}"),
        (f"sqrt({x}**2 + {y}**2)", f"{x} + {y}"),
        (f"({x} + {y})**2", f"{x}**2 + {y}**2"),
        (f"floor({x} + {y})", f"floor({x}) + floor({y})"),
        (f"abs({x} - {y})", f"{x} - {y}"),
        (f"sin(180*{x}/pi)", f"sin({x})"),
        (f"{x}**{y}", f"{y}**{x}"),
        (f"atan2({x} - 2, {y} - 2)", f"atan(({x} - 2)/({y} - 2))"),
        (f"mod({x} - 3, 2)", f"{x} - 3 - 2*ceil(({x} - 3)/2)"),
        (f"sqrt(({x} - 2)**2)", f"{x} - 2"),
    )
    law = d.law(x, y)
    return f"{a} + {law}", f"{b} + {law}", _box(x, y), {x: 1.6, y: 1.7}


def _odd_choice(d: _Draw) -> tuple[str, str, Domain, Point]:
    """They differ for one choice only."""
    x, n = d.names(2)
    law = d.law(x, x)
    a, b, choices, at = d.of(
        (f"(-1)**{n}", "1", [0.0, 2.0, 4.0, 7.0], 7.0),
        (f"{n}*({n} - 1)*({n} - 2)*{x}", "0", [0.0, 1.0, 2.0, 3.0], 3.0),
        (f"floor({n}/3)", "0", [0.0, 1.0, 2.0, 3.0], 3.0),
        (f"{x}**{n}", f"{x}*{x}", [2.0, 3.0], 3.0),
        (f"step({n} - 9.5)*{x}", "0", [float(k) for k in range(11)], 10.0),
        (f"sin(pi*{n})", "0", [1.0, 2.0, 2.5], 2.5),
        (f"{x}*max({n}, 5)", f"{x}*5", [1.0, 2.0, 5.0, 5.000001], 5.000001),
        (f"{x}*round({n})", f"{x}*floor({n} + 0.5)", [1.0, 2.0, 2.5], 2.5),
        (f"{x}*sign({n})", x, [0.0, 1.0, 2.0], 0.0),
    )
    return f"({a}) + {law}", f"({b}) + {law}", {x: (0.5, 3.0), n: choices}, {x: 1.37, n: at}


EQUAL: Final[dict[str, Maker]] = {
    "trigonometric": _named(_TRIG, 0.1, 0.6),
    "hyperbolic": _named(_HYPERBOLIC, 0.1, 1.5),
    "algebraic": _named(_ALGEBRA, 0.2, 4.0),
    "kinks": _named(_KINKS, -3.0, 3.0),
    "whole numbers": _named(_WHOLE, 0.2, 4.0),
    "removable": _named(_REMOVABLE, -2.0, 3.0),
    "logarithms": _logs,
    "narrowed domain": _narrowed,
    "constants": _constants,
    "choices": _chosen,
}
DIFFERENT: Final[dict[str, Maker]] = {
    "last digit": _last_digit,
    "tiny term": _tiny,
    "bump": _bump,
    "small piece": _piece,
    "hole": _hole,
    "look-alike": _near,
    "structure": _structure,
    "odd choice": _odd_choice,
}


def labelled_pairs(each: int, seed: int = 1) -> Iterator[Pair]:
    """`each` pairs of every kind; the sides of an equal pair are rewritten besides."""
    for label, kinds in ((True, EQUAL), (False, DIFFERENT)):
        for number, (kind, make) in enumerate(kinds.items()):
            for turn in range(each):
                d = _Draw(seed * 1_000_003 + 10_007 * number + turn + 500_000_000 * label)
                yield _pair(kind, make, d, label, turn)


def _pair(kind: str, make: Maker, d: _Draw, label: bool, turn: int) -> Pair:
    a, b, domain, witness = make(d)
    left, right = parse_infix(a), parse_infix(b)
    positive = frozenset(name for name, ends in domain.items() if _above_zero(ends))
    # Wild laws (a negative base, a divisor that crosses zero) keep the sides as they are.
    if turn % 2 and kind not in ("removable", "hole", "kinks"):
        seed = int(d.rng.integers(2**31))
        right = from_wire(Rewriter(positive, seed).rewritten(to_wire(right), 3))
    return Pair(kind, left, right, domain, label, witness)


def _above_zero(ends: Any) -> bool:
    return bool(min(ends) > 0)


def value_at(node: Wire, point: Point) -> Any:
    """The value by mpmath; None where it is undefined over the reals."""
    if isinstance(node, float | int):
        return mpmath.mpf(repr(float(node)))
    if "var" in node:
        return mpmath.mpf(repr(point[node["var"]]))
    args = [value_at(arg, point) for arg in node["args"]]
    if any(arg is None for arg in args):
        return None
    try:
        value = _FUNCTIONS[node["op"]](*args)
    except (ZeroDivisionError, ValueError):
        return None
    return None if isinstance(value, mpmath.mpc) or not mpmath.isfinite(value) else value


def _power(base: Any, exponent: Any) -> Any:
    if base == 0 and exponent <= 0:
        raise ZeroDivisionError
    return base**exponent


def _product(*args: Any) -> Any:
    total = args[0]
    for arg in args[1:]:
        total = total * arg
    return total


def _nonzero(function: Callable[..., Any]) -> Callable[..., Any]:
    def apply(*args: Any) -> Any:
        if args[-1] == 0:
            raise ZeroDivisionError
        return function(*args)

    return apply


_FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "add": lambda *args: sum(args[1:], args[0]),
    "mul": _product,
    "sub": lambda a, b: a - b,
    "div": _nonzero(lambda a, b: a / b),
    "neg": lambda a: -a,
    "pow": _power,
    "min": min,
    "max": max,
    "abs": abs,
    "sqrt": mpmath.sqrt,
    "cbrt": lambda a: mpmath.sign(a) * mpmath.cbrt(abs(a)),
    "exp": mpmath.exp,
    "log": _nonzero(mpmath.log),
    "log10": _nonzero(mpmath.log10),
    "log2": _nonzero(lambda a: mpmath.log(a, 2)),
    "mod": _nonzero(lambda a, b: a - b * mpmath.floor(a / b)),
    "ceil": mpmath.ceil,
    "floor": mpmath.floor,
    "round": mpmath.nint,
    "sign": mpmath.sign,
    "step": lambda a: mpmath.mpf(1 if a > 0 else 0),
    **{name: getattr(mpmath, name) for name in ("sin", "cos", "tan", "asin", "acos", "atan")},
    **{name: getattr(mpmath, name) for name in ("sinh", "cosh", "tanh", "asinh", "acosh")},
    "atanh": mpmath.atanh,
    "atan2": mpmath.atan2,
}


def label_holds(pair: Pair, points: int = 6) -> bool:
    """Whether mpmath at 400 digits agrees with the label at the witness or at other points."""
    left, right = to_wire(pair.a), to_wire(pair.b)
    with mpmath.workdps(400):
        if pair.witness is not None:
            a, b = value_at(left, pair.witness), value_at(right, pair.witness)
            if a is None or b is None:
                return a is not b
            return bool(abs(a - b) > mpmath.mpf(10) ** -390 * (abs(a) + abs(b)))
        rng = np.random.Generator(np.random.PCG64(5))
        for _ in range(points):
            point = {name: _somewhere(rng, ends) for name, ends in pair.domain.items()}
            a, b = value_at(left, point), value_at(right, point)
            if a is None or b is None:
                if a is not b:
                    return False
            elif abs(a - b) > mpmath.mpf(10) ** -300 * (1 + abs(a)):
                return False
    return True


def _somewhere(rng: np.random.Generator, ends: Any) -> float:
    if isinstance(ends, list):
        return float(ends[int(rng.integers(len(ends)))])
    return float(rng.uniform(*ends))


if __name__ == "__main__":
    held: Counter[tuple[str, bool]] = Counter()
    for found in labelled_pairs(40):
        held[found.kind, label_holds(found)] += 1
        if not label_holds(found):
            print(found)
    for (kind, right), count in sorted(held.items()):
        print(f"{kind:>18} {'holds' if right else 'WRONG':>6} {count:>5}")
