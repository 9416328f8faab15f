"""A player's way to the Oracle: HTTP on loopback, one trial an episode."""

import json
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from lawsmith.errors import PrerequisiteError
from lawsmith.oracle.calibrated import QueryAnswer
from lawsmith.oracle.session import Answer
from schemas.calibrated_task import WorldCall, WorldReading
from schemas.episode import Action, Protocol
from schemas.record import canonical_json, strict_json

TIMEOUT: Final = 60.0
"""Seconds to wait for one answer."""


class OracleFaultError(PrerequisiteError):
    """The Oracle could not be reached or refused the request: an infrastructure fault."""


@dataclass(frozen=True)
class OracleClient:
    """One Oracle at one address."""

    url: str
    timeout: float = TIMEOUT

    def describe(self) -> dict[str, Any]:
        """The served release and its number of tasks.

        Raises:
            OracleFaultError: no answer.
        """
        return self._ask("", None)

    def open(
        self, task_id: str, budget: int | None = None, *, player: str | None = None
    ) -> "OracleSession":
        """A session on one task of an Oracle that is open to all, under the adaptive protocol.

        Args:
            task_id: the task.
            budget: accepted proposals at most; None = the task's cap.
            player: who asks, as it says itself.

        Raises:
            OracleFaultError: no answer, no such task, the budget is out of range, or the Oracle
                takes tokens alone.
        """
        return self._opened({"task_id": task_id, "budget": budget, "player": player})

    def ask_for(
        self, task_id: str, player: str, protocol: Protocol | None, budget: int | None
    ) -> "OracleSession":
        """A session on one task of an Oracle that is open to all, under any protocol.

        Raises:
            OracleFaultError: as for `open`.
        """
        return self._opened(
            {"task_id": task_id, "player": player, "protocol": protocol, "budget": budget}
        )

    def open_trial(
        self, token: str, protocol: Protocol | None = None, budget: int | None = None
    ) -> "OracleSession":
        """A session on the trial of a token; one that was begun goes on where it stood.

        Args:
            token: of the trial.
            protocol: of a paired task, where the holder left it to the player.
            budget: as the protocol takes it.

        Raises:
            OracleFaultError: no answer, no such trial, or it has ended.
        """
        return self._opened({"token": token, "protocol": protocol, "budget": budget})

    def open_parallel(self, task_id: str, player: str | None = None) -> "ParallelClient":
        """A trial of one Parallel task of an Oracle that is open to all.

        Raises:
            OracleFaultError: no answer, no such Parallel task, or the Oracle takes tokens alone.
        """
        session = self._opened({"task_id": task_id, "player": player})
        if not isinstance(session.budget, dict):
            raise OracleFaultError(f"{task_id!r} is no Parallel task", path=self.url)
        return ParallelClient(self, session.name)

    def _opened(self, asked: Mapping[str, Any]) -> "OracleSession":
        body = {name: value for name, value in asked.items() if value is not None}
        found = self._ask("sessions", body)
        return OracleSession(
            self,
            str(found["session"]),
            found["budget"],
            begun=bool(found["accepted"] or found["rejected"]),
        )

    def _ask(self, path: str, body: Mapping[str, Any] | None) -> dict[str, Any]:
        data = None if body is None else canonical_json(dict(body)).encode("utf-8")
        request = urllib.request.Request(
            f"{self.url.rstrip('/')}/{path}",
            data=data,
            headers={"Content-Type": "application/json"},
        )
        # A proxy set for the web must not see requests to loopback.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=self.timeout) as reply:
                found = strict_json(reply.read().decode("utf-8"))
        except urllib.error.HTTPError as error:
            with error:
                text = error.read().decode("utf-8", "replace")[:300]
            raise OracleFaultError(f"the Oracle refused {path!r}: {text}", path=self.url) from error
        except (OSError, ValueError) as error:
            raise OracleFaultError(
                f"no answer from the Oracle: {error}",
                path=self.url,
                fix="start one with `lawsmith oracle serve RELEASE`",
            ) from error
        if not isinstance(found, dict):
            raise OracleFaultError("the Oracle's answer is no object", path=self.url)
        return found


@dataclass(frozen=True)
class OracleSession:
    """One open session."""

    client: OracleClient
    name: str
    budget: Any = None
    """As the Oracle states it: a count, or the limits of a Parallel task."""
    begun: bool = False
    """Whether the trial had proposals before this session."""

    def propose(self, inputs: Mapping[str, float], readouts: Sequence[str]) -> Answer:
        """The answer to one experiment, asked for without a report.

        Raises:
            OracleFaultError: no answer.
        """
        return self._propose({"inputs": dict(inputs), "readouts": list(readouts)})

    def act(self, action: Action) -> Answer:
        """The answer to an action that is no completion, with its whole report.

        Raises:
            OracleFaultError: no answer.
        """
        body: dict[str, Any] = {
            "hypotheses": [item.model_dump(mode="json") for item in action.hypotheses]
        }
        if action.proposal is not None:
            body |= action.proposal.model_dump(mode="json")
        return self._propose(body)

    def complete(self, action: Action) -> None:
        """Hand the completion of an action in, which ends the trial.

        Raises:
            OracleFaultError: no answer, or the trial has ended.
        """
        self.client._ask(f"sessions/{self.name}/complete", action.model_dump(mode="json"))

    def hand_in(self, answer: Mapping[str, Any]) -> None:
        """Hand in the law of a Parallel or Real task, which ends the trial.

        Args:
            answer: `expression`, and `shared`, `local`, `explanation` where there are any.

        Raises:
            OracleFaultError: no answer, or the trial has ended.
        """
        self.client._ask(f"sessions/{self.name}/complete", answer)

    def view(self) -> dict[str, Any]:
        """What the player sees of the task, as JSON data.

        Raises:
            OracleFaultError: no answer.
        """
        return self.client._ask(f"sessions/{self.name}/view", None)

    def close(self) -> None:
        """Give the trial up.

        Raises:
            OracleFaultError: no answer.
        """
        self.client._ask(f"sessions/{self.name}/close", {})

    def _propose(self, body: Mapping[str, Any]) -> Answer:
        return Answer(**self.client._ask(f"sessions/{self.name}/propose", body))


@dataclass(frozen=True)
class ParallelClient:
    """One open trial of a Parallel task."""

    client: OracleClient
    name: str

    @property
    def session(self) -> OracleSession:
        """The trial as any other: its view and its final answer."""
        return OracleSession(self.client, self.name)

    def query(
        self, points: Sequence[Mapping[str, float]], group: str | None = None, samples: int = 1
    ) -> QueryAnswer:
        """Readings at some points, or what was wrong with the call.

        Raises:
            OracleFaultError: no answer, or a request that is not strict JSON (NaN).
        """
        body = {"points": [dict(point) for point in points], "group": group, "samples": samples}
        found = self.client._ask(f"sessions/{self.name}/query", body)
        rows = tuple(WorldReading.model_validate_json(canonical_json(row)) for row in found["rows"])
        return QueryAnswer(**{**found, "rows": rows})

    def history(self) -> tuple[WorldCall, ...]:
        """The answered calls, as a submission states them.

        Raises:
            OracleFaultError: no answer.
        """
        found = self.client._ask(f"sessions/{self.name}", None)["history"]
        return tuple(WorldCall.model_validate_json(canonical_json(call)) for call in found)

    def close(self) -> None:
        """Ends the trial.

        Raises:
            OracleFaultError: no answer.
        """
        self.client._ask(f"sessions/{self.name}/close", {})


@contextmanager
def oracle_process(
    release: Path, *, record: Path | None = None, open_to_all: bool = True
) -> Iterator[OracleClient]:
    """An Oracle in a process of its own over a release, stopped at the end of the block.

    Args:
        release: the whole release folder.
        record: the folder of its log; None = one that is gone afterwards.
        open_to_all: whether it opens sessions without a token.

    Raises:
        OracleFaultError: it did not start.
    """
    with tempfile.TemporaryDirectory(prefix="oracle-") as passing:
        command = [sys.executable, "-m", "lawsmith.oracle.server", str(release)]
        command += ["--record", str(record or passing), *(["--open"] if open_to_all else [])]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            try:
                line = process.stdout.readline() if process.stdout else ""
                if not line:
                    _, problem = process.communicate()
                    raise OracleFaultError(f"the Oracle did not start: {problem.strip()[-500:]}")
                yield OracleClient(json.loads(line)["url"])
            finally:
                process.terminate()
                process.communicate()


__all__ = ("OracleClient", "OracleFaultError", "OracleSession", "ParallelClient", "oracle_process")
