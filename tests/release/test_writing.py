"""A release is two trees and nothing else, appears at once, never changes, and is reproducible."""

import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import duckdb
import pyarrow.parquet as pq
import pytest

from lawsmith.errors import InputError, IntegrityError, ReleaseConflictError
from lawsmith.release.bundle import read_public, read_release, write_release
from lawsmith.release.gates import gate_faults
from schemas.record import CANARY
from schemas.release import StageCount
from schemas.source import Collection

FILES = {
    # Beside these, one gallery page a task.
    "public/README.md",
    "public/discovery.jsonl",
    "public/discovery.parquet",
    "public/fixed_observations.jsonl",
    "public/fixed_observations.parquet",
    "public/gallery/index.html",
    "public/identification.jsonl",
    "public/identification.parquet",
    "public/licences.jsonl",
    "public/manifest.json",
    "public/tasks.duckdb",
    "sealed/attributions.jsonl",
    "sealed/cards.jsonl",
    "sealed/certificates.jsonl",
    "sealed/collection.key",
    "sealed/families.jsonl",
    "sealed/gallery/index.html",
    "sealed/gallery/family-0001.html",
    "sealed/keys.jsonl",
    "sealed/manifest.json",
    "sealed/reviews.jsonl",
    "sealed/task_families.jsonl",
    "sealed/worlds.jsonl",
}


def files_of(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}


def expected_files(release: Path) -> set[str]:
    return FILES | {f"public/gallery/{task.id}.html" for task in read_public(release).tasks}


def test_a_release_is_two_trees_and_nothing_else(temporal_release: Path) -> None:
    assert temporal_release.name == "temporal-0.1.0-sample"
    assert files_of(temporal_release) == expected_files(temporal_release)
    assert {path.name for path in temporal_release.parent.iterdir()} == {temporal_release.name}
    for path in (temporal_release, *temporal_release.rglob("*")):
        assert path.stat().st_mode & 0o222 == 0


def test_manifests_account_for_every_file(temporal_release: Path) -> None:
    release = read_release(temporal_release)
    assert release.sealed is not None
    files = expected_files(temporal_release)
    public = {item.path for item in release.public.manifest.files}
    assert public == {name for name in files if name.startswith("public/")} - {
        "public/manifest.json"
    }
    sealed = {item.path for item in release.sealed.manifest.files}
    assert sealed == files - {"public/manifest.json", "sealed/manifest.json"}
    assert release.public.manifest.synthetic_sources
    assert release.public.manifest.tasks == 4


def test_candidates_stand_in_the_identification_tables_alone(temporal_release: Path) -> None:
    blend = read_public(temporal_release).tasks
    formulas = {task.blend.formulas["speed"] for task in blend if task.blend is not None}
    assert len(formulas) == 1
    (formula,) = formulas
    for name in files_of(temporal_release):
        data = (temporal_release / name).read_bytes()
        holds = formula.encode() in data
        if name.startswith("public/") and name.endswith((".jsonl", ".html", ".md", ".json")):
            assert holds == (name == "public/identification.jsonl"), name
    assert "blend" not in pq.read_schema(temporal_release / "public/discovery.parquet").names


def test_nothing_public_names_the_source(temporal_release: Path) -> None:
    for name in files_of(temporal_release):
        if name.startswith("public/"):
            data = (temporal_release / name).read_bytes()
            assert b"sample:9001" not in data, name
            assert b"glass beads" not in data.lower(), name


def test_every_row_and_page_carries_the_canary(temporal_release: Path) -> None:
    for name in files_of(temporal_release):
        path = temporal_release / name
        if path.suffix == ".jsonl":
            rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
            assert all(row["canary"] == CANARY for row in rows), name
        elif path.suffix == ".parquet":
            column = pq.read_table(path).column("canary").to_pylist()
            assert set(column) == {CANARY}, name
        elif path.suffix in (".html", ".md", ".svg", ".json"):
            assert CANARY in path.read_text(encoding="utf-8"), name


def test_the_database_answers_in_sql(temporal_release: Path) -> None:
    with duckdb.connect(str(temporal_release / "public/tasks.duckdb"), read_only=True) as base:
        rows = base.execute("SELECT count(*), min(canary) FROM fixed_observations").fetchall()
        assert rows == [(64, CANARY)]
        found = base.execute("SELECT id, setting FROM discovery ORDER BY id").fetchall()
    ids = sorted(t.id for t in read_public(temporal_release).tasks if t.setting == "discovery")
    assert found == [(identity, "discovery") for identity in ids]


def test_writing_again_says_identical_and_touches_nothing(
    samples: ModuleType, tmp_path: Path
) -> None:
    first = write_release(tmp_path, samples.historical_content(), samples.NOW, "one")
    before = {name: (first.path / name).read_bytes() for name in files_of(first.path)}
    again = write_release(tmp_path, samples.historical_content(), "2027-01-01T00:00:00Z", "two")
    assert again.status == "identical"
    assert again.content_digest == first.content_digest
    assert before == {name: (first.path / name).read_bytes() for name in files_of(first.path)}


def test_other_content_under_an_existing_version_is_refused_with_its_rows(
    samples: ModuleType, tmp_path: Path
) -> None:
    write_release(tmp_path, samples.historical_content(), samples.NOW, "one")
    family = samples.historical_family()
    changed = samples.evolve(family, background="An apparatus takes two inputs.")
    with pytest.raises(ReleaseConflictError, match="families/stiff_band") as caught:
        write_release(tmp_path, samples.historical_content(families=(changed,)), samples.NOW, "one")
    assert "discovery/t-" in str(caught.value)


def test_another_law_under_an_old_task_id_is_refused(samples: ModuleType, tmp_path: Path) -> None:
    write_release(tmp_path, samples.historical_content(), samples.NOW, "one")
    family = samples.historical_family()
    parameters = tuple(
        p.model_copy(update={"value": 610.0}) if p.name == "k" else p
        for p in family.counterfactual.parameters
    )
    other = samples.evolve(
        family,
        counterfactual=family.counterfactual.model_copy(update={"parameters": parameters}),
    )
    content = samples.historical_content(version="0.2.0-dev", families=(other,))
    with pytest.raises(ReleaseConflictError, match=r"historical-0\.1\.0-dev uses: t-"):
        write_release(tmp_path, content, samples.NOW, "one", certifier=lambda f: f.certificates)
    same = samples.historical_content(version="0.2.0-dev", parents=("historical-0.1.0-dev",))
    assert write_release(tmp_path, same, samples.NOW, "one").status == "written"


@pytest.mark.parametrize(
    ("collection", "version"),
    [
        ("historical-dev", "0.1.0"),
        ("historical-dev", "0.1.0-sample"),
        ("historical", "0.1.0-dev"),
        ("temporal", "2026.11.0-sample"),
        ("historical-dev", "../0.1.0-dev"),
    ],
)
def test_the_suffix_is_forced_by_the_collection(
    samples: ModuleType, tmp_path: Path, collection: Collection, version: str
) -> None:
    content = samples.historical_content(collection=collection, version=version)
    with pytest.raises(InputError, match="version"):
        write_release(tmp_path, content, samples.NOW, "test")


def refused(samples: ModuleType, tmp_path: Path, match: str, **changes: Any) -> None:
    content = samples.temporal_content(**changes)
    with pytest.raises(IntegrityError, match=match):
        write_release(tmp_path, content, samples.NOW, "test")
    assert list(tmp_path.iterdir()) == []


def test_the_release_step_repeats_the_gates(samples: ModuleType, tmp_path: Path) -> None:
    content = samples.temporal_content()
    card_review, case_review = content.reviews
    refused(samples, tmp_path, "no accepting card review", reviews=(case_review,))
    refused(samples, tmp_path, "no accepting case review", reviews=(card_review,))
    against = card_review.criteria[0].model_copy(update={"verdict": "unsupported"})
    criteria = (against, *card_review.criteria[1:])
    unsupported = samples.evolve(card_review, criteria=criteria)
    refused(samples, tmp_path, "unsupported", reviews=(unsupported, case_review))
    refused(samples, tmp_path, "is not there", cards=())
    failed = StageCount(stage="cards", outcome="failed", reason_code="model_failed", count=1)
    refused(samples, tmp_path, "failed rows", dispositions=(failed,))


def test_a_stored_certificate_must_be_the_recomputed_one(
    samples: ModuleType, tmp_path: Path
) -> None:
    family = samples.temporal_family()
    first, *others = family.certificates
    figures = {**first.figures, "invented": 1.0}
    altered = samples.evolve(
        family, certificates=(first.model_copy(update={"figures": figures}), *others)
    )
    reviews = samples.temporal_content().reviews
    case = samples.evolve(reviews[1], subject_digest=altered.digest)
    refused(
        samples,
        tmp_path,
        "certificates/1",
        families=(altered,),
        reviews=(reviews[0], case),
    )


def test_a_certificate_not_run_stops_a_live_release(samples: ModuleType) -> None:
    family = samples.temporal_family()
    left_out = tuple(
        one.model_copy(update={"outcome": "not_run", "figures": {}}) if one.number == 7 else one
        for one in family.certificates
    )
    content = samples.temporal_content(
        collection="temporal",
        version="2026.11.0",
        families=(samples.evolve(family, certificates=left_out),),
    )
    paths = {
        relaxed: [
            fault.path.partition("#")[2]
            for fault in gate_faults(content.families, content.cards, (), relaxed)
        ]
        for relaxed in (True, False)
    }
    assert f"{family.id}/certificates/7/outcome" in paths[False]
    assert f"{family.id}/certificates/7/outcome" not in paths[True]


def test_a_failure_in_the_middle_leaves_nothing(
    samples: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lawsmith.release.bundle import writing

    def broken(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writing, "write_database", broken)
    with pytest.raises(OSError, match="No space left"):
        write_release(tmp_path, samples.historical_content(), samples.NOW, "test")
    assert list(tmp_path.iterdir()) == []


SCRIPT = """
import hashlib, importlib.util, json, sys
from pathlib import Path
spec = importlib.util.spec_from_file_location("lawsmith_release_samples", sys.argv[1])
samples = importlib.util.module_from_spec(spec)
sys.modules["lawsmith_release_samples"] = samples
spec.loader.exec_module(samples)
from lawsmith.release.bundle import write_release
written = write_release(Path(sys.argv[2]), samples.temporal_content(), samples.NOW, "test")
print(json.dumps({p.relative_to(written.path).as_posix(): hashlib.sha256(p.read_bytes()).hexdigest()
    for p in sorted(written.path.rglob("*")) if p.is_file()}))
"""


def test_the_same_inputs_give_the_same_bytes_in_any_process(
    samples: ModuleType, temporal_release: Path, tmp_path: Path
) -> None:
    module = Path(str(samples.__file__))
    found = []
    for seed in ("1", "2"):
        root = tmp_path / seed
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, str(module), str(root)],
            env=samples.environment_with_seed(seed),
            cwd=module.parents[2],
            capture_output=True,
            text=True,
            check=True,
        )
        found.append(json.loads(done.stdout))
    # DuckDB files are not byte-reproducible; the manifests name their hash.
    outside = {"public/tasks.duckdb", "public/manifest.json", "sealed/manifest.json"}
    stable = [{k: v for k, v in item.items() if k not in outside} for item in found]
    assert stable[0] == stable[1]
    assert set(found[0]) == files_of(temporal_release)
