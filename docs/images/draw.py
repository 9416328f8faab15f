"""Draws the pictures of README.md from the store in LAWSMITH_HOME: `python docs/images/draw.py`."""

from pathlib import Path

from lawsmith.inspection import pictures
from lawsmith.runs.opening import open_context
from lawsmith.stages.families import HISTORICAL_PARTITION

FOLDER = Path(__file__).resolve().parent


def main() -> None:
    """Write funnel.png of the sample and families.png of the Historical families."""
    drawn = {
        "funnel.png": pictures.funnel(open_context(source="sample")),
        "families.png": pictures.families(
            open_context(collection="historical-dev"), [HISTORICAL_PARTITION]
        ),
    }
    for name, data in drawn.items():
        if data is None:
            raise SystemExit(f"{name}: nothing to draw; run `make refresh` first")
        (FOLDER / name).write_bytes(data)


if __name__ == "__main__":
    main()
