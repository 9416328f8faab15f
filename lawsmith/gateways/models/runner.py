"""The one runner of conversations: collects open requests, gets them answered, steps again."""

from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from threading import Event
from typing import Generic

from lawsmith.chat import (
    Conversation,
    Deferred,
    Failed,
    Outcome,
    Reply,
    Request,
    Result,
    ValueT,
)
from lawsmith.errors import InputError, IntegrityError
from lawsmith.gateways.models.call_sender import RetryPolicy, Sender
from lawsmith.gateways.models.ledger import Ledger
from lawsmith.gateways.models.limits import RateLimits, RunCaps
from lawsmith.gateways.models.model_routes import Roster
from lawsmith.gateways.models.provider_errors import ReplyMissingError

DEFAULT_CONCURRENCY = 16


@dataclass(frozen=True)
class RunReport(Generic[ValueT]):
    """How one run over conversations ended."""

    outcomes: dict[str, Outcome[ValueT]]
    """By subject, in the order given."""
    transcripts: dict[str, tuple[Reply, ...]]
    """The replies that each subject's conversation had, oldest first."""
    sent: int
    """Calls that went out to live models, tries again included."""
    from_ledger: int
    """Replies taken from the ledger (batch imports included)."""
    replayed: int
    """Replies taken from a recording."""


@dataclass
class _Talk(Generic[ValueT]):
    subject: str
    conversation: Conversation[ValueT]
    replies: list[Reply] = field(default_factory=list)
    asked: set[str] = field(default_factory=set)


def run_conversations(
    conversations: Iterable[tuple[str, Conversation[ValueT]]],
    roster: Roster,
    ledger: Ledger,
    caps: RunCaps,
    *,
    clock: Callable[[], float],
    limits: RateLimits | None = None,
    retries: RetryPolicy | None = None,
    sleep: Callable[[float], object] | None = None,
    concurrency: int = DEFAULT_CONCURRENCY,
    progress: Callable[[str, Outcome[ValueT]], None] | None = None,
    stop: Event | None = None,
) -> RunReport[ValueT]:
    """Run each subject's conversation as far as replies can be had.

    Conversations are taken in order and stepped in the calling thread; only calls run in
    others. A subject's failure is its outcome and never ends the run.

    Args:
        conversations: (subject, conversation); subjects are unique.
        roster: the models by role.
        ledger: answers first, and holds every reply before it is used.
        caps: what this run may spend.
        clock: seconds, for latencies and pauses; `sleep` moves it.
        limits: pace per model.
        retries: how often a call is tried again.
        sleep: None: waits that a stop cuts short.
        concurrency: calls in flight at most.
        progress: told of each subject as it ends, in the calling thread, when nothing is to be
            sent: work done in it costs no time while models are being waited for.
        stop: once set nothing more is sent; what arrives is stored, the rest is deferred.

    Raises:
        PrerequisiteError: a live model without a cap, or a model that refuses every request.
        IntegrityError: a conversation asks one request twice, or a subject comes twice.
    """
    roster.require_caps(caps)
    stop = stop if stop is not None else Event()
    sender = Sender(
        ledger,
        caps,
        limits if limits is not None else RateLimits(),
        retries if retries is not None else RetryPolicy(),
        clock=clock,
        sleep=sleep if sleep is not None else stop.wait,
        stop=stop,
    )
    run = _Run(roster, ledger, sender, progress)
    with ThreadPoolExecutor(max_workers=concurrency, thread_name_prefix="model") as pool:
        try:
            run.over(conversations, pool, concurrency)
        finally:
            # On an error the calls in flight are still stored, but no more are made.
            sender.abandon()
    return RunReport(run.outcomes, run.transcripts, sender.sent, run.from_ledger, run.replayed)


class _Run(Generic[ValueT]):
    def __init__(
        self,
        roster: Roster,
        ledger: Ledger,
        sender: Sender,
        progress: Callable[[str, Outcome[ValueT]], None] | None,
    ) -> None:
        self.outcomes: dict[str, Outcome[ValueT]] = {}
        self.transcripts: dict[str, tuple[Reply, ...]] = {}
        self.from_ledger = 0
        self.replayed = 0
        self._roster = roster
        self._ledger = ledger
        self._sender = sender
        self._progress = progress
        self._order: dict[str, None] = {}
        self._untold: deque[str] = deque()

    def over(
        self,
        conversations: Iterable[tuple[str, Conversation[ValueT]]],
        pool: ThreadPoolExecutor,
        concurrency: int,
    ) -> None:
        waiting = iter(conversations)
        exhausted = False
        flights: dict[Future[Reply | Deferred | Failed], _Talk[ValueT]] = {}
        while True:
            while not exhausted and len(flights) < concurrency:
                item = next(waiting, None)
                if item is None:
                    exhausted = True
                    break
                self._depart(self._open(*item), pool, flights)
            if not flights:
                break
            # Whoever hears of an end may work on it, so that waits until all places are taken
            # and nothing has arrived: the work is done while the models think.
            patience = 0.0 if self._untold else None
            arrivals = wait(flights, patience, return_when=FIRST_COMPLETED).done
            if not arrivals:
                self._tell(self._untold.popleft())
            for arrived in arrivals:
                talk = flights.pop(arrived)
                got = arrived.result()
                if isinstance(got, Reply):
                    talk.replies.append(got)
                    self._depart(talk, pool, flights)
                else:
                    self._end(talk, got)
        while self._untold:
            self._tell(self._untold.popleft())
        self.outcomes = {subject: self.outcomes[subject] for subject in self._order}
        self.transcripts = {subject: self.transcripts[subject] for subject in self._order}

    def _open(self, subject: str, conversation: Conversation[ValueT]) -> _Talk[ValueT]:
        if subject in self._order:
            raise IntegrityError(f"subject {subject!r} has two conversations in one run")
        self._order[subject] = None
        return _Talk(subject, conversation)

    def _depart(
        self,
        talk: _Talk[ValueT],
        pool: ThreadPoolExecutor,
        flights: dict[Future[Reply | Deferred | Failed], _Talk[ValueT]],
    ) -> None:
        """Step as far as ledger and recordings carry, then send the open request off."""
        if self._sender.halted and not talk.replies:
            self._end(talk, Deferred("interrupted", "the run was stopped; run it again to resume"))
            return
        while True:
            try:
                step = talk.conversation.step(tuple(talk.replies))
            except InputError as error:
                self._end(talk, Failed("unusable_reply", str(error)))
                return
            if isinstance(step, Result):
                self._end(talk, step)
                return
            self._check_fresh(talk, step)
            try:
                reply = self._at_hand(step)
            except ReplyMissingError as error:
                self._end(talk, Failed("reply_missing", str(error), error.key))
                return
            if reply is None:
                route = self._roster.route(step.role)
                place = self._sender.take_place(route)
                flights[pool.submit(self._sender.send, step, route, place)] = talk
                return
            talk.replies.append(reply)

    def _at_hand(self, request: Request) -> Reply | None:
        route = self._roster.route(request.role)
        if not route.live:
            recorded = route.answerer.answer([request])[0]
            self.replayed += 1
            return recorded
        reply = self._ledger.reply_for(request, route.model)
        if reply is not None:
            self.from_ledger += 1
        return reply

    def _check_fresh(self, talk: _Talk[ValueT], request: Request) -> None:
        digest = request.digest("")
        if digest in talk.asked:
            raise IntegrityError(f"the conversation asks {request.key} twice")
        talk.asked.add(digest)

    def _end(self, talk: _Talk[ValueT], outcome: Outcome[ValueT]) -> None:
        self.outcomes[talk.subject] = outcome
        self.transcripts[talk.subject] = tuple(talk.replies)
        self._untold.append(talk.subject)

    def _tell(self, subject: str) -> None:
        if self._progress is not None:
            self._progress(subject, self.outcomes[subject])


__all__ = ("DEFAULT_CONCURRENCY", "RunReport", "run_conversations")
