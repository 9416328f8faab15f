"""Was the law recovered? Equality, form and constants of a predictor against sealed laws."""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import count
from typing import Final, Literal

from lawsmith.errors import LawsmithError
from lawsmith.evaluation.dense import beyond_tolerance
from lawsmith.evaluation.predictors import Predictor
from lawsmith.expressions import (
    Verdict,
    equivalent,
    evaluate_exact,
    fold_constants,
    literal_paths,
    replace_literals,
    same_form,
)
from lawsmith.expressions.equality import TooCloseToCallError, determined, ulps_apart
from lawsmith.mutation.laws import folded
from schemas.card import Choices, Domain
from schemas.expression import Expression, Op, Var, names_of, substitute, walk
from schemas.task import PublicTask, SealedKey, SealedLaw

ROUNDING: Final = 4.0
"""Units in the last place by which the constants of an equal law may be off."""

AMPLIFIED: Final = 4096.0
"""The same for the world's own constants where the predictor's are within `ROUNDING` of exact.

One way of writing may amplify the rounding of another: a rate at a reference temperature is
right to its last digit and still puts the prefactor of the law off by a hundred.
"""

Answer = Literal["yes", "no", "undecided"]
Clock = Callable[[], float]
Axes = tuple[tuple[str, Domain], ...]
_NamedDomain = dict[str, Mapping[str, float | list[float]]]


class TimeLimitError(LawsmithError, TimeoutError):
    """A guard fired: the episode is not scored, and is to be scored again."""


@dataclass(frozen=True)
class Judgement:
    """How a predictor compares with the sealed laws, beyond its numbers."""

    equal: Answer
    """Whether it is the law as the world computes it, but for the rounding of constants."""
    form: Answer
    """Whether it is so but for the values of constants; an equal law has the form."""
    within: bool
    """e <= 1 on the dense design too; only read where the form is the same."""
    reason: str


@dataclass(frozen=True)
class _Compared:
    equal: Answer
    form: Answer
    reason: str


def judge(
    predictor: Predictor,
    task: PublicTask,
    key: SealedKey,
    *,
    accurate: bool,
    clock: Clock = time.thread_time,
) -> Judgement:
    """Equality, form and constants of a predictor against the sealed laws.

    A law is equal when `equivalent` says so of the law as the world computes it, unfolded; or
    when it has the form and rounding alone is between the two: constants within 4 units in the
    last place, in the law's own way of writing or in the predictor's, make them the same
    function. So a law counts whether its numbers are derived as in the source or folded to
    float64. An equal law has the form and is within tolerance by definition.

    Args:
        predictor: readout -> expression, in the order of the task's readouts.
        task: the public task.
        key: its sealed key.
        accurate: whether every e at the hidden inputs is at most 1. Equality and the dense
            design are only asked for where it is: a law that differs by more than its tolerance
            somewhere is not the same law.
        clock: CPU seconds of this thread, for the guard of comparisons alone.

    Raises:
        TimeLimitError: a comparison's guard fired.
    """
    domain = tuple((control.name, control.domain) for control in task.controls)
    laws = {law.readout: law for law in key.laws}
    equal: Answer = "yes" if accurate else "no"
    form: Answer = "yes"
    reasons: list[str] = []
    for name, expression in predictor.items():
        compared = _compared(expression, laws[name], domain, equal != "no", clock)
        equal, form = _both(equal, compared.equal), _both(form, compared.form)
        if compared.reason:
            reasons.append(f"{name}: {compared.reason}")
        if form == "no":
            # What is not of the law's form is not the law.
            return Judgement(equal="no", form="no", within=False, reason="; ".join(reasons))
    within = equal == "yes"
    if accurate and not within:
        beyond = beyond_tolerance(predictor, task, key)
        within = beyond is None
        reasons += [] if beyond is None else [f"beyond tolerance on the dense design: {beyond}"]
    return Judgement(equal=equal, form=form, within=within, reason="; ".join(reasons))


# A comparison is a function of its arguments alone, and the Identification and Discovery tasks
# of a world ask the same question of a player that answers both alike.
@lru_cache(maxsize=4096)
def _compared(
    one: Expression, law: SealedLaw, domain: Axes, whether_equal: bool, clock: Clock
) -> _Compared:
    named = _domain(domain)
    doubt = ""
    if whether_equal:
        verdict = _settled(partial(equivalent, one, law.expression, named, clock=clock))
        if verdict.equal:
            return _Compared("yes", "yes", "")
        if verdict.verdict == "undecided":
            doubt = f"equivalence undecided ({verdict.reason})"
    target, free = target_form(law, domain)
    likeness = _settled(partial(same_form, fold_constants(one), target, free, named, clock=clock))
    if likeness.verdict == "different":
        return _Compared("no", "no", f"form different ({likeness.reason})")
    if likeness.verdict == "undecided":
        equal: Answer = "undecided" if doubt else "no"
        reasons = f"form undecided ({likeness.reason})", doubt
        return _Compared(equal, "undecided", "; ".join(filter(None, reasons)))
    if not whether_equal:
        return _Compared("no", "yes", "")
    equal = _but_for_rounding(one, law, domain, clock)
    return _Compared(equal, "yes", doubt if equal == "undecided" else "")


def _but_for_rounding(one: Expression, law: SealedLaw, domain: Axes, clock: Clock) -> Answer:
    """Whether constants a few units in the last place off make two laws of one form the same."""
    own, target = folded(one), target_form(law, domain)
    if own == target[0]:
        # Folding rounds each constant once.
        return "yes"
    apart = partial(_apart, a=one, b=law.expression, domain=_domain(domain), clock=clock)
    try:
        far = apart(*target)
        if far <= ROUNDING:
            return "yes"
        if far > AMPLIFIED:
            return "no"
        return "yes" if apart(own, _open_literals(own)) <= ROUNDING else "no"
    except TooCloseToCallError:
        return "undecided"


def _apart(
    form: Expression,
    free: Sequence[str],
    *,
    a: Expression,
    b: Expression,
    domain: _NamedDomain,
    clock: Clock,
) -> float:
    try:
        return ulps_apart(form, free, a, b, domain, clock=clock)
    except TooCloseToCallError as error:
        if str(error) == "time_limit":
            raise _out_of_time() from error
        raise


@lru_cache(maxsize=1024)
def target_form(law: SealedLaw, domain: Axes) -> tuple[Expression, tuple[str, ...]]:
    """A sealed law with constants folded, and JSON Pointers of those that are free.

    An exponent that holds one of the law's constants is one number and free, whatever it is
    made of; every other exponent of something that varies stays as it is. Where folding would
    lose a constant that is one or zero in this world alone (a ratio of two that are equal), the
    law is not folded.
    """
    flagged = set(law.constants)
    exponents: dict[str, Expression] = {}
    names = (n for i in count() if (n := f"exponent_{i}") not in names_of(law.expression))

    def marked(node: Expression, path: str) -> Expression:
        if not isinstance(node, Op):
            return node
        args = [marked(arg, f"{path}/args/{i}") for i, arg in enumerate(node.args)]
        if node.op == "pow" and names_of(node.args[0]) and not names_of(node.args[1]):
            held = {inner for inner, _ in walk(node.args[1], f"{path}/args/1")}
            if held & flagged:
                name = next(names)
                exponents[name] = evaluate_exact(node.args[1], {})
                args[1] = Var(name)
        return Op(node.op, tuple(args))

    named = marked(law.expression, "")
    short = folded(named)
    other = {
        path: node * (1.0 + 2.0**-10 * math.sqrt(i + 2.0))
        for i, (path, node) in enumerate(walk(named))
        if path in flagged and isinstance(node, float)
    }
    form = substitute(short, exponents)
    places = {p for p, node in walk(short) if isinstance(node, Var) and node.var in exponents}
    places |= set(literal_paths(form))
    free = tuple(path for path, _ in walk(form) if path in places)
    if len(literal_paths(folded(replace_literals(named, other)))) > len(literal_paths(short)):
        whole = determined(law.expression, law.constants, _domain(domain))
        if whole is not None and whole > (determined(form, free, _domain(domain)) or 0):
            return law.expression, law.constants
    return form, free


def _open_literals(law: Expression) -> list[str]:
    """The constants of a predictor; a whole exponent is none."""
    found = list(literal_paths(law))
    for path, node in walk(law):
        if isinstance(node, Op) and node.op == "pow" and names_of(node.args[0]):
            exponent = node.args[1]
            if isinstance(exponent, float) and not exponent.is_integer():
                found.append(f"{path}/args/1")
    return found


def _settled(compare: Callable[..., Verdict]) -> Verdict:
    """The verdict of a comparison whose guard did not fire."""
    verdict = compare()
    if verdict.reason == "time_limit":
        raise _out_of_time()
    return verdict


def _out_of_time() -> TimeLimitError:
    return TimeLimitError(
        "the guard of a comparison fired before its counted work was done",
        fix="score the episode again",
    )


def _domain(axes: Axes) -> _NamedDomain:
    return {
        name: {"choices": list(domain.choices)}
        if isinstance(domain, Choices)
        else {"low": domain.low, "high": domain.high}
        for name, domain in axes
    }


def _both(one: Answer, other: Answer) -> Answer:
    if "no" in (one, other):
        return "no"
    return "undecided" if "undecided" in (one, other) else "yes"


__all__ = ("Answer", "Clock", "Judgement", "TimeLimitError", "judge", "target_form")
