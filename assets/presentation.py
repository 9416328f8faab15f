"""What people see of a stage in the UI: counts, a preview table, a picture."""

import base64
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import dagster as dg

from lawsmith.gateways.store import Store, rebuild_catalogue
from lawsmith.inspection import markdown_text
from lawsmith.runs import Looked, StageReport

OWNERS = ["team:lawsmith"]


def materialized(
    report: StageReport,
    picture: bytes | None = None,
    shown: Mapping[str, str] = MappingProxyType({}),
) -> dg.MaterializeResult[None]:
    """The result of an asset: its report as metadata, a PNG and further Markdown if given."""
    metadata: dict[str, dg.MetadataValue | float | int | str] = {
        "dagster/row_count": report.rows,
        "new": report.new,
        "unchanged": report.unchanged,
        "outcomes": dg.MetadataValue.md(_table(("outcome", "count"), _pairs(report.outcomes))),
        "preview": dg.MetadataValue.md(_table(report.columns, report.preview)),
    }
    metadata |= report.figures
    if report.notes:
        metadata["notes"] = dg.MetadataValue.md(
            "\n".join(f"- {_cell(note)}" for note in report.notes)
        )
    if picture is not None:
        data = base64.b64encode(picture).decode("ascii")
        metadata["picture"] = dg.MetadataValue.md(
            f"![{report.stage}](data:image/png;base64,{data})"
        )
    metadata |= {name: dg.MetadataValue.md(text) for name, text in shown.items()}
    return dg.MaterializeResult(metadata=metadata)


def last_of_run(
    store: Store, report: StageReport, picture: bytes | None = None
) -> dg.MaterializeResult[None]:
    """As `materialized`, for an asset with which a run ends: the catalogue shows its rows."""
    rebuild_catalogue(store, wait=60.0)
    return materialized(report, picture)


def checked(looked: Looked) -> dg.AssetCheckResult:
    """The result of a check: passed without faults, else the first twenty of them."""
    rows = [(fault.path, fault.what) for fault in looked.faults[:20]]
    return dg.AssetCheckResult(
        passed=not looked.faults,
        metadata={
            "rows looked at": looked.rows,
            "faults": len(looked.faults),
            "first faults": dg.MetadataValue.md(_table(("where", "what"), rows)),
        },
    )


def _pairs(counts: dict[str, int]) -> list[tuple[str, ...]]:
    return [(name, str(count)) for name, count in counts.items()]


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return "none"
    head = f"| {' | '.join(columns)} |\n|{' --- |' * len(columns)}"
    body = "\n".join("| " + " | ".join(_cell(cell) for cell in row) + " |" for row in rows)
    return f"{head}\n{body}"


def _cell(text: str) -> str:
    return markdown_text(text)
