"""From a file to a packet: which reader, which identity, which reason if there is none."""

import hashlib
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version as installed_version
from pathlib import Path

from lawsmith.curation.packets.failure import PacketError
from lawsmith.curation.packets.pdf_child import SHARED
from lawsmith.curation.packets.tex import main_file, read_tex
from lawsmith.paper_boundary import PaperFaultError, paper_boundary
from schemas.packet import ExcludedPage, Packet, PacketKind
from schemas.source import Paper, ReasonCode, SourceFile

READER = "2"
"""Version of the rules in this package; a change makes other packets of the same files."""


@dataclass(frozen=True)
class PacketLimits:
    """What reading one file may cost.

    Attributes:
        max_pages: pages of a PDF.
        seconds: wall time of a PDF.
        max_bytes: address space of the process that reads it.
    """

    max_pages: int = 200
    seconds: float = 60.0
    max_bytes: int = 4_000_000_000


DEFAULT_LIMITS = PacketLimits()


def build_packet(
    path: Path,
    *,
    paper_id: str | None = None,
    version: int = 1,
    limits: PacketLimits = DEFAULT_LIMITS,
) -> Packet:
    """The packet of one source.

    Args:
        path: a PDF, a TeX main file, a folder of TeX, or a .txt or .md file.
        paper_id: whose text it is; None: `folder:` and the file's name.
        version: version of the paper.
        limits: what a PDF may cost.

    Raises:
        PacketError: no packet can be made; its `reason_code` says why.
    """
    owner = paper_id if paper_id is not None else _id_of(path)
    if path.is_dir():
        inside = (item for item in path.rglob("*.tex") if _is_within(item, path))
        return _tex_packet(main_file(inside), owner, version)
    if not path.is_file():
        raise PacketError(ReasonCode.FILE_MISSING, "no such file", path=str(path))
    kind = path.suffix.lower()
    if kind == ".tex":
        return _tex_packet(path, owner, version)
    if kind in {".txt", ".md"}:
        return _text_packet(path, owner, version)
    return _pdf_packet(path, owner, version, limits)


def packet_of_paper(paper: Paper, folder: Path, *, limits: PacketLimits = DEFAULT_LIMITS) -> Packet:
    """The packet of a paper version: of its TeX where there is some, else its PDF, else text.

    A TeX source without a main file gives way to the PDF, and the packet's options say so.

    Args:
        paper: the paper version, with its files.
        folder: what the paths of its files are relative to.
        limits: what a PDF may cost.

    Raises:
        PacketError: no packet can be made; its `reason_code` says why.
    """
    for item in paper.files:
        _check_file(item, folder)
    by_kind = {
        kind: [folder / item.path for item in paper.files if item.kind == kind]
        for kind in ("tex", "pdf", "text")
    }
    options: dict[str, str] = {}
    if by_kind["tex"]:
        try:
            return _tex_packet(main_file(by_kind["tex"]), paper.paper_id, paper.version)
        except PacketError as error:
            if not by_kind["pdf"]:
                raise
            options["tex"] = error.reason_code.value
    if by_kind["pdf"]:
        return _pdf_packet(by_kind["pdf"][0], paper.paper_id, paper.version, limits, options)
    if by_kind["text"]:
        return _text_packet(by_kind["text"][0], paper.paper_id, paper.version)
    raise PacketError(
        ReasonCode.NO_USABLE_FILE,
        "the paper has neither TeX nor PDF nor text",
        path=paper.id,
        fix="add a file and name it in the metadata",
    )


def packets_of_papers(
    papers: Iterable[Paper],
    folder: Path,
    *,
    limits: PacketLimits = DEFAULT_LIMITS,
    workers: int = 2,
) -> Iterator[tuple[Paper, Packet | PacketError]]:
    """The packets of many papers, or why one has none, in the order of the papers.

    PDFs are read by as many processes as there are workers. At most four papers for each worker
    are read ahead, so that memory does not grow with the number of papers.

    Args:
        papers: paper versions with their files.
        folder: what the paths of their files are relative to.
        limits: what one PDF may cost; `max_bytes` is that of each process.
        workers: papers that are read at the same moment.
    """

    def build(paper: Paper) -> Packet | PacketError:
        try:
            with paper_boundary(paper.id, PacketError):
                return packet_of_paper(paper, folder, limits=limits)
        except PacketError as error:
            return error
        except PaperFaultError as error:
            return PacketError(ReasonCode.UNEXPECTED_ERROR, error.problem, path=paper.id)

    waiting: deque[tuple[Paper, Future[Packet | PacketError]]] = deque()
    pool = ThreadPoolExecutor(workers)
    try:
        for paper in papers:
            waiting.append((paper, pool.submit(build, paper)))
            if len(waiting) >= 4 * workers:
                first, future = waiting.popleft()
                yield first, future.result()
        for paper, future in waiting:
            yield paper, future.result()
    finally:
        # After an interrupt only the papers at hand are waited for.
        pool.shutdown(cancel_futures=True)


def _check_file(item: SourceFile, folder: Path) -> None:
    path = folder / item.path
    if not path.is_file():
        raise PacketError(ReasonCode.FILE_MISSING, "no such file", path=item.path)
    try:
        with path.open("rb") as source:
            found = hashlib.file_digest(source, "sha256").hexdigest()
    except OSError as error:
        raise PacketError(
            ReasonCode.FILE_MISSING, f"cannot be opened: {error}", path=item.path
        ) from error
    if found != item.sha256:
        raise PacketError(
            ReasonCode.FILE_CHANGED,
            f"sha256 {found} is not {item.sha256}, as it was listed",
            path=item.path,
            fix="run `sources` again, so that the paper is listed with its present files",
        )


def _tex_packet(main: Path, paper_id: str, version: int) -> Packet:
    text = read_tex(main)
    if not any(line.strip() for line in text.lines):
        raise PacketError(ReasonCode.TEX_UNREADABLE, "the source is empty", path=main.name)
    return _packet(
        paper_id,
        version,
        "tex",
        extractor=("lawsmith-tex", READER),
        options={
            "comments": "dropped",
            "inputs": "reachable",
            "macros": "expanded",
            "equation_numbers": "labelled",
        },
        files=text.files,
        lines=text.lines,
        sections=text.sections,
        pages=[None] * len(text.lines),
        quality={
            "missing_inputs": float(len(text.missing)),
            **{name: float(value) for name, value in text.figures.items()},
        },
    )


def _text_packet(path: Path, paper_id: str, version: int) -> Packet:
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise PacketError(
            ReasonCode.UNREADABLE_TEXT, f"not UTF-8: {error}", path=path.name
        ) from error
    lines = [line.rstrip() for line in re.sub(r"\r\n?", "\n", text).strip("\n").split("\n")]
    if not any(lines):
        raise PacketError(ReasonCode.UNREADABLE_TEXT, "the file is empty", path=path.name)
    sections: list[str | None] = []
    for line in lines:
        heading = re.fullmatch(r"#{1,6}\s+(.+?)\s*#*", line)
        previous = sections[-1] if sections else None
        sections.append(heading.group(1) if heading else previous)
    return _packet(
        paper_id,
        version,
        "text",
        extractor=("lawsmith-text", READER),
        options={},
        files=[path.name],
        lines=lines,
        sections=sections,
        pages=[None] * len(lines),
        quality={},
    )


def _pdf_packet(
    path: Path,
    paper_id: str,
    version: int,
    limits: PacketLimits,
    options: dict[str, str] | None = None,
) -> Packet:
    text = SHARED.read(
        path.absolute(),
        max_pages=limits.max_pages,
        seconds=limits.seconds,
        max_bytes=limits.max_bytes,
    )
    return _packet(
        paper_id,
        version,
        "pdf",
        extractor=("pymupdf", _pymupdf_version()),
        options={
            "order": "file",
            "ligatures": "expanded",
            "raised": "caret",
            "reader": READER,
            **({"margin_numbers": "dropped"} if "margin_numbers" in text["quality"] else {}),
            **(options or {}),
        },
        files=[path.name],
        lines=text["lines"],
        sections=text["sections"],
        pages=text["pages"],
        quality=text["quality"],
        excluded=tuple(ExcludedPage(page=page, reason=why) for page, why in text["excluded"]),
    )


def _packet(
    paper_id: str,
    version: int,
    kind: PacketKind,
    *,
    extractor: tuple[str, str],
    options: dict[str, str],
    files: Sequence[str],
    lines: Sequence[str],
    sections: Sequence[str | None],
    pages: Sequence[int | None],
    quality: dict[str, float],
    excluded: tuple[ExcludedPage, ...] = (),
) -> Packet:
    sha256 = hashlib.sha256("\n".join(lines).encode("utf-8")).hexdigest()
    return Packet(
        id=f"{paper_id}v{version}/{kind}/{sha256[:12]}",
        paper_id=paper_id,
        version=version,
        kind=kind,
        extractor=extractor[0],
        extractor_version=extractor[1],
        options=options,
        files=tuple(files),
        lines=tuple(lines),
        sections=tuple(sections),
        pages=tuple(pages),
        text_sha256=sha256,
        excluded_pages=excluded,
        quality=quality,
    )


@cache
def _pymupdf_version() -> str:
    return installed_version("pymupdf")


def _is_within(path: Path, folder: Path) -> bool:
    """Whether a path is a file of the folder, not a link that leads out of it."""
    return path.is_file() and path.resolve().is_relative_to(folder.resolve())


def _id_of(path: Path) -> str:
    return "folder:" + (re.sub(r"[^A-Za-z0-9.-]+", "-", path.stem).strip("-") or "paper")


__all__ = ("DEFAULT_LIMITS", "PacketLimits", "build_packet", "packet_of_paper", "packets_of_papers")
