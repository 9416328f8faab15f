"""Playing and scoring whole releases: episode and score files, one JSON line a record."""

from collections.abc import Callable, Sequence
from pathlib import Path

from lawsmith.errors import InputError, PrerequisiteError
from lawsmith.evaluation import (
    Experimenter,
    ForgedError,
    PlayerView,
    effective_budget,
    episode_id,
    play,
    score_episode,
)
from lawsmith.evaluation.players import BASELINES
from lawsmith.gateways.store import write_whole
from lawsmith.oracle import OracleClient
from lawsmith.release.bundle import PublicRelease, SealedRelease, read_release
from lawsmith.rules import rules_of
from lawsmith.runs import Progress, drop_torn_line, whole_lines
from lawsmith.stages.scored_lines import (
    LineError,
    Places,
    check_release,
    numbered_lines,
    read_beside,
    read_episode,
    said_of,
    task_counts,
    write_beside,
)
from schemas.episode import Episode, Protocol
from schemas.score import EpisodeScore, Unscored
from schemas.task import PublicTask
from schemas.trial import TrialToken

EPISODES = "episodes.jsonl"
SCORES = "scores.jsonl"


def play_release(
    release: PublicRelease,
    *,
    player: str,
    protocol: Protocol,
    budget: int | None,
    repeats: int,
    to: Path,
    oracle: OracleClient | None,
    clock: Callable[[], str],
    limit: int | None = None,
    trials: Sequence[TrialToken] | None = None,
    progress: Progress = lambda _what, _done, _of: None,
) -> int:
    """Play every task and append each episode as it ends; episodes that are there are kept.

    Args:
        release: the public tree.
        player: a baseline's name.
        protocol: the protocol.
        budget: observations under Fixed, accepted proposals at most under Adaptive.
        repeats: episodes a task.
        to: folder of `episodes.jsonl`.
        oracle: where experiments are made; needed under Adaptive.
        clock: the present instant.
        limit: play only the first tasks, by id.
        trials: tokens of the holder: those of this player are played, under any protocol over
            the Oracle, and `repeats` is what they say.
        progress: told of each episode.

    Returns:
        How many episodes were played in this run.

    Raises:
        InputError: an unknown player, a budget that the protocol does not have, or trials
            without an Oracle or for another player.
    """
    maker = BASELINES.get(player)
    if maker is None:
        raise InputError(
            f"player {player!r} is not known",
            path="player",
            fix=f"use one of {', '.join(BASELINES)}; model players come with a later version",
        )
    tasks = release.tasks[:limit] if limit is not None else release.tasks
    path = to / EPISODES
    done = {item.id for item in read_episodes(to)}
    asked: list[tuple[PublicTask, int, TrialToken | None]] = [
        (task, repeat, None) for task in tasks for repeat in range(repeats)
    ]
    if trials is not None:
        asked = _of_player(trials, release, tasks, player, protocol, budget)
        if oracle is None:
            raise InputError("trials are played at the Oracle", path="oracle", fix="give --oracle")
    todo = [
        (task, repeat, trial)
        for task, repeat, trial in asked
        if episode_id(task.id, protocol, effective_budget(task, protocol, budget), player, repeat)
        not in done
    ]
    to.mkdir(parents=True, exist_ok=True)
    drop_torn_line(path)
    with path.open("a", encoding="utf-8") as out:
        for count, (task, repeat, trial) in enumerate(todo):
            progress(f"{player} plays", count, len(todo))
            episode = play(
                release,
                task,
                maker,
                player=player,
                protocol=protocol,
                budget=budget,
                repeat=repeat,
                oracle=_session(oracle, task, player) if oracle is not None else None,
                clock=clock,
                trial=_trial(oracle, trial) if oracle is not None and trial is not None else None,
            )
            out.write(episode.to_json() + "\n")
            out.flush()
    progress(f"{player} plays", len(todo), len(todo))
    return len(todo)


def score_release(episodes: Path, release: Path, to: Path) -> list[EpisodeScore]:
    """Score every honest line of a file of episodes against a release's sealed keys.

    Beside the scores, sorted by id, `unscored.jsonl` names each line that has none (see
    `read_unscored`), and `task_counts.jsonl` says how many tasks there were to play.

    Args:
        episodes: the file, or its folder.
        release: the whole release.
        to: folder of `scores.jsonl`.

    Raises:
        PrerequisiteError: no episodes, the release is a public-only copy, or it goes by a version
            of a rule that another Lawsmith applies.
    """
    public, sealed = opened_release(release)
    version = rules_of(public.manifest, "score")["score"]
    path = episodes / EPISODES if episodes.is_dir() else episodes
    lines = list(numbered_lines(path)) if path.is_file() else []
    if not lines:
        raise PrerequisiteError("no episodes", path=str(path), fix="run `lawsmith play` first")
    keys = {key.id: key for key in sealed.keys}
    places = Places(path, keys, public.manifest.collection)
    scores: dict[str, EpisodeScore] = {}
    for number, line in lines:
        try:
            episode = read_episode(line)
            check_release(episode, public)
            if episode.id in scores:
                raise LineError("repeated", f"{episode.id!r} stands in a line before", field="id")
            scores[episode.id] = score_episode(
                episode,
                public.task(episode.task_id),
                keys[episode.task_id],
                release_digest=public.manifest.digest,
                fixed=public.fixed.get(episode.task_id, ()),
                version=version,
            )
        except (ForgedError, LineError) as error:
            places.leave_out(number, error, said_of(line))
    found = sorted(scores.values(), key=lambda item: item.id)
    write_scores(found, to)
    write_beside(to, task_counts(sealed.keys, public.manifest.collection), places.unscored)
    return found


def opened_release(release: Path) -> tuple[PublicRelease, SealedRelease]:
    """Both trees of a release, to score against.

    Raises:
        PrerequisiteError: the release is a public-only copy.
    """
    opened = read_release(release)
    if opened.sealed is None:
        raise PrerequisiteError(
            "scoring needs the sealed tree, and this copy is public only",
            path=str(release),
            fix="score where the whole release is",
        )
    return opened.public, opened.sealed


def write_scores(scores: Sequence[EpisodeScore], to: Path) -> None:
    """Write scores, one JSON line each."""
    to.mkdir(parents=True, exist_ok=True)
    text = "".join(score.to_json() + "\n" for score in scores)
    write_whole(to / SCORES, text)


def read_unscored(folder: Path) -> list[Unscored]:
    """What `score_release` or `score_log` left without a score; the trials never used last."""
    return read_beside(folder)[1]


def read_episodes(folder: Path) -> list[Episode]:
    """The episodes of a folder, in the order they were played; a torn last line is dropped."""
    return [Episode.from_json(line) for line in whole_lines(folder / EPISODES)]


def read_scores(folder: Path) -> list[EpisodeScore]:
    """The scores of a folder.

    Raises:
        PrerequisiteError: there are none.
    """
    path = folder / SCORES if folder.is_dir() else folder
    if not path.is_file():
        raise PrerequisiteError("no scores", path=str(path), fix="run `lawsmith score` first")
    return [EpisodeScore.from_json(line) for line in whole_lines(path)]


def _session(oracle: OracleClient, task: PublicTask, player: str) -> Callable[[int], Experimenter]:
    return lambda budget: oracle.open(task.id, budget, player=player)


def _trial(oracle: OracleClient, trial: TrialToken) -> Callable[[PlayerView], Experimenter]:
    def opened(view: PlayerView) -> Experimenter:
        session = oracle.open_trial(trial.token, view.protocol, view.budget)
        if session.begun:
            raise PrerequisiteError(
                f"the trial of {trial.task_id}, repeat {trial.repeat}, was begun by another run",
                path="trials",
                fix="go on with it over HTTP, or take its line out of the file of trials",
            )
        return session

    return opened


def _of_player(
    trials: Sequence[TrialToken],
    release: PublicRelease,
    tasks: Sequence[PublicTask],
    player: str,
    protocol: Protocol,
    budget: int | None,
) -> list[tuple[PublicTask, int, TrialToken | None]]:
    """The trials of a player that a protocol and its budget may be played in."""
    known = {task.id: task for task in tasks}
    found: list[tuple[PublicTask, int, TrialToken | None]] = []
    for trial in trials:
        if trial.release_id != release.manifest.id:
            raise InputError(f"a trial is of {trial.release_id}", path="trials")
        task = known.get(trial.task_id)
        if task is None or trial.player != player or trial.protocol not in (None, protocol):
            continue
        if trial.budget in (None, effective_budget(task, protocol, budget)):
            found.append((task, trial.repeat, trial))
    if not found:
        raise InputError(
            f"no trial of player {player!r} under {protocol} is among them", path="trials"
        )
    return found
