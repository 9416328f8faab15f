"""Scores of one episode: S, weak, form, strict and the failure mode.

Everything is judged by the sealed key of the task; an episode that ended without an
admissible predictor is determined and a failure, never a missing row.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Final

import numpy as np

from lawsmith.errors import InputError, IntegrityError
from lawsmith.evaluation.claims import check_claims
from lawsmith.evaluation.dense import DENSE_POINTS
from lawsmith.evaluation.misreading import misreads_evidence
from lawsmith.evaluation.predictors import Predictor, predictions, read_predictor
from lawsmith.evaluation.recovery import Answer, Clock, Judgement, judge
from lawsmith.expressions import SHORT_DIGITS, literals_of
from lawsmith.measurement import Score, score_prediction
from lawsmith.mutation.laws import folded
from lawsmith.rules import named
from schemas.episode import Episode
from schemas.expression import Expression
from schemas.score import EpisodeScore, FailureMode, ReadoutScore
from schemas.task import FixedObservation, PublicTask, SealedKey

SCORER_VERSION: Final = named("score")

SUCCESS_RULE: Final = (
    "form: weak, and the predictor is the law but for the values of constants, with e <= 1 at"
    f" {DENSE_POINTS} points and the corners of the whole domain as well. strict: weak, and the"
    " predictor is the law as the world computes it, but for the rounding of constants to"
    " float64; attainable counts the tasks whose law can be written exactly from short numbers"
    f" (constants of at most {SHORT_DIGITS} digits). strict implies form, and form implies weak."
)
"""Printed under every table of scores."""


def score_episode(
    episode: Episode,
    task: PublicTask,
    key: SealedKey,
    *,
    release_digest: str | None = None,
    fixed: Sequence[FixedObservation] | None = None,
    version: int | None = None,
) -> EpisodeScore:
    """The scores of an episode, after all that it says of itself was computed again.

    Args:
        episode: what was played.
        task: its public task.
        key: its sealed key.
        release_digest: as `check_claims` takes it.
        fixed: as `check_claims` takes it.
        version: of the rule `score` that the release goes by; None = the newest.

    Raises:
        ForgedError: it contradicts its turns, its release or the world; no score is made.
        IntegrityError: episode, task and key do not belong together.
        TimeLimitError: a comparison's guard fired twice; no score is made of that.
    """
    _belong(episode, task, key)
    check_claims(episode, task, key, release_digest=release_digest, fixed=fixed)
    return SCORERS[version or max(SCORERS)](episode, task, key)


def score_recorded(
    episode: Episode,
    task: PublicTask,
    key: SealedKey,
    *,
    clock: Clock = time.thread_time,
) -> EpisodeScore:
    """The scores of an episode that was made from checked turns, as those of the Oracle's log.

    Args:
        episode: what was played.
        task: its public task.
        key: its sealed key.
        clock: CPU seconds of this thread, for the guard of comparisons alone.

    Raises:
        IntegrityError: episode, task and key do not belong together.
        TimeLimitError: a comparison's guard fired; no score is made of that.
    """
    _belong(episode, task, key)
    if episode.end == "infrastructure":
        return _record(episode, task, key, determined=False, reason=episode.problem or "fault")
    if episode.end != "completed" or episode.completion is None:
        problem = f"{episode.end}: {episode.problem or 'no admissible predictor'}"
        return _record(episode, task, key, failure="no_usable_answer", reason=problem)
    try:
        predictor = read_predictor(episode.completion.predictor, task.controls, task.readouts)
        predicted = predictions(predictor, task.controls, key.hidden_inputs)
    except InputError as error:
        return _record(episode, task, key, failure="no_usable_answer", reason=f"invalid: {error}")
    score = score_prediction(
        predicted,
        key.hidden_truth,
        [readout.absolute for readout in task.readouts],
        [readout.relative for readout in task.readouts],
    )
    judged = judge(predictor, task, key, accurate=score.weak, clock=clock)
    return _scored(episode, task, key, predictor, score, judged)


def _scored(
    episode: Episode,
    task: PublicTask,
    key: SealedKey,
    predictor: Predictor,
    score: Score,
    judged: Judgement,
) -> EpisodeScore:
    kept = not episode.breaches
    weak = score.weak and kept
    strict = _verdict(weak, judged.equal)
    form = _verdict(weak, judged.form if judged.within else "no")
    failure = _failure(score.weak, judged, predictor, episode, task)
    reason = "; ".join(
        part for part in (judged.reason, *(f"breach {rule}" for rule in episode.breaches)) if part
    )
    return _record(
        episode,
        task,
        key,
        determined=strict is not None and form is not None,
        valid=True,
        prediction=score.s,
        readouts=tuple(
            ReadoutScore(
                readout=readout.name,
                mean_error=_finite(float(score.errors[:, r].mean())),
                max_error=_finite(float(score.errors[:, r].max())),
            )
            for r, readout in enumerate(task.readouts)
        ),
        weak=weak,
        form=form,
        strict=strict,
        failure=failure,
        reason=reason,
    )


def _failure(
    accurate: bool,
    judged: Judgement,
    predictor: Predictor,
    episode: Episode,
    task: PublicTask,
) -> FailureMode | None:
    """The first mode that applies; None where the law was recovered.

    `explanation_mismatch` needs a judge's quotation and is never given here.
    """
    if accurate and judged.form != "yes":
        return "symbolically_not_recovered"
    if judged.form == "yes":
        return None if accurate and judged.within else "parameter_error"
    if misreads_evidence(predictor, episode, task):
        return "evidence_misreading"
    return "incorrect_relation"


def _record(
    episode: Episode,
    task: PublicTask,
    key: SealedKey,
    *,
    determined: bool = True,
    valid: bool = False,
    prediction: float | None = None,
    readouts: tuple[ReadoutScore, ...] = (),
    weak: bool = False,
    form: bool | None = False,
    strict: bool | None = False,
    failure: FailureMode | None = None,
    reason: str,
) -> EpisodeScore:
    return EpisodeScore(
        id=episode.id,
        episode_digest=episode.digest,
        release_id=episode.release_id,
        task_id=task.id,
        family_id=key.family_id,
        kind=task.kind,
        collection=task.collection,
        setting=task.setting,
        environment=key.environment,
        player=episode.player,
        protocol=episode.protocol,
        budget=episode.budget,
        repeat=episode.repeat,
        determined=determined,
        valid=valid,
        prediction=prediction,
        readouts=readouts,
        protocol_kept=not episode.breaches,
        weak=weak,
        form=form,
        strict=strict,
        strict_attainable=all(_writable(law.expression) for law in key.laws),
        failure=failure,
        reason=reason,
        scorer_version=SCORER_VERSION,
        synthetic_sources=episode.synthetic_sources,
        replayed=episode.replayed,
    )


def _belong(episode: Episode, task: PublicTask, key: SealedKey) -> None:
    ids = {episode.task_id, task.id, key.id}
    if len(ids) != 1:
        raise IntegrityError(f"episode, task and key have the ids {sorted(ids)}", path=episode.id)
    if key.public_digest != task.digest:
        raise IntegrityError(
            f"the key of {key.id} was made for another public task",
            path=episode.id,
            fix="score against the release that was played",
        )


@lru_cache(maxsize=4096)
def _writable(law: Expression) -> bool:
    """Whether a law is written with short numbers, as the world computes it or folded."""
    return literals_of(law).short or literals_of(folded(law)).short


def _verdict(weak: bool, answer: Answer) -> bool | None:
    if not weak:
        return False
    return None if answer == "undecided" else answer == "yes"


def _finite(value: float) -> float:
    return value if np.isfinite(value) else float(np.finfo(np.float64).max)


SCORERS: Final[Mapping[int, Callable[[Episode, PublicTask, SealedKey], EpisodeScore]]] = {
    2: score_recorded
}
"""Version of the rule `score` -> what scores an episode of checked turns by it."""


__all__ = ("SCORERS", "SCORER_VERSION", "SUCCESS_RULE", "score_episode", "score_recorded")
