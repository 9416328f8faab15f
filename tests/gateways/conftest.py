"""A chat server on loopback, and small conversations to run against it."""

import importlib.util
import json
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from lawsmith.chat import Message, Reply, Request, Result, reply_json
from lawsmith.errors import InputError

SCHEMA = {
    "type": "object",
    "properties": {"value": {"type": "number"}},
    "required": ["value"],
    "additionalProperties": False,
}


@dataclass
class Answer:
    """What the server does with one call."""

    status: int = 200
    text: str = "ok"
    finish: str = "stop"
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    raw: bytes | None = None
    usage: dict[str, int] | None = field(
        default_factory=lambda: {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    )


@dataclass
class ChatServer:
    """An OpenAI chat server whose answers a test chooses."""

    base: str
    decide: Callable[[dict[str, Any]], Answer]
    bodies: list[dict[str, Any]] = field(default_factory=list)
    authorizations: list[str] = field(default_factory=list)
    busy: int = 0
    most_busy: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def script(self, *answers: Answer) -> None:
        """Give these answers in order, then the last one for ever."""
        left = list(answers)

        def decide(body: dict[str, Any]) -> Answer:
            with self.lock:
                return left.pop(0) if len(left) > 1 else left[0]

        self.decide = decide


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    chat: ChatServer

    def do_POST(self) -> None:
        chat = self.chat
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with chat.lock:
            chat.bodies.append(body)
            chat.authorizations.append(self.headers.get("Authorization", ""))
            chat.busy += 1
            chat.most_busy = max(chat.most_busy, chat.busy)
        answer = chat.decide(body)
        time.sleep(answer.delay)
        with chat.lock:
            chat.busy -= 1
        self._write(answer, body)

    def _write(self, answer: Answer, body: dict[str, Any]) -> None:
        payload: dict[str, Any] = {"error": {"message": answer.text}}
        if answer.status == 200:
            payload = {
                "id": "x",
                "object": "chat.completion",
                "created": 1,
                "model": f"{body['model']}-served",
                "choices": [
                    {
                        "index": 0,
                        "finish_reason": answer.finish,
                        "message": {"role": "assistant", "content": answer.text},
                    }
                ],
            }
            if answer.usage is not None:
                payload["usage"] = answer.usage
        data = json.dumps(payload).encode() if answer.raw is None else answer.raw
        try:
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Type", "application/json")
            # litellm never closes the connections that it keeps alive.
            self.send_header("Connection", "close")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
        except OSError:
            # The client gave up waiting: that is what some tests are about.
            self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def chat_server() -> Iterator[ChatServer]:
    chat = ChatServer(base="", decide=lambda body: Answer())
    handler = type("Handler", (_Handler,), {"chat": chat})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    chat.base = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield chat
    server.shutdown()
    server.server_close()
    thread.join()


def make_request(subject: str = "sample:0001v1/pdf/abc", **changes: Any) -> Request:
    """A request of the extractor, changed where a test says so."""
    fields: dict[str, Any] = {
        "role": "extractor",
        "subject_kind": "packet",
        "subject_id": subject,
        "revision": 0,
        "round": 0,
        "messages": (Message(role="user", text=f"read {subject}"),),
        "response_schema": None,
        "response_schema_name": None,
        "max_tokens": 100,
        "temperature": 0.0,
        "prompt_sha256": "a" * 64,
        "packet_sha256": "b" * 64,
    }
    return Request(**{**fields, **changes})


@dataclass(frozen=True)
class Talk:
    """Asks a fixed number of questions and ends with the texts it got."""

    subject: str
    rounds: int = 1
    changes: dict[str, Any] = field(default_factory=dict)

    def step(self, replies: Sequence[Reply]) -> Request | Result[tuple[str, ...]]:
        if len(replies) == self.rounds:
            return Result(tuple(reply.text for reply in replies))
        return make_request(self.subject, round=len(replies), **self.changes)


@dataclass(frozen=True)
class Numbers:
    """Asks for a JSON object, and once more with the fault named if the reply has one."""

    subject: str

    def step(self, replies: Sequence[Reply]) -> Request | Result[float]:
        fault = ""
        if replies:
            try:
                return Result(float(reply_json(replies[-1])["value"]))
            except InputError as error:
                fault = str(error)
                if len(replies) == 2:
                    raise
        messages = [Message(role="user", text="value of x")]
        if fault:
            messages.append(Message(role="user", text=fault))
        return make_request(
            self.subject,
            round=len(replies),
            messages=tuple(messages),
            response_schema=SCHEMA,
            response_schema_name="numbers",
        )


@dataclass
class FakeTime:
    """A clock that only sleeping moves."""

    now: float = 1_790_000_000.0
    slept: list[float] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        with self.lock:
            self.slept.append(seconds)
            self.now += seconds


@dataclass(frozen=True)
class Kit:
    """What the tests of this folder are made of."""

    request: Callable[..., Request] = make_request
    talk: type[Talk] = Talk
    numbers: type[Numbers] = Numbers
    answer: type[Answer] = Answer
    schema: dict[str, Any] = field(default_factory=lambda: SCHEMA)


@pytest.fixture
def kit() -> Kit:
    return Kit()


@pytest.fixture
def fake_time() -> FakeTime:
    return FakeTime()


def make_reply(text: str = "ok", **changes: Any) -> Reply:
    """A reply as a provider gave it."""
    fields: dict[str, Any] = {
        "text": text,
        "finish_reason": "stop",
        "model": "reader",
        "usage": None,
        "cost_usd": None,
        "replayed": False,
        "served_from": "provider",
    }
    return Reply(**{**fields, **changes})


@pytest.fixture
def reply() -> Callable[..., Reply]:
    return make_reply


def _load(name: str) -> ModuleType:
    loaded = f"loaded_{name}"
    if loaded not in sys.modules:
        spec = importlib.util.spec_from_file_location(
            loaded, Path(__file__).with_name(f"{name}.py")
        )
        assert spec is not None
        assert spec.loader is not None
        sys.modules[loaded] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[loaded])
    return sys.modules[loaded]


LOOPBACK_ARXIV = _load("loopback_arxiv")
stub = LOOPBACK_ARXIV.stub
clock = LOOPBACK_ARXIV.clock
opened = LOOPBACK_ARXIV.opened


@pytest.fixture
def net() -> ModuleType:
    """The module of the loopback servers: entries, answers, archives."""
    return LOOPBACK_ARXIV
