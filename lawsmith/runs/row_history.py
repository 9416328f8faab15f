"""Rows that later ones took the place of: what a card said before its paper was revised.

A stage table holds one row of an identity, the one that counts now. The former row goes to the
table `superseded` under its identity and digest, so that nothing that was read, reviewed or
forged is ever lost; releases made of it stand in any case.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from lawsmith.gateways.store import Row, columns_of, read_partition, read_table, write_partition
from lawsmith.runs.context import StageContext
from schemas.source import Stage

TABLE: Final = "superseded"
KEPT: Final[frozenset[Stage]] = frozenset({"cards", "reviews/card", "families", "reviews/case"})
"""Stages whose rows are kept; those of papers, packets and dates are not replaced or only grow."""


def keep(context: StageContext, stage: Stage, partition: str, rows: Sequence[Row]) -> None:
    """Store rows that a stage is about to replace; a row that was kept before is left alone."""
    if stage not in KEPT or not rows:
        return
    held = {
        row.id: row for row in read_partition(context.store, TABLE, context.collection, partition)
    }
    columns = columns_of(TABLE)
    for row in rows:
        name = f"{stage.replace('/', '-')}/{row.id}@{row.digest[:12]}"
        extra = {column: row.extra.get(column) for column in columns}
        held.setdefault(
            name, replace(row, id=name, extra={**extra, "stage": stage, "row_id": row.id})
        )
    write_partition(context.store, TABLE, context.collection, partition, list(held.values()))


def former_cards(context: StageContext) -> list[Row]:
    """The kept rows of cards, each under its card's id again."""
    return [
        replace(row, id=str(row.extra["row_id"]))
        for row in read_table(context.store, TABLE, context.collection)
        if row.extra["stage"] == "cards"
    ]


__all__ = ("KEPT", "TABLE", "former_cards", "keep")
