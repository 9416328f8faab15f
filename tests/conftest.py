"""One store that the real main job filled, shared by the tests of stages, assets and jobs."""

import importlib.util
import json
import os
import pickle
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event
from types import ModuleType
from typing import Any
from unittest.mock import patch

import pytest
from filelock import FileLock
from hypothesis import settings

from lawsmith.curation.packets import PacketLimits, packet_of_paper
from lawsmith.gateways.papers.opening import open_source
from lawsmith.release.bundle import write_release
from lawsmith.runs.context import StageContext
from lawsmith.runs.dispositions import all_dispositions
from lawsmith.runs.opening import AMBIENT, Ambient, open_context
from lawsmith.stages import cards, families, packets, publications, reviews, sources, worlds
from schemas.packet import Packet
from schemas.review import CARD_CRITERIA, CASE_CRITERIA
from schemas.source import Disposition, Window

# Time limits of single examples fail on a busy machine and say nothing of the code.
settings.register_profile("lawsmith", deadline=None)
settings.load_profile("lawsmith")

ROOT = Path(__file__).resolve().parents[1]
NOW = "2026-11-05T06:00:00Z"
FEW = (
    "galileo_projectile",
    "kleiber_metabolism",
    "newton_gravity_field",
    "rydberg_series",
)
"""Historical families of the shared store: two readouts, choices, a joint limit, a distractor."""
FEW_PROBLEMS = ("puromycin", "tree_volume")
"""Problems of the shared store: two groups with one control, one group with two."""
Data = dict[str, Any]


def load(path: Path) -> ModuleType:
    """A module of a test folder or of the sample; neither is a package."""
    name = f"loaded_{path.stem}"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


@dataclass(frozen=True)
class DataFolder:
    """A copy of the bundled data whose sample may be changed."""

    path: Path

    @property
    def sample(self) -> Path:
        return self.path / "sample"

    def replies(self) -> list[Data]:
        text = (self.sample / "replies.jsonl").read_text(encoding="utf-8")
        return [json.loads(line) for line in text.split("\n") if line]

    def write_replies(self, lines: Iterable[Data]) -> None:
        written = [json.dumps(line, ensure_ascii=False, sort_keys=True) for line in lines]
        text = "".join(f"{line}\n" for line in written)
        (self.sample / "replies.jsonl").write_text(text, encoding="utf-8")

    def only(self, *papers: str) -> None:
        """Keep some papers of the sample."""
        path = self.sample / "metadata.jsonl"
        lines = path.read_text(encoding="utf-8").split("\n")
        kept = [line for line in lines if line and json.loads(line)["id"] in papers]
        path.write_text("".join(f"{line}\n" for line in kept), encoding="utf-8")

    def reply(self, role: str, kind: str, subject: str, revision: int = 0) -> Data:
        """The recorded reply of a subject; packets by paper version."""
        return next(
            line
            for line in self.replies()
            if (line["role"], line["subject_kind"], line["revision"]) == (role, kind, revision)
            and (line["subject_id"] == subject or line["subject_id"].startswith(f"{subject}/"))
        )

    def edit(self, line: Data, text: str, **changes: object) -> Data:
        """Put an edited reply beside or in place of a recorded one; its model says so."""
        edited = {
            **line,
            **changes,
            "text": text,
            "model": f"{line['model'].removesuffix(' (edited)')} (edited)",
        }
        key = ("role", "subject_kind", "subject_id", "revision", "round")
        others = [
            item for item in self.replies() if [item[k] for k in key] != [edited[k] for k in key]
        ]
        self.write_replies([*others, edited])
        return edited


def copy_data(
    to: Path, historical: Sequence[str] = (), problems: Sequence[str] = FEW_PROBLEMS
) -> DataFolder:
    """The data folder again: the sample copied, all else linked; of cards and problems some."""
    to.mkdir(parents=True)
    for item in sorted((ROOT / "data").iterdir()):
        if item.name == "sample":
            shutil.copytree(item, to / item.name)
        elif item.name == "historical" and historical:
            (to / item.name).mkdir()
            for name in historical:
                (to / item.name / f"{name}.json").symlink_to(item / f"{name}.json")
        elif item.name == "problems":
            (to / item.name).mkdir()
            for name in (*(f"{one}.json" for one in problems), "rejected.json", "tables"):
                (to / item.name / name).symlink_to(item / name)
        elif item.name != "store":
            (to / item.name).symlink_to(item)
    return DataFolder(to)


@dataclass(frozen=True)
class Home:
    """One LAWSMITH_HOME over one data folder, under a fixed clock."""

    path: Path
    data: DataFolder
    at: str = NOW

    @contextmanager
    def entered(self) -> Iterator[None]:
        """The environment and clock of a command run in this home."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("LAWSMITH_", "DAGSTER_"))}
        given = {**kept, "LAWSMITH_HOME": str(self.path), "LAWSMITH_DATA": str(self.data.path)}
        with patch.dict(os.environ, given, clear=True):
            token = AMBIENT.set(Ambient(lambda _what, _done, _of: None, Event(), lambda: self.at))
            try:
                yield
            finally:
                AMBIENT.reset(token)

    def context(self, release_id: str | None = None) -> StageContext:
        """The context of the sample's collection, or of a release's."""
        with self.entered():
            return open_context(source="sample", release_id=release_id, run="test")

    def later(self, at: str) -> "Home":
        """The same home at another instant."""
        return replace(self, at=at)

    def run_stages(self, weeks: Sequence[str]) -> StageContext:
        """The Temporal stages in order, without the orchestrator."""
        with self.entered():
            context = self.context()
            for stage in (
                sources.run,
                packets.run,
                cards.run,
                reviews.run_card,
                families.run_temporal,
                reviews.run_case,
                worlds.run_temporal,
            ):
                stage(context, weeks)
            publications.run(context)
        return context

    def found(self, stage: str, subject: str) -> Disposition:
        """The newest disposition of a subject at a stage."""
        every = all_dispositions(self.context().store, "temporal-sample")
        of = [i for i in every if i.stage == stage and i.subject_id.startswith(subject)]
        return max(of, key=lambda item: item.at)


def packet_of(data: DataFolder, paper_version: str) -> Packet:
    """The packet of one sample paper."""
    home = Home(data.path.with_name("unused"), data)
    with home.entered():
        context = open_context(source="sample")
        source = open_source(context.settings, context.store, "sample")
        papers = source.harvest(Window(start="2026-01-01", end="2027-01-01")).papers
        paper = next(item for item in papers if item.id == paper_version)
        return packet_of_paper(paper, source.folder, limits=PacketLimits())


def accepting(packet: Packet, subject: str, **verdicts: str) -> Data:
    """A reviewer's reply that supports every criterion but those given."""
    numbered = enumerate(packet.lines, start=1)
    n, line = next((n, line) for n, line in numbered if len(line.split()) > 7 and n > 10)
    return {
        "criteria": [
            {
                "criterion": name,
                "verdict": verdicts.get(name, "supported"),
                "first_line": n,
                "last_line": n,
                "quote": " ".join(line.split()[1:7]),
                "reason": "edited for a test",
            }
            for name in (CARD_CRITERIA if subject == "card" else CASE_CRITERIA)
        ],
        "decision": "accept",
        "changes": None,
    }


@dataclass(frozen=True)
class Kit:
    """What the tests of these folders are made with."""

    root: Path
    home: type[Home] = Home
    load: Callable[[Path], ModuleType] = load
    copy_data: Callable[[Path], DataFolder] = copy_data
    packet_of: Callable[[DataFolder, str], Packet] = packet_of
    accepting: Callable[..., Data] = accepting


@pytest.fixture(scope="session")
def kit() -> Kit:
    return Kit(ROOT)


@pytest.fixture(scope="session")
def bundled() -> DataFolder:
    """The bundled data as they are; never changed."""
    return DataFolder(ROOT / "data")


@dataclass(frozen=True)
class MainJob:
    """A home that the main job filled once, and what it said."""

    home: Home
    outcome: Any


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One test of the shared store first, the others last: no worker waits for the filling."""
    needing = [item for item in items if "main_job" in getattr(item, "fixturenames", ())]
    rest = [item for item in items if item not in set(needing)]
    items[:] = [*needing[:1], *rest, *needing[1:]]


@pytest.fixture(scope="session")
def samples() -> ModuleType:
    """The cases that tests of releases, the Oracle and evaluation are made of."""
    return load(ROOT / "tests" / "release" / "samples.py")


@pytest.fixture(scope="session")
def problems() -> ModuleType:
    """Built problems, of which the tests of calibrated tasks are made."""
    return load(ROOT / "tests" / "calibration" / "built_problems.py")


@pytest.fixture(scope="session")
def historical_release(samples: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("historical")
    return write_release(root, samples.historical_content(), samples.NOW, "test").path


@pytest.fixture(scope="session")
def data_release(
    samples: ModuleType, problems: ModuleType, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A release of two problems alone: one table, and two groups."""
    root = tmp_path_factory.mktemp("data")
    made = tuple(samples.calibrated_problem(problems, one) for one in problems.BOTH)
    content = samples.historical_content(families=(), cards=(), problems=made)
    return write_release(root, content, samples.NOW, "test").path


@pytest.fixture(scope="session")
def temporal_release(samples: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("temporal")
    return write_release(root, samples.temporal_content(), samples.NOW, "test").path


@pytest.fixture(scope="session")
def main_job(tmp_path_factory: pytest.TempPathFactory) -> MainJob:
    """The main job in this process, over the whole sample and a few of the Historical cards.

    Parallel workers share one store: the first fills it, the others wait for it.
    """
    base = tmp_path_factory.getbasetemp()
    root = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "main-job"
    root.mkdir(exist_ok=True)
    home, told = Home(root / "home", DataFolder(root / "data")), root / "outcome.pickle"
    with FileLock(root / "lock"):
        if not told.is_file():
            copy_data(home.data.path, FEW)
            with home.entered():
                outcome = load(ROOT / "tests" / "pipelines" / "run_main_job.py").run_main_job()
            told.write_bytes(pickle.dumps(outcome))
        outcome = pickle.loads(told.read_bytes())  # noqa: S301 - written just above
    return MainJob(home, outcome)


@pytest.fixture
def empty_home(bundled: DataFolder, tmp_path: Path) -> Home:
    """A home that nothing has run in, over the bundled data."""
    return Home(tmp_path / "empty", bundled)


@pytest.fixture
def home_copy(main_job: MainJob, tmp_path: Path) -> Home:
    """The filled home again, for tests that change it."""
    shutil.copytree(main_job.home.path, tmp_path / "home")
    return replace(main_job.home, path=tmp_path / "home")
