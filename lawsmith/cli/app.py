"""The Typer application, its exit codes, and how errors are shown."""

import sys
from typing import NoReturn

import click
import typer

from lawsmith.cli import console
from lawsmith.cli.app_errors import FaultFoundError
from lawsmith.errors import IntegrityError, LawsmithError

DONE = 0
FAILED = 1
"""The thing asked for failed; the message says what to do."""
USAGE = 2
FAULT = 3
"""A check found a fault in the data."""

app = typer.Typer(
    name="lawsmith",
    help="Papers of a date window in, certified law-discovery tasks out.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def main() -> NoReturn:
    """Run the command line and exit with its code.

    0 done, 1 the thing asked for failed, 2 wrong usage, 3 a check found a fault in the data.
    """
    from lawsmith.cli import inspection, models, playing, refreshing, releases

    for room in (refreshing, releases, playing, inspection, models):
        room.register(app)
    try:
        code = app(standalone_mode=False)
    except (FaultFoundError, IntegrityError) as error:
        console.complain(str(error))
        sys.exit(FAULT)
    except LawsmithError as error:
        console.complain(str(error))
        sys.exit(FAILED)
    except click.UsageError as error:
        error.show()
        sys.exit(USAGE)
    except click.exceptions.Exit as error:
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        console.complain("stopped; what was done is stored; run the same command to resume")
        sys.exit(FAILED)
    sys.exit(code if isinstance(code, int) else DONE)
