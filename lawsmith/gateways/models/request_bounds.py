"""What a run would ask before it asks: the requests, and their upper bounds by role."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lawsmith.chat import Conversation, Failed, Reply, Request, Result, Role, ValueT
from lawsmith.errors import InputError
from lawsmith.gateways.models.ledger import Ledger
from lawsmith.gateways.models.model_routes import Roster
from lawsmith.gateways.models.prices import Bound
from lawsmith.gateways.models.provider_errors import ReplyMissingError


@dataclass(frozen=True)
class RoleBound:
    """Open requests of one role; the prompt is estimated at four characters a token."""

    requests: int
    tokens: int
    usd: float | None
    """None where a price is unknown."""


@dataclass(frozen=True)
class OpenRequests:
    """Where each conversation stands without asking anybody."""

    requests: tuple[Request, ...]
    """The next request of each unfinished conversation; later rounds are not known yet."""
    by_role: Mapping[Role, RoleBound]
    finished: int
    """Conversations that the replies at hand carry to their result."""
    failed: Mapping[str, Failed]
    """Conversations that the replies at hand make fail, by subject."""


def open_requests(
    conversations: Iterable[tuple[str, Conversation[ValueT]]], roster: Roster, ledger: Ledger
) -> OpenRequests:
    """Step conversations over ledger and recordings, and list what is left to ask.

    Raises:
        PrerequisiteError: a role without a model.
    """
    found: list[Request] = []
    bounds: dict[Role, RoleBound] = {}
    failed: dict[str, Failed] = {}
    finished = 0
    for subject, conversation in conversations:
        request = _next_request(conversation, roster, ledger)
        if isinstance(request, Failed):
            failed[subject] = request
            continue
        if request is None:
            finished += 1
            continue
        found.append(request)
        bound = roster.route(request.role).bound(request)
        bounds[request.role] = _added(bounds.get(request.role, RoleBound(0, 0, 0.0)), bound)
    return OpenRequests(tuple(found), bounds, finished, failed)


def _next_request(
    conversation: Conversation[ValueT], roster: Roster, ledger: Ledger
) -> Request | Failed | None:
    replies: list[Reply] = []
    while True:
        try:
            step = conversation.step(tuple(replies))
        except InputError as error:
            return Failed("unusable_reply", str(error))
        if isinstance(step, Result):
            return None
        route = roster.route(step.role)
        if route.live:
            reply = ledger.reply_for(step, route.model)
            if reply is None:
                return step
        else:
            try:
                reply = route.answerer.answer([step])[0]
            except ReplyMissingError:
                return step
        replies.append(reply)


def _added(total: RoleBound, bound: Bound) -> RoleBound:
    usd = None if total.usd is None or bound.usd is None else total.usd + bound.usd
    return RoleBound(total.requests + 1, total.tokens + bound.tokens, usd)


__all__ = ("OpenRequests", "RoleBound", "open_requests")
