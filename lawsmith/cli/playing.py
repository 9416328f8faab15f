"""`oracle serve`, `play`, `score`, `report`: evaluating on a frozen release, no Dagster needed."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lawsmith.cli import console
from lawsmith.cli.exit_codes import FaultFoundError
from lawsmith.cli.options import Json, ReleaseName, find_release

if TYPE_CHECKING:
    from lawsmith.evaluation import CalibratedScores
    from schemas.episode import Protocol
    from schemas.score import Unscored
    from schemas.task import Setting
    from schemas.trial import TrialKind, TrialToken

Record = Annotated[
    Path | None,
    typer.Option(help="The Oracle's folder, of its log and hashes; by default in the store."),
]
oracle = typer.Typer(help="The Oracle: the worlds of a release, in a process of their own.")
MOST_NAMED = 20
"""Lines without a score that are named one by one."""
PROTOCOLS: "dict[str, Protocol]" = {
    "prior-only": "prior-only",
    "fixed": "fixed",
    "adaptive": "adaptive",
}


KINDS: "dict[str, TrialKind]" = {"paired": "paired", "real": "real", "parallel": "parallel"}
SETTINGS: "dict[str, Setting]" = {
    "discovery": "discovery",
    "identification": "identification",
}


def register(app: typer.Typer) -> None:
    """Add this room's commands."""
    app.add_typer(oracle, name="oracle")
    app.command("play")(play)
    app.command("score")(score)
    app.command("report")(report)


@oracle.command("serve")
def serve(
    release: ReleaseName,
    host: Annotated[str, typer.Option(help="Loopback unless you know better.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="0 = any free port.")] = 0,
    open_to_all: Annotated[
        bool, typer.Option("--open", help="Give a token to whoever asks; self-reported episodes.")
    ] = False,
    record: Record = None,
    allow_host: Annotated[
        list[str] | None, typer.Option(help="Another name that requests may call this server.")
    ] = None,
    idle_seconds: Annotated[
        float, typer.Option(min=1.0, help="A session not used for so long expires.")
    ] = 3600.0,
) -> None:
    """Serve the worlds of a whole release; prints its address and its log as one JSON line."""
    from lawsmith.oracle import serve as run

    run(
        find_release(release),
        host,
        port,
        record=record,
        open_to_all=open_to_all,
        allow_hosts=allow_host or (),
        idle_seconds=idle_seconds,
    )


@oracle.command("trials")
def trials(
    release: ReleaseName,
    player: Annotated[str, typer.Option(help="Who gets the tokens.")],
    to: Annotated[Path, typer.Option(help="The file of tokens to write, for the player alone.")],
    repeats: Annotated[int, typer.Option(min=1, help="Trials a task.")] = 1,
    kind: Annotated[str, typer.Option(help="paired, real or parallel.")] = "paired",
    setting: Annotated[
        str | None, typer.Option(help="Only discovery or only identification.")
    ] = None,
    protocol: Annotated[
        str | None, typer.Option(help="Only this protocol; else the player chooses.")
    ] = None,
    budget: Annotated[int | None, typer.Option(help="Of the protocol.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first tasks.")] = None,
    record: Record = None,
    as_json: Json = False,
) -> None:
    """Hand out trials: a token a task and repeat, of which the Oracle keeps the hash alone."""
    import secrets

    from lawsmith.stages.trials import hand_out_trials

    if kind not in ("paired", "real", "parallel"):
        raise typer.BadParameter(f"{kind!r} is none of paired, real, parallel", param_hint="--kind")
    if setting not in (None, "discovery", "identification"):
        raise typer.BadParameter(
            f"{setting!r} is none of discovery, identification", param_hint="--setting"
        )
    if protocol is not None and protocol not in PROTOCOLS:
        raise typer.BadParameter(
            f"{protocol!r} is none of {', '.join(PROTOCOLS)}", param_hint="--protocol"
        )
    made = hand_out_trials(
        find_release(release),
        player=player,
        to=to,
        repeats=repeats,
        kind=KINDS[kind],
        setting=None if setting is None else SETTINGS[setting],
        protocol=None if protocol is None else PROTOCOLS[protocol],
        budget=budget,
        limit=limit,
        record=record,
        random=secrets.token_bytes,
    )
    if as_json:
        console.as_json({"trials": len(made), "to": str(to)})
        return
    console.say(f"{len(made)} trials of {player}, in {to}; give the file to nobody else")


def play(
    release: ReleaseName,
    player: Annotated[str, typer.Option(help="null, mean, affine, power-law.")],
    to: Annotated[Path, typer.Option(help="The folder of episodes; played ones are kept.")],
    protocol: Annotated[
        str | None, typer.Option(help="prior-only, fixed or adaptive; of paired tasks.")
    ] = None,
    kind: Annotated[
        str, typer.Option(help="paired; or real and parallel: one law a task, no episodes.")
    ] = "paired",
    budget: Annotated[int | None, typer.Option(help="Observations: 1, 2, 4, 8 or 16.")] = None,
    oracle_url: Annotated[
        str | None, typer.Option("--oracle", help="Address that `oracle serve` printed.")
    ] = None,
    trials_file: Annotated[
        Path | None, typer.Option("--trials", help="Tokens that `oracle trials` wrote.")
    ] = None,
    repeats: Annotated[
        int, typer.Option(min=1, help="Episodes a task; with --trials what they say.")
    ] = 1,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first tasks.")] = None,
) -> None:
    """Play the tasks of a release; the player sees its public tree alone."""
    from lawsmith.oracle import OracleClient, read_tokens
    from lawsmith.release.bundle import read_public
    from lawsmith.stages.playing import EPISODES, play_release

    tokens = None if trials_file is None else read_tokens(trials_file)
    if kind != "paired":
        _answer(release, kind, player, to, oracle_url, limit, tokens)
        return
    if protocol not in PROTOCOLS:
        raise typer.BadParameter(
            f"{protocol or ''!r} is none of {', '.join(PROTOCOLS)}", param_hint="--protocol"
        )
    with console.progress() as tell:
        played = play_release(
            read_public(find_release(release)),
            player=player,
            protocol=PROTOCOLS[protocol],
            budget=budget,
            repeats=repeats,
            to=to,
            oracle=OracleClient(oracle_url) if oracle_url else None,
            clock=_now,
            limit=limit,
            trials=tokens,
            progress=tell,
        )
    console.say(f"{played} episodes played, in {to / EPISODES}")


def _answer(
    release: str,
    kind: str,
    player: str,
    to: Path,
    oracle_url: str | None,
    limit: int | None,
    tokens: "tuple[TrialToken, ...] | None",
) -> None:
    from lawsmith.oracle import OracleClient
    from lawsmith.release.bundle import read_public
    from lawsmith.stages.submissions import SUBMISSIONS, play_calibrated

    if kind not in ("parallel", "real"):
        raise typer.BadParameter(f"{kind!r} is none of paired, parallel, real", param_hint="--kind")
    with console.progress() as tell:
        played = play_calibrated(
            read_public(find_release(release)),
            kind="parallel" if kind == "parallel" else "real",
            player=player,
            to=to,
            oracle=OracleClient(oracle_url) if oracle_url else None,
            limit=limit,
            trials=tokens,
            progress=tell,
        )
    console.say(f"{played} tasks answered, in {to / SUBMISSIONS}")


def score(
    episodes: Annotated[
        Path,
        typer.Argument(help="Episodes or submissions, or the Oracle's log: a folder or a file."),
    ],
    release: Annotated[str, typer.Option(help="The whole release they were played on.")],
    to: Annotated[Path, typer.Option(help="The folder to write scores into.")],
    as_json: Json = False,
) -> None:
    """Score against the sealed tree: episodes (S, weak, strict), submissions (S_N, S_V, S_S).

    A line that is no honest record costs itself alone: it is named, the rest is scored, and the
    command exits with 3.
    """
    from lawsmith.stages.attested import log_file
    from lawsmith.stages.playing import EPISODES, SCORES, read_unscored, score_release
    from lawsmith.stages.submissions import submissions_file

    log = log_file(episodes)
    if log is not None:
        _score_log(log, release, to, as_json=as_json)
        return
    handed_in = submissions_file(episodes)
    faults: list[Unscored] = []
    if handed_in is not None:
        faults += _score_submissions(handed_in, release, to, as_json=as_json)
        if as_json or not (episodes / EPISODES).is_file():
            _fail_on(faults)
            return
    scores = score_release(episodes, find_release(release), to)
    unscored = read_unscored(to)
    _name(unscored)
    if as_json:
        console.as_json([item.model_dump(mode="json") for item in scores])
    else:
        undetermined = sum(not item.determined for item in scores)
        console.say(
            f"{len(scores)} scores in {to / SCORES}, {undetermined} undetermined,"
            f" {len(unscored)} lines without a score"
        )
    _fail_on([*faults, *unscored])


def _score_log(log: Path, release: str, to: Path, *, as_json: bool) -> None:
    from lawsmith.stages.attested import score_log

    with console.progress() as tell:
        found = score_log(log, find_release(release), to, tell)
    faults = [one for one in found.unscored if one.outcome != "missing"]
    _name(faults)
    if as_json:
        console.as_json([one.model_dump(mode="json") for one in (*found.scores, *found.calibrated)])
    else:
        unused = len(found.unscored) - len(faults)
        console.say(
            f"{len(found.scores) + len(found.calibrated)} scores in {to}, {unused} trials not"
            f" played, {len(faults)} trials without a score"
        )
    _fail_on(faults)


def _score_submissions(path: Path, release: str, to: Path, *, as_json: bool) -> "list[Unscored]":
    from lawsmith.stages.submissions import SCORES, score_submissions

    with console.progress() as tell:
        found = score_submissions(path, find_release(release), to, tell)
    _name(found.unscored)
    if as_json:
        console.as_json([item.model_dump(mode="json") for item in found.scores])
    else:
        console.say(
            f"{len(found.scores)} scores in {to / SCORES}, {len(found.unread)} lines not read"
        )
    return found.unscored


def _name(unscored: "Sequence[Unscored]") -> None:
    """Say which lines have no score, the first ones of many."""
    for one in unscored[:MOST_NAMED]:
        field = f"{one.field}: " if one.field else ""
        console.complain(f"{one.place}: {one.outcome}: {field}{one.problem}")
    if len(unscored) > MOST_NAMED:
        console.complain(f"and {len(unscored) - MOST_NAMED} more")


def _fail_on(unscored: "Sequence[Unscored]") -> None:
    if unscored:
        raise FaultFoundError(f"{len(unscored)} lines have no score; the others are scored")


def report(
    scores: Annotated[Path, typer.Argument(help="A folder of scores.")],
    to: Annotated[Path, typer.Option(help="The folder to write the report into.")],
    as_json: Json = False,
) -> None:
    """Tables over scores, one a kind of task; kinds are never averaged together."""
    from lawsmith.evaluation import make_report, to_markdown, write_report
    from lawsmith.stages.playing import SCORES, read_scores
    from lawsmith.stages.scored_lines import read_beside
    from lawsmith.stages.submissions import read_calibrated_scores

    found = read_calibrated_scores(scores)
    counts, unscored = read_beside(scores if scores.is_dir() else scores.parent)
    unscored = [one for one in unscored if one.kind in (None, "paired")]
    if found is not None:
        _report_calibrated(found, to, as_json=as_json)
        paired = (scores / SCORES).is_file() and (read_scores(scores) or unscored)
        if not paired:
            return
    made = make_report(read_scores(scores), counts=counts, unscored=unscored)
    files = write_report(made, to)
    if as_json:
        typer.echo(made.to_json())
        return
    console.say(to_markdown(made))
    console.say("\n".join(str(path) for path in files))


def _report_calibrated(found: "CalibratedScores", to: Path, *, as_json: bool) -> None:
    from lawsmith.evaluation import (
        calibrated_markdown,
        make_calibrated_report,
        write_calibrated_report,
    )

    made = make_calibrated_report(found)
    files = write_calibrated_report(made, to)
    if as_json:
        typer.echo(made.to_json())
        return
    console.say(calibrated_markdown(made))
    console.say("\n".join(str(path) for path in files))


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
