"""What the screens of hidden laws stand on: a problem with its base law, refusals, figures."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from lawsmith.calibration.fitting import PublishedBase
from lawsmith.calibration.problems import Records, Space
from lawsmith.calibration.worlds import WorldPlan
from lawsmith.errors import LawsmithError
from schemas.calibrated_task import WorldCertificate
from schemas.problem import Problem

Screen = Literal[
    "dimensions", "adequacy", "integrity", "novelty", "visibility", "solvability", "noise"
]


class RefusalError(LawsmithError):
    """A candidate fails a screen."""

    def __init__(self, screen: Screen, sentence: str) -> None:
        self.screen: Screen = screen
        super().__init__(sentence, path=screen)


@dataclass(frozen=True)
class Workbench:
    """A problem, its records and its base law, as the screens need them."""

    problem: Problem
    records: Records
    space: Space
    base: PublishedBase
    plan: WorldPlan

    @cached_property
    def units(self) -> dict[str, str]:
        """Unit of every control."""
        return {column.name: column.unit for column in self.problem.controls}


def passed(name: Screen, sentence: str, figures: dict[str, float]) -> WorldCertificate:
    """The certificate of a screen that was passed."""
    return WorldCertificate(name=name, passed=True, sentence=sentence, figures=figures)


def short(value: float) -> float:
    """A figure to 9 significant digits."""
    return float(f"{value:.9g}")


__all__ = ("RefusalError", "Screen", "Workbench", "passed", "short")
