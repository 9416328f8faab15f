"""Sources unpacked safely: plain TeX files inside the folder, bounded, or a stated refusal."""

import gzip
import io
import struct
import tarfile
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lawsmith.gateways.papers.arxiv_archives import WithdrawnSourceError, archive_fault, unpack_tex
from lawsmith.gateways.papers.arxiv_licences import spdx_of, stated_licence
from lawsmith.gateways.papers.polite_http import DownloadError

TEX = b"\\documentclass{article}\n\\begin{document}\nk = 3\n\\end{document}\n"


def _tar(*members: tuple[str, bytes, dict[str, Any]], form: int = tarfile.PAX_FORMAT) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as archive:
        for name, data, changes in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            for key, value in changes.items():
                setattr(info, key, value)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def test_each_form_of_a_source_is_read(net: Any) -> None:
    plain = _tar(("ms.tex", TEX, {}), ("fig/a.pdf", b"x", {}))
    assert unpack_tex(plain) == unpack_tex(gzip.compress(plain)) == {"ms.tex": TEX}
    assert unpack_tex(TEX) == unpack_tex(gzip.compress(TEX)) == {"main.tex": TEX}
    assert unpack_tex(net.PDF) == unpack_tex(gzip.compress(net.PDF)) == {}
    assert unpack_tex(b"%!PS-Adobe-3.0\n") == unpack_tex(b"") == {}


@pytest.mark.parametrize(
    "name",
    [
        "../up.tex",
        "a/../../up.tex",
        "/root.tex",
        "//root.tex",
        "a\\..\\up.tex",
        "c:up.tex",
        "new\nline.tex",
        "x" * 200 + ".tex",
        "/".join("abcdefghij") + ".tex",
        "run.sh",
        ".tex",
    ],
)
def test_no_name_leads_out_of_the_folder(name: str) -> None:
    assert unpack_tex(_tar(("a.tex", b"x", {}), (name, b"y", {}))) == {"a.tex": b"x"}


@pytest.mark.parametrize(
    "kind",
    [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE],
)
def test_only_plain_files_are_taken(kind: bytes) -> None:
    link = ("b.tex", b"", {"type": kind, "linkname": "/etc/passwd"})
    assert unpack_tex(_tar(("a.tex", b"x", {}), link)) == {"a.tex": b"x"}


def test_a_file_in_the_way_of_a_folder_is_left_out() -> None:
    first = _tar(("a.tex", b"x", {}), ("a.tex/b.tex", b"y", {}))
    assert unpack_tex(first) == {"a.tex": b"x"}
    second = _tar(("a.tex/b.tex", b"y", {}), ("a.tex", b"x", {}))
    assert unpack_tex(second) == {"a.tex/b.tex": b"y"}


def test_a_sparse_file_stands_for_any_size_and_is_not_taken() -> None:
    """A GNU sparse header by hand: no data, a size of a tebibyte."""
    info = tarfile.TarInfo("bomb.tex")
    block = bytearray(info.tobuf(tarfile.GNU_FORMAT))
    block[156:157] = tarfile.GNUTYPE_SPARSE
    block[483:495] = b"\x80\x00\x00\x00" + struct.pack(">Q", 1 << 40)
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block[:512])
    data = bytes(block[:512]) + _tar(("a.tex", b"x", {}))
    assert unpack_tex(data) == {"a.tex": b"x"}


def test_a_bomb_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lawsmith.gateways.papers.arxiv_archives.MAX_UNPACKED", 1000)
    with pytest.raises(DownloadError, match="more than 1000 bytes"):
        unpack_tex(gzip.compress(b"x" * 10_000_000))
    two = _tar(("a.tex", b"x" * 600, {}), ("b.tex", b"x" * 600, {}))
    with pytest.raises(DownloadError, match="more than 1000 bytes"):
        unpack_tex(two)
    monkeypatch.setattr("lawsmith.gateways.papers.arxiv_archives.MAX_MEMBERS", 3)
    with pytest.raises(DownloadError, match="more than 3 files"):
        unpack_tex(_tar(*((f"{n}.txt", b"", {}) for n in range(5))))


def test_a_cut_archive_is_named() -> None:
    body = gzip.compress(_tar(("a.tex", TEX * 50, {})))
    assert archive_fault(body) is None
    assert "cut off" in str(archive_fault(body[:-9]))
    assert "gzip" in str(archive_fault(b"\x1f\x8b broken"))
    for broken in (body[:-9], b"\x1f\x8b broken"):
        with pytest.raises(DownloadError, match="gzip"):
            unpack_tex(broken)


def test_a_note_of_withdrawal_is_named() -> None:
    note = b"%auto-ignore\nThis paper has been withdrawn."
    for body in (note, gzip.compress(note), _tar(("withdrawn.tex", note, {}))):
        with pytest.raises(WithdrawnSourceError):
            unpack_tex(body)
    assert unpack_tex(b"%auto-ignore\n" + TEX) == {"main.tex": b"%auto-ignore\n" + TEX}


@given(st.binary(max_size=2000), st.booleans())
def test_no_bytes_crash_it(body: bytes, packed: bool) -> None:
    tar = bytearray(_tar(("a.tex", TEX, {}), ("b.tex", TEX, {})))
    tar[: len(body)] = body
    data = bytes(tar)
    try:
        files = unpack_tex(gzip.compress(data) if packed else data)
    except DownloadError:
        return
    assert all(".." not in name and not name.startswith("/") for name in files)


@pytest.mark.parametrize(
    ("address", "licence"),
    [
        ("http://creativecommons.org/licenses/by/4.0/", "CC-BY-4.0"),
        ("https://creativecommons.org/licenses/by-sa/4.0/", "CC-BY-SA-4.0"),
        ("http://creativecommons.org/licenses/by-nc-nd/4.0/", "CC-BY-NC-ND-4.0"),
        ("http://creativecommons.org/licenses/by/3.0/", "CC-BY-3.0"),
        ("http://creativecommons.org/publicdomain/zero/1.0/", "CC0-1.0"),
        ("http://arxiv.org/licenses/nonexclusive-distrib/1.0/", None),
        ("http://creativecommons.org.example.org/licenses/by/4.0/", None),
        ("http://creativecommons.org/licenses/publicdomain/", None),
        ("", None),
    ],
)
def test_an_address_becomes_a_licence_only_if_spdx_names_it(
    address: str, licence: str | None
) -> None:
    assert spdx_of(address) == licence


def test_a_record_states_its_licence(net: Any) -> None:
    _, body, _ = net.Stub(licences={"1": net.CC_BY})._oai("1")
    assert stated_licence(body) == net.CC_BY
    for wrong in (b"<html/>", b"no xml", b"<!DOCTYPE a>" + body):
        with pytest.raises(ValueError, match="answer"):
            stated_licence(wrong)
