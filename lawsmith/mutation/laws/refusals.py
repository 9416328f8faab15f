"""The error of a card that gives no family; its reason code is what a disposition stores."""

from typing import Final

from lawsmith.errors import (
    CoherenceError,
    DimensionError,
    InputError,
    UndefinedValueError,
    UnitError,
)
from lawsmith.measurement import DesignError
from schemas.family import RejectedCandidate
from schemas.source import ReasonCode


class ForgeError(InputError):
    """No family can be forged from a card.

    Attributes:
        reason_code: why, as it stands in a disposition.
        rejected: the candidates that were tried.
    """

    def __init__(
        self,
        problem: str,
        *,
        reason_code: ReasonCode,
        path: str = "",
        fix: str = "",
        rejected: tuple[RejectedCandidate, ...] = (),
    ) -> None:
        self.reason_code = reason_code
        self.rejected = rejected
        super().__init__(problem, path=path, fix=fix)


CARD_FAULTS: Final = (ArithmeticError, LookupError, RecursionError, ValueError)
"""What a card can cause: an `InputError` is a ValueError, an undefined value an ArithmeticError.
A name that nothing declares is a LookupError, a number beyond float64 an OverflowError."""
_CODES: Final[tuple[tuple[type[Exception], ReasonCode], ...]] = (
    (UnitError, ReasonCode.UNKNOWN_UNIT),
    (DimensionError, ReasonCode.DIMENSION_MISMATCH),
    (CoherenceError, ReasonCode.UNIT_INCOHERENT),
    (UndefinedValueError, ReasonCode.UNDEFINED_ON_DOMAIN),
    (ArithmeticError, ReasonCode.UNDEFINED_ON_DOMAIN),
)


def refusal_of(error: Exception) -> tuple[ReasonCode, str]:
    """(reason code, sentence) of a card that caused one of `CARD_FAULTS`."""
    if isinstance(error, DesignError | ForgeError):
        return error.reason_code, str(error)
    code = next((c for kind, c in _CODES if isinstance(error, kind)), ReasonCode.NOT_EXECUTABLE)
    if isinstance(error, InputError | UndefinedValueError):
        return code, str(error)
    return code, f"the card cannot be executed: {type(error).__name__}: {error}"


__all__ = ("CARD_FAULTS", "ForgeError", "refusal_of")
