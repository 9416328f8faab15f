"""The Oracle behind its door: trials, their sessions, and the log that both are rebuilt from.

A trial belongs to a token and is played once; a session is the name under which it is open.
What a trial has used stands in the log, so that neither a second session nor a second server
gives it more.
"""

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from lawsmith.errors import InputError, IntegrityError
from lawsmith.oracle.calibrated import ParallelSession
from lawsmith.oracle.handouts import Handouts
from lawsmith.oracle.log import LOG, OracleLog
from lawsmith.oracle.protocols import breaches_of
from lawsmith.oracle.sealed import SealedWorlds
from lawsmith.oracle.session import Answer, Session
from lawsmith.oracle.trials import (
    TRIALS,
    RandomBytes,
    excerpt_of,
    hash_of,
    new_token,
    read_issued,
)
from lawsmith.oracle.views import PlayerView, effective_budget, player_view
from schemas.episode import Action, Proposal, Protocol
from schemas.oracle_log import (
    EXCERPT,
    Answered,
    Closed,
    Completed,
    Event,
    Expired,
    HandedIn,
    Issued,
    LogLine,
    Measured,
    Opened,
    Rejected,
    Started,
)
from schemas.trial import IssuedTrial, Trial, TrialKind

IDLE_SECONDS: Final = 3600.0
"""A session that is not used for so long expires; its token opens the trial again."""
MOST_OPENINGS: Final = 100
"""Of one trial, so that no token fills the log."""
UNNAMED: Final = "unnamed"
"""The player of a trial that was asked for without a name."""

_PROTOCOL: Final[TypeAdapter[Protocol]] = TypeAdapter(Protocol)
_OPEN: Final = frozenset({"token", "task_id", "protocol", "budget"})
_ASK: Final = frozenset({"task_id", "protocol", "budget", "player"})
_PROPOSAL: Final = frozenset({"inputs", "readouts", "hypotheses", "rationale", "forecasts"})
_COMPLETION: Final = frozenset({"hypotheses", "proposal", "completion"})
_ANSWER: Final = frozenset({"expression", "shared", "local", "explanation"})
_NOTHING: Final = Proposal(inputs={}, readouts=(), rationale="", forecasts=())
_NO_REPORT: Final = Action(hypotheses=(), proposal=_NOTHING, completion=None)


class Refusal(Exception):  # noqa: N818 - an answer, not an error of this process
    """What a client is told instead of an answer."""

    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass
class _Trial:
    """One trial and what became of it so far."""

    issued: IssuedTrial
    lock: threading.Lock = field(default_factory=threading.Lock)
    number: int = 0
    """By first opening; 0: it was never opened."""
    openings: int = 0
    protocol: Protocol | None = None
    budget: int | None = None
    view: PlayerView | None = None
    """Of a paired task that is open, without observations."""
    session: Session | ParallelSession | None = None
    """None of a Real task, before the first opening, and after the end."""
    ended: str | None = None
    """How, once it has."""
    name: str | None = None
    """Hash of the open session's name."""
    used: float = 0.0
    """When the open session was last used, by the monotonic clock."""


class Oracle:
    """The trials of one served release; safe to use from many threads."""

    def __init__(
        self,
        worlds: SealedWorlds,
        handouts: Handouts,
        record: Path,
        *,
        random: RandomBytes,
        now: Callable[[], str],
        monotonic: Callable[[], float],
        open_to_all: bool = False,
        idle_seconds: float = IDLE_SECONDS,
    ) -> None:
        """An Oracle that goes on where the log of its folder ends.

        Args:
            worlds: the tasks and worlds of the release.
            handouts: its public tables.
            record: the folder of the log and of the hashes of tokens; the holder's alone.
            random: where names, tokens and the nonce come from.
            now: the present instant.
            monotonic: seconds, for idle sessions alone.
            open_to_all: whether whoever asks without a token gets one.
            idle_seconds: after so long without use a session expires.

        Raises:
            IntegrityError: the log is broken, or is of another release.
            LockHeldError: another server writes the log.
            PrerequisiteError: the folder cannot be written.
        """
        self._worlds, self._handouts, self._record = worlds, handouts, record
        self._random, self._now, self._monotonic = random, now, monotonic
        self._open_to_all, self._idle = open_to_all, idle_seconds
        self._lock = threading.Lock()
        self._trials: dict[str, _Trial] = {}
        self._names: dict[str, _Trial] = {}
        self._repeats: dict[tuple[str, str], int] = {}
        self._opened = 0
        self._swept = monotonic()
        self._registry: tuple[int, int] | None = None
        self._nonce = new_token(random)
        self.log = OracleLog(record / LOG)
        try:
            for number, line in self.log.events:
                self._restore(number, line)
            self.log.events.clear()
            started = Started(
                release_id=worlds.release_id, release_digest=handouts.digest, nonce=self._nonce
            )
            self.log.commit(self._say(started))
            with self._lock:
                self._read_registry()
        except BaseException:
            self.log.close()
            raise

    def describe(self) -> dict[str, Any]:
        """The release and how many tasks it answers for."""
        tasks = len(self._worlds.tasks) + len(self._worlds.parallel)
        return {"release_id": self._worlds.release_id, "tasks": tasks}

    def open(self, body: dict[str, Any]) -> dict[str, Any]:
        """A session on the trial of a token; opened again, it goes on where it stood.

        A paired task is opened under a protocol with its budget, which are kept from then on. A
        Parallel task has a budget of its own, which the answer states.
        """
        self._sweep()
        token: str | None = None
        if "token" in body or not self._open_to_all:
            _only(body, _OPEN)
            trial = self._trial_of(body.get("token"))
        else:
            _only(body, _ASK)
            token = new_token(self._random)
            trial = self._issue(body, hash_of(token))
        with trial.lock:
            issued = trial.issued
            if body.get("task_id", issued.task_id) != issued.task_id:
                raise Refusal(HTTPStatus.CONFLICT, "the token is of another task")
            name = new_token(self._random)
            place = self._open(trial, body, hash_of(name))
            answer = {
                "session": name,
                "task_id": issued.task_id,
                "player": issued.player,
                "repeat": issued.repeat,
                "budget": self._budget(trial),
                **_counts(trial),
            }
        self.log.commit(place)
        if trial.protocol is not None:
            answer["protocol"] = trial.protocol
        return answer if token is None else {**answer, "token": token}

    def show_trial(self, token: str) -> dict[str, Any]:
        """What the trial of a token is, and how it stands."""
        trial = self._trial_of(token)
        with trial.lock:
            issued = trial.issued
            return {
                "task_id": issued.task_id,
                "kind": issued.kind,
                "player": issued.player,
                "repeat": issued.repeat,
                "protocol": trial.protocol or issued.protocol,
                "budget": trial.budget if trial.number else issued.budget,
                "state": trial.ended or ("open" if trial.number else "new"),
            }

    def view_of_token(self, token: str) -> dict[str, Any]:
        """What the player of a token sees of its task."""
        return self._view(self._trial_of(token))

    def view(self, name: str) -> dict[str, Any]:
        """What the player of a session sees of its task."""
        return self._view(self._find(name))

    def propose(self, name: str, body: dict[str, Any]) -> dict[str, Any]:
        """The answer to one proposal; the report beside it is kept in the log.

        A report alone is an action that is neither a proposal nor a completion: a rejection.
        """
        answer, place = self.propose_ahead(name, body)
        self.log.commit(place)
        return answer

    def propose_ahead(self, name: str, body: dict[str, Any]) -> tuple[dict[str, Any], int]:
        """The answer to one proposal, and the place in the log that must be on disk before it."""
        _only(body, _PROPOSAL)
        inputs, readouts = body.get("inputs"), body.get("readouts")
        alone = "hypotheses" in body and inputs is None and readouts is None
        if not alone and not (isinstance(inputs, dict) and isinstance(readouts, list)):
            raise Refusal(HTTPStatus.BAD_REQUEST, "give inputs (an object) and readouts (a list)")
        trial = self._find(name)
        with trial.lock:
            session = self._session(trial)
            if not isinstance(session, Session) or trial.view is None:
                raise Refusal(
                    HTTPStatus.BAD_REQUEST, f"a {trial.issued.kind} task takes no proposals"
                )
            report = _report(body)
            was_over = session.over
            if alone or inputs is None or readouts is None:
                answer = session.refuse()
            else:
                answer = session.propose(inputs, readouts)
            if was_over:
                return _told(answer), 0
            return _told(answer), self._keep_proposal(trial, trial.view, body, report, answer)

    def query(self, name: str, body: dict[str, Any]) -> dict[str, Any]:
        """The answer to one call of the trial of a Parallel task."""
        trial = self._find(name)
        with trial.lock:
            session = self._session(trial)
            if not isinstance(session, ParallelSession):
                raise Refusal(
                    HTTPStatus.BAD_REQUEST, f"a {trial.issued.kind} task takes no queries"
                )
            live = session.ended == "open"
            answer = session.query(body)
            place = 0
            if answer.accepted:
                place = self._say(Measured(trial=trial.issued.trial, call=session.history[-1]))
            elif live:
                place = self._say(
                    Rejected(
                        trial=trial.issued.trial,
                        excerpt=excerpt_of(body, EXCERPT),
                        diagnostic=answer.error or "",
                        breaches=(),
                    )
                )
        self.log.commit(place)
        rows = [row.model_dump(mode="json") for row in answer.rows]
        return {**{k: v for k, v in vars(answer).items() if k != "rows"}, "rows": rows}

    def complete(self, name: str, body: dict[str, Any]) -> dict[str, Any]:
        """Take the final answer of a trial, which ends it."""
        trial = self._find(name)
        with trial.lock:
            self._session(trial)
            event: Event
            if trial.issued.kind == "paired":
                if isinstance(trial.session, Session) and trial.session.over:
                    raise Refusal(HTTPStatus.CONFLICT, "the episode has ended without a completion")
                event = Completed(trial=trial.issued.trial, action=_completing(body))
            else:
                _only(body, _ANSWER)
                if "expression" not in body:
                    raise Refusal(HTTPStatus.BAD_REQUEST, "give an expression")
                event = HandedIn(trial=trial.issued.trial, answer=body)
            counts = _counts(trial)
            place = self._end(trial, "completed", event)
        self.log.commit(place)
        return {"completed": True, **counts}

    def show(self, name: str) -> dict[str, Any]:
        """Counts and history of one session."""
        trial = self._find(name)
        with trial.lock:
            session = self._session(trial)
            history: list[Any] = []
            if isinstance(session, ParallelSession):
                history = [call.model_dump(mode="json") for call in session.history]
            elif isinstance(session, Session):
                history = [asdict(exchange) for exchange in session.history]
            ended = "open" if session is None else session.ended
            return {**_counts(trial), "ended": ended, "history": history}

    def close(self, name: str, body: dict[str, Any]) -> dict[str, Any]:
        """Give a trial up; its counts for the last time."""
        _only(body, frozenset())
        trial = self._find(name)
        with trial.lock:
            self._session(trial)
            counts = _counts(trial)
            place = self._end(trial, "closed", Closed(trial=trial.issued.trial))
        self.log.commit(place)
        return counts

    def most_points(self) -> int:
        """Numbers in the largest query that a served world takes."""
        sizes = (
            world.task.budget.points_per_call * len(world.task.controls)
            for world in self._worlds.parallel.values()
        )
        return max(sizes, default=0)

    def stop(self) -> None:
        """Let go of the log."""
        self.log.close()

    # Finding and opening.

    def _trial_of(self, token: object) -> _Trial:
        if not isinstance(token, str):
            raise Refusal(
                HTTPStatus.UNAUTHORIZED,
                "give the token of a trial; the holder hands them out with"
                " `lawsmith oracle trials`, or serves with --open",
            )
        name = hash_of(token)
        with self._lock:
            if name not in self._trials:
                self._read_registry()
            trial = self._trials.get(name)
        if trial is None:
            raise Refusal(HTTPStatus.UNAUTHORIZED, "no trial has this token")
        return trial

    def _find(self, name: str) -> _Trial:
        with self._lock:
            trial = self._names.get(hash_of(name))
        if trial is None:
            raise Refusal(HTTPStatus.NOT_FOUND, f"no open session {name[:20]!r}")
        now = self._monotonic()
        with trial.lock:
            if trial.name is not None and now - trial.used > self._idle:
                self._expire(trial)
            if trial.name != hash_of(name):
                raise Refusal(
                    HTTPStatus.NOT_FOUND,
                    f"no open session {name[:20]!r}: it expired, or its token opened another",
                )
            trial.used = now
        return trial

    def _session(self, trial: _Trial) -> Session | ParallelSession | None:
        if trial.ended is not None:
            raise Refusal(HTTPStatus.NOT_FOUND, f"no open session: the trial is {trial.ended}")
        return trial.session

    def _issue(self, body: dict[str, Any], name: str) -> _Trial:
        identity = str(body.get("task_id"))
        kind = self._kind_of(identity)
        if kind is None:
            raise Refusal(HTTPStatus.NOT_FOUND, f"no task {identity[:80]!r}")
        # Asked for wrongly, it is refused before a trial is made of it.
        self._chosen(kind, identity, None, body)
        with self._lock:
            player = body.get("player", UNNAMED)
            try:
                trial = Trial(
                    task_id=identity,
                    kind=kind,
                    player=player,
                    repeat=self._repeats.get((identity, str(player)), 0),
                    protocol=None,
                    budget=None,
                )
            except ValidationError as error:
                raise Refusal(HTTPStatus.BAD_REQUEST, "player is no plain short text") from error
            issued = IssuedTrial(**dict(trial), trial=name, by="request")
            self._say(Issued(trial=issued))
            return self._add(issued)

    def _open(self, trial: _Trial, body: dict[str, Any], name: str) -> int:
        issued = trial.issued
        if trial.ended is not None:
            raise Refusal(HTTPStatus.CONFLICT, f"the trial of this token is {trial.ended}")
        if trial.openings >= MOST_OPENINGS:
            raise Refusal(HTTPStatus.TOO_MANY_REQUESTS, f"opened {MOST_OPENINGS} times")
        protocol, budget = self._chosen(issued.kind, issued.task_id, trial, body)
        if not trial.number:
            with self._lock:
                self._opened += 1
                number = self._opened
        else:
            number = trial.number
        event = Opened(
            trial=issued.trial, session=name, number=number, protocol=protocol, budget=budget
        )
        place = self._say(event)
        self._enter(trial, event)
        with self._lock:
            self._names[name] = trial
        trial.name, trial.used = name, self._monotonic()
        return place

    def _chosen(
        self, kind: str, identity: str, trial: _Trial | None, body: dict[str, Any]
    ) -> tuple[Protocol | None, int | None]:
        """Protocol and budget of an opening; what was set before is not changed."""
        if kind != "paired":
            extra = sorted(set(body) & {"protocol", "budget"})
            if extra:
                raise Refusal(HTTPStatus.BAD_REQUEST, f"a {kind} task has no {extra[0]} to choose")
            return None, None
        task = self._worlds.tasks[identity]
        before = None if trial is None else trial.protocol or trial.issued.protocol
        try:
            protocol = _PROTOCOL.validate_python(body.get("protocol", before or "adaptive"))
        except ValidationError as error:
            raise Refusal(
                HTTPStatus.BAD_REQUEST, "protocol is none of prior-only, fixed, adaptive"
            ) from error
        limit = None if trial is None else trial.budget if trial.number else trial.issued.budget
        budget = body.get("budget", limit)
        if budget is not None and (isinstance(budget, bool) or not isinstance(budget, int)):
            raise Refusal(HTTPStatus.BAD_REQUEST, "budget is not a whole number")
        try:
            budget = effective_budget(task, protocol, budget)
        except InputError as error:
            raise Refusal(HTTPStatus.BAD_REQUEST, str(error)) from error
        if (before is not None and protocol != before) or limit not in (None, budget):
            raise Refusal(HTTPStatus.CONFLICT, f"this trial is {before}, with the budget {limit}")
        return protocol, budget

    def _budget(self, trial: _Trial) -> Any:
        if isinstance(trial.session, ParallelSession):
            budget = trial.session.world.task.budget
            return {**budget.model_dump(), "rows": budget.rows}
        return trial.budget

    def _view(self, trial: _Trial) -> dict[str, Any]:
        with trial.lock:
            issued = trial.issued
            if issued.kind == "real":
                return self._handouts.real_view(issued.task_id)
            if issued.kind == "parallel":
                task = self._worlds.parallel[issued.task_id].task
                return {"task": task.model_dump(mode="json")}
            protocol = trial.protocol or issued.protocol
            if protocol is None:
                raise Refusal(HTTPStatus.CONFLICT, "open the trial under a protocol first")
            budget = trial.budget if trial.number else issued.budget
            task_ = self._worlds.tasks[issued.task_id]
            try:
                view: dict[str, Any] = self._handouts.paired_view(task_, protocol, budget)
            except InputError as error:
                raise Refusal(HTTPStatus.CONFLICT, str(error)) from error
            return view

    def _kind_of(self, identity: object) -> TrialKind | None:
        if identity in self._worlds.tasks:
            return "paired"
        if identity in self._worlds.parallel:
            return "parallel"
        return "real" if identity in self._handouts.real else None

    # Idle sessions.

    def _sweep(self) -> None:
        """Let idle sessions expire, at most ten times in their life."""
        now = self._monotonic()
        with self._lock:
            if now - self._swept < self._idle / 10:
                return
            self._swept = now
            idle = [one for one in self._names.values() if now - one.used > self._idle]
        for trial in idle:
            with trial.lock:
                if trial.name is not None and now - trial.used > self._idle:
                    self._expire(trial)

    def _expire(self, trial: _Trial) -> None:
        self._say(Expired(trial=trial.issued.trial))
        self._forget(trial)

    def _forget(self, trial: _Trial) -> None:
        if trial.name is not None:
            with self._lock:
                self._names.pop(trial.name, None)
            trial.name = None

    # The log.

    def _say(self, event: Event) -> int:
        return self.log.append(event, self._now())

    def _end(self, trial: _Trial, how: str, event: Event) -> int:
        place = self._say(event)
        self._forget(trial)
        trial.ended, trial.session, trial.view = how, None, None
        return place

    def _keep_proposal(
        self, trial: _Trial, view: PlayerView, body: dict[str, Any], report: Action, answer: Answer
    ) -> int:
        if answer.accepted:
            asked = _asked(report, body["inputs"], body["readouts"])
            return self._say(
                Answered(trial=trial.issued.trial, action=asked, outputs=answer.outputs)
            )
        readouts = body.get("readouts")
        asked = report.model_copy(update={"proposal": None})
        if isinstance(readouts, list):
            asked = _asked(report, {}, [str(name) for name in readouts])
        return self._say(
            Rejected(
                trial=trial.issued.trial,
                excerpt=excerpt_of(body, EXCERPT),
                diagnostic=answer.diagnostic or "",
                breaches=tuple(rule[:EXCERPT] for rule in breaches_of(view, asked)),
            )
        )

    def _read_registry(self) -> None:
        """Take in the trials that were handed out since; the caller holds the lock."""
        path = self._record / TRIALS
        found = path.stat() if path.is_file() else None
        mark = None if found is None else (found.st_mtime_ns, found.st_size)
        if mark == self._registry:
            return
        place = 0
        for issued in read_issued(self._record):
            if issued.trial not in self._trials and self._kind_of(issued.task_id) == issued.kind:
                place = self._say(Issued(trial=issued))
                self._add(issued)
        self.log.commit(place)
        self._registry = mark

    def _add(self, issued: IssuedTrial) -> _Trial:
        trial = self._trials[issued.trial] = _Trial(issued)
        pair = (issued.task_id, issued.player)
        self._repeats[pair] = max(self._repeats.get(pair, 0), issued.repeat + 1)
        return trial

    def _enter(self, trial: _Trial, event: Opened) -> None:
        """A trial as it stands after an opening."""
        self._forget(trial)
        trial.openings += 1
        if trial.number:
            if isinstance(trial.session, ParallelSession):
                trial.session.nonce = self._nonce
            return
        trial.number, trial.protocol, trial.budget = event.number, event.protocol, event.budget
        issued = trial.issued
        if issued.kind == "parallel":
            world = self._worlds.parallel[issued.task_id]
            trial.session = ParallelSession(world, event.number, self._nonce)
        elif issued.kind == "paired" and event.protocol is not None:
            task = self._worlds.tasks[issued.task_id]
            fixed = self._handouts.fixed.get(issued.task_id, ())
            view = player_view(task, event.protocol, event.budget, fixed)
            trial.view = view.model_copy(update={"observations": ()})
            trial.session = Session(
                task,
                self._worlds.simulators[issued.task_id],
                task.adaptive_cap if event.budget is None else event.budget,
                experiments=event.protocol == "adaptive",
            )

    def _restore(self, number: int, line: LogLine) -> None:
        """Take one line of the log back."""
        event = line.event
        if isinstance(event, Started):
            if event.release_digest != self._handouts.digest:
                raise IntegrityError(
                    f"the log is of {event.release_id} with the digest"
                    f" {event.release_digest[:12]}..., not of this release",
                    path=f"{self.log.path}:{number}",
                    fix="serve that release, or name another folder with --record",
                )
            return
        try:
            if isinstance(event, Issued):
                self._add(event.trial)
            else:
                self._restore_in(self._trials[event.trial], event)
        except (KeyError, InputError) as error:
            raise IntegrityError(
                f"{event.kind} does not fit what stands before it: {error}",
                path=f"{self.log.path}:{number}",
                fix="restore the log from a backup",
            ) from error

    def _restore_in(self, trial: _Trial, event: Event) -> None:
        session = trial.session
        if isinstance(event, Opened):
            self._opened = max(self._opened, event.number)
            self._enter(trial, event)
            trial.name, trial.used = event.session, self._monotonic()
            self._names[event.session] = trial
        elif isinstance(event, Answered) and isinstance(session, Session):
            proposal = event.action.proposal
            if proposal is not None:
                session.restore(proposal.inputs, proposal.readouts, event.outputs)
        elif isinstance(event, Measured) and isinstance(session, ParallelSession):
            session.restore(event.call)
        elif isinstance(event, Rejected) and isinstance(session, Session):
            session.restore_rejection(event.diagnostic)
        elif isinstance(event, Rejected) and isinstance(session, ParallelSession):
            session.restore_refusal()
        elif isinstance(event, Completed | HandedIn | Closed):
            self._forget(trial)
            trial.ended = "closed" if isinstance(event, Closed) else "completed"
            trial.session = trial.view = None
        elif isinstance(event, Expired):
            self._forget(trial)
        else:
            raise InputError(f"the trial takes no {event.kind}")


def _only(body: dict[str, Any], fields: frozenset[str]) -> None:
    foreign = sorted(set(body) - fields)
    if foreign:
        known = ", ".join(sorted(fields)) or "none"
        raise Refusal(
            HTTPStatus.BAD_REQUEST, f"unknown field {foreign[0][:40]!r}; the fields are {known}"
        )


def _counts(trial: _Trial) -> dict[str, int]:
    session = trial.session
    if isinstance(session, ParallelSession):
        return {"accepted": session.answered, "rejected": session.refused}
    if isinstance(session, Session):
        return {"accepted": session.accepted, "rejected": session.rejected}
    return {"accepted": 0, "rejected": 0}


def _told(answer: Answer) -> dict[str, Any]:
    return dict(vars(answer))


def _report(body: dict[str, Any]) -> Action:
    """Hypotheses, rationale and forecasts beside a proposal, as a proposal of nothing.

    What is left out is empty, and so a breach of the protocol; it is no fault of the request.
    """
    if not body.keys() & {"hypotheses", "rationale", "forecasts"}:
        return _NO_REPORT
    asked = {
        "inputs": {},
        "readouts": [],
        "rationale": body.get("rationale", ""),
        "forecasts": body.get("forecasts", []),
    }
    return _action({"hypotheses": body.get("hypotheses", []), "proposal": asked})


def _action(data: dict[str, Any]) -> Action:
    whole = {"proposal": None, "completion": None, **data}
    try:
        return Action.model_validate_json(json.dumps(whole))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = "/".join(str(part) for part in first["loc"])
        raise Refusal(HTTPStatus.BAD_REQUEST, f"{where}: {first['msg']}") from error


def _completing(body: dict[str, Any]) -> Action:
    _only(body, _COMPLETION)
    if not isinstance(body.get("completion"), dict):
        raise Refusal(HTTPStatus.BAD_REQUEST, "give hypotheses (a list) and completion (an object)")
    return _action({"hypotheses": [], **body})


def _asked(report: Action, inputs: Mapping[str, float], readouts: Sequence[str]) -> Action:
    """The action of a proposal with its report."""
    beside = report.proposal or _NOTHING
    proposal = Proposal(
        inputs={name: float(value) for name, value in inputs.items()},
        readouts=tuple(readouts),
        rationale=beside.rationale,
        forecasts=beside.forecasts,
    )
    return Action(hypotheses=report.hypotheses, proposal=proposal, completion=None)


__all__ = ("IDLE_SECONDS", "Oracle", "Refusal")
