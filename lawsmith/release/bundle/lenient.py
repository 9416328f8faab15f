"""Reading a release that may be damaged: every fault is noted and reading goes on."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from lawsmith.release.tables import TABLE_PATHS, row_path
from schemas.record import CANARY, Record, canonical_json, strict_json
from schemas.release import Fault

RecordT = TypeVar("RecordT", bound=Record)
ValueT = TypeVar("ValueT")


@dataclass
class LenientReader:
    """Reads the files of one release folder and keeps the faults it meets."""

    root: Path
    faults: list[Fault] = field(default_factory=list)

    def whole(self, path: str, parse: Callable[[str], ValueT]) -> ValueT | None:
        """The value of one file, or None with a fault."""
        try:
            return parse((self.root / path).read_bytes().decode("utf-8"))
        except (OSError, ValueError) as error:
            self.faults.append(Fault(path=path, what=f"does not read: {_short(error)}"))
            return None

    def rows(self, table: str) -> list[tuple[int, dict[str, Any]]]:
        """Line number and data of every row; rows that are not canonical are faults."""
        path = TABLE_PATHS[table]
        text = self.whole(path, str)
        if text is None:
            return []
        if text and not text.endswith("\n"):
            self.faults.append(Fault(path=path, what="the last line is cut off"))
        found: list[tuple[int, dict[str, Any]]] = []
        for number, line in enumerate(text.split("\n"), start=1):
            where = f"{path}:{number}"
            if not line:
                continue
            try:
                data = strict_json(line)
            except ValueError as error:
                self.faults.append(Fault(path=where, what=f"does not read: {_short(error)}"))
                continue
            if not isinstance(data, dict):
                self.faults.append(Fault(path=where, what="is no object"))
                continue
            if canonical_json(data) != line:
                self.faults.append(Fault(path=where, what="is not canonical JSON"))
            if data.get("canary") != CANARY:
                self.faults.append(Fault(path=f"{where}/canary", what="is not the canary"))
            found.append((number, data))
        return found

    def records(self, table: str, kind: Callable[[dict[str, Any]], type[RecordT]]) -> list[RecordT]:
        """The records of a table; one whose digest does not fit is a fault and still read."""
        found: list[RecordT] = []
        for number, row in self.rows(table):
            data = dict(row)
            chosen = kind(data)
            digest, version = data.pop("digest", None), data.pop("schema_version", None)
            if "canary" not in chosen.model_fields:
                data.pop("canary", None)
            where = f"{TABLE_PATHS[table]}:{number}"
            try:
                record = chosen.model_validate_json(canonical_json(data))
            except ValueError as error:
                self.faults.append(Fault(path=where, what=f"does not read: {_short(error)}"))
                continue
            where = row_path(table, record.id)
            if version != chosen.schema_version:
                self.faults.append(Fault(path=f"{where}/schema_version", what=f"is {version!r}"))
            if digest != record.digest:
                self.faults.append(
                    Fault(path=where, what=f"digest {digest!r} is not that of its content")
                )
            found.append(record)
        self._check_order(table, [record.id for record in found])
        return found

    def _check_order(self, table: str, ids: list[str]) -> None:
        if ids != sorted(ids) or len(set(ids)) != len(ids):
            self.faults.append(
                Fault(path=TABLE_PATHS[table], what="rows are not in the order of distinct ids")
            )


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:300]


__all__ = ("LenientReader",)
