"""Calibrated worlds behind the Oracle's door, beside the paired tasks of one release."""

import http.client
import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest

from lawsmith.calibration.discipline import handed_in
from lawsmith.calibration.fitting.fits import fit
from lawsmith.calibration.problems.records import records_of
from lawsmith.calibration.real_scores import space_of_task
from lawsmith.errors import IntegrityError
from lawsmith.evaluation.calibrated import read_submission, score_submission
from lawsmith.oracle.client import OracleClient, OracleFaultError, oracle_process
from lawsmith.oracle.sealed import load_worlds
from lawsmith.release.bundle import read_public
from lawsmith.release.calibrated_background import sealed_texts
from schemas.expression import to_wire


@pytest.fixture(scope="module")
def release(
    historical_release: Path, problems: ModuleType, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    target = tmp_path_factory.mktemp("mixed") / "release"
    both = (problems.SINGLE, problems.GROUPED)
    folder: Path = problems.with_worlds(historical_release, target, both)
    return folder


@pytest.fixture(scope="module")
def oracle(release: Path) -> Iterator[OracleClient]:
    with oracle_process(release) as client:
        yield client


def raw(client: OracleClient, path: str, body: bytes, **headers: str) -> tuple[int, dict[str, Any]]:
    address = urlsplit(client.url)
    connection = http.client.HTTPConnection(str(address.hostname), address.port, timeout=30)
    try:
        connection.request("POST", path, body, {"Content-Type": "application/json", **headers})
        reply = connection.getresponse()
        return reply.status, json.loads(reply.read())
    finally:
        connection.close()


def middle(problems: ModuleType, problem_id: str) -> dict[str, float]:
    """A point where the first group of a world has records."""
    world = problems.tasks(problem_id).world
    return {a.control: (a.low * a.high) ** 0.5 or a.high / 2 for a in world.groups[0].axes}


def test_one_server_answers_paired_and_parallel_tasks(
    oracle: OracleClient, release: Path, problems: ModuleType
) -> None:
    assert oracle.describe()["tasks"] == 6
    paired = read_public(release).tasks[0]
    assert oracle.open(paired.id).propose({"stretch": 0.5, "width": 0.05}, ["pull"]).accepted
    task = problems.parallel_of(problems.tasks(problems.SINGLE))
    trial = oracle.open_parallel(task.id)
    answer = trial.query([middle(problems, problems.SINGLE)] * 2, samples=3)
    assert answer.accepted
    assert len(answer.rows) == 6
    assert all(row.output > 0 for row in answer.rows)
    trial.close()
    with pytest.raises(OracleFaultError, match="no open session"):
        trial.query([middle(problems, problems.SINGLE)])


def test_grouped_worlds_take_public_labels(oracle: OracleClient, problems: ModuleType) -> None:
    task = problems.parallel_of(problems.tasks(problems.GROUPED))
    trial = oracle.open_parallel(task.id)
    point = middle(problems, problems.GROUPED)
    assert trial.query([point], group=task.groups[0]).accepted
    refused = trial.query([point], group="treated")
    assert (refused.accepted, refused.calls_left) == (False, 9)


def test_kinds_of_session_are_not_mixed(
    oracle: OracleClient, release: Path, problems: ModuleType
) -> None:
    parallel = oracle.open_parallel(problems.tasks(problems.SINGLE).parallel.id)
    paired = oracle.open(read_public(release).tasks[0].id)
    wrong = [
        (f"/sessions/{parallel.name}/propose", b'{"inputs": {}, "readouts": []}'),
        (f"/sessions/{paired.name}/query", b'{"points": []}'),
    ]
    for path, body in wrong:
        status, answer = raw(oracle, path, body)
        assert (status, set(answer)) == (400, {"error"})


def test_bodies_that_are_no_request_cost_nothing(
    oracle: OracleClient, problems: ModuleType
) -> None:
    trial = oracle.open_parallel(problems.tasks(problems.SINGLE).parallel.id)
    path = f"/sessions/{trial.name}/query"
    for body, expected in (
        (b"", 400),
        (b"points", 400),
        (b'{"points": [{"body": NaN}]}', 400),
        (b'{"points": [{"body": Infinity}]}', 400),
        (b'{"points": [{"body": 1.0, "body": 2.0}]}', 400),
        (b"[]", 400),
        (b"[" * 5000, 400),
        (b'{"points": [{"body": 1e999}]}', 200),
        (b'{"points": "all", "group": {}, "samples": []}', 200),
    ):
        status, answer = raw(oracle, path, body)
        assert status == expected, body[:40]
        assert answer.get("error")
    status, answer = raw(oracle, path, b"", **{"Content-Length": "1" * 40})
    assert status == 413
    assert trial.query([middle(problems, problems.SINGLE)]).calls_left == 9


def test_a_parallel_task_has_the_budget_that_it_states(
    oracle: OracleClient, problems: ModuleType
) -> None:
    task = problems.parallel_of(problems.tasks(problems.SINGLE))
    status, opened = raw(oracle, "/sessions", json.dumps({"task_id": task.id}).encode())
    assert status == 200
    assert opened["budget"]["rows"] == task.budget.rows
    for extra in ({"budget": 10_000}, {"seed": 1}):
        status, _ = raw(oracle, "/sessions", json.dumps({"task_id": task.id, **extra}).encode())
        assert status == 400


def test_a_player_who_has_the_form_gets_full_marks_from_readings_alone(
    oracle: OracleClient, problems: ModuleType
) -> None:
    found = problems.tasks(problems.SINGLE)
    task, law = found.parallel, problems.built(problems.SINGLE).built.hidden
    (control,) = task.controls
    trial = oracle.open_parallel(task.id)
    points = np.geomspace(control.low, control.high, 100).clip(control.low, control.high)
    for part in np.split(points, 10):
        assert trial.query([{control.name: x} for x in part.tolist()], samples=3).accepted
    calls = trial.history()
    rows = [row for call in calls for row in call.rows]
    records = records_of({control.name: [r.inputs[0] for r in rows]}, [r.output for r in rows])
    fitted = fit(law.law, law.constants, records, space_of_task(task))
    text = json.dumps(
        {
            "expression": to_wire(handed_in(law.law, law.constants)[0]),
            "shared": {name: fitted.values("")[name] for name in fitted.shared},
        }
    )
    entry = read_submission(text, task, release_id="r", player="p", calls=calls)
    score = score_submission(entry, task, found.parallel_key, world=found.world)
    assert (score.valid, score.structure) == (True, 1.0)


@pytest.mark.parametrize("problem_id", ["brain_body", "puromycin"])
def test_nothing_it_sends_names_a_problem_or_a_law(
    oracle: OracleClient, problems: ModuleType, problem_id: str
) -> None:
    task = problems.parallel_of(problems.tasks(problem_id))
    sent: list[str] = [json.dumps(oracle.describe())]
    _, opened = raw(oracle, "/sessions", json.dumps({"task_id": task.id}).encode())
    sent.append(json.dumps(opened))
    path = f"/sessions/{opened['session']}/query"
    point = middle(problems, problem_id)
    group = task.groups[0] if task.groups else None
    bodies: list[dict[str, Any]] = [
        {"points": [point], "group": group},
        {"points": [dict.fromkeys(point, 1e300)], "group": group},
        {"points": [point], "group": "treated"},
        {"points": [{}], "group": group},
    ]
    sent += [json.dumps(raw(oracle, path, json.dumps(body).encode())) for body in bodies]
    sent.append(json.dumps(oracle._ask(f"sessions/{opened['session']}", None)))
    whole = "\n".join(sent).replace("'treated'", "").lower()
    problem = problems.loaded(problem_id).problem
    for name in (*sealed_texts(problem), *(law.id for law in problem.laws), "residual", "constant"):
        assert name.lower() not in whole, name


def test_a_world_that_is_not_its_keys_is_not_served(release: Path, problems: ModuleType) -> None:
    pool = release / "sealed" / "worlds" / f"{problems.SINGLE}.parquet"
    data = pool.read_bytes()
    try:
        pool.write_bytes(data + b"\0")
        with pytest.raises(IntegrityError, match="sha256"):
            load_worlds(release)
    finally:
        pool.write_bytes(data)
