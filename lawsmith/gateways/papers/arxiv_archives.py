"""Source downloads of arXiv unpacked in memory: a tar, a packed tar, or one packed file.

Nothing of an archive reaches the disk here, and nothing is taken but plain TeX files with plain
names, within bounds of count, size and depth.
"""

import io
import re
import tarfile
import zlib
from pathlib import PurePosixPath

from lawsmith.gateways.papers.polite_http import DownloadError

MAX_MEMBERS = 2_000
MAX_UNPACKED = 100_000_000
"""Bytes that one source may unpack to."""
MAX_DEPTH = 8
"""Folders below each other; deeper files are left out."""
_GZIP = b"\x1f\x8b"
_NAME = re.compile(r"[^\x00-\x1f\x7f\\/:]{1,120}")
_NAME_BYTES = 200
"""A file system takes 255, and temporary names are longer than the name."""
_WITHDRAWN = re.compile(rb"%auto-ignore.{0,400}\bwithdrawn\b", re.S | re.I)


class WithdrawnSourceError(DownloadError):
    """What stands in place of the source says that the paper was withdrawn."""


def archive_fault(body: bytes) -> str | None:
    """Whether a packed source was cut off, as a sentence; None if it is whole or not packed."""
    if body[:2] != _GZIP:
        return None
    unpacker = zlib.decompressobj(wbits=31)
    try:
        data = unpacker.decompress(body, MAX_UNPACKED)
    except zlib.error as error:
        return f"the source is not readable gzip: {error}"
    if not unpacker.eof and not unpacker.unconsumed_tail and len(data) < MAX_UNPACKED:
        return "the source is cut off: its gzip has no end"
    return None


def unpack_tex(body: bytes) -> dict[str, bytes]:
    """The .tex files of a source download, by their path inside it.

    Raises:
        DownloadError: more files or bytes than a paper has, or a broken archive.
        WithdrawnSourceError: the source is only a note of withdrawal.
    """
    data = _inflated(body) if body[:2] == _GZIP else body
    if data[:5] == b"%PDF-":
        return {}
    if _WITHDRAWN.match(data.lstrip()[:1000]):
        raise WithdrawnSourceError("the source is a note that the paper was withdrawn")
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
            files = _members(archive)
    except tarfile.ReadError:
        return {"main.tex": data} if b"\\document" in data else {}
    except (tarfile.TarError, ValueError, OverflowError) as error:
        raise DownloadError(f"the source is no readable tar: {error}") from error
    if len(files) == 1 and _WITHDRAWN.match(next(iter(files.values()))[:1000]):
        raise WithdrawnSourceError("the source is a note that the paper was withdrawn")
    return files


def _members(archive: tarfile.TarFile) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    total = 0
    for count, member in enumerate(archive):
        if count >= MAX_MEMBERS:
            raise DownloadError(f"the source has more than {MAX_MEMBERS} files")
        name = _plain_name(member)
        if name is None or _in_the_way(name, files):
            continue
        total += member.size
        if total > MAX_UNPACKED:
            raise DownloadError(f"the source unpacks to more than {MAX_UNPACKED} bytes")
        source = archive.extractfile(member)
        if source is not None:
            files[name] = source.read()
    return files


def _plain_name(member: tarfile.TarInfo) -> str | None:
    """The path of a plain TeX file inside the folder; None for anything else.

    A sparse member is none: a few bytes of it can stand for any size.
    """
    if not member.isreg() or member.issparse() or member.name.startswith("/"):
        return None
    path = PurePosixPath(member.name)
    if path.suffix != ".tex" or len(path.parts) > MAX_DEPTH:
        return None
    return path.as_posix() if all(map(_is_plain, path.parts)) else None


def _is_plain(part: str) -> bool:
    """Whether a file or folder can have this name anywhere, and a record can hold it."""
    try:
        size = len(part.encode("utf-8"))
    except UnicodeEncodeError:
        # Bytes of the archive that are no UTF-8.
        return False
    return _NAME.fullmatch(part) is not None and part != ".." and size <= _NAME_BYTES


def _in_the_way(name: str, files: dict[str, bytes]) -> bool:
    """Whether a file stands where this one needs a folder, or the other way round."""
    above = {parent.as_posix() for parent in PurePosixPath(name).parents}
    return any(other in above or other.startswith(f"{name}/") for other in files)


def _inflated(body: bytes) -> bytes:
    unpacker = zlib.decompressobj(wbits=31)
    try:
        data = unpacker.decompress(body, MAX_UNPACKED)
    except zlib.error as error:
        raise DownloadError(f"the source is not readable gzip: {error}") from error
    if unpacker.unconsumed_tail or not unpacker.eof:
        if len(data) >= MAX_UNPACKED:
            raise DownloadError(f"the source unpacks to more than {MAX_UNPACKED} bytes")
        raise DownloadError("the source is cut off: its gzip has no end")
    return data


__all__ = ("WithdrawnSourceError", "archive_fault", "unpack_tex")
