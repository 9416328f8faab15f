"""Trials over real HTTP: one token, one trial, one budget, also over restarts of the server."""

import http.client
import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from lawsmith.errors import IntegrityError, PrerequisiteError
from lawsmith.oracle.log import read_log
from lawsmith.oracle.server import OracleServer, make_server
from lawsmith.oracle.trials import hand_out, read_issued, read_tokens, write_tokens
from lawsmith.release.bundle import read_public
from schemas.trial import Trial, TrialToken

NOW = "2026-11-30T00:00:00Z"
GOOD = {"stretch": 0.2, "width": 0.05}
Json = dict[str, Any]


def source(seed: int = 1) -> Callable[[int], bytes]:
    """Random bytes of a seeded generator, so that a run can be made again."""
    return np.random.default_rng(seed).bytes


@dataclass
class Desk:
    """One running server and a way to ask it."""

    server: OracleServer
    seconds: list[float] = field(default_factory=lambda: [0.0])

    def ask(
        self, method: str, path: str, body: Any = None, **headers: str | None
    ) -> tuple[int, Any]:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        sent = {"Content-Type": "application/json", **given}
        named = {name: value for name, value in sent.items() if value is not None}
        line = http.client.HTTPConnection("127.0.0.1", self.server.server_address[1], timeout=30)
        try:
            line.request(method, path, None if body is None else data, named)
            reply = line.getresponse()
            text = reply.read()
            assert reply.headers["Content-Type"] == "application/json"
            return reply.status, json.loads(text) if text else None
        finally:
            line.close()

    def post(self, path: str, body: Any) -> tuple[int, Any]:
        return self.ask("POST", path, body)

    def opened(self, token: TrialToken, **choice: Any) -> Json:
        status, answer = self.post("/sessions", {"token": token.token, **choice})
        assert status == 200, answer
        found: Json = answer
        return found


@contextmanager
def serving(release: Path, record: Path, seed: int = 7, **options: Any) -> Iterator[Desk]:
    seconds = [0.0]
    server = make_server(
        release,
        record=record,
        random=source(seed),
        now=lambda: NOW,
        monotonic=lambda: seconds[0],
        **options,
    )
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield Desk(server, seconds)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def tokens(
    release: Path, record: Path, player: str = "p", repeats: int = 1, seed: int = 3, **choice: Any
) -> list[TrialToken]:
    """Trials of every paired task of a release."""
    public = read_public(release)
    chosen = {"protocol": None, "budget": None, **choice}
    trials = [
        Trial(task_id=task.id, kind=task.kind, player=player, repeat=repeat, **chosen)
        for task in public.tasks
        for repeat in range(repeats)
    ]
    return list(hand_out(record, public.manifest.id, trials, source(seed)))


def finished(law: Any = 1.0) -> Json:
    return {
        "hypotheses": [{"label": "A", "statement": "so", "confidence": 1.0}],
        "completion": {
            "selected": "A",
            "predictor": {"pull": law},
            "explanation": "",
            "applicability": "",
        },
    }


def ask() -> Json:
    return {"inputs": GOOD, "readouts": ["pull"]}


def test_tokens_are_128_bits_and_the_holder_keeps_hashes(
    historical_release: Path, tmp_path: Path
) -> None:
    made = tokens(historical_release, tmp_path / "record", repeats=2)
    assert len({one.token for one in made}) == len(made) == 8
    assert all(len(bytes.fromhex(one.token)) == 16 for one in made)
    write_tokens(tmp_path / "t.jsonl", made)
    assert list(read_tokens(tmp_path / "t.jsonl")) == made
    assert (tmp_path / "t.jsonl").stat().st_mode & 0o077 == 0
    with pytest.raises(PrerequisiteError, match="exists"):
        write_tokens(tmp_path / "t.jsonl", made)
    with serving(historical_release, tmp_path / "record") as desk:
        session = desk.opened(made[0])["session"]
        desk.post(f"/sessions/{session}/propose", ask())
    kept = b"".join(path.read_bytes() for path in (tmp_path / "record").iterdir())
    for secret in (*(one.token for one in made), session):
        assert secret.encode() not in kept


def test_handing_out_again_goes_on_with_the_next_repeat(
    historical_release: Path, tmp_path: Path
) -> None:
    tokens(historical_release, tmp_path, repeats=2)
    again = tokens(historical_release, tmp_path, repeats=1, seed=4)
    assert {one.repeat for one in again} == {2}
    others = tokens(historical_release, tmp_path, player="q", seed=5)
    assert {one.repeat for one in others} == {0}
    issued = read_issued(tmp_path)
    assert len({(one.task_id, one.player, one.repeat) for one in issued}) == len(issued) == 16


def test_without_a_token_nothing_is_opened(historical_release: Path, tmp_path: Path) -> None:
    task = read_public(historical_release).tasks[0].id
    with serving(historical_release, tmp_path) as desk:
        for body in ({"task_id": task}, {"token": "0" * 32}, {"token": 7}, {}):
            assert desk.post("/sessions", body)[0] in (400, 401)
        assert desk.ask("GET", "/trials/" + "0" * 32)[0] == 401
        assert desk.ask("GET", "/sessions/1")[0] == 404


def test_tokens_handed_out_while_it_serves_are_taken(
    historical_release: Path, tmp_path: Path
) -> None:
    with serving(historical_release, tmp_path) as desk:
        token = tokens(historical_release, tmp_path)[0]
        assert desk.opened(token)["accepted"] == 0


def test_sessions_are_not_guessed_and_a_token_has_one(
    historical_release: Path, tmp_path: Path
) -> None:
    made = tokens(historical_release, tmp_path)
    with serving(historical_release, tmp_path) as desk:
        names = [desk.opened(token)["session"] for token in made]
        assert all(len(bytes.fromhex(name)) == 16 for name in names)
        assert len(set(names)) == len(names)
        again = desk.opened(made[0])["session"]
        assert again != names[0]
        assert desk.post(f"/sessions/{names[0]}/propose", ask())[0] == 404
        assert desk.post(f"/sessions/{again}/propose", ask())[0] == 200


def test_the_budget_is_the_trials_over_sessions_and_restarts(
    historical_release: Path, tmp_path: Path
) -> None:
    token = tokens(historical_release, tmp_path, budget=3, protocol="adaptive")[0]
    with serving(historical_release, tmp_path, seed=1) as desk:
        first = desk.opened(token)["session"]
        assert desk.post(f"/sessions/{first}/propose", ask())[1]["accepted"]
        second = desk.opened(token)
        assert (second["accepted"], second["budget"]) == (1, 3)
        path = f"/sessions/{second['session']}"
        assert desk.post(f"{path}/propose", {**ask(), "inputs": {}})[0] == 200
        assert desk.post(f"{path}/propose", ask())[1]["accepted"]
    with serving(historical_release, tmp_path, seed=2) as desk:
        # The session goes on by its name, too.
        shown = desk.ask("GET", path)[1]
        assert (shown["accepted"], shown["rejected"], len(shown["history"])) == (2, 1, 3)
        assert desk.post("/sessions", {"token": token.token, "budget": 1024})[0] == 409
        assert desk.post(f"{path}/propose", ask())[1]["ended"] == "capped"
        assert not desk.post(f"{path}/propose", ask())[1]["accepted"]
        assert desk.post(f"{path}/complete", finished())[0] == 409
    with serving(historical_release, tmp_path, seed=3) as desk:
        again = desk.opened(token)["session"]
        assert not desk.post(f"/sessions/{again}/propose", ask())[1]["accepted"]
        assert desk.post(f"/sessions/{again}/complete", finished())[0] == 409


def test_a_completed_trial_is_over_for_ever(historical_release: Path, tmp_path: Path) -> None:
    token = tokens(historical_release, tmp_path)[0]
    with serving(historical_release, tmp_path, seed=1) as desk:
        session = desk.opened(token)["session"]
        assert desk.post(f"/sessions/{session}/complete", finished())[0] == 200
        assert desk.post(f"/sessions/{session}/complete", finished())[0] == 404
        assert desk.post("/sessions", {"token": token.token})[0] == 409
    with serving(historical_release, tmp_path, seed=2) as desk:
        assert desk.post("/sessions", {"token": token.token})[0] == 409
        assert desk.ask("GET", f"/trials/{token.token}")[1]["state"] == "completed"


def test_a_trial_keeps_its_protocol(historical_release: Path, tmp_path: Path) -> None:
    free, *_ = tokens(historical_release, tmp_path)
    fixed, *_ = tokens(historical_release, tmp_path, player="q", seed=5, protocol="fixed", budget=2)
    with serving(historical_release, tmp_path) as desk:
        assert desk.ask("GET", f"/trials/{free.token}/view")[0] == 409
        assert desk.post("/sessions", {"token": free.token, "protocol": "free"})[0] == 400
        session = desk.opened(free, protocol="fixed", budget=8)["session"]
        for other in ({"protocol": "adaptive"}, {"budget": 16}):
            assert desk.post("/sessions", {"token": free.token, **other})[0] == 409
        view = desk.ask("GET", f"/sessions/{session}/view")[1]
        public = read_public(historical_release)
        given = [list(row["inputs"].values()) for row in view["observations"]]
        assert given == [list(row.inputs) for row in public.fixed[free.task_id][:8]]
        assert desk.ask("GET", f"/trials/{free.token}/view")[1] == view
        refused = desk.post(f"/sessions/{session}/propose", ask())[1]
        assert not refused["accepted"]
        assert "no experiments" in refused["diagnostic"]
        assert desk.post("/sessions", {"token": fixed.token, "protocol": "adaptive"})[0] == 409
        assert desk.opened(fixed)["budget"] == 2


def test_unknown_fields_are_refused_everywhere(historical_release: Path, tmp_path: Path) -> None:
    token = tokens(historical_release, tmp_path)[0]
    with serving(historical_release, tmp_path) as desk:
        assert desk.post("/sessions", {"token": token.token, "seed": 1})[0] == 400
        session = desk.opened(token)["session"]
        for path, body in (
            ("propose", {**ask(), "budget": 9}),
            ("complete", {**finished(), "score": 1}),
            ("close", {"why": "bored"}),
        ):
            status, answer = desk.post(f"/sessions/{session}/{path}", body)
            assert (status, "unknown field" in answer["error"]) == (400, True)


def test_refused_proposals_are_counted_and_not_kept_whole(
    historical_release: Path, tmp_path: Path
) -> None:
    token = tokens(historical_release, tmp_path)[0]
    big = {"inputs": {f"x{n}": 1.0 for n in range(2000)}, "readouts": ["y" * 1000] * 30}
    with serving(historical_release, tmp_path) as desk:
        session = desk.opened(token)["session"]
        for _ in range(19):
            assert not desk.post(f"/sessions/{session}/propose", big)[1]["accepted"]
        status, shown = desk.ask("GET", f"/sessions/{session}")
        assert (status, shown["rejected"]) == (200, 19)
        assert len(json.dumps(shown)) < 19 * 1000
    assert (tmp_path / "log.jsonl").stat().st_size < 19 * 2000


def test_idle_sessions_expire_and_their_token_goes_on(
    historical_release: Path, tmp_path: Path
) -> None:
    one, two = tokens(historical_release, tmp_path)[:2]
    with serving(historical_release, tmp_path, idle_seconds=100.0) as desk:
        idle, busy = (desk.opened(token)["session"] for token in (one, two))
        desk.post(f"/sessions/{idle}/propose", ask())
        desk.seconds[0] = 60.0
        desk.post(f"/sessions/{busy}/propose", ask())
        desk.seconds[0] = 120.0
        assert desk.post(f"/sessions/{idle}/propose", ask())[0] == 404
        assert desk.post(f"/sessions/{busy}/propose", ask())[0] == 200
        assert desk.opened(one)["accepted"] == 1


def test_a_thousand_open_sessions_lock_nobody_out(historical_release: Path, tmp_path: Path) -> None:
    task = read_public(historical_release).tasks[0].id
    with serving(historical_release, tmp_path, open_to_all=True) as desk:
        oracle = desk.server.oracle
        for _ in range(1000):
            oracle.open({"task_id": task, "player": "greedy"})
        token = tokens(historical_release, tmp_path)[0]
        session = desk.opened(token)["session"]
        assert desk.post(f"/sessions/{session}/propose", ask())[1]["accepted"]
        status, asked = desk.post("/sessions", {"task_id": task, "player": "late"})
        assert (status, asked["repeat"]) == (200, 0)


def test_one_token_cannot_fill_the_log(historical_release: Path, tmp_path: Path) -> None:
    token = tokens(historical_release, tmp_path)[0]
    with serving(historical_release, tmp_path) as desk:
        statuses = [desk.post("/sessions", {"token": token.token})[0] for _ in range(110)]
        assert statuses == [200] * 100 + [429] * 10


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 403),
        ({"Host": "evil.example:80"}, 403),
        ({"Host": "127.0.0.1.evil.example"}, 403),
        ({"Host": "localhost"}, 200),
        ({"Host": "desk.example"}, 200),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://localhost:3000"}, 403),
        ({"Origin": "http://localhost"}, 403),
        ({"Origin": "file://"}, 403),
    ],
)
def test_other_hosts_and_foreign_pages_are_refused(
    historical_release: Path, tmp_path: Path, headers: dict[str, str], status: int
) -> None:
    token = tokens(historical_release, tmp_path)[0]
    with serving(historical_release, tmp_path, allow_hosts=["desk.example"]) as desk:
        assert desk.ask("GET", "/", **headers)[0] == status
        assert desk.ask("POST", "/sessions", {"token": token.token}, **headers)[0] == status
        port = desk.server.server_address[1]
        own = desk.ask("GET", "/", Origin=f"http://localhost:{port}")
        assert own[0] == 200


@pytest.mark.parametrize("kind", [None, "text/plain", "application/x-www-form-urlencoded", "json"])
def test_bodies_that_a_page_can_send_anywhere_are_refused(
    historical_release: Path, tmp_path: Path, kind: str | None
) -> None:
    token = tokens(historical_release, tmp_path)[0]
    with serving(historical_release, tmp_path) as desk:
        body = {"token": token.token}
        assert desk.ask("POST", "/sessions", body, Content_Type=kind)[0] in (403, 415)
        status, _ = desk.ask(
            "POST", "/sessions", body, Content_Type="application/json; charset=utf-8"
        )
        assert status == 200


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "BREW"])
def test_other_methods_are_refused_in_json(
    historical_release: Path, tmp_path: Path, method: str
) -> None:
    with serving(historical_release, tmp_path) as desk:
        status, answer = desk.ask(method, "/sessions", {})
        assert (status, set(answer)) == (405, {"error"})


def test_a_broken_log_is_not_served_and_a_torn_one_is(
    historical_release: Path, tmp_path: Path
) -> None:
    token = tokens(historical_release, tmp_path)[0]
    with serving(historical_release, tmp_path) as desk:
        session = desk.opened(token)["session"]
        desk.post(f"/sessions/{session}/propose", ask())
    path = tmp_path / "log.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[:-30])
    with serving(historical_release, tmp_path) as desk:
        # What was torn off had not been answered.
        assert desk.ask("GET", f"/sessions/{session}")[1]["accepted"] == 0
    path.write_bytes(whole.replace(b'"player":"p"', b'"player":"q"', 1))
    with pytest.raises(IntegrityError, match=r"log\.jsonl:3: does not follow"):
        make_server(historical_release, record=tmp_path)


def test_the_log_of_another_release_is_not_gone_on_with(
    historical_release: Path, temporal_release: Path, tmp_path: Path
) -> None:
    with serving(historical_release, tmp_path):
        pass
    with pytest.raises(IntegrityError, match="not of this release"):
        make_server(temporal_release, record=tmp_path)


def test_every_start_has_a_nonce_that_decides_the_noise(
    data_release: Path, problems: ModuleType, tmp_path: Path
) -> None:
    task = problems.parallel_of(problems.tasks(problems.SINGLE))
    world = problems.tasks(problems.SINGLE).world
    point = {a.control: (a.low * a.high) ** 0.5 or a.high / 2 for a in world.groups[0].axes}
    readings: list[float] = []
    for seed in (1, 2, 1):
        record = tmp_path / str(len(readings))
        with serving(data_release, record, seed=seed, open_to_all=True) as desk:
            session = desk.post("/sessions", {"task_id": task.id})[1]["session"]
            answer = desk.post(f"/sessions/{session}/query", {"points": [point]})[1]
            readings.append(answer["rows"][0]["output"])
        events, _, _ = read_log(record / "log.jsonl")
        kinds = [line.event.kind for _, line in events]
        assert kinds == ["started", "issued", "opened", "measured"]
    assert readings[0] == readings[2]
    assert readings[0] != readings[1]


def test_requests_sent_ahead_are_answered_in_their_order(
    historical_release: Path, tmp_path: Path
) -> None:
    token = tokens(historical_release, tmp_path)[0]
    with serving(historical_release, tmp_path) as desk:
        session = desk.opened(token)["session"]
        port = int(desk.server.server_address[1])
        body = json.dumps(ask())
        head = f"Host: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
        propose = (
            f"POST /sessions/{session}/propose HTTP/1.1\r\n{head}"
            f"Content-Length: {len(body)}\r\n\r\n{body}"
        )
        shown = f"GET /sessions/{session} HTTP/1.1\r\n{head}\r\n"
        last = f"GET / HTTP/1.1\r\n{head}Connection: close\r\n\r\n"
        with socket.create_connection(("127.0.0.1", port), timeout=30) as line:
            line.sendall((propose + shown + propose + propose + last).encode())
            sent = b"".join(iter(lambda: line.recv(65_536), b""))
    answers = [json.loads(part.split(b"\r\n\r\n")[1]) for part in sent.split(b"HTTP/1.1 ")[1:]]
    kinds = ["outputs", "history", "outputs", "outputs", "release_id"]
    assert [next(kind for kind in kinds if kind in answer) for answer in answers] == kinds
    assert answers[1]["accepted"] == 1
