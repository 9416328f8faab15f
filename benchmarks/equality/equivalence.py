"""How right and how fast `equivalent` is: labelled pairs, rewrites, hostile trees, sympy beside.

Run with `python -m benchmarks.equality.equivalence [--quick]`. Times are of one core, warm. sympy
runs in a process of its own that is killed at 3 s, as a caller would have to do.
"""

import json
import multiprocessing
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import combinations
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

from benchmarks.equality.different_pairs import DIFFERENT
from benchmarks.equality.equal_pairs import EQUAL
from benchmarks.equality.hostile_trees import hostile_pairs
from benchmarks.equality.labelled_pairs import labelled_pairs
from benchmarks.equality.rewriting import Rewriter
from lawsmith.expressions import equivalent, parse_infix, same_form, to_sympy
from schemas.expression import Expression, from_wire, substitute, to_wire

REFERENCE: Final = Path(__file__).resolve().parents[3] / "shared/reference"
SPELLINGS: Final = (
    (r"\bAbs\(", "abs("),
    (r"\bMax\(", "max("),
    (r"\bMin\(", "min("),
    (r"\bE\b", "exp(1)"),
    (r"log\(x, 10\)", "log10(x)"),
    (r"Piecewise\(\(x\*\*2, x > 0\), \(0, True\)\)", "step(x)*x**2"),
)
"""How the reference pairs spell what the language spells otherwise."""

SYMPY_LIMIT: Final = 3.0
OUR_LIMIT: Final = 5.0

Case = tuple[str, Expression, Expression, dict[str, Any], bool]


def read_pair(text: str) -> Expression:
    """A side of a reference pair."""
    for pattern, ours in SPELLINGS:
        text = re.sub(pattern, ours, text)
    return parse_infix(text)


def reference_pairs() -> Iterator[Case]:
    """The labelled pairs that came with the reference folder."""
    for line in (REFERENCE / "equivalence_pairs.jsonl").read_text(encoding="utf-8").splitlines():
        pair = json.loads(line)
        domain = {name: tuple(ends) for name, ends in pair["domain"].items()}
        label = bool(pair["equivalent"])
        yield pair["kind"], read_pair(pair["a"]), read_pair(pair["b"]), domain, label


def variants() -> dict[str, list[tuple[Expression, dict[str, Any]]]]:
    """Domain -> its mutated laws with their ranges."""
    found: dict[str, list[tuple[Expression, dict[str, Any]]]] = {}
    for line in (REFERENCE / "newtonbench_laws.jsonl").read_text(encoding="utf-8").splitlines():
        law = json.loads(line)
        values: dict[str, Expression] = {k: float(v) for k, v in law["constants"].items()}
        ranges = {
            name: (float(ends["min"]), float(ends["max"]))
            for name, ends in law["input_ranges"].items()
        }
        tree = substitute(parse_infix(law["expression"]), values)
        found.setdefault(law["domain"], []).append((tree, ranges))
    return found


def rewritten_variants(turns: int) -> Iterator[Case]:
    """Each law against `turns` seeded rewrites of it, of 4 to 20 rules."""
    number = 0
    for laws in variants().values():
        for law, ranges in laws:
            positive = frozenset(name for name, ends in ranges.items() if ends[0] > 0)
            for turn in range(turns):
                number += 1
                by = Rewriter(positive, number)
                tree = by.rewritten(to_wire(law), 4 + turn % 17)
                yield "rewritten law", law, from_wire(tree), ranges, True


def sibling_variants() -> Iterator[Case]:
    """Any two different laws of a domain."""
    for laws in variants().values():
        for (one, ranges), (other, _) in combinations(laws, 2):
            if one != other:
                yield "sibling laws", one, other, ranges, False


class Tally:
    """Verdicts and times by kind."""

    def __init__(self) -> None:
        self.counts: dict[str, Counter[str]] = {}
        self.times: dict[str, list[float]] = {}

    def take(self, kind: str, found: str, seconds: float, *, expected: bool) -> None:
        """Count one verdict."""
        want = "equal" if expected else "different"
        mark = "right" if found == want else "undecided" if found == "undecided" else "wrong"
        self.counts.setdefault(kind, Counter())[mark] += 1
        self.times.setdefault(kind, []).append(seconds)

    def show(self, title: str) -> None:
        """Print a table with a row a kind and their sum."""
        print(f"\n{title}")
        head = f"{'kind':>24} {'pairs':>6} {'right':>6} {'undecided':>9} {'wrong':>6}"
        print(f"{head} {'median':>10} {'worst':>10}")
        total: Counter[str] = Counter()
        for kind, counts in self.counts.items():
            _row(kind, counts, self.times[kind])
            total += counts
        if len(self.counts) > 1:
            _row("all", total, [t for times in self.times.values() for t in times])


def _row(kind: str, counts: Counter[str], times: list[float]) -> None:
    middle = sorted(times)[len(times) // 2]
    numbers = f"{counts['right']:>6} {counts['undecided']:>9} {counts['wrong']:>6}"
    worst = f"{max(times) * 1e3:>8.1f}ms"
    print(f"{kind:>24} {counts.total():>6} {numbers} {middle * 1e3:>8.1f}ms {worst}")


def ours(cases: Iterable[Case]) -> Tally:
    """Our verdicts."""
    tally = Tally()
    for kind, a, b, domain, label in cases:
        started = time.perf_counter()
        verdict = equivalent(a, b, domain, OUR_LIMIT).verdict
        tally.take(kind, verdict, time.perf_counter() - started, expected=label)
    return tally


def _simplify(difference: Any, _: Any) -> str:
    import sympy

    return "equal" if sympy.simplify(difference) == 0 else "different"


def _equals(_: Any, pair: Any) -> str:
    answer = pair[0].equals(pair[1])
    return "undecided" if answer is None else "equal" if answer else "different"


METHODS: Final[dict[str, Callable[[Any, Any], str]]] = {"simplify": _simplify, "equals": _equals}


def _serve(pipe: Connection) -> None:
    import sympy

    while True:
        method, a, b, domain = pipe.recv()
        symbols = {
            name: sympy.Symbol(name, positive=True)
            if ends[0] > 0
            else sympy.Symbol(name, real=True)
            for name, ends in domain.items()
        }
        try:
            left, right = to_sympy(a, symbols), to_sympy(b, symbols)
            pipe.send(METHODS[method](left - right, (left, right)))
        except (ArithmeticError, AttributeError, NotImplementedError, TypeError, ValueError):
            pipe.send("undecided")


class SympyProcess:
    """One warm process with sympy, killed and replaced when it overruns."""

    def __init__(self) -> None:
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
        self._process.start()
        self._pipe.send(("simplify", 1.0, 1.0, {}))
        self._pipe.recv()

    def ask(self, method: str, case: Case) -> tuple[str, float]:
        """The verdict and the seconds it took; `undecided` at the limit."""
        _, a, b, domain, _ = case
        started = time.perf_counter()
        self._pipe.send((method, a, b, domain))
        if self._pipe.poll(SYMPY_LIMIT):
            return str(self._pipe.recv()), time.perf_counter() - started
        spent = time.perf_counter() - started
        self.stop()
        self._start()
        return "undecided", spent

    def stop(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.join()


def _theirs(cases: list[Case], most_seconds: float) -> None:
    worker = SympyProcess()
    for method in METHODS:
        tally, started = Tally(), time.perf_counter()
        for case in cases:
            if time.perf_counter() - started > most_seconds:
                break
            found, seconds = worker.ask(method, case)
            tally.take("true" if case[4] else "false", found, seconds, expected=case[4])
        tally.show(f"sympy {method}, 3 s, on the reference pairs ('different' = not seen equal)")
    worker.stop()


def _overall(cases: list[Case]) -> None:
    tally = Tally()
    for _, a, b, domain, label in cases:
        started = time.perf_counter()
        verdict = equivalent(a, b, domain, OUR_LIMIT).verdict
        seconds = time.perf_counter() - started
        tally.take("true" if label else "false", verdict, seconds, expected=label)
    tally.show("equivalent, on the reference pairs")


class GapClock:
    """A monotonic clock that keeps the longest time between two readings."""

    def __init__(self) -> None:
        self.longest = 0.0
        self._last = time.perf_counter()

    def __call__(self) -> float:
        """The seconds now."""
        now = time.perf_counter()
        self.longest = max(self.longest, now - self._last)
        self._last = now
        return now


def _hostile(limit: float) -> None:
    """Wall time as the caller sees it, and the longest step that no guard interrupts."""
    print(
        f"\nhostile trees, limit {limit} s; step = the longest time between two looks at the clock"
    )
    print(f"{'law':>24} {'equivalent':>10} {'wall':>8} {'step':>8} {'same_form':>10} {'wall':>8}")
    # scipy is imported at the first search for constants: no part of any comparison.
    same_form(parse_infix("x + exp(x/3)"), parse_infix("2*x + exp(x)"))
    for name, a, b in hostile_pairs():
        domain = {"x": (0.5, 3.0)}
        clock = GapClock()
        started = time.perf_counter()
        verdict = equivalent(a, b, domain, limit, clock).verdict
        wall = time.perf_counter() - started
        started = time.perf_counter()
        form = same_form(a, b, None, domain, limit).verdict
        other = time.perf_counter() - started
        over = "  OVER" if max(wall, other) > limit + 0.1 else ""
        times = f"{wall * 1e3:>6.0f}ms {clock.longest * 1e3:>6.1f}ms"
        print(f"{name:>24} {verdict:>10} {times} {form:>10} {other * 1e3:>6.0f}ms{over}")


def main(*, quick: bool) -> None:
    each, turns = (20, 2) if quick else (125, 20)
    if REFERENCE.exists():
        cases = list(reference_pairs())[:: 4 if quick else 1]
        ours(cases).show("equivalent, on the reference pairs by kind")
        _overall(cases)
        _theirs(cases, 20.0 if quick else 150.0)
        ours(rewritten_variants(turns)).show(f"laws against {turns} rewrites each")
        ours(sibling_variants()).show("any two laws of a domain")
    generated = ((p.kind, p.a, p.b, p.domain, p.equal) for p in labelled_pairs(each))
    ours(generated).show(f"generated pairs, {len(EQUAL)} equal and {len(DIFFERENT)} other kinds")
    _hostile(1.0)


if __name__ == "__main__":
    main(quick="--quick" in sys.argv)
