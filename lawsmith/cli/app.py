"""The Typer application, its exit codes, and how errors are shown."""

import sys
from collections.abc import Sequence
from typing import Annotated, NoReturn

import typer

from lawsmith.cli import console, inspection, playing, refreshing, releases, requests, ui
from lawsmith.cli.exit_codes import FaultFoundError
from lawsmith.errors import IntegrityError, LawsmithError
from schemas.record import StoredRecordError

DONE = 0
FAILED = 1
"""The thing asked for failed; the message says what to do."""
USAGE = 2
FAULT = 3
"""A check found a fault in the data."""

_ANYWHERE = {"-v": "-v", "--verbose": "-v", "-q": "-q", "--quiet": "-q"}


def main() -> NoReturn:
    """Run the command line and exit with its code."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code.

    0 done, 1 the thing asked for failed, 2 wrong usage, 3 a check found a fault in the data.
    What Lawsmith raises on purpose is one message on standard error; anything else is a bug and
    leaves as the exception that it is.
    """
    try:
        code = make_app()(args=prepared(arguments), prog_name="lawsmith", standalone_mode=False)
    except (FaultFoundError, IntegrityError) as error:
        console.complain(str(error))
        return FAULT
    except StoredRecordError as error:
        console.complain(
            f"{error}; it is damaged, or another version of Lawsmith wrote it: use that version,"
            " or restore the store's tables from a backup"
        )
        return FAULT
    except LawsmithError as error:
        console.complain(str(error))
        return FAILED
    except typer.TyperException as error:
        if show := getattr(error, "show", None):
            show()
        else:
            console.complain(error.format_message())
        return USAGE
    except (KeyboardInterrupt, typer.Abort):
        console.complain("stopped; what was done is stored; run the same command to resume")
        return FAILED
    return code if isinstance(code, int) else DONE


def make_app() -> typer.Typer:
    """The application with all its commands."""
    app = typer.Typer(
        name="lawsmith",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
    )
    app.callback()(_globals)
    for room in (refreshing, releases, playing, inspection, requests, ui):
        room.register(app)
    return app


def prepared(arguments: Sequence[str]) -> list[str]:
    """The arguments as Typer takes them.

    `-v` and `-q` may stand anywhere and go to the front; a bare `--certificates` means all.
    """
    first: list[str] = []
    rest: list[str] = []
    for n, argument in enumerate(arguments):
        if argument == "--":
            rest.extend(arguments[n:])
            break
        if argument in _ANYWHERE:
            first.append(_ANYWHERE[argument])
        elif argument == "--certificates":
            rest.append("--certificates=all")
        else:
            rest.append(argument)
    return [*first, *rest]


def _globals(
    verbose: Annotated[
        bool, typer.Option("-v", "--verbose", help="One line a paper, on standard error.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("-q", "--quiet", help="Only errors, and JSON where asked.")
    ] = False,
) -> None:
    """Papers of a date window in, certified law-discovery tasks out."""
    if verbose and quiet:
        raise typer.BadParameter("-v and -q exclude each other")
    console.Volume.level = 0 if quiet else 2 if verbose else 1
