"""Files of a store that only a backup restores: keys, the ledger, decisions of people.

Everything else can be made again. That such a file was there is remembered in the store, so that
a lost one is never taken for one that never was, and nothing is made in its place.
"""

from pathlib import Path

from lawsmith.errors import IntegrityError

_FOLDER = ".irreplaceable"


def remember(home: Path, path: Path) -> None:
    """Note that a file of a store is there now."""
    mark = mark_of(home, path)
    if not mark.exists():
        mark.parent.mkdir(exist_ok=True)
        mark.touch()


def mark_of(home: Path, path: Path) -> Path:
    """The empty file that says that a file was there."""
    return home / _FOLDER / path.relative_to(home).as_posix().replace("/", "__")


def check_not_lost(home: Path, path: Path, what: str, anew: str) -> None:
    """Refuse to go on where a file that was there is gone.

    Args:
        home: the store.
        path: the file.
        what: what it holds, for people.
        anew: what to do if it may be given up.

    Raises:
        IntegrityError: it was there before and is gone.
    """
    if mark_of(home, path).exists() and not path.exists():
        raise IntegrityError(
            f"{what} is gone; only a backup restores it",
            path=str(path),
            fix=f"restore it from a backup; {anew}",
        )


__all__ = ("check_not_lost", "mark_of", "remember")
