"""Seeded rewrites of laws that keep their values: the counterpart of the equivalence checker.

Everything works on wire trees (`float`, `{"var"}`, `{"op", "args"}`) with rules of its own and
imports nothing of the checker. A rule applies where its condition is seen in the tree: a power
or a logarithm is only taken apart where all factors are positive by construction.
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any, Final, TypeAlias

import numpy as np

Wire: TypeAlias = Any
Rule: TypeAlias = Callable[[Wire, "Rewriter"], "Wire | None"]

MOST_NODES: Final = 260
MOST_DEPTH: Final = 40


def op(name: str, *args: Wire) -> Wire:
    """A wire node."""
    return {"op": name, "args": list(args)}


def _is(node: Wire, *names: str) -> bool:
    return isinstance(node, dict) and node.get("op") in names


HALF_PI: Final = op("div", op("acos", -1.0), 2.0)


class Rewriter:
    """Applies rules at random places of a tree.

    Args:
        positive: names that are > 0 all over the domain.
        seed: of the choice of places and rules.
    """

    def __init__(self, positive: frozenset[str], seed: int) -> None:
        self._positive = positive
        self.rng = np.random.Generator(np.random.PCG64(seed))

    def positive(self, node: Wire) -> bool:
        """Whether a tree is seen to be > 0 wherever it is defined."""
        if isinstance(node, float | int):
            return node > 0
        if "var" in node:
            return node["var"] in self._positive
        if node["op"] in ("mul", "div", "add"):
            return all(self.positive(arg) for arg in node["args"])
        if node["op"] in ("pow", "sqrt"):
            return self.positive(node["args"][0])
        return bool(node["op"] in ("exp", "cosh"))

    def rewritten(self, tree: Wire, steps: int) -> Wire:
        """The tree after `steps` rules that applied."""
        done = tries = 0
        while done < steps and tries < 40 * steps:
            tries += 1
            rule = RULES[int(self.rng.integers(len(RULES)))]
            places = list(_places(tree))
            path = places[int(self.rng.integers(len(places)))]
            changed = rule(_at(tree, path), self)
            if changed is None:
                continue
            candidate = _put(tree, path, changed)
            count, depth = _size(candidate)
            if count <= MOST_NODES and depth <= MOST_DEPTH:
                tree, done = candidate, done + 1
        return tree

    def number(self) -> float:
        """A short positive decimal."""
        return float([2.0, 3.0, 0.5, 4.0, 1.5, 0.25, 7.0, 0.1][int(self.rng.integers(8))])


def _places(tree: Wire, path: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    yield path
    if isinstance(tree, dict):
        for place, arg in enumerate(tree.get("args", ())):
            yield from _places(arg, (*path, place))


def _at(tree: Wire, path: Sequence[int]) -> Wire:
    for place in path:
        tree = tree["args"][place]
    return tree


def _put(tree: Wire, path: Sequence[int], new: Wire) -> Wire:
    if not path:
        return new
    args = list(tree["args"])
    args[path[0]] = _put(args[path[0]], path[1:], new)
    return {"op": tree["op"], "args": args}


def _size(tree: Wire) -> tuple[int, int]:
    if not isinstance(tree, dict) or "args" not in tree:
        return 1, 0
    sizes = [_size(arg) for arg in tree["args"]]
    return 1 + sum(count for count, _ in sizes), 1 + max(depth for _, depth in sizes)


def _exact(value: Fraction) -> float | None:
    """The float whose shortest decimal is exactly the fraction, or None."""
    near = float(value)
    return near if Fraction(repr(near)) == value else None


def _commute(node: Wire, by: Rewriter) -> Wire | None:
    if not _is(node, "add", "mul", "min", "max"):
        return None
    args = node["args"]
    return op(node["op"], *(args[int(place)] for place in by.rng.permutation(len(args))))


def _associate(node: Wire, by: Rewriter) -> Wire | None:
    if not _is(node, "add", "mul", "min", "max"):
        return None
    name, args = node["op"], node["args"]
    if len(args) > 2:
        cut = int(by.rng.integers(1, len(args) - 1))
        return op(name, *args[:cut], op(name, *args[cut:]))
    flat: list[Wire] = []
    for arg in args:
        flat += arg["args"] if _is(arg, name) else [arg]
    return op(name, *flat) if len(flat) > len(args) else None


def _distribute(node: Wire, by: Rewriter) -> Wire | None:
    if _is(node, "div") and _is(node["args"][0], "add", "sub"):
        top, under = node["args"]
        return op(top["op"], *(op("div", part, under) for part in top["args"]))
    if not _is(node, "mul"):
        return None
    for place, arg in enumerate(node["args"]):
        if _is(arg, "add", "sub"):
            rest = node["args"][:place] + node["args"][place + 1 :]
            return op(arg["op"], *(op("mul", *rest, part) for part in arg["args"]))
    return None


def _factor(node: Wire, by: Rewriter) -> Wire | None:
    if not _is(node, "add", "sub") or not all(_is(arg, "mul") for arg in node["args"]):
        return None
    for factor in node["args"][0]["args"]:
        if all(factor in arg["args"] for arg in node["args"]):
            return op("mul", factor, op(node["op"], *(_without(a, factor) for a in node["args"])))
    return None


def _without(product: Wire, factor: Wire) -> Wire:
    rest = list(product["args"])
    rest.remove(factor)
    return rest[0] if len(rest) == 1 else op("mul", *rest)


def _signs(node: Wire, by: Rewriter) -> Wire | None:
    if _is(node, "sub"):
        first, second = node["args"]
        forms = [
            op("add", first, op("neg", second)),
            op("neg", op("sub", second, first)),
            op("add", op("mul", -1.0, second), first),
        ]
        return forms[int(by.rng.integers(3))]
    if _is(node, "neg"):
        return op("mul", -1.0, node["args"][0])
    if _is(node, "mul") and len(node["args"]) > 1:
        return op("neg", op("mul", op("neg", node["args"][0]), *node["args"][1:]))
    return None


def _quotients(node: Wire, by: Rewriter) -> Wire | None:
    if _is(node, "div"):
        top, under = node["args"]
        forms = [op("mul", top, op("pow", under, -1.0)), op("mul", op("div", 1.0, under), top)]
        if by.positive(top):
            forms.append(op("div", 1.0, op("div", under, top)))
        if _is(top, "mul"):
            forms.append(op("mul", op("div", top["args"][0], under), *top["args"][1:]))
        return forms[int(by.rng.integers(len(forms)))]
    if _is(node, "mul") and by.positive(node["args"][-1]) and len(node["args"]) == 2:
        return op("div", node["args"][0], op("div", 1.0, node["args"][1]))
    return None


def _roots(node: Wire, by: Rewriter) -> Wire | None:
    if _is(node, "sqrt"):
        forms = [op("pow", node["args"][0], 0.5), op("pow", node["args"][0], op("div", 1.0, 2.0))]
        if by.positive(node["args"][0]):
            forms.append(op("div", node["args"][0], node))
        return forms[int(by.rng.integers(len(forms)))]
    if _is(node, "pow") and node["args"][1] == 0.5:
        return op("sqrt", node["args"][0])
    if _is(node, "cbrt") and by.positive(node["args"][0]):
        return op("pow", node["args"][0], op("div", 1.0, 3.0))
    return None


def _whole_powers(node: Wire, by: Rewriter) -> Wire | None:
    if _is(node, "pow") and node["args"][1] in (2.0, 3.0, 4.0):
        base, power = node["args"]
        forms = [op("mul", *[base] * int(power)), op("mul", base, op("pow", base, power - 1.0))]
        return forms[int(by.rng.integers(2))]
    if _is(node, "mul") and len(node["args"]) == 2 and node["args"][0] == node["args"][1]:
        return op("pow", node["args"][0], 2.0)
    return None


def _real_powers(node: Wire, by: Rewriter) -> Wire | None:
    if not _is(node, "pow") or not by.positive(node["args"][0]):
        return None
    base, power = node["args"]
    forms = [
        op("exp", op("mul", power, op("log", base))),
        op("pow", op("pow", base, op("div", power, 2.0)), 2.0),
        op("div", 1.0, op("pow", base, op("neg", power))),
        op("mul", base, op("pow", base, op("sub", power, 1.0))),
        op("pow", op("sqrt", base), op("mul", 2.0, power)),
    ]
    if _is(base, "mul", "div"):
        forms += [op(base["op"], *(op("pow", part, power) for part in base["args"]))] * 3
    return forms[int(by.rng.integers(len(forms)))]


def _exponentials(node: Wire, by: Rewriter) -> Wire | None:
    if _is(node, "exp"):
        inner = node["args"][0]
        forms = [
            op("pow", op("exp", op("div", inner, 2.0)), 2.0),
            op("div", 1.0, op("exp", op("neg", inner))),
            op("add", op("cosh", inner), op("sinh", inner)),
        ]
        if _is(inner, "add"):
            forms += [op("mul", *(op("exp", part) for part in inner["args"]))] * 3
        return forms[int(by.rng.integers(len(forms)))]
    if _is(node, "mul") and all(_is(arg, "exp") for arg in node["args"]):
        return op("exp", op("add", *(arg["args"][0] for arg in node["args"])))
    return None


def _logarithms(node: Wire, by: Rewriter) -> Wire | None:
    if _is(node, "log10", "log2"):
        base = 10.0 if node["op"] == "log10" else 2.0
        return op("div", op("log", node["args"][0]), op("log", base))
    if not _is(node, "log"):
        return None
    inner = node["args"][0]
    forms = [
        op("mul", op("log10", inner), op("log", 10.0)),
        op("mul", 2.0, op("log", op("sqrt", inner))),
        op("neg", op("log", op("div", 1.0, inner))),
    ]
    if by.positive(inner) and _is(inner, "mul"):
        forms += [op("add", *(op("log", part) for part in inner["args"]))] * 3
    if by.positive(inner) and _is(inner, "div"):
        forms += [op("sub", *(op("log", part) for part in inner["args"]))] * 3
    if _is(inner, "pow") and by.positive(inner):
        forms += [op("mul", inner["args"][1], op("log", inner["args"][0]))] * 3
    return forms[int(by.rng.integers(len(forms)))]


def _circular(node: Wire, by: Rewriter) -> Wire | None:
    if not _is(node, "sin", "cos", "tan"):
        return None
    u = node["args"][0]
    half = op("div", u, 2.0)
    square = op("pow", op("sin", half), 2.0)
    forms = {
        "sin": [
            op("cos", op("sub", HALF_PI, u)),
            op("neg", op("sin", op("neg", u))),
            op("mul", 2.0, op("sin", half), op("cos", half)),
        ],
        "cos": [
            op("sin", op("add", u, HALF_PI)),
            op("cos", op("neg", u)),
            op("sub", 1.0, op("mul", 2.0, square)),
        ],
        "tan": [op("div", op("sin", u), op("cos", u)), op("neg", op("tan", op("neg", u)))],
    }[node["op"]]
    return forms[int(by.rng.integers(len(forms)))]


def _squares(node: Wire, by: Rewriter) -> Wire | None:
    if not _is(node, "pow") or node["args"][1] != 2.0:
        return None
    base = node["args"][0]
    if _is(base, "sin", "cos"):
        other = "cos" if base["op"] == "sin" else "sin"
        return op("sub", 1.0, op("pow", op(other, base["args"][0]), 2.0))
    if _is(base, "add", "sub") and len(base["args"]) == 2:
        p, q = base["args"]
        return op(
            "add",
            op("pow", p, 2.0),
            op("mul", 2.0 if base["op"] == "add" else -2.0, p, q),
            op("pow", q, 2.0),
        )
    return None


def _inverse(node: Wire, by: Rewriter) -> Wire | None:
    if _is(node, "asin", "acos"):
        other = "acos" if node["op"] == "asin" else "asin"
        return op("sub", HALF_PI, op(other, node["args"][0]))
    if _is(node, "atan"):
        u = node["args"][0]
        root = op("sqrt", op("add", 1.0, op("pow", u, 2.0)))
        forms = [op("neg", op("atan", op("neg", u))), op("asin", op("div", u, root))]
        return forms[int(by.rng.integers(2))]
    return None


def _hyperbolic(node: Wire, by: Rewriter) -> Wire | None:
    if not _is(node, "sinh", "cosh", "tanh"):
        return None
    u = node["args"][0]
    up, down = op("exp", u), op("exp", op("neg", u))
    if node["op"] == "tanh":
        return op("div", op("sub", up, down), op("add", up, down))
    return op("div", op("add" if node["op"] == "cosh" else "sub", up, down), 2.0)


def _numbers(node: Wire, by: Rewriter) -> Wire | None:
    if not isinstance(node, float):
        return None
    k = by.number()
    exact, other = Fraction(repr(node)), Fraction(repr(k))
    choices: list[tuple[float | None, Callable[[float], Wire]]] = [
        (_exact(exact + other), lambda v: op("sub", v, k)),
        (_exact(exact - other), lambda v: op("add", k, v)),
        (_exact(exact * other), lambda v: op("div", v, k)),
        (_exact(exact / other), lambda v: op("mul", k, v)),
    ]
    value, build = choices[int(by.rng.integers(4))]
    return None if value is None else build(value)


def _nothing(node: Wire, by: Rewriter) -> Wire | None:
    forms = [
        op("mul", node, 1.0),
        op("add", 0.0, node),
        op("neg", op("neg", node)),
    ]
    if by.positive(node):
        forms += [
            op("exp", op("log", node)),
            op("sqrt", op("pow", node, 2.0)),
            op("abs", node),
            op("max", node, op("neg", node)),
            op("div", op("pow", node, 2.0), node),
        ]
    return forms[int(by.rng.integers(len(forms)))]


RULES: Final[tuple[Rule, ...]] = (
    _commute,
    _commute,
    _associate,
    _distribute,
    _factor,
    _signs,
    _quotients,
    _roots,
    _whole_powers,
    _real_powers,
    _exponentials,
    _logarithms,
    _circular,
    _squares,
    _inverse,
    _hyperbolic,
    _numbers,
    _nothing,
)

__all__ = ("RULES", "Rewriter", "Wire", "op")
