"""What labelled pairs of laws are drawn with: short decimals, names and small laws from a seed."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from schemas.expression import Expression

Domain = dict[str, Any]
Point = dict[str, float]


@dataclass(frozen=True)
class Pair:
    """Two laws, the domain, and whether they are the same function on it."""

    kind: str
    a: Expression
    b: Expression
    domain: Domain
    equal: bool
    witness: Point | None = field(default=None)


class Draw:
    """Short decimals, names and small laws from one seed."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.Generator(np.random.PCG64(seed))

    def of(self, *items: Any) -> Any:
        """One of the items."""
        return items[int(self.rng.integers(len(items)))]

    def number(self, low: float = 0.2, high: float = 9.0, digits: int = 2) -> float:
        """A short decimal between two bounds."""
        return round(float(self.rng.uniform(low, high)), digits)

    def names(self, count: int) -> list[str]:
        """Distinct names, also those that computer algebra takes for its own."""
        pool = ["x", "y", "t", "E", "I", "S", "N", "beta", "gamma", "lambda", "Q", "zeta", "O"]
        return [pool[int(place)] for place in self.rng.permutation(len(pool))[:count]]

    def law(self, x: str, y: str) -> str:
        """A small law of two variables, as infix text."""
        a, b, c = self.number(), self.number(), self.number()
        return str(
            self.of(
                f"{a}*{x}**2/{y} + {b}",
                f"{a}*exp(-{x}/{b})*{y}**1.5",
                f"{a}*{x}/({b} + {x}) + {c}*{y}",
                f"sqrt({a}*{x} + {b}*{y}**2)",
                f"{a}*log(1 + {x}*{y}) - {b}*{x}",
                f"{a}*sin({b}*{x})*{y} + {c}",
                f"{x}**{b}*{y}**{c}*{a}",
                f"{a}*tanh({x}/{b}) + {y}/({c} + {x}**2)",
                f"{a}*({x} - {b}*{y})**3 + {c}*{x}*{y}",
                f"1/(exp({x}/{a}) + {b}) + {c}*{y}",
                f"atan({a}*{x}/{y}) + {b}",
            )
        )


Maker = Callable[[Draw], "tuple[str, str, Domain, Point | None]"]


def box(*names: str) -> Domain:
    """A domain of the same range for each name."""
    return dict.fromkeys(names, (0.3, 4.0))


def fill(template: str, **values: Any) -> str:
    """The template with `{name}` replaced by each value in brackets."""
    for name, value in values.items():
        template = template.replace("{" + name + "}", f"({value})")
    return template
