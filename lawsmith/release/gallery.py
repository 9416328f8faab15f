"""Pages for people: the public gallery without laws, the sealed one with them, the dataset card."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from markupsafe import Markup

from lawsmith.measurement.sampling import is_logarithmic
from lawsmith.release.axes import axis_of_values
from lawsmith.release.content import PaperNote, ReleaseContent
from lawsmith.release.family_view import conditions, family_view, interface_symbols
from lawsmith.release.pages import facts_of, page_templates
from lawsmith.release.plots import design_svg, observations_svg
from lawsmith.release.tasks import ENVIRONMENTS, printed_laws
from schemas.dataset import Licence
from schemas.family import Family
from schemas.task import FixedObservation, PublicTask, SealedKey

LicenceRow = dict[str, Any]

INDEX: Final = "index.html"

PER_INDEX: Final = 100
"""Cases or families on one page of an index: keeps it small."""


def public_pages(
    content: ReleaseContent,
    tasks: Sequence[PublicTask],
    fixed: Mapping[str, Sequence[FixedObservation]],
) -> dict[str, str]:
    """The pages of the tasks as players see them: an index and one page a task.

    Only public records go in. Tasks that share a text, which is public, are one case of the
    index; nothing else brings tasks together.

    Args:
        content: the release, for its name and dates.
        tasks: every task, by id.
        fixed: task id -> its Fixed observations, in order.

    Returns:
        File name -> HTML.
    """
    pages = page_templates(html=True)
    facts = facts_of(content)
    cases: dict[object, list[PublicTask]] = {}
    for task in tasks:
        cases.setdefault((task.background, task.controls, task.readouts), []).append(task)
    entries = [
        {
            "tasks": items,
            "controls": items[0].controls,
            "readouts": items[0].readouts,
            "symbols": interface_symbols(items[0]),
            "thumbnail": Markup(
                design_svg(items[0].controls, [row.inputs for row in fixed[items[0].id]])
            ),
        }
        for items in cases.values()
    ]
    made = _index_pages("public_index.html.j2", content.release_id, content, entries, len(tasks))
    template = pages.get_template("public_task.html.j2")
    for task in tasks:
        made[f"{task.id}.html"] = template.render(
            title=f"{task.id} in {content.release_id}",
            manifest=facts,
            task=task,
            symbols=interface_symbols(task),
            constraints=conditions(task),
            rows=fixed[task.id],
            charts=_observation_charts(task, fixed[task.id]),
        )
    return made


def sealed_pages(content: ReleaseContent, keys: Sequence[SealedKey]) -> dict[str, str]:
    """The pages with laws: an index with a picture a family, and one page a family.

    Args:
        content: the release.
        keys: every key.

    Returns:
        File name -> HTML; `family-0001.html` is the first family by id.
    """
    cards = {card.id: card for card in content.cards}
    notes = {note.paper_id: note.attribution for note in content.papers}
    pages = page_templates(html=True)
    facts = facts_of(content)
    template = pages.get_template("sealed_family.html.j2")
    made: dict[str, str] = {}
    entries = []
    families = sorted(content.families, key=lambda family: family.id)
    for number, family in enumerate(families, start=1):
        laws = {name: printed_laws(family, name) for name in ENVIRONMENTS}
        view = family_view(family, cards.get(family.card_id), laws)
        view["attribution"] = notes.get(family.paper_id or "", "")
        view["tasks"] = [key for key in keys if key.family_id == family.id]
        view["page"] = f"family-{number:04d}.html"
        entries.append(view)
    for before, view, after in zip([None, *entries], entries, [*entries[1:], None], strict=False):
        made[view["page"]] = template.render(
            title=f"{view['title_text']}: {content.release_id}, sealed",
            manifest=facts,
            before=before,
            after=after,
            **view,
        )
    title = f"{content.release_id}, sealed"
    made |= _index_pages("sealed_index.html.j2", title, content, entries, len(keys))
    return made


def dataset_card(
    content: ReleaseContent, tasks: Sequence[PublicTask], licences: Sequence[LicenceRow]
) -> str:
    """The README of the public tree."""
    return (
        page_templates(html=False)
        .get_template("README.md.j2")
        .render(manifest=facts_of(content), tasks=tasks, licences=licences)
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
    content: ReleaseContent,
    entries: Sequence[Mapping[str, Any]],
    tasks: int,
) -> dict[str, str]:
    """`index.html`, and `index-2.html` and so on where one page would be too long."""
    parts = [entries[i : i + PER_INDEX] for i in range(0, len(entries), PER_INDEX)] or [entries]
    names = [INDEX, *(f"index-{number}.html" for number in range(2, len(parts) + 1))]
    page = page_templates(html=True).get_template(template)
    return {
        name: page.render(
            title=title,
            manifest=facts_of(content),
            entries=part,
            count=len(entries),
            tasks=tasks,
            pages=names,
            here=name,
        )
        for name, part in zip(names, parts, strict=True)
    }


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
