"""The frozen base of every record: canonical JSON, digest, loading with a digest check.

A record's `id` is its identity and is never derived from content; its `digest` is its
content. Both rules are fixed for ever by the first release.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Any, ClassVar, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, StringConstraints

CANARY = "d6caf33c-e440-53ff-835c-d9c0c23278cc"
"""uuid5(NAMESPACE_URL, "lawsmith/canary/1"): stands in every released table and row."""

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,63}$")]
"""An ASCII identifier: the only kind of name an expression may use."""

Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
"""Lower-case hex sha256."""

Instant = Annotated[str, StringConstraints(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")]
"""An instant in UTC, to the second, as `2026-10-05T00:00:00Z`."""

PartialDate = Annotated[str, StringConstraints(pattern=r"^\d{4}(-\d\d(-\d\d)?)?$")]
"""A date at its stated precision: a year, a year and month, or a day."""

Day = Annotated[str, StringConstraints(pattern=r"^\d{4}-\d\d-\d\d$")]
"""A calendar day in UTC."""


def _no_pipe(value: str) -> str:
    if not value or "|" in value or value != value.strip():
        raise ValueError(f"id {value!r} must be non-empty, without '|' or outer white space")
    return value


Identity = Annotated[str, AfterValidator(_no_pipe)]
"""A record's identity. `|` is refused because keyed messages are joined with it."""


class StoredRecordError(ValueError):
    """A stored record is not what its digest says, or of a format that this code does not read."""


class Part(BaseModel):
    """A frozen, closed, finite piece of a record; it has no identity of its own."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, strict=True, ser_json_inf_nan="constants"
    )


class Record(Part):
    """A frozen record with an identity and a content digest (design.md, section 2)."""

    schema_version: ClassVar[int] = 1
    not_content: ClassVar[frozenset[str]] = frozenset()
    """Fields outside the digest: provenance, times, costs, call ids."""

    id: Identity

    @cached_property
    def digest(self) -> str:
        """sha256 over `lawsmith/<record>/<schema_version>` and the canonical content."""
        return content_digest(record_name(type(self)), self.schema_version, self.content())

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy with other fields; the digest that was computed for this record stays behind."""
        copied = super().model_copy(update=update, deep=deep)
        copied.__dict__.pop("digest", None)
        return copied

    def content(self) -> dict[str, Any]:
        """Every declared field but the identity and those marked `not_content`, as JSON data."""
        return self.model_dump(mode="json", exclude={"id", *self.not_content})

    def to_json(self) -> str:
        """The canonical JSON line of the whole record, digest and schema version included."""
        data = self.model_dump(mode="json")
        data["digest"] = self.digest
        data["schema_version"] = self.schema_version
        return canonical_json(data)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The record of one JSON line; a digest that does not fit its content is refused.

        Raises:
            ValueError: not JSON, a duplicate key, another schema version, a failing field,
                or a stored digest that differs from the recomputed one.
        """
        data = strict_json(text)
        if not isinstance(data, dict):
            raise ValueError(f"{cls.__name__} line is a {type(data).__name__}, not an object")
        stored = data.pop("digest", None)
        version = data.pop("schema_version", None)
        if version != cls.schema_version:
            raise StoredRecordError(
                f"{cls.__name__} has schema_version {version!r}; this code reads"
                f" {cls.schema_version}"
            )
        record = cls.model_validate_json(json.dumps(data))
        if stored != record.digest:
            raise StoredRecordError(
                f"{cls.__name__} {record.id!r}: stored digest {stored!r} differs from the"
                f" recomputed {record.digest}"
            )
        return record


def record_name(kind: type[Record]) -> str:
    """The snake_case name of a record class, as it stands in digests."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", kind.__name__).lower()


def content_digest(name: str, version: int, content: object) -> str:
    """sha256 hex of `lawsmith/<name>/<version>`, a newline and the canonical JSON of content."""
    text = f"lawsmith/{name}/{version}\n{canonical_json(content)}"
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def canonical_json(value: object) -> str:
    """JSON with sorted keys, no spaces, UTF-8 unescaped, no NaN, and -0.0 written as 0.0.

    Raises:
        ValueError: a number is NaN or infinite.
    """
    return json.dumps(
        _plain_zero(value),
        sort_keys=True,
        separators=(",", ":"),
        ensure_ascii=False,
        allow_nan=False,
    )


def strict_json(text: str) -> Any:
    """Parsed JSON; duplicate keys, NaN and infinities are refused.

    Raises:
        ValueError: the text is not strict JSON.
    """
    try:
        return json.loads(text, object_pairs_hook=_unique_keys, parse_constant=_no_constant)
    except RecursionError as error:
        raise ValueError("the JSON nests too deeply") from error


def _plain_zero(value: object) -> object:
    if isinstance(value, float):
        return value + 0.0 if value == 0.0 else value
    if isinstance(value, dict):
        return {key: _plain_zero(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain_zero(item) for item in value]
    return value


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"key {key!r} stands twice in one JSON object")
        found[key] = value
    return found


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not a JSON number")


__all__ = (
    "CANARY",
    "Day",
    "Identity",
    "Instant",
    "Name",
    "Part",
    "PartialDate",
    "Record",
    "Sha256",
    "StoredRecordError",
    "canonical_json",
    "content_digest",
    "record_name",
    "strict_json",
)
