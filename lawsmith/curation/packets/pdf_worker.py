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

GRACE = 10
"""Seconds of processor time above the wall limit after which an orphaned child ends itself."""


def main() -> None:
    """Answer requests until standard input ends."""
    # Only answers may reach the parent: whatever libraries print goes nowhere.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    for line in sys.stdin:
        answers.write(json.dumps(_answer(json.loads(line))) + "\n")
        answers.flush()
        # What the library keeps of one file is of no use to the next.
        pymupdf.TOOLS.store_shrink(100)  # type: ignore[no-untyped-call]


def _answer(request: dict[str, Any]) -> dict[str, object]:
    _bound(int(request["max_bytes"]), float(request["seconds"]))
    path = Path(request["path"])
    try:
        return {"text": read_pdf(path, int(request["max_pages"])).as_data()}
    except PacketError as error:
        return {"code": error.reason_code.value, "problem": error.problem, "fix": error.fix}
    except MemoryError:
        problem = f"reading it takes more than {request['max_bytes']} bytes of memory"
        return {"code": ReasonCode.CORRUPT.value, "problem": problem, "fix": ""}


def _bound(memory: int, seconds: float) -> None:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    allowed = int(usage.ru_utime + usage.ru_stime + seconds) + GRACE
    for kind, wanted in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CPU, allowed)):
        hard = resource.getrlimit(kind)[1]
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(kind, (soft, hard))


if __name__ == "__main__":
    main()
