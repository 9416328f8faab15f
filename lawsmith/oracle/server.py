"""The Oracle as its own process: JSON over HTTP on loopback.

    POST /sessions              {"task_id", "budget"?}    -> {"session", "budget"}
    POST /sessions/<n>/propose  {"inputs", "readouts"}    -> an answer
    POST /sessions/<n>/query    {"points", "group"?, "samples"?}  -> readings, or what was wrong
    POST /sessions/<n>/close    {}                        -> {"accepted", "rejected"}
    GET  /sessions/<n>                                    -> counts and history
    GET  /                                                -> {"release_id", "tasks"}

A paired task takes proposals, a Parallel one queries; its budget is the task's own. Nothing
the Oracle sends names a family, an environment, a problem, a data set or a law.
"""

import argparse
import json
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

from lawsmith.errors import InputError, LawsmithError
from lawsmith.oracle.calibrated import ParallelSession, ParallelWorld
from lawsmith.oracle.sealed import SealedWorlds, load_worlds
from lawsmith.oracle.session import Session
from schemas.record import canonical_json, strict_json

MOST_BYTES: Final = 65_536
"""Largest request body that is read, unless a world takes more points than fit in it."""

BYTES_A_VALUE: Final = 128
"""Of a point's control in a request: its name of up to 64 characters, its number and signs."""

MOST_SESSIONS: Final = 10_000
"""Open sessions at most; a closed one makes room."""

LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")


class _Refusal(Exception):  # noqa: N818 - an answer, not an error of this process
    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status = status


AnySession = Session | ParallelSession


class Oracle:
    """The sessions of one served release; safe to use from many threads."""

    def __init__(self, worlds: SealedWorlds) -> None:
        self._worlds = worlds
        self._lock = threading.Lock()
        self._sessions: dict[str, tuple[AnySession, threading.Lock]] = {}
        self._opened = 0
        self.most_bytes = max([MOST_BYTES, *map(_body_bytes, worlds.parallel.values())])

    def describe(self) -> dict[str, Any]:
        """The release and how many tasks it answers for."""
        tasks = len(self._worlds.tasks) + len(self._worlds.parallel)
        return {"release_id": self._worlds.release_id, "tasks": tasks}

    def open(self, body: dict[str, Any]) -> dict[str, Any]:
        """A new session on one task; the budget is at most the task's cap.

        A Parallel task has a budget of its own, which the answer states.
        """
        identity = body.get("task_id")
        if isinstance(identity, str) and identity in self._worlds.parallel:
            return self._open_parallel(self._worlds.parallel[identity], body)
        task = self._worlds.tasks.get(identity) if isinstance(identity, str) else None
        if task is None or identity is None:
            raise _Refusal(HTTPStatus.NOT_FOUND, f"no task {str(identity)[:80]!r}")
        budget = body.get("budget", task.adaptive_cap)
        if isinstance(budget, bool) or not isinstance(budget, int):
            raise _Refusal(HTTPStatus.BAD_REQUEST, "budget is not a whole number")
        if not 1 <= budget <= task.adaptive_cap:
            raise _Refusal(
                HTTPStatus.BAD_REQUEST, f"budget {budget} is not in 1..{task.adaptive_cap}"
            )
        simulator = self._worlds.simulators[identity]
        name = self._add(lambda _: Session(task, simulator, budget))
        return {"session": name, "budget": budget}

    def _open_parallel(self, world: ParallelWorld, body: dict[str, Any]) -> dict[str, Any]:
        if set(body) != {"task_id"}:
            raise _Refusal(HTTPStatus.BAD_REQUEST, "a Parallel task is opened by task_id alone")
        name = self._add(lambda number: ParallelSession(world, number))
        budget = world.task.budget
        return {"session": name, "budget": {**budget.model_dump(), "rows": budget.rows}}

    def _add(self, make: Callable[[int], AnySession]) -> str:
        with self._lock:
            if len(self._sessions) >= MOST_SESSIONS:
                raise _Refusal(HTTPStatus.SERVICE_UNAVAILABLE, "too many open sessions")
            self._opened += 1
            name = str(self._opened)
            self._sessions[name] = (make(self._opened), threading.Lock())
        return name

    def propose(self, name: str, body: dict[str, Any]) -> dict[str, Any]:
        """The answer to one proposal of one session."""
        inputs, readouts = body.get("inputs"), body.get("readouts")
        if not isinstance(inputs, dict) or not isinstance(readouts, list):
            raise _Refusal(HTTPStatus.BAD_REQUEST, "give inputs (an object) and readouts (a list)")
        session, lock = self._find(name)
        if not isinstance(session, Session):
            raise _Refusal(HTTPStatus.BAD_REQUEST, "a Parallel task takes queries, not proposals")
        with lock:
            return asdict(session.propose(inputs, readouts))

    def query(self, name: str, body: dict[str, Any]) -> dict[str, Any]:
        """The answer to one call of the trial of a Parallel task."""
        session, lock = self._find(name)
        if not isinstance(session, ParallelSession):
            raise _Refusal(HTTPStatus.BAD_REQUEST, "a paired task takes proposals, not queries")
        with lock:
            answer = session.query(body)
        rows = [row.model_dump(mode="json") for row in answer.rows]
        return {**{k: v for k, v in vars(answer).items() if k != "rows"}, "rows": rows}

    def show(self, name: str) -> dict[str, Any]:
        """Counts and history of one session."""
        session, lock = self._find(name)
        with lock:
            if isinstance(session, ParallelSession):
                return {
                    "accepted": session.answered,
                    "rejected": session.refused,
                    "ended": session.ended,
                    "history": [call.model_dump(mode="json") for call in session.history],
                }
            return {
                "accepted": session.accepted,
                "rejected": session.rejected,
                "ended": session.ended,
                "history": [asdict(exchange) for exchange in session.history],
            }

    def close(self, name: str) -> dict[str, Any]:
        """Ends and forgets a session; its counts for the last time."""
        session, lock = self._find(name)
        with lock:
            session.close()
        with self._lock:
            self._sessions.pop(name, None)
        if isinstance(session, ParallelSession):
            return {"accepted": session.answered, "rejected": session.refused}
        return {"accepted": session.accepted, "rejected": session.rejected}

    def _find(self, name: str) -> tuple[AnySession, threading.Lock]:
        with self._lock:
            found = self._sessions.get(name)
        if found is None:
            raise _Refusal(HTTPStatus.NOT_FOUND, f"no open session {name[:20]!r}")
        return found


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60
    # Without it small answers wait for the client's delayed acknowledgement.
    disable_nagle_algorithm = True
    oracle: Oracle

    def do_GET(self) -> None:
        """Answers a reading request."""
        parts = self.path.strip("/").split("/")
        if parts == [""]:
            self._answer(self.oracle.describe)
        elif len(parts) == 2 and parts[0] == "sessions":
            self._answer(lambda: self.oracle.show(parts[1]))
        else:
            self._send(HTTPStatus.NOT_FOUND, {"error": "no such path"})

    def do_POST(self) -> None:
        """Answers a request with a JSON body."""
        parts = self.path.strip("/").split("/")
        if parts == ["sessions"]:
            self._answer(lambda: self.oracle.open(self._body()))
        elif len(parts) == 3 and parts[0] == "sessions" and parts[2] == "propose":
            self._answer(lambda: self.oracle.propose(parts[1], self._body()))
        elif len(parts) == 3 and parts[0] == "sessions" and parts[2] == "query":
            self._answer(lambda: self.oracle.query(parts[1], self._body()))
        elif len(parts) == 3 and parts[0] == "sessions" and parts[2] == "close":
            self._answer(lambda: self._close(parts[1]))
        else:
            self.close_connection = True
            self._send(HTTPStatus.NOT_FOUND, {"error": "no such path"})

    def log_message(self, format: str, *args: object) -> None:
        """Requests are not logged: the history is the record."""

    def _close(self, name: str) -> dict[str, Any]:
        self._body()
        return self.oracle.close(name)

    def _body(self) -> dict[str, Any]:
        length = self.headers.get("Content-Length", "")
        if not length.isascii() or not length.isdigit():
            self.close_connection = True
            raise _Refusal(HTTPStatus.LENGTH_REQUIRED, "Content-Length is missing")
        # Longer than any number of bytes that is allowed has, int() itself would refuse it.
        if len(length) > 18 or int(length) > self.oracle.most_bytes:
            self.close_connection = True
            raise _Refusal(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                f"{length[:20]} bytes, more than {self.oracle.most_bytes}",
            )
        try:
            data = strict_json(self.rfile.read(int(length)).decode("utf-8"))
        except (ValueError, RecursionError) as error:
            raise _Refusal(HTTPStatus.BAD_REQUEST, f"not strict JSON: {error}") from error
        if not isinstance(data, dict):
            raise _Refusal(HTTPStatus.BAD_REQUEST, "the body is not an object")
        return data

    def _answer(self, make: Callable[[], dict[str, Any]]) -> None:
        try:
            data = make()
        except _Refusal as refusal:
            self._send(refusal.status, {"error": str(refusal)})
        except LawsmithError:
            # The message of an engine error may hold sealed values.
            self._send(HTTPStatus.INTERNAL_SERVER_ERROR, {"error": "the world has no value there"})
        else:
            self._send(HTTPStatus.OK, data)

    def _send(self, status: HTTPStatus, data: dict[str, Any]) -> None:
        body = canonical_json(data).encode("utf-8")
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _body_bytes(world: ParallelWorld) -> int:
    """Bytes of a request with as many points as the task allows."""
    task = world.task
    return MOST_BYTES + BYTES_A_VALUE * task.budget.points_per_call * len(task.controls)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64


def make_server(release: Path, host: str = "127.0.0.1", port: int = 0) -> ThreadingHTTPServer:
    """A bound server over a release; call `serve_forever` on it. Port 0 takes a free one.

    Raises:
        InputError: the host is not loopback: the Oracle knows sealed answers.
        PrerequisiteError: the folder is no release or has no sealed tree.
    """
    if host not in LOOPBACK:
        raise InputError(f"host {host!r} is not loopback", fix="use 127.0.0.1")
    oracle = Oracle(load_worlds(release))
    handler = type("Handler", (_Handler,), {"oracle": oracle})
    return _Server((host, port), handler)


def serve(release: Path, host: str = "127.0.0.1", port: int = 0) -> None:
    """Serves a release until interrupted; the first line on stdout is JSON with the address.

    Raises:
        InputError: the host is not loopback.
        PrerequisiteError: the folder is no release or has no sealed tree.
    """
    with make_server(release, host, port) as server:
        bound = server.server_address[1]
        sys.stdout.write(json.dumps({"url": f"http://{host}:{bound}"}) + "\n")
        sys.stdout.flush()
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return


def main(arguments: Sequence[str] | None = None) -> int:
    """The process entry: `python -m lawsmith.oracle.server RELEASE [--host H] [--port P]`."""
    parser = argparse.ArgumentParser(prog="lawsmith.oracle.server", description=main.__doc__)
    parser.add_argument("release", type=Path)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0)
    chosen = parser.parse_args(arguments)
    try:
        serve(chosen.release, chosen.host, chosen.port)
    except LawsmithError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())


__all__ = ("MOST_BYTES", "Oracle", "main", "make_server", "serve")
