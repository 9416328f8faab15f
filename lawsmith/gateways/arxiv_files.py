"""The files of an arXiv paper: its TeX source where there is one, else its PDF."""

import hashlib
import io
import shutil
import tarfile
import zlib
from pathlib import Path, PurePosixPath

from lawsmith.curation.packets import PacketError, reachable_tex
from lawsmith.curation.packets.tex import main_file
from lawsmith.gateways.polite_http import DownloadError, PoliteSession
from schemas.source import SourceFile

MAX_MEMBERS = 2_000
MAX_UNPACKED = 100_000_000
"""Bytes of TeX that one source archive may hold."""


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

    Raises:
        DownloadError: neither a usable source nor a PDF came.
    """
    partial = folder / f"{name}.partial"
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    try:
        if not _fetch_tex(session, partial, pdf_url):
            body = session.download(pdf_url)
            if b"%PDF-" not in body[:1024]:
                raise DownloadError("the answer is not a PDF", path=pdf_url)
            (partial / "paper.pdf").write_bytes(body)
        partial.rename(folder / name)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return stored_files(folder, name) or ()


def _fetch_tex(session: PoliteSession, target: Path, pdf_url: str) -> bool:
    """Whether a TeX source came that has a main file; only what that reaches is kept."""
    url = pdf_url.replace("/pdf/", "/src/")
    try:
        files = unpack_tex(session.download(url))
    except DownloadError as error:
        if "HTTP 4" not in error.problem:
            raise
        # Papers that were submitted as PDF have no source.
        return False
    for name, data in files.items():
        path = target / "src" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    try:
        main = main_file((target / "src").rglob("*.tex"))
        kept = {main.parent / name for name in reachable_tex(main)}
    except PacketError:
        shutil.rmtree(target / "src", ignore_errors=True)
        return False
    for path in (target / "src").rglob("*.tex"):
        if path not in kept:
            path.unlink()
    return True


def unpack_tex(body: bytes) -> dict[str, bytes]:
    """The .tex files of a source download: a tar, a packed tar, or one packed file.

    Nothing is taken that is no plain file or would lie outside the folder.

    Raises:
        DownloadError: more files or bytes than a paper has.
    """
    data = _inflated(body) if body[:2] == b"\x1f\x8b" else body
    if data[:5] == b"%PDF-":
        return {}
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
            return _members(archive)
    except tarfile.ReadError:
        return {"main.tex": data} if b"\\document" in data else {}


def _members(archive: tarfile.TarFile) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    for count, member in enumerate(archive):
        if count >= MAX_MEMBERS:
            raise DownloadError(f"the source has more than {MAX_MEMBERS} files")
        path = PurePosixPath(member.name)
        inside = not path.is_absolute() and ".." not in path.parts
        source = archive.extractfile(member) if member.isreg() else None
        if source is not None and inside and path.suffix == ".tex":
            files[path.as_posix()] = source.read()
    return files


def _inflated(body: bytes) -> bytes:
    unpacker = zlib.decompressobj(wbits=31)
    try:
        data = unpacker.decompress(body, MAX_UNPACKED)
    except zlib.error as error:
        raise DownloadError(f"the source is not readable gzip: {error}") from error
    if unpacker.unconsumed_tail:
        raise DownloadError(f"the source unpacks to more than {MAX_UNPACKED} bytes")
    return data


def _listed(path: Path, folder: Path) -> SourceFile:
    data = path.read_bytes()
    return SourceFile(
        path=path.relative_to(folder).as_posix(),
        kind="pdf" if path.suffix == ".pdf" else "tex",
        sha256=hashlib.sha256(data).hexdigest(),
        size=len(data),
    )


__all__ = ("fetch_files", "stored_files", "unpack_tex")
