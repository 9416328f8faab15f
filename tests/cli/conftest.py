"""The command line run in this process, and folders of papers made from the bundled sample."""

import importlib.util
import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from lawsmith.cli import console, run
from lawsmith.runs.opening import AMBIENT, Ambient

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "data"
SHORT = "0009"
"""The sample paper that is done soonest: no relation, one reply."""


def _load(path: Path, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GATEWAYS = _load(ROOT / "tests" / "gateways" / "conftest.py", "loaded_gateways_conftest")
chat_server = GATEWAYS.chat_server
LOOPBACK = _load(ROOT / "tests" / "cli" / "loopback.py", "loaded_loopback")


@dataclass(frozen=True)
class Ended:
    """How one command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass
class Shell:
    """Commands against one home."""

    home: Path
    capture: pytest.CaptureFixture[str]
    monkeypatch: pytest.MonkeyPatch
    environ: dict[str, str] = field(default_factory=dict)

    def __call__(self, *arguments: str, **environ: str) -> Ended:
        """Run one command, with further variables if given."""
        with self.monkeypatch.context() as patch:
            for name in [*os.environ]:
                if name.startswith(("LAWSMITH_", "DAGSTER_")) or name.endswith("_API_KEY"):
                    patch.delenv(name)
            given = {"LAWSMITH_HOME": str(self.home), **self.environ, **environ}
            for name, value in given.items():
                patch.setenv(name, value)
            token = AMBIENT.set(Ambient(lambda _what, _done, _of: None, _no_event()))
            self.capture.readouterr()
            try:
                code = run(arguments)
            finally:
                AMBIENT.reset(token)
                console.Volume.level = 1
        out, err = self.capture.readouterr()
        return Ended(code, out, err)


def _no_event() -> Any:
    from threading import Event

    return Event()


@pytest.fixture
def lawsmith(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Shell:
    return Shell(tmp_path / "home", capsys, monkeypatch)


def _listed(names: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    text = (DATA / "sample" / "metadata.jsonl").read_text(encoding="utf-8")
    for line in text.split("\n"):
        if line and json.loads(line)["id"].removeprefix("sample:") in names:
            yield json.loads(line)


def make_folder(to: Path, *names: str) -> Path:
    """A folder source of some sample papers, under ids of its own."""
    to.mkdir(parents=True)
    lines = []
    for line in _listed(names):
        line["id"] = line["id"].replace("sample:", "folder:")
        for name in line["files"]:
            path = to / name
            path.parent.mkdir(parents=True, exist_ok=True)
            for source in (
                [DATA / "sample" / name]
                if not name.endswith(".tex")
                else (DATA / "sample" / name).parent.iterdir()
            ):
                (path.parent / source.name).write_bytes(source.read_bytes())
        lines.append(json.dumps(line, ensure_ascii=False) + "\n")
    (to / "metadata.jsonl").write_text("".join(lines), encoding="utf-8")
    return to


def make_data(to: Path) -> Path:
    """The bundled data again, its replies given under the ids of `make_folder`."""
    (to / "sample").mkdir(parents=True)
    for item in DATA.iterdir():
        if item.name not in {"sample", "store"}:
            (to / item.name).symlink_to(item)
    for item in (DATA / "sample").iterdir():
        if item.name != "replies.jsonl":
            (to / "sample" / item.name).symlink_to(item)
    replies = (DATA / "sample" / "replies.jsonl").read_text(encoding="utf-8")
    (to / "sample" / "replies.jsonl").write_text(
        replies.replace('"subject_id":"sample:', '"subject_id":"folder:'), encoding="utf-8"
    )
    return to


@dataclass(frozen=True)
class Papers:
    """One folder of papers with recorded replies to it."""

    folder: Path
    data: Path

    @property
    def source(self) -> str:
        return str(self.folder)


@pytest.fixture
def papers(tmp_path: Path, lawsmith: Shell) -> Callable[..., Papers]:
    """Makes a folder of sample papers; the shell then replays their replies."""

    def make(*names: str) -> Papers:
        made = Papers(
            make_folder(tmp_path / "papers", *(names or (SHORT,))), make_data(tmp_path / "data")
        )
        lawsmith.environ["LAWSMITH_DATA"] = str(made.data)
        return made

    return make


@pytest.fixture
def recorded_models(chat_server: Any, kit: Any, bundled: Any) -> Callable[..., Any]:
    """Makes the model server answer with the sample's recorded replies, after some faults."""

    def make(*names: str, faults: dict[tuple[str, str], list[Any]] | None = None) -> Any:
        ids = {line["id"]: line["version"] for line in _listed(names)}
        chat_server.decide = LOOPBACK.RecordedModels(
            answer=GATEWAYS.Answer,
            packets={
                paper.removeprefix("sample:"): kit.packet_of(bundled, f"{paper}v{version}")
                for paper, version in ids.items()
            },
            replies=bundled.replies(),
            faults=faults or {},
        )
        return chat_server.decide

    return make


@pytest.fixture
def answer() -> Any:
    """One answer of the model server."""
    return GATEWAYS.Answer


ARXIV = GATEWAYS.LOOPBACK_ARXIV
stub = ARXIV.stub


@pytest.fixture
def entry() -> Any:
    """One paper of the Atom server."""
    return ARXIV.Entry


@pytest.fixture
def sample_pdf() -> Callable[[str], bytes]:
    """The PDF of a sample paper, as `sample-0009`."""
    return lambda name: (DATA / "sample" / "papers" / f"{name}.pdf").read_bytes()
