"""Files of JSON lines that a kill tore: nothing whole is lost, nothing torn is read."""

from pathlib import Path

import pytest

from lawsmith.runs.json_lines import drop_torn_line, whole_lines
from lawsmith.stages.playing import read_episodes
from lawsmith.stages.submissions import stored_submissions

LINES = ['{"a":1}', '{"b":"ü\\u2028é"}', '{"c":[1,2]}']
DATA = "".join(f"{line}\n" for line in LINES).encode()


@pytest.mark.parametrize("size", range(len(DATA) + 1))
def test_a_file_cut_at_any_byte_can_be_gone_on_with(tmp_path: Path, size: int) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(DATA[:size])
    kept = whole_lines(path)
    assert kept == LINES[: len(kept)]
    assert len(kept) >= DATA[:size].count(b"\n")
    drop_torn_line(path)
    with path.open("a", encoding="utf-8") as out:
        out.write('{"new":true}\n')
    assert whole_lines(path) == [*kept, '{"new":true}']
    assert path.read_bytes().endswith(b"\n")


def test_no_file_has_no_lines(tmp_path: Path) -> None:
    assert whole_lines(tmp_path / "absent") == []
    drop_torn_line(tmp_path / "absent")
    assert not (tmp_path / "absent").exists()


@pytest.mark.parametrize(
    ("name", "read"), [("episodes", read_episodes), ("submissions", stored_submissions)]
)
@pytest.mark.parametrize("torn", [b'{"id":"t-00', b'{"id":"\xc3', b"{", b'{"a":1'])
def test_a_torn_line_of_either_kind_is_no_answer(
    tmp_path: Path, name: str, read: object, torn: bytes
) -> None:
    (tmp_path / f"{name}.jsonl").write_bytes(torn)
    assert callable(read)
    assert read(tmp_path) == []
