"""`release`, `verify`, `diff`, `export`: cutting, checking and handing out releases."""

from dataclasses import asdict
from pathlib import Path
from threading import Event
from typing import Annotated

import typer

from lawsmith.cli import console
from lawsmith.cli.app_errors import FaultFoundError
from lawsmith.cli.options import Config, Json, ReleaseFolder
from lawsmith.errors import InputError
from schemas.task import Setting


def register(app: typer.Typer) -> None:
    """Add this room's commands."""
    app.command("release")(release)
    app.command("verify")(verify)
    app.command("diff")(diff)
    app.command("export")(export)


def release(
    track: Annotated[str, typer.Argument(help="temporal (historical: use build-historical)")],
    cutoff: Annotated[str, typer.Option(help="Everything public must be later than this day.")],
    until: Annotated[
        str | None, typer.Option(help="The last journal day; today when not given.")
    ] = None,
    version: Annotated[
        str | None, typer.Option(help="<year>.<month>.<n>; the next of the month if not given.")
    ] = None,
    source: Annotated[
        str | None, typer.Option(help="sample, arxiv or a folder: whose collection to cut.")
    ] = None,
    reason: Annotated[str | None, typer.Option(help="Why this version follows another.")] = None,
    allow_incomplete: Annotated[
        bool, typer.Option("--allow-incomplete", help="Cut though papers are not done; stated.")
    ] = False,
    as_json: Json = False,
    config: Config = None,
) -> None:
    """Cut a Temporal release, export its public bundle and play the baselines on it."""
    if track != "temporal":
        raise typer.BadParameter(f"{track!r} is not temporal", param_hint="TRACK")
    from lawsmith.cli.summary import show_outcome
    from lawsmith.gateways.warehouse import partition_lock
    from lawsmith.stages.cuts import plan_cut, terms_of
    from lawsmith.stages.opening import AMBIENT, Ambient, open_context

    with console.progress() as tell:
        AMBIENT.set(Ambient(tell, Event()))
        context = open_context(source=source, config_file=config)
        end = until or context.now()[:10]
        # Dagster takes seconds to import; only the commands that run jobs pay for it.
        from assets.resources import Engine
        from pipelines.main_job import Outcome, cut

        outcome = Outcome((), {})
        with partition_lock(context.store, "refresh"):
            if version is None:
                plan = plan_cut(
                    context,
                    series=f"{int(end[:4])}.{int(end[5:7])}",
                    cutoff=cutoff,
                    until=end,
                    allow_incomplete=allow_incomplete,
                )
                if plan.standing is not None:
                    outcome.releases.append((plan.standing, False))
                    show_outcome(context, outcome, as_json=as_json)
                    return
                terms = plan.cut
            else:
                terms = terms_of(
                    context,
                    version=version,
                    cutoff=cutoff,
                    until=end,
                    allow_incomplete=allow_incomplete,
                    reason=reason,
                )
            engine = Engine(source=context.source, config_file=str(config or ""))
            standing = (context.store.releases / terms.id).is_dir()
            outcome.releases.append((cut(context, engine, terms, outcome), not standing))
    show_outcome(context, outcome, as_json=as_json)


def verify(
    folder: ReleaseFolder,
    certificates: Annotated[
        int | None,
        typer.Option(help="Recompute the certificates of the first N families; -1 = all."),
    ] = None,
    all_certificates: Annotated[
        bool, typer.Option("--all-certificates", help="Recompute every certificate.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Recompute every hash and figure of a release; exit 3 when anything differs."""
    from lawsmith.release.bundle import verify_release

    faults = verify_release(folder, certificates=-1 if all_certificates else certificates or 0)
    if as_json:
        console.as_json([fault.model_dump() for fault in faults])
    elif faults:
        console.table("Faults", ("where", "what"), [(f.path, f.what) for f in faults])
    else:
        console.say(f"{folder}: every hash and figure holds.")
    if faults:
        raise FaultFoundError(f"{len(faults)} faults in {folder}")


def diff(old: ReleaseFolder, new: ReleaseFolder, as_json: Json = False) -> None:
    """What a newer release adds, removes and changes against an older one."""
    from lawsmith.release.bundle import diff_releases

    found = diff_releases(old, new)
    if as_json:
        console.as_json(asdict(found))
        return
    rows = [("added", item, "") for item in found.added]
    rows += [("removed", item, "") for item in found.removed]
    rows += [
        ("changed", f"{item.table} {item.id}", ", ".join(item.paths)) for item in found.changed
    ]
    rows += [("manifest", item, "") for item in found.manifest]
    if rows:
        console.table(f"{found.old} -> {found.new}", ("what", "which", "fields"), rows)
    else:
        console.say(f"{found.old} and {found.new} are identical.")


def export(
    release_id: Annotated[str, typer.Argument(help="A release id of this store, or a folder.")],
    to: Annotated[Path, typer.Option(help="The folder to put the copy in.")],
    public_only: Annotated[
        bool, typer.Option("--public-only", help="Leave sealed/ out: what players may have.")
    ] = False,
    setting: Annotated[
        str | None, typer.Option(help="discovery or identification: leave the other out.")
    ] = None,
) -> None:
    """Copy a release, byte for byte and read-only."""
    from lawsmith.cli.options import find_release
    from lawsmith.release.bundle import export_release

    if setting not in {None, "discovery", "identification"}:
        raise typer.BadParameter(f"{setting!r} is neither discovery nor identification")
    chosen: Setting | None = None if setting is None else _setting(setting)
    path = export_release(find_release(release_id), to, public_only=public_only, setting=chosen)
    console.say(str(path))


def _setting(text: str) -> Setting:
    if text == "discovery":
        return "discovery"
    if text == "identification":
        return "identification"
    raise InputError(f"{text!r} is no setting", fix="give discovery or identification")
