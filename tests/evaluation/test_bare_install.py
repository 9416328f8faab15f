"""Play, score, report, diff and export run where the extras are not installed."""

import subprocess
import sys
from pathlib import Path

SCRIPT = """
import sys
ABSENT = {"dagster", "dagster_webserver", "sqlalchemy", "litellm", "openai", "tenacity", "arxiv",
    "lxml", "pymupdf", "pypdf", "requests", "urllib3", "yaml", "matplotlib", "PIL", "fontTools",
    "sympy", "mpmath"}
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ABSENT:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Absent())
from pathlib import Path
from lawsmith.evaluation.episodes import play
from lawsmith.evaluation.players.baselines import BASELINES
from lawsmith.evaluation.report import make_report, write_report
from lawsmith.evaluation.scoring import score_episode
from lawsmith.oracle.client import oracle_process
from lawsmith.release.bundle import diff_releases, export_release, read_release
release, to = Path(sys.argv[1]), Path(sys.argv[2])
found = read_release(release)
keys = {key.id: key for key in found.sealed.keys}
scores = []
with oracle_process(release) as oracle:
    for task in found.public.tasks:
        for name, make in BASELINES.items():
            episode = play(found.public, task, make, player=name, protocol="fixed", budget=4,
                repeat=0, oracle=lambda b: oracle.open(task.id, b), clock=lambda: sys.argv[3])
            scores.append(score_episode(episode, task, keys[task.id]))
write_report(make_report(scores), to / "report")
print(len(scores), diff_releases(release, release).identical, export_release(release, to).name)
"""


def test_the_evaluator_needs_no_curation_package(temporal_release: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            SCRIPT,
            str(temporal_release),
            str(tmp_path),
            "2026-11-30T00:00:00Z",
        ],
        cwd=Path(__file__).resolve().parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout == f"16 True {temporal_release.name}\n"
    assert (tmp_path / "report" / "report.html").is_file()
