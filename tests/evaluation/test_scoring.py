"""Scores of submissions whose verdicts are known beforehand."""

from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from lawsmith.errors import IntegrityError
from lawsmith.evaluation.episodes import episode_of, open_run
from lawsmith.evaluation.recovery import TimeLimitError
from lawsmith.evaluation.scoring import score_episode, score_recorded
from lawsmith.expressions import parse_infix, to_infix
from lawsmith.release.bundle import read_public, read_release
from schemas.episode import Action, Completion, Episode, Hypothesis, Protocol
from schemas.expression import Expression, to_wire
from schemas.family import Environment
from schemas.score import EpisodeScore
from schemas.task import PublicTask, SealedKey, Setting

NOW = "2026-11-30T00:00:00Z"


def target(
    release: Path, environment: Environment = "original", setting: Setting = "discovery"
) -> tuple[PublicTask, SealedKey]:
    sealed = read_release(release).sealed
    assert sealed is not None
    key = next(k for k in sealed.keys if (k.environment, k.setting) == (environment, setting))
    return read_public(release).task(key.id), key


def submitted(
    release: Path,
    task: PublicTask,
    law: Expression | str | dict[str, Any],
    protocol: Protocol = "fixed",
    confidence: float = 1.0,
) -> Episode:
    public = read_public(release)
    run = open_run(public, task, protocol, None, None)
    if isinstance(law, dict):
        predictor = law
    else:
        tree = parse_infix(law) if isinstance(law, str) else law
        predictor = {task.readouts[0].name: to_wire(tree)}
    run.submit(
        Action(
            hypotheses=(Hypothesis(label="H", statement="it is so", confidence=confidence),),
            proposal=None,
            completion=Completion(
                selected="H", predictor=predictor, explanation="", applicability=""
            ),
        )
    )
    return episode_of(run, public, player="test", repeat=0, started_at=NOW, ended_at=NOW)


def scored(release: Path, law: Any, **options: Any) -> EpisodeScore:
    task, key = target(release)
    return score_episode(submitted(release, task, law, **options), task, key)


def test_the_law_itself_scores_full_marks(temporal_release: Path) -> None:
    score = scored(temporal_release, "2.4*tilt**2*gap + 0.6*gap")
    assert score.valid
    assert score.prediction == pytest.approx(1.0, abs=1e-9)
    assert (score.weak, score.strict, score.form) == (True, True, True)
    assert (score.failure, score.determined, score.protocol_kept) == (None, True, True)
    assert (score.environment, score.family_id) == ("original", "sample:9001/r1/f1")
    assert EpisodeScore.from_json(score.to_json()) == score


@pytest.mark.parametrize("law", ["gap*(0.6 + 12/5*tilt*tilt)", "(4*tilt^2 + 1)*0.6*gap"])
def test_a_rearranged_law_is_the_same_law(temporal_release: Path, law: str) -> None:
    score = scored(temporal_release, law)
    assert (score.weak, score.strict, score.form) == (True, True, True)


def test_a_constant_that_data_cannot_tell_has_the_form_and_is_not_strict(
    temporal_release: Path,
) -> None:
    score = scored(temporal_release, "2.40001*tilt**2*gap + 0.6*gap")
    assert (score.weak, score.strict, score.form) == (True, False, True)
    assert score.failure is None


def test_the_score_is_the_mean_of_normalised_errors(temporal_release: Path) -> None:
    task, key = target(temporal_release)
    score = scored(temporal_release, "2.4*tilt**2*gap")
    truth = np.array([2.4 * t * t * d + 0.6 * d for t, d in key.hidden_inputs])
    wrong = np.array([2.4 * t * t * d for t, d in key.hidden_inputs])
    readout = task.readouts[0]
    errors = np.abs(wrong - truth) / (readout.absolute + readout.relative * np.abs(truth))
    assert score.prediction == pytest.approx(1 / (1 + errors.mean()), rel=1e-9)
    assert score.readouts[0].max_error == pytest.approx(errors.max(), rel=1e-9)


@pytest.mark.parametrize(
    ("law", "protocol", "failure"),
    [
        ("1/(tilt - tilt)", "fixed", "no_usable_answer"),
        ("log(tilt - 1)", "fixed", "no_usable_answer"),
        # Good enough everywhere, and not the law's form.
        ("2.4*tilt**2*gap + 0.6*gap + 1e-9*tilt", "fixed", "symbolically_not_recovered"),
        # The law's form with a constant that the data refute.
        ("2.5*tilt**2*gap + 0.6*gap", "fixed", "parameter_error"),
        # Another form; with other constants it would meet the four observations.
        ("1 + 2*tilt + 3*gap + 9*tilt*gap", "fixed", "evidence_misreading"),
        # The same without observations to misread.
        ("1 + 2*tilt + 3*gap + 9*tilt*gap", "prior-only", "incorrect_relation"),
        # Another form that misses the observations whatever its constants.
        ("2.4*tilt**3*gap + 0.6*gap", "fixed", "incorrect_relation"),
        ("7.0", "fixed", "incorrect_relation"),
        ("tilt*gap", "fixed", "incorrect_relation"),
    ],
)
def test_failures_are_the_first_mode_that_applies(
    temporal_release: Path, law: str, protocol: Protocol, failure: str
) -> None:
    score = scored(temporal_release, law, protocol=protocol)
    assert score.failure == failure
    assert (score.strict, score.form) == (False, False)
    assert score.determined
    assert score.valid == (failure != "no_usable_answer")
    assert (score.prediction is None) == (failure == "no_usable_answer")


def test_a_wrong_form_that_meets_what_was_seen_is_an_incorrect_relation(
    temporal_release: Path,
) -> None:
    task, _ = target(temporal_release)
    seen = read_public(temporal_release).fixed[task.id][:4]
    matrix = [[1.0, t, d, t * d] for t, d in (row.inputs for row in seen)]
    a, b, c, e = np.linalg.solve(matrix, [row.outputs[0] for row in seen]).tolist()
    score = scored(temporal_release, f"({a!r}) + ({b!r})*tilt + ({c!r})*gap + ({e!r})*tilt*gap")
    assert (score.weak, score.failure) == (False, "incorrect_relation")


def test_the_right_form_within_tolerance_at_the_hidden_inputs_alone_is_a_parameter_error(
    samples: ModuleType, temporal_release: Path
) -> None:
    task, key = target(temporal_release)
    # Only inputs with little slope: they do not tell the slope's constant.
    order = sorted(range(len(key.hidden_inputs)), key=lambda i: key.hidden_inputs[i][0])[:4]
    blind = samples.evolve(
        key,
        hidden_inputs=tuple(key.hidden_inputs[i] for i in order),
        hidden_truth=tuple(key.hidden_truth[i] for i in order),
    )
    law = "2.415*tilt**2*gap + 0.6*gap"
    score = score_episode(submitted(temporal_release, task, law), task, blind)
    assert (score.weak, score.form, score.strict) == (True, False, False)
    assert score.failure == "parameter_error"
    assert "speed is" in score.reason
    assert "tolerances off at tilt = " in score.reason


def test_undefined_predictions_say_where(temporal_release: Path) -> None:
    score = scored(temporal_release, "2*gap + log(tilt - 1)")
    assert score.reason.startswith("invalid: predictor/speed/args/1")
    assert "'tilt'" in score.reason


def test_a_breach_keeps_s_and_fails_the_success_rates(temporal_release: Path) -> None:
    score = scored(temporal_release, "2.4*tilt**2*gap + 0.6*gap", confidence=0.5)
    assert score.prediction == pytest.approx(1.0, abs=1e-9)
    assert (score.weak, score.strict, score.form) == (False, False, False)
    assert not score.protocol_kept
    assert "breach confidences" in score.reason


def test_invalid_submissions_are_determined_failures(temporal_release: Path) -> None:
    score = scored(temporal_release, {"speed": 1.0, "other": 2.0})
    assert (score.valid, score.determined, score.prediction) == (False, True, None)
    assert score.failure == "no_usable_answer"


def test_an_infrastructure_fault_is_undetermined(
    samples: ModuleType, temporal_release: Path
) -> None:
    task, key = target(temporal_release)
    episode = submitted(temporal_release, task, "1.0")
    broken = samples.evolve(
        episode, end="infrastructure", problem="no answer", completion=None, turns=()
    )
    score = score_episode(broken, task, key)
    assert (score.determined, score.failure, score.prediction) == (False, None, None)


def test_a_guard_that_fires_gives_no_score(temporal_release: Path) -> None:
    task, key = target(temporal_release)
    law = "exp(log(gap)+log(0.6)) + 2.4*exp(2*log(tilt))*gap"
    ticks = iter(float(1000 * n) for n in range(10**6))
    with pytest.raises(TimeLimitError, match="score the episode again"):
        score_recorded(submitted(temporal_release, task, law), task, key, clock=lambda: next(ticks))


def test_identification_is_scored_by_the_predictor_at_its_s(temporal_release: Path) -> None:
    for environment, s in (("original", 0), ("counterfactual", 1)):
        task, key = target(temporal_release, environment, "identification")  # type: ignore[arg-type]
        assert task.blend is not None
        tree = parse_infix(
            task.blend.formulas["speed"].replace("s)", f"{s})").replace("s*", f"{s}*")
        )
        score = score_episode(submitted(temporal_release, task, tree), task, key)
        assert (score.weak, score.strict, score.form) == (True, True, True), to_infix(tree)


def test_a_key_of_another_task_is_refused(samples: ModuleType, temporal_release: Path) -> None:
    task, key = target(temporal_release)
    _, other = target(temporal_release, "counterfactual")
    episode = submitted(temporal_release, task, "1.0")
    with pytest.raises(IntegrityError, match="have the ids"):
        score_episode(episode, task, other)
    with pytest.raises(IntegrityError, match="another public task"):
        score_episode(episode, samples.evolve(task, adaptive_cap=3), key)
