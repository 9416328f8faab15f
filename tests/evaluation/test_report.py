"""Tables: counts, bounds and intervals computed by hand."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.random import PCG64, Generator

from lawsmith.errors import InputError
from lawsmith.evaluation.report import (
    FAILURE_MODES,
    make_report,
    to_html,
    to_markdown,
    write_report,
)
from lawsmith.evaluation.scoring import SUCCESS_RULE
from schemas.score import EpisodeScore


def score(number: int, **changes: Any) -> EpisodeScore:
    fields: dict[str, Any] = {
        "id": f"t-{number:016x}/fixed-4/mean/0",
        "episode_digest": "ab" * 32,
        "release_id": "temporal-0.1.0-sample",
        "task_id": f"t-{number:016x}",
        "family_id": f"family-{number}",
        "kind": "paired",
        "collection": "temporal-sample",
        "setting": "discovery",
        "environment": "original",
        "player": "mean",
        "protocol": "fixed",
        "budget": 4,
        "repeat": 0,
        "determined": True,
        "valid": True,
        "prediction": 0.5,
        "readouts": (),
        "protocol_kept": True,
        "weak": False,
        "form": False,
        "strict": False,
        "strict_attainable": True,
        "failure": "incorrect_relation",
        "reason": "",
        "scorer_version": "score-2",
        "synthetic_sources": True,
        "replayed": False,
    }
    return EpisodeScore(**{**fields, **changes})


def invalid(number: int) -> EpisodeScore:
    return score(number, valid=False, prediction=None, failure="no_usable_answer")


def fault(number: int) -> EpisodeScore:
    return score(number, determined=False, valid=False, prediction=None, failure=None)


def undecided(number: int) -> EpisodeScore:
    return score(
        number,
        determined=False,
        prediction=1.0,
        weak=True,
        strict=None,
        form=True,
        failure=None,
    )


def test_failures_count_and_faults_are_bounds() -> None:
    (row,) = make_report([score(1), invalid(2), fault(3), undecided(4)]).rows
    assert (row.n, row.families, row.valid, row.undetermined) == (4, 4, 2, 2)
    # S: 0.5, 0 and 1 are known, one is not.
    assert row.s_all.value == pytest.approx(0.5)
    assert row.s_all.low == pytest.approx(1.5 / 4)
    assert row.s_all.high == pytest.approx(2.5 / 4)
    assert row.s_valid == pytest.approx(0.75)
    assert row.weak.value == pytest.approx(1 / 3)
    # strict: two known failures, a fault and an undecided one.
    assert (row.strict.value, row.strict.low, row.strict.high) == (0.0, 0.0, 0.5)
    assert row.form.value == pytest.approx(1 / 3)
    assert {mode: n for mode, n in row.failures.items() if n} == {
        "incorrect_relation": 1,
        "no_usable_answer": 1,
    }


def test_groups_are_never_averaged_together() -> None:
    scores = [
        score(1),
        score(2, environment="counterfactual"),
        score(3, setting="identification"),
        score(4, player="affine"),
        score(5, protocol="prior-only", budget=None),
        score(6, budget=8),
        score(7, collection="historical-dev", synthetic_sources=False),
    ]
    report = make_report(scores)
    assert len(report.rows) == len(scores)
    assert all(row.n == 1 and row.s_all.interval is None for row in report.rows)
    assert {row.protocol for row in report.rows} == {"fixed B = 4", "fixed B = 8", "prior-only"}


def test_intervals_are_over_families_and_repeatable() -> None:
    one_family = [
        score(1, id=f"t-1/fixed-4/mean/{n}", repeat=n, prediction=n / 10) for n in range(10)
    ]
    (row,) = make_report(one_family).rows
    assert (row.n, row.families, row.s_all.interval) == (10, 1, None)
    many = [score(n, prediction=(n * n % 41) / 41) for n in range(40)]
    first, again = (make_report(many).rows[0].s_all for _ in range(2))
    assert first == again
    assert first.interval is not None
    low, high = first.interval
    values = [(n * n % 41) / 41 for n in range(40)]
    mean, spread = np.mean(values), np.std(values) / 40**0.5
    assert low == pytest.approx(mean - 1.96 * spread, abs=0.02)
    assert high == pytest.approx(mean + 1.96 * spread, abs=0.02)
    other = make_report(many, lambda: Generator(PCG64(7))).rows[0].s_all
    assert other.interval != first.interval
    repeated = [
        *many,
        *(score(n, id=f"{n}/again", repeat=1, prediction=(n * n % 41) / 41) for n in range(40)),
    ]
    widened = make_report(repeated).rows[0].s_all
    assert widened.interval == pytest.approx(first.interval)


def test_every_table_states_its_rule_and_its_sources(tmp_path: Path) -> None:
    report = make_report(
        [score(1), score(2, setting="identification", replayed=True), undecided(3)]
    )
    paths = write_report(report, tmp_path)
    assert [path.name for path in paths] == ["report.json", "report.md", "report.html"]
    markdown = to_markdown(report)
    assert markdown.count(SUCCESS_RULE) == 2
    assert "synthetic_sources: true" in markdown
    assert "replayed: true" in markdown
    html = to_html(report)
    assert "synthetic_sources: true · replayed: true" in html
    assert "&lt;= 1 at 1024 points" in html
    for mode in ("evidence misreading", "symbolically not recovered", "explanation mismatch"):
        assert f"<th>{mode}</th>" in html
        assert f"| {mode} |" in markdown
    data = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert data["synthetic_sources"] is True
    assert len(data["rows"]) == 2


def test_bad_sets_of_scores_are_refused() -> None:
    with pytest.raises(InputError, match="no scores"):
        make_report([])
    with pytest.raises(InputError, match="scored twice"):
        make_report([score(1), score(1)])
    with pytest.raises(InputError, match="mixes sample papers"):
        make_report([score(1), score(2, synthetic_sources=False)])


def test_strict_stands_beside_what_it_can_reach_and_failures_are_counted() -> None:
    report = make_report(
        [
            score(1, weak=True, form=True, strict=True, failure=None),
            score(2, strict_attainable=False),
            score(3, failure="evidence_misreading"),
            invalid(4),
        ]
    )
    (row,) = report.rows
    assert row.attainable == 3
    assert list(row.failures) == list(FAILURE_MODES)
    markdown, html = to_markdown(report), to_html(report)
    (line,) = [text for text in markdown.split("\n") if text.startswith("| original | mean | 4")]
    assert line.endswith("| 3 of 4 |")
    assert "<td>3 of 4</td>" in html
    # no usable answer, symbolically not recovered, parameter error, misreading, mismatch, other
    assert "| original | mean | 1 | 0 | 0 | 1 | 0 | 1 |" in markdown
