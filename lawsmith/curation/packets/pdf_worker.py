"""The child process that reads PDFs: one JSON request a line in, one JSON answer a line out."""

import json
import os
import resource
import sys
from pathlib import Path

from lawsmith.curation.packets.failure import PacketError
from lawsmith.curation.packets.pdf_pages import read_pdf


def main() -> None:
    """Answer requests until standard input ends."""
    # Only answers may reach the parent: whatever libraries print goes nowhere.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    for line in sys.stdin:
        answers.write(json.dumps(_answer(json.loads(line))) + "\n")
        answers.flush()


def _answer(request: dict[str, str]) -> dict[str, object]:
    memory = int(request["max_bytes"])
    resource.setrlimit(resource.RLIMIT_AS, (memory, resource.getrlimit(resource.RLIMIT_AS)[1]))
    try:
        return {"text": read_pdf(Path(request["path"]), int(request["max_pages"])).as_data()}
    except PacketError as error:
        return {"code": error.reason_code.value, "problem": error.problem, "fix": error.fix}


if __name__ == "__main__":
    main()
