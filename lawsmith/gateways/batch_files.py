"""Requests written to and replies read from files in the OpenAI batch format.

It is the one way to have requests answered outside of a run: by a provider's batch service,
or by a reader. What comes back goes through the ledger like any other reply.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from lawsmith.chat import Reply, Request
from lawsmith.errors import PrerequisiteError
from lawsmith.gateways.batch_lines import (
    Answered,
    LineFault,
    read_reply_line,
    render_request_text,
    reply_line,
)
from lawsmith.gateways.ledger import Ledger
from lawsmith.gateways.limits import RunCaps
from lawsmith.gateways.openai_protocol import chat_body
from lawsmith.gateways.prices import Bound, Price, upper_bound
from lawsmith.gateways.replay import PREFIX, record_replies, replay_file
from lawsmith.gateways.roster import Roster
from lawsmith.gateways.whole_files import write_whole

ENDPOINT = "/v1/chat/completions"


@dataclass(frozen=True)
class ExportReport:
    """What an export wrote."""

    written: int
    held_back: int
    """Requests that a cap left no room for."""
    bound: Bound
    """Upper bound of what is written."""


@dataclass(frozen=True)
class ImportReport:
    """What an import took and what it did not."""

    answered: tuple[Answered, ...]
    """New replies, and those that stood in the ledger with the same text."""
    new: int
    faults: tuple[LineFault, ...]


def export_requests(
    requests: Iterable[Request],
    roster: Roster,
    ledger: Ledger,
    path: Path,
    *,
    caps: RunCaps | None = None,
    texts: Path | None = None,
) -> ExportReport:
    """Write requests as a batch input file, one a line, named by their digest.

    Args:
        requests: what to have answered, as `open_requests` lists them.
        roster: the models by role; a recording's requests are for a reader.
        ledger: remembers each request, so that its reply finds it.
        path: the file; replaced in one rename.
        caps: requests beyond them are held back.
        texts: folder for one readable text a request; None writes none.

    Raises:
        PrerequisiteError: a role without a model, or a file that cannot be written.
    """
    caps = caps if caps is not None else RunCaps()
    lines: list[str] = []
    held_back, tokens, usd = 0, 0, 0.0
    unpriced = False
    for request in requests:
        route = roster.route(request.role)
        bound = route.bound(request)
        if _beyond(caps, tokens + bound.tokens, usd + (bound.usd or 0.0)):
            held_back += 1
            continue
        tokens, usd = tokens + bound.tokens, usd + (bound.usd or 0.0)
        unpriced = unpriced or bound.usd is None
        digest = ledger.note_exported(request, route.model)
        body = chat_body(request, _bare_model(route.model))
        line = {"custom_id": digest, "method": "POST", "url": ENDPOINT, "body": body}
        lines.append(json.dumps(line, ensure_ascii=False) + "\n")
        if texts is not None:
            write_whole(texts / f"{digest}.txt", render_request_text(request, digest))
    write_whole(path, "".join(lines))
    return ExportReport(len(lines), held_back, Bound(tokens, None if unpriced else usd))


def import_replies(
    path: Path, ledger: Ledger, *, prices: Mapping[str, Price] | None = None
) -> ImportReport:
    """Take the replies of a batch output file into the ledger; a bad line costs only itself.

    Args:
        path: the file, one reply a line.
        ledger: knows the exported requests.
        prices: USD per token by model string, to count what the batch cost.

    Raises:
        PrerequisiteError: the file cannot be read.
    """
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise PrerequisiteError(f"the replies cannot be read: {error}", path=str(path)) from error
    answered: list[Answered] = []
    faults: list[LineFault] = []
    seen: dict[str, int] = {}
    new = 0
    for number, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        got = read_reply_line(number, text, ledger, prices or {})
        if isinstance(got, LineFault):
            faults.append(got)
            continue
        digest = got.request.digest(got.model)
        if digest in seen:
            faults.append(
                LineFault(number, digest, f"a second reply; line {seen[digest]} is taken")
            )
            continue
        seen[digest] = number
        bound = upper_bound(got.request, (prices or {}).get(got.model))
        if ledger.store_imported(got.request, got.model, got.reply, bound):
            new += 1
            answered.append(got)
            continue
        stored = ledger.reply_for(got.request, got.model)
        if stored is None or stored.text != got.reply.text:
            faults.append(LineFault(number, digest, "already answered with another text; kept"))
        else:
            answered.append(Answered(got.request, got.model, stored))
    return ImportReport(tuple(answered), new, tuple(faults))


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


def _beyond(caps: RunCaps, tokens: int, usd: float) -> bool:
    return (caps.max_tokens is not None and tokens > caps.max_tokens) or (
        caps.max_usd is not None and usd > caps.max_usd
    )


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
