"""Pages of tasks on real data: public ones without laws, sealed ones with everything."""

from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, Final

from markupsafe import Markup

from lawsmith.expressions import to_infix
from lawsmith.oracle import hidden_form
from lawsmith.release.content import ReleaseContent
from lawsmith.release.pages.changes import tree_marks
from lawsmith.release.pages.family_view import SIDE_BY_SIDE, math_inline
from lawsmith.release.pages.mathml import equation, math, mathml
from lawsmith.release.pages.problem_plots import (
    MOST_POINTS,
    is_logarithmic,
    panel_thumbnail,
    records_svg,
    residuals_svg,
    task_thumbnail,
    training_svg,
    world_svg,
)
from lawsmith.release.pages.problem_points import Panel, ProblemPoints, points_of
from lawsmith.release.pages.rendering import Pages, facts_of, page_templates
from lawsmith.release.pages.symbols import symbols_of
from lawsmith.release.pages.wording import MOVES
from lawsmith.release.problems import CalibratedProblem
from schemas.calibrated_task import HiddenEdit, ParallelTask, RealObservation, RealTask
from schemas.expression import node_count
from schemas.problem import Problem, ReferenceLaw
from schemas.release import PublicManifest

SHOWN_ROWS: Final = 24
"""Records in the table of a task's page; the charts show more."""
CONSTANT_GROUPS: Final = 3

View = dict[str, Any]
Task = ParallelTask | RealTask


def public_problem_pages(
    release: ReleaseContent | PublicManifest,
    tasks: Sequence[Task],
    observations: Mapping[str, Sequence[RealObservation]],
) -> Pages:
    """A page of all tasks on real data, `real-data.html`, and one page a task.

    Only public records go in; nothing brings the two tasks of a problem together.

    Args:
        release: the release, or its manifest: for its name.
        tasks: Parallel and Real tasks, by id.
        observations: id of a Real task -> its public records.

    Returns:
        File name -> HTML; nothing where there are no such tasks.
    """
    if not tasks:
        return Pages({})
    templates, facts = page_templates(html=True), facts_of(release)

    def index() -> str:
        entries = [
            {
                "task": task,
                "symbols": _task_symbols(task),
                "thumbnail": Markup(task_thumbnail(observations[task.id]))
                if task.kind == "real"
                else None,
            }
            for task in tasks
        ]
        return templates.get_template("public_data.html.j2").render(
            title=f"Real data in {facts['release_id']}", manifest=facts, entries=entries
        )

    def page(task: Task) -> str:
        rows = observations.get(task.id, ())
        return templates.get_template("public_calibrated.html.j2").render(
            title=f"{task.id} in {facts['release_id']}",
            manifest=facts,
            task=task,
            symbols=_task_symbols(task),
            rows=rows[:SHOWN_ROWS],
            total=len(rows),
            thinned=len(rows) > MOST_POINTS,
            most=MOST_POINTS,
            charts=_training_charts(task, rows) if task.kind == "real" else [],
        )

    pages = {f"{task.id}.html": partial(page, task) for task in tasks}
    return Pages({"real-data.html": index, **pages})


def sealed_problem_pages(content: ReleaseContent) -> Pages:
    """A page of all problems, `problems.html`, and one page a problem by id.

    Returns:
        File name -> HTML; nothing where there are no problems.
    """
    if not content.problems:
        return Pages({})
    templates, facts = page_templates(html=True), facts_of(content)
    problems = sorted(content.problems, key=lambda item: item.problem.id)
    names = [f"problem-{number:04d}.html" for number in range(1, len(problems) + 1)]

    @lru_cache(maxsize=len(problems))
    def view(at: int) -> View:
        return problem_view(problems[at]) | {"page": names[at]}

    def index() -> str:
        return templates.get_template("sealed_problems.html.j2").render(
            title=f"Problems of {content.release_id}, sealed",
            manifest=facts,
            entries=[view(at) for at in range(len(problems))],
        )

    def page(at: int) -> str:
        shown = view(at)
        return templates.get_template("sealed_problem.html.j2").render(
            title=f"{shown['problem'].title}: {content.release_id}, sealed",
            manifest=facts,
            before={"page": names[at - 1]} if at else None,
            after={"page": names[at + 1]} if at + 1 < len(names) else None,
            most=MOST_POINTS,
            **shown,
        )

    pages = {name: partial(page, at) for at, name in enumerate(names)}
    return Pages({"problems.html": index, **pages})


def problem_view(item: CalibratedProblem) -> View:
    """Everything on the sealed page of a problem."""
    problem, key = item.problem, item.parallel_key
    points = points_of(item)
    base = next(law for law in problem.laws if law.id == (key.base_law if key else points.base))
    symbols = _law_symbols(item, base)
    readout = symbols[problem.readout.name]
    marks = frozenset[str]() if key is None else tree_marks(base.expression, key.law)
    hidden_marks = frozenset[str]() if key is None else tree_marks(key.law, base.expression)
    laws = [base.expression, *([key.law] if key else [])]
    scores = {score.id: score for score in item.baselines}
    return {
        "problem": problem,
        "rows": item.table.rows,
        "groups": len(item.table.labels),
        "tasks": item.tasks,
        "base": base,
        "hidden": key is not None,
        "short": max(node_count(law) for law in laws) <= SIDE_BY_SIDE,
        "published_math": Markup(equation(readout, mathml(base.expression, symbols, marks))),
        "hidden_math": Markup(equation(readout, mathml(key.law, symbols, hidden_marks)))
        if key
        else "",
        "edits": [] if key is None else [_edit(edit, symbols) for edit in key.edits],
        **_constants(item, points, base, symbols),
        "panels": _panels(points, symbols, problem),
        "thumbnail": Markup(panel_thumbnail(points.panels[0], problem.readout.name)),
        "world": item.world,
        "certificates": () if key is None else key.certificates,
        "refused": () if key is None else key.refused,
        "baselines": [
            {
                "score": scores[one.id],
                "name": one.player.partition(":")[2] or one.player,
                "law": to_infix(one.expression),
            }
            for one in sorted(item.submissions, key=lambda s: (scores[s.id].kind, s.player))
            if one.id in scores
        ],
        "anchors": item.real_key.anchors if item.real_key else (),
        "reference": item.real_key.reference if item.real_key else "",
    }


def _task_symbols(task: Task) -> dict[str, Markup]:
    named = [(control.name, control.symbol) for control in task.controls]
    named.append((task.readout.name, task.readout.symbol))
    return {name: math_inline(text) for name, text in symbols_of(named).items()}


def _law_symbols(item: CalibratedProblem, base: ReferenceLaw) -> dict[str, str]:
    problem, key = item.problem, item.parallel_key
    named = [(column.name, column.symbol) for column in (*problem.controls, problem.readout)]
    named += [(constant.name, constant.symbol) for constant in base.constants]
    known = {name for name, _ in named}
    if key is not None:
        named += [(name, "") for name in (*key.shared, *key.local) if name not in known]
    return symbols_of(named)


def _edit(edit: HiddenEdit, symbols: Mapping[str, str]) -> View:
    noun, words = next(
        (texts for kind, texts in MOVES.items() if kind == edit.move),
        (edit.move.replace("_", " "), edit.move.replace("_", " ").capitalize()),
    )
    return {
        "noun": noun,
        "words": words,
        "before": Markup(math(mathml(edit.before, symbols))),
        "after": Markup(math(mathml(edit.after, symbols))),
        "introduced": [math_inline(symbols[name]) for name in edit.introduced if name in symbols],
    }


def _constants(
    item: CalibratedProblem,
    points: ProblemPoints,
    base: ReferenceLaw,
    symbols: Mapping[str, str],
) -> View:
    """Constants of both laws, in the groups that are drawn."""
    key = item.parallel_key
    hidden = {} if key is None else hidden_form(key).constants
    groups = list(dict.fromkeys(panel.group for panel in points.panels))[:CONSTANT_GROUPS]
    local = {constant.name for constant in base.constants if constant.scope == "per_group"}
    local |= set(key.local) if key else set()
    names = list(dict.fromkeys(constant.name for constant in base.constants))
    names += [n for n in ((*key.shared, *key.local) if key else ()) if n not in names]
    rows = []
    for name in names:
        values: list[float | None] = []
        for group in groups:
            values.append(points.constants.get(group, {}).get(name))
            if key is not None:
                values.append(hidden.get(group, {}).get(name))
        rows.append(
            {
                "symbol": math_inline(symbols[name]),
                "values": values,
                "scope": "each group" if name in local else "shared",
            }
        )
    return {
        "constants": rows,
        "columns": groups,
        "more_groups": max(0, len(points.constants) - len(groups)),
    }


def _panels(points: ProblemPoints, symbols: Mapping[str, str], problem: Problem) -> list[View]:
    """By group: records with the published law, its residuals, the world with the hidden law."""
    found: dict[str, list[Panel]] = {}
    for panel in points.panels:
        found.setdefault(panel.group, []).append(panel)
    return [
        {
            "name": group,
            "dashes": panels[0].line is None,
            "thinned": len(panels[0].x) > MOST_POINTS,
            "charts": [chart for panel in panels for chart in _charts(panel, symbols, problem)],
        }
        for group, panels in found.items()
    ]


def _charts(panel: Panel, symbols: Mapping[str, str], problem: Problem) -> list[View]:
    readout = problem.readout
    logarithmic = is_logarithmic(panel.records.tolist())
    sealed = problem.residuals.space == "log10"
    drawn = (
        ("records, published law", records_svg(panel, readout.name), readout.unit, logarithmic),
        ("residuals", residuals_svg(panel, readout.name), "1" if sealed else readout.unit, False),
        ("world, hidden law", world_svg(panel, readout.name), readout.unit, logarithmic),
    )
    return [
        {
            "svg": Markup(svg),
            "note": note,
            "y": math_inline(symbols[readout.name])
            if note != "residuals"
            else ("log10 ratio" if sealed else "difference"),
            "y_unit": unit,
            "log_y": log_y,
            "x": math_inline(symbols[panel.control.name]),
            "x_unit": panel.control.unit,
            "log_x": is_logarithmic(panel.x.tolist()),
        }
        for note, svg, unit, log_y in drawn
        if svg
    ]


def _training_charts(task: RealTask, rows: Sequence[RealObservation]) -> list[View]:
    symbols = _task_symbols(task)
    return [
        {
            "svg": Markup(training_svg(rows, place, control, task.readout)),
            "note": "",
            "y": symbols[task.readout.name],
            "y_unit": task.readout.unit,
            "log_y": is_logarithmic(row.output for row in rows),
            "x": symbols[control.name],
            "x_unit": control.unit,
            "log_x": is_logarithmic(row.inputs[place] for row in rows),
        }
        for place, control in enumerate(task.controls)
    ]


__all__ = ("problem_view", "public_problem_pages", "sealed_problem_pages")
