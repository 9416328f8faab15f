"""The error of a card that gives no family; its reason code is what a disposition stores."""

from lawsmith.errors import InputError
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


__all__ = ("ForgeError",)
