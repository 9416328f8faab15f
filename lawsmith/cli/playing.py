"""`oracle serve`, `play`, `score`, `report`: evaluating on a frozen release, no Dagster needed."""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lawsmith.cli import console
from lawsmith.cli.options import Json, ReleaseName, find_release
from schemas.episode import Protocol

if TYPE_CHECKING:
    from lawsmith.evaluation.calibrated_report import CalibratedScores

oracle = typer.Typer(help="The Oracle: the worlds of a release, in a process of their own.")
PROTOCOLS: dict[str, Protocol] = {
    "prior-only": "prior-only",
    "fixed": "fixed",
    "adaptive": "adaptive",
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
) -> None:
    """Serve the worlds of a whole release; prints its address as one JSON line."""
    from lawsmith.oracle.server import serve as run

    run(find_release(release), host, port)


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
    repeats: Annotated[int, typer.Option(min=1, help="Episodes a task.")] = 1,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first tasks.")] = None,
) -> None:
    """Play the tasks of a release; the player sees its public tree alone."""
    from lawsmith.oracle.client import OracleClient
    from lawsmith.release.bundle import read_public
    from lawsmith.stages.playing import EPISODES, play_release

    if kind != "paired":
        _answer(release, kind, player, to, oracle_url, limit)
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
            progress=tell,
        )
    console.say(f"{played} episodes played, in {to / EPISODES}")


def _answer(
    release: str, kind: str, player: str, to: Path, oracle_url: str | None, limit: int | None
) -> None:
    from lawsmith.oracle.client import OracleClient
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
            progress=tell,
        )
    console.say(f"{played} tasks answered, in {to / SUBMISSIONS}")


def score(
    episodes: Annotated[Path, typer.Argument(help="Episodes or submissions: a folder or a file.")],
    release: Annotated[str, typer.Option(help="The whole release they were played on.")],
    to: Annotated[Path, typer.Option(help="The folder to write scores into.")],
    as_json: Json = False,
) -> None:
    """Score against the sealed tree: episodes (S, weak, strict), submissions (S_N, S_V, S_S)."""
    from lawsmith.stages.playing import EPISODES, SCORES, score_release
    from lawsmith.stages.submissions import submissions_file

    handed_in = submissions_file(episodes)
    if handed_in is not None:
        _score_submissions(handed_in, release, to, as_json=as_json)
        if as_json or not (episodes / EPISODES).is_file():
            return
    scores = score_release(episodes, find_release(release), to)
    if as_json:
        console.as_json([item.model_dump(mode="json") for item in scores])
        return
    undetermined = sum(not item.determined for item in scores)
    console.say(f"{len(scores)} scores in {to / SCORES}, {undetermined} undetermined")


def _score_submissions(path: Path, release: str, to: Path, *, as_json: bool) -> None:
    from lawsmith.stages.submissions import SCORES, score_submissions

    with console.progress() as tell:
        found = score_submissions(path, find_release(release), to, tell)
    for line in found.unread:
        console.complain(f"not read, so unanswered: {line}")
    if as_json:
        console.as_json([item.model_dump(mode="json") for item in found.scores])
        return
    console.say(f"{len(found.scores)} scores in {to / SCORES}, {len(found.unread)} lines not read")


def report(
    scores: Annotated[Path, typer.Argument(help="A folder of scores.")],
    to: Annotated[Path, typer.Option(help="The folder to write the report into.")],
    as_json: Json = False,
) -> None:
    """Tables over scores, one a kind of task; kinds are never averaged together."""
    from lawsmith.evaluation.report import make_report, to_markdown, write_report
    from lawsmith.stages.playing import SCORES, read_scores
    from lawsmith.stages.submissions import read_calibrated_scores

    found = read_calibrated_scores(scores)
    if found is not None:
        _report_calibrated(found, to, as_json=as_json)
        if not (scores / SCORES).is_file():
            return
    made = make_report(read_scores(scores))
    files = write_report(made, to)
    if as_json:
        typer.echo(made.to_json())
        return
    console.say(to_markdown(made))
    console.say("\n".join(str(path) for path in files))


def _report_calibrated(found: "CalibratedScores", to: Path, *, as_json: bool) -> None:
    from lawsmith.evaluation.calibrated_report import (
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
