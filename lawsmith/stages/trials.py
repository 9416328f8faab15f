"""Handing out the trials of a release."""

from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from lawsmith.errors import InputError, PrerequisiteError
from lawsmith.evaluation import effective_budget
from lawsmith.oracle import RandomBytes, hand_out, record_folder, write_tokens
from lawsmith.release.bundle import PublicRelease, read_public
from schemas.episode import Protocol
from schemas.task import Setting
from schemas.trial import Trial, TrialKind, TrialToken


def hand_out_trials(
    release: Path,
    *,
    player: str,
    to: Path,
    repeats: int,
    kind: TrialKind,
    setting: Setting | None,
    protocol: Protocol | None,
    budget: int | None,
    limit: int | None,
    record: Path | None,
    random: RandomBytes,
) -> Sequence[TrialToken]:
    """Make tokens for the tasks of a release, and write them to a file for their player.

    Args:
        release: the release folder; its public tree is enough.
        player: who plays them.
        to: the file of tokens; it must not exist.
        repeats: trials a task.
        kind: of the tasks.
        setting: of paired tasks; None = both.
        protocol: of paired tasks; None = the player chooses.
        budget: as the protocol takes it.
        limit: only the first tasks, by id.
        record: the Oracle's folder; None = the one in the store.
        random: where tokens come from.

    Raises:
        InputError: no such tasks, or the budget does not fit the protocol.
        PrerequisiteError: the file exists, or a folder cannot be written.
    """
    if to.exists():
        raise PrerequisiteError(
            "exists, and may hold tokens that nothing else has", path=str(to), fix="name another"
        )
    public = read_public(release)
    tasks = _tasks(public, kind, setting, protocol, budget)[:limit]
    if not tasks:
        raise InputError(f"the release has no such {kind} tasks", path="kind")
    try:
        trials = [
            Trial(
                task_id=task,
                kind=kind,
                player=player,
                repeat=repeat,
                protocol=protocol,
                budget=budget,
            )
            for task in tasks
            for repeat in range(repeats)
        ]
    except ValidationError as error:
        raise InputError(
            f"{player[:80]!r} is no plain name of 1 to 80 characters", path="player"
        ) from error
    folder = record or record_folder(release)
    made = hand_out(folder, public.manifest.id, trials, random)
    write_tokens(to, made)
    return made


def _tasks(
    public: PublicRelease,
    kind: TrialKind,
    setting: Setting | None,
    protocol: Protocol | None,
    budget: int | None,
) -> list[str]:
    if kind != "paired":
        if setting is not None or protocol is not None or budget is not None:
            raise InputError(
                f"{kind} tasks have no setting, protocol or budget to choose", path="kind"
            )
        return [task.id for task in public.calibrated if task.kind == kind]
    if budget is not None and protocol is None:
        raise InputError("a budget goes with a protocol", path="budget", fix="give --protocol")
    tasks = [task for task in public.tasks if setting in (None, task.setting)]
    if protocol is not None:
        for task in tasks:
            effective_budget(task, protocol, budget)
    return [task.id for task in tasks]


__all__ = ("hand_out_trials",)
