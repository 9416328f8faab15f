"""Partitions that do not read or are gone: set aside and made again, and never passed over.

What stages derive can be made again from what they read; the replies of models come from the
ledger. Rows that later ones took the place of are history: only a backup restores them.
"""

import re
from collections import defaultdict
from collections.abc import Collection
from typing import Final

from lawsmith.errors import PrerequisiteError
from lawsmith.gateways.store import (
    TABLES,
    has_partition,
    partitions_of,
    set_aside_if_damaged,
)
from lawsmith.runs import TABLE as DISPOSITIONS
from lawsmith.runs import StageContext, row_history
from lawsmith.stages.calibrated_worlds import PARTITION as CALIBRATED
from schemas.source import Stage

_TABLES: Final[dict[Stage, str]] = {
    "sources": "sources",
    "publications": "publications",
    "packets": "packets",
    "cards": "cards",
    "reviews/card": "reviews/card",
    "families": "families",
    "reviews/case": "reviews/case",
    "worlds": "worlds",
}
_WEEK: Final = re.compile(r"\d{4}-\d{2}-\d{2}$")


def set_aside_damaged(context: StageContext, weeks: Collection[str]) -> list[str]:
    """Set damaged partitions of these weeks, and those of no week, aside.

    Returns:
        A sentence for each: what was wrong and where the file lies now.
    """
    said = []
    for table in TABLES:
        if table == row_history.TABLE:
            continue
        for partition in partitions_of(context.store, table, context.collection):
            week = _WEEK.search(partition)
            if week is None or week.group() in weeks:
                found = set_aside_if_damaged(context.store, table, context.collection, partition)
                said += [f"{table} {partition}: {found}"] if found else []
    return said


def refuse_lost_rows(context: StageContext) -> None:
    """Nothing, or an error where decisions stand whose rows are gone: a cut would lack them.

    Raises:
        PrerequisiteError: which partitions, and how they are made again.
    """
    lost: dict[str, list[str]] = defaultdict(list)
    for stage, table in _TABLES.items():
        start = f"{stage.replace('/', '-')}."
        for file in partitions_of(context.store, DISPOSITIONS, context.collection):
            partition = file.removeprefix(start)
            if not file.startswith(start) or partition == CALIBRATED:
                continue
            if not has_partition(context.store, table, context.collection, partition):
                lost[partition].append(table)
    if lost:
        listed = "; ".join(f"{', '.join(lost[key])} of {key}" for key in sorted(lost))
        raise PrerequisiteError(
            f"rows that stages made are gone: {listed}",
            path=str(context.store.tables),
            fix="run `lawsmith refresh --window` over these weeks again (`build-historical` for"
            " `all`): they are made again, and what models said is in the ledger",
        )


__all__ = ("refuse_lost_rows", "set_aside_damaged")
