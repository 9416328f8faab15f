"""One episode's dealings with the Oracle: budget, history, diagnostics without data."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from lawsmith.errors import UndefinedValueError
from lawsmith.measurement import admissible
from lawsmith.oracle.simulator import Simulator
from schemas.card import Choices
from schemas.family import FamilyControl
from schemas.task import PublicTask

MOST_REJECTED: Final = 20
"""So many rejected proposals in a row end the episode."""
NO_READING: Final = "the world has no reading at this input"
"""The diagnostic where a law has no value; like every rejection it costs nothing."""

MOST_SHOWN: Final = 80
"""Characters of a name that are kept or shown."""

NO_EXPERIMENTS: Final = "this protocol takes no experiments; complete with a predictor"
NO_MOVE: Final = "an action is either a proposal or a completion"

Ended = Literal["open", "capped", "rejections", "closed"]


@dataclass(frozen=True)
class Answer:
    """What the Oracle says to one proposal: observations, or a diagnostic without data."""

    accepted: bool
    outputs: dict[str, float]
    """Readout -> observation; empty when rejected."""
    diagnostic: str | None
    ended: Ended
    """Whether the session takes further proposals after this one."""


@dataclass(frozen=True)
class Exchange:
    """One proposal and its answer, as they stand in the history; of a rejected one an excerpt."""

    inputs: dict[str, float]
    readouts: tuple[str, ...]
    answer: Answer


@dataclass
class Session:
    """The experiments of one episode. Not thread-safe: its owner keeps a lock."""

    task: PublicTask
    simulator: Simulator
    budget: int
    """Accepted proposals at most."""
    accepted: int = 0
    rejected: int = 0
    history: list[Exchange] = field(default_factory=list)
    ended: Ended = "open"
    experiments: bool = True
    """False under the protocols that take none: every proposal is rejected."""
    beyond: bool = False
    """A proposal came after the cap: the episode is over, without a completion."""
    _in_a_row: int = 0

    @property
    def over(self) -> bool:
        """Whether the episode has ended, so that nothing can be completed any more."""
        return self.beyond or self.ended in ("rejections", "closed")

    def propose(self, inputs: Mapping[str, object], readouts: Sequence[object]) -> Answer:
        """The answer to one experiment: one input vector, a non-empty set of readouts.

        A proposal that breaks a rule, or asks where the law has no value, is counted apart and
        answered with a diagnostic that holds no data; 20 of them in a row end the session.
        """
        if self.ended != "open":
            self.beyond = self.beyond or self.ended == "capped"
            return Answer(False, {}, f"the session has ended ({self.ended})", self.ended)
        problem = (
            check_proposal(self.task, inputs, readouts) if self.experiments else NO_EXPERIMENTS
        )
        if problem is None:
            answer = self._observe(_numbers(inputs), tuple(str(name) for name in readouts))
        else:
            answer = self._reject(problem)
        self._keep(inputs, readouts, answer)
        return answer

    def refuse(self) -> Answer:
        """The answer to an action that is neither a proposal nor a completion: a rejection."""
        if self.ended != "open":
            return self.propose({}, [])
        answer = self._reject(NO_MOVE)
        self._keep({}, (), answer)
        return answer

    def restore(
        self, inputs: Mapping[str, float], readouts: Sequence[str], outputs: Mapping[str, float]
    ) -> None:
        """Take an exchange back from the log that was answered before."""
        answer = self._accept(dict(outputs))
        self._keep(inputs, readouts, answer)

    def restore_rejection(self, diagnostic: str) -> None:
        """Take a rejection back from the log; one after the cap ends the episode."""
        if self.ended != "open":
            self.beyond = self.beyond or self.ended == "capped"
            return
        self._keep({}, (), self._reject(diagnostic))

    def _keep(
        self, inputs: Mapping[str, object], readouts: Sequence[object], answer: Answer
    ) -> None:
        """A rejected proposal may be anything: no more of it is kept than a task has names."""
        most = len(self.task.controls)
        numbers = list(_numbers(inputs).items())[:most]
        kept = {str(name)[:MOST_SHOWN]: value for name, value in numbers}
        asked = tuple(str(name)[:MOST_SHOWN] for name in readouts[: len(self.task.readouts)])
        self.history.append(Exchange(kept, asked, answer))

    def close(self) -> None:
        """The session takes no more proposals."""
        if self.ended == "open":
            self.ended = "closed"

    def _observe(self, inputs: dict[str, float], readouts: tuple[str, ...]) -> Answer:
        try:
            outputs = self.simulator.observe(inputs, readouts)
        except UndefinedValueError:
            # The engine's own words may hold the law's value.
            return self._reject(NO_READING)
        return self._accept(outputs)

    def _accept(self, outputs: dict[str, float]) -> Answer:
        self.accepted += 1
        self._in_a_row = 0
        if self.accepted >= self.budget:
            self.ended = "capped"
        return Answer(True, outputs, None, self.ended)

    def _reject(self, problem: str) -> Answer:
        self.rejected += 1
        self._in_a_row += 1
        if self._in_a_row >= MOST_REJECTED:
            self.ended = "rejections"
        return Answer(False, {}, problem, self.ended)


def check_proposal(
    task: PublicTask, inputs: Mapping[str, object], readouts: Sequence[object]
) -> str | None:
    """What is wrong with a proposal, the first fault in a sentence, or None.

    Unknown, missing and extra controls, values that are no finite numbers, values outside
    the domain, broken constraints, empty, repeated or unknown readouts.
    """
    return (
        _check_names(task, inputs)
        or next(filter(None, (_check_value(c, inputs[c.name]) for c in task.controls)), None)
        or _check_constraints(task, inputs)
        or _check_readouts(task, readouts)
    )


def _check_names(task: PublicTask, inputs: Mapping[str, object]) -> str | None:
    names = [control.name for control in task.controls]
    unknown = sorted(set(inputs) - set(names))
    if unknown:
        return f"unknown control {str(unknown[0])[:80]!r}; the controls are {', '.join(names)}"
    missing = [name for name in names if name not in inputs]
    if missing:
        return f"control {missing[0]!r} has no value; every control needs one"
    return None


def _check_value(control: FamilyControl, value: object) -> str | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return f"control {control.name!r} is {str(value)[:40]!r}, not a number"
    if not _finite(value):
        return f"control {control.name!r} is not a finite number"
    domain = control.domain
    if isinstance(domain, Choices):
        if float(value) not in domain.choices:
            return (
                f"control {control.name!r} = {float(value)!r} is not one of"
                f" {list(domain.choices)} {control.unit}"
            )
    elif not domain.low <= value <= domain.high:
        return (
            f"control {control.name!r} = {float(value)!r} is outside"
            f" [{domain.low!r}, {domain.high!r}] {control.unit}"
        )
    return None


def _check_constraints(task: PublicTask, inputs: Mapping[str, object]) -> str | None:
    numbers = _numbers(inputs)
    point = [numbers[control.name] for control in task.controls]
    for constraint in task.constraints:
        if not admissible(task.controls, (constraint,), point):
            return f"a joint condition is not met: {constraint.meaning}"
    return None


def _check_readouts(task: PublicTask, readouts: Sequence[object]) -> str | None:
    names = [readout.name for readout in task.readouts]
    if not readouts:
        return f"no readout is asked for; the readouts are {', '.join(names)}"
    for name in readouts:
        if name not in names:
            return f"unknown readout {str(name)[:80]!r}; the readouts are {', '.join(names)}"
    if len(set(readouts)) != len(readouts):
        return "a readout is asked for twice"
    return None


def _finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _numbers(inputs: Mapping[str, object]) -> dict[str, float]:
    return {
        name: float(value)
        for name, value in inputs.items()
        if isinstance(value, int | float) and not isinstance(value, bool) and _finite(value)
    }


__all__ = (
    "MOST_REJECTED",
    "NO_EXPERIMENTS",
    "NO_MOVE",
    "Answer",
    "Ended",
    "Exchange",
    "Session",
    "check_proposal",
)
