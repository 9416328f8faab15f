"""Pages rendered on demand, their templates with filters, what every page says of its release."""

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from lawsmith.expressions import number_text, to_infix
from lawsmith.release.content import ReleaseContent
from lawsmith.release.manifest import kinds_of
from lawsmith.release.pages.wording import figure_text, number_html, unit_html
from schemas.card import Choices, Domain
from schemas.record import CANARY
from schemas.release import PublicManifest

LISTED: Final = 12
"""More choices than this in steps of one are shown by their ends."""


class Pages(Mapping[str, str]):
    """File name -> HTML; a page is rendered each time it is asked for and not kept.

    A gallery of many tasks is larger than memory, so whoever writes or compares it goes through
    it page by page.
    """

    def __init__(self, renderers: Mapping[str, Callable[[], str]]) -> None:
        """Pages by name, each with what renders it."""
        self._renderers = renderers

    def __getitem__(self, name: str) -> str:
        return self._renderers[name]()

    def __iter__(self) -> Iterator[str]:
        return iter(self._renderers)

    def __len__(self) -> int:
        return len(self._renderers)


def facts_of(release: ReleaseContent | PublicManifest) -> dict[str, Any]:
    """What the pages of a release say of it: before it is written, or as its manifest has it."""
    if isinstance(release, PublicManifest):
        identity, kinds = release.id, release.kinds
        families, problems = release.families, release.problems
    else:
        identity, kinds = release.release_id, kinds_of(release)
        families, problems = len(release.families), len(release.problems)
    return {
        "release_id": identity,
        "collection": release.collection,
        "families": families,
        "problems": problems,
        "kinds": {item.kind: item.tasks for item in kinds},
        "synthetic_sources": release.synthetic_sources,
        "replayed_replies": release.replayed_replies,
        "window": None if release.window is None else str(release.window),
        "cutoff": release.cutoff,
        "until": release.until,
        "eligibility": release.eligibility,
    }


@lru_cache
def page_templates(*, html: bool) -> Environment:
    """The templates; those of HTML escape what they are given."""
    pages = Environment(
        loader=PackageLoader("lawsmith.release", "templates"),
        autoescape=html,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    pages.globals["canary"] = CANARY
    pages.filters["domain"] = _domain
    pages.filters["number"] = number_html
    pages.filters["digits"] = number_text
    pages.filters["unit"] = unit_html
    pages.filters["infix"] = to_infix
    pages.filters["short"] = figure_text
    pages.filters["capitalize_first"] = lambda text: text[:1].upper() + text[1:]
    return pages


def _domain(domain: Domain) -> Markup:
    """A range, or the choices; a long row of whole numbers in steps of one is shortened."""
    if not isinstance(domain, Choices):
        return Markup(f"{number_html(domain.low)} to {number_html(domain.high)}")
    found = domain.choices
    if len(found) > LISTED and all(b - a == 1.0 for a, b in pairwise(found)):
        first, last = number_text(found[0]), number_text(found[-1])
        return Markup(f"{first}, {number_text(found[1])}, … {last}")
    return Markup(", ").join(number_html(choice) for choice in found)


__all__ = ("Pages", "facts_of", "page_templates")
