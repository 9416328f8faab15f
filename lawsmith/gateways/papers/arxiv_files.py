"""The files of an arXiv paper: its TeX source where there is one, else its PDF."""

import hashlib
import re
import shutil
from pathlib import Path

from lawsmith.curation.packets import PacketError, main_file, reachable_tex
from lawsmith.gateways.papers.arxiv_archives import archive_fault, unpack_tex
from lawsmith.gateways.papers.polite_http import PoliteSession, RefusedError
from schemas.source import SourceFile

_HEAD = 1024
"""Bytes in which a PDF must begin."""
_TAIL = 4096
"""Bytes at the end in which a whole PDF closes."""


def stored_files(folder: Path, name: str) -> tuple[SourceFile, ...] | None:
    """The files of a paper version that were fetched before, None if none were."""
    home = folder / name
    if not home.is_dir():
        return None
    paths = sorted(path for path in home.rglob("*") if path.is_file())
    return tuple(_listed(path, folder) for path in paths)


def fetch_files(
    session: PoliteSession, folder: Path, name: str, pdf_url: str
) -> tuple[SourceFile, ...]:
    """Fetch the files of one paper version into `folder/name`, which appears by one rename.

    What a break left of a download lies in `folder/name.partial` and is continued next time.

    Raises:
        DownloadError: neither a usable source nor a PDF came.
        WithdrawnSourceError: what came says that the paper was withdrawn.
    """
    partial = folder / f"{name}.partial"
    ready = partial / "files"
    shutil.rmtree(ready, ignore_errors=True)
    ready.mkdir(parents=True)
    try:
        if not _fetch_source(session, partial, ready, pdf_url):
            session.save(pdf_url, partial / "paper.pdf", _pdf_fault)
            (partial / "paper.pdf").rename(ready / "paper.pdf")
        ready.rename(folder / name)
    finally:
        if not any(partial.glob("*.part")) or (folder / name).is_dir():
            shutil.rmtree(partial, ignore_errors=True)
    return stored_files(folder, name) or ()


def _fetch_source(session: PoliteSession, partial: Path, ready: Path, pdf_url: str) -> bool:
    """Whether a source came that has a main TeX file, or is itself the PDF."""
    body_file = partial / "source"
    if not body_file.is_file():
        try:
            session.save(pdf_url.replace("/pdf/", "/src/"), body_file, _source_fault)
        except RefusedError:
            # Some papers have no source to give.
            return False
    body = body_file.read_bytes()
    if body.startswith(b"%PDF-"):
        (ready / "paper.pdf").write_bytes(body)
        return True
    return _keep_tex(unpack_tex(body), ready / "src")


def _keep_tex(files: dict[str, bytes], target: Path) -> bool:
    """Write what the main file reaches; False where there is no main file."""
    for name, data in files.items():
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    try:
        main = main_file(path for path in target.rglob("*.tex") if path.is_file())
        kept = {main.parent / name for name in reachable_tex(main)}
    except PacketError:
        shutil.rmtree(target, ignore_errors=True)
        return False
    for path in target.rglob("*.tex"):
        if path.is_file() and path not in kept:
            path.unlink()
    return True


def _pdf_fault(path: Path) -> str | None:
    """What is wrong with a download that should be a whole PDF."""
    with path.open("rb") as stream:
        if b"%PDF-" not in stream.read(_HEAD):
            return "the answer is not a PDF"
        stream.seek(max(0, path.stat().st_size - _TAIL))
        if b"%%EOF" not in stream.read():
            return "the PDF is cut off: it has no end"
    return None


def _source_fault(path: Path) -> str | None:
    """What is wrong with a download that should be a whole source."""
    body = path.read_bytes()
    if body.startswith(b"%PDF-"):
        return _pdf_fault(path)
    if re.match(rb"\s*(<!doctype html|<html|Rate exceeded)", body, re.I):
        return "the answer is a page, not a source"
    return archive_fault(body)


def _listed(path: Path, folder: Path) -> SourceFile:
    data = path.read_bytes()
    return SourceFile(
        path=path.relative_to(folder).as_posix(),
        kind="pdf" if path.suffix == ".pdf" else "tex",
        sha256=hashlib.sha256(data).hexdigest(),
        size=len(data),
    )


__all__ = ("fetch_files", "stored_files")
