"""One request to a live model: reserved, sent, stored, and tried again by one owner."""

from collections import defaultdict
from collections.abc import Callable
from threading import Condition, Event

from lawsmith.chat import Deferred, Failed, Reply, Request
from lawsmith.errors import PrerequisiteError
from lawsmith.gateways.models.ledger import Ledger, Ticket
from lawsmith.gateways.models.ledger_limits import CapReached, Wait
from lawsmith.gateways.models.limits import RateLimits, RunCaps
from lawsmith.gateways.models.model_queue import Lane, RetryPolicy
from lawsmith.gateways.models.model_routes import Route
from lawsmith.gateways.models.provider_errors import ProviderError


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
        self._lanes: dict[str, Lane] = defaultdict(Lane)
        self._settled = Condition()

    def take_place(self, route: Route) -> int:
        """A place in a model's queue: under a cap the budget goes to requests in this order."""
        with self._settled:
            self._places += 1
            self._lanes[route.model].waiting.add(self._places)
            return self._places

    def send(self, request: Request, route: Route, place: int) -> Reply | Deferred | Failed:
        """The stored reply, or why there is none; every place taken must be sent.

        Raises:
            PrerequisiteError: the set-up is at fault, so that no request of the model can work.
        """
        # tenacity comes with the `model` extra, which a run over recordings does without.
        from tenacity import RetryCallState, Retrying, retry_if_exception, stop_after_attempt

        def wait(state: RetryCallState) -> float:
            return self._retries.backoff(state.attempt_number, self._spread(request, route))

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
            return tries(self._try_until_heard, request, route, place)
        except ProviderError as error:
            if error.transient and self.halted:
                return _interrupted(request)
            return _failed(request, str(error), retryable=error.transient)

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
            and not error.too_fast
            and not self.halted
        )

    def _spread(self, request: Request, route: Route) -> float:
        # The digest spreads requests that failed together, and the same run waits the same.
        return int(request.digest(route.model)[:8], 16) / 2**32

    def _try_until_heard(
        self, request: Request, route: Route, place: int
    ) -> Reply | Deferred | Failed:
        """Send again as long as the provider only says that calls come too fast."""
        refusals = 0
        while True:
            try:
                return self._try_once(request, route, place)
            except ProviderError as error:
                refusals += 1
                shut = self._lanes[route.model].closed
                if not error.too_fast or self.halted or refusals >= self._retries.refusals:
                    raise
                if shut:
                    return _failed(request, f"{error} ({shut})", retryable=True)

    def _try_once(self, request: Request, route: Route, place: int) -> Reply | Deferred | Failed:
        ticket = self._reserve(request, route, place)
        if not isinstance(ticket, Ticket):
            return ticket
        began = self._clock()
        try:
            reply = route.answerer.answer([request])[0]
        except BaseException as error:
            charged = not isinstance(error, PrerequisiteError) and (
                not isinstance(error, ProviderError) or error.maybe_charged
            )
            self._ledger.fail(
                ticket, str(error), latency=self._clock() - began, maybe_charged=charged
            )
            if isinstance(error, ProviderError) and error.too_fast:
                self._heed(request, route, error, began)
            raise
        else:
            self._ledger.finish(ticket, reply, latency=self._clock() - began)
            with self._settled:
                self._lanes[route.model].answered()
            return reply
        finally:
            with self._settled:
                self._in_flight -= 1
                self._lanes[route.model].in_flight -= 1
                self._settled.notify_all()

    def _heed(self, request: Request, route: Route, error: ProviderError, began: float) -> None:
        """A provider that wants fewer calls means every call of the model, not this one."""
        with self._settled:
            pause = self._lanes[route.model].refused(
                self._retries,
                began=began,
                now=self._clock(),
                asked=error.retry_after,
                spread=self._spread(request, route),
            )
        if pause is not None:
            self._ledger.pause(route.model, pause)

    def _reserve(self, request: Request, route: Route, place: int) -> Ticket | Deferred | Failed:
        """The right to send, given in the order of the places."""
        lane = self._lanes[route.model]
        with self._settled:
            lane.waiting.add(place)
        try:
            while True:
                got = self._try_to_reserve(request, route, place)
                if not isinstance(got, Wait):
                    return got
                self._sleep(got.seconds)
        finally:
            with self._settled:
                lane.waiting.discard(place)
                self._settled.notify_all()

    def _try_to_reserve(
        self, request: Request, route: Route, place: int
    ) -> Ticket | Deferred | Failed | Wait:
        lane = self._lanes[route.model]
        with self._settled:
            while True:
                if self.halted:
                    return _interrupted(request)
                if lane.closed:
                    return _failed(request, f"not asked: {lane.closed}", retryable=True)
                if not lane.may_go(place):
                    self._settled.wait()
                    continue
                got = self._ledger.begin(
                    request, route.model, route.bound(request), self._caps, self._limits
                )
                if isinstance(got, Ticket):
                    self._in_flight += 1
                    lane.in_flight += 1
                    self.sent += 1
                if not isinstance(got, CapReached):
                    return got
                if self._in_flight == 0:
                    return Deferred("over_budget", got.sentence, request.key)
                # A call that settles below its bound may yet make room.
                self._settled.wait()


def _failed(request: Request, sentence: str, *, retryable: bool) -> Failed:
    return Failed(
        reason="model_failed", sentence=sentence, open_request=request.key, retryable=retryable
    )


def _interrupted(request: Request) -> Deferred:
    return Deferred(
        "interrupted", "the run was stopped; run the same command again to resume", request.key
    )


__all__ = ("RetryPolicy", "Sender")
