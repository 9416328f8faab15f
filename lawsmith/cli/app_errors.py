"""What commands raise to end with a code of their own."""

from lawsmith.errors import LawsmithError


class FaultFoundError(LawsmithError):
    """A check that a person asked for found a fault; the command has shown it already."""
