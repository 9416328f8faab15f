"""Pages for people: the public gallery without laws, the sealed one with them, the dataset card."""

from collections.abc import Mapping, Sequence
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from lawsmith.expressions import number_text, to_infix
from lawsmith.release.content import PaperNote, ReleaseContent
from schemas.card import Choices, Domain
from schemas.family import Family, RelationSet
from schemas.record import CANARY
from schemas.task import FixedObservation, PublicTask, SealedKey

LicenceRow = dict[str, Any]


def public_page(
    content: ReleaseContent,
    tasks: Sequence[PublicTask],
    fixed: Mapping[str, Sequence[FixedObservation]],
) -> str:
    """The HTML of all tasks, as players see them; only public records go in."""
    return (
        _pages(html=True)
        .get_template("public.html.j2")
        .render(
            title=content.release_id,
            canary=CANARY,
            manifest=_facts(content),
            tasks=tasks,
            fixed=fixed,
        )
    )


def sealed_page(
    content: ReleaseContent, keys: Sequence[SealedKey], plots: Mapping[str, str]
) -> str:
    """The HTML of all families with laws, changes, certificates and pictures.

    Args:
        content: the release.
        keys: every key.
        plots: family id -> the picture's path relative to the page.
    """
    titles = {card.id: card.title for card in content.cards}
    notes = {note.paper_id: note.attribution for note in content.papers}
    entries = [
        {
            "family": family,
            "title": titles.get(family.card_id, family.id),
            "attribution": notes.get(family.paper_id or "", ""),
            "plot": plots[family.id],
            "original": _laws_text(family.original),
            "counterfactual": _laws_text(family.counterfactual),
            "tasks": [key for key in keys if key.family_id == family.id],
        }
        for family in content.families
    ]
    return (
        _pages(html=True)
        .get_template("sealed.html.j2")
        .render(
            title=f"{content.release_id}, sealed",
            canary=CANARY,
            manifest=_facts(content),
            entries=entries,
        )
    )


def dataset_card(
    content: ReleaseContent, tasks: Sequence[PublicTask], licences: Sequence[LicenceRow]
) -> str:
    """The README of the public tree."""
    return (
        _pages(html=False)
        .get_template("README.md.j2")
        .render(canary=CANARY, manifest=_facts(content), tasks=tasks, licences=licences)
    )


def licence_rows(families: Sequence[Family], papers: Sequence[PaperNote]) -> list[LicenceRow]:
    """How many tasks rest on papers of each licence; no row leads to a paper."""
    licence_of = {note.paper_id: note.licence or "none stated" for note in papers}
    counts: dict[str, int] = {}
    for family in families:
        licence = "no source paper"
        if family.paper_id is not None:
            licence = licence_of.get(family.paper_id, "none stated")
        counts[licence] = counts.get(licence, 0) + 4
    return [{"licence": licence, "tasks": count} for licence, count in sorted(counts.items())]


def _facts(content: ReleaseContent) -> dict[str, Any]:
    return {
        "release_id": content.release_id,
        "collection": content.collection,
        "families": len(content.families),
        "synthetic_sources": content.synthetic_sources,
        "replayed_replies": content.replayed_replies,
        "window": None if content.window is None else str(content.window),
        "cutoff": content.cutoff,
        "until": content.until,
        "eligibility": content.eligibility,
    }


def _laws_text(relations: RelationSet) -> list[dict[str, str]]:
    named = [
        {"readout": item.name, "text": f"{number_text(item.value)} {item.unit}".strip()}
        for item in relations.parameters
    ]
    named += [
        {"readout": item.name, "text": to_infix(item.expression)} for item in relations.definitions
    ]
    return [
        {"readout": item.readout, "text": to_infix(item.expression)} for item in relations.relations
    ] + named


def _domain(domain: Domain) -> str:
    if isinstance(domain, Choices):
        return ", ".join(map(number_text, domain.choices))
    return f"{number_text(domain.low)} to {number_text(domain.high)}"


def _pages(*, html: bool) -> Environment:
    pages = Environment(
        loader=PackageLoader("lawsmith.release", "templates"),
        autoescape=html,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    pages.filters["domain"] = _domain
    pages.filters["number"] = number_text
    pages.filters["infix"] = to_infix
    return pages


__all__ = ("dataset_card", "licence_rows", "public_page", "sealed_page")
