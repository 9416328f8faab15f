"""Reading a model's reply as a record: strict, with the path of every fault."""

from typing import TypeVar

from pydantic import ValidationError

from lawsmith.chat import Reply, reply_json
from lawsmith.curation.evidence import hidden_characters
from lawsmith.errors import InputError
from schemas.earlier_draft import LIVE
from schemas.record import Part, canonical_json

MAX_PROBLEMS = 20
PartT = TypeVar("PartT", bound=Part)


def read_reply(reply: Reply, model: type[PartT]) -> PartT | tuple[str, ...]:
    """The record of a complete reply, or what is wrong with it, each with its path.

    Numbers given as text, unknown fields, duplicate keys and non-finite numbers are faults;
    nothing is converted or filled in. So are characters that steer what is shown. Only a recorded
    reply may be of an earlier form of its record (`schemas.earlier_draft`).
    """
    try:
        data = reply_json(reply)
    except InputError as error:
        return (f"$: {error.problem}",)
    except RecursionError:
        return ("$: the reply nests too deeply",)
    if hidden := tuple(hidden_characters(data)):
        return _cut(list(hidden))
    try:
        text = canonical_json(data)
        return model.model_validate_json(text, context=None if reply.replayed else LIVE)
    except ValidationError as error:
        return _problems(error)
    except ValueError as error:
        # canonical_json: a literal such as 1e400 overflowed to infinity.
        return (f"$: {error}",)


def _problems(error: ValidationError) -> tuple[str, ...]:
    found = []
    for item in error.errors(include_url=False, include_context=False):
        where = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in item["loc"])
        given = item["input"]
        got = f" (got {given!r:.80})" if not isinstance(given, dict | list) else ""
        found.append(f"${where}: {item['msg']}{got}")
    return _cut(found)


def _cut(found: list[str]) -> tuple[str, ...]:
    if len(found) > MAX_PROBLEMS:
        left = len(found) - MAX_PROBLEMS
        found[MAX_PROBLEMS:] = [f"and {left} further faults of the same kinds"]
    return tuple(found)


__all__ = ("read_reply",)
