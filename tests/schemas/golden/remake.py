"""Write the digest of golden records anew after a format was changed on purpose.

Edit the fields in `tests/schemas/golden/<record>.json`, then run

    python tests/schemas/golden/remake.py <record> ...

A record that is read by its own class is written back with its digest and schema version.
"""

import importlib
import json
import pkgutil
import sys
from pathlib import Path
from typing import Any

import schemas
from schemas.record import Record, record_name

FOLDER = Path(__file__).resolve().parent


def record_classes() -> dict[str, type[Record]]:
    """Name -> class of every record in `schemas`, without classes that only others extend."""
    for module in pkgutil.iter_modules(schemas.__path__):
        importlib.import_module(f"schemas.{module.name}")
    kinds = [kind for kind in Record.__subclasses__() if kind.__module__.startswith("schemas.")]
    leaves = [leaf for kind in kinds for leaf in kind.__subclasses__() or [kind]]
    return {record_name(leaf): leaf for leaf in leaves}


def main() -> None:
    for name in sys.argv[1:]:
        path = FOLDER / f"{name}.json"
        fields: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        fields.pop("digest", None)
        fields.pop("schema_version", None)
        record = record_classes()[name].model_validate_json(json.dumps(fields))
        text = json.dumps(json.loads(record.to_json()), indent=2, ensure_ascii=False)
        path.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
