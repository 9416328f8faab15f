"""One record of each kind with its digest: formats are fixed for ever by the first release.

They stand in `golden/`, one file a kind. A digest that changes here is a format that changed:
give the record a new schema_version and a migration, hold the former line in a test of its own,
and write the new digest with `golden/remake.py`.
"""

import json
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

from schemas.record import Record, canonical_json
from schemas.release import Cut

GOLDEN = Path(__file__).resolve().parent / "golden"
NAMES = sorted(path.stem for path in GOLDEN.glob("*.json"))


def _remake() -> ModuleType:
    spec = spec_from_file_location("remake", GOLDEN / "remake.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


CLASSES: dict[str, type[Record]] = _remake().record_classes()


def test_every_kind_of_record_has_a_golden_line() -> None:
    assert sorted(CLASSES) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_the_line_and_the_digest_of_a_record_never_change(name: str) -> None:
    stored = json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))
    record = CLASSES[name].from_json(canonical_json(stored))
    assert record.digest == stored["digest"]
    assert record.to_json() == canonical_json(stored)


def test_a_golden_line_is_written_again_as_it_stands(tmp_path: Path) -> None:
    for name in ("cut.json", "remake.py"):
        (tmp_path / name).write_bytes((GOLDEN / name).read_bytes())
    stored = json.loads((tmp_path / "cut.json").read_text(encoding="utf-8"))
    (tmp_path / "cut.json").write_text(json.dumps({**stored, "digest": "0" * 64}))
    subprocess.run([sys.executable, tmp_path / "remake.py", "cut"], check=True)
    assert (tmp_path / "cut.json").read_bytes() == (GOLDEN / "cut.json").read_bytes()


CUT_OF_VERSION_1 = (
    '{"allow_incomplete":false,"collection":"temporal-sample","cutoff":"2026-04-30",'
    '"digest":"8fa443249c0f1ca8b42a6644b2ad2195ca413f75878d49adb0d8be289e8de20c",'
    '"eligibility":"journal_required","id":"temporal-2026.10.0-sample","parents":[],'
    '"reason":null,"schema_version":1,"until":"2026-10-31","version":"2026.10.0-sample"}'
)


def test_a_cut_of_the_first_version_is_one_without_lists() -> None:
    cut = Cut.from_json(CUT_OF_VERSION_1)
    assert (cut.journals, cut.categories, cut.cutoff) == ((), (), "2026-04-30")
    assert Cut.from_json(cut.to_json()) == cut
    with pytest.raises(ValueError, match="stored digest"):
        Cut.from_json(CUT_OF_VERSION_1.replace("2026-10-31", "2026-10-30"))
