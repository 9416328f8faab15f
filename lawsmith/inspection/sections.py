"""What a story is made of: tables with a title, for a terminal, a file or a program."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Section:
    """One table of a story."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]

    def as_data(self) -> dict[str, Any]:
        """The section as JSON data."""
        rows = [dict(zip(self.columns, row, strict=True)) for row in self.rows]
        return {"title": self.title, "rows": rows}


__all__ = ("Section",)
