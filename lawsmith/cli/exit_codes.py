"""What commands raise to end with a code of their own."""

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from lawsmith.errors import InputError, LawsmithError


class FaultFoundError(LawsmithError):
    """A check that a person asked for found a fault; the command has shown it already."""


@contextmanager
def usage(option: str) -> Iterator[None]:
    """Turn a refused value of an option into wrong usage, which exits with 2.

    Raises:
        typer.BadParameter: the block raised an InputError.
    """
    try:
        yield
    except InputError as error:
        raise typer.BadParameter(str(error), param_hint=option) from error
