"""The log: chained, on disk before it is told, whole after a kill, broken by any change."""

import hashlib
import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lawsmith.errors import IntegrityError, LockHeldError
from lawsmith.oracle.log import LogFaultError, OracleLog, is_log, read_log
from schemas.oracle_log import Closed, Started

NOW = "2026-11-30T00:00:00Z"


def closed(number: int) -> Closed:
    return Closed(trial=hashlib.sha256(str(number).encode()).hexdigest())


def written(path: Path, count: int = 5) -> OracleLog:
    log = OracleLog(path)
    for number in range(count):
        log.commit(log.append(closed(number), NOW))
    return log


def test_each_line_carries_the_hash_of_the_line_before(tmp_path: Path) -> None:
    log = written(tmp_path / "log.jsonl")
    lines = (tmp_path / "log.jsonl").read_bytes().split(b"\n")
    assert lines.pop() == b""
    before = "0" * 64
    for line in lines:
        assert json.loads(line)["previous"] == before
        before = hashlib.sha256(line).hexdigest()
    assert log.head == before
    log.close()
    assert is_log(tmp_path / "log.jsonl")


def test_what_was_committed_is_in_the_file_at_once(tmp_path: Path) -> None:
    log = OracleLog(tmp_path / "log.jsonl")
    first = log.append(closed(1), NOW)
    second = log.append(closed(2), NOW)
    assert (tmp_path / "log.jsonl").read_bytes() == b""
    log.commit(first)
    assert [line.event for _, line in read_log(tmp_path / "log.jsonl")[0]] == [closed(1), closed(2)]
    log.commit(second)
    log.close()


def test_many_threads_make_one_chain(tmp_path: Path) -> None:
    log = OracleLog(tmp_path / "log.jsonl")
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda n: log.commit(log.append(closed(n), NOW)), range(200)))
    log.close()
    events, head, _ = read_log(tmp_path / "log.jsonl")
    assert head == log.head
    assert {line.event for _, line in events} == {closed(n) for n in range(200)}


def test_one_log_has_one_writer_that_goes_on_where_it_ended(tmp_path: Path) -> None:
    log = written(tmp_path / "log.jsonl", 2)
    with pytest.raises(LockHeldError, match="another Oracle"):
        OracleLog(tmp_path / "log.jsonl")
    log.close()
    with pytest.raises(LogFaultError):
        log.append(closed(9), NOW)
    written(tmp_path / "log.jsonl", 2).close()
    assert len(read_log(tmp_path / "log.jsonl")[0]) == 4


@pytest.mark.parametrize("cut", [1, 40, 100])
def test_what_a_kill_left_of_the_last_line_is_cut_off(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "log.jsonl"
    written(path, 3).close()
    whole = path.read_bytes()
    path.write_bytes(whole[:-cut])
    log = OracleLog(path)
    assert len(log.events) == 2
    log.commit(log.append(closed(2), NOW))
    log.close()
    assert path.read_bytes() == whole


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_other_byte_in_a_line_but_the_last_is_refused_with_its_number(
    tmp_path: Path, data: st.DataObject
) -> None:
    path = tmp_path / "log.jsonl"
    path.unlink(missing_ok=True)
    written(path, 4).close()
    whole = path.read_bytes()
    lines = whole.split(b"\n")[:-1]
    before_last = len(whole) - len(lines[-1]) - 1
    place = data.draw(st.integers(0, before_last - 1))
    other = data.draw(st.integers(0, 255).filter(lambda value: value != whole[place]))
    path.write_bytes(whole[:place] + bytes([other]) + whole[place + 1 :])
    number = whole[:place].count(b"\n") + 1
    with pytest.raises(IntegrityError) as caught:
        read_log(path)
    # A changed line shows there or, where it still reads, in the line after it.
    assert caught.value.path in {f"{path}:{number}", f"{path}:{number + 1}"}


@pytest.mark.parametrize("change", ["lose", "double", "swap", "insert"])
def test_lines_cannot_be_lost_doubled_swapped_or_put_in(tmp_path: Path, change: str) -> None:
    path = tmp_path / "log.jsonl"
    written(path, 4).close()
    lines = path.read_bytes().split(b"\n")[:-1]
    changed = {
        "lose": [lines[0], *lines[2:]],
        "double": [lines[0], lines[1], lines[1], *lines[2:]],
        "swap": [lines[0], lines[2], lines[1], lines[3]],
        "insert": [*lines[:2], lines[1].replace(b"closed", b"expired"), *lines[2:]],
    }[change]
    path.write_bytes(b"\n".join(changed) + b"\n")
    with pytest.raises(IntegrityError, match=r"log\.jsonl:\d"):
        read_log(path)


def test_a_log_that_cannot_be_written_answers_nothing_more(tmp_path: Path) -> None:
    log = written(tmp_path / "log.jsonl", 1)
    started = Started(release_id="r", release_digest="0" * 64, nonce="0" * 32)
    place = log.append(started, NOW)
    # A device that is always full stands in for a full disk.
    log._file = os.open("/dev/full", os.O_WRONLY)
    with pytest.raises(LogFaultError, match="cannot be written"):
        log.commit(place)
    with pytest.raises(LogFaultError):
        log.append(started, NOW)
    with pytest.raises(LogFaultError):
        log.commit(place)
