"""A model server for tests: it gives the recorded replies of the sample, after some faults."""

import json
import threading
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from lawsmith.curation.reading.prompting import load_prompt
from schemas.card import ExtractionReply
from schemas.packet import Packet
from schemas.review import CARD_CRITERIA, CASE_CRITERIA

Body = dict[str, Any]


@dataclass
class RecordedModels:
    """Decides the answers of a `ChatServer`.

    The paper of a call is found by the marker of the packet that its prompt shows, the kind of
    call by its instructions; the replies of a kind are given in the order of the recording.
    A review that the recording does not hold supports everything.
    """

    answer: Callable[..., Any]
    packets: dict[str, Packet]
    """Paper, as `0009`, -> its packet."""
    replies: list[Body]
    faults: dict[tuple[str, str], list[Any]] = field(default_factory=dict)
    """(kind, paper) -> answers given before the recorded ones."""
    given: dict[str, Any] = field(default_factory=dict)
    """Body -> the answer it had."""
    calls: list[tuple[str, str, str]] = field(default_factory=list)
    """(model, kind, paper) of each call."""
    turns: dict[tuple[str, str], int] = field(default_factory=lambda: defaultdict(int))
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, body: Body) -> Any:
        text = json.dumps(body["messages"], ensure_ascii=False)
        paper = next(
            name
            for name, packet in self.packets.items()
            if f"<<<PACKET {packet.text_sha256[:12]}>>>" in text
        )
        kind = self._kind(body)
        with self.lock:
            self.calls.append((body["model"], kind, paper))
            if faults := self.faults.get((kind, paper)):
                return faults.pop(0)
            if text not in self.given:
                self.given[text] = self._next(kind, paper)
            return self.given[text]

    def _next(self, kind: str, paper: str) -> Any:
        role, subject = {
            "extractor": ("extractor", "packet"),
            "extractor_revision": ("extractor", "card"),
            "reviewer_card": ("reviewer", "card"),
            "reviewer_case": ("reviewer", "case"),
        }[kind]
        recorded = sorted(
            (
                line
                for line in self.replies
                if (line["role"], line["subject_kind"]) == (role, subject)
                and line["subject_id"].startswith(f"sample:{paper}")
            ),
            key=lambda line: (line["revision"], line["round"]),
        )
        turn = self.turns[kind, paper]
        self.turns[kind, paper] += 1
        if turn < len(recorded):
            text = recorded[turn]["text"]
            if role == "extractor":
                # A live model answers in the form that it was shown.
                text = ExtractionReply.model_validate_json(text).model_dump_json()
        else:
            text = supporting(self.packets[paper], subject)
        return self.answer(text=text, delay=0.05)

    @staticmethod
    def _kind(body: Body) -> str:
        system = body["messages"][0]["content"]
        return next(
            name
            for name in ("extractor", "extractor_revision", "reviewer_card", "reviewer_case")
            if load_prompt(name).system == system
        )


def supporting(packet: Packet, subject: str) -> str:
    """A review that supports every criterion, by one plain line of the packet."""
    n, line = next(
        (n, line)
        for n, line in enumerate(packet.lines, 1)
        if len(line.split()) > 7 and "\\" not in line and "$" not in line
    )
    criteria = [
        {
            "criterion": name,
            "verdict": "supported",
            "first_line": n,
            "last_line": n,
            "quote": " ".join(line.split()[:6]),
            "reason": "made up for a test",
        }
        for name in (CARD_CRITERIA if subject == "card" else CASE_CRITERIA)
    ]
    return json.dumps({"criteria": criteria, "decision": "accept", "changes": None})
