"""Speed of compiled laws against a plain recursive walk and against sympy's own functions.

Run with `python -m benchmarks.expressions`; it prints ratios of times in this one run.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import sympy

from lawsmith.expressions import compile_expression, evaluate, parse_infix, to_sympy
from schemas.expression import names_of

LAWS = (
    "G*m1*m2/r**2*(1 + alpha*(1 + r/L)*exp(-r/L))",
    "k/m1 - (b/(2*m2))**2 + sqrt(r)*sin(2*pi*r/L) + max(alpha - b, 0)",
    "alpha/(exp(b*r/L) - 1) + log(1 + k*r**1.5)/(1 + k*r**1.5)",
)
SIZES = (1, 1000, 100_000)


def _seconds(function: Callable[[], Any], repeats: int) -> float:
    best = float("inf")
    for _ in range(5):
        started = time.perf_counter()
        for _ in range(repeats):
            function()
        best = min(best, (time.perf_counter() - started) / repeats)
    return best


def _compare(text: str, size: int) -> tuple[float, float, float]:
    law = parse_infix(text)
    names = sorted(names_of(law))
    generator = np.random.Generator(np.random.PCG64(1))
    columns = {name: generator.uniform(0.5, 2.0, size) for name in names}
    inputs: dict[str, Any] = (
        columns if size > 1 else {name: float(column[0]) for name, column in columns.items()}
    )
    compiled = compile_expression(law)
    symbols = [sympy.Symbol(name, real=True) for name in names]
    # The law is our own constant text above: sympy prints it to code, which we never do.
    theirs = sympy.lambdify(symbols, to_sympy(law), "numpy")  # noqa: TID251
    arguments = [inputs[name] for name in names]
    repeats = max(3, 20_000 // max(size, 10))
    return (
        _seconds(lambda: compiled(inputs), repeats),
        _seconds(lambda: evaluate(law, inputs), repeats),
        _seconds(lambda: theirs(*arguments), repeats),
    )


def main() -> None:
    print(
        f"{'law':>3} {'points':>8} {'compiled':>12} {'walk/compiled':>14} {'lambdify/compiled':>18}"
    )
    for number, text in enumerate(LAWS):
        for size in SIZES:
            ours, walk, theirs = _compare(text, size)
            print(
                f"{number:>3} {size:>8} {ours * 1e6:>10.1f}us {walk / ours:>14.2f}"
                f" {theirs / ours:>18.2f}"
            )


if __name__ == "__main__":
    main()
