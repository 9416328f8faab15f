"""The Oracle as its own process: JSON over HTTP on loopback.

    POST /sessions              {"token", "protocol"?, "budget"?}  -> {"session", "budget", ...}
    POST /sessions/<s>/propose  {"inputs", "readouts", "hypotheses"?, "rationale"?, "forecasts"?}
    POST /sessions/<s>/query    {"points", "group"?, "samples"?}  -> readings, or what was wrong
    POST /sessions/<s>/complete {"hypotheses", "completion"}, or {"expression", "shared"?, ...}
    POST /sessions/<s>/close    {}                        -> {"accepted", "rejected"}
    GET  /sessions/<s>                                    -> counts and history
    GET  /sessions/<s>/view, GET /trials/<token>/view     -> what the player sees of the task
    GET  /trials/<token>                                  -> what the trial is, how it stands
    GET  /                                                -> {"release_id", "tasks"}

A paired task takes proposals, a Parallel one queries; its budget is the task's own. A server
that is open to all takes {"task_id", "player"?} in place of a token and gives one. Nothing the
Oracle sends names a family, an environment, a problem, a data set or a law.
"""

import argparse
import json
import os
import secrets
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from lawsmith.config import load_configuration
from lawsmith.errors import InputError, IntegrityError, LawsmithError
from lawsmith.oracle.desk import IDLE_SECONDS, Oracle, Refusal
from lawsmith.oracle.handouts import load_handouts
from lawsmith.oracle.log import LogFaultError
from lawsmith.oracle.sealed import load_worlds
from lawsmith.oracle.trials import RandomBytes
from schemas.record import canonical_json, strict_json
from schemas.release import PublicManifest

MOST_BYTES: Final = 65_536
"""Largest request body that is read, unless a world takes more points than fit in it."""

MOST_FINAL_BYTES: Final = 262_144
"""Largest final answer that is read."""

BYTES_A_VALUE: Final = 128
"""Of a point's control in a request: its name of up to 64 characters, its number and signs."""

LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")

Answering = Callable[[dict[str, Any]], dict[str, Any]]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60
    # Without it small answers wait for the client's delayed acknowledgement.
    disable_nagle_algorithm = True
    oracle: Oracle
    allowed: frozenset[str]
    """Hosts that a request may name, and of which pages may ask."""
    most_bytes: int
    _owed: "threading.Lock | None" = None
    """Held until the answer that the log's thread sends was sent."""

    def do_GET(self) -> None:
        """Answers a reading request."""
        oracle, parts = self.oracle, self.path.strip("/").split("/")
        asked: Callable[[], dict[str, Any]] | None = None
        match parts:
            case [""]:
                asked = oracle.describe
            case ["sessions", name]:
                asked = lambda: oracle.show(name)  # noqa: E731
            case ["sessions", name, "view"]:
                asked = lambda: oracle.view(name)  # noqa: E731
            case ["trials", token]:
                asked = lambda: oracle.show_trial(token)  # noqa: E731
            case ["trials", token, "view"]:
                asked = lambda: oracle.view_of_token(token)  # noqa: E731
        if self._admitted():
            self._answer(asked or _nothing)

    def do_POST(self) -> None:
        """Answers a request with a JSON body."""
        oracle, parts = self.oracle, self.path.strip("/").split("/")
        asked: Answering | None = None
        most = self.most_bytes
        match parts:
            case ["sessions"]:
                asked = oracle.open
            case ["sessions", name, "propose"]:
                if self._admitted():
                    self._answer(lambda: oracle.propose_ahead(name, self._body(most)))
                return
            case ["sessions", name, "query"]:
                asked = lambda body: oracle.query(name, body)  # noqa: E731
            case ["sessions", name, "complete"]:
                asked = lambda body: oracle.complete(name, body)  # noqa: E731
                most = max(most, MOST_FINAL_BYTES)
            case ["sessions", name, "close"]:
                asked = lambda body: oracle.close(name, body)  # noqa: E731
        if not self._admitted():
            return
        if asked is None:
            self._drop_body()
            self._answer(_nothing)
            return
        answering = asked
        self._answer(lambda: answering(self._body(most)))

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """What the library refuses, a method or a malformed request, in JSON like all else."""
        status = HTTPStatus(code)
        if status == HTTPStatus.NOT_IMPLEMENTED:
            status = HTTPStatus.METHOD_NOT_ALLOWED
        self.close_connection = True
        self._send(status, {"error": message or status.phrase})

    def log_message(self, format: str, *args: object) -> None:
        """Requests are not logged here: the Oracle's log is the record."""

    def _admitted(self) -> bool:
        """Whether the request is for this server and of no foreign page; else it is refused."""
        hosts = self.headers.get_all("Host") or []
        origin = self.headers.get("Origin")
        problem = None
        if len(hosts) != 1 or hosts[0].strip().lower() not in self.allowed:
            problem = f"host {', '.join(hosts)[:80]!r} is not served here; see --allow-host"
        elif origin is not None and not self._own(origin):
            problem = f"pages of {origin[:80]!r} may not ask; see --allow-host"
        if problem is None:
            return True
        self._drop_body()
        self._send(HTTPStatus.FORBIDDEN, {"error": problem})
        return False

    def _own(self, origin: str) -> bool:
        """A page is of this server only with its port; without one it is of another server."""
        try:
            parts = urlsplit(origin.strip().lower())
            port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
        except ValueError:
            return False
        host = parts.netloc if parts.port else f"{parts.netloc}:{port}"
        return parts.scheme in ("http", "https") and host in self.allowed

    def _body(self, most: int) -> dict[str, Any]:
        kind = self.headers.get("Content-Type", "").split(";")[0].strip().lower()
        if kind != "application/json":
            self._drop_body()
            raise Refusal(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "Content-Type is not application/json")
        length = self.headers.get("Content-Length", "")
        if not length.isascii() or not length.isdigit():
            self.close_connection = True
            raise Refusal(HTTPStatus.LENGTH_REQUIRED, "Content-Length is missing")
        # Longer than any number of bytes that is allowed has, int() itself would refuse it.
        if len(length) > 18 or int(length) > most:
            self._drop_body()
            raise Refusal(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"{length[:20]} bytes, more than {most}"
            )
        try:
            data = strict_json(self.rfile.read(int(length)).decode("utf-8"))
        except (ValueError, RecursionError) as error:
            raise Refusal(HTTPStatus.BAD_REQUEST, f"not strict JSON: {error}") from error
        if not isinstance(data, dict):
            raise Refusal(HTTPStatus.BAD_REQUEST, "the body is not an object")
        return data

    def _drop_body(self) -> None:
        """The connection ends here; what of the body is small is read, so that no reset comes."""
        self.close_connection = True
        length = self.headers.get("Content-Length", "")
        if length.isascii() and length.isdigit() and len(length) < 18:
            self.rfile.read(min(int(length), MOST_FINAL_BYTES))

    def finish(self) -> None:
        """The connection ends when what is owed on it was sent."""
        self._settle()
        super().finish()

    def _answer(self, make: Callable[[], dict[str, Any] | tuple[dict[str, Any], int]]) -> None:
        try:
            data = make()
        except Refusal as refusal:
            self._send(refusal.status, {"error": str(refusal)})
        except LogFaultError as error:
            self._send(HTTPStatus.SERVICE_UNAVAILABLE, {"error": f"the log {error.problem}"})
        except LawsmithError:
            # The message of an engine error may hold sealed values.
            self._send(HTTPStatus.INTERNAL_SERVER_ERROR, {"error": "the world has no value there"})
        else:
            if isinstance(data, tuple):
                self._send_after(*data)
            else:
                self._send(HTTPStatus.OK, data)

    def _send_after(self, data: dict[str, Any], place: int) -> None:
        """Leave the sending to the thread that writes the log: waking this one costs as much."""
        self._settle()
        whole = self._packed(HTTPStatus.OK, data)
        owed = self._owed = threading.Lock()
        owed.acquire()
        line: socket.socket = self.connection

        def then(fault: str | None) -> None:
            told = whole
            if fault is not None:
                told = self._packed(HTTPStatus.SERVICE_UNAVAILABLE, {"error": f"the log {fault}"})
            try:
                # Who does not read must not hold the log up.
                if line.send(told, socket.MSG_DONTWAIT) < len(told):
                    line.shutdown(socket.SHUT_RDWR)
            except OSError:
                with suppress(OSError):
                    line.shutdown(socket.SHUT_RDWR)
            owed.release()

        self.oracle.log.after(place, then)

    def _settle(self) -> None:
        """Wait until the answer before was sent; a client that waits for it costs nothing."""
        owed = self._owed
        if owed is not None:
            with owed:
                self._owed = None

    def _send(self, status: HTTPStatus, data: dict[str, Any]) -> None:
        self._settle()
        self.wfile.write(self._packed(status, data))

    def _packed(self, status: HTTPStatus, data: dict[str, Any]) -> bytes:
        body = canonical_json(data).encode("utf-8")
        ending = "Connection: close\r\n" if self.close_connection else ""
        allow = "Allow: GET, POST\r\n" if status == HTTPStatus.METHOD_NOT_ALLOWED else ""
        # One write an answer: head and body in two are two packets.
        head = (
            f"HTTP/1.1 {status.value} {status.phrase}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n{allow}{ending}\r\n"
        ).encode("ascii")
        return head if self.command == "HEAD" else head + body


def _nothing() -> dict[str, Any]:
    raise Refusal(HTTPStatus.NOT_FOUND, "no such path")


class OracleServer(ThreadingHTTPServer):
    """A bound server; `serve_forever` answers, `server_close` lets go of the log."""

    daemon_threads = True
    request_queue_size = 64
    oracle: Oracle

    def server_close(self) -> None:
        """Let go of the socket and of the log."""
        super().server_close()
        self.oracle.stop()


def make_server(
    release: Path,
    host: str = "127.0.0.1",
    port: int = 0,
    *,
    record: Path | None = None,
    open_to_all: bool = False,
    allow_hosts: Sequence[str] = (),
    idle_seconds: float = IDLE_SECONDS,
    random: RandomBytes = secrets.token_bytes,
    now: Callable[[], str] | None = None,
    monotonic: Callable[[], float] = time.monotonic,
) -> OracleServer:
    """A bound server over a release; call `serve_forever` on it. Port 0 takes a free one.

    Args:
        release: the whole release folder.
        host: a name of loopback.
        port: 0 = any free one.
        record: the folder of the log and the hashes of tokens; None = `record_folder`.
        open_to_all: whether whoever asks without a token gets one.
        allow_hosts: names, with or without a port, that requests may give as Host and pages as
            Origin, beside those of loopback.
        idle_seconds: after so long without use a session expires.
        random: where names, tokens and nonces come from.
        now: the present instant, as it stands in the log; None = the clock of this machine.
        monotonic: seconds, for idle sessions alone.

    Raises:
        InputError: the host is not loopback: the Oracle knows sealed answers.
        PrerequisiteError: the folder is no release or has no sealed tree, or the log cannot be
            written.
        IntegrityError: the release or the log does not hold together.
    """
    if host not in LOOPBACK:
        raise InputError(f"host {host!r} is not loopback", fix="use 127.0.0.1")
    worlds = load_worlds(release)
    oracle = Oracle(
        worlds,
        load_handouts(release),
        record or record_folder(release),
        random=random,
        now=now or _now,
        monotonic=monotonic,
        open_to_all=open_to_all,
        idle_seconds=idle_seconds,
    )
    most = max(MOST_BYTES, MOST_BYTES + BYTES_A_VALUE * oracle.most_points())
    handler = type("Handler", (_Handler,), {"oracle": oracle, "most_bytes": most})
    try:
        server = OracleServer((host, port), handler, bind_and_activate=False)
        server.oracle = oracle
        server.server_bind()
        server.server_activate()
    except BaseException:
        oracle.stop()
        raise
    handler.allowed = _allowed(allow_hosts, int(server.server_address[1]))  # type: ignore[attr-defined]
    return server


def record_folder(release: Path) -> Path:
    """Where the Oracle keeps log and hashes of a release by default: in the store, by digest."""
    home = load_configuration(environ=os.environ).settings.home
    text = (release / "public" / "manifest.json").read_text(encoding="utf-8")
    manifest = PublicManifest.from_json(text)
    return home / "oracle" / f"{manifest.id}-{manifest.digest[:12]}"


def serve(
    release: Path,
    host: str = "127.0.0.1",
    port: int = 0,
    *,
    record: Path | None = None,
    open_to_all: bool = False,
    allow_hosts: Sequence[str] = (),
    idle_seconds: float = IDLE_SECONDS,
) -> None:
    """Serves a release until interrupted or told to end (SIGTERM).

    The first line on stdout is JSON with the address.

    Args:
        release: as `make_server` takes it, and so are all others.
        host: see there.
        port: see there.
        record: see there.
        open_to_all: see there.
        allow_hosts: see there.
        idle_seconds: see there.

    Raises:
        InputError: the host is not loopback.
        PrerequisiteError: the folder is no release or has no sealed tree.
        IntegrityError: the release or the log does not hold together.
    """
    with make_server(
        release,
        host,
        port,
        record=record,
        open_to_all=open_to_all,
        allow_hosts=allow_hosts,
        idle_seconds=idle_seconds,
    ) as server:
        if threading.current_thread() is threading.main_thread():
            # A process may be started with the signal ignored; whoever reads the address may
            # send it at once.
            signal.signal(signal.SIGTERM, _interrupt)
        bound = server.server_address[1]
        shown = f"[{host}]" if ":" in host else host
        told = {"url": f"http://{shown}:{bound}", "log": str(server.oracle.log.path)}
        try:
            sys.stdout.write(json.dumps(told) + "\n")
            sys.stdout.flush()
            server.serve_forever()
        except KeyboardInterrupt:
            return


def _interrupt(_number: int, _frame: object) -> None:
    raise KeyboardInterrupt


def main(arguments: Sequence[str] | None = None) -> int:
    """The process entry: `python -m lawsmith.oracle.server RELEASE [--open] [--record DIR] ...`."""
    parser = argparse.ArgumentParser(prog="lawsmith.oracle.server", description=main.__doc__)
    parser.add_argument("release", type=Path)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--record", type=Path)
    parser.add_argument("--open", action="store_true")
    parser.add_argument("--allow-host", action="append", default=[])
    parser.add_argument("--idle-seconds", type=float, default=IDLE_SECONDS)
    chosen = parser.parse_args(arguments)
    try:
        serve(
            chosen.release,
            chosen.host,
            chosen.port,
            record=chosen.record,
            open_to_all=chosen.open,
            allow_hosts=chosen.allow_host,
            idle_seconds=chosen.idle_seconds,
        )
    except LawsmithError as error:
        sys.stderr.write(f"{error}\n")
        return 3 if isinstance(error, IntegrityError) else 1
    return 0


def _allowed(extra: Sequence[str], port: int) -> frozenset[str]:
    names = ["127.0.0.1", "localhost", "[::1]", *(name.strip().lower() for name in extra)]
    return frozenset([*names, *(f"{name}:{port}" for name in names)])


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


if __name__ == "__main__":
    sys.exit(main())


__all__ = (
    "MOST_BYTES",
    "MOST_FINAL_BYTES",
    "OracleServer",
    "main",
    "make_server",
    "record_folder",
    "serve",
)
