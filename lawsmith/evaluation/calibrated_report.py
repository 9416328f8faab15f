"""Tables of scores on real data, one a kind and measure: JSON data, Markdown, HTML."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined
from numpy.random import PCG64, Generator

from lawsmith.errors import InputError
from lawsmith.evaluation.calibrated import Measure, mean_score
from lawsmith.evaluation.report import BOOTSTRAP_SEED, LEVEL, RESAMPLES
from schemas.calibrated_score import CalibratedScore
from schemas.record import canonical_json
from schemas.score import Unscored

MEASURES: Final[Mapping[str, tuple[Measure, ...]]] = {
    "parallel": ("structure",),
    "real": ("numeric", "validity"),
}
SIGNS: Final[Mapping[Measure, str]] = {"structure": "S_S", "numeric": "S_N", "validity": "S_V"}


@dataclass(frozen=True)
class CalibratedScores:
    """Scores over all tasks on real data of one release."""

    release_id: str
    collection: str
    synthetic_sources: bool
    tasks: Mapping[str, tuple[str, ...]]
    """Kind -> ids of every task, answered or not."""
    scores: tuple[CalibratedScore, ...]
    unscored: tuple[Unscored, ...] = ()
    """Lines and trials without a score."""


@dataclass(frozen=True)
class KindRow:
    """One player over the tasks of one kind."""

    kind: str
    player: str
    attestation: str
    """attested: from the Oracle's log and a holder's token; self_reported: anything else."""
    asked: int
    """Tasks of the kind times repeats."""
    played: int
    """Of those, how many are scored."""
    forged: int
    """Contradicted by themselves, the release or the world, and not scored."""
    tasks: int
    """That count: answered, and not answered, which score 0."""
    absent: int
    undetermined: int
    invalid: int
    """Submissions that are not admissible; they score 0."""
    means: Mapping[str, float | None]
    """S_S of Parallel tasks; S_N and S_V of Real ones."""
    intervals: Mapping[str, tuple[float, float] | None]
    """95 % by bootstrap over tasks; None with fewer than two."""
    levels: Mapping[str, int]
    """Of S_S: how many submissions reached each level."""


@dataclass(frozen=True)
class CalibratedReport:
    """All tables of one set of scores on real data; kinds are never averaged together."""

    release_id: str
    collection: str
    synthetic_sources: bool
    rows: tuple[KindRow, ...]
    left_out: Mapping[str, int]
    """Lines without a score by outcome, and trials that were never used."""

    def to_json(self) -> str:
        """The report as canonical JSON."""
        return canonical_json(asdict(self))


def make_calibrated_report(found: CalibratedScores) -> CalibratedReport:
    """The tables of scores on real data.

    Raises:
        InputError: there are none, or one is of a task that the release has not.
    """
    if not found.scores and not found.unscored:
        raise InputError("there are no scores", fix="score some submissions first")
    rows = []
    for kind in MEASURES:
        own = [score for score in found.scores if score.kind == kind]
        apart = [one for one in found.unscored if one.kind == kind and one.player is not None]
        groups = {(score.player, score.attestation) for score in own}
        groups |= {(str(one.player), one.attestation) for one in apart}
        rows += [
            _row(
                kind,
                (player, attestation),
                found.tasks[kind],
                [s for s in own if (s.player, s.attestation) == (player, attestation)],
                [u for u in apart if (u.player, u.attestation) == (player, attestation)],
            )
            for player, attestation in sorted(groups)
        ]
    return CalibratedReport(
        found.release_id,
        found.collection,
        found.synthetic_sources,
        tuple(rows),
        dict(sorted(Counter(one.outcome for one in found.unscored).items())),
    )


def write_calibrated_report(report: CalibratedReport, to: Path) -> tuple[Path, ...]:
    """Writes real-data.json, real-data.md and real-data.html into a folder."""
    to.mkdir(parents=True, exist_ok=True)
    texts = {
        "real-data.json": report.to_json() + "\n",
        "real-data.md": calibrated_markdown(report),
        "real-data.html": _render(report, "calibrated.html.j2", html=True),
    }
    for name, text in texts.items():
        (to / name).write_text(text, encoding="utf-8")
    return tuple(to / name for name in texts)


def calibrated_markdown(report: CalibratedReport) -> str:
    """The report as Markdown."""
    return _render(report, "calibrated.md.j2", html=False)


def _row(
    kind: str,
    group: tuple[str, str],
    tasks: Sequence[str],
    scores: Sequence[CalibratedScore],
    unscored: Sequence[Unscored],
) -> KindRow:
    repeats = {score.repeat for score in scores} | {one.repeat for one in unscored}
    means, intervals = dict[str, float | None](), dict[str, tuple[float, float] | None]()
    counted, absent, undetermined = 0, 0, 0
    for measure in MEASURES[kind]:
        mean = mean_score(tasks, scores, measure)
        means[SIGNS[measure]] = mean.value
        intervals[SIGNS[measure]] = _interval(tasks, scores, measure)
        counted, absent = mean.tasks, len(mean.absent)
        undetermined = len(mean.undetermined)
    levels = Counter(score.level for score in scores if score.level is not None)
    return KindRow(
        kind=kind,
        player=group[0],
        attestation=group[1],
        asked=len(tasks) * len(repeats),
        played=len({score.id for score in scores}),
        forged=sum(one.outcome == "forged" for one in unscored),
        tasks=counted,
        absent=absent,
        undetermined=undetermined,
        invalid=sum(not score.valid for score in scores),
        means=means,
        intervals=intervals,
        levels=dict(sorted(levels.items())),
    )


def _interval(
    tasks: Sequence[str], scores: Sequence[CalibratedScore], measure: Measure
) -> tuple[float, float] | None:
    """Percentile interval of the mean over tasks; repeats of a task stay together."""
    values = []
    for task in tasks:
        own = [score for score in scores if score.task_id == task]
        known = [score for score in own if score.determined]
        if own and not known:
            continue
        found = [getattr(score, measure) or 0.0 for score in known]
        values.append(float(np.mean(found)) if found else 0.0)
    if len(values) < 2:
        return None
    draws = Generator(PCG64(BOOTSTRAP_SEED)).integers(0, len(values), (RESAMPLES, len(values)))
    means = np.array(values)[draws].mean(axis=1)
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def _text(value: float | None, interval: tuple[float, float] | None) -> str:
    if value is None:
        return "undetermined"
    return f"{value:.3f}" + (f" ({interval[0]:.3f}-{interval[1]:.3f})" if interval else "")


def _render(report: CalibratedReport, template: str, *, html: bool) -> str:
    pages = Environment(
        loader=PackageLoader("lawsmith.evaluation", "templates"),
        autoescape=html,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    pages.globals["shown"] = _text
    tables = {kind: [row for row in report.rows if row.kind == kind] for kind in MEASURES}
    signs = {kind: [SIGNS[measure] for measure in found] for kind, found in MEASURES.items()}
    return pages.get_template(template).render(report=report, tables=tables, signs=signs)


__all__ = (
    "CalibratedReport",
    "CalibratedScores",
    "KindRow",
    "calibrated_markdown",
    "make_calibrated_report",
    "write_calibrated_report",
)
