"""`verify --second-opinion`: sympy is asked about every law, and a contradiction is a fault."""

import json
from pathlib import Path

import pytest

from lawsmith.cli import run
from lawsmith.expressions import Verdict
from lawsmith.release.bundle import second_opinion


def test_sympy_agrees_about_the_sample_families(temporal_release: Path) -> None:
    assert list(second_opinion.disagreements(temporal_release)) == []


def test_a_contradiction_is_a_fault_that_names_the_laws(
    temporal_release: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        second_opinion, "equivalent", lambda *_laws: Verdict("equal", "structure", "")
    )
    assert run(["verify", str(temporal_release), "--second-opinion", "--json"]) == 3
    faults = json.loads(capsys.readouterr().out)
    assert faults
    assert {fault["what"] for fault in faults} == {
        "original, counterfactual: we say equal, sympy says different"
    }
    assert all(fault["path"].startswith("sealed/families.jsonl#") for fault in faults)
