"""What a changed prompt asks again: open work of that prompt, and nothing else."""

import json
import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from lawsmith.chat import Reply, Request, RequestKey
from lawsmith.curation.reading import prompting
from lawsmith.curation.reading.prompting import Prompt, PromptName
from lawsmith.gateways.models.limits import RunCaps
from lawsmith.gateways.models.model_routes import ModelSpec, Roster, Route
from lawsmith.gateways.models.replay import RecordedReply, read_recording, recording_key
from lawsmith.runs.context import StageContext
from lawsmith.runs.opening import open_context
from lawsmith.stages import cards, packets, reviews, sources
from schemas.card import ExtractionReply

SAMPLE = Path(__file__).resolve().parents[2] / "data" / "sample"
PAPERS = ("0001", "0003")
WEEKS = ("2026-10-05",)


@dataclass
class Readers:
    """Models that say what is recorded, and remember what they were asked."""

    recorded: dict[RequestKey, RecordedReply] = field(
        default_factory=lambda: read_recording(SAMPLE / "replies.jsonl")
    )
    asked: Counter[str] = field(default_factory=Counter)

    def answer(self, requests: Sequence[Request]) -> Sequence[Reply]:
        return [self._one(request) for request in requests]

    def _one(self, request: Request) -> Reply:
        self.asked[request.role] += 1
        named = recording_key(request.key)
        told = self.recorded[
            named._replace(subject_id=named.subject_id.replace("folder:", "sample:"))
        ]
        text = told.text
        if told.role == "extractor":
            # A live model answers in the form that it was shown.
            text = ExtractionReply.model_validate_json(text).model_dump_json()
        return Reply(
            text=text,
            finish_reason=told.finish_reason,
            model=told.model,
            usage=None,
            cost_usd=None,
            replayed=False,
            served_from="provider",
        )


@pytest.fixture
def source(tmp_path: Path) -> Path:
    lines = []
    for line in (SAMPLE / "metadata.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        name = row["id"].removeprefix("sample:")
        if name in PAPERS:
            main = f"tex/sample-{name}/main.tex"
            (tmp_path / "in" / main).parent.mkdir(parents=True)
            shutil.copyfile(SAMPLE / main, tmp_path / "in" / main)
            row |= {"id": f"folder:{name}", "files": [main]}
            lines.append(json.dumps(row) + "\n")
    (tmp_path / "in" / "metadata.jsonl").write_text("".join(lines), encoding="utf-8")
    return tmp_path / "in"


def run(context: StageContext) -> None:
    sources.run(context, WEEKS)
    packets.run(context, WEEKS)
    cards.run(context, WEEKS)
    reviews.run_card(context, WEEKS)


def forget(context: StageContext) -> None:
    """Drop what was made of the replies; the ledger stays."""
    tables = context.store.home / "tables"
    for name in ("cards", "reviews"):
        shutil.rmtree(tables / name)
        for path in (tables / "dispositions").rglob(f"{name}*"):
            path.unlink()


def test_a_changed_prompt_asks_again_exactly_what_it_must(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAWSMITH_HOME", str(tmp_path / "home"))
    readers = Readers()
    roster = Roster(
        {
            role: Route(ModelSpec(f"plain/{role}"), readers, price=None, live=True)
            for role in ("extractor", "reviewer")
        }
    )
    context = replace(
        open_context(source=str(source)),
        roster=lambda: roster,
        caps=RunCaps(max_tokens=10**9),
    )
    run(context)
    first = Counter(readers.asked)
    assert first["extractor"] == 2
    assert first["reviewer"] >= 1
    forget(context)
    run(context)
    assert readers.asked == first

    as_it_is = prompting.load_prompt

    def reworded(name: PromptName) -> Prompt:
        prompt = as_it_is(name)
        if name != "extractor":
            return prompt
        return replace(prompt, user=f"{prompt.user}\nTake care.", sha256="c" * 64)

    monkeypatch.setattr(prompting, "load_prompt", reworded)
    # Papers that have their cards are left alone: a word in a prompt bills no window again.
    run(context)
    assert readers.asked == first
    # What is open is asked with the new words; the cards come out the same, so no review is.
    forget(context)
    run(context)
    assert readers.asked == {**first, "extractor": 4}
