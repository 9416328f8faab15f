"""Stage `evaluations`: the baselines play a new release, and are scored."""

from pathlib import Path

from lawsmith.evaluation import (
    make_calibrated_report,
    make_report,
    write_calibrated_report,
    write_report,
)
from lawsmith.gateways.store import Row, has_partition, read_partition, write_partition
from lawsmith.oracle import OracleClient, oracle_process
from lawsmith.release.bundle import PublicRelease, read_manifest, read_public, read_release
from lawsmith.runs import StageContext, StageReport, report, row_of
from lawsmith.stages.playing import (
    EPISODES,
    SCORES,
    play_release,
    read_episodes,
    read_scores,
    score_release,
)
from lawsmith.stages.scored_lines import read_beside
from lawsmith.stages.submissions import SCORES as CALIBRATED_SCORES
from lawsmith.stages.submissions import TASKS as CALIBRATED_TASKS
from lawsmith.stages.submissions import read_calibrated_scores, write_calibrated_scores
from schemas.record import Part
from schemas.release import PublicManifest
from schemas.score import EpisodeScore

TABLE = "evaluations"
PLAYERS = ("mean", "affine", "power-law")
BUDGET = 4
"""Fixed observations of the main table (SciGame, section 4.1)."""


class Disagreement(Part):
    """A public observation that the Oracle does not give."""

    task_id: str
    index: int


def is_evaluated(context: StageContext, release_id: str) -> bool:
    """Whether a release was played and scored: the rows, the episodes, the scores, the reports."""
    folder, to = context.store.releases / release_id, context.store.evaluations / release_id
    rows = read_partition(context.store, TABLE, context.collection, release_id)
    manifest = read_manifest(folder)
    names = [EPISODES, SCORES, *(f"report/report.{kind}" for kind in ("html", "json", "md"))]
    if manifest.problems:
        names += [CALIBRATED_SCORES, CALIBRATED_TASKS]
        names += [f"report/real-data.{kind}" for kind in ("html", "json", "md")]
    if not all((to / name).is_file() for name in names):
        return False
    if not has_partition(context.store, TABLE, context.collection, release_id):
        return False
    try:
        played = {item.release_digest for item in read_episodes(to)}
        scored = {(item.id, item.digest) for item in read_scores(to)}
    except ValueError:
        return False
    return played <= {manifest.digest} and scored == {(row.id, row.digest) for row in rows}


def _drop_foreign_episodes(to: Path, manifest: PublicManifest) -> None:
    """Remove episodes that do not read, or were played on a release that was cut again since."""
    try:
        if all(item.release_digest == manifest.digest for item in read_episodes(to)):
            return
    except ValueError:
        pass
    (to / EPISODES).unlink()


def run(context: StageContext, release_id: str) -> StageReport:
    """Play the baselines under Fixed, B = 4, score them, and write tables for people.

    The Oracle process is asked for each observation that players are shown, so that the
    public table is known to be what the worlds return.

    Raises:
        OracleFaultError: the Oracle does not start or answer.
    """
    folder = context.store.releases / release_id
    release = read_public(folder)
    to = context.store.evaluations / release_id
    _drop_foreign_episodes(to, release.manifest)
    played = 0
    with oracle_process(folder) as oracle:
        differing = _disagreements(oracle, release)
        for player in PLAYERS:
            played += play_release(
                release,
                player=player,
                protocol="fixed",
                budget=BUDGET,
                repeats=1,
                to=to,
                oracle=oracle,
                clock=context.now,
                progress=context.progress,
            )
    scores = score_release(to, folder, to)
    counts, unscored = read_beside(to)
    tables = make_report(scores, counts=counts, unscored=unscored)
    write_report(tables, to / "report")
    answers = _baselines(folder, release, to)
    rows = [_row(context, release_id, score) for score in scores]
    write_partition(context.store, TABLE, context.collection, release_id, rows)
    return report(
        "evaluations",
        rows,
        [],
        new=played,
        columns=("player", "setting", "environment", "S_all", "weak ESR", "form ESR"),
        preview=[
            (
                row.player,
                row.setting,
                row.environment,
                f"{row.s_all.value:.3f}" if row.s_all.value is not None else "undetermined",
                f"{row.weak.value:.3f}" if row.weak.value is not None else "undetermined",
                f"{row.form.value:.3f}" if row.form.value is not None else "undetermined",
            )
            for row in tables.rows
        ],
        figures={
            "episodes": float(len(scores)),
            "episodes without a score": float(len(unscored)),
            "observations audited": float(len(release.tasks) * BUDGET),
            "observations that differ": float(len(differing)),
            **answers,
        },
        notes=(str(to / "report" / "report.html"), tables.rule),
    )


def _baselines(folder: Path, release: PublicRelease, to: Path) -> dict[str, float]:
    """Tables of the stored baselines of tasks on real data; means by kind and baseline."""
    sealed = read_release(folder).sealed
    scores = [score for item in sealed.problems for score in item.baselines] if sealed else []
    if not scores:
        return {}
    write_calibrated_scores(sorted(scores, key=lambda score: score.id), release, to)
    found = read_calibrated_scores(to)
    if found is None:
        return {}
    tables = make_calibrated_report(found)
    write_calibrated_report(tables, to / "report")
    return {
        f"{sign} of {row.player} ({row.kind})": value
        for row in tables.rows
        for sign, value in row.means.items()
        if value is not None
    }


def _disagreements(oracle: OracleClient, release: PublicRelease) -> list[Disagreement]:
    found = []
    for task in release.tasks:
        session = oracle.open(task.id, BUDGET)
        names = [control.name for control in task.controls]
        readouts = [readout.name for readout in task.readouts]
        for shown in release.fixed[task.id][:BUDGET]:
            answer = session.propose(dict(zip(names, shown.inputs, strict=True)), readouts)
            expected = dict(zip(readouts, shown.outputs, strict=True))
            if answer.outputs != expected:
                found.append(Disagreement(task_id=task.id, index=shown.index))
        session.close()
    return found


def _row(context: StageContext, release_id: str, score: EpisodeScore) -> Row:
    return row_of(
        context,
        score,
        table=TABLE,
        partition=release_id,
        paper_id=None,
        subject_id=score.task_id,
        release_id=release_id,
        task_id=score.task_id,
        family_id=score.family_id,
        player=score.player,
        protocol=score.protocol,
        setting=score.setting,
        environment=score.environment,
        budget=score.budget,
        repeat=score.repeat,
        s=score.prediction,
        weak=score.weak,
        form=_word(score.form),
        strict=_word(score.strict),
        strict_attainable=score.strict_attainable,
    )


def _word(verdict: bool | None) -> str:
    return "undecided" if verdict is None else str(verdict).lower()
