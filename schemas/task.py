"""Tasks: what the public sees and what stays sealed. Two types, so a leak is a type error."""

from typing import ClassVar, Literal, Self

from pydantic import model_validator

from schemas.expression import ExpressionField
from schemas.family import Design, Environment, FamilyConstraint, FamilyControl, FamilyReadout
from schemas.record import Identity, Name, Part, Record, Sha256
from schemas.source import Collection

Setting = Literal["identification", "discovery"]
TaskKind = Literal["paired"]

WORLD_SENTENCE = (
    "The supplied case defines the world of this task; it may differ from familiar laws."
)


class Blend(Part):
    """The candidate formula of Identification: G = (1 - s)*g + s*g' (SciGame, eq. 1)."""

    parameter: Name
    """`s`, or another name where a control is called so."""
    intermediate_allowed: bool
    """Whether the world may lie between the two; the simulator itself uses s = 0 or s = 1."""
    formulas: dict[str, str]
    """Readout -> infix text of G over the controls and s, unsimplified."""


class PublicTask(Record):
    """A task as players see it. `id` is keyed and leads nowhere."""

    kind: TaskKind
    collection: Collection
    setting: Setting
    background: str
    controls: tuple[FamilyControl, ...]
    readouts: tuple[FamilyReadout, ...]
    constraints: tuple[FamilyConstraint, ...]
    blend: Blend | None
    """Null in Discovery."""
    world: str
    """One sentence: the case defines the world."""
    threshold: float
    """tau: the confidence at which an Adaptive episode must end."""
    adaptive_cap: int
    canary: str

    @model_validator(mode="after")
    def _candidates_only_in_identification(self) -> Self:
        if (self.blend is not None) != (self.setting == "identification"):
            raise ValueError(f"a {self.setting} task with blend={self.blend is not None}")
        return self


class FixedObservation(Part):
    """One public observation: the k-th input of the Fixed design and what the world returns."""

    task_id: Identity
    index: int
    inputs: tuple[float, ...]
    outputs: tuple[float, ...]
    canary: str


class SealedLaw(Part):
    """The truth of one readout over the controls alone, every parameter a literal.

    Nothing is folded: what the source derives from other numbers is an expression of them.
    """

    readout: Name
    expression: ExpressionField
    constants: tuple[str, ...]
    """JSON Pointers of the literals that may be another number in a law of the same form; all
    others are structure. No claim that the data can tell each of them apart."""


class SealedKey(Record):
    """The answer to one task. `id` is the task's."""

    schema_version: ClassVar[int] = 2

    family_id: Identity
    family_digest: Sha256
    world_id: Identity
    environment: Environment
    setting: Setting
    public_digest: Sha256
    """Digest of the PublicTask; a changed task under an old key is caught."""
    laws: tuple[SealedLaw, ...]
    hidden_inputs: tuple[tuple[float, ...], ...]
    hidden_truth: tuple[tuple[float, ...], ...]
    distinguishing_query: tuple[float, ...]
    """One admissible input that tells s = 0 from s = 1 (certificate 10)."""
    canary: str


__all__ = (
    "WORLD_SENTENCE",
    "Blend",
    "Design",
    "FixedObservation",
    "PublicTask",
    "SealedKey",
    "SealedLaw",
    "Setting",
    "TaskKind",
)
