"""Pictures of stages for people, as PNG bytes: the funnel, laws side by side, first scores."""

import io
from collections import Counter
from collections.abc import Sequence
from typing import get_args

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lawsmith.expressions import compile_expression
from lawsmith.mutation.laws import folded_laws
from lawsmith.runs import StageContext, all_dispositions, furthest_by_paper
from lawsmith.stages.playing import SCORES, read_scores
from lawsmith.stages.reviews import forged_families
from lawsmith.stages.supersession import counted, superseded_families
from schemas.card import Range
from schemas.family import Family
from schemas.source import Outcome, Stage

PASSED = "#2a7f62"
REJECTED = "#b5473c"
COLOURS: dict[Outcome, str] = {
    "passed": PASSED,
    "rejected": REJECTED,
    "waiting": "#c9a227",
    "failed": "#6b4c9a",
    "deferred": "#7a8793",
}
MAX_FAMILIES = 6


def funnel(context: StageContext, release_id: str | None = None) -> bytes | None:
    """Papers by the furthest stage they reached and how they stand there; None without any.

    With a release id also, a bar for each reason, how its cut judged every paper.
    """
    counts = funnel_counts(context, release_id)
    if not counts:
        return None
    stages = list(dict.fromkeys(stage for stage, _ in counts))
    figure = Figure(figsize=(8, 0.6 * len(stages) + 1.4), layout="constrained")
    axes = figure.subplots()
    left = np.zeros(len(stages))
    for outcome, colour in COLOURS.items():
        widths = np.array([counts.get((stage, outcome), 0) for stage in stages], dtype=float)
        if widths.any():
            axes.barh(stages, widths, left=left, color=colour, label=outcome)
            left += widths
    axes.invert_yaxis()
    axes.set_xlabel("papers")
    axes.set_title("Where the papers stand: furthest stage and outcome")
    axes.legend(frameon=False)
    plain(axes)
    return png(figure)


def funnel_counts(
    context: StageContext, release_id: str | None = None
) -> dict[tuple[str, Outcome], int]:
    """(furthest stage, or `cut: <reason>`; outcome) -> how many papers, in the order of stages."""
    every = all_dispositions(context.store, context.collection)
    papers = furthest_by_paper(counted(every, superseded_families(context)))
    counts = Counter[tuple[str, Outcome]]((x.stage, x.outcome) for x in papers.values())
    order: list[str] = list(get_args(Stage))
    found = {
        key: counts[key]
        for key in sorted(
            counts, key=lambda key: (order.index(key[0]), list(COLOURS).index(key[1]))
        )
    }
    judged = Counter[tuple[str, Outcome]](
        (f"cut: {x.reason_code.value}", x.outcome)
        for x in every
        if release_id is not None and x.release_id == release_id and x.subject_kind == "paper"
    )
    # What passed first, then the reasons by how many papers they kept out.
    return found | dict(sorted(judged.items(), key=lambda pair: (pair[0][1] != "passed", -pair[1])))


def card_funnel(counts: Sequence[tuple[str, int]]) -> bytes:
    """What is left after each step of curation, from papers to accepted cases."""
    names, values = [name for name, _ in counts], [count for _, count in counts]
    figure = Figure(figsize=(7, 0.34 * len(counts) + 0.5), layout="constrained")
    axes = figure.subplots()
    bars = axes.barh(names, values, color="#1f4e79", height=0.7)
    axes.bar_label(bars, labels=[str(value) for value in values], padding=4, fontsize=9)
    axes.invert_yaxis()
    axes.set_xlim(0, max(1, *values) * 1.08)
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.set_title("From papers to accepted cases", loc="left")
    plain(axes)
    return png(figure)


def families(context: StageContext, partitions: Sequence[str]) -> bytes | None:
    """Original against Counterfactual of the first families, each over its first control."""
    found = [one for partition in partitions for one in forged_families(context, partition)]
    shown = found[:MAX_FAMILIES]
    if not shown:
        return None
    columns = min(3, len(shown))
    rows = -(-len(shown) // columns)
    figure = Figure(figsize=(4.2 * columns, 3.2 * rows), layout="constrained")
    grid = np.atleast_1d(figure.subplots(rows, columns)).ravel()
    for axes, family in zip(grid, shown, strict=False):
        _draw(axes, family)
    for axes in grid[len(shown) :]:
        axes.set_axis_off()
    return png(figure)


def scores(context: StageContext, release_id: str) -> bytes | None:
    """Mean S of each player by setting and environment; None before anyone played."""
    folder = context.store.evaluations / release_id
    if not (folder / SCORES).is_file():
        return None
    found = read_scores(folder)
    groups = sorted({(item.setting, item.environment) for item in found})
    players = sorted({item.player for item in found})
    figure = Figure(figsize=(8, 3.6), layout="constrained")
    axes = figure.subplots()
    width = 0.8 / len(players)
    for n, player in enumerate(players):
        heights = [
            float(
                np.mean(
                    [
                        item.prediction or 0.0
                        for item in found
                        if (item.setting, item.environment) == group and item.player == player
                    ]
                )
            )
            for group in groups
        ]
        axes.bar(np.arange(len(groups)) + n * width, heights, width, label=player)
    axes.set_xticks(np.arange(len(groups)) + 0.4 - width / 2, [f"{s}\n{e}" for s, e in groups])
    axes.set_ylabel("S over all episodes")
    axes.set_title(f"Baselines on {release_id}, Fixed, B = 4")
    axes.legend(frameon=False)
    plain(axes)
    return png(figure)


def _draw(axes: Axes, family: Family) -> None:
    """The first readout over the first control, the others at the middle of their domains."""
    middle = np.median(np.array(family.hidden.inputs), axis=0)
    control = family.controls[0]
    if isinstance(control.domain, Range):
        line = np.linspace(control.domain.low, control.domain.high, 200)
    else:
        line = np.array(control.domain.choices)
    inputs = {
        item.name: line if item is control else np.full_like(line, middle[n])
        for n, item in enumerate(family.controls)
    }
    readout = family.readouts[0]
    for name, colour, style in (("original", "#1f4e79", "-"), ("counterfactual", "#c8553d", "--")):
        law = compile_expression(folded_laws(getattr(family, name))[readout.name])
        axes.plot(line, np.broadcast_to(law(inputs), line.shape), style, color=colour, label=name)
    axes.set_title(family.id, fontsize=9)
    axes.set_xlabel(f"{control.name} [{control.unit}]", fontsize=8)
    axes.set_ylabel(f"{readout.name} [{readout.unit}]", fontsize=8)
    axes.legend(frameon=False, fontsize=7)
    plain(axes)


def plain(axes: Axes) -> None:
    """Axes without a box."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=8)


def png(figure: Figure) -> bytes:
    """The bytes of a figure."""
    data = io.BytesIO()
    figure.savefig(data, format="png", dpi=110)
    return data.getvalue()
