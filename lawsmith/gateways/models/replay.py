"""Recorded replies: `replay/<set>` answers from `<root>/<set>/replies.jsonl`."""

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from lawsmith.chat import Count, Reply, Request, RequestKey, Role, SubjectKind, Usage
from lawsmith.errors import InputError, PrerequisiteError
from lawsmith.gateways.models.provider_errors import ReplyMissingError
from lawsmith.gateways.store import write_whole
from schemas.record import Identity, Part, Sha256, canonical_json, strict_json

PREFIX = "replay/"
"""Model strings that start so are recordings."""


_TEXT_HASH = re.compile(r"/[0-9a-f]{12}$")


class RecordedReply(Part):
    """One line of a recording: a reply, who gave it, and what it was given to."""

    role: Role
    subject_kind: SubjectKind
    subject_id: Identity
    revision: Count
    round: Count
    model: str
    packet_sha256: Sha256 | None
    prompt_sha256: Sha256
    text: str
    finish_reason: Literal["stop", "length", "content_filter", "other"]
    usage: Usage | None

    @property
    def key(self) -> RequestKey:
        """The request that this replies to, as `recording_key` names it."""
        return recording_key(
            RequestKey(self.role, self.subject_kind, self.subject_id, self.revision, self.round)
        )


def recording_key(key: RequestKey) -> RequestKey:
    """The key under which a recording holds a request.

    A packet's id ends in the hash of its text. The recording names the packet without it, so
    that a reply made against another text of the same paper is found, flagged and held against
    the text as it is now.
    """
    if key.subject_kind != "packet":
        return key
    return key._replace(subject_id=_TEXT_HASH.sub("", key.subject_id))


class ReplayAnswerer:
    """Answers from one recording; nothing is sent and nothing is charged.

    Attributes:
        path: the `replies.jsonl` of the set; a file that is absent holds no reply.
    """

    def __init__(self, model: str, *, root: Path) -> None:
        """The recording of a model string `replay/<set>` below a root folder.

        Raises:
            PrerequisiteError: the set's name is empty or leads out of the root.
        """
        self.path = replay_file(model, root)

    def answer(self, requests: Sequence[Request]) -> Sequence[Reply]:
        """The recorded reply of each request.

        Raises:
            ReplyMissingError: a request has no recorded reply.
            InputError: a line of the recording is at fault.
        """
        return [self._reply(request) for request in requests]

    def _reply(self, request: Request) -> Reply:
        found = self._recorded.get(recording_key(request.key))
        if found is None:
            raise ReplyMissingError(request.key, path=f"{self.path.parent.name}/{self.path.name}")
        return Reply(
            text=found.text,
            finish_reason=found.finish_reason,
            model=found.model,
            usage=found.usage,
            cost_usd=0.0,
            replayed=True,
            served_from="replay",
            reworded_prompt=found.prompt_sha256 != request.prompt_sha256,
            packet_changed=found.packet_sha256 != request.packet_sha256,
        )

    @cached_property
    def _recorded(self) -> dict[RequestKey, RecordedReply]:
        return read_recording(self.path)


def replay_file(model: str, root: Path) -> Path:
    """Where the replies of a model string `replay/<set>` stand.

    Raises:
        PrerequisiteError: the set's name is empty or leads out of the root.
    """
    name = model.removeprefix(PREFIX)
    parts = Path(name).parts
    if not model.startswith(PREFIX) or not parts or ".." in parts or Path(name).is_absolute():
        raise PrerequisiteError(
            f"model {model!r} names no recording",
            fix="write replay/<set> for the file <set>/replies.jsonl of the data folder",
        )
    return root / name / "replies.jsonl"


def read_recording(path: Path) -> dict[RequestKey, RecordedReply]:
    """The lines of a recording by request; an absent file is an empty recording.

    Raises:
        InputError: a line is not a recorded reply, or two lines answer one request.
    """
    if not path.exists():
        return {}
    found: dict[RequestKey, RecordedReply] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        try:
            strict_json(line)
            reply = RecordedReply.model_validate_json(line)
        except (ValueError, ValidationError) as error:
            raise InputError(f"not a recorded reply: {error}", path=where) from error
        if reply.key in found:
            raise InputError(f"a second reply to {reply.key}", path=where, fix="keep one line")
        found[reply.key] = reply
    return found


def record_replies(
    answered: Iterable[tuple[Request, Reply]], path: Path, *, replace: bool = False
) -> int:
    """Add replies to a recording, as given; returns how many lines are new or changed.

    The file is sorted by request and replaced in one rename. A reply that differs from the
    recorded one is refused unless `replace`.

    Raises:
        InputError: a request has another recorded reply, or the file is at fault.
    """
    recorded = read_recording(path)
    changed = 0
    for request, reply in answered:
        line = _recorded(request, reply)
        if recorded.get(line.key) == line:
            continue
        if line.key in recorded and not replace:
            raise InputError(
                f"{line.key} has another recorded reply", path=str(path), fix="ask to replace it"
            )
        recorded[line.key] = line
        changed += 1
    if changed:
        text = "".join(
            canonical_json(recorded[key].model_dump(mode="json")) + "\n" for key in sorted(recorded)
        )
        write_whole(path, text)
    return changed


def _recorded(request: Request, reply: Reply) -> RecordedReply:
    return RecordedReply(
        **request.key._asdict(),
        model=reply.model,
        packet_sha256=request.packet_sha256,
        prompt_sha256=request.prompt_sha256,
        text=reply.text,
        finish_reason=reply.finish_reason,
        usage=reply.usage,
    )


__all__ = (
    "PREFIX",
    "RecordedReply",
    "ReplayAnswerer",
    "read_recording",
    "record_replies",
    "recording_key",
    "replay_file",
)
