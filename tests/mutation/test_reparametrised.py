"""No Counterfactual is the Original's own law with other constants."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import least_squares

from lawsmith.errors import UndefinedValueError
from lawsmith.expressions import compile_expression, parse_infix, same_form
from lawsmith.measurement import dense_design
from lawsmith.measurement.constraints import columns
from lawsmith.mutation.pairing import forge, forge_family
from lawsmith.mutation.screening.distinctness import distinct
from lawsmith.mutation.screening.inputs import Case
from schemas.card import Card
from schemas.expression import Expression, substitute
from schemas.family import Family

Parts = dict[str, Callable[..., Any]]
Parameters = tuple[tuple[str, float, str, dict[str, str]], ...]
REFERENCE = {"role": "reference"}
KEYS = 20

M, T = ("M", "1", 3.0, 6.0), ("t", "yr", 1.0, 30.0)
X, Z = ("x", "m", 0.5, 8.0), ("z", "s", 1.0, 30.0)
SCALES: Parameters = (("x0", 1.0, "m", REFERENCE), ("z0", 1.0, "s", REFERENCE))
A: Parameters = (("a", 143.0, "um", {}),)

SHAPES: Mapping[str, tuple[str, tuple[Any, ...], str, Parameters]] = {
    "power of ten": (
        "r0*10**(a - b*M)*t",
        (M, T),
        "1",
        (("r0", 1.0, "1/yr", REFERENCE), ("a", 4.1, "1", {}), ("b", 0.95, "1", {})),
    ),
    "antoine": (
        "x*p0*10**(a - b/(t - c))",
        (("t", "K", 300.0, 370.0), ("x", "1", 0.1, 1.0)),
        "kPa",
        (
            ("p0", 1.0, "kPa", REFERENCE),
            ("a", 7.2, "1", {}),
            ("b", 1730.0, "K", {}),
            ("c", 40.0, "K", {}),
        ),
    ),
    "half life": (
        "a*2**(-z/h)*x/x0",
        (X, Z),
        "um",
        (*A, *SCALES, ("h", 11.1, "s", {})),
    ),
    "affine exponential": (
        "r0*exp(a + b*M)*(t/t0)**0.5",
        (M, T),
        "1",
        (
            ("r0", 1.0, "1", REFERENCE),
            ("a", -2.1, "1", {}),
            ("b", 0.95, "1", {}),
            ("t0", 1.0, "yr", REFERENCE),
        ),
    ),
    "declared exponents": (
        "a*(x/x0)**b*(z/z0)**c",
        (X, Z),
        "um",
        (*A, *SCALES, ("b", 0.62, "1", {}), ("c", -1.3, "1", {})),
    ),
    "sum": (
        "a*x/x0 + d*(z/z0)**b",
        (X, Z),
        "um",
        (*A, *SCALES, ("d", 21.0, "um", {}), ("b", 1.4, "1", {})),
    ),
    "product of sums": (
        "a*(1 + b*x/x0)*(1 + c*z/z0)",
        (X, Z),
        "um",
        (*A, *SCALES, ("b", 0.5, "1", {}), ("c", 0.2, "1", {})),
    ),
    "square of a sum": (
        "a*(1 + b*x/x0)*(1 + b*x/x0)*exp(-k*z)",
        (X, Z),
        "um",
        (*A, *SCALES, ("b", 0.5, "1", {}), ("k", 0.053, "1/s", {})),
    ),
    "saturation": (
        "a*x/(k + x)*z/z0",
        (X, Z),
        "um",
        (*A, SCALES[1], ("k", 2.35, "m", {})),
    ),
    "approach": (
        "a*(1 - exp(-x/l))*exp(-k*z)",
        (X, Z),
        "um",
        (*A, ("l", 3.1, "m", {}), ("k", 0.053, "1/s", {})),
    ),
}


def card_of(shape: str, parts: Parts) -> Card:
    law, controls, unit, parameters = SHAPES[shape]
    card: Card = parts["card"](
        relations=(parts["relation"]("h", law),),
        definitions=(),
        controls=tuple(parts["control"](*one) for one in controls),
        readouts=(parts["readout"]("h", unit),),
        parameters=tuple(parts["parameter"](n, v, u, **more) for n, v, u, more in parameters),
    )
    return card


def refitted(family: Family) -> float:
    """Least of the largest errors of the Original with all parameters free, in tolerances.

    Independent of the certificate: float residuals over the parameters as they are declared,
    but for exponents that an exponent move changed, from random starts of both signs.
    """
    moved = {m.path.split("/")[2] for m in family.mutations if m.move == "exponent"}
    own = {p.name: p.value for p in family.original.parameters}
    held = {p.name for i, p in enumerate(family.original.parameters) if str(i) in moved}
    names = [name for name in own if name not in held]
    points = dense_design(family.controls, family.constraints, 256)
    inputs = columns(family.controls, points)
    known: dict[str, Expression] = {p.name: p.value for p in family.counterfactual.parameters}
    target = substitute(family.counterfactual.relations[0].expression, known)
    truth = np.asarray(compile_expression(target)(inputs))
    law = compile_expression(family.original.relations[0].expression)
    readout = family.readouts[0]
    allowed = readout.absolute + readout.relative * np.abs(truth)

    def misses(values: NDArray[np.float64]) -> NDArray[np.float64]:
        given = dict(zip(names, values.tolist(), strict=True))
        try:
            value = np.asarray(law({**inputs, **own, **given}))
        except UndefinedValueError:
            return np.full(len(points), 1e6)
        rest: NDArray[np.float64] = np.clip((value - truth) / allowed, -1e6, 1e6)
        return rest

    best = np.inf
    first = np.array([own[name] for name in names])
    for start in range(6):
        rng = np.random.default_rng(start)
        spread = np.exp(rng.normal(0.0, 0.5 * (start > 0), len(first)))
        signs = np.where(rng.random(len(first)) < 0.2 * (start > 2), -1.0, 1.0)
        guess = first * spread * signs
        found = least_squares(misses, guess, x_scale=np.abs(guess), max_nfev=150)
        best = min(best, float(np.abs(misses(found.x)).max()))
        if best <= 1.0:
            break
    return best


def check(shape: str, keys: range, parts: Parts, draw_key: Callable[[int], bytes]) -> int:
    card, forged = card_of(shape, parts), 0
    for number in keys:
        family = forge(card, draw_key(number)).family
        if family is None:
            continue
        forged += 1
        worst = refitted(family)
        by_exponent = any(m.move == "exponent" for m in family.mutations)
        figures = family.certificates[2].figures
        assert figures["refit_stratum"] == ("exponent" if by_exponent else "form")
        assert worst > (10.0 if by_exponent else 1.5), (shape, number, family.mutations)
    return forged


@pytest.mark.parametrize("shape", SHAPES)
def test_a_family_of_each_shape_is_no_reparametrised_original(
    shape: str, parts: Parts, draw_key: Callable[[int], bytes]
) -> None:
    assert check(shape, range(1), parts, draw_key) == 1


@pytest.mark.long
@pytest.mark.parametrize("shape", SHAPES)
def test_no_family_of_200_draws_is_a_reparametrised_original(
    shape: str, parts: Parts, draw_key: Callable[[int], bytes]
) -> None:
    assert check(shape, range(1, 1 + KEYS), parts, draw_key) >= KEYS - 2


def test_a_power_of_ten_and_its_twin_in_exp_have_the_same_constants(card: Card, key: bytes) -> None:
    found = []
    for law in ("a*10**(0.3 - 0.05*z)*x/x0", "a*exp(log(10)*(0.3 - 0.05*z))*x/x0"):
        family = forge_family(card, key, move="interaction")
        first, *others = family.original.relations
        relation = first.model_copy(update={"expression": parse_infix(law)})
        sets = family.original.model_copy(update={"relations": (relation, *others)})
        case = Case(family.model_copy(update={"original": sets}))
        form = case.forms["original"]["h"]
        found.append((case.folded["original"]["h"], sorted(form.values.values())))
    # log(10)*0.3 and log(10)*0.05 either way; the prefactor is one constant with x0.
    assert found[0][1] == pytest.approx([0.05 * math.log(10), 0.3 * math.log(10), 110.0])
    assert same_form(found[0][0], found[1][0], None, {"x": (0.5, 2.0), "z": (1.0, 9.0)}).equal


def widened(family: Family, factor: float) -> Family:
    """The family with all tolerances times a factor."""
    readouts = tuple(
        r.model_copy(update={"absolute": r.absolute * factor, "relative": r.relative * factor})
        for r in family.readouts
    )
    return family.model_copy(update={"readouts": readouts})


def refit(family: Family) -> float:
    return float(distinct(Case(family)).figures["refit_worst_e"])


def test_pairs_of_an_exponent_move_are_a_stratum_that_keeps_ten_tolerances(
    parts: Parts, key: bytes
) -> None:
    # One readout, so that the figure is of the law that moves.
    one = parts["card"](
        relations=parts["card"]().relations[:1], readouts=parts["card"]().readouts[:1]
    )
    family = forge_family(one, key, move="exponent")
    found = distinct(Case(family))
    assert (found.outcome, found.figures["refit_stratum"]) == ("passed", "exponent")
    # With wide tolerances the refit comes within ten, though not within one and a half.
    wide = next(w for n in range(24) if refit(w := widened(family, 2.0**n)) < 10.0)
    assert 1.5 < refit(wide) < 10.0
    assert distinct(Case(wide)).outcome == "failed"
    other = tuple(m.model_copy(update={"move": "transform"}) for m in wide.mutations)
    assert distinct(Case(wide.model_copy(update={"mutations": other}))).outcome == "passed"
