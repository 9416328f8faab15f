"""Why a file gives no packet."""

from lawsmith.errors import InputError
from schemas.source import ReasonCode


class PacketError(InputError):
    """A file gives no usable text.

    Attributes:
        reason_code: which of the reasons it is.
    """

    def __init__(self, reason_code: ReasonCode, problem: str, *, path: str, fix: str = "") -> None:
        self.reason_code = reason_code
        super().__init__(problem, path=path, fix=fix)


__all__ = ("PacketError",)
