"""The ledger read for people: which calls concerned a subject, and what roles have cost.

Opened read-only, so that looking never waits for a run and never changes what a run sees.
"""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from lawsmith.chat import Reply
from lawsmith.gateways.models.ledger_schema import damaged, reply_hash, told_apart


@dataclass(frozen=True)
class CallSeen:
    """One call to a live model.

    Attributes:
        usd: what it cost; None where the price is unknown.
        reply: what came back; None where nothing did.
    """

    role: str
    subject_kind: str
    subject: str
    revision: int
    round: int
    model: str
    state: str
    tokens: int | None
    usd: float | None
    at: str
    reply: Reply | None


_NAMES = tuple(field.name for field in fields(CallSeen))[:-1]
_COLUMNS = (
    "role, subject_kind, subject, revision, round, model, state,"
    " CASE state WHEN 'failed' THEN 0 ELSE coalesce(tokens, upper_tokens) END,"
    " CASE state WHEN 'failed' THEN 0.0 WHEN 'done' THEN cost ELSE upper_usd END, at"
)


def calls_about(path: Path, subjects: Sequence[str]) -> tuple[CallSeen, ...]:
    """Every call about these subjects, replies included, oldest first.

    Args:
        path: the ledger; an absent file holds no call.
        subjects: ids of packets, cards and families.

    Raises:
        IntegrityError: the file is no ledger, or a reply was changed.
    """
    marks = ", ".join("?" * len(subjects))
    rows = _rows(
        path,
        f"SELECT {_COLUMNS}, request_digest, attempt, request, response"
        f" FROM calls WHERE subject IN ({marks}) ORDER BY at, request_digest, attempt",
        subjects,
    )
    wanted = {(row[-4], row[-3]) for row in rows if row[-1] is not None}
    hashes = {
        (digest, attempt): sha256
        for digest, attempt, sha256 in _rows(
            path, "SELECT request_digest, attempt, sha256 FROM answered", ()
        )
        if (digest, attempt) in wanted
    }
    found = []
    for *cells, digest, attempt, request, response in rows:
        reply = None
        if response is not None:
            if reply_hash(digest, attempt, request, response) != hashes.get((digest, attempt)):
                raise damaged(path, f"the reply to request {digest[:12]} was changed")
            reply = Reply.model_validate_json(response)
        found.append(CallSeen(**dict(zip(_NAMES, cells, strict=True)), reply=reply))
    return tuple(found)


def calls_of_roles(path: Path, roles: Sequence[str]) -> tuple[CallSeen, ...]:
    """Every call of these roles without its reply, oldest first; calls in doubt at their bound.

    Raises:
        IntegrityError: the file is no ledger, or a reply was changed.
    """
    marks = ", ".join("?" * len(roles))
    rows = _rows(
        path,
        f"SELECT {_COLUMNS} FROM calls WHERE role IN ({marks})"
        " ORDER BY at, request_digest, attempt",
        roles,
    )
    return tuple(CallSeen(**dict(zip(_NAMES, row, strict=True)), reply=None) for row in rows)


def _rows(path: Path, query: str, values: Sequence[str]) -> list[Any]:
    if not path.is_file():
        return []
    with (
        told_apart(path),
        closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection,
    ):
        return connection.execute(query, tuple(values)).fetchall()


__all__ = ("CallSeen", "calls_about", "calls_of_roles")
