"""Every command of the README, run in its order; the live ones against servers on loopback."""

import re
import shlex
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Shell = Any
ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
MADE = {"make refresh", "make test", "make ui"}
"""Commands that the Makefile turns into others."""
SERVED = "lawsmith oracle serve"


def commands(heading: str) -> list[str]:
    """The lines of the bash blocks below one heading."""
    part = README.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    blocks = re.findall(r"^```bash\n(.*?)^```", part, re.M | re.S)
    return [line for block in blocks for line in block.splitlines() if line]


HEADINGS = [
    heading
    for heading in re.findall(r"^## (.*)$", README, re.M)
    if "```bash" in README.split(f"\n## {heading}\n")[1].split("\n## ")[0]
]


def test_every_heading_with_commands_has_a_test() -> None:
    assert HEADINGS == [
        "Two commands",
        "The same job with real models",
        "The same job in Dagster",
        "Releases",
        "Evaluation",
        "Tasks on real data",
    ]


def test_every_link_and_picture_is_there() -> None:
    targets = re.findall(r"\]\(([^)]+)\)", README)
    assert targets
    for target in targets:
        assert (ROOT / target).exists(), target
    for picture in (ROOT / "docs" / "images").glob("*.png"):
        assert picture.stat().st_size < 150_000


def test_the_make_targets_are_what_the_readme_says() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for line in MADE:
        assert re.search(rf"^{line.removeprefix('make ')}: setup$", makefile, re.M)
    assert "$(BIN)/lawsmith refresh\n" in makefile
    assert re.search(r"^test: setup\n(?:\t.*\n)*\t.*\$\(BIN\)/pytest .*\n", makefile, re.M)


@pytest.fixture
def readme(lawsmith: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """The shell in an empty folder, as a reader's checkout is."""
    monkeypatch.chdir(tmp_path)
    lawsmith.home = tmp_path / "data" / "store"
    return lawsmith


def follow(shell: Shell, lines: list[str], codes: dict[str, int] | None = None) -> list[Any]:
    """Run the lines; exports and unsets act on the lines after them."""
    ended = []
    for line in lines:
        words = shlex.split(line)
        if words[0] == "export":
            name, _, value = words[1].partition("=")
            if name == "LAWSMITH_HOME":
                value = value.replace("$PWD", str(Path.cwd()))
            if name != "PATH":
                shell.environ[name] = value
        elif words[0] == "unset":
            for name in words[1:]:
                shell.environ.pop(name, None)
        elif line not in MADE and not line.startswith(SERVED):
            assert words[0] == "lawsmith", line
            done = shell(*words[1:])
            assert done.code == (codes or {}).get(line, 0), f"{line}\n{done.out}\n{done.err}"
            assert "Traceback" not in done.err
            ended.append(done)
    return ended


def copy_store(main_job: Any, shell: Shell) -> None:
    """What the main job left, in the store of the shell; the catalogue names paths and goes."""
    shutil.copytree(main_job.home.path, shell.home)
    (shell.home / "lawsmith.duckdb").unlink()
    shell.environ["LAWSMITH_DATA"] = str(main_job.home.data.path)


def test_two_commands_and_looking(readme: Shell, main_job: Any) -> None:
    lines = commands("Two commands")
    assert lines[:2] == ["make refresh", "make test"]
    # The main job of `make refresh` was run once for all tests; here it is found done.
    copy_store(main_job, readme)
    again = readme("refresh")
    status, explain, listed, shown, counted, config = follow(readme, lines[2:])
    assert "Papers" in again.out
    assert "Open next:" in again.out
    assert "sample:0009v1" in status.out
    assert "dimension_mismatch" in explain.out
    assert "sample:0001/r1" in listed.out
    assert "Relations" in shown.out
    assert "cards" in counted.out
    assert "models.extractor" in config.out


@pytest.mark.long
def test_real_models(
    readme: Shell,
    chat_server: Any,
    recorded_models: Callable[..., Any],
    stub: Any,
    entry: Any,
    sample_pdf: Callable[[str], bytes],
) -> None:
    models = recorded_models("0001", "0003", "0008", "0009")
    stub.entries = [entry("2610.00004", "2026-10-11T23:59:59Z")]
    stub.files = {"/pdf/2610.00004v1": (200, sample_pdf("sample-0009"), {})}
    readme.environ |= {
        "LAWSMITH_EXTRACTOR_API_BASE": chat_server.base,
        "LAWSMITH_REVIEWER_API_BASE": chat_server.base,
        "LAWSMITH_ARXIV_URL": f"http://127.0.0.1:{stub.port}/api/query",
        "LAWSMITH_ARXIV_DELAY": "0.01",
    }
    lines = commands("The same job with real models")
    dry, wet, dry_arxiv, wet_arxiv = follow(readme, lines)
    assert "extractor" in dry.out
    assert "written" in wet.out
    assert "temporal-2026.10.0-sample" in wet.out
    assert {model for model, _kind, _paper in models.calls} == {"gpt-4.1", "gpt-4.1-mini"}
    assert "calls to live models so far cost" in wet.out
    assert "1 papers" in dry_arxiv.out
    assert "arxiv:2610.00004v1" in wet_arxiv.out


def test_releases_and_evaluation(readme: Shell, main_job: Any, tmp_path: Path) -> None:
    copy_store(main_job, readme)
    # Without a reply to every case the sample has no Temporal release, and a cut says why.
    whole = any((readme.home / "releases").glob("temporal-*"))
    lines = commands("Releases")
    cut = next(line for line in lines if line.startswith("lawsmith release"))
    ended = follow(readme, lines, {cut: 0 if whole else 1})
    verified = ended[1]
    assert "every hash and figure holds" in verified.out
    public = tmp_path / "shared" / "historical-1.0.0-dev"
    assert [path.name for path in public.iterdir()] == ["public"]
    assert "are identical" in ended[3].out

    lines = commands("Evaluation")
    play = next(line for line in lines if "--oracle" in line)
    lines.remove(play)
    played, _mean, scored, reported, handed = follow(readme, lines)
    assert "16 trials of power-law" in handed.out
    assert "16 episodes played" in played.out
    assert "32 scores" in scored.out
    assert "strict implies form" in reported.out
    assert (tmp_path / "report" / "report.html").is_file()
    serve = next(line for line in lines if line.startswith(SERVED))
    _served(readme, [*shlex.split(serve)[1:-1], "0"], play)
    (log,) = (readme.home / "oracle").glob("*/log.jsonl")
    against = ("--release", "historical-1.0.0-dev", "--to", "attested-scores")
    assert "16 scores" in readme("score", str(log), *against).out


def test_tasks_on_real_data(readme: Shell, main_job: Any, tmp_path: Path) -> None:
    copy_store(main_job, readme)
    built, played, scored, reported = follow(readme, commands("Tasks on real data"))
    assert "historical-1.0.1-dev" in built.out
    assert "2 tasks answered" in played.out
    assert "S_N" in reported.out
    assert scored.code == 0
    assert (tmp_path / "real-report" / "real-data.html").is_file()


def _served(shell: Shell, arguments: list[str], play: str) -> None:
    """The Oracle answers at the address that it prints, and takes what is played there."""
    running = subprocess.Popen(
        [sys.executable, "-m", "lawsmith", *arguments],
        env={"PATH": "", "LAWSMITH_HOME": str(shell.home)},
        stdout=subprocess.PIPE,
        text=True,
    )
    with running:
        assert running.stdout is not None
        address = re.search(r"http://[\d.:]+", running.stdout.readline())
        assert address is not None
        with urllib.request.urlopen(address[0], timeout=30) as answer:
            assert b'"tasks":16' in answer.read()
        (done,) = follow(shell, [play.replace("http://127.0.0.1:8765", address[0])])
        assert "16 episodes played" in done.out
        running.terminate()


@pytest.mark.long
def test_the_ui_answers(tmp_path: Path) -> None:
    assert commands("The same job in Dagster") == ["make ui"]
    recipe = (ROOT / "Makefile").read_text(encoding="utf-8").split("\nui: setup\n")[1]
    line = next(one for one in recipe.splitlines() if "lawsmith ui" in one)
    words = shlex.split(line.replace("$(BIN)", str(ROOT / ".venv" / "bin")))
    home = tmp_path / "dagster"
    home.mkdir()
    shutil.copy(ROOT / "dagster.yaml", home)
    log = tmp_path / "log"
    with log.open("wb") as out:
        running = subprocess.Popen(
            [*words, "--port", "3197"],
            cwd=ROOT,
            env={
                "PATH": f"{ROOT / '.venv' / 'bin'}:/usr/bin:/bin",
                "HOME": str(tmp_path),
                "LAWSMITH_HOME": str(tmp_path / "home"),
                "DAGSTER_HOME": str(home),
            },
            stdout=out,
            stderr=out,
        )
    try:
        assert _page("http://127.0.0.1:3197/", seconds=120), log.read_text(encoding="utf-8")
    finally:
        running.terminate()
        running.wait(timeout=60)


def _page(url: str, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                return bool(answer.status == 200 and b"<html" in answer.read())
        except (urllib.error.URLError, OSError):
            time.sleep(0.5)
    return False


@pytest.mark.long
def test_a_version_that_stands_is_not_cut_on_other_terms(readme: Shell, main_job: Any) -> None:
    copy_store(main_job, readme)
    folder = readme.home / "releases" / "temporal-2026.10.0-sample"
    before = {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    same = ("release", "temporal", "--cutoff", "2026-04-30", "--version", "2026.10.0-sample")
    again = readme(*same, "--until", "2026-10-31")
    assert again.code == 0, again.err
    other = readme(*same, "--until", "2026-09-30")
    assert other.code == 3, other.err
    assert "until was '2026-10-31', not '2026-09-30'" in other.err
    assert "Traceback" not in other.err
    assert before == {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}
