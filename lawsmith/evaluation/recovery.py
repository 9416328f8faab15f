"""Was the law recovered? Form, equivalence and constants of a predictor against sealed laws."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Final, Literal

from lawsmith.errors import LawsmithError
from lawsmith.evaluation.predictors import Predictor
from lawsmith.expressions import Verdict, equivalent, fold_constants, same_form
from schemas.card import Choices, Domain
from schemas.expression import Expression
from schemas.task import ConstantTolerance, PublicTask, SealedKey

TIME_LIMITS: Final = (5.0, 60.0)
"""Seconds of the guard at the first and at the second try; it decides no score."""

Answer = Literal["yes", "no", "undecided"]
Clock = Callable[[], float]
Axes = tuple[tuple[str, Domain], ...]


class TimeLimitError(LawsmithError, TimeoutError):
    """A guard fired twice: the episode is not scored, and is to be scored again."""


@dataclass(frozen=True)
class Judgement:
    """How a predictor compares with the sealed laws, beyond its numbers."""

    equal: Answer
    form: Answer
    within: bool
    """Every constant is within its delta; only read where the form is the same."""
    reason: str


def judge(
    predictor: Predictor,
    task: PublicTask,
    key: SealedKey,
    *,
    accurate: bool,
    clock: Clock = time.monotonic,
) -> Judgement:
    """Form, equivalence and constants of a predictor against the sealed laws.

    Equivalence is only asked for where every e is at most 1: a law that differs by more than
    its tolerance somewhere is not the same law.
    """
    domain = tuple((control.name, control.domain) for control in task.controls)
    laws = {law.readout: law.expression for law in key.laws}
    equal: Answer = "yes" if accurate else "no"
    form: Answer = "yes"
    within = True
    reasons: list[str] = []
    for name, expression in predictor.items():
        tolerances = {c.path: c for c in key.constants if c.readout == name}
        if form != "no":
            found = _alike(expression, laws[name], tuple(tolerances), domain, clock)
            form = _both(form, _answer(found.verdict))
            if found.verdict != "equal":
                reasons.append(f"{name}: form {found.verdict} ({found.reason})")
            beyond = _beyond(found.constant_map or {}, tolerances)
            within = within and not beyond
            reasons += [f"{name}{item}" for item in beyond]
        if equal != "no":
            verdict = _equal(expression, laws[name], domain, clock)
            equal = _both(equal, _answer(verdict.verdict))
            if verdict.verdict == "undecided":
                reasons.append(f"{name}: equivalence undecided ({verdict.reason})")
    return Judgement(equal=equal, form=form, within=within, reason="; ".join(reasons))


def _beyond(
    constants: Mapping[str, float], tolerances: Mapping[str, ConstantTolerance]
) -> list[str]:
    """The constants that lie beyond their deltas, in sentences."""
    return [
        f"{path}: {value!r} is beyond delta of the law's constant"
        for path, value in constants.items()
        if abs(value - tolerances[path].value)
        > tolerances[path].delta * abs(tolerances[path].value)
    ]


# Both comparisons are functions of their arguments alone, and the Identification and Discovery
# tasks of a world ask the same question of a player that answers both alike.
@lru_cache(maxsize=4096)
def _alike(
    one: Expression, law: Expression, paths: tuple[str, ...], domain: Axes, clock: Clock
) -> Verdict:
    folded, named = fold_constants(one), _domain(domain)
    return _settled(partial(same_form, folded, law, list(paths), named, clock=clock))


@lru_cache(maxsize=4096)
def _equal(one: Expression, law: Expression, domain: Axes, clock: Clock) -> Verdict:
    return _settled(partial(equivalent, one, law, _domain(domain), clock=clock))


def _settled(compare: Callable[..., Verdict]) -> Verdict:
    """The verdict of a comparison, asked again with more time where its guard fired."""
    for limit in TIME_LIMITS:
        verdict = compare(time_limit=limit)
        if verdict.reason != "time_limit":
            return verdict
    raise TimeLimitError(
        f"the comparison took longer than {TIME_LIMITS[-1]} s",
        fix="score the episode again on a less busy machine",
    )


def _domain(axes: Axes) -> dict[str, Mapping[str, float | list[float]]]:
    return {
        name: {"choices": list(domain.choices)}
        if isinstance(domain, Choices)
        else {"low": domain.low, "high": domain.high}
        for name, domain in axes
    }


def _answer(verdict: str) -> Answer:
    if verdict == "equal":
        return "yes"
    return "undecided" if verdict == "undecided" else "no"


def _both(one: Answer, other: Answer) -> Answer:
    if "no" in (one, other):
        return "no"
    return "undecided" if "undecided" in (one, other) else "yes"


__all__ = ("Answer", "Clock", "Judgement", "TimeLimitError", "judge")
