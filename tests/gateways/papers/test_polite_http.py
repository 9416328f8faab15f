"""One pace for all requests, limits on every body, downloads that go on where they broke."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lawsmith.gateways.papers.pace import Pace
from lawsmith.gateways.papers.polite_http import DownloadError, PoliteSession

Net = Any
Stub = Any
Clock = Any
Make = Callable[..., PoliteSession]
BODY = b"%PDF-1.7 " + bytes(range(256)) * 40 + b"%%EOF"
STATE = {"ETag": '"one"'}


def fine(_path: Path) -> str | None:
    return None


@pytest.fixture
def session(tmp_path: Path, clock: Clock) -> Make:
    def make(**limits: Any) -> PoliteSession:
        pace = Pace(tmp_path / "pace", 3.0, clock=clock, sleep=clock.sleep)
        terms = {"timeouts": (1.0, 0.2), "max_bytes": 1_000_000, **limits}
        return PoliteSession(pace, contact="curator@example.org", **terms)

    return make


@pytest.fixture
def address(stub: Stub) -> str:
    return f"http://127.0.0.1:{stub.port}/pdf/1"


def test_sessions_share_one_pace(tmp_path: Path, clock: Clock) -> None:
    paces = [Pace(tmp_path / "p", 3.0, clock=clock, sleep=clock.sleep) for _ in range(2)]
    paces[0].wait()
    clock.now += 1
    paces[1].wait()
    assert clock.slept == [2.0]
    clock.now += 10
    paces[0].wait()
    assert clock.slept == [2.0]
    # A clock that was set back must not stop everything until it has caught up.
    clock.now -= 1000
    paces[1].wait()
    assert clock.slept == [2.0, 3.0]


_TAKE_TURNS = """
import sys
from pathlib import Path
from lawsmith.gateways.papers.pace import Pace

folder, delay, turns = Path(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
clock = folder / "clock"


def now() -> float:
    return float(clock.read_text())


def sleep(seconds: float) -> None:
    clock.write_text(repr(now() + seconds))


pace = Pace(folder / "pace", delay, clock=now, sleep=sleep)
for _ in range(turns):
    pace.wait()
    with (folder / "sent").open("a") as stream:
        stream.write(pace.path.read_text() + "\\n")
"""


def test_processes_share_one_pace(tmp_path: Path) -> None:
    """Two processes and one clock that only sleeping moves: it is moved under the lock alone."""
    (tmp_path / "clock").write_text("1000.0")
    command = [sys.executable, "-c", _TAKE_TURNS, str(tmp_path), "3.0", "20"]
    running = [subprocess.Popen(command) for _ in range(2)]
    assert [process.wait(60) for process in running] == [0, 0]
    assert float((tmp_path / "pace").read_text()) == 1000.0 + 39 * 3.0
    assert len((tmp_path / "sent").read_text().splitlines()) == 40


def test_a_pause_that_a_server_asked_for_holds_all(tmp_path: Path, clock: Clock) -> None:
    paces = [Pace(tmp_path / "p", 3.0, clock=clock, sleep=clock.sleep) for _ in range(2)]
    paces[0].wait()
    paces[0].wait(at_least=30.0)
    paces[1].wait()
    assert clock.slept == [30.0, 3.0]


def test_a_download_goes_on_where_it_broke(
    stub: Stub, session: Make, address: str, tmp_path: Path, net: Net
) -> None:
    stub.files = {"/pdf/1": (200, BODY, STATE)}
    stub.faults = [(200, BODY, {**STATE, **net.CUT})]
    path = tmp_path / "paper.pdf"
    session().save(address, path, fine)
    assert path.read_bytes() == BODY
    assert stub.ranges == [f"bytes={len(BODY) // 2}-"]
    assert sorted(item.name for item in tmp_path.iterdir() if "paper" in item.name) == ["paper.pdf"]


def test_the_next_run_goes_on_too(
    stub: Stub, session: Make, address: str, tmp_path: Path, net: Net
) -> None:
    path = tmp_path / "paper.pdf"
    stub.faults = [(200, BODY, {**STATE, **net.CUT}), *[(503, b"", {})] * 3]
    with pytest.raises(DownloadError, match="4 tries"):
        session().save(address, path, fine)
    assert not path.exists()
    stub.files = {"/pdf/1": (200, BODY, STATE)}
    session().save(address, path, fine)
    assert path.read_bytes() == BODY
    assert stub.ranges[-1] == f"bytes={len(BODY) // 2}-"


def test_another_state_is_fetched_from_the_start(
    stub: Stub, session: Make, address: str, tmp_path: Path, net: Net
) -> None:
    other = BODY[::-1] + b"%%EOF"
    stub.files = {"/pdf/1": (200, other, {"ETag": '"two"'})}
    stub.faults = [(200, BODY, {**STATE, **net.CUT})]
    session().save(address, tmp_path / "paper.pdf", fine)
    assert (tmp_path / "paper.pdf").read_bytes() == other


@pytest.mark.parametrize("headers", [{}, {"ETag": 'W/"one"'}])
def test_a_state_without_a_strong_name_is_not_continued(
    stub: Stub, session: Make, address: str, tmp_path: Path, net: Net, headers: dict[str, str]
) -> None:
    stub.files = {"/pdf/1": (200, BODY, headers)}
    stub.faults = [(200, BODY, {**headers, **net.CUT})]
    session().save(address, tmp_path / "paper.pdf", fine)
    assert (tmp_path / "paper.pdf").read_bytes() == BODY
    assert stub.ranges == []


@pytest.mark.parametrize(
    "answer",
    [
        (416, b"", {}),
        (206, BODY[5:], {"Content-Range": f"bytes 5-{len(BODY) - 1}/{len(BODY)}"}),
        (206, BODY[9:], {"Content-Range": "nonsense"}),
        (200, b"<html>", STATE),
    ],
)
def test_a_wrong_part_is_dropped(
    stub: Stub, session: Make, address: str, tmp_path: Path, net: Net, answer: Any
) -> None:
    stub.files = {"/pdf/1": (200, BODY, STATE)}
    stub.faults = [(200, BODY, {**STATE, **net.CUT}), answer]

    def check(path: Path) -> str | None:
        return None if path.read_bytes() == BODY else "other bytes"

    session().save(address, tmp_path / "paper.pdf", check)
    assert (tmp_path / "paper.pdf").read_bytes() == BODY


def test_a_body_that_trickles_is_given_up(
    stub: Stub, session: Make, address: str, clock: Clock
) -> None:
    stub.files = {"/pdf/1": (200, BODY, {})}
    clock.tick = 100.0
    with pytest.raises(DownloadError, match="took longer than 50 s"):
        session(max_seconds=50.0).fetch(address)


def test_a_server_that_never_answers_is_given_up(
    stub: Stub, session: Make, address: str, net: Net
) -> None:
    stub.faults = [(200, b"", net.HANG)] * 4
    with pytest.raises(DownloadError, match="Timeout"):
        session().fetch(address)


def test_a_body_beyond_the_limit_is_refused_at_once(
    stub: Stub, session: Make, address: str, tmp_path: Path
) -> None:
    stub.files = {"/pdf/1": (200, BODY, STATE)}
    for ask in (
        lambda: session(max_bytes=100).fetch(address),
        lambda: session(max_bytes=100).save(address, tmp_path / "paper.pdf", fine),
    ):
        with pytest.raises(DownloadError, match="longer than 100 bytes"):
            ask()
    assert len(stub.asked) == 2
    assert not list(tmp_path.glob("paper.pdf*part"))


def test_redirections_wait_for_their_turn(
    stub: Stub, session: Make, address: str, clock: Clock
) -> None:
    stub.files = {"/pdf/1": (302, b"", {"Location": "/pdf/2"}), "/pdf/2": (200, b"there", {})}
    assert session().fetch(address) == b"there"
    assert clock.slept == [3.0]
    stub.files["/pdf/2"] = (302, b"", {"Location": "/pdf/1"})
    with pytest.raises(DownloadError, match="more than 5 redirections"):
        session().fetch(address)
