"""Human decisions: `overrides.toml`, read by the gates, each with a reason and a name.

```toml
[[decision]]
subject = "sample:0004/r1"      # paper, paper version, card or family
action = "reject"               # accept | reject | withdraw
reason = "the prefactor was set by eye"
by = "A. Curator"
```
"""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

from lawsmith.curation.reasons import Reason, Verdict
from lawsmith.errors import InputError
from schemas.source import ReasonCode

Action = Literal["accept", "reject", "withdraw"]
_KEYS: Final = ("subject", "action", "reason", "by")

LIFTED: Final = frozenset(
    {
        ReasonCode.NUMBER_NOT_ANCHORED,
        ReasonCode.STATUS_TOO_STRONG,
        ReasonCode.PAIRED_DOMAIN,
        ReasonCode.RESTATED,
        ReasonCode.TEMPORAL_RESTATED,
        ReasonCode.DUPLICATE,
    }
)
"""What an `accept` sets aside: findings of judgement. A card that cannot be run, whose quotes
are not found, or that goes beyond the licence stays refused."""


@dataclass(frozen=True)
class Override:
    """One decision of a person."""

    subject: str
    action: Action
    reason: str
    by: str


def parse_overrides(text: str, path: str = "overrides.toml") -> tuple[Override, ...]:
    """The decisions of a TOML text.

    Raises:
        InputError: not TOML, an unknown key, a missing or empty field, an unknown action, or
            two decisions about one subject.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"not TOML: {error}", path=path) from error
    if unknown := sorted(set(data) - {"decision"}):
        raise InputError(f"unknown key {unknown[0]!r}", path=path, fix="use [[decision]] tables")
    rows = data.get("decision", [])
    if not isinstance(rows, list):
        raise InputError("decision is no list of tables", path=path, fix="write [[decision]]")
    found: dict[str, Override] = {}
    for i, row in enumerate(rows):
        override = _row(row, f"{path}: decision[{i}]")
        if override.subject in found:
            raise InputError(
                f"a second decision about {override.subject!r}", path=f"{path}: decision[{i}]"
            )
        found[override.subject] = override
    return tuple(found.values())


def override_for(overrides: Sequence[Override], *subjects: str) -> Override | None:
    """The decision about the first of these ids that has one: give the most particular first."""
    named = {override.subject: override for override in overrides}
    return next((named[subject] for subject in subjects if subject in named), None)


def overruled(verdict: Verdict, override: Override | None) -> Verdict:
    """The verdict after a person's decision; what was set aside or added is `overridden`."""
    if override is None:
        return verdict
    sentence = f"{override.action} by {override.by}: {override.reason}"
    if override.action == "accept":
        kept = tuple(reason for reason in verdict.reasons if reason.code not in LIFTED)
        return Verdict(not kept, kept, verdict.not_run)
    added = Reason(ReasonCode.OVERRIDDEN, "", sentence)
    return Verdict(False, (*verdict.reasons, added), verdict.not_run)


def _row(row: object, path: str) -> Override:
    if not isinstance(row, dict):
        raise InputError(f"{row!r} is no table", path=path)
    if unknown := sorted(set(row) - set(_KEYS)):
        raise InputError(f"unknown key {unknown[0]!r}", path=path, fix=f"keys: {', '.join(_KEYS)}")
    for key in _KEYS:
        value = row.get(key)
        if not isinstance(value, str) or not value.strip():
            raise InputError(f"{key} is {value!r}; a text is due", path=path)
    if row["action"] not in get_args(Action):
        raise InputError(
            f"action {row['action']!r} is not one of {get_args(Action)}", path=f"{path}.action"
        )
    return Override(row["subject"], row["action"], row["reason"], row["by"])


__all__ = ("LIFTED", "Action", "Override", "override_for", "overruled", "parse_overrides")
