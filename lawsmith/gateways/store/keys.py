"""Collection keys: committed and public for samples, private and made once for the rest."""

import os
import secrets
from pathlib import Path
from typing import get_args

from lawsmith.errors import InputError, IntegrityError, PrerequisiteError
from lawsmith.gateways.store.irreplaceable import check_not_lost, mark_of, remember
from lawsmith.gateways.store.layout import Store
from lawsmith.gateways.store.tables import sync_folder
from lawsmith.keyed_draws import KEY_BYTES, parse_key
from schemas.source import Collection

PUBLIC_COLLECTIONS = ("temporal-sample", "historical-dev")
"""Their keys are committed: everybody can rebuild their releases byte for byte."""

_KEYED = ("families", "worlds", "tasks", "releases")
"""Tables whose rows were drawn with the key."""


def collection_key(store: Store, collection: str, data_root: Path) -> bytes:
    """The 32 bytes that every keyed id and draw of a collection comes from.

    Args:
        store: the store; a private key is read from, or once made in, its `keys/`.
        collection: one of the four collections.
        data_root: the folder of committed data, with `keys/` of the public collections.

    Raises:
        InputError: an unknown collection.
        IntegrityError: the key is damaged, or it is gone though something was made with it.
        PrerequisiteError: a committed key is missing, or the store cannot be written.
    """
    if collection not in get_args(Collection):
        raise InputError(f"collection {collection!r} is not one of {get_args(Collection)}")
    if collection in PUBLIC_COLLECTIONS:
        return _committed_key(data_root / "keys" / collection)
    path = store.keys / collection
    if not path.exists():
        _refuse_second_key(store, collection)
        _make_key(path)
    remember(store.home, path)
    try:
        return parse_key(path.read_text(encoding="ascii", errors="replace"))
    except InputError as error:
        raise IntegrityError(
            f"not a key: {error.problem}",
            path=str(path),
            fix="restore it from a backup; another key makes other tasks",
        ) from error


def _committed_key(path: Path) -> bytes:
    if not path.is_file():
        raise PrerequisiteError(
            "the committed key of this collection is missing",
            path=str(path),
            fix="restore it from the repository",
        )
    return parse_key(path.read_text(encoding="ascii", errors="replace"))


def _refuse_second_key(store: Store, collection: str) -> None:
    path = store.keys / collection
    made = sorted(store.releases.glob(f"{collection}-*"))
    made = [item for item in made if not item.name.endswith(("-sample", "-dev"))]
    tables = (store.tables / name / collection for name in _KEYED)
    made += sorted(item for folder in tables for item in folder.glob("*.parquet"))
    if made:
        raise IntegrityError(
            f"the key is gone but {made[0].name} was made with it; only a backup restores it,"
            " and a new key makes other tasks",
            path=str(path),
            fix="restore it from a backup",
        )
    anew = f"if nothing was made with it, delete {mark_of(store.home, path)}"
    check_not_lost(store.home, path, "the collection key", anew)


def _make_key(path: Path) -> None:
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="ascii") as out:
            out.write(secrets.token_hex(KEY_BYTES) + "\n")
            out.flush()
            os.fsync(out.fileno())
        _link_once(temporary, path)
        sync_folder(path.parent)
    except OSError as error:
        raise PrerequisiteError(
            f"the collection key cannot be made: {error.strerror or error}",
            path=str(path),
            fix="set LAWSMITH_HOME to a folder that you may write",
        ) from error
    finally:
        temporary.unlink(missing_ok=True)


def _link_once(temporary: Path, path: Path) -> None:
    """Publish the key unless another process did so first; its key is then the key."""
    try:
        path.hardlink_to(temporary)
    except FileExistsError:
        if not path.is_file():
            raise IntegrityError("a collection key is a file", path=str(path)) from None


__all__ = ("PUBLIC_COLLECTIONS", "collection_key")
