"""The ledger of model calls: what was asked, what came back, what it cost.

An intent is committed before a request is sent and the reply before it is used, so after a
kill at any moment no committed reply is asked for again. The intents are also the
reservations against caps and pace, which therefore hold across threads and processes.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import Any, Self

from filelock import FileLock, Timeout

from lawsmith.chat import Reply, Request, Role
from lawsmith.errors import IntegrityError, LawsmithError
from lawsmith.gateways.models.ledger_limits import (
    LONGEST_PAUSE,
    CapReached,
    Spent,
    Wait,
    instant,
    over_cap,
    over_pace,
    paused,
    totals,
)
from lawsmith.gateways.models.ledger_schema import damaged, open_ledger_file, reply_hash, told_apart
from lawsmith.gateways.models.limits import RateLimits, RunCaps
from lawsmith.gateways.models.prices import Bound


@dataclass(frozen=True)
class Ticket:
    """A committed intent: the right to send one request once."""

    request_digest: str
    attempt: int


class Ledger:
    """The calls of one store; safe to share between threads, and between processes by file.

    Attributes:
        path: the SQLite file.
    """

    def __init__(self, path: Path, *, clock: Callable[[], float], run: str | None = None) -> None:
        """Open or make the ledger; intents of dead runs become `in_doubt`.

        Args:
            path: the SQLite file; its lock files stand in `<path>.runs/`.
            clock: seconds since 1970 UTC.
            run: label that caps are counted under; runs sharing a label share the caps.
                None: this ledger object is its own run.

        Raises:
            PrerequisiteError: the store cannot be written.
            IntegrityError: the file is no ledger of this format.
        """
        self.path = path
        self._clock = clock
        self._lock = RLock()
        self._connection = open_ledger_file(path)
        self._run = run
        self._holder: int | None = None
        self._alive: FileLock | None = None
        try:
            self._mark_dead_runs()
        except LawsmithError:
            self._connection.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release the file and the sign that this run is alive."""
        with self._lock:
            self._connection.close()
            if self._alive is not None:
                self._alive.release()
                Path(self._alive.lock_file).unlink(missing_ok=True)
                self._alive = None

    def reply_for(self, request: Request, model: str) -> Reply | None:
        """The first committed reply to this very request of this model, None if there is none.

        Failed calls and calls in doubt are never served.
        """
        digest = request.digest(model)
        with self._held():
            rows = self._rows(
                "SELECT attempt, request, response, served_from FROM calls"
                " WHERE request_digest = ? AND state = 'done' ORDER BY attempt",
                digest,
            )
            hashes = dict(
                self._rows("SELECT attempt, sha256 FROM answered WHERE request_digest = ?", digest)
            )
            if set(hashes) != {row[0] for row in rows}:
                raise damaged(self.path, f"a reply to request {digest[:12]} is gone")
            if not rows:
                return None
            attempt, asked, answer, served_from = rows[0]
            self._check(digest, attempt, asked, answer, hashes[attempt])
            reply = Reply.model_validate_json(answer)
        source = "batch" if served_from == "batch" else "ledger"
        return reply.model_copy(update={"served_from": source})

    def begin(
        self, request: Request, model: str, bound: Bound, caps: RunCaps, limits: RateLimits
    ) -> Ticket | Wait | CapReached:
        """Reserve the bound and commit the intent to send, if caps and pace allow it."""
        with self._held():
            holder, run = self._start_run()
            with self._transaction():
                now = self._clock()
                refusal = (
                    over_cap(self._connection, run, request.role, bound, caps)
                    or paused(self._connection, model, now)
                    or over_pace(self._connection, model, bound, limits, now)
                )
                if refusal is not None:
                    return refusal
                return self._insert(request, model, bound=bound, run=run, holder=holder)

    def pause(self, model: str, seconds: float) -> None:
        """Let no process of this store ask a model for some seconds, as its provider wishes."""
        until = instant(self._clock() + min(seconds, LONGEST_PAUSE))
        with self._held(), self._transaction():
            self._connection.execute(
                "INSERT INTO pauses VALUES (?, ?) ON CONFLICT(model) DO UPDATE"
                " SET until = max(until, excluded.until)",
                (model, until),
            )

    def finish(self, ticket: Ticket, reply: Reply, *, latency: float) -> None:
        """Commit the reply of a ticket; `latency` in seconds.

        Raises:
            IntegrityError: the ticket is not an open intent.
        """
        with self._held(), self._transaction():
            self._store_reply(ticket, reply, latency)

    def fail(self, ticket: Ticket, error: str, *, latency: float, maybe_charged: bool) -> None:
        """Commit that a ticket brought no reply; `maybe_charged` keeps its bound counted.

        Raises:
            IntegrityError: the ticket is not an open intent.
        """
        state = "in_doubt" if maybe_charged else "failed"
        with self._held(), self._transaction():
            self._close_ticket(ticket, "state = ?, error = ?, latency = ?", (state, error, latency))

    def store_imported(self, request: Request, model: str, reply: Reply, bound: Bound) -> bool:
        """Commit a reply that came through a file; False when the request had one already."""
        with self._held(), self._transaction():
            digest = request.digest(model)
            if self._rows(
                "SELECT 1 FROM calls WHERE request_digest = ? AND state = 'done'", digest
            ):
                return False
            ticket = self._insert(
                request, model, bound=bound, run=self._run or "import", holder=None
            )
            self._store_reply(ticket, reply, None)
        return True

    def note_exported(self, request: Request, model: str) -> str:
        """Remember an exported request, so that its reply finds it; returns its digest."""
        digest = request.digest(model)
        with self._held(), self._transaction():
            self._connection.execute(
                "INSERT OR REPLACE INTO exports VALUES (?, ?, ?, ?)",
                (digest, model, request.model_dump_json(), self._now()),
            )
        return digest

    def exported(self, digest: str) -> tuple[Request, str] | None:
        """The exported request of a digest and its model string, None if it is unknown."""
        with self._held():
            rows = self._rows("SELECT request, model FROM exports WHERE request_digest = ?", digest)
            return (Request.model_validate_json(rows[0][0]), rows[0][1]) if rows else None

    def replies(self, model: str) -> Iterator[tuple[Request, Reply]]:
        """Every request of a model string that has a reply, with it, oldest first."""
        with self._held():
            rows = self._rows(
                "SELECT request_digest, attempt, request, response FROM calls"
                " WHERE model = ? AND state = 'done' ORDER BY at, request_digest",
                model,
            )
            hashes = {
                (digest, attempt): sha256
                for digest, attempt, sha256 in self._rows(
                    "SELECT request_digest, attempt, sha256 FROM answered WHERE model = ?", model
                )
            }
            if set(hashes) != {(row[0], row[1]) for row in rows}:
                raise damaged(self.path, f"replies of {model!r} are gone")
        for digest, attempt, request, response in rows:
            self._check(digest, attempt, request, response, hashes[digest, attempt])
            yield Request.model_validate_json(request), Reply.model_validate_json(response)

    def spent(self, role: Role | None = None, *, this_run: bool = False) -> Spent:
        """Totals of all calls, or of one role, or of this run's label."""
        run = self._label() if this_run else None
        with self._held():
            return totals(self._connection, role=role, run=run)

    def _label(self) -> str:
        return self._run if self._run is not None else f"run-{self._holder}"

    def _start_run(self) -> tuple[int, str]:
        """Number and label of this run; its lock file tells others that it is alive."""
        if self._holder is None:
            with self._transaction():
                cursor = self._connection.execute(
                    "INSERT INTO runs(run, pid, at) VALUES (?, ?, ?)",
                    (self._run or "", os.getpid(), self._now()),
                )
                holder = int(cursor.lastrowid or 0)
            self._alive = self._lock_file(holder)
            self._alive.acquire()
            self._holder = holder
        return self._holder, self._label()

    def _lock_file(self, holder: int) -> FileLock:
        folder = self.path.with_name(f"{self.path.name}.runs")
        folder.mkdir(exist_ok=True)
        return FileLock(folder / f"{holder}.lock", thread_local=False)

    def _mark_dead_runs(self) -> None:
        with self._held():
            rows = self._rows("SELECT DISTINCT holder FROM calls WHERE state = 'intent'")
            for (holder,) in rows:
                lock = self._lock_file(holder)
                try:
                    lock.acquire(blocking=False)
                except Timeout:
                    continue
                with self._transaction():
                    self._connection.execute(
                        "UPDATE calls SET state = 'in_doubt', error = 'the run ended before the"
                        " reply was stored' WHERE state = 'intent' AND holder = ?",
                        (holder,),
                    )
                lock.release()
                Path(lock.lock_file).unlink(missing_ok=True)

    def _insert(
        self,
        request: Request,
        model: str,
        *,
        bound: Bound,
        run: str,
        holder: int | None,
    ) -> Ticket:
        digest = request.digest(model)
        attempt = int(
            self._rows(
                "SELECT coalesce(max(attempt), 0) + 1 FROM calls WHERE request_digest = ?", digest
            )[0][0]
        )
        row = {
            "request_digest": digest,
            "attempt": attempt,
            "role": request.role,
            "subject": request.subject_id,
            "round": request.round,
            "state": "intent",
            "request": request.model_dump_json(),
            "at": self._now(),
            "subject_kind": request.subject_kind,
            "revision": request.revision,
            "model": model,
            "upper_tokens": bound.tokens,
            "upper_usd": bound.usd,
            "run": run,
            "holder": holder,
        }
        names, marks = ", ".join(row), ", ".join("?" * len(row))
        self._connection.execute(
            f"INSERT INTO calls({names}) VALUES ({marks})", tuple(row.values())
        )
        return Ticket(digest, attempt)

    def _store_reply(self, ticket: Ticket, reply: Reply, latency: float | None) -> None:
        usage = reply.usage
        answer = reply.model_dump_json()
        self._connection.execute(
            "INSERT INTO answered SELECT request_digest, attempt, model, ? FROM calls"
            " WHERE request_digest = ? AND attempt = ?",
            (self._hash_of(ticket, answer), ticket.request_digest, ticket.attempt),
        )
        self._close_ticket(
            ticket,
            "state = 'done', response = ?, usage = ?, tokens = ?, cost = ?, latency = ?,"
            " served_from = ?",
            (
                answer,
                None if usage is None else usage.model_dump_json(),
                None if usage is None else usage.total,
                reply.cost_usd,
                latency,
                reply.served_from,
            ),
        )

    def _hash_of(self, ticket: Ticket, answer: str) -> str:
        rows = self._rows(
            "SELECT request FROM calls WHERE request_digest = ? AND attempt = ?"
            " AND state = 'intent'",
            ticket.request_digest,
            ticket.attempt,
        )
        if not rows:
            raise self._not_in_flight(ticket)
        return reply_hash(ticket.request_digest, ticket.attempt, rows[0][0], answer)

    def _check(self, digest: str, attempt: int, request: str, answer: str, sha256: str) -> None:
        """Refuse a reply that is not what was stored.

        Raises:
            IntegrityError: its hash differs.
        """
        if reply_hash(digest, attempt, request, answer) != sha256:
            raise damaged(self.path, f"the reply to request {digest[:12]} was changed")

    def _not_in_flight(self, ticket: Ticket) -> IntegrityError:
        return IntegrityError(
            f"attempt {ticket.attempt} of request {ticket.request_digest!r} is not in flight",
            path=str(self.path),
        )

    def _close_ticket(self, ticket: Ticket, change: str, values: tuple[object, ...]) -> None:
        cursor = self._connection.execute(
            f"UPDATE calls SET {change} WHERE request_digest = ? AND attempt = ?"
            " AND state = 'intent'",
            (*values, ticket.request_digest, ticket.attempt),
        )
        if cursor.rowcount != 1:
            raise self._not_in_flight(ticket)

    def _rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        return self._connection.execute(query, values).fetchall()

    @contextmanager
    def _held(self) -> Iterator[None]:
        """The connection for this thread alone; what SQLite raises says what to do."""
        with self._lock, told_apart(self.path):
            yield

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    def _now(self) -> str:
        return instant(self._clock())


__all__ = ("CapReached", "Ledger", "Spent", "Ticket", "Wait")
