"""Speed of compiled laws against hand-written numpy and against sympy's own functions.

Run with `python -m benchmarks.speed.expressions`, on one thread. The Historical laws are those of
`data/historical`; with the reference folder beside the checkout, all of its families too. The
hand-written functions in `benchmarks/speed/plain_laws.py` are what a person types: whole arrays,
temporaries, no look at the domain. Times are the best of several rounds, ours and theirs in
turn.
"""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import sympy

from benchmarks.speed.plain_laws import PLAIN
from lawsmith.expressions import compile_expression, evaluate, parse_infix, to_sympy
from schemas.expression import Expression, from_wire, names_of

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT.parent / "shared/reference/historical.json"
POINTS = 1_000_000
ROUNDS = 25


@dataclass(frozen=True, slots=True)
class Case:
    """One relation with its inputs: columns for controls, one number for each parameter."""

    name: str
    law: Expression
    columns: dict[str, np.ndarray]
    single: dict[str, float]


def cases() -> Iterator[Case]:
    """Every relation of the reference file, or of the repository alone."""
    if REFERENCE.exists():
        for family in json.loads(REFERENCE.read_text(encoding="utf-8"))["families"]:
            rows = [*family["parameters"], *family["derived"]]
            single = {row["name"]: float(row["counterfactual"]) for row in rows}
            columns = _columns(family["inputs"])
            for readout, text in family["relations"].items():
                yield _case(f"{family['id']}/{readout}", parse_infix(text), columns, single)
        return
    for path in sorted((ROOT / "data/historical").glob("*.json")):
        card = json.loads(path.read_text(encoding="utf-8"))
        single = {row["name"]: float(row["value"]) for row in card["independent"]}
        single |= {row["name"]: 0.0 for row in card["corrections"]}
        for row in card["derived"]:
            single[row["name"]] = float(evaluate(from_wire(row["expression"]), single))
        rows = [{"name": row["name"]} | row["domain"] for row in card["controls"]]
        for relation in card["relations"]:
            law = from_wire(relation["expression"])
            yield _case(f"{card['id']}/{relation['readout']}", law, _columns(rows), single)


def _case(
    name: str, law: Expression, columns: dict[str, np.ndarray], single: dict[str, float]
) -> Case:
    used = names_of(law)
    return Case(
        name,
        law,
        {key: value for key, value in columns.items() if key in used},
        {key: value for key, value in single.items() if key in used},
    )


def _columns(rows: list[dict[str, Any]]) -> dict[str, np.ndarray]:
    generator = np.random.Generator(np.random.PCG64(1))
    found = {}
    for row in rows:
        choices: list[float] | None = row.get("values", row.get("choices"))
        if row["name"] == "n_up" and choices:
            # Of a line, the lower level is below the upper one; it is at most 4.
            choices = [level for level in choices if level > 4]
        found[row["name"]] = (
            generator.uniform(row["low"], row["high"], POINTS)
            if choices is None
            else generator.choice(np.array(choices, dtype=float), POINTS)
        )
    return found


def _best(functions: list[Callable[[], Any]], rounds: int, repeats: int) -> list[float]:
    """The best seconds of each; they take turns, so that a busy moment meets all."""
    best = [float("inf")] * len(functions)
    for _ in range(rounds):
        for place, function in enumerate(functions):
            started = time.perf_counter()
            for _ in range(repeats):
                function()
            best[place] = min(best[place], (time.perf_counter() - started) / repeats)
    return best


def many_points(case: Case) -> tuple[float, float]:
    """Seconds of ours and of plain numpy; checks that the values agree."""
    inputs: dict[str, Any] = {**case.columns, **case.single}
    law, plain = compile_expression(case.law), PLAIN[case.name]
    np.testing.assert_allclose(law(inputs), plain(**inputs), rtol=1e-12)
    ours, theirs = _best([lambda: law(inputs), lambda: plain(**inputs)], ROUNDS, 1)
    return ours, theirs


def one_point(case: Case) -> tuple[float, float, float, float, float]:
    """Seconds a call of ours and of lambdify'd functions (math, numpy), then of making both."""
    inputs = {name: float(column[0]) for name, column in case.columns.items()} | case.single
    names = sorted(inputs)
    symbols = [sympy.Symbol(name, real=True) for name in names]
    # The laws are our own constant text: sympy prints them to code, which we never do.
    symbolic = to_sympy(case.law)
    theirs = [sympy.lambdify(symbols, symbolic, kind) for kind in ("math", "numpy")]  # noqa: TID251
    law = compile_expression(case.law)
    arguments = [inputs[name] for name in names]
    assert np.isclose(law(inputs), theirs[0](*arguments), rtol=1e-12)
    calls = _best(
        [
            lambda: law(inputs),
            lambda: theirs[0](*arguments),
            lambda: theirs[1](*arguments),
        ],
        7,
        2000,
    )
    made = _best(
        [
            lambda: compile_expression.__wrapped__(case.law),
            lambda: sympy.lambdify(symbols, symbolic, "math"),  # noqa: TID251
        ],
        3,
        5,
    )
    return calls[0], calls[1], calls[2], made[0], made[1]


def main() -> None:
    """Print both tables."""
    print("| law, 10^6 points | ours, ms | numpy, ms | ours/numpy |")
    print("|---|---:|---:|---:|")
    found = list(cases())
    ratios = []
    for case in found:
        ours, theirs = many_points(case)
        ratios.append(ours / theirs)
        print(f"| {case.name} | {ours * 1e3:.2f} | {theirs * 1e3:.2f} | {ratios[-1]:.2f} |")
    geometric = float(np.exp(np.mean(np.log(ratios))))
    print(f"| geometric mean; worst of {len(ratios)} | | | {geometric:.2f}; {max(ratios):.2f} |")
    print()
    print("| one point, µs | ours | lambdify math | lambdify numpy | make ours | make lambdify |")
    print("|---|---:|---:|---:|---:|---:|")
    rows = [one_point(case) for case in found]
    for case, row in zip(found, rows, strict=True):
        print(f"| {case.name} | {' | '.join(f'{seconds * 1e6:.2f}' for seconds in row)} |")
    means = np.exp(np.mean(np.log(rows), axis=0)) * 1e6
    print(f"| geometric mean | {' | '.join(f'{mean:.2f}' for mean in means)} |")


if __name__ == "__main__":
    main()
