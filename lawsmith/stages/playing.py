"""Playing and scoring whole releases: episode and score files, one JSON line a record."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from lawsmith.errors import InputError, PrerequisiteError
from lawsmith.evaluation.episodes import Experimenter, episode_id, play
from lawsmith.evaluation.players.baselines import BASELINES
from lawsmith.evaluation.scoring import SCORERS
from lawsmith.evaluation.views import effective_budget
from lawsmith.gateways.whole_files import write_whole
from lawsmith.oracle.client import OracleClient
from lawsmith.release.bundle import PublicRelease, read_release
from lawsmith.rules import rules_of
from lawsmith.stages.context import Progress
from lawsmith.stages.json_lines import drop_torn_line, whole_lines
from schemas.episode import Episode, Protocol
from schemas.score import EpisodeScore
from schemas.task import PublicTask

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
        progress: told of each episode.

    Returns:
        How many episodes were played in this run.

    Raises:
        InputError: an unknown player, or a budget that the protocol does not have.
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
    todo = [
        (task, repeat)
        for task in tasks
        for repeat in range(repeats)
        if episode_id(task.id, protocol, effective_budget(task, protocol, budget), player, repeat)
        not in done
    ]
    to.mkdir(parents=True, exist_ok=True)
    drop_torn_line(path)
    with path.open("a", encoding="utf-8") as out:
        for count, (task, repeat) in enumerate(todo):
            progress(f"{player} plays", count, len(todo))
            episode = play(
                release,
                task,
                maker,
                player=player,
                protocol=protocol,
                budget=budget,
                repeat=repeat,
                oracle=_session(oracle, task) if oracle is not None else None,
                clock=clock,
            )
            out.write(episode.to_json() + "\n")
            out.flush()
    progress(f"{player} plays", len(todo), len(todo))
    return len(todo)


def score_release(episodes: Path, release: Path, to: Path) -> list[EpisodeScore]:
    """Score every episode of a folder against a release's sealed keys, sorted by id.

    Raises:
        PrerequisiteError: no episodes, the release is a public-only copy, or it goes by a version
            of a rule that another Lawsmith applies.
        IntegrityError: an episode was played on another release.
    """
    opened = read_release(release)
    if opened.sealed is None:
        raise PrerequisiteError(
            "scoring needs the sealed tree, and this copy is public only",
            path=str(release),
            fix="score where the whole release is",
        )
    keys = {key.id: key for key in opened.sealed.keys}
    played = read_episodes(episodes)
    if not played:
        raise PrerequisiteError("no episodes", path=str(episodes), fix="run `lawsmith play` first")
    score = SCORERS[rules_of(opened.public.manifest, "score")["score"]]
    scores = [
        score(episode, opened.public.task(episode.task_id), keys[episode.task_id])
        for episode in _of_release(played, opened.public)
    ]
    scores.sort(key=lambda item: item.id)
    to.mkdir(parents=True, exist_ok=True)
    text = "".join(score.to_json() + "\n" for score in scores)
    write_whole(to / SCORES, text)
    return scores


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


def _session(oracle: OracleClient, task: PublicTask) -> Callable[[int], Experimenter]:
    return lambda budget: oracle.open(task.id, budget)


def _of_release(episodes: Sequence[Episode], release: PublicRelease) -> Iterator[Episode]:
    known = {task.id for task in release.tasks}
    for episode in episodes:
        if episode.task_id not in known or episode.release_id != release.manifest.id:
            raise InputError(
                f"episode {episode.id!r} was played on {episode.release_id}",
                path=str(release.path),
                fix="score it against that release",
            )
        yield episode
