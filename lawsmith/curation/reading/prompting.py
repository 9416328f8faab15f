"""Prompts as package data: loading, hashing, and filling them with a packet as a data block.

A prompt file has a `# System` part (absent in repair prompts) and a `# User` part with
`{{name}}` places. Places are filled in one pass, so text that is filled in is never read as a
template; packet lines carry their number, so no line can pose as an end marker.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Literal

from lawsmith.chat import Message
from lawsmith.curation.reading.visible_lines import Shown, all_lines
from lawsmith.errors import InputError
from schemas.packet import Packet
from schemas.record import Part

PromptName = Literal[
    "extractor",
    "extractor_repair",
    "extractor_revision",
    "reviewer_card",
    "reviewer_case",
    "reviewer_repair",
]

_PLACE = re.compile(r"\{\{([a-z_]+)\}\}")
# Whatever an output device may show as a new line, other control characters but the tab, marks
# of direction that let text show in another order, and the tag alphabet that no person sees.
_BREAKS = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\U000e0000-\U000e007f]")


@dataclass(frozen=True)
class Prompt:
    """One prompt file, split into its parts."""

    system: str | None
    user: str
    sha256: str
    """Of the bytes of the file."""


@cache
def load_prompt(name: PromptName) -> Prompt:
    """The prompt of a file in `prompts/`.

    Raises:
        InputError: the file has no `# User` part.
    """
    data = resources.files("lawsmith.curation").joinpath(f"prompts/{name}.md").read_bytes()
    head, mark, user = data.decode("utf-8").partition("# User\n")
    if not mark:
        raise InputError("a prompt has no '# User' part", path=f"prompts/{name}.md")
    system = head.removeprefix("# System\n").strip()
    return Prompt(system or None, user.strip(), hashlib.sha256(data).hexdigest())


def prompt_hash(*names: PromptName) -> str:
    """sha256 of one prompt file, or over the hashes of several in order."""
    hashes = [load_prompt(name).sha256 for name in names]
    if len(hashes) == 1:
        return hashes[0]
    return hashlib.sha256("\n".join(hashes).encode("ascii")).hexdigest()


def fill(template: str, values: Mapping[str, str]) -> str:
    """The template with every `{{name}}` replaced, in one pass.

    Raises:
        InputError: a place has no value.
    """

    def value(match: re.Match[str]) -> str:
        if match[1] not in values:
            raise InputError(f"prompt place {match[1]!r} has no value", path=match[1])
        return values[match[1]]

    return _PLACE.sub(value, template)


def opening(name: PromptName, values: Mapping[str, str]) -> tuple[Message, ...]:
    """The first messages of a conversation: the system part as it stands, the user part filled."""
    prompt = load_prompt(name)
    user = Message(role="user", text=fill(prompt.user, values))
    if prompt.system is None:
        return (user,)
    return (Message(role="system", text=prompt.system), user)


def repair_turn(name: PromptName, answer: str, problems: Sequence[str]) -> tuple[Message, Message]:
    """The model's own reply and the request to put it right."""
    listed = "\n".join(f"- {_BREAKS.sub(' ', problem)}" for problem in problems)
    return (
        # Some providers refuse a turn without text.
        Message(role="assistant", text=answer if answer.strip() else "(no text)"),
        Message(role="user", text=fill(load_prompt(name).user, {"problems": listed})),
    )


def packet_values(packet: Packet, shown: Shown | None = None) -> dict[str, str]:
    """The places of every prompt that shows a packet.

    Args:
        packet: the text.
        shown: the lines to show; None is all of them. A gap is one line without a number.
    """
    shown = shown or all_lines(packet)
    parts = [(first, _numbered(packet, first, last)) for first, last in shown.spans]
    parts += [(first, f"[lines {first}-{last} left out]") for first, last in shown.gaps]
    return {
        "line_count": str(len(packet.lines)),
        "marker": packet.text_sha256[:12],
        "packet_lines": "\n".join(text for _, text in sorted(parts)),
    }


def _numbered(packet: Packet, first: int, last: int) -> str:
    lines = enumerate(packet.lines[first - 1 : last], start=first)
    return "\n".join(f"{n}| {_BREAKS.sub(' ', line)}" for n, line in lines)


def quoted_block(text: str) -> str:
    """Free text of a model as a block in which every line starts with `> `."""
    return "\n".join(f"> {_BREAKS.sub(' ', line)}" for line in text.split("\n"))


@cache
def response_schema(model: type[Part]) -> dict[str, Any]:
    """The JSON schema of a reply in the form strict schema modes take.

    Every property is required and every object closed, because reply records have no
    defaults and forbid extra fields; null stands where a fact may be missing.
    """
    return model.model_json_schema()


__all__ = (
    "Prompt",
    "PromptName",
    "fill",
    "load_prompt",
    "opening",
    "packet_values",
    "prompt_hash",
    "quoted_block",
    "repair_turn",
    "response_schema",
)
