"""Options and arguments that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

from lawsmith.errors import PrerequisiteError

Config = Annotated[Path | None, typer.Option("--config", help="A file like lawsmith.toml.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]
ReleaseName = Annotated[str, typer.Argument(help="A release folder, or its id in this store.")]


def find_release(name: str) -> Path:
    """The folder of a release: a path, or an id in this store.

    Raises:
        PrerequisiteError: neither.
    """
    if Path(name).is_dir():
        return Path(name)
    from lawsmith.runs import configure

    releases = configure().settings.home / "releases"
    if (releases / name).is_dir():
        return releases / name
    known = sorted(path.name for path in releases.glob("*-*")) if releases.is_dir() else []
    raise PrerequisiteError(
        f"no release {name!r}",
        fix=f"give a folder, or one of {', '.join(known)}"
        if known
        else "give a folder; this store has no release yet",
    )
