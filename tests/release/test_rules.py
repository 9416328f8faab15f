"""Versions of rules: older ones are applied or refused by name, newer ones refused."""

import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lawsmith.cli.app import run
from lawsmith.errors import PrerequisiteError
from lawsmith.evaluation.scoring import SCORERS
from lawsmith.oracle.sealed import load_worlds
from lawsmith.release.bundle import export_release, read_public, verify_release
from lawsmith.release.gates import CERTIFIERS
from lawsmith.release.manifest import (
    PUBLIC_MANIFEST,
    calibration_policies,
    house_policies,
    manifest_text,
)
from lawsmith.rules import RULES, check_rules, named, rules_of
from schemas.release import PublicManifest

CURRENT = [named(rule) for rule, known in RULES.items() if known.of == "all"]


def test_the_table_knows_every_version_of_every_rule() -> None:
    for rule, known in RULES.items():
        newest = known.version or max(known.last) + 1
        older = {*known.kept, *known.last}
        assert older == set(range(1, newest)), rule
        assert not {*known.kept} & {*known.last}, rule
        assert all(re.fullmatch(r"\d+\.\d+\.\d+", last) for last in known.last.values()), rule


def test_a_new_release_states_the_rules_of_the_table() -> None:
    stated = {policy.name for policy in house_policies()} | {named("cut")}
    assert stated == set(CURRENT)
    of_problems = {named(rule) for rule, known in RULES.items() if known.of == "problems"}
    assert {policy.name for policy in calibration_policies()} == of_problems


@pytest.mark.parametrize(("rule", "applied"), [("score", SCORERS), ("cert", CERTIFIERS)])
def test_each_version_that_is_applied_has_its_implementation(
    rule: str, applied: dict[int, object]
) -> None:
    known = RULES[rule]
    assert set(applied) == {known.version, *known.kept}


def check(names: list[str], use: str) -> None:
    check_rules(names, use, release="r", made_by="9.9.9", problems=False)  # type: ignore[arg-type]


def replaced(rule: str, version: int) -> list[str]:
    return [f"{rule}-{version}" if name == named(rule) else name for name in CURRENT]


@given(st.sampled_from(sorted(RULES)), st.integers(1, 50), st.sampled_from(["verify", "score"]))
def test_no_rule_is_applied_in_another_version_than_stated(
    rule: str, version: int, use: str
) -> None:
    known = RULES[rule]
    names = [*(n for n in CURRENT if n != named(rule)), f"{rule}-{version}"]
    if known.applies(version) or use not in known.uses:
        check(names, use)
        return
    with pytest.raises(PrerequisiteError) as caught:
        check(names, use)
    assert f"{rule}-{version}" in caught.value.problem
    last = known.last.get(version)
    assert caught.value.fix == (
        f"use Lawsmith {last} for this release" if last else "update Lawsmith"
    )


def test_a_rule_of_a_newer_lawsmith_is_refused_with_its_version() -> None:
    with pytest.raises(PrerequisiteError, match=r"Lawsmith 9\.9\.9.*'gauge'") as caught:
        check([*CURRENT, "gauge-1"], "verify")
    assert caught.value.fix == "update Lawsmith"
    check([*CURRENT, "gauge-1"], "read")


def test_scoring_needs_the_rules_of_scoring_alone() -> None:
    check(replaced("strata", 1), "score")
    with pytest.raises(PrerequisiteError, match=r"0\.1\.0"):
        check(replaced("strata", 1), "verify")
    with pytest.raises(PrerequisiteError, match=r"does not state.*score"):
        check([name for name in CURRENT if name != named("score")], "score")


@pytest.fixture
def rewritten(
    samples: ModuleType, temporal_release: Path, tmp_path: Path
) -> Callable[[str, str], Path]:
    """A copy of a release whose manifest names another version of a rule."""

    def make(rule: str, name: str) -> Path:
        copy: Path = samples.writable_copy(temporal_release, tmp_path / temporal_release.name)
        path = copy / PUBLIC_MANIFEST
        manifest = PublicManifest.from_json(path.read_text(encoding="utf-8"))
        policies = tuple(
            samples.evolve(item, name=name) if item.name == named(rule) else item
            for item in manifest.policies
        )
        path.write_text(manifest_text(samples.evolve(manifest, policies=policies)), "utf-8")
        return copy

    return make


def test_rows_of_an_older_form_are_refused_before_they_are_read(
    rewritten: Callable[[str, str], Path], tmp_path: Path
) -> None:
    release = rewritten("records", "records-1")
    for use in (
        verify_release,
        read_public,
        load_worlds,
        lambda path: export_release(path, tmp_path / "export"),
    ):
        with pytest.raises(PrerequisiteError, match=r"records-1.*0\.1\.0 is the last"):
            use(release)


def test_the_command_says_which_lawsmith_to_use(
    rewritten: Callable[[str, str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["verify", str(rewritten("cert", "cert-99"))]) == 1
    assert "update Lawsmith" in capsys.readouterr().err


def test_a_rule_that_is_left_out_is_a_fault(
    rewritten: Callable[[str, str], Path],
) -> None:
    faults = verify_release(rewritten("leak", "leakless"))
    assert f"public/manifest.json/policies/{named('leak')}" in {fault.path for fault in faults}


def test_the_rules_of_a_manifest_are_those_of_its_text(temporal_release: Path) -> None:
    text = (temporal_release / PUBLIC_MANIFEST).read_text(encoding="utf-8")
    stated = rules_of(PublicManifest.from_json(text), "score")
    assert stated["score"] == RULES["score"].version
