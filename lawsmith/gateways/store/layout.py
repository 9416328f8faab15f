"""Where everything of a store lies, and which columns each stage table has."""

import difflib
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Self

from lawsmith.errors import InputError, PrerequisiteError

ColumnType = Literal["text", "integer", "number", "flag"]

_FOLDERS = ("dagster", "packets", "tables", "releases", "exports", "evaluations", "keys")
_FOLDERS_OF_RUNS = ("locks", "runs")
_PARTITION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]*")
_COLLECTION = re.compile(r"[a-z][a-z-]*")

_COLUMNS: dict[str, dict[str, ColumnType]] = {
    "sources": {
        "version": "integer",
        "source": "text",
        "title": "text",
        "published": "text",
        "licence": "text",
        "doi": "text",
        "withdrawn": "flag",
        "synthetic": "flag",
    },
    "publications": {
        "version": "integer",
        "published": "text",
        "journal_online": "text",
        "journal_print": "text",
        "provenance": "text",
        "retracted": "flag",
    },
    "packets": {
        "version": "integer",
        "kind": "text",
        "extractor": "text",
        "lines": "integer",
        "text_sha256": "text",
        "triage_score": "number",
    },
    "cards": {
        "version": "integer",
        "packet_id": "text",
        "title": "text",
        "readouts": "text",
        "extractor": "text",
        "revision": "integer",
        "replayed": "flag",
        "reasons": "text",
        "draft": "text",
    },
    "reviews/card": {
        "version": "integer",
        "card_id": "text",
        "reviewer": "text",
        "decision": "text",
        "revision": "integer",
        "replayed": "flag",
        "dissent": "text",
        "card": "text",
        "draft": "text",
    },
    "reviews/case": {
        "version": "integer",
        "card_id": "text",
        "family_id": "text",
        "reviewer": "text",
        "decision": "text",
        "revision": "integer",
        "replayed": "flag",
    },
    "families": {
        "version": "integer",
        "card_id": "text",
        "title": "text",
        "moves": "text",
        "stratum": "text",
        "readouts": "integer",
        "controls": "integer",
    },
    "problems": {
        "title": "text",
        "field": "text",
        "rows": "integer",
        "controls": "integer",
        "groups": "integer",
        "laws": "integer",
        "split": "text",
        "metric": "text",
        "licence": "text",
        "best_law": "text",
        "held_out_r2": "number",
        "reasons": "text",
    },
    "calibrated": {
        "parallel_task": "text",
        "real_task": "text",
        "base_law": "text",
        "law": "text",
        "moves": "text",
        "noise_factor": "number",
        "groups": "integer",
        "reasons": "text",
    },
    "worlds": {"family_id": "text", "environment": "text"},
    "tasks": {
        "release_id": "text",
        "family_id": "text",
        "setting": "text",
        "environment": "text",
        "sealed": "text",
    },
    "releases": {
        "release_id": "text",
        "version": "text",
        "content_digest": "text",
        "families": "integer",
        "tasks": "integer",
        "cutoff": "text",
        "until": "text",
    },
    "exports": {"release_id": "text", "path": "text", "content_digest": "text", "files": "integer"},
    "evaluations": {
        "release_id": "text",
        "task_id": "text",
        "family_id": "text",
        "player": "text",
        "protocol": "text",
        "setting": "text",
        "environment": "text",
        "budget": "integer",
        "repeat": "integer",
        "s": "number",
        "weak": "flag",
        "form": "text",
        "strict": "text",
        "strict_attainable": "flag",
    },
    "superseded": {
        "stage": "text",
        "row_id": "text",
        "version": "integer",
        "title": "text",
        "extractor": "text",
        "replayed": "flag",
        "reasons": "text",
        "draft": "text",
        "card": "text",
    },
    "cuts": {"release_id": "text", "cutoff": "text", "until": "text"},
    "dispositions": {
        "subject_kind": "text",
        "stage": "text",
        "digest_judged": "text",
        "release_id": "text",
        "version": "integer",
        "sentence": "text",
        "retryable": "flag",
        "attempts": "integer",
        "at": "text",
    },
}

TABLES: dict[str, dict[str, ColumnType]] = {
    table: {"subject_id": "text", **columns} for table, columns in _COLUMNS.items()
}
"""Table -> the columns that people filter by; all else grows inside `record`.

`subject_id` is what the stage judged to make the row: a card's packet, a family's card.
"""


@dataclass(frozen=True)
class Store:
    """The paths of one state root, LAWSMITH_HOME (design.md, section 3).

    Attributes:
        home: the root, absolute.
    """

    home: Path

    def __post_init__(self) -> None:
        object.__setattr__(self, "home", self.home.expanduser().absolute())

    @classmethod
    def open(cls, home: Path) -> Self:
        """The store at `home`, its folders made where they are missing.

        Raises:
            PrerequisiteError: the folders cannot be made or written.
        """
        store = cls(home)
        try:
            for name in (*_FOLDERS, *_FOLDERS_OF_RUNS):
                (store.home / name).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _unwritable(store.home, error.strerror or str(error)) from error
        for folder in (store.home, store.tables, store.locks):
            if not os.access(folder, os.W_OK | os.X_OK):
                raise _unwritable(folder, "no permission to write")
        return store

    @property
    def dagster(self) -> Path:
        """Dagster's own storage."""
        return self.home / "dagster"

    @property
    def packets(self) -> Path:
        """Source files of papers, one folder a paper version."""
        return self.home / "packets"

    @property
    def tables(self) -> Path:
        """Stage tables: `<table>/<collection>/<partition>.parquet`."""
        return self.home / "tables"

    @property
    def releases(self) -> Path:
        """Releases, one read-only folder each."""
        return self.home / "releases"

    @property
    def exports(self) -> Path:
        """Copies of releases made for others."""
        return self.home / "exports"

    @property
    def evaluations(self) -> Path:
        """Episodes, scores and reports."""
        return self.home / "evaluations"

    @property
    def keys(self) -> Path:
        """Private collection keys, mode 600."""
        return self.home / "keys"

    @property
    def locks(self) -> Path:
        """Lock files and who holds them."""
        return self.home / "locks"

    @property
    def runs(self) -> Path:
        """JSON-lines logs, one file a run."""
        return self.home / "runs"

    @property
    def ledger(self) -> Path:
        """The ledger of model calls."""
        return self.home / "ledger.sqlite"

    @property
    def catalogue(self) -> Path:
        """The DuckDB file of views."""
        return self.home / "lawsmith.duckdb"

    @property
    def overrides(self) -> Path:
        """Human decisions."""
        return self.home / "overrides.toml"


def columns_of(table: str) -> dict[str, ColumnType]:
    """The filter columns of a stage table.

    Raises:
        InputError: no such table.
    """
    if table not in TABLES:
        near = difflib.get_close_matches(table, TABLES, n=2)
        raise InputError(
            f"no stage table is named {table!r}",
            fix=f"did you mean {' or '.join(near)}?" if near else f"use one of {sorted(TABLES)}",
        )
    return TABLES[table]


def partition_file(store: Store, table: str, collection: str, partition: str) -> Path:
    """The Parquet file of one partition.

    Raises:
        InputError: an unknown table, or a name that could leave the folder.
    """
    columns_of(table)
    if not _PARTITION.fullmatch(partition):
        raise InputError(f"partition {partition!r} is not made of letters, digits and . _ @ -")
    return collection_folder(store, table, collection) / f"{partition}.parquet"


def collection_folder(store: Store, table: str, collection: str) -> Path:
    """The folder that holds the partitions of one table and collection.

    Raises:
        InputError: an unknown table, or a collection name that could leave the folder.
    """
    columns_of(table)
    if not _COLLECTION.fullmatch(collection):
        raise InputError(f"collection {collection!r} is not made of small letters and '-'")
    return store.tables / table / collection


def _unwritable(folder: Path, why: str) -> PrerequisiteError:
    return PrerequisiteError(
        f"the store cannot be written: {why}",
        path=str(folder),
        fix="set LAWSMITH_HOME to a folder that you may write",
    )


__all__ = ("TABLES", "ColumnType", "Store", "collection_folder", "columns_of", "partition_file")
