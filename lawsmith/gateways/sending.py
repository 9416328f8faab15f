"""One request to a live model: reserved, sent, stored, and tried again by one owner."""

from collections.abc import Callable
from dataclasses import dataclass
from threading import Condition, Event

from lawsmith.chat import Deferred, Failed, Reply, Request
from lawsmith.errors import PrerequisiteError
from lawsmith.gateways.faults import ProviderError
from lawsmith.gateways.ledger import Ledger, Ticket
from lawsmith.gateways.ledger_limits import Wait
from lawsmith.gateways.limits import RateLimits, RunCaps
from lawsmith.gateways.roster import Route


@dataclass(frozen=True)
class RetryPolicy:
    """How often and how soon a request is tried again; times in seconds."""

    attempts: int = 5
    first_wait: float = 1.0
    """Doubled at each further try; up to half as much again is added, drawn from the digest."""
    longest_wait: float = 60.0
    longest_retry_after: float = 600.0
    """A provider that asks for a longer pause than this ends the tries."""


class Sender:
    """Sends requests of one run, from many threads, within its caps and pace.

    Attributes:
        sent: how many calls went out.
    """

    def __init__(
        self,
        ledger: Ledger,
        caps: RunCaps,
        limits: RateLimits,
        retries: RetryPolicy,
        *,
        clock: Callable[[], float],
        sleep: Callable[[float], object],
        stop: Event,
    ) -> None:
        self.sent = 0
        self._ledger = ledger
        self._caps = caps
        self._limits = limits
        self._retries = retries
        self._clock = clock
        self._sleep = sleep
        self._stop = stop
        self._abandoned = False
        self._in_flight = 0
        self._places = 0
        self._waiting: set[int] = set()
        self._paused_until: dict[str, float] = {}
        self._settled = Condition()

    def take_place(self) -> int:
        """A place in the queue: under a cap the budget goes to requests in this order."""
        with self._settled:
            self._places += 1
            self._waiting.add(self._places)
            return self._places

    def send(self, request: Request, route: Route, place: int) -> Reply | Deferred | Failed:
        """The stored reply, or why there is none; every place taken must be sent.

        Raises:
            PrerequisiteError: the set-up is at fault, so that no request of the model can work.
        """
        # tenacity comes with the `model` extra, which a run over recordings does without.
        from tenacity import RetryCallState, Retrying, retry_if_exception, stop_after_attempt

        def wait(state: RetryCallState) -> float:
            outcome = state.outcome
            error = None if outcome is None else outcome.exception()
            asked = error.retry_after if isinstance(error, ProviderError) else None
            return self._pause(request, route, state.attempt_number, asked)

        def rest(seconds: float) -> None:
            self._sleep(seconds)

        tries = Retrying(
            retry=retry_if_exception(self._worth_another_try),
            stop=stop_after_attempt(self._retries.attempts),
            wait=wait,
            sleep=rest,
            reraise=True,
        )
        try:
            return tries(self._try_once, request, route, place)
        except ProviderError as error:
            if error.transient and self.halted:
                return _interrupted(request)
            return Failed(
                reason="model_failed",
                sentence=str(error),
                open_request=request.key,
                retryable=error.transient,
            )

    def abandon(self) -> None:
        """Send nothing more; calls in flight are still stored."""
        with self._settled:
            self._abandoned = True
            self._settled.notify_all()

    @property
    def halted(self) -> bool:
        """Whether nothing more may be sent."""
        return self._stop.is_set() or self._abandoned

    def _worth_another_try(self, error: BaseException) -> bool:
        return (
            isinstance(error, ProviderError)
            and error.transient
            and not self.halted
            and (error.retry_after or 0.0) <= self._retries.longest_retry_after
        )

    def _pause(self, request: Request, route: Route, tries: int, asked: float | None) -> float:
        doubled = min(
            self._retries.first_wait * 2.0 ** (tries - 1), self._retries.longest_wait / 1.5
        )
        # The digest spreads requests that failed together, and the same run waits the same.
        spread = int(request.digest(route.model)[:8], 16) / 2**32
        return max(doubled * (1.0 + spread / 2.0), asked or 0.0)

    def _try_once(self, request: Request, route: Route, place: int) -> Reply | Deferred:
        ticket = self._reserve(request, route, place)
        if isinstance(ticket, Deferred):
            return ticket
        began = self._clock()
        try:
            reply = route.answerer.answer([request])[0]
        except BaseException as error:
            if isinstance(error, ProviderError):
                self._heed_pause(route.model, error.retry_after)
            charged = not isinstance(error, PrerequisiteError) and (
                not isinstance(error, ProviderError) or error.maybe_charged
            )
            self._ledger.fail(
                ticket, str(error), latency=self._clock() - began, maybe_charged=charged
            )
            raise
        else:
            self._ledger.finish(ticket, reply, latency=self._clock() - began)
            return reply
        finally:
            with self._settled:
                self._in_flight -= 1
                self._settled.notify_all()

    def _heed_pause(self, model: str, seconds: float | None) -> None:
        """A provider that asks for a pause means every call of the model, not this one."""
        if seconds is not None and seconds <= self._retries.longest_retry_after:
            until = self._clock() + seconds
            with self._settled:
                self._paused_until[model] = max(until, self._paused_until.get(model, until))

    def _reserve(self, request: Request, route: Route, place: int) -> Ticket | Deferred:
        """The right to send, given in the order of the places."""
        with self._settled:
            self._waiting.add(place)
        try:
            while True:
                got = self._try_to_reserve(request, route, place)
                if isinstance(got, Ticket | Deferred):
                    return got
                self._sleep(got.seconds)
        finally:
            with self._settled:
                self._waiting.discard(place)
                self._settled.notify_all()

    def _try_to_reserve(
        self, request: Request, route: Route, place: int
    ) -> Ticket | Deferred | Wait:
        with self._settled:
            while True:
                if self.halted:
                    return _interrupted(request)
                if min(self._waiting) != place:
                    self._settled.wait()
                    continue
                pause = self._paused_until.get(route.model, 0.0) - self._clock()
                if pause > 0.0:
                    return Wait(pause)
                got = self._ledger.begin(
                    request, route.model, route.bound(request), self._caps, self._limits
                )
                if isinstance(got, Wait):
                    return got
                if isinstance(got, Ticket):
                    self._in_flight += 1
                    self.sent += 1
                    return got
                if self._in_flight == 0:
                    return Deferred("over_budget", got.sentence, request.key)
                # A call that settles below its bound may yet make room.
                self._settled.wait()


def _interrupted(request: Request) -> Deferred:
    return Deferred(
        "interrupted", "the run was stopped; run the same command again to resume", request.key
    )


__all__ = ("RetryPolicy", "Sender")
