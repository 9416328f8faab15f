"""What can go wrong between a request and its reply, as the runner tells it apart."""

from lawsmith.chat import RequestKey
from lawsmith.errors import LawsmithError


class ProviderError(LawsmithError, RuntimeError):
    """A provider gave no usable answer.

    Attributes:
        transient: worth another try (429, 5xx, time-out, broken connection).
        maybe_charged: the provider may have worked and billed; the upper bound is counted.
        retry_after: seconds the provider asked to wait, None when it did not say.
    """

    def __init__(
        self,
        problem: str,
        *,
        path: str,
        transient: bool = False,
        maybe_charged: bool = False,
        retry_after: float | None = None,
        fix: str = "",
    ) -> None:
        self.transient = transient
        self.maybe_charged = maybe_charged
        self.retry_after = retry_after
        super().__init__(problem, path=path, fix=fix)


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
