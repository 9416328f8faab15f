"""A window of papers that are alike but for their numbers, and the model that has read them.

Each paper is the sample's first one with other fitted constants and its own title; the model
finds out which paper a prompt shows by the constant that no other paper has, and answers with
the recorded card and review of the sample, carrying that paper's numbers.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from schemas.card import ExtractionReply

SAMPLE = Path(__file__).resolve().parents[2] / "data" / "sample"
STEM, PAPER = "sample-0001", "sample:0001"
_DEFICIT = re.compile(r"half-saturation deficit \$D_h\$ = (\d\.\d{3})")


def numbers(n: int) -> dict[str, str]:
    """The printed constants of the sample paper, and what paper n prints in their place."""
    return {"2.45": f"{2.0 + n / 1000:.3f}", "0.87": f"{0.5 + n / 1000:.3f}"}


def changed(text: str, n: int) -> str:
    """A text of the sample paper with the constants of paper n."""
    for old, new in numbers(n).items():
        text = re.sub(rf"(?<![\d.]){re.escape(old)}(?!\d)", new, text)
    return text


def write_window(folder: Path, papers: int) -> Path:
    """A folder source of so many papers, all of one week."""
    rows = (SAMPLE / "metadata.jsonl").read_text(encoding="utf-8").splitlines()
    first = next(row for row in map(json.loads, rows) if row["id"] == PAPER)
    tex = (SAMPLE / "tex" / STEM / "main.tex").read_text(encoding="utf-8")
    lines = []
    for n in range(papers):
        name = f"tex/{n:04d}/main.tex"
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_text(changed(tex, n), encoding="utf-8")
        own = {"id": f"folder:{n:04d}", "doi": None, "files": [name]}
        lines.append(json.dumps({**first, **own}) + "\n")
    (folder / "metadata.jsonl").write_text("".join(lines), encoding="utf-8")
    return folder


@dataclass(frozen=True)
class Reader:
    """Answers every prompt about a paper of the window."""

    replies: Mapping[str, str]
    """Role -> the reply recorded for the sample paper."""

    def __call__(self, body: Mapping[str, object]) -> str:
        """The reply to the body of one chat call."""
        shown = json.dumps(body["messages"], ensure_ascii=False)
        found = _DEFICIT.search(shown)
        if found is None:
            raise ValueError("the prompt shows no paper of this window")
        n = round((float(found[1]) - 2.0) * 1000)
        role = "reviewer" if str(body["model"]).startswith("reviewer") else "extractor"
        return changed(self.replies[role], n)


def reader() -> Reader:
    """The reader of every window."""
    replies = {}
    for line in (SAMPLE / "replies.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        about = (row["role"], row["subject_kind"])
        if row["subject_id"].startswith(PAPER) and about in (
            ("extractor", "packet"),
            ("reviewer", "card"),
        ):
            replies[row["role"]] = row["text"]
    # A live model answers in the form that it was shown.
    answer = ExtractionReply.model_validate_json(replies["extractor"])
    replies["extractor"] = answer.model_dump_json()
    return Reader(replies)


__all__ = ("Reader", "changed", "numbers", "reader", "write_window")
