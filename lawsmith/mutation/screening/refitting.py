"""The refit of a law's form to other values: every constant free, by variable projection.

Constants that enter linearly are solved for exactly at every step (Golub and Pereyra, SIAM J.
Numer. Anal. 10, 413, 1973), so that zero and either sign are as near as any value. The others,
the curved ones, are searched for: each alone from zero over twelve decades of both signs, all
together from plain Sobol points, and from the law's own values a little apart, where constants
that are equal or idle in the law are so no longer. The best starts are followed by
Levenberg-Marquardt. Nothing is keyed.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np
import scipy
from numpy.typing import NDArray

from lawsmith.expressions import evaluate_where_defined
from lawsmith.measurement import HOPELESS, Controlled, Points, columns
from lawsmith.mutation.laws import LawForm
from lawsmith.mutation.screening.constants import allowed, independent, slopes
from schemas.expression import Expression, Op, Var
from schemas.family import FamilyReadout

Floats = NDArray[np.float64]

ROWS: Final = 128
"""Points that a refit is made on."""
_SCREENED: Final = 32
"""Points that starts are compared on."""
_APART: Final = (0.07, 0.01)
"""How far off the law's own values its constants are looked at for what can be told apart."""
_FACTORS: Final = np.unique(
    np.concatenate([10.0 ** np.linspace(-6, 6, 25), np.arange(0.1, 4, 0.1), np.arange(4, 12, 0.25)])
)
"""Even steps find frequencies and centres, decades find scales."""
_SOBOL: Final = 6
"""Power of two of the number of Sobol starts."""
_SOBOL_DECADES: Final = 1.5
_FLIPPED: Final = 0.25
"""Share of Sobol starts with a constant's sign turned."""
_FOLLOWED: Final = 8
_FIRST_STEPS: Final = 12
_POLISHED: Final = 3
_LAST_STEPS: Final = 100
_LIKE: Final = 0.2
"""Starts are alike when all their constants agree within this share."""
_STEP: Final = 2.0**-26
_LEAST_SHARE: Final = 1e-9
"""Share of a constant's own value below which it is zero to a difference's step."""
_STEEP: Final = 1e100
"""Where slopes are cut off: a descent takes only finite ones."""
_NOTHING: Final = 1e-100
"""Tolerances below which a column is none."""
_RANK: Final = 1e-12
_ACCURACY: Final = 1e-12


class Refit:
    """A form that is to reach the values of another law.

    Args:
        form: with its constants named.
        controls: the axes of the points.
        points: the dense design, shape (n, controls).
        truth: the other law's values there, shape (n,).
        readout: whose tolerances are the unit.
    """

    def __init__(
        self,
        form: LawForm,
        controls: Sequence[Controlled],
        points: Points,
        truth: Floats,
        readout: FamilyReadout,
    ) -> None:
        self._form = form.expression
        linear = linear_constants(form)
        order = (*linear, *(name for name in form.values if name not in linear))
        kept = _told_apart(form, order, controls, points, readout)
        self._linear = tuple(name for name in linear if name in kept)
        self._curved = tuple(name for name in kept if name not in linear)
        self._values = form.values
        self._sizes = np.abs([form.values[name] for name in self._curved])
        stride = max(1, len(points) // ROWS)
        self._inputs = columns(controls, points[::stride])
        self._truth = truth[::stride]
        self._scale = allowed(readout, self._truth)

    def constants(self) -> Iterator[dict[str, float]]:
        """Sets of all constants at which a search ends, the most promising starts first."""
        own = np.array([self._values[name] for name in self._curved])
        if not self._curved or len(self._truth) < len(self._curved) + len(self._linear):
            yield self._all(own)
            return
        starts = self._starts(own)
        followed = [self._followed(start, _FIRST_STEPS) for start in starts]
        followed.sort(key=lambda found: found[0])
        for _, start in followed[:_POLISHED]:
            yield self._all(self._followed(start, _LAST_STEPS)[1])

    def _all(self, curved: Floats) -> dict[str, float]:
        """Every constant: the curved as given, the linear solved for, the held as they are."""
        found = dict(self._values)
        found.update(zip(self._curved, curved.tolist(), strict=True))
        solution, _ = self._solved(*self._system(curved[None], slice(None)))
        own = np.array([self._values[name] for name in self._linear])
        found.update(zip(self._linear, (solution[0] * own).tolist(), strict=True))
        return found

    def _starts(self, own: Floats) -> list[Floats]:
        """The best of all starts, unlike each other, and the law's own values a little apart."""
        tried = np.vstack([self._alone(own), _together(own)])
        stride = max(1, len(self._truth) // _SCREENED)
        offset, matrix = self._system(tried, slice(None, None, stride))
        _, rest = self._solved(offset, matrix, rough=True)
        costs = np.mean(rest**2, axis=1)
        # Near-ties must not turn on the last bits of float64.
        order = np.argsort(np.array([float(f"{cost:.6g}") for cost in costs]), kind="stable")
        found = [own * (1 + _apart(len(own)))]
        for place in order.tolist():
            start = tried[place]
            if costs[place] < HOPELESS and not any(_alike(start, other) for other in found):
                found.append(start)
            if len(found) > _FOLLOWED:
                break
        return found

    def _alone(self, own: Floats) -> Floats:
        """Each curved constant alone at zero and at many sizes of both signs."""
        factors = np.concatenate([[0.0], _FACTORS, -_FACTORS])
        tried = np.tile(own, (len(own), len(factors), 1))
        for place in range(len(own)):
            tried[place, :, place] *= factors
        found: Floats = tried.reshape(-1, len(own))
        return found

    def _followed(self, start: Floats, steps: int) -> tuple[float, Floats]:
        """(mean square of the residuals, curved constants) where a descent ends."""
        found = scipy.optimize.least_squares(
            self._residuals,
            start,
            self._jacobian,
            method="lm",
            x_scale=np.where(start == 0.0, self._sizes, np.abs(start)),
            xtol=_ACCURACY,
            ftol=_ACCURACY,
            gtol=_ACCURACY,
            max_nfev=steps,
        )
        return float(np.mean(found.fun**2)), np.asarray(found.x, dtype=np.float64)

    def _residuals(self, curved: Floats) -> Floats:
        found: Floats = self._solved(*self._system(curved[None], slice(None)))[1][0]
        return found

    def _jacobian(self, curved: Floats) -> Floats:
        steps = _STEP * np.maximum(np.abs(curved), _LEAST_SHARE * self._sizes)
        moved = np.vstack([curved, curved + np.diag(steps)])
        rest = self._solved(*self._system(moved, slice(None)))[1]
        with np.errstate(over="ignore"):
            found: Floats = np.clip((rest[1:] - rest[0]) / steps[:, None], -_STEEP, _STEEP).T
        return found

    def _system(self, curved: Floats, rows: slice) -> tuple[Floats, Floats]:
        """(what the linear constants must add, their columns), in tolerances.

        Args:
            curved: sets of curved constants, shape (sets, curved).
            rows: which of the points.

        Returns:
            Shapes (sets, n) and (sets, n, linear); a column is for the constant's own value.
        """
        count = len(self._linear)
        given: dict[str, Floats | float] = {**self._values}
        given |= {name: column[rows] for name, column in self._inputs.items()}
        given |= {name: curved[:, i, None, None] for i, name in enumerate(self._curved)}
        for i, name in enumerate(self._linear):
            alone = np.zeros((count + 1, 1))
            alone[i + 1] = self._values[name]
            given[name] = alone
        truth, scale = self._truth[rows], self._scale[rows]
        table = evaluate_where_defined(self._form, given)
        table = np.broadcast_to(table, (len(curved), count + 1, len(truth)))
        with np.errstate(over="ignore", invalid="ignore"):
            matrix = (table[:, 1:] - table[:, :1]) / scale
            offset = (truth - table[:, 0]) / scale
        return offset, np.swapaxes(matrix, 1, 2)

    def _solved(
        self, offset: Floats, matrix: Floats, *, rough: bool = False
    ) -> tuple[Floats, Floats]:
        """(linear constants over their own values, residuals), shapes (sets, linear), (sets, n).

        A set without a value at some point has the residuals `HOPELESS`.

        Args:
            offset: as `_system` gives it.
            matrix: likewise.
            rough: by normal equations, half the digits in a fraction of the time.
        """
        lost = ~(np.isfinite(offset).all(axis=1) & np.isfinite(matrix).all(axis=(1, 2)))
        lost |= np.abs(offset).max(axis=1) > HOPELESS
        offset, matrix = (
            np.where(lost[:, None], 0.0, offset),
            np.where(lost[:, None, None], 0.0, matrix),
        )
        size = np.abs(matrix).max(axis=1, initial=0.0)
        size[size < _NOTHING] = 1.0
        # Smaller numbers are lost beside the others, and have no inverse.
        scaled = matrix / size[:, None, :]
        scaled[np.abs(scaled) < _NOTHING] = 0.0
        if rough:
            turned = np.swapaxes(scaled, 1, 2)
            inverse = np.linalg.pinv(turned @ scaled, rcond=_RANK, hermitian=True) @ turned
        else:
            inverse = np.linalg.pinv(scaled, rcond=_RANK)
        solution = (inverse @ offset[:, :, None])[:, :, 0]
        rest = np.einsum("snl,sl->sn", scaled, solution) - offset
        rest = np.where(lost[:, None], HOPELESS, np.clip(rest, -HOPELESS, HOPELESS))
        with np.errstate(over="ignore"):
            return np.clip(solution / size, -_STEEP, _STEEP), rest


def linear_constants(form: LawForm) -> tuple[str, ...]:
    """The largest set of constants, of those grown from each, that enters jointly affinely."""
    best: tuple[str, ...] = ()
    names = tuple(form.values)
    for first in names:
        chosen: tuple[str, ...] = ()
        for name in (first, *names):
            if name not in chosen and _degree(form.expression, frozenset({*chosen, name})) <= 1:
                chosen = (*chosen, name)
        if len(chosen) > len(best):
            best = chosen
    return best


def _degree(node: Expression, names: frozenset[str]) -> float:
    """The degree of a node as a polynomial in the names; infinite where it is none."""
    if isinstance(node, Var):
        return float(node.var in names)
    if not isinstance(node, Op):
        return 0.0
    parts = [_degree(arg, names) for arg in node.args]
    if node.op in ("add", "sub", "neg"):
        return max(parts)
    if node.op == "mul":
        return sum(parts)
    if node.op == "div" and not parts[1]:
        return parts[0]
    return np.inf if any(parts) else 0.0


def _told_apart(
    form: LawForm,
    order: Sequence[str],
    controls: Sequence[Controlled],
    points: Points,
    readout: FamilyReadout,
) -> tuple[str, ...]:
    """The constants that can be told apart somewhere, so that holding the others loses nothing.

    Constants that depend on each other in the law itself, as two equal ones may, need not do so
    beside it.
    """
    best: tuple[str, ...] = ()
    for share in (*_APART, 0.0):
        values = _moved(form.values, share)
        found = slopes(form.expression, values, order, controls, points, readout)
        if len(found) >= 2 * len(order):
            kept = independent(order, found)
            best = kept if len(kept) > len(best) else best
    return best or tuple(order)


def _moved(values: Mapping[str, float], share: float) -> dict[str, float]:
    apart = _apart(len(values)) / _APART[0] * share
    return {name: v * (1 + d) for (name, v), d in zip(values.items(), apart.tolist(), strict=True)}


def _apart(count: int) -> Floats:
    """Unlike shares up to `_APART[0]` either way."""
    golden = np.modf(0.6180339887498949 * np.arange(1, count + 1))[0]
    found: Floats = _APART[0] * (2 * golden - 1)
    return found


def _together(own: Floats) -> Floats:
    """Sobol points around the law's own values, some with signs turned."""
    unit = scipy.stats.qmc.Sobol(2 * len(own), scramble=False).random_base2(_SOBOL)[1:]
    sizes, turned = np.split(unit, 2, axis=1)
    signs = np.where(turned < _FLIPPED, -1.0, 1.0)
    found: Floats = own * signs * 10.0 ** (_SOBOL_DECADES * (2 * sizes - 1))
    return found


def _alike(one: Floats, other: Floats) -> bool:
    return bool((np.abs(one - other) <= _LIKE * np.maximum(np.abs(one), np.abs(other))).all())


__all__ = ("ROWS", "Refit", "linear_constants")
