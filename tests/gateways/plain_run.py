"""A run of conversations over plain HTTP, to be killed: no litellm, no dagster.

`python plain_run.py BASE LEDGER TALKS CONCURRENCY [SPEED [PER_MINUTE [SALT]]]` runs so many
conversations of two rounds and prints how they ended as JSON. SPEED makes its clock run so many
times faster, waits included.
"""

import http.client
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from lawsmith.chat import Message, Reply, Request, Result, Usage
from lawsmith.gateways.models.ledger import Ledger
from lawsmith.gateways.models.limits import RateLimits, RunCaps
from lawsmith.gateways.models.model_routes import ModelSpec, Roster, Route
from lawsmith.gateways.models.provider_errors import ProviderError
from lawsmith.gateways.models.runner import run_conversations

MODEL = "plain/m"
EPOCH = 1_790_000_000.0


@dataclass(frozen=True)
class PlainAnswerer:
    """One POST a request, on a connection of its own."""

    base: str

    def answer(self, requests: Sequence[Request]) -> Sequence[Reply]:
        return [self._one(request) for request in requests]

    def _one(self, request: Request) -> Reply:
        body = {
            "model": "m",
            "digest": request.digest(MODEL),
            "messages": [{"role": m.role, "content": m.text} for m in request.messages],
        }
        parts = urlsplit(self.base)
        connection = http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=30)
        try:
            connection.request("POST", f"{parts.path}/chat/completions", json.dumps(body))
            response = connection.getresponse()
            data = json.loads(response.read())
        finally:
            connection.close()
        if response.status != 200:
            raise ProviderError(
                f"status {response.status}",
                path=str(request.key),
                transient=True,
                rate_limited=response.status == 429,
            )
        return Reply(
            text=data["choices"][0]["message"]["content"],
            finish_reason="stop",
            model=data["model"],
            usage=Usage(prompt_tokens=7, completion_tokens=3),
            cost_usd=None,
            replayed=False,
            served_from="provider",
        )


@dataclass(frozen=True)
class Talk:
    """Two questions, the second of which repeats the answer to the first."""

    subject: str

    def step(self, replies: Sequence[Reply]) -> Request | Result[tuple[str, ...]]:
        if len(replies) == 2:
            return Result(tuple(reply.text for reply in replies))
        said = "".join(reply.text for reply in replies)
        return Request(
            role="extractor",
            subject_kind="packet",
            subject_id=self.subject,
            revision=0,
            round=len(replies),
            messages=(Message(role="user", text=f"read {self.subject} {said}"),),
            response_schema=None,
            response_schema_name=None,
            max_tokens=100,
            temperature=0.0,
            prompt_sha256="a" * 64,
            packet_sha256="b" * 64,
        )


def main() -> None:
    base, path, talks, concurrency, *rest = sys.argv[1:]
    speed, per_minute, salt = (*rest, *("1", "", "")[len(rest) :])

    def clock() -> float:
        # All processes see one clock, however fast it runs.
        return EPOCH + (time.time() - EPOCH) * float(speed)

    def sleep(seconds: float) -> None:
        time.sleep(seconds / float(speed))

    route = Route(ModelSpec(MODEL), PlainAnswerer(base), price=None, live=True)
    pairs = [(f"{salt}s{n:03d}", Talk(f"{salt}s{n:03d}")) for n in range(int(talks))]
    with Ledger(Path(path), clock=clock) as ledger:
        report = run_conversations(
            pairs,
            Roster({"extractor": route}),
            ledger,
            RunCaps(max_tokens=10**9),
            clock=clock,
            limits=RateLimits(requests_per_minute=int(per_minute) if per_minute else None),
            sleep=sleep,
            concurrency=int(concurrency),
        )
    outcomes = {
        subject: outcome.value if isinstance(outcome, Result) else str(outcome)
        for subject, outcome in report.outcomes.items()
    }
    heavy = sorted({"litellm", "dagster"} & set(sys.modules))
    sys.stdout.write(json.dumps({"outcomes": outcomes, "sent": report.sent, "heavy": heavy}))


if __name__ == "__main__":
    main()
