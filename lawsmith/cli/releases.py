"""`release`, `verify`, `diff`, `export`: cutting, checking and handing out releases."""

from dataclasses import asdict
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Annotated, get_args
from uuid import uuid4

import typer

from lawsmith.cli import console
from lawsmith.cli.exit_codes import FaultFoundError, usage
from lawsmith.cli.options import Config, Json, ReleaseName, find_release
from lawsmith.errors import InputError

if TYPE_CHECKING:
    from lawsmith.runs import StageContext
    from schemas.release import Cut, Fault
    from schemas.task import Setting

ALL = "all"


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
        str | None, typer.Option(help="2026.11.0; the next of the month if not given.")
    ] = None,
    source: Annotated[
        str | None, typer.Option(help="sample, arxiv or a folder: whose collection to cut.")
    ] = None,
    policy: Annotated[
        str | None, typer.Option(help="journal_required or preprint_only: which dates count.")
    ] = None,
    journal: Annotated[
        list[str] | None, typer.Option(help="Only papers of this journal, by name or ISSN; repeat.")
    ] = None,
    category: Annotated[
        list[str] | None, typer.Option(help="Only papers of this category or archive; repeat.")
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
    rules = _rules(policy, journal or [], category or [])
    from lawsmith.cli.journal import journal as keep_journal
    from lawsmith.cli.summary import show_outcome
    from lawsmith.gateways.store import partition_lock
    from lawsmith.runs import AMBIENT, Ambient, open_context

    with console.progress() as tell:
        AMBIENT.set(Ambient(tell, Event()))
        context = open_context(source=source, config_file=config, flags=rules)
        # Dagster takes seconds to import; only the commands that run jobs pay for it.
        from assets.resources import Engine
        from pipelines.main_job import Outcome, cut, finish

        outcome = Outcome((), {})
        label = f"release-{uuid4().hex[:8]}"
        asked = {"cutoff": cutoff, "until": until, "version": version}
        with (
            partition_lock(context.store, "refresh"),
            keep_journal(context, label, "release", **asked) as log,
        ):
            terms, standing = _terms(
                context,
                cutoff=_day("--cutoff", cutoff),
                until=_day("--until", until or context.now()[:10]),
                version=version,
                allow_incomplete=allow_incomplete,
                reason=reason,
            )
            engine = Engine(source=context.source, config_file=str(config or ""))
            finish(context, engine, outcome)
            if standing is not None:
                outcome.releases.append((standing, False))
            else:
                stood = (context.store.releases / terms.id).is_dir()
                outcome.releases.append((cut(context, engine, terms, outcome), not stood))
            log.tell(outcome)
    show_outcome(context, outcome, as_json=as_json)


def verify(
    release: ReleaseName,
    certificates: Annotated[
        str | None,
        typer.Option(
            metavar="[=N]",
            help="Recompute every certificate of families and problems too, or of the first N.",
        ),
    ] = None,
    second_opinion: Annotated[
        bool,
        typer.Option(
            "--second-opinion",
            help="Also ask sympy which laws are equal, and show where it contradicts us.",
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Recompute every hash and figure of a release; exit 3 when anything differs."""
    from lawsmith.curation.admission import textbook_laws
    from lawsmith.release.bundle import verify_release
    from lawsmith.runs import configure

    count = _how_many(certificates)
    folder = find_release(release)
    laws = configure().settings.data_root / "textbook_laws.jsonl"
    known = textbook_laws(laws) if count and laws.is_file() else ()
    faults = verify_release(folder, certificates=count, known=known)
    if second_opinion:
        faults += _contradictions(folder)
    if as_json:
        console.as_json([fault.model_dump() for fault in faults])
    elif faults:
        console.table("Faults", ("where", "what"), [(f.path, f.what) for f in faults])
    else:
        console.say(f"{folder}: every hash and figure holds.")
    if faults:
        raise FaultFoundError(f"{len(faults)} faults in {folder}")


def diff(old: ReleaseName, new: ReleaseName, as_json: Json = False) -> None:
    """What a newer release adds, removes and changes against an older one."""
    from lawsmith.release.bundle import diff_releases

    found = diff_releases(find_release(old), find_release(new))
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
    release: ReleaseName,
    to: Annotated[Path, typer.Option(help="The folder to put the copy in.")],
    public_only: Annotated[
        bool, typer.Option("--public-only", help="Leave sealed/ out: what players may have.")
    ] = False,
    setting: Annotated[
        str | None, typer.Option(help="discovery or identification: leave the other out.")
    ] = None,
) -> None:
    """Copy a release, byte for byte and read-only."""
    from lawsmith.release.bundle import export_release

    with usage("--setting"):
        chosen: Setting | None = None if setting is None else _setting(setting)
    path = export_release(find_release(release), to, public_only=public_only, setting=chosen)
    console.say(str(path))


def _contradictions(folder: Path) -> "list[Fault]":
    """What sympy says otherwise about the laws of a release, as faults."""
    from lawsmith.release.bundle import disagreements

    return [item.as_fault() for item in disagreements(folder)]


def _how_many(certificates: str | None) -> int:
    """How many families' certificates to recompute: none, the first N, or all as -1."""
    if certificates is None:
        return 0
    if certificates == ALL:
        return -1
    if not certificates.isdecimal() or int(certificates) < 1:
        raise typer.BadParameter(
            f"{certificates!r} is no number from 1 on; write --certificates or --certificates=N",
            param_hint="--certificates",
        )
    return int(certificates)


def _day(option: str, text: str) -> str:
    from lawsmith.eligibility import day_span

    with usage(option):
        day_span(text)
    if len(text) != len("2026-04-30"):
        raise typer.BadParameter(f"{text!r} is not a day, as 2026-04-30", param_hint=option)
    return text


def _rules(policy: str | None, journals: list[str], categories: list[str]) -> dict[str, object]:
    """The settings of eligibility that flags change."""
    from lawsmith.eligibility import allow_lists
    from schemas.release import EligibilityPolicy

    with usage("--journal"):
        allow_lists(journals, ())
    with usage("--category"):
        allow_lists((), categories)
    known = get_args(EligibilityPolicy)
    if policy is not None and policy not in known:
        raise typer.BadParameter(f"{policy!r} is not {' or '.join(known)}", param_hint="--policy")
    return {
        "eligibility.policy": policy,
        "eligibility.journals": journals or None,
        "eligibility.categories": categories or None,
    }


def _terms(
    context: "StageContext",
    *,
    cutoff: str,
    until: str,
    version: str | None,
    allow_incomplete: bool,
    reason: str | None,
) -> "tuple[Cut, Path | None]":
    """The terms of a cut, and the standing release that already holds what it would."""
    from lawsmith.release import SUFFIXES, check_version
    from lawsmith.stages.cuts import plan_cut, terms_of

    if version is None:
        plan = plan_cut(
            context,
            series=f"{int(until[:4])}.{int(until[5:7])}",
            cutoff=cutoff,
            until=until,
            allow_incomplete=allow_incomplete,
        )
        return plan.cut, plan.standing
    suffix = SUFFIXES[context.collection]
    whole = version if version.endswith(suffix) else f"{version}{suffix}"
    with usage("--version"):
        check_version(context.collection, whole)
    terms = terms_of(
        context,
        version=whole,
        cutoff=cutoff,
        until=until,
        allow_incomplete=allow_incomplete,
        reason=reason,
    )
    return terms, None


def _setting(text: str) -> "Setting":
    if text == "discovery":
        return "discovery"
    if text == "identification":
        return "identification"
    raise InputError(f"{text!r} is no setting", fix="give discovery or identification")
