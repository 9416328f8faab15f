"""Whether linear conditions contradict each other: Fourier-Motzkin elimination, exactly.

Monomials count as independent unknowns, so that a contradiction holds for their real values
too: x > y, y > z and z > x cannot be, whatever the names mean.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias

from flint import fmpq

Form: TypeAlias = Mapping[Any, Any]
"""Unknown -> coefficient; the unknown `()` is the constant 1."""

MOST_FORMS: Final = 60


def contradict(forms: Iterable[Form]) -> bool:
    """Whether no values of the unknowns make every form > 0.

    Args:
        forms: sums of unknowns times numbers; too many give up, which proves nothing.
    """
    live = [{unknown: c for unknown, c in form.items() if c} for form in forms]
    while True:
        if any(not (form.keys() - {()}) and form.get((), fmpq(0)) <= 0 for form in live):
            return True
        unknown = _cheapest(live)
        if unknown is None:
            return False
        live = _eliminated(live, unknown)
        if len(live) > MOST_FORMS:
            return False


def _cheapest(live: list[dict[Any, Any]]) -> Any | None:
    best: tuple[int, Any] | None = None
    for unknown in dict.fromkeys(unknown for form in live for unknown in form if unknown != ()):
        above = sum(1 for form in live if form.get(unknown, 0) > 0)
        below = sum(1 for form in live if form.get(unknown, 0) < 0)
        if best is None or above * below < best[0]:
            best = above * below, unknown
    return None if best is None else best[1]


def _eliminated(live: list[dict[Any, Any]], unknown: Any) -> list[dict[Any, Any]]:
    kept = [form for form in live if unknown not in form]
    above = [form for form in live if form.get(unknown, 0) > 0]
    below = [form for form in live if form.get(unknown, 0) < 0]
    for one in above:
        for other in below:
            total = {k: c / one[unknown] for k, c in one.items()}
            for k, c in other.items():
                total[k] = total.get(k, fmpq(0)) - c / other[unknown]
            kept.append({k: c for k, c in total.items() if c})
    return kept


__all__ = ("Form", "contradict")
