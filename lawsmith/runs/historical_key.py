"""The Historical collection's key: the public dev key, or one of the curator's own."""

from pathlib import Path
from typing import Literal

from lawsmith.errors import PrerequisiteError
from lawsmith.keyed_draws import parse_key
from lawsmith.runs.context import StageContext


def prepare_key(
    context: StageContext, key_file: Path | None
) -> Literal["historical", "historical-dev"]:
    """The collection to build: `historical` under the given key, else `historical-dev`.

    Raises:
        InputError: the file holds no key.
        PrerequisiteError: no such file, or the store has another key for the collection.
    """
    if key_file is None:
        return "historical-dev"
    if not key_file.is_file():
        raise PrerequisiteError("no such key file", path=str(key_file))
    text = key_file.read_text(encoding="ascii")
    parse_key(text)
    held = context.store.keys / "historical"
    if held.exists() and held.read_text(encoding="ascii").strip() != text.strip():
        raise PrerequisiteError(
            "this store has another key for the collection historical",
            path=str(held),
            fix="use that key, or another LAWSMITH_HOME; one collection has one key for ever",
        )
    if not held.exists():
        held.touch(mode=0o600)
        held.write_text(text.strip() + "\n", encoding="ascii")
    return "historical"
