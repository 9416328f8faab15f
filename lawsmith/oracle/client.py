"""A player's way to the Oracle: HTTP on loopback, one session an episode."""

import json
import subprocess
import sys
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

    def open(self, task_id: str, budget: int | None = None) -> "OracleSession":
        """A session on one task; without a budget the task's cap holds.

        Raises:
            OracleFaultError: no answer, no such task, or the budget is out of range.
        """
        body: dict[str, Any] = {"task_id": task_id}
        if budget is not None:
            body["budget"] = budget
        return OracleSession(self, str(self._ask("sessions", body)["session"]))

    def open_parallel(self, task_id: str) -> "ParallelClient":
        """A trial of one Parallel task, with the task's own budget.

        Raises:
            OracleFaultError: no answer, or no such Parallel task.
        """
        opened = self._ask("sessions", {"task_id": task_id})
        if not isinstance(opened["budget"], dict):
            raise OracleFaultError(f"{task_id!r} is no Parallel task", path=self.url)
        return ParallelClient(self, str(opened["session"]))

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

    def propose(self, inputs: Mapping[str, float], readouts: Sequence[str]) -> Answer:
        """The answer to one experiment.

        Raises:
            OracleFaultError: no answer.
        """
        body = {"inputs": dict(inputs), "readouts": list(readouts)}
        return Answer(**self.client._ask(f"sessions/{self.name}/propose", body))

    def close(self) -> None:
        """Ends the session.

        Raises:
            OracleFaultError: no answer.
        """
        self.client._ask(f"sessions/{self.name}/close", {})


@dataclass(frozen=True)
class ParallelClient:
    """One open trial of a Parallel task."""

    client: OracleClient
    name: str

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
def oracle_process(release: Path) -> Iterator[OracleClient]:
    """An Oracle in a process of its own over a release, stopped at the end of the block.

    Raises:
        OracleFaultError: it did not start.
    """
    command = [sys.executable, "-m", "lawsmith.oracle.server", str(release)]
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
