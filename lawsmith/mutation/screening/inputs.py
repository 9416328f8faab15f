"""A family laid out for its certificates: laws, designs and truths as arrays."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Final, Literal

import numpy as np

from lawsmith.errors import UndefinedValueError
from lawsmith.measurement import Points, dense_design
from lawsmith.mutation.laws import (
    DENSE_POINTS,
    LawForm,
    Table,
    declared_parameters,
    float_values,
    folded_laws,
    law_forms,
    laws_of,
)
from schemas.expression import Expression
from schemas.family import Certificate, Environment, Family, RelationSet

ENVIRONMENTS: Final[tuple[Environment, ...]] = ("original", "counterfactual")
VERSIONS: Final[Mapping[int, int]] = MappingProxyType(
    {1: 2, 2: 3, 3: 3, 4: 1, 5: 1, 6: 2, 7: 2, 8: 2, 9: 3, 10: 2, 11: 2, 12: 1}
)
"""Raised whenever a certificate's rule or figures change; another version is another figure."""
NAMES: Final[Mapping[int, str]] = MappingProxyType(
    {
        1: "dimensions and unit coherence",
        2: "defined on the domain",
        3: "distinct in form",
        4: "distinguishable both ways",
        5: "null battery",
        6: "every control matters",
        7: "recoverable",
        8: "scale is sane",
        9: "length of the numbers",
        10: "one query tells",
        11: "consistency identities",
        12: "physically possible",
    }
)
Figures = Mapping[str, float | str]


@dataclass(frozen=True)
class Case:
    """A family's stored data as arrays; everything else is computed from them when asked."""

    family: Family

    @cached_property
    def sets(self) -> dict[Environment, RelationSet]:
        """Both relation sets."""
        return {"original": self.family.original, "counterfactual": self.family.counterfactual}

    @cached_property
    def laws(self) -> dict[Environment, dict[str, Expression]]:
        """Environment -> readout -> unfolded law over the controls alone."""
        return {name: laws_of(relations) for name, relations in self.sets.items()}

    @cached_property
    def folded(self) -> dict[Environment, dict[str, Expression]]:
        """Environment -> readout -> folded law."""
        return {name: folded_laws(relations) for name, relations in self.sets.items()}

    @cached_property
    def declared(self) -> frozenset[str]:
        """Parameters that are constants also where they stand in an exponent."""
        return declared_parameters(self.family.original)

    @cached_property
    def forms(self) -> dict[Environment, dict[str, LawForm]]:
        """Environment -> readout -> folded law with its free constants named."""
        return {name: law_forms(relations, self.declared) for name, relations in self.sets.items()}

    @cached_property
    def hidden(self) -> Points:
        """Hidden inputs, shape (n, controls)."""
        return np.asarray(self.family.hidden.inputs, dtype=np.float64)

    @cached_property
    def fixed(self) -> Points:
        """Fixed inputs, shape (16, controls)."""
        return np.asarray(self.family.fixed.inputs, dtype=np.float64)

    @cached_property
    def hidden_truth(self) -> dict[Environment, Table]:
        """Stored truths at the hidden inputs."""
        design = self.family.hidden
        return {
            "original": np.asarray(design.original, dtype=np.float64),
            "counterfactual": np.asarray(design.counterfactual, dtype=np.float64),
        }

    @cached_property
    def fixed_truth(self) -> dict[Environment, Table]:
        """Stored truths at the Fixed inputs."""
        design = self.family.fixed
        return {
            "original": np.asarray(design.original, dtype=np.float64),
            "counterfactual": np.asarray(design.counterfactual, dtype=np.float64),
        }

    @cached_property
    def dense(self) -> Points:
        """The unkeyed dense design."""
        return dense_design(self.family.controls, self.family.constraints, DENSE_POINTS)

    @cached_property
    def dense_values(self) -> dict[Environment, Table | None]:
        """float64 values on the dense design; None where a law is undefined somewhere."""
        found: dict[Environment, Table | None] = {}
        for name, laws in self.laws.items():
            try:
                found[name] = float_values(laws, self.family.controls, self.dense)
            except UndefinedValueError:
                found[name] = None
        return found

    @cached_property
    def absolute(self) -> Points:
        """a_r, shape (readouts,)."""
        return np.array([readout.absolute for readout in self.family.readouts])

    @cached_property
    def relative(self) -> Points:
        """lambda, shape (readouts,)."""
        return np.array([readout.relative for readout in self.family.readouts])

    @cached_property
    def steps(self) -> Points:
        """The resolution of each readout, a_r where there is none, shape (readouts,)."""
        return np.array(
            [readout.resolution or readout.absolute for readout in self.family.readouts]
        )


def certificate(
    number: int,
    passed: bool,
    figures: Figures,
    sentence: str,
) -> Certificate:
    """A certificate with its figures rounded to 9 significant digits."""
    outcome: Literal["passed", "failed"] = "passed" if passed else "failed"
    rounded = {key: nine(v) if isinstance(v, float) else v for key, v in figures.items()}
    return Certificate(
        number=number,
        name=NAMES[number],
        version=VERSIONS[number],
        outcome=outcome,
        figures=rounded,
        sentence=sentence,
    )


def nine(value: float) -> float:
    """A figure to 9 significant digits; an infinite one is written as the largest float."""
    return float(f"{min(max(float(value), -1e308), 1e308):.9g}") + 0.0


__all__ = ("ENVIRONMENTS", "Case", "Figures", "certificate", "nine")
