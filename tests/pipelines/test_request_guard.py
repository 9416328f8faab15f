"""No page of the web commands or reads the UI: real HTTP against Dagster's real web server."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest
import uvicorn
from dagster._core.workspace.context import WorkspaceProcessContext
from dagster._core.workspace.load_target import EmptyWorkspaceTarget
from dagster_webserver.app import create_app_from_workspace_process_context

from pipelines.request_guard import RequestGuard

ROOT = Path(__file__).resolve().parents[2]
JSON = {"Content-Type": "application/json"}
QUERY = json.dumps({"query": "{ version }"})
MUTATION = json.dumps(
    {"query": "mutation { setNuxSeen }"},
)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """Dagster's web server behind the guard, without a code location."""
    home = tmp_path_factory.mktemp("dagster")
    port = _free_port()
    with (
        dg.DagsterInstance.local_temp(str(home)) as instance,
        WorkspaceProcessContext(instance, EmptyWorkspaceTarget()) as workspace,
    ):
        app = create_app_from_workspace_process_context(workspace)
        server = uvicorn.Server(
            uvicorn.Config(
                RequestGuard(app, port=port), host="127.0.0.1", port=port, log_level="error"
            )
        )
        thread = threading.Thread(target=server.run)
        thread.start()
        while not server.started:
            time.sleep(0.02)
        yield port
        server.should_exit = True
        thread.join()


def asked(
    port: int,
    method: str,
    path: str,
    headers: dict[str, str] | None = None,
    body: str | None = None,
) -> tuple[int, str]:
    """Status and body of one request; its Host is the server's unless the headers have one."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request(method, path, body=body, headers=headers or {})
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST"])
def test_the_ui_itself_is_answered(port: int, host: str) -> None:
    own = {"Host": f"{host}:{port}"}
    assert asked(port, "GET", "/server_info", own)[0] == 200
    assert asked(port, "GET", "/", {**own, "Accept": "text/html"})[0] == 200
    page = {
        **own,
        **JSON,
        "Origin": f"http://{host}:{port}",
        "Referer": f"http://{host}:{port}/assets",
        "Sec-Fetch-Site": "same-origin",
    }
    status, body = asked(port, "POST", "/graphql", page, QUERY)
    assert (status, set(json.loads(body)["data"])) == (200, {"version"})
    assert asked(port, "POST", "/graphql", {**own, **JSON}, MUTATION)[0] == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "evil.example:{port}"},
        {"Host": "127.0.0.1.evil.example:{port}"},
        {"Host": "127.0.0.1"},
        {"Host": "127.0.0.1:1"},
        {"Host": ""},
        {"Host": "0.0.0.0:{port}"},
        {"Origin": "http://evil.example"},
        {"Origin": "https://127.0.0.1:{port}"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "http://127.0.0.1:{port}.evil.example"},
        {"Origin": "null"},
        {"Referer": "http://evil.example/page"},
        {"Referer": "http://[::1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/graphql", QUERY),
        ("POST", "/graphql", MUTATION),
        ("GET", "/server_info", None),
        ("GET", "/assets", None),
        ("POST", "/report_asset_materialization/cards", "{}"),
    ],
)
def test_foreign_pages_are_refused(
    port: int, method: str, path: str, body: str | None, headers: dict[str, str]
) -> None:
    given = {name: value.format(port=port) for name, value in headers.items()}
    status, said = asked(port, method, path, {**JSON, **given}, body)
    assert status in {400, 403}
    assert "version" not in said


@pytest.mark.parametrize(
    "path",
    [
        "/graphql?query=mutation%7BsetNuxSeen%7D",
        "/graphql?query=%7Bversion%7D",
        "/graphql/?query=mutation%7BsetNuxSeen%7D",
        "/%67raphql?query=mutation%7BsetNuxSeen%7D",
        "/graphql?variables=%7B%7D&query=mutation%7BsetNuxSeen%7D",
    ],
)
@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH"])
def test_nothing_is_asked_in_an_address(port: int, method: str, path: str) -> None:
    assert asked(port, method, path)[0] == 403


@pytest.mark.parametrize(
    "kind",
    [
        "text/plain",
        "text/plain; application/json",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/graphql",
        "",
    ],
)
def test_what_a_form_can_send_is_refused(port: int, kind: str) -> None:
    assert asked(port, "POST", "/graphql", {"Content-Type": kind}, MUTATION)[0] == 403
    path = "/report_asset_materialization/cards"
    assert asked(port, "POST", path, {"Content-Type": kind}, "{}")[0] == 403


@pytest.mark.parametrize(
    ("origin", "status"),
    [("http://127.0.0.1:{port}", 101), ("http://evil.example", 403), ("null", 403)],
)
def test_a_foreign_page_opens_no_web_socket(port: int, origin: str, status: int) -> None:
    headers = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
        "Sec-WebSocket-Protocol": "graphql-ws",
        "Origin": origin.format(port=port),
    }
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", "/graphql", headers=headers)
    assert connection.getresponse().status == status
    connection.close()


@pytest.mark.long
def test_the_command_serves_guarded_and_ends_when_told(tmp_path: Path) -> None:
    port = _free_port()
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("LAWSMITH_", "DAGSTER_"))
    }
    command = [sys.executable, "-m", "lawsmith", "ui", "--port", str(port)]
    process = subprocess.Popen(
        command, cwd=ROOT, env={**environment, "LAWSMITH_HOME": str(tmp_path / "home")}
    )
    try:
        status = 0
        for _ in range(900):
            time.sleep(0.2)
            assert process.poll() is None
            try:
                status, _body = asked(port, "GET", "/server_info")
                break
            except OSError:
                continue
        assert status == 200
        start = "mutation{startSchedule(scheduleSelector:{repositoryName:%22__repository__%22})}"
        assert asked(port, "GET", f"/graphql?query={start}")[0] == 403
        foreign = {**JSON, "Host": "evil.example", "Origin": "http://evil.example"}
        assert asked(port, "POST", "/graphql", foreign, QUERY)[0] == 403
        assert asked(port, "POST", "/graphql", JSON, QUERY)[0] == 200
        # The definitions are there, so it is the UI of this project.
        nodes = json.dumps({"query": "{ assetNodes { id } }"})
        assert "cards" in asked(port, "POST", "/graphql", JSON, nodes)[1]
    finally:
        process.send_signal(signal.SIGTERM)
        ended = process.wait(90)
    assert ended == 0
    with pytest.raises(OSError, match=r"refused|reset"):
        asked(port, "GET", "/server_info")
