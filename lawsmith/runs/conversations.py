"""Talking to models from a stage: one way to run conversations, one way to read their ends."""

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

from lawsmith.chat import Conversation, Deferred, Outcome, Result, ValueT
from lawsmith.gateways.models import RunReport, run_conversations
from lawsmith.runs.context import StageContext
from schemas.source import Outcome as DispositionOutcome
from schemas.source import ReasonCode


def converse(
    context: StageContext,
    what: str,
    conversations: Sequence[tuple[str, Conversation[ValueT]]],
    heard: Callable[[str, ValueT], object] | None = None,
) -> RunReport[ValueT]:
    """Run the conversations as far as replies, caps and an interrupt let them.

    Args:
        context: models, ledger, caps and pace.
        what: what progress is called.
        conversations: (subject, conversation).
        heard: told of each result while other models are still being waited for.

    Raises:
        PrerequisiteError: a live model without a cap, a missing key, an unknown model.
    """
    if not conversations:
        return RunReport({}, {}, 0, 0, 0)
    ended = 0

    def tell(subject: str, outcome: Outcome[ValueT]) -> None:
        nonlocal ended
        ended += 1
        if heard is not None and isinstance(outcome, Result):
            heard(subject, outcome.value)
        context.progress(what, ended, len(conversations))

    context.progress(what, 0, len(conversations))
    with context.ledger() as ledger, stop_on_interrupt(context.stop):
        return run_conversations(
            conversations,
            context.roster(),
            ledger,
            context.caps,
            clock=context.seconds,
            limits=context.limits,
            concurrency=context.settings.calls.concurrency,
            progress=tell,
            stop=context.stop,
        )


def unfinished(
    outcome: Outcome[ValueT],
) -> tuple[DispositionOutcome, ReasonCode, str] | None:
    """How a conversation that reached no result stands: deferred or failed; None if it did."""
    if isinstance(outcome, Result):
        return None
    if isinstance(outcome, Deferred):
        code = ReasonCode.OVER_BUDGET if outcome.reason == "over_budget" else ReasonCode.INTERRUPTED
        return "deferred", code, outcome.sentence
    codes = {
        "model_failed": ReasonCode.MODEL_FAILED,
        "reply_missing": ReasonCode.REPLY_MISSING,
        "unusable_reply": ReasonCode.UNUSABLE_REPLY,
    }
    return "failed", codes[outcome.reason], outcome.sentence


def input_tokens(context: StageContext) -> int | None:
    """Longest prompt that extractor and reviewer both take, so that both read the same lines."""
    set_here = context.settings.calls.max_input_tokens
    if set_here is not None:
        return set_here
    routes = context.roster().routes
    known = [routes[role].input_tokens for role in ("extractor", "reviewer") if role in routes]
    return min((limit for limit in known if limit is not None), default=None)


def call_figures(report: RunReport[ValueT]) -> dict[str, float]:
    """Where the replies of a run came from."""
    return {
        "calls_to_live_models": float(report.sent),
        "replies_from_ledger": float(report.from_ledger),
        "replies_replayed": float(report.replayed),
    }


@contextmanager
def stop_on_interrupt(stop: threading.Event) -> Iterator[None]:
    """The first interrupt sets `stop`, a second one interrupts as usual; main thread only."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)

    def on_interrupt(_number: int, _frame: FrameType | None) -> None:
        stop.set()
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


__all__ = ("call_figures", "converse", "input_tokens", "stop_on_interrupt", "unfinished")
