"""What can go wrong between a request and its reply, as the runner tells it apart."""

from lawsmith.chat import RequestKey
from lawsmith.errors import LawsmithError


class ProviderError(LawsmithError, RuntimeError):
    """A provider gave no usable answer.

    Attributes:
        transient: worth another try (429, 5xx, time-out, broken connection).
        maybe_charged: the provider may have worked and billed; the upper bound is counted.
        retry_after: seconds the provider asked to wait, None when it did not say.
        rate_limited: the provider refused for the pace alone (429); nothing is wrong with
            the request.
    """

    def __init__(
        self,
        problem: str,
        *,
        path: str,
        transient: bool = False,
        maybe_charged: bool = False,
        retry_after: float | None = None,
        rate_limited: bool = False,
        fix: str = "",
    ) -> None:
        self.transient = transient
        self.maybe_charged = maybe_charged
        self.retry_after = retry_after
        self.rate_limited = rate_limited
        super().__init__(problem, path=path, fix=fix)

    @property
    def too_fast(self) -> bool:
        """Whether the provider wants fewer calls for a while, from everybody who asks it."""
        return self.transient and (self.rate_limited or self.retry_after is not None)


class ReplyMissingError(LawsmithError, LookupError):
    """A recording holds no reply for a request.

    Attributes:
        key: the request that nobody has answered.
    """

    def __init__(self, key: RequestKey, *, path: str) -> None:
        self.key = key
        super().__init__(
            f"no recorded reply for {key}",
            path=path,
            fix="record it: `lawsmith requests export` writes the open requests, answer them,"
            " `lawsmith requests import` takes the answers",
        )


__all__ = ("ProviderError", "ReplyMissingError")
