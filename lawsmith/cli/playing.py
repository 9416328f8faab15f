"""`oracle serve`, `play`, `score`, `report`: evaluating on a frozen release, no Dagster needed."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from lawsmith.cli import console
from lawsmith.cli.options import Json, ReleaseName, find_release
from schemas.episode import Protocol

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
    protocol: Annotated[str, typer.Option(help="prior-only, fixed or adaptive.")],
    to: Annotated[Path, typer.Option(help="The folder of episodes; played ones are kept.")],
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

    if protocol not in PROTOCOLS:
        raise typer.BadParameter(
            f"{protocol!r} is none of {', '.join(PROTOCOLS)}", param_hint="--protocol"
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


def score(
    episodes: Annotated[Path, typer.Argument(help="A folder of episodes.")],
    release: Annotated[str, typer.Option(help="The whole release they were played on.")],
    to: Annotated[Path, typer.Option(help="The folder to write scores into.")],
    as_json: Json = False,
) -> None:
    """Score episodes against the sealed tree: S, weak, strict, strict_delta."""
    from lawsmith.stages.playing import SCORES, score_release

    scores = score_release(episodes, find_release(release), to)
    if as_json:
        console.as_json([item.model_dump(mode="json") for item in scores])
        return
    undetermined = sum(not item.determined for item in scores)
    console.say(f"{len(scores)} scores in {to / SCORES}, {undetermined} undetermined")


def report(
    scores: Annotated[Path, typer.Argument(help="A folder of scores.")],
    to: Annotated[Path, typer.Option(help="The folder to write the report into.")],
    as_json: Json = False,
) -> None:
    """Tables over scores: S, weak and strict success with intervals over families."""
    from lawsmith.evaluation.report import make_report, to_markdown, write_report
    from lawsmith.stages.playing import read_scores

    made = make_report(read_scores(scores))
    files = write_report(made, to)
    if as_json:
        typer.echo(made.to_json())
        return
    console.say(to_markdown(made))
    console.say("\n".join(str(path) for path in files))


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
