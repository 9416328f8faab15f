"""Tables of scores with counts, bounds and intervals: JSON data, Markdown, HTML."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, get_args

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined
from numpy.random import PCG64, Generator
from numpy.typing import NDArray

from lawsmith.errors import InputError
from lawsmith.evaluation.coverage import (
    Coverage,
    Group,
    coverage_of,
    group_of,
    tasks_by_group,
    unscored_by_group,
)
from lawsmith.evaluation.scoring import SCORER_VERSION, SUCCESS_RULE
from schemas.record import canonical_json
from schemas.score import EpisodeScore, FailureMode, TaskCount, Unscored

RESAMPLES: Final = 2000
LEVEL: Final = 0.95
BOOTSTRAP_SEED: Final = 20_251_130
"""Seed of the report's own generator: an interval is the same in every report."""

FAILURE_MODES: Final[tuple[FailureMode, ...]] = get_args(FailureMode)
"""In the order in which they are asked; the first that applies is an episode's."""


@dataclass(frozen=True)
class Rate:
    """A mean over all episodes of a group, with what is not determined as bounds."""

    value: float | None
    """Over determined episodes; None where there are none."""
    low: float | None
    """Every undetermined episode counted as a failure."""
    high: float | None
    """Every undetermined episode counted as a success."""
    interval: tuple[float, float] | None
    """95 % by bootstrap over families; None with fewer than two families."""


@dataclass(frozen=True)
class TableRow:
    """One group of episodes."""

    collection: str
    setting: str
    environment: str
    protocol: str
    player: str
    attestation: str
    """attested: from the Oracle's log and a holder's token; self_reported: anything else."""
    n: int
    """Episodes that are scored."""
    asked: int | None
    """Tasks times repeats that there were to play; None where nothing states the tasks."""
    missing: int | None
    """Of those, neither scored nor forged."""
    forged: int
    """Contradicted by their own turns, the release or the world, and not scored."""
    families: int
    undetermined: int
    invalid: int
    """Determined, and without an admissible predictor."""
    valid: int
    s_all: Rate
    s_valid: float | None
    """Mean S over episodes with an admissible predictor."""
    weak: Rate
    form: Rate
    strict: Rate
    attainable: int
    """Episodes whose task has a law that can be written exactly: what strict can reach."""
    failures: Mapping[str, int]
    """Failure mode -> episodes, every mode, in the order in which they are asked."""


@dataclass(frozen=True)
class Report:
    """All tables of one set of scores."""

    rows: tuple[TableRow, ...]
    releases: tuple[str, ...]
    synthetic_sources: bool
    replayed: bool
    scorer_version: str
    left_out: Mapping[str, int]
    """Lines without a score by outcome, and trials that were never used."""
    rule: str
    """What form and strict mean, printed under every table."""

    def to_json(self) -> str:
        """The report as canonical JSON."""
        return canonical_json(asdict(self))


def make_report(
    scores: Sequence[EpisodeScore],
    generator: Callable[[], Generator] | None = None,
    *,
    counts: Sequence[TaskCount] = (),
    unscored: Sequence[Unscored] = (),
) -> Report:
    """The report of scores, grouped by collection, setting, environment, protocol and player.

    What is attested and what a player reports of itself never share a row.

    Args:
        scores: of one task kind; kinds and collections are never averaged together.
        generator: makes the bootstrap's generator, once a group; None = the fixed one.
        counts: how many tasks there were to play; without them no row says what is missing.
        unscored: lines and trials without a score, counted beside those with one.

    Raises:
        InputError: there are no scores, an episode is scored twice, or sample and live
            papers are mixed in one collection.
    """
    if not scores and not unscored:
        raise InputError("there are no scores", fix="score some episodes first")
    ids = [(score.release_id, score.id) for score in scores]
    if len(set(ids)) != len(ids):
        raise InputError("an episode is scored twice", path="scores")
    make = generator or (lambda: Generator(PCG64(BOOTSTRAP_SEED)))
    groups: dict[Group, list[EpisodeScore]] = defaultdict(list)
    for score in sorted(scores, key=lambda item: (item.release_id, item.id)):
        groups[group_of(score)].append(score)
    apart, tasks = unscored_by_group(unscored), tasks_by_group(counts)
    for group in apart:
        groups.setdefault(group, [])
    for group, members in groups.items():
        if len({score.synthetic_sources for score in members}) > 1:
            raise InputError(f"{group[0]} mixes sample papers with others", path="scores")
    return Report(
        rows=tuple(
            _row(
                group,
                groups[group],
                coverage_of(group, groups[group], apart.get(group, ()), tasks),
                make(),
            )
            for group in sorted(groups)
        ),
        releases=tuple(sorted({score.release_id for score in scores})),
        synthetic_sources=any(score.synthetic_sources for score in scores),
        replayed=any(score.replayed for score in scores),
        scorer_version=SCORER_VERSION,
        left_out=dict(sorted(Counter(one.outcome for one in unscored).items())),
        rule=SUCCESS_RULE,
    )


def write_report(report: Report, to: Path) -> tuple[Path, ...]:
    """Writes report.json, report.md and report.html into a folder."""
    to.mkdir(parents=True, exist_ok=True)
    texts = {
        "report.json": report.to_json() + "\n",
        "report.md": to_markdown(report),
        "report.html": to_html(report),
    }
    for name, text in texts.items():
        (to / name).write_text(text, encoding="utf-8")
    return tuple(to / name for name in texts)


def to_markdown(report: Report) -> str:
    """The report as Markdown."""
    return _render(report, "report.md.j2", html=False)


def to_html(report: Report) -> str:
    """The report as one HTML page."""
    return _render(report, "report.html.j2", html=True)


def rate_text(rate: Rate) -> str:
    """A rate as people read it: value, interval, and bounds where they differ."""
    if rate.value is None:
        return "-" if rate.low is None else "undetermined"
    text = f"{rate.value:.3f}"
    if rate.interval is not None:
        text += f" ({rate.interval[0]:.3f}-{rate.interval[1]:.3f})"
    if rate.low != rate.high and rate.low is not None and rate.high is not None:
        text += f" in [{rate.low:.3f}, {rate.high:.3f}]"
    return text


def _render(report: Report, template: str, *, html: bool) -> str:
    pages = Environment(
        loader=PackageLoader("lawsmith.evaluation", "templates"),
        autoescape=html,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    pages.filters["rate"] = rate_text
    tables: dict[tuple[str, str, str, str], list[TableRow]] = defaultdict(list)
    for row in report.rows:
        tables[(row.collection, row.setting, row.protocol, row.attestation)].append(row)
    return pages.get_template(template).render(report=report, tables=tables, modes=FAILURE_MODES)


def _row(
    group: Group, scores: Sequence[EpisodeScore], coverage: Coverage, rng: Generator
) -> TableRow:
    valid = [score.prediction for score in scores if score.prediction is not None]
    failures: dict[str, int] = {
        mode: sum(score.failure == mode for score in scores) for mode in FAILURE_MODES
    }
    families = [score.family_id for score in scores]
    picks = _resamples(families, rng)
    return TableRow(
        *group,
        n=len(scores),
        asked=coverage.asked,
        missing=coverage.missing,
        forged=coverage.forged,
        families=len(set(families)),
        undetermined=sum(not score.determined for score in scores),
        invalid=sum(score.determined and not score.valid for score in scores),
        valid=len(valid),
        s_all=_rate([_s_all(score) for score in scores], families, picks),
        s_valid=float(np.mean(valid)) if valid else None,
        weak=_rate([_weak(score) for score in scores], families, picks),
        form=_rate([_decided(score, score.form) for score in scores], families, picks),
        strict=_rate([_decided(score, score.strict) for score in scores], families, picks),
        attainable=sum(score.strict_attainable for score in scores),
        failures=failures,
    )


def _s_all(score: EpisodeScore) -> float | None:
    """S, 0 for a determined failure, None where an infrastructure fault hides it."""
    if score.prediction is not None:
        return score.prediction
    return 0.0 if score.determined else None


def _weak(score: EpisodeScore) -> float | None:
    # Undecided equivalence leaves weak known; only a fault of the infrastructure hides it.
    return float(score.weak) if score.valid or score.determined else None


def _decided(score: EpisodeScore, verdict: bool | None) -> float | None:
    if verdict is None or not (score.valid or score.determined):
        return None
    return float(verdict)


def _rate(
    values: Sequence[float | None], families: Sequence[str], picks: NDArray[np.int64]
) -> Rate:
    if not values:
        return Rate(value=None, low=None, high=None, interval=None)
    known = [value for value in values if value is not None]
    missing = len(values) - len(known)
    if not known:
        return Rate(value=None, low=0.0, high=1.0, interval=None)
    total = float(np.sum(known))
    return Rate(
        value=total / len(known),
        low=total / len(values),
        high=(total + missing) / len(values),
        interval=_interval(values, families, picks),
    )


def _resamples(families: Sequence[str], rng: Generator) -> NDArray[np.int64]:
    """Indices of families drawn with replacement, shape (resamples, families)."""
    count = max(1, len(set(families)))
    return rng.integers(0, count, size=(RESAMPLES, count))


def _interval(
    values: Sequence[float | None], families: Sequence[str], picks: NDArray[np.int64]
) -> tuple[float, float] | None:
    """Percentile interval of the mean; repetitions of a family stay together."""
    order = sorted(set(families))
    if len(order) < 2:
        return None
    sums, counts = np.zeros(len(order)), np.zeros(len(order))
    place = {family: index for index, family in enumerate(order)}
    for family, value in zip(families, values, strict=True):
        if value is not None:
            sums[place[family]] += value
            counts[place[family]] += 1
    drawn = counts[picks].sum(axis=1)
    means = sums[picks].sum(axis=1)[drawn > 0] / drawn[drawn > 0]
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


__all__ = (
    "Rate",
    "Report",
    "TableRow",
    "make_report",
    "rate_text",
    "to_html",
    "to_markdown",
    "write_report",
)
