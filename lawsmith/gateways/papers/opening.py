"""The door that papers come through: one interface for the sample, folders and arXiv."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from lawsmith.errors import InputError, PrerequisiteError
from lawsmith.gateways.papers.paper_source import PaperSource
from lawsmith.gateways.store import Store
from lawsmith.settings import Settings
from schemas.record import Day, Part

if TYPE_CHECKING:
    from lawsmith.gateways.papers.crossref import Crossref


class SampleTerms(Part):
    """How the bundled sample is run when nothing else is asked for."""

    window: str
    cutoff: Day
    until: Day

    @property
    def series(self) -> str:
        """First two numbers of the release version: year and month of `until`."""
        year, month, _ = self.until.split("-")
        return f"{year}.{int(month)}"


def sample_terms(settings: Settings) -> SampleTerms:
    """Window, cutoff and end of the bundled sample.

    Raises:
        PrerequisiteError: the sample is not there.
        InputError: its `window.json` breaks a rule.
    """
    path = _sample_folder(settings) / "window.json"
    try:
        return SampleTerms.model_validate_json(path.read_text(encoding="utf-8"))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise InputError(f"{where}: {first['msg']}", path=str(path)) from error


def open_source(
    settings: Settings,
    store: Store,
    source: str,
    *,
    clock: Callable[[], float] = time.time,
    sleep: Callable[[float], object] = time.sleep,
) -> PaperSource:
    """The source of a name: `sample`, `arxiv`, or a folder with `metadata.jsonl`.

    Args:
        settings: where the sample lies, and how arXiv is asked.
        store: where arXiv's files and the pace lie.
        source: the name.
        clock: seconds since 1970 UTC, for the pace of requests.
        sleep: waits some seconds.

    Raises:
        PrerequisiteError: no such folder, or no contact address for arXiv.
    """
    if source == "arxiv":
        # Only live runs pay for the import of the HTTP libraries.
        from lawsmith.gateways.papers.arxiv_feed import ArxivSource

        return ArxivSource(settings, store, clock=clock, sleep=sleep)
    from lawsmith.gateways.papers.local_folder import FolderSource

    if source == "sample":
        return FolderSource(_sample_folder(settings), prefix="sample")
    folder = Path(source).expanduser().absolute()
    if not folder.is_dir():
        raise PrerequisiteError(
            f"{source!r} is neither sample, arxiv nor a folder",
            path=str(folder),
            fix="give --source sample, --source arxiv or a folder with metadata.jsonl",
        )
    return FolderSource(folder, prefix="folder")


def open_look_ups(
    settings: Settings,
    store: Store,
    source: str,
    *,
    clock: Callable[[], float] = time.time,
    sleep: Callable[[float], object] = time.sleep,
) -> "Crossref | None":
    """Crossref for the papers of a folder; None for the sample and without a contact address."""
    if source == "sample" or "@" not in settings.contact_email:
        return None
    from lawsmith.gateways.papers.crossref import open_crossref

    return open_crossref(settings, store, clock=clock, sleep=sleep)


def _sample_folder(settings: Settings) -> Path:
    folder = settings.data_root / "sample"
    if not (folder / "metadata.jsonl").is_file():
        raise PrerequisiteError(
            "the bundled sample is not there",
            path=str(folder),
            fix="run from a checkout, or set LAWSMITH_DATA to its data folder",
        )
    return folder


__all__ = (
    "SampleTerms",
    "open_look_ups",
    "open_source",
    "sample_terms",
)
