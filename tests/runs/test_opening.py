"""Opening a context: only what a command needs can stop it."""

from pathlib import Path

import pytest

from lawsmith.errors import IntegrityError, PrerequisiteError
from lawsmith.gateways.models.limits import RunCaps
from lawsmith.runs.decisions import override_of
from lawsmith.runs.opening import open_context

DECISION = """
[[decision]]
subject = "sample:0001/r1"
action = "reject"
reason = "read it"
by = "A. Curator"
"""


@pytest.mark.parametrize("role", ["JUDGE", "PLAYER"])
def test_a_model_of_a_role_that_no_stage_asks_is_not_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, role: str
) -> None:
    monkeypatch.setenv("LAWSMITH_HOME", str(tmp_path))
    monkeypatch.setenv(f"LAWSMITH_{role}", "openai/gpt-4.1")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    roster = open_context(source="sample").roster()
    roster.require_caps(RunCaps())
    assert set(roster.routes) == {"extractor", "reviewer"}


def test_a_model_of_a_role_that_is_asked_needs_its_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAWSMITH_HOME", str(tmp_path))
    monkeypatch.setenv("LAWSMITH_REVIEWER", "openai/gpt-4.1")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(PrerequisiteError, match="OPENAI_API_KEY"):
        open_context(source="sample").roster()


def test_decisions_that_are_gone_are_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAWSMITH_HOME", str(tmp_path))
    context = open_context(source="sample")
    assert override_of(context, "sample:0001/r1") is None
    context.store.overrides.write_text(DECISION, encoding="utf-8")
    assert override_of(context, "sample:0001/r1") is not None
    context.store.overrides.unlink()
    for _ in range(2):
        with pytest.raises(IntegrityError, match="only a backup restores it"):
            override_of(context, "sample:0001/r1")
    context.store.overrides.touch()
    assert override_of(context, "sample:0001/r1") is None
