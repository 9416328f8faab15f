"""The column `reasons` of stage tables: why a row is as it is, as data that is never parsed."""

from collections.abc import Sequence
from typing import Final

from pydantic import TypeAdapter, ValidationError

from lawsmith.curation.evidence import Reason
from lawsmith.errors import IntegrityError
from lawsmith.gateways.store import Row

_REASONS: Final = TypeAdapter(tuple[Reason, ...])


def reasons_cell(reasons: Sequence[Reason]) -> str:
    """Reasons as the JSON list that the column holds: code, path and sentence of each."""
    return _REASONS.dump_json(tuple(reasons)).decode("utf-8")


def reasons_of(row: Row) -> tuple[Reason, ...]:
    """The reasons that a stored row states.

    Raises:
        IntegrityError: the column holds no list of reasons.
    """
    cell = row.extra["reasons"]
    if cell is None:
        return ()
    try:
        return _REASONS.validate_json(str(cell))
    except ValidationError as error:
        raise IntegrityError(
            f"the column reasons holds {str(cell)[:40]!r}, which is no list of reasons",
            path=row.id,
            fix="remove the partition's file and run its stage again",
        ) from error


__all__ = ("reasons_cell", "reasons_of")
