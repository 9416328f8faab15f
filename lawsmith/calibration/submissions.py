"""Submissions of Parallel and Real tasks: expressions with declared constants, no code.

A law is over the controls and the constants that it declares. The readout, the group and
whatever else a table has are no inputs, so no submission can hand a column back.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from lawsmith.calibration.fitting import Constant
from lawsmith.errors import InputError
from schemas.calibrated_task import CalibratedSubmission, CalibratedTask, RealTask
from schemas.expression import Expression, names_of, node_count, substitute
from schemas.problem import RESERVED

NO_CONSTANT: Final = RESERVED | {"group", "groups"}
"""Names that mean something else where laws are fitted."""


@dataclass(frozen=True, slots=True)
class SubmittedLaw:
    """An admissible submission as the scorer takes it."""

    law: Expression
    shared: Mapping[str, float]
    local: tuple[Constant, ...]
    """Fitted in each group, as constants of one table."""

    def closed(self, local: Mapping[str, float]) -> Expression:
        """The law over the controls alone, with the constants of one group."""
        return substitute(self.law, {**self.shared, **local})

    @property
    def constants(self) -> tuple[Constant, ...]:
        """All constants, the shared ones fixed."""
        fixed = tuple(Constant(name, fixed=value) for name, value in self.shared.items())
        return (*fixed, *self.local)


def admissible(submission: CalibratedSubmission, task: CalibratedTask) -> SubmittedLaw:
    """The law of a submission, if it may stand for the task at all.

    Caps on the number of constants are judged apart (`discipline.broken_caps`).

    Raises:
        InputError: another task, too many nodes, a name that is neither a control nor a
            declared constant, a constant that is unused, declared twice or called like a
            column, local constants without groups or with starts that do not fit, or queries
            of a world that there is not.
    """
    if submission.task_id != task.id:
        raise InputError(f"{submission.task_id!r} is not task {task.id!r}", path="task_id")
    nodes = node_count(submission.expression)
    if nodes > task.max_nodes:
        raise InputError(f"{nodes} nodes, more than {task.max_nodes}", path="expression")
    if isinstance(task, RealTask) and submission.calls:
        raise InputError("a Real task has no world to ask", path="calls")
    controls = [control.name for control in task.controls]
    _check_names(submission, controls, task.readout.name)
    if submission.local and not task.groups:
        raise InputError(
            "this task has no groups, so nothing is fitted",
            path="local",
            fix="give the values under `shared`",
        )
    return SubmittedLaw(submission.expression, submission.shared, _local(submission))


def _check_names(submission: CalibratedSubmission, controls: list[str], readout: str) -> None:
    local = [constant.name for constant in submission.local]
    declared = [*submission.shared, *local]
    twice = sorted(name for name in set(declared) if declared.count(name) > 1)
    if twice:
        raise InputError(f"constant {twice[0]!r} is declared twice", path="local")
    taken = sorted(set(declared) & {*controls, readout, *NO_CONSTANT})
    if taken:
        raise InputError(f"no constant may be called {taken[0]!r}", path="shared")
    used = names_of(submission.expression)
    foreign = sorted(used - set(controls) - set(declared))
    if foreign:
        raise InputError(
            f"uses {foreign[0]!r}; its inputs are {controls} and its constants {sorted(declared)}",
            path="expression",
        )
    unused = sorted(set(declared) - used)
    if unused:
        raise InputError(f"the expression does not use constant {unused[0]!r}", path="shared")


def _local(submission: CalibratedSubmission) -> tuple[Constant, ...]:
    found: list[Constant] = []
    for place, constant in enumerate(submission.local):
        path = f"local/{place}"
        if len(constant.starts) != len(submission.local[0].starts):
            raise InputError(
                f"{constant.name!r} has {len(constant.starts)} starts and"
                f" {submission.local[0].name!r} {len(submission.local[0].starts)}",
                path=f"{path}/starts",
            )
        low, high = constant.low, constant.high
        if low is not None and high is not None and not low < high:
            raise InputError(f"low {low!r} is not below high {high!r}", path=path)
        for start in constant.starts:
            if (low is not None and start < low) or (high is not None and start > high):
                raise InputError(f"start {start!r} is out of bounds", path=f"{path}/starts")
        found.append(Constant(constant.name, constant.starts, "shared", None, low, high))
    return tuple(found)


__all__ = ("NO_CONSTANT", "SubmittedLaw", "admissible")
