import numpy as np
import pytest
from scipy.optimize import least_squares

from lawsmith.calibration.fitting.constants import Constant
from lawsmith.calibration.fitting.fits import evaluate_fit, fit, refit
from lawsmith.calibration.problems.records import SINGLE, Records, Space, records_of, usable
from lawsmith.errors import InputError, UndefinedValueError
from lawsmith.expressions import parse_infix

LINEAR = Space("linear")
LOG = Space("log10")


def grouped(rng: np.random.Generator, groups: int = 6, rows: int = 12) -> Records:
    """`a*exp(-k*x) + c` with k shared; a and c of each group."""
    labels = np.repeat([f"g{place}" for place in range(groups)], rows)
    x = np.tile(np.linspace(0.1, 4.0, rows), groups)
    a, c = np.repeat(rng.uniform(1, 9, groups), rows), np.repeat(rng.uniform(-2, 2, groups), rows)
    y = a * np.exp(-0.7 * x) + c + 0.05 * rng.standard_normal(len(x))
    return records_of({"x": x}, y, labels)


MIXED = parse_infix("a*exp(-k*x) + c")
CONSTANTS = [
    Constant("k", (0.3,)),
    Constant("a", (1.0,), "per_group"),
    Constant("c", (0.5,), "per_group"),
]


def test_shared_and_own_constants_are_those_of_one_large_fit() -> None:
    records = grouped(np.random.default_rng(3))
    found = fit(MIXED, CONSTANTS, records, LINEAR)
    labels = sorted(records.group_rows())
    assert records.groups is not None
    place = np.searchsorted(labels, records.groups)

    def residuals(v: np.ndarray) -> np.ndarray:
        own = v[1:].reshape(-1, 2)[place]
        return np.asarray(
            records.target - own[:, 0] * np.exp(-v[0] * records.inputs["x"]) - own[:, 1]
        )

    start, tight = np.array([0.3] + [1.0, 0.5] * 6), 1e-15
    whole = least_squares(residuals, start, jac="cs", xtol=tight, ftol=tight, gtol=tight)
    covariance = np.linalg.inv(whole.jac.T @ whole.jac) * 2 * whole.cost / (72 - 13)
    expected, deviations = whole.x, np.sqrt(np.diag(covariance))
    assert found.freedom == 72 - 13
    assert found.sum_of_squares == pytest.approx(2 * whole.cost, rel=1e-12)
    for group, label in enumerate(labels):
        own = found.constants[label]
        order = [own["k"], own["a"], own["c"]]
        at = [0, 1 + 2 * group, 2 + 2 * group]
        assert [e.value for e in order] == pytest.approx(expected[at].tolist(), rel=1e-7)
        assert [e.deviation for e in order] == pytest.approx(deviations[at].tolist(), rel=1e-6)
    assert found.shared == ("k",)


def test_without_shared_constants_every_group_is_a_fit_of_its_own() -> None:
    records = grouped(np.random.default_rng(4), groups=3)
    own = [Constant(c.name, c.starts, "per_group") for c in CONSTANTS]
    found = fit(MIXED, own, records, LINEAR)
    for label, rows in records.group_rows().items():
        part = records.take(rows)
        single = records_of(part.inputs, part.target)
        alone = fit(MIXED, [Constant(c.name, c.starts) for c in own], single, LINEAR)
        for constant in own:
            ours, theirs = (f[constant.name] for f in (found.constants[label], alone.constants[""]))
            assert ours.value == pytest.approx(theirs.value, rel=1e-9)
            assert ours.deviation == pytest.approx(theirs.deviation, rel=1e-6)


def test_shared_constants_alone_are_the_same_in_every_group() -> None:
    records = grouped(np.random.default_rng(5), groups=2)
    found = fit(MIXED, [Constant(c.name, c.starts) for c in CONSTANTS], records, LINEAR)
    assert found.constants["g0"] == found.constants["g1"]


def test_rows_of_all_groups_may_be_mixed() -> None:
    records = grouped(np.random.default_rng(6), groups=3)
    shuffled = np.random.default_rng(1).permutation(len(records))
    one, other = fit(MIXED, CONSTANTS, records, LINEAR), None
    other = fit(MIXED, CONSTANTS, records.take(shuffled), LINEAR)
    assert other.residuals == pytest.approx(one.residuals[shuffled], abs=1e-7)


def test_bounds_hold_and_bind() -> None:
    x = np.linspace(1, 9, 30)
    records = records_of({"x": x}, 3 * x**0.8)
    law = parse_infix("a*x**b")
    found = fit(law, [Constant("a", (1.0,)), Constant("b", (1.0,), low=0.9)], records, LINEAR)
    assert 0.9 <= found.constants[SINGLE]["b"].value < 0.9 + 1e-6


def test_a_fixed_constant_is_taken_as_it_is() -> None:
    x = np.linspace(1, 9, 30)
    records = records_of({"x": x}, 3 * x**0.8)
    found = fit(
        parse_infix("a*x**b"), [Constant("a", (1.0,)), Constant("b", fixed=0.8)], records, LOG
    )
    assert found.values(SINGLE) == {"a": pytest.approx(3.0, rel=1e-12), "b": 0.8}
    assert found.constants[SINGLE]["b"].deviation is None
    assert found.freedom == 29


def test_a_constant_that_nothing_determines_has_no_deviation() -> None:
    records = records_of({"x": np.linspace(1, 2, 20)}, np.linspace(1, 2, 20) ** 2)
    law = parse_infix("a*b*x")
    found = fit(law, [Constant("a", (1.0,)), Constant("b", (2.0,))], records, LINEAR)
    assert found.constants[SINGLE]["a"].deviation is None


def test_a_law_that_is_not_positive_is_never_a_logarithmic_fit() -> None:
    records = records_of({"x": np.linspace(-1, 1, 20)}, np.linspace(1, 2, 20))
    law = parse_infix("a*x")
    with pytest.raises(InputError, match="no value at any start"):
        fit(law, [Constant("a", (1.0,))], records, LOG)
    with pytest.raises(UndefinedValueError, match="no logarithm"):
        evaluate_fit(law, {SINGLE: {"a": 1.0}}, [Constant("a", (1.0,))], records, LOG)


def test_a_refit_is_kept_only_if_r2_does_not_fall() -> None:
    x = np.linspace(1, 9, 30)
    y = 3 * x**0.8 * (1 + 0.01 * np.cos(40 * x))
    law = parse_infix("a*x**b")
    records = records_of({"x": x}, y)
    constants = [Constant("a", (1.0,)), Constant("b", (1.0,))]
    better = refit(law, constants, {"a": 3.0, "b": 0.8}, records, LOG)
    assert better.kept
    assert better.published_r2 is not None
    assert better.refit_r2 >= better.published_r2
    # Bounds keep the fit from the published value, which is then left alone.
    bound = [Constant("a", (3.0,)), Constant("b", (1.0,), low=0.9)]
    with pytest.raises(InputError, match="out of bounds"):
        refit(law, bound, {"a": 3.0, "b": 0.8}, records, LOG)
    nowhere = refit(law, constants, {"a": -3.0, "b": 0.8}, records, LOG, starts=20)
    assert nowhere.published_r2 is None
    assert nowhere.refit_r2 == pytest.approx(better.refit_r2)


def test_published_constants_that_are_the_optimum_stay() -> None:
    x = np.linspace(1, 9, 30)
    records = records_of({"x": x}, 3 * x + np.where(np.arange(30) % 2, 0.5, -0.5))
    best = fit(parse_infix("a*x"), [Constant("a", (1.0,))], records, LINEAR)
    again = refit(parse_infix("a*x"), [Constant("a", (1.0,))], best.values(SINGLE), records, LINEAR)
    assert again.refit_r2 == pytest.approx(best.r2, rel=1e-14)
    assert again.fit.values(SINGLE)["a"] == pytest.approx(best.values(SINGLE)["a"], rel=1e-12)


def test_groups_below_eight_rows_are_dropped() -> None:
    labels = ["a"] * 8 + ["b"] * 7
    kept, dropped = usable(records_of({"x": np.arange(15.0)}, np.arange(15.0), labels))
    assert list(kept.group_rows()) == ["a"]
    assert dropped == {"b": 7}
    with pytest.raises(InputError, match="none of 1 groups"):
        usable(records_of({"x": np.arange(7.0)}, np.arange(7.0), ["b"] * 7))


@pytest.mark.parametrize(
    ("constants", "problem"),
    [
        ([Constant("a", (1.0,))], "not those declared"),
        ([Constant("a", (1.0,)), Constant("b", (1.0, 2.0))], "as many starts"),
        ([Constant("a", (1.0,)), Constant("b", (1.0,)), Constant("c", (1.0,))], "not those"),
        ([Constant("a", (1.0,)), Constant("x", (1.0,))], "not distinct"),
        ([Constant("a", (1.0,)), Constant("b", (1.0,), "per_group")], "without groups"),
        ([Constant("a", (1.0,)), Constant("b", (1.0,), low=2.0)], "out of bounds"),
    ],
)
def test_constants_that_do_not_agree_are_refused(constants: list[Constant], problem: str) -> None:
    records = records_of({"x": np.arange(1.0, 9.0)}, np.arange(1.0, 9.0))
    with pytest.raises(InputError, match=problem):
        fit(parse_infix("a*x**b"), constants, records, LINEAR)


def test_more_rows_than_are_searched_end_at_the_same_constants() -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(1, 9, 20_000)
    y = 3 * x**0.8 * np.exp(0.1 * rng.standard_normal(len(x)))
    found = fit(
        parse_infix("a*x**b"),
        [Constant("a", (1.0,)), Constant("b", (1.0,))],
        records_of({"x": x}, y),
        LOG,
    )
    line = np.polyfit(np.log10(x), np.log10(y), 1)
    assert found.values(SINGLE)["b"] == pytest.approx(line[0], rel=1e-9)
    assert found.values(SINGLE)["a"] == pytest.approx(10 ** line[1], rel=1e-9)


def test_a_looser_fit_has_the_same_constants_to_fewer_digits() -> None:
    records = grouped(np.random.default_rng(7), groups=3)
    exact = fit(MIXED, CONSTANTS, records, LINEAR)
    loose = fit(MIXED, CONSTANTS, records, LINEAR, 1, 1e-8)
    assert loose.sum_of_squares == pytest.approx(exact.sum_of_squares, rel=1e-6)
    for label, own in exact.constants.items():
        for name, estimate in own.items():
            assert loose.constants[label][name].value == pytest.approx(estimate.value, rel=1e-4)
