"""Pages are derived: they are made again of the rows of a release and compared.

Drawings hold the values of laws at points that nothing stores, and the pages of problems hold
fits; a coordinate may fall on the other side of a rounding on another machine. Everything else
must agree to the letter.
"""

import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from lawsmith.errors import LawsmithError
from lawsmith.release.bundle.exporting import omitted_files
from lawsmith.release.bundle.lines import load_lines
from lawsmith.release.bundle.reading import PublicRelease, SealedRelease, read_public, read_sealed
from lawsmith.release.content import ReleaseContent
from lawsmith.release.manifest import SEALED_MANIFEST, list_files
from lawsmith.release.pages import (
    dataset_card,
    public_pages,
    public_problem_pages,
    sealed_pages,
    sealed_problem_pages,
)
from lawsmith.release.tables import TABLE_PATHS
from schemas.record import strict_json
from schemas.release import Fault

README: Final = "public/README.md"
COORDINATE: Final = 0.11
"""How far a coordinate of a drawing may lie from the one that is made again: one last digit."""
FITTED: Final = 2e-3
"""How far, relatively, a figure of a fit may: one of the digits that are shown."""

_DRAWING: Final = re.compile(r"<svg.*?</svg>", re.DOTALL)
_ATTRIBUTE: Final = re.compile(r'="([^"]*)"')
_NUMBER: Final = re.compile(r"[-−]?\d+(?:\.\d+)?")


def page_faults(release: Path) -> Iterator[Fault]:
    """Pages that are not what the rows give, that are missing, or that belong to nothing.

    Args:
        release: a release or a copy of one, whose rows were verified.
    """
    try:
        public = read_public(release)
        sealed = read_sealed(release, public) if (release / SEALED_MANIFEST).is_file() else None
        omitted = omitted_files(release)
        if not omitted:
            # A copy of one setting has the galleries of both, and not what they are made of.
            yield from _public_faults(release, public)
        if sealed is not None:
            yield from _sealed_faults(release, public, sealed)
    except (LawsmithError, ArithmeticError, LookupError, ValueError) as error:
        yield Fault(path="public/gallery", what=f"cannot be made again: {error}")


def same_page(found: str, made: str, *, figures: float = 0.0) -> bool:
    """Whether a page is the one that was made again.

    Args:
        found: the page as it lies there.
        made: the page as the rows give it.
        figures: how far, relatively, its numbers may differ; 0: not at all. Coordinates of
            drawings may differ by their last digit in any case.
    """
    if found == made:
        return True
    if not _alike(_DRAWING.split(found), _DRAWING.split(made), figures, 0.0):
        return False
    drawings = zip(_DRAWING.findall(found), _DRAWING.findall(made), strict=True)
    return all(_same_drawing(one, other, figures) for one, other in drawings)


def _same_drawing(found: str, made: str, figures: float) -> bool:
    texts, attributes = _ATTRIBUTE.sub("=", found), _ATTRIBUTE.findall(found)
    made_texts, made_attributes = _ATTRIBUTE.sub("=", made), _ATTRIBUTE.findall(made)
    return _alike([texts], [made_texts], figures, 0.0) and _alike(
        attributes, made_attributes, figures, COORDINATE
    )


def _alike(found: list[str], made: list[str], relative: float, absolute: float) -> bool:
    """Texts that are equal but for numbers that lie near each other."""
    if len(found) != len(made):
        return False
    return all(
        one == other or ((relative or absolute) and _near(one, other, relative, absolute))
        for one, other in zip(found, made, strict=True)
    )


def _near(found: str, made: str, relative: float, absolute: float) -> bool:
    if _NUMBER.split(found) != _NUMBER.split(made):
        return False
    pairs = zip(_NUMBER.findall(found), _NUMBER.findall(made), strict=True)
    return all(
        math.isclose(_value(one), _value(other), rel_tol=relative, abs_tol=absolute)
        for one, other in pairs
    )


def _value(text: str) -> float:
    return float(text.replace("−", "-"))


def _public_faults(release: Path, public: PublicRelease) -> Iterator[Fault]:
    manifest, fixed = public.manifest, public.fixed
    galleries = (
        (public_pages(manifest, public.tasks, fixed), 0.0),
        (public_problem_pages(manifest, public.calibrated, public.observations), 0.0),
    )
    yield from _gallery_faults(release, "public", galleries)
    licences = [
        {"licence": row["licence"], "tasks": row["tasks"]}
        for row in load_lines(release, TABLE_PATHS["licences"], strict_json)
    ]
    if _text(release / README) != dataset_card(manifest, public.tasks, licences):
        yield Fault(path=README, what="is not what the rows give")


def _sealed_faults(release: Path, public: PublicRelease, sealed: SealedRelease) -> Iterator[Fault]:
    content = _content(public, sealed)
    galleries = (
        (sealed_pages(content, sealed.keys), 0.0),
        (sealed_problem_pages(content), FITTED),
    )
    yield from _gallery_faults(release, "sealed", galleries)


def _gallery_faults(
    release: Path, tree: str, galleries: tuple[tuple[Mapping[str, str], float], ...]
) -> Iterator[Fault]:
    root = f"{tree}/gallery"
    lying = {path.relative_to(release / root).as_posix() for path in list_files(release, root)}
    for pages, figures in galleries:
        for name, made in pages.items():
            if name not in lying:
                yield Fault(path=f"{root}/{name}", what="is missing")
            elif not same_page(_text(release / root / name), made, figures=figures):
                yield Fault(path=f"{root}/{name}", what="is not what the rows give")
        lying -= pages.keys()
    for name in sorted(lying):
        yield Fault(path=f"{root}/{name}", what="is the page of nothing")


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace")


def _content(public: PublicRelease, sealed: SealedRelease) -> ReleaseContent:
    """What a release was made of, as far as its pages show it."""
    manifest = public.manifest
    return ReleaseContent(
        version=manifest.version,
        collection=manifest.collection,
        synthetic_sources=manifest.synthetic_sources,
        replayed_replies=manifest.replayed_replies,
        window=manifest.window,
        cutoff=manifest.cutoff,
        until=manifest.until,
        eligibility=manifest.eligibility,
        policies=manifest.policies,
        families=sealed.families,
        cards=sealed.cards,
        reviews=sealed.reviews,
        papers=sealed.papers,
        dispositions=manifest.dispositions,
        cleanliness=manifest.cleanliness,
        models=manifest.models,
        prompts=manifest.prompts,
        incomplete=manifest.incomplete,
        parents=manifest.parents,
        reason=manifest.reason,
        key=sealed.key,
        problems=sealed.problems,
    )


__all__ = ("page_faults", "same_page")
