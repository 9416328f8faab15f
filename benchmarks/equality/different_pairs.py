"""Kinds of pairs whose two laws differ, and a point at which they do."""

from typing import Final

from benchmarks.equality.pair_drawing import Domain, Draw, Maker, Point, box, fill


def _last_digit(d: Draw) -> tuple[str, str, Domain, Point]:
    x, y = d.names(2)
    c = d.number(1.0, 9.0, 4)
    step = d.of(1e-4, 1e-8, 1e-12, 1e-15)
    law = d.law(x, y)
    form = d.of("{c}*{x} + {l}", "{l}*{c}", "{x}**{c} + {l}", "exp(-{c}*{x}) + {l}", "sin({c}*{x})")
    a = fill(form, c=repr(c), x=x, l=law)
    b = fill(form, c=repr(c + step * c), x=x, l=law)
    return a, b, box(x, y), {x: 1.37, y: 2.11}


def _tiny(d: Draw) -> tuple[str, str, Domain, Point]:
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
    return law, fill(form, l=law, e=e, x=x, y=y), box(x, y), {x: 1.37, y: 2.11}


def _bump(d: Draw) -> tuple[str, str, Domain, Point]:
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
    return law, f"{law} + {bump}", box(x, y), at


def _piece(d: Draw) -> tuple[str, str, Domain, Point]:
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
    return f"({a})*({law})", f"({b})*({law})", box(x, y), point


def _hole(d: Draw) -> tuple[str, str, Domain, Point]:
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
    return law, f"{law} + {extra}", box(x, y), {x: at, y: 1.7}


def _near(d: Draw) -> tuple[str, str, Domain, Point]:
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
    return f"{a} + {law}", f"{b} + {law}", box(x, y), {x: at, y: 1.7}


def _structure(d: Draw) -> tuple[str, str, Domain, Point]:
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
    return f"{a} + {law}", f"{b} + {law}", box(x, y), {x: 1.6, y: 1.7}


def _odd_choice(d: Draw) -> tuple[str, str, Domain, Point]:
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
