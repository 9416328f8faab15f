"""Pages for people: the public gallery without laws, the sealed one with them, the dataset card."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, Final

from markupsafe import Markup

from lawsmith.measurement import is_logarithmic
from lawsmith.release.content import PaperNote, ReleaseContent
from lawsmith.release.pages.axes import axis_of_values
from lawsmith.release.pages.family_view import View, conditions, family_view, interface_symbols
from lawsmith.release.pages.plots import design_svg, observations_svg
from lawsmith.release.pages.rendering import Pages, facts_of, page_templates
from lawsmith.release.tasks import ENVIRONMENTS, printed_laws
from schemas.dataset import Licence
from schemas.family import Family
from schemas.release import PublicManifest
from schemas.task import FixedObservation, PublicTask, SealedKey

LicenceRow = dict[str, Any]

INDEX: Final = "index.html"

PER_INDEX: Final = 100
"""Cases or families on one page of an index: keeps it small."""


def public_pages(
    release: ReleaseContent | PublicManifest,
    tasks: Sequence[PublicTask],
    fixed: Mapping[str, Sequence[FixedObservation]],
) -> Pages:
    """The pages of the tasks as players see them: an index and one page a task.

    Only public records go in. Tasks that share a text, which is public, are one case of the
    index; nothing else brings tasks together.

    Args:
        release: the release, or its manifest: for its name and dates.
        tasks: every task, by id.
        fixed: task id -> its Fixed observations, in order.

    Returns:
        File name -> HTML.
    """
    facts = facts_of(release)
    cases: dict[object, list[PublicTask]] = {}
    for task in tasks:
        cases.setdefault((task.background, task.controls, task.readouts), []).append(task)
    template = page_templates(html=True).get_template("public_task.html.j2")

    def entry(items: Sequence[PublicTask]) -> dict[str, Any]:
        first = items[0]
        inputs = [row.inputs for row in fixed[first.id]]
        return {
            "tasks": items,
            "controls": first.controls,
            "readouts": first.readouts,
            "symbols": interface_symbols(first),
            "thumbnail": Markup(design_svg(first.controls, inputs)),
        }

    def page(task: PublicTask) -> str:
        return template.render(
            title=f"{task.id} in {facts['release_id']}",
            manifest=facts,
            task=task,
            symbols=interface_symbols(task),
            constraints=conditions(task),
            rows=fixed[task.id],
            charts=_observation_charts(task, fixed[task.id]),
        )

    listed = [partial(entry, items) for items in cases.values()]
    index = _index_pages("public_index.html.j2", facts["release_id"], facts, listed, len(tasks))
    return Pages(index | {f"{task.id}.html": partial(page, task) for task in tasks})


def sealed_pages(content: ReleaseContent, keys: Sequence[SealedKey]) -> Pages:
    """The pages with laws: an index with a picture a family, and one page a family.

    Args:
        content: the release.
        keys: every key.

    Returns:
        File name -> HTML; `family-0001.html` is the first family by id.
    """
    cards = {card.id: card for card in content.cards}
    notes = {note.paper_id: note.attribution for note in content.papers}
    keys_of: dict[str, list[SealedKey]] = defaultdict(list)
    for key in keys:
        keys_of[key.family_id].append(key)
    facts = facts_of(content)
    template = page_templates(html=True).get_template("sealed_family.html.j2")
    families = sorted(content.families, key=lambda family: family.id)
    names = [f"family-{number:04d}.html" for number in range(1, len(families) + 1)]

    # An index shows these views, and the pages of its families follow it.
    @lru_cache(maxsize=PER_INDEX)
    def view(at: int) -> View:
        family = families[at]
        laws = {name: printed_laws(family, name) for name in ENVIRONMENTS}
        return family_view(family, cards.get(family.card_id), laws) | {
            "attribution": notes.get(family.paper_id or "", ""),
            "tasks": keys_of[family.id],
            "page": names[at],
        }

    def page(at: int) -> str:
        shown = view(at)
        return template.render(
            title=f"{shown['title_text']}: {content.release_id}, sealed",
            manifest=facts,
            before={"page": names[at - 1]} if at else None,
            after={"page": names[at + 1]} if at + 1 < len(names) else None,
            **shown,
        )

    listed = [partial(view, at) for at in range(len(families))]
    title = f"{content.release_id}, sealed"
    index = _index_pages("sealed_index.html.j2", title, facts, listed, len(keys))
    pages: dict[str, Callable[[], str]] = {}
    for part, (name, render) in enumerate(index.items()):
        pages[name] = render
        for at in range(len(families))[part * PER_INDEX : (part + 1) * PER_INDEX]:
            pages[names[at]] = partial(page, at)
    return Pages(pages)


def dataset_card(
    release: ReleaseContent | PublicManifest,
    tasks: Sequence[PublicTask],
    licences: Sequence[LicenceRow],
) -> str:
    """The README of the public tree, of a release or of its manifest."""
    return (
        page_templates(html=False)
        .get_template("README.md.j2")
        .render(manifest=facts_of(release), tasks=tasks, licences=licences)
    )


def licence_rows(
    families: Sequence[Family],
    papers: Sequence[PaperNote],
    data: Sequence[tuple[Licence, int]] = (),
) -> list[LicenceRow]:
    """How many tasks rest on papers and data of each licence; no row leads to a source.

    Args:
        families: of paired tasks.
        papers: with their licences.
        data: licence of a problem's data, and how many tasks it has.
    """
    licence_of = {note.paper_id: note.licence or "none stated" for note in papers}
    counts: dict[str, int] = {}
    for family in families:
        licence = "no source paper"
        if family.paper_id is not None:
            licence = licence_of.get(family.paper_id, "none stated")
        counts[licence] = counts.get(licence, 0) + 4
    for terms, count in data:
        licence = f"data: {terms.spdx} ({terms.verdict})"
        counts[licence] = counts.get(licence, 0) + count
    return [{"licence": licence, "tasks": count} for licence, count in sorted(counts.items())]


def _index_pages(
    template: str,
    title: str,
    facts: Mapping[str, Any],
    entries: Sequence[Callable[[], Mapping[str, Any]]],
    tasks: int,
) -> dict[str, Callable[[], str]]:
    """`index.html`, and `index-2.html` and so on where one page would be too long."""
    parts = [entries[i : i + PER_INDEX] for i in range(0, len(entries), PER_INDEX)] or [entries]
    names = [INDEX, *(f"index-{number}.html" for number in range(2, len(parts) + 1))]
    page = page_templates(html=True).get_template(template)

    def render(name: str, part: Sequence[Callable[[], Mapping[str, Any]]]) -> str:
        return page.render(
            title=title,
            manifest=facts,
            entries=[entry() for entry in part],
            count=len(entries),
            tasks=tasks,
            pages=names,
            here=name,
        )

    return {name: partial(render, name, part) for name, part in zip(names, parts, strict=True)}


def _observation_charts(task: PublicTask, rows: Sequence[FixedObservation]) -> list[dict[str, Any]]:
    return [
        {
            "readout": readout,
            "control": control,
            "svg": Markup(observations_svg(task, rows, x, y)),
            "across": is_logarithmic(control),
            "logarithmic": axis_of_values(row.outputs[y] for row in rows).logarithmic,
        }
        for y, readout in enumerate(task.readouts)
        for x, control in enumerate(task.controls)
    ]


__all__ = ("INDEX", "dataset_card", "licence_rows", "public_pages", "sealed_pages")
