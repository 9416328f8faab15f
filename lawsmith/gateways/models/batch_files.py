"""Requests written to and replies read from files in the OpenAI batch format.

It is the one way to have requests answered outside of a run: by a provider's batch service,
or by a reader. What comes back goes through the ledger like any other reply.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO

from lawsmith.chat import Reply, Request, Role
from lawsmith.errors import PrerequisiteError
from lawsmith.gateways.models.batch_lines import (
    Answered,
    LineFault,
    read_reply_line,
    render_request_text,
    reply_line,
)
from lawsmith.gateways.models.ledger import Ledger
from lawsmith.gateways.models.limits import Cap, RunCaps
from lawsmith.gateways.models.model_routes import Roster
from lawsmith.gateways.models.openai_protocol import chat_body
from lawsmith.gateways.models.prices import Bound, Price, upper_bound
from lawsmith.gateways.models.replay import PREFIX, record_replies, replay_file
from lawsmith.gateways.store import open_whole, write_whole

ENDPOINT = "/v1/chat/completions"


@dataclass(frozen=True)
class ExportReport:
    """What an export wrote."""

    written: int
    held_back: int
    """Requests that a cap left no room for."""
    bound: Bound
    """Upper bound of what is written."""
    files: tuple[Path, ...]
    """One a model: a provider takes one model a file."""


@dataclass(frozen=True)
class ImportReport:
    """What an import took and what it did not; every line is in one of the two."""

    answered: tuple[Answered, ...]
    """New replies, and those that stood in the ledger with the same text."""
    faults: tuple[LineFault, ...]

    @property
    def new(self) -> int:
        """How many replies the ledger did not have."""
        return sum(item.new for item in self.answered)

    @property
    def cut_off(self) -> tuple[Answered, ...]:
        """Replies that ran into their token limit; the next round says what becomes of them."""
        return tuple(item for item in self.answered if item.reply.finish_reason == "length")

    def counts(self) -> dict[str, int]:
        """How many lines ended how: `new`, `known`, and the kinds of faults."""
        found = Counter(
            [
                *("new" if item.new else "known" for item in self.answered),
                *(fault.kind for fault in self.faults),
            ]
        )
        return dict(sorted(found.items()))


def export_requests(
    requests: Iterable[Request],
    roster: Roster,
    ledger: Ledger,
    path: Path,
    *,
    caps: RunCaps | None = None,
    texts: Path | None = None,
) -> ExportReport:
    """Write requests as batch input files, one request a line, named by its digest.

    Args:
        requests: what to have answered, as `open_requests` lists them.
        roster: the models by role; a recording's requests are for a reader.
        ledger: remembers each request, so that its reply finds it.
        path: the file, replaced in one rename. Requests of a second model go into a file of
            their own beside it, with the model in its name.
        caps: requests beyond them are held back.
        texts: folder for one readable text a request; None writes none.

    Raises:
        PrerequisiteError: a role without a model, or a file that cannot be written.
    """
    budget = _Budget(caps if caps is not None else RunCaps())
    held_back = 0
    streams: dict[str, TextIO] = {}
    files: list[Path] = []
    with ExitStack() as stack:
        for request in requests:
            route = roster.route(request.role)
            if not budget.takes(request.role, route.bound(request)):
                held_back += 1
                continue
            if route.model not in streams:
                files.append(path if not files else _beside(path, route.model))
                streams[route.model] = stack.enter_context(open_whole(files[-1]))
            digest = ledger.note_exported(request, route.model)
            body = chat_body(request, _bare_model(route.model))
            line = {"custom_id": digest, "method": "POST", "url": ENDPOINT, "body": body}
            streams[route.model].write(json.dumps(line, ensure_ascii=False) + "\n")
            if texts is not None:
                write_whole(texts / f"{digest}.txt", render_request_text(request, digest))
    if not files:
        # Nothing is open: an empty file, not the last round's.
        write_whole(path, "")
        files.append(path)
    return ExportReport(budget.requests, held_back, budget.bound, tuple(files))


def import_replies(
    path: Path,
    ledger: Ledger,
    *,
    prices: Mapping[str, Price] | None = None,
    price_factor: float = 1.0,
) -> ImportReport:
    """Take the replies of a batch output file into the ledger; a bad line costs only itself.

    Each reply is committed by itself, so that an import that breaks off is done again.

    Args:
        path: the file, one reply a line.
        ledger: knows the exported requests.
        prices: USD per token by model string, to count what the batch cost.
        price_factor: what part of them a batch costs.

    Raises:
        PrerequisiteError: the file cannot be read.
    """
    answered: list[Answered] = []
    faults: list[LineFault] = []
    seen: dict[str, int] = {}
    for number, data in _lines(path):
        got = read_reply_line(number, data, ledger, prices or {}, price_factor)
        if isinstance(got, Answered):
            got = _taken(got, ledger, prices or {}, seen)
        if isinstance(got, Answered):
            answered.append(got)
        else:
            faults.append(got)
    return ImportReport(tuple(answered), tuple(faults))


def _taken(
    got: Answered, ledger: Ledger, prices: Mapping[str, Price], seen: dict[str, int]
) -> Answered | LineFault:
    digest = got.request.digest(got.model)
    if digest in seen:
        what = f"a second reply; line {seen[digest]} is taken"
        return LineFault(got.line, digest, what, "second")
    seen[digest] = got.line
    bound = upper_bound(got.request, prices.get(got.model))
    if ledger.store_imported(got.request, got.model, got.reply, bound):
        return replace(got, new=True)
    stored = ledger.reply_for(got.request, got.model)
    if stored is None or stored.text != got.reply.text:
        what = "already answered with another text; kept"
        return LineFault(got.line, digest, what, "conflict")
    return replace(got, reply=stored)


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Lines with something on them, numbered from 1, one in memory at a time."""
    try:
        with path.open("rb") as stream:
            for number, data in enumerate(stream, start=1):
                if data.strip():
                    yield number, data
    except OSError as error:
        raise PrerequisiteError(f"the replies cannot be read: {error}", path=str(path)) from error


def record_import(report: ImportReport, replay_root: Path, *, replace: bool = False) -> int:
    """Add the imported replies that were asked of `replay/<set>` to that recording.

    Returns how many lines are new or changed.

    Raises:
        InputError: a request has another recorded reply and `replace` is not given.
    """
    by_model: dict[str, list[tuple[Request, Reply]]] = {}
    for item in report.answered:
        if item.model.startswith(PREFIX):
            by_model.setdefault(item.model, []).append((item.request, item.reply))
    return sum(
        record_replies(pairs, replay_file(model, replay_root), replace=replace)
        for model, pairs in by_model.items()
    )


class _Budget:
    """What an export may hold, in all and by role."""

    def __init__(self, caps: RunCaps) -> None:
        self.requests = 0
        self._caps = caps
        self._unpriced = False
        self._held: dict[Role | None, tuple[int, float]] = {}

    @property
    def bound(self) -> Bound:
        """Upper bound of what was taken."""
        tokens, usd = self._held.get(None, (0, 0.0))
        return Bound(tokens, None if self._unpriced else usd)

    def takes(self, role: Role, bound: Bound) -> bool:
        """Count one more request unless a cap leaves no room for it."""
        after: dict[Role | None, tuple[int, float]] = {}
        for whose, cap in ((None, self._caps), (role, self._caps.of(role))):
            tokens, usd = self._held.get(whose, (0, 0.0))
            after[whose] = tokens + bound.tokens, usd + (bound.usd or 0.0)
            if _beyond(cap, *after[whose], priced=bound.usd is not None):
                return False
        self._held.update(after)
        self.requests += 1
        self._unpriced = self._unpriced or bound.usd is None
        return True


def _beyond(cap: Cap, tokens: int, usd: float, *, priced: bool) -> bool:
    """Whether a cap is passed; one in USD alone never takes what has no price."""
    if cap.max_tokens is not None and tokens > cap.max_tokens:
        return True
    if cap.max_usd is None:
        return False
    return usd > cap.max_usd if priced else cap.max_tokens is None


def _beside(path: Path, model: str) -> Path:
    """The file of a further model: `batch.jsonl` -> `batch.openai-gpt-5.jsonl`."""
    return path.with_name(f"{path.stem}.{re.sub(r'[^A-Za-z0-9.]+', '-', model)}{path.suffix}")


def _bare_model(model: str) -> str:
    """A provider's own name of a model: litellm's string without the provider."""
    return model if model.startswith(PREFIX) else model.split("/", 1)[-1]


__all__ = (
    "Answered",
    "ExportReport",
    "ImportReport",
    "LineFault",
    "export_requests",
    "import_replies",
    "record_import",
    "render_request_text",
    "reply_line",
)
