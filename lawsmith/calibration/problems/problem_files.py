"""Problems as data: reading a problem file, its canonical table, and the checks on load.

The canonical table is what every later step sees: numeric float64 columns, the controls in
declared order and then the readout, rows in file order after the declared filters, and one
label a row where the problem has groups. How files and packages are opened is a gateway's
business; here a table arrives as named arrays.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from lawsmith.errors import InputError, IntegrityError, LawsmithError
from lawsmith.expressions import check_dimensions, check_scales, parse_infix
from lawsmith.units import convert, convert_scale, parse_unit
from schemas.dataset import CanonicalTable, Column, ColumnFacts, Filter, GroupFacts
from schemas.expression import Expression, to_wire
from schemas.problem import Constant, Problem, ReferenceLaw
from schemas.record import canonical_json, strict_json

MIN_GROUP_ROWS: Final = 8
"""Groups with fewer usable rows are dropped (science.md, section 6)."""
FORM: Final = "lawsmith/table/1\n"

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class RawTable:
    """A table as its file or package holds it: one array a column, numbers or text."""

    source: str
    """The file or package, for messages."""
    columns: Mapping[str, NDArray[Any]]


@dataclass(frozen=True, eq=False)
class ProblemTable:
    """A canonical table."""

    source: str
    names: tuple[str, ...]
    """Controls in declared order, then the readout."""
    inputs: Floats
    """Shape (rows, controls), in the controls' units."""
    target: Floats
    """Shape (rows,), in the readout's unit."""
    groups: tuple[str, ...] | None
    """One label a row; None for a table of one group."""

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self.target)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The groups in order of first appearance; empty for a table of one group."""
        return tuple(dict.fromkeys(self.groups or ()))

    @cached_property
    def codes(self) -> NDArray[np.intp]:
        """The place of each row's label in `labels`; zeros for a table of one group."""
        if self.groups is None:
            return np.zeros(self.rows, dtype=np.intp)
        places = {label: i for i, label in enumerate(self.labels)}
        return np.array([places[label] for label in self.groups], dtype=np.intp)

    def points(self, rows: NDArray[np.intp] | slice = slice(None)) -> dict[str, Floats]:
        """Control name -> values at the given rows, as laws take them."""
        return {name: self.inputs[rows, i] for i, name in enumerate(self.names[:-1])}

    def rows_of(self, label: str) -> NDArray[np.intp]:
        """Indices of a group's rows, ascending; empty for an unknown label."""
        if label not in self.labels:
            return np.zeros(0, dtype=np.intp)
        return np.flatnonzero(self.codes == self.labels.index(label))


def parse_problem(text: str, where: str) -> Problem:
    """The problem of one JSON text; expressions may be written as infix text.

    Args:
        text: a JSON object with the fields of `Problem`.
        where: the file's name, for messages.

    Raises:
        InputError: no strict JSON, a field at fault (named), or an expression that cannot be
            read.
    """
    try:
        data = strict_json(text)
        _read_infix(data, where)
        return Problem.model_validate_json(json.dumps(data))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        path = "/".join(str(part) for part in first["loc"])
        raise InputError(f"{path}: {first['msg']}", path=where) from error
    except LawsmithError:
        raise
    except ValueError as error:
        raise InputError(str(error), path=where) from error


def read_problem(path: Path) -> Problem:
    """The problem of a file; its `id` is the file's stem.

    Raises:
        InputError: the file cannot be read, is no problem, or bears another id.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read: {error}", path=str(path)) from error
    problem = parse_problem(text, str(path))
    if problem.id != path.stem:
        raise InputError(f"id {problem.id!r} differs from the file's name", path=str(path))
    return problem


def source_columns(problem: Problem) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names in the file of the numeric columns, and of the columns kept as text."""
    numeric = [column.source for column in (*problem.controls, problem.readout)]
    text: list[str] = [] if problem.group is None else [problem.group.source]
    for rule in problem.loader.filters:
        if rule.column not in (*numeric, *text):
            (text if isinstance(rule.value, str) else numeric).append(rule.column)
    return tuple(dict.fromkeys(numeric)), tuple(dict.fromkeys(text))


def canonical_table(problem: Problem, raw: RawTable) -> ProblemTable:
    """The canonical table of a problem from a raw one: filters, units, order.

    Raises:
        InputError: a column is absent, a filtered row has no finite number or no label, or a
            number cannot be converted; the message names file, column and row.
    """
    for name in dict.fromkeys((*source_columns(problem)[0], *source_columns(problem)[1])):
        if name not in raw.columns:
            have = ", ".join(sorted(raw.columns)[:12])
            raise InputError(f"no column {name!r}; there are {have}", path=raw.source)
    kept = _kept(problem.loader.filters, raw)
    columns = [_values(column, raw, kept) for column in (*problem.controls, problem.readout)]
    groups = None if problem.group is None else _labels(problem.group.source, raw, kept)
    return ProblemTable(
        raw.source, problem.names, np.column_stack(columns[:-1]), columns[-1], groups
    )


def table_sha256(table: ProblemTable) -> str:
    """sha256 of a canonical table over the bytes that `CanonicalTable` states."""
    groups = None if table.groups is None else list(table.groups)
    head = {"columns": list(table.names), "groups": groups, "rows": table.rows}
    hasher = hashlib.sha256(f"{FORM}{canonical_json(head)}\n".encode())
    for column in (*table.inputs.T, table.target):
        hasher.update((column + 0.0).astype("<f8").tobytes())
    return hasher.hexdigest()


def table_facts(table: ProblemTable) -> CanonicalTable:
    """Rows, ranges, group sizes and sha256 of a canonical table."""
    columns = (*table.inputs.T, table.target)
    sizes = Counter(table.groups or ())
    return CanonicalTable(
        rows=table.rows,
        columns=tuple(
            ColumnFacts(name=name, low=float(values.min()), high=float(values.max()))
            for name, values in zip(table.names, columns, strict=True)
        ),
        groups=tuple(GroupFacts(label=label, rows=sizes[label]) for label in table.labels),
        sha256=table_sha256(table),
    )


def check_table(problem: Problem, table: ProblemTable) -> None:
    """A loaded table is the one the problem declares: rows, ranges, groups, then sha256.

    Raises:
        IntegrityError: the first difference, with file, field, found and expected value.
    """
    if table.rows == 0:
        raise IntegrityError("no row is left after the filters", path=table.source)
    found, expected = table_facts(table), problem.table
    _same(table.source, "rows", found.rows, expected.rows)
    for have, want in zip(found.columns, expected.columns, strict=True):
        _same(table.source, f"columns/{want.name}/low", have.low, want.low)
        _same(table.source, f"columns/{want.name}/high", have.high, want.high)
    have_groups = {facts.label: facts.rows for facts in found.groups}
    want_groups = {facts.label: facts.rows for facts in expected.groups}
    for label in sorted({*have_groups, *want_groups}):
        _same(table.source, f"groups/{label}", have_groups.get(label, 0), want_groups.get(label, 0))
    _same(table.source, "sha256", found.sha256, expected.sha256)
    _check_natural(problem, table)


def check_law_units(problem: Problem, law: ReferenceLaw) -> None:
    """A reference law closes in units, at every node: the readout's and those of its constants.

    Raises:
        LawsmithError: an unknown unit, or the first clash with its path.
    """
    check_closes(problem, law.expression, law.constants)


def check_closes(problem: Problem, expression: Expression, constants: Sequence[Constant]) -> None:
    """A law of a problem closes in dimensions and in scales, by the rule that cards are held to.

    Args:
        problem: it has the controls and the readout.
        expression: over the controls and the constants; its numbers are pure.
        constants: with their units.

    Raises:
        LawsmithError: an unknown unit, or the first clash with its path.
    """
    units = {column.name: column.unit for column in problem.controls}
    units |= {constant.name: constant.unit for constant in constants}
    check_dimensions(expression, units, problem.readout.unit)
    facts = {column.name: column for column in problem.table.columns}
    ends = product(*((facts[c.name].low, facts[c.name].high) for c in problem.controls))
    corners = np.array(list(ends), dtype=np.float64)
    inputs = {column.name: corners[:, i] for i, column in enumerate(problem.controls)}
    for constant in constants:
        value = constant.starts[0] if constant.fixed is None else constant.fixed
        inputs[constant.name] = np.full(len(corners), value)
    check_scales(expression, units, problem.readout.unit, inputs)


def usable_groups(table: ProblemTable, least: int = MIN_GROUP_ROWS) -> tuple[tuple[str, ...], ...]:
    """The labels of groups with enough rows, and of those dropped; both in order."""
    sizes = Counter(table.groups or ())
    kept = tuple(label for label in table.labels if sizes[label] >= least)
    return kept, tuple(label for label in table.labels if sizes[label] < least)


def _read_infix(data: Any, where: str) -> None:
    laws = data.get("laws") if isinstance(data, dict) else None
    for index, law in enumerate(laws if isinstance(laws, list) else ()):
        if isinstance(law, dict) and isinstance(law.get("expression"), str):
            try:
                law["expression"] = to_wire(parse_infix(law["expression"]))
            except InputError as error:
                raise InputError(str(error), path=f"{where}: laws/{index}/expression") from error


def _kept(filters: tuple[Filter, ...], raw: RawTable) -> NDArray[np.intp]:
    lengths = {len(values) for values in raw.columns.values()}
    if len(lengths) != 1:
        raise InputError(f"columns have {sorted(lengths)} rows", path=raw.source)
    keep = np.ones(lengths.pop(), dtype=bool)
    for rule in filters:
        keep &= _satisfied(rule, raw.columns[rule.column])
    return np.flatnonzero(keep)


def _satisfied(rule: Filter, values: NDArray[Any]) -> NDArray[np.bool_]:
    if rule.rule == "present":
        return _present(values)
    if rule.rule == "equals":
        return np.asarray(values == rule.value, dtype=bool)
    if rule.rule == "not_equals":
        return np.asarray(values != rule.value, dtype=bool)
    found = values >= rule.value if rule.rule == "at_least" else values <= rule.value
    return np.asarray(found, dtype=bool)


def _present(values: NDArray[Any]) -> NDArray[np.bool_]:
    if values.dtype.kind == "f":
        return np.asarray(np.isfinite(values), dtype=bool)
    return np.array([bool(str(value).strip()) for value in values], dtype=bool)


def _values(column: Column, raw: RawTable, kept: NDArray[np.intp]) -> Floats:
    values = raw.columns[column.source]
    if values.dtype.kind not in "fiu":
        raise InputError(
            f"column {column.source!r} holds {values.dtype}, no numbers", path=raw.source
        )
    numbers = values[kept].astype(np.float64)
    bad = np.flatnonzero(~np.isfinite(numbers))
    if bad.size:
        raise InputError(
            f"column {column.source!r}, data row {int(kept[bad[0]]) + 1}:"
            f" {float(numbers[bad[0]])!r} is no finite number",
            path=raw.source,
            fix="filter such rows with the rule 'present'",
        )
    return _converted(column, numbers) + 0.0


def _converted(column: Column, numbers: Floats) -> Floats:
    if column.unit == column.source_unit:
        return numbers
    source, goal = parse_unit(column.source_unit), parse_unit(column.unit)
    if source.kind == goal.kind == "linear":
        return numbers * convert_scale(column.source_unit, column.unit)
    # `convert` is exact where an offset enters, and takes one number at a time.
    return np.array([convert(float(x), column.source_unit, column.unit) for x in numbers])


def _labels(name: str, raw: RawTable, kept: NDArray[np.intp]) -> tuple[str, ...]:
    labels = tuple(str(value) for value in raw.columns[name][kept])
    for row, label in zip(kept, labels, strict=True):
        if not label or label != label.strip():
            raise InputError(
                f"column {name!r}, data row {int(row) + 1}: {label!r} is no label", path=raw.source
            )
    return labels


def _same(source: str, field: str, found: object, expected: object) -> None:
    if found != expected:
        raise IntegrityError(
            f"found {found!r}, expected {expected!r}",
            path=f"{source}: table/{field}",
            fix="restore the file, or state the new facts in the problem if the change is meant",
        )


def _check_natural(problem: Problem, table: ProblemTable) -> None:
    low, high, target = problem.readout.natural_low, problem.readout.natural_high, table.target
    beyond = (low is not None and float(target.min()) < low) or (
        high is not None and float(target.max()) > high
    )
    if beyond:
        raise IntegrityError(
            f"readout {problem.readout.name!r} spans {float(target.min())!r} to"
            f" {float(target.max())!r}, beyond its natural bounds {low!r} to {high!r}",
            path=table.source,
        )
    columns = zip((*problem.controls, problem.readout), (*table.inputs.T, target), strict=True)
    for column, values in columns:
        if column.integer and bool(np.any(values != np.round(values))):
            raise IntegrityError(
                f"column {column.name!r} is declared integer and is not", path=table.source
            )
