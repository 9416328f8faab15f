"""Kinds of pairs whose two laws are the same function on their domain."""

from typing import Final

from benchmarks.equality.pair_drawing import Domain, Draw, Maker, box, fill


def _inner(d: Draw, x: str, y: str) -> str:
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
    def make(d: Draw) -> tuple[str, str, Domain, None]:
        x, y = d.names(2)
        left, right = identities[int(d.rng.integers(len(identities)))]
        u, v = _inner(d, x, y), _inner(d, y, x)
        if u == f"{x}*{y}" and v == f"{y}*{x}":
            # The same function twice would make 0/0 of some identities.
            v = y
        law, scale = d.law("u1", "v1").replace("u1", x).replace("v1", y), d.number()
        values = {"u": u, "v": v, "c": d.number(), "n": d.of(2, 3, 5)}
        wrap = d.of("{s}*{e}", "{e} + {l}", "{e}*{s} - {l}")
        a = fill(wrap, s=scale, e=fill(left, **values), l=law)
        b = fill(wrap, s=scale, e=fill(right, **values), l=law)
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


def _logs(d: Draw) -> tuple[str, str, Domain, None]:
    left, right = _LOGS[int(d.rng.integers(len(_LOGS)))]
    c, x, y = d.number(), *d.names(2)
    law = d.law(x, y)
    sides = [fill(side, c=c) for side in (left, right)]
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


def _narrowed(d: Draw) -> tuple[str, str, Domain, None]:
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


def _constants(d: Draw) -> tuple[str, str, Domain, None]:
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
        return f"({a})*{x} + {law}", f"({b})*{x} + {law}", box(x, y), None
    return f"({a})**2*{x}*{c}", f"({b})**2*{x}*{c}", box(x), None


def _chosen(d: Draw) -> tuple[str, str, Domain, None]:
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
