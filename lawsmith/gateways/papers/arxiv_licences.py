"""Licences of arXiv papers, from the OAI-PMH record of each: the Atom feed does not state them.

A record is asked for once a paper version and kept beside the papers. Only licences that SPDX
names become one; arXiv's own licence to distribute, an unknown address or a record without
one leave the licence null, which means that nothing of the paper's text is passed on.
"""

import json
import re
from pathlib import Path
from urllib.parse import quote
from xml.etree import ElementTree

from lawsmith.errors import InputError
from lawsmith.gateways.papers.polite_http import PoliteSession, RefusedError
from lawsmith.gateways.store import write_whole
from schemas.record import canonical_json

_CREATIVE = re.compile(
    r"https?://(?:www\.)?creativecommons\.org/licenses/"
    r"(by(?:-nc)?(?:-sa|-nd)?)/(\d\.\d)(?:/(?:legalcode|deed\.\w+)?)?"
)
_ZERO = re.compile(r"https?://(?:www\.)?creativecommons\.org/publicdomain/zero/1\.0/?")
_TAG = "{http://arxiv.org/OAI/arXiv/}license"


class Licences:
    """The licences of papers, remembered in a folder.

    Attributes:
        folder: one JSON file a paper version.
    """

    def __init__(self, session: PoliteSession, address: str, folder: Path) -> None:
        """Ask at an OAI-PMH address, remembering in a folder; nothing is sent yet."""
        self.folder = folder
        self._session = session
        self._address = address

    def licence(self, arxiv_id: str, version: int) -> str | None:
        """SPDX identifier of the licence of a paper's newest version; None: not redistributable.

        Args:
            arxiv_id: as arXiv writes it, with the slash of old ones.
            version: the version that is the newest now.

        Raises:
            DownloadError: the server gives no record now; it may later.
        """
        path = self._path(arxiv_id, version)
        if path.is_file():
            stated = json.loads(path.read_text(encoding="utf-8"))["licence"]
            return spdx_of(stated) if stated else None
        url = (
            f"{self._address}?verb=GetRecord&metadataPrefix=arXiv"
            f"&identifier={quote(f'oai:arXiv.org:{arxiv_id}', safe='')}"
        )
        try:
            found = stated_licence(self._session.fetch(url, _fault))
        except RefusedError:
            # No such record: a fact about now, so it is not remembered.
            return None
        write_whole(path, canonical_json({"asked": url, "licence": found}) + "\n")
        return spdx_of(found) if found else None

    def known(self, arxiv_id: str, version: int) -> bool:
        """Whether the licence was asked for before."""
        return self._path(arxiv_id, version).is_file()

    def _path(self, arxiv_id: str, version: int) -> Path:
        return self.folder / f"{arxiv_id.replace('/', '.')}v{version}.json"


def spdx_of(address: str) -> str | None:
    """The SPDX identifier of a licence's address, None for one that SPDX does not name."""
    if _ZERO.fullmatch(address):
        return "CC0-1.0"
    match = _CREATIVE.fullmatch(address)
    return f"CC-{match[1].upper()}-{match[2]}" if match else None


def stated_licence(body: bytes) -> str | None:
    """The address that a record gives as its licence, None if it gives none.

    Raises:
        InputError: not an OAI-PMH answer.
    """
    wrong = _fault(body)
    if wrong is not None:
        raise InputError(wrong, path="OAI-PMH record")
    found = ElementTree.fromstring(body).find(f".//{_TAG}")
    text = (found.text or "").strip() if found is not None else ""
    return text or None


def _fault(body: bytes) -> str | None:
    """What is wrong with an answer; a document type could define entities, so none may come."""
    if b"<!DOCTYPE" in body or b"<!ENTITY" in body:
        return "the answer is not an OAI-PMH record"
    try:
        root = ElementTree.fromstring(body)
    except ElementTree.ParseError as error:
        return f"the answer is no XML: {error}"
    if not root.tag.endswith("}OAI-PMH"):
        return "the answer is not an OAI-PMH record"
    return None


__all__ = ("Licences", "spdx_of", "stated_licence")
