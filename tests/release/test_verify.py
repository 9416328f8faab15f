"""`verify` names the path of every alteration, whether or not the hashes were made again.

What a person types is tested: the command's exit code is 3 and its JSON holds the path.
"""

import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import duckdb
import pytest

from lawsmith.cli import run
from lawsmith.errors import InputError, PrerequisiteError
from lawsmith.release.bundle import verify_release
from lawsmith.release.tables import TABLE_PATHS, row_path
from schemas.release import Fault


def load(name: str) -> ModuleType:
    path = Path(__file__).with_name(f"{name}.py")
    spec = importlib.util.spec_from_file_location(f"lawsmith_release_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[f"lawsmith_release_{name}"] = module
    spec.loader.exec_module(module)
    return module


tampering = load("tampering")
Verify = Callable[..., list[Fault]]


@pytest.fixture
def verify(capsys: pytest.CaptureFixture[str]) -> Verify:
    """`lawsmith verify RELEASE --json`: its faults, once it left with the code that says so."""

    def faults(release: Path, *options: str, code: int = 3) -> list[Fault]:
        capsys.readouterr()
        assert run(["verify", str(release), *options, "--json"]) == code
        return [Fault(**one) for one in json.loads(capsys.readouterr().out)]

    return faults


def a_little(value: float) -> float:
    return value * (1 + 1e-9) if value else 1e-9


def visibly(value: float) -> float:
    return value * (1 + 1e-5)


def another_unit(value: str) -> str:
    return "s" if value != "s" else "m"


def more(value: int) -> int:
    return value + 1


def other_hash(_: str) -> str:
    return "0f" * 32


ALTERATIONS: list[tuple[str, str, int, str, Callable[[Any], Any]]] = [
    ("stratum", "families", 0, "difficulty", lambda d: "easy" if d != "easy" else "hard"),
    ("a constant", "families", 0, "original/parameters/0/value", a_little),
    ("a drawn constant", "families", 0, "counterfactual/relations/0/expression/args/1/args/0",
     lambda _: {"var": "a"}),
    ("a unit", "families", 0, "controls/0/unit", another_unit),
    ("a readout unit", "families", 0, "readouts/0/unit", another_unit),
    ("a range", "families", 0, "controls/0/domain/high", a_little),
    ("a tolerance", "families", 0, "readouts/0/absolute", a_little),
    ("a fixed truth", "families", 0, "fixed/original/3/0", a_little),
    ("a hidden truth", "families", 0, "hidden/counterfactual/100/0", a_little),
    ("a hidden input", "families", 0, "hidden/inputs/5/1", a_little),
    ("a resolution of a readout", "families", 0, "readouts/0/resolution", lambda _: 0.5),
    ("a byte of the background", "families", 0, "background", lambda text: text + "."),
    ("a certificate figure", "families", 0, "certificates/3/figures/median_original", visibly),
    ("a certificate sentence", "families", 0, "certificates/8/sentence", lambda text: text + "!"),
    ("a certificate version", "families", 0, "certificates/0/version", more),
    ("a certificate outcome", "certificates", 1, "outcome", lambda _: "not_run"),
    ("a figure of a certificate", "certificates", 9, "figures/separation", visibly),
    ("a public background", "identification", 0, "background", lambda text: text[:-1]),
    ("a public resolution", "discovery", 0, "readouts/0/resolution", lambda _: 0.5),
    ("a public unit", "discovery", 0, "controls/1/unit", another_unit),
    ("a public range", "identification", 1, "controls/1/domain/low", a_little),
    ("a public tolerance", "discovery", 1, "readouts/0/relative", a_little),
    ("a candidate formula", "identification", 0, "blend/formulas/speed", lambda _: "tilt"),
    ("a threshold", "discovery", 0, "threshold", a_little),
    ("an observation", "fixed_observations", 17, "outputs/0", a_little),
    ("an observed input", "fixed_observations", 40, "inputs/1", a_little),
    ("a sealed response", "keys", 2, "hidden_truth/7/0", a_little),
    ("a sealed constant", "keys", 1, "laws/0/expression/args/0/args/0", a_little),
    ("a constant's place", "keys", 0, "laws/0/constants/0", lambda path: path + "/args/0"),
    ("an environment", "keys", 0, "environment",
     lambda e: "original" if e == "counterfactual" else "counterfactual"),
    ("a query", "keys", 3, "distinguishing_query/0", a_little),
    ("a resolution", "worlds", 0, "resolutions/speed", lambda _: 0.5),
    ("an anchor", "cards", 0, "relations/0/anchors/0/first_line", more),
    ("a quote", "cards", 0, "parameters/0/anchors/0/quote_sha256", other_hash),
    ("a card constant", "cards", 0, "parameters/1/value", a_little),
    ("a verdict's subject", "reviews", 1, "subject_digest", other_hash),
    ("a licence count", "licences", 0, "tasks", more),
    ("a task's family", "task_families", 0, "environment",
     lambda e: "original" if e == "counterfactual" else "counterfactual"),
]  # fmt: skip


def row_faults(release: Path, faults: list[Fault], table: str, name: str) -> list[Fault]:
    return [fault for fault in faults if fault.path.startswith(row_path(table, name))]


def test_a_whole_release_has_no_fault(
    temporal_release: Path, historical_release: Path, verify: Verify
) -> None:
    assert verify(temporal_release, code=0) == []
    for release in (temporal_release, historical_release):
        assert verify(release, "--certificates", code=0) == []


@pytest.mark.parametrize(
    ("what", "table", "row", "pointer", "change"), ALTERATIONS, ids=[a[0] for a in ALTERATIONS]
)
def test_an_alteration_is_named_with_its_path(
    samples: ModuleType,
    temporal_release: Path,
    tmp_path: Path,
    verify: Verify,
    what: str,
    table: str,
    row: int,
    pointer: str,
    change: Callable[[Any], Any],
) -> None:
    copy = samples.writable_copy(temporal_release, tmp_path / temporal_release.name)
    name, _ = tampering.alter(copy, table, row, pointer, change)
    faults = verify(copy)
    assert row_faults(copy, faults, table, name), what
    assert any(fault.path == TABLE_PATHS[table] for fault in faults)

    tampering.rehash(copy, table)
    faults = verify(copy, "--certificates")
    assert not any("sha256 differs" in fault.what for fault in faults)
    assert row_faults(copy, faults, table, name), what
    if table not in ("cards", "reviews"):
        # Cards and reviews are held by the digests that name them; the rest field by field.
        fields = {fault.path.partition("#")[2] for fault in faults}
        first = pointer.split("/", maxsplit=1)[0]
        assert any(f"/{first}" in field for field in fields), (what, sorted(fields))


def test_any_figure_of_any_certificate_altered_everywhere_is_found_by_recomputing(
    samples: ModuleType, historical_release: Path, tmp_path: Path, verify: Verify
) -> None:
    """One release, one figure of each certificate: all eleven are named, and no other."""
    copy = samples.writable_copy(historical_release, tmp_path / historical_release.name)
    altered: dict[int, str] = {}
    for number in range(1, 12):
        row = _row_of(copy, f"stiff_band/c{number}")
        figures = tampering.value_at(copy, "certificates", row, "figures")
        altered[number] = sorted(figures)[-1]
        for table, index, pointer in (
            ("families", 0, f"certificates/{number - 1}/figures/{altered[number]}"),
            ("certificates", row, f"figures/{altered[number]}"),
        ):
            tampering.alter(copy, table, index, pointer, another_figure)
    for table in ("families", "certificates"):
        tampering.rehash(copy, table)
    assert not any("/certificates/" in fault.path for fault in verify(copy))
    full = {fault.path.partition("#")[2] for fault in verify(copy, "--certificates")}
    assert {path for path in full if "/certificates/" in path} == {
        f"stiff_band/certificates/{number}/figures/{key}" for number, key in altered.items()
    }


def another_figure(value: float | str) -> float | str:
    return value + "x" if isinstance(value, str) else value * (1 + 1e-5) if value else 1e-5


def _row_of(copy: Path, identity: str) -> int:
    text = (copy / "sealed/certificates.jsonl").read_text(encoding="utf-8")
    return [json.loads(line)["id"] for line in text.splitlines()].index(identity)


@pytest.mark.parametrize("table", ["discovery", "identification", "keys"])
def test_another_task_id_is_found(
    samples: ModuleType, temporal_release: Path, tmp_path: Path, verify: Verify, table: str
) -> None:
    copy = samples.writable_copy(temporal_release, tmp_path / temporal_release.name)
    # The first digit alone, downwards: rows stay in the order of their ids.
    old = tampering.value_at(copy, table, 0, "id")
    new, _ = tampering.alter(copy, table, 0, "id", lambda _: f"t-{'0' * 15}1")
    tampering.rehash(copy, table)
    paths = {fault.path for fault in verify(copy)}
    assert row_path(table, old) in paths
    if table != "keys":
        assert row_path(table, new) in paths


def test_another_key_is_found_though_every_hash_is_made_again(
    samples: ModuleType, temporal_release: Path, tmp_path: Path, verify: Verify
) -> None:
    copy = samples.writable_copy(temporal_release, tmp_path / temporal_release.name)
    key = copy / "sealed/collection.key"
    key.write_text(key.read_text(encoding="utf-8").replace("00", "01", 1), encoding="utf-8")
    tampering.rehash(copy, "licences")
    paths = {fault.path for fault in verify(copy)}
    for table in ("discovery", "identification"):
        for row in range(2):
            identity = tampering.value_at(copy, table, row, "id")
            assert f"{row_path(table, identity)}/id" in paths
            assert f"{row_path('keys', identity)}/id" in paths


@pytest.mark.parametrize("file", ["public/manifest.json", "sealed/manifest.json"])
@pytest.mark.parametrize("number", [0, 3, -1])
def test_an_altered_hash_of_a_manifest_is_found(
    samples: ModuleType,
    temporal_release: Path,
    tmp_path: Path,
    verify: Verify,
    file: str,
    number: int,
) -> None:
    copy = samples.writable_copy(temporal_release, tmp_path / temporal_release.name)
    named = tampering.another_hash(copy, file, number)
    paths = {fault.path for fault in verify(copy)}
    assert named in paths


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("public/README.md", lambda p: p.write_text("changed", encoding="utf-8")),
        ("public/licences.jsonl", lambda p: p.unlink()),
        ("public/notes.txt", lambda p: p.write_text("new", encoding="utf-8")),
        ("notes.txt", lambda p: p.write_text("new", encoding="utf-8")),
        ("sealed/gallery/index.html", lambda p: p.write_bytes(p.read_bytes()[:-1])),
        ("public/discovery.parquet", lambda p: p.write_bytes(b"PAR1")),
        ("public/tasks.duckdb", lambda p: p.write_bytes(b"no database")),
        ("public/discovery.jsonl", lambda p: p.write_bytes(p.read_bytes()[:-9])),
        ("sealed/families.jsonl", lambda p: p.write_bytes(b'{"a":NaN}\n')),
        ("sealed/keys.jsonl", lambda p: p.write_bytes(b"\xff\xfe\n")),
        ("sealed/collection.key", lambda p: p.write_text("00" * 32 + "\n", encoding="utf-8")),
        ("sealed/manifest.json", lambda p: p.write_bytes(p.read_bytes() + b"\n")),
        ("public/manifest.json", lambda p: p.write_bytes(p.read_bytes()[:50])),
    ],
)
def test_damaged_files_are_faults_and_never_a_crash(
    samples: ModuleType,
    temporal_release: Path,
    tmp_path: Path,
    verify: Verify,
    name: str,
    damage: Callable[[Path], object],
) -> None:
    copy = samples.writable_copy(temporal_release, tmp_path / temporal_release.name)
    damage(copy / name)
    paths = [fault.path for fault in verify(copy, "--certificates")]
    expected = "sealed_commitment" if name == "sealed/manifest.json" else name
    assert any(expected in path for path in paths), paths


def test_a_row_of_the_database_alone_is_found(
    samples: ModuleType, temporal_release: Path, tmp_path: Path
) -> None:
    copy = samples.writable_copy(temporal_release, tmp_path / temporal_release.name)
    with duckdb.connect(str(copy / "public/tasks.duckdb")) as base:
        base.execute("UPDATE fixed_observations SET outputs = [1.5] WHERE index = 3")
    tampering._write_manifests(copy)
    faults = verify_release(copy)
    assert faults
    assert all(f.path.startswith("public/tasks.duckdb/fixed_observations#") for f in faults)
    assert all(fault.path.endswith("/3/outputs/0") for fault in faults)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("families", 2),
        ("version", "0.1.1-sample"),
        ("sealed_commitment", "0f" * 32),
        ("collection", "temporal"),
        ("canary", "another"),
        ("cutoff", "2020-01-01"),
        ("synthetic_sources", False),
    ],
)
def test_an_altered_manifest_field_is_found(
    samples: ModuleType,
    temporal_release: Path,
    tmp_path: Path,
    verify: Verify,
    field: str,
    value: object,
) -> None:
    from lawsmith.release.manifest import manifest_text
    from schemas.release import PublicManifest

    copy = samples.writable_copy(temporal_release, tmp_path / temporal_release.name)
    path = copy / "public/manifest.json"
    manifest = PublicManifest.from_json(path.read_text(encoding="utf-8"))
    altered = samples.evolve(manifest, **{field: value})
    path.write_text(manifest_text(altered), encoding="utf-8")
    paths = [fault.path for fault in verify(copy)]
    assert any(path.startswith("public/manifest.json/") for path in paths), paths


def test_a_folder_that_is_no_release_is_refused(tmp_path: Path) -> None:
    assert run(["verify", str(tmp_path)]) == 1
    with pytest.raises(PrerequisiteError, match="no release"):
        verify_release(tmp_path)
    with pytest.raises((InputError, PrerequisiteError)):
        verify_release(tmp_path, certificates=-2)


BARE = """
import socket, sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"dagster", "litellm", "arxiv", "pymupdf", "pypdf", "requests",
                                  "matplotlib"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Absent())
def refuse(*_):
    raise OSError("no network")
socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
from lawsmith.cli import run
sys.exit(run(["verify", sys.argv[1], "--certificates", "--json"]))
"""


def test_verify_needs_no_curation_package_and_no_network(temporal_release: Path) -> None:
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-c", BARE, str(temporal_release)],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == []
