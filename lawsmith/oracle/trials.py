"""Handing out trials: tokens for players, their hashes for the Oracle."""

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from filelock import FileLock
from pydantic import ValidationError

from lawsmith.errors import InputError, IntegrityError, PrerequisiteError
from schemas.trial import IssuedTrial, Trial, TrialToken

TRIALS: Final = "trials.jsonl"
"""In the Oracle's folder: hashes of the tokens that were handed out."""
TOKEN_BYTES: Final = 16

RandomBytes = Callable[[int], bytes]
"""So many random bytes, as `secrets.token_bytes` gives them."""


def new_token(random: RandomBytes) -> str:
    """128 random bits in hex: a token, a session's name or a nonce."""
    return random(TOKEN_BYTES).hex()


def hash_of(token: str) -> str:
    """What the Oracle keeps of a token."""
    return hashlib.sha256(token.encode("utf-8")).hexdigest()


def hand_out(
    record: Path, release_id: str, trials: Sequence[Trial], random: RandomBytes
) -> tuple[TrialToken, ...]:
    """New tokens for some trials; their hashes go into the Oracle's folder first.

    The repeats of a player go on where those that it has for a task end, so that no task,
    player and repeat has two tokens.

    Args:
        record: the Oracle's folder.
        release_id: the release.
        trials: what to hand out, repeats from 0.
        random: where tokens come from.

    Raises:
        PrerequisiteError: the folder cannot be written.
        IntegrityError: what stands there does not read.
    """
    path = record / TRIALS
    try:
        record.mkdir(parents=True, exist_ok=True)
        with FileLock(path.with_suffix(".lock")):
            taken = {(one.task_id, one.player): 0 for one in trials}
            for one in read_issued(record):
                pair = (one.task_id, one.player)
                if pair in taken:
                    taken[pair] = max(taken[pair], one.repeat + 1)
            made = tuple(
                TrialToken(
                    **{**dict(trial), "repeat": trial.repeat + taken[trial.task_id, trial.player]},
                    release_id=release_id,
                    token=new_token(random),
                )
                for trial in trials
            )
            with path.open("a", encoding="utf-8") as out:
                out.writelines(_issued(one).model_dump_json() + "\n" for one in made)
                out.flush()
                os.fsync(out.fileno())
    except OSError as error:
        raise PrerequisiteError(f"cannot be written: {error}", path=str(path)) from error
    return made


def read_issued(record: Path) -> list[IssuedTrial]:
    """The trials that were handed out; what a kill left of the last line is left out.

    Raises:
        IntegrityError: a line does not read.
    """
    path = record / TRIALS
    if not path.is_file():
        return []
    text = path.read_text(encoding="utf-8")
    found = []
    for number, line in enumerate(text[: text.rfind("\n") + 1].split("\n")[:-1], start=1):
        try:
            found.append(IssuedTrial.model_validate_json(line))
        except ValidationError as error:
            raise IntegrityError(
                f"is no trial: {error.errors(include_url=False)[0]['msg']}",
                path=f"{path}:{number}",
                fix="restore the file from a backup",
            ) from error
    return found


def write_tokens(path: Path, tokens: Sequence[TrialToken]) -> None:
    """Write the file that a player gets, readable by its owner alone.

    Raises:
        PrerequisiteError: it exists, or cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(file, "w", encoding="utf-8") as out:
            out.writelines(one.model_dump_json() + "\n" for one in tokens)
    except FileExistsError as error:
        raise PrerequisiteError(
            "exists, and may hold tokens that nothing else has", path=str(path), fix="name another"
        ) from error
    except OSError as error:
        raise PrerequisiteError(f"cannot be written: {error}", path=str(path)) from error


def read_tokens(path: Path) -> tuple[TrialToken, ...]:
    """The tokens of a player's file.

    Raises:
        InputError: a line is no token of a trial.
        PrerequisiteError: there is no such file.
    """
    if not path.is_file():
        raise PrerequisiteError(
            "no such file", path=str(path), fix="ask the holder for `lawsmith oracle trials`"
        )
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
        if not line:
            continue
        try:
            found.append(TrialToken.model_validate_json(line))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            raise InputError(
                f"is no token of a trial: {first['msg']}",
                path=f"{path}:{number}/{'/'.join(map(str, first['loc']))}",
            ) from error
    return tuple(found)


def _issued(token: TrialToken) -> IssuedTrial:
    trial = {name: getattr(token, name) for name in Trial.model_fields}
    return IssuedTrial(**trial, trial=hash_of(token.token), by="holder")


def excerpt_of(body: object, most: int) -> str:
    """The beginning of what was asked, as JSON."""
    text = json.dumps(body, ensure_ascii=True, default=str)
    return text if len(text) <= most else text[: most - 3] + "..."


__all__ = (
    "TRIALS",
    "RandomBytes",
    "excerpt_of",
    "hand_out",
    "hash_of",
    "new_token",
    "read_issued",
    "read_tokens",
    "write_tokens",
)
