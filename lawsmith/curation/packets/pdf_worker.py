"""The child process that reads PDFs: one JSON request a line in, one JSON answer a line out."""

import json
import os
import resource
import sys
from pathlib import Path
from typing import Any

import pymupdf

from lawsmith.curation.packets.failure import PacketError
from lawsmith.curation.packets.pdf_pages import read_pdf
from schemas.source import ReasonCode

KEPT = 100
"""Pages after which what the library keeps in memory is dropped; at once after a failure."""
GRACE = 10
"""Seconds of processor time above the wall limit after which an orphaned child ends itself."""


def main() -> None:
    """Answer requests until standard input ends."""
    # Only answers may reach the parent: whatever libraries print goes nowhere.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    kept = 0
    for line in sys.stdin:
        answer, pages = _answer(json.loads(line))
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
        kept += pages
        # What the library keeps of one file is of no use to the next, but dropping it costs time.
        if kept >= KEPT:
            pymupdf.TOOLS.store_shrink(100)  # type: ignore[no-untyped-call]
            kept = 0


def _answer(request: dict[str, Any]) -> tuple[dict[str, object], int]:
    """The answer to a request, and how many pages the library may still hold."""
    if request.get("probe"):
        return {"text": {}}, 0
    _bound(int(request["max_bytes"]), float(request["seconds"]))
    path = Path(request["path"])
    try:
        text = read_pdf(path, int(request["max_pages"]))
    except PacketError as error:
        return {"code": error.reason_code.value, "problem": error.problem, "fix": error.fix}, KEPT
    except MemoryError:
        problem = f"reading it takes more than {request['max_bytes']} bytes of memory"
        fix = "raise [packets] max_megabytes, or give the TeX source"
        return {"code": ReasonCode.EXTRACTION_MEMORY.value, "problem": problem, "fix": fix}, KEPT
    except ImportError as error:
        problem = f"the reader of PDFs does not run here: {type(error).__name__}: {error}"
        fix = "install Lawsmith with the extra `curation`"
        return {"code": ReasonCode.READER_UNAVAILABLE.value, "problem": problem, "fix": fix}, KEPT
    return {"text": text.as_data()}, int(text.quality["pages"])


def _bound(memory: int, seconds: float) -> None:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    allowed = int(usage.ru_utime + usage.ru_stime + seconds) + GRACE
    for kind, wanted in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CPU, allowed)):
        hard = resource.getrlimit(kind)[1]
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(kind, (soft, hard))


if __name__ == "__main__":
    main()
