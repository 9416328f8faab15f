import numpy as np
import pytest
from numpy.typing import NDArray

from lawsmith.errors import InputError
from lawsmith.expressions import evaluate, parse_infix
from lawsmith.measurement import fit_affine, fit_constant, fit_monomial, fit_polynomial
from lawsmith.measurement.fits import fit_form
from schemas.expression import Expression

Table = NDArray[np.float64]

RNG = np.random.default_rng(7)
X = RNG.uniform(1.0, 3.0, (40, 2))
NAMES = ("x", "z")


def at(law: Expression, points: Table) -> Table:
    return np.asarray(evaluate(law, {"x": points[:, 0], "z": points[:, 1]})) + np.zeros(len(points))


NEW = np.random.default_rng(8).uniform(1.0, 3.0, (20, 2))


def test_constant_is_the_mean() -> None:
    assert fit_constant(NAMES, X[:2], np.array([[1.0, 5.0], [2.0, 7.0]])) == (1.5, 6.0)


def test_affine_law_is_found_and_carries_over() -> None:
    def truth(p: Table) -> Table:
        return np.asarray(3.0 - 2.0 * p[:, 0] + 0.5 * p[:, 1])

    (law,) = fit_affine(NAMES, X, truth(X)[:, None])
    np.testing.assert_allclose(at(law, NEW), truth(NEW), rtol=1e-12)


def test_monomial_law_is_found_also_with_a_negative_sign() -> None:
    def truth(p: Table) -> Table:
        return np.asarray(-4.0 * p[:, 0] ** 1.5 / p[:, 1] ** 2)

    (law,) = fit_monomial(NAMES, X, truth(X)[:, None])
    np.testing.assert_allclose(at(law, NEW), truth(NEW), rtol=1e-11)


def test_monomial_of_mixed_signs_is_the_mean() -> None:
    values = np.array([[1.0], [-3.0]])
    assert fit_monomial(NAMES, X[:2], values) == (-1.0,)


def test_cubic_law_is_found() -> None:
    def truth(p: Table) -> Table:
        return np.asarray(p[:, 0] ** 3 - p[:, 0] * p[:, 1] ** 2 + 2.0)

    (law,) = fit_polynomial(NAMES, X, truth(X)[:, None], degree=3)
    np.testing.assert_allclose(at(law, NEW), truth(NEW), rtol=1e-9)


@pytest.mark.parametrize("rows", [1, 2, 4])
def test_too_few_rows_still_give_finite_laws_through_the_points(rows: int) -> None:
    values = X[:rows, :1] ** 2
    for fit in (fit_affine, fit_polynomial):
        (law,) = fit(NAMES, X[:rows], values)
        if rows <= 2 or fit is fit_polynomial:
            np.testing.assert_allclose(at(law, X[:rows]), values[:, 0], rtol=1e-9)
    assert np.isfinite(at(fit_monomial(NAMES, X[:rows], values)[0], NEW)).all()


def test_two_readouts_are_fitted_apart() -> None:
    values = np.column_stack([X[:, 0], X[:, 1] * 2])
    first, second = fit_affine(NAMES, X, values)
    np.testing.assert_allclose(at(first, NEW), NEW[:, 0], rtol=1e-12)
    np.testing.assert_allclose(at(second, NEW), 2 * NEW[:, 1], rtol=1e-12)


def test_a_form_regains_its_constants_from_afar() -> None:
    truth = 2.5 * X[:, 0] * np.exp(-0.8 * X[:, 1]) + 0.3
    form = parse_infix("a*x*exp(-k*z) + b")
    inputs = {"x": X[:, 0], "z": X[:, 1]}
    found, *_ = fit_form(form, {"a": 9.0, "b": -1.0, "k": 0.1}, inputs, truth, 1e-3 * truth)
    assert found.constants == pytest.approx({"a": 2.5, "b": 0.3, "k": 0.8}, rel=1e-6)
    assert found.cost < 1e-6


def test_a_wrong_form_keeps_a_cost() -> None:
    truth = X[:, 0] ** 2
    found, *_ = fit_form(parse_infix("a*x"), {"a": 1.0}, {"x": X[:, 0]}, truth, 1e-3 * truth)
    assert found.cost > 1e3


def test_fit_that_leaves_the_domain_is_no_crash() -> None:
    truth = np.log(X[:, 0] + 0.5)
    found, *_ = fit_form(
        parse_infix("log(x + b)"), {"b": 3.0}, {"x": X[:, 0]}, truth, np.full(len(X), 1e-3)
    )
    assert found.constants["b"] == pytest.approx(0.5, rel=1e-6)


@pytest.mark.parametrize("values", [np.array([[float("nan")]]), np.zeros((0, 1))])
def test_bad_tables_are_refused(values: Table) -> None:
    with pytest.raises(InputError):
        fit_constant(NAMES, X[: len(values)], values)
