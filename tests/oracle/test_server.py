"""The Oracle as a real process: answers over loopback, nothing sealed in what it sends."""

import http.client
import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

import pytest

from lawsmith.errors import InputError, IntegrityError, PrerequisiteError
from lawsmith.oracle.client import OracleClient, OracleFaultError, oracle_process
from lawsmith.oracle.sealed import load_worlds
from lawsmith.oracle.server import MOST_BYTES, make_server
from lawsmith.release.bundle import export_release, read_public, read_release
from schemas.task import Setting


@pytest.fixture(scope="module")
def oracle(historical_release: Path) -> Iterator[OracleClient]:
    with oracle_process(historical_release) as client:
        yield client


def task_of(release: Path, environment: str) -> str:
    sealed = read_release(release).sealed
    assert sealed is not None
    return next(
        k.id for k in sealed.keys if (k.environment, k.setting) == (environment, "discovery")
    )


def raw(client: OracleClient, path: str, body: bytes, **headers: str) -> tuple[int, dict[str, Any]]:
    address = urlsplit(client.url)
    connection = http.client.HTTPConnection(str(address.hostname), address.port, timeout=30)
    try:
        connection.request("POST", path, body, {"Content-Type": "application/json", **headers})
        reply = connection.getresponse()
        return reply.status, json.loads(reply.read())
    finally:
        connection.close()


def test_it_serves_the_release_and_its_answers_are_the_fixed_observations(
    oracle: OracleClient, historical_release: Path
) -> None:
    assert oracle.describe() == {"release_id": "historical-0.1.0-dev", "tasks": 4}
    public = read_public(historical_release)
    for task in public.tasks:
        session = oracle.open(task.id)
        for row in public.fixed[task.id][:6]:
            inputs = dict(zip(("stretch", "width"), row.inputs, strict=True))
            answer = session.propose(inputs, ["pull"])
            assert answer.outputs == {"pull": row.outputs[0]}
        session.close()


def test_unrounded_readouts_agree_to_the_last_digit(temporal_release: Path) -> None:
    public = read_public(temporal_release)
    with oracle_process(temporal_release) as client:
        for task in public.tasks:
            session = client.open(task.id)
            for row in public.fixed[task.id]:
                inputs = dict(zip(("tilt", "gap"), row.inputs, strict=True))
                assert session.propose(inputs, ["speed"]).outputs == {"speed": row.outputs[0]}


def test_sessions_are_apart_and_safe_in_threads(
    oracle: OracleClient, historical_release: Path
) -> None:
    tasks = [task_of(historical_release, name) for name in ("original", "counterfactual")]
    inputs = {"stretch": 0.5, "width": 0.05}

    def ask(number: int) -> float:
        session = oracle.open(tasks[number % 2])
        values = {session.propose(inputs, ["pull"]).outputs["pull"] for _ in range(3)}
        session.close()
        (value,) = values
        return value

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(ask, range(16)))
    assert len(set(found[0::2])) == len(set(found[1::2])) == 1
    assert found[0] != found[1]


def test_rejections_hold_no_data_and_nothing_sealed(
    oracle: OracleClient, historical_release: Path
) -> None:
    session = oracle.open(task_of(historical_release, "counterfactual"))
    answer = session.propose({"stretch": 9.0, "width": 0.05}, ["pull"])
    assert (answer.accepted, answer.outputs) == (False, {})
    status, opened = raw(oracle, "/sessions", b'{"task_id":"t-0000000000000000"}')
    assert status == 404
    for text in (answer.diagnostic or "", json.dumps(opened), json.dumps(oracle.describe())):
        assert not re.search("original|counterfactual|stiff_band|400|relation", text)


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/sessions", b"{", 400),
        ("/sessions", b"[]", 400),
        ("/sessions", b'{"a":1,"a":2}', 400),
        ("/sessions", b'{"task_id":NaN}', 400),
        ("/sessions", b"\xff", 400),
        ("/sessions", b"[" * 60_000, 400),
        ("/sessions", b'{"task_id":7}', 404),
        ("/sessions", b" " * (MOST_BYTES + 1), 413),
        ("/sessions/9999/propose", b'{"inputs":{},"readouts":[]}', 404),
        ("/sessions/1/propose", b'{"inputs":[],"readouts":{}}', 400),
        ("/sessions/9999/close", b"{}", 404),
        ("/sealed/keys.jsonl", b"{}", 404),
    ],
)
def test_bad_requests_get_an_answer_and_the_process_lives(
    oracle: OracleClient, path: str, body: bytes, status: int
) -> None:
    found, data = raw(oracle, path, body)
    assert found == status
    assert set(data) == {"error"}
    assert oracle.describe()["tasks"] == 4


@pytest.mark.parametrize("budget", [0, -1, 1025, True, "4", 1.5])
def test_a_budget_is_a_count_up_to_the_cap(
    oracle: OracleClient, historical_release: Path, budget: object
) -> None:
    task = task_of(historical_release, "original")
    body = json.dumps({"task_id": task, "budget": budget}).encode()
    assert raw(oracle, "/sessions", body)[0] == 400


def test_the_budget_is_kept_by_the_server(oracle: OracleClient, historical_release: Path) -> None:
    session = oracle.open(task_of(historical_release, "original"), budget=1)
    good = {"stretch": 0.2, "width": 0.05}
    assert session.propose(good, ["pull"]).ended == "capped"
    late = session.propose(good, ["pull"])
    assert (late.accepted, late.ended) == (False, "capped")
    session.close()
    with pytest.raises(OracleFaultError, match="no open session"):
        session.propose(good, ["pull"])


def test_it_serves_loopback_and_whole_releases_only(
    historical_release: Path, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="not loopback"):
        make_server(historical_release, host="0.0.0.0")
    with pytest.raises(PrerequisiteError, match="no release"):
        make_server(tmp_path)
    copy = export_release(historical_release, tmp_path, public_only=True)
    with pytest.raises(PrerequisiteError, match="no sealed tree"):
        make_server(copy)
    done = subprocess.run(
        [sys.executable, "-m", "lawsmith.oracle.server", str(copy)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "serve the whole release" in done.stderr


def test_an_absent_oracle_is_an_infrastructure_fault() -> None:
    with pytest.raises(OracleFaultError, match="no answer"):
        OracleClient("http://127.0.0.1:9", timeout=5).describe()


@pytest.mark.parametrize("setting", ["discovery", "identification"])
def test_an_export_of_one_setting_is_served(
    historical_release: Path, data_release: Path, tmp_path: Path, setting: Setting
) -> None:
    copy = export_release(historical_release, tmp_path, setting=setting)
    wanted = {task.id for task in read_public(historical_release).tasks if task.setting == setting}
    with oracle_process(copy) as client:
        assert client.describe()["tasks"] == len(wanted) == 2
        public = read_public(copy)
        for task in public.tasks:
            row = public.fixed[task.id][0]
            answer = client.open(task.id).propose(
                dict(zip(("stretch", "width"), row.inputs, strict=True)), ["pull"]
            )
            assert answer.outputs == {"pull": row.outputs[0]}
    # Tasks on real data have no setting: a copy keeps them.
    served = load_worlds(export_release(data_release, tmp_path / "data", setting=setting))
    assert served.parallel.keys() == load_worlds(data_release).parallel.keys()


def test_a_table_that_no_export_left_out_is_missed(
    samples: ModuleType, historical_release: Path, tmp_path: Path
) -> None:
    copy = samples.writable_copy(historical_release, tmp_path / historical_release.name)
    (copy / "public/identification.jsonl").unlink()
    with pytest.raises(IntegrityError, match=r"identification\.jsonl: is missing"):
        load_worlds(copy)


def test_the_process_ends_on_a_signal_that_its_parent_ignores(
    temporal_release: Path, tmp_path: Path
) -> None:
    with subprocess.Popen(
        [
            *(sys.executable, "-m", "lawsmith.oracle.server", str(temporal_release)),
            *("--record", str(tmp_path / "record")),
        ],
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGTERM, signal.SIG_IGN),  # noqa: PLW1509
    ) as process:
        assert process.stdout is not None
        assert "url" in process.stdout.readline()
        process.terminate()
        assert process.wait(timeout=60) == 0
