"""Why a file gives no packet."""

from lawsmith.errors import InputError
from schemas.source import ReasonCode

_PASSING = frozenset(
    {
        ReasonCode.EXTRACTION_TIMEOUT,
        ReasonCode.FILE_MISSING,
        ReasonCode.FILE_CHANGED,
        ReasonCode.READER_UNAVAILABLE,
        ReasonCode.UNEXPECTED_ERROR,
    }
)


class PacketError(InputError):
    """A file gives no usable text.

    Attributes:
        reason_code: which of the reasons it is.
        passing: whether it may be the machine's fault and not the file's, so that the file is
            tried again.
    """

    def __init__(
        self,
        reason_code: ReasonCode,
        problem: str,
        *,
        path: str,
        fix: str = "",
        passing: bool = False,
    ) -> None:
        self.reason_code = reason_code
        self.passing = passing or reason_code in _PASSING
        super().__init__(problem, path=path, fix=fix)


__all__ = ("PacketError",)
