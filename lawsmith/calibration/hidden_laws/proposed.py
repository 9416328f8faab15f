"""Hidden laws that somebody else proposes, as data: checked before anything is fitted.

A proposal is untrusted. It declares every edit of the base law and every constant it brings;
the law it states must be what those edits make. Whether it is any good is for the screens.
"""

from typing import Final

from pydantic import Field, ValidationError

from lawsmith.calibration.fitting import PublishedBase
from lawsmith.calibration.hidden_laws.variants import Variant
from lawsmith.errors import InputError
from lawsmith.mutation.moves import MOVES
from lawsmith.units import parse_unit
from schemas.calibrated_task import HiddenEdit
from schemas.expression import Expression, ExpressionField, names_of, node_count, walk, with_node
from schemas.problem import Constant
from schemas.record import Part, strict_json

LONGEST_TEXT: Final = 200_000
MOST_EDITS: Final = 8
MOST_CONSTANTS: Final = 8


class Proposal(Part):
    """The wire form of a proposed hidden law."""

    law: ExpressionField
    """Over controls, the base's constants and the new ones."""
    edits: tuple[HiddenEdit, ...] = Field(min_length=1, max_length=MOST_EDITS)
    constants: tuple[Constant, ...] = Field(max_length=MOST_CONSTANTS)
    """New ones, with units, scopes and starts."""


def variant_of_proposal(text: str, base: PublishedBase) -> Variant:
    """The variant that a proposal stands for.

    Raises:
        InputError: no proposal, an edit that is not of the base, names that are taken, unknown
            or unused, or edits that do not make the stated law.
    """
    proposal = _parsed(text)
    law = _edited(base.law.expression, proposal.edits)
    if law != proposal.law:
        raise InputError("the declared edits do not make it from the base", path="law")
    old = {c.name for c in base.law.constants}
    controls = names_of(base.law.expression) - old
    new = [c.name for c in proposal.constants]
    named = [name for edit in proposal.edits for name in edit.introduced]
    if len(set(new)) < len(new) or set(new) & (old | controls) or sorted(named) != sorted(new):
        raise InputError(f"new constants {new} are taken, twice or undeclared", path="constants")
    unknown = names_of(law) - old - controls - set(new)
    if unknown or set(new) - names_of(law):
        raise InputError(f"{sorted(unknown) or new} are unknown or unused", path="law")
    for constant in proposal.constants:
        parse_unit(constant.unit)
    return Variant(
        law=law,
        constants=_together(base, law, proposal.constants),
        introduced=tuple(new),
        edits=proposal.edits,
        moves=tuple(dict.fromkeys(edit.move for edit in proposal.edits)),
        added=node_count(law) - node_count(base.law.expression),
    )


def _together(
    base: PublishedBase, law: Expression, new: tuple[Constant, ...]
) -> tuple[Constant, ...]:
    """Constants with one start each: the fitted ones of the base, the first of the new ones."""
    label = next(iter(base.fit.constants))
    values = base.fit.values(label)
    kept = [c for c in base.law.constants if c.name in names_of(law)]
    old = [
        c if c.fixed is not None else c.model_copy(update={"starts": (values[c.name],)})
        for c in kept
    ]
    first = [
        c if c.fixed is not None else c.model_copy(update={"starts": c.starts[:1]}) for c in new
    ]
    return (*old, *first)


def _edited(law: Expression, edits: tuple[HiddenEdit, ...]) -> Expression:
    nodes = dict(walk(law))
    for place, edit in enumerate(edits):
        where = f"edits/{place}"
        if edit.move not in MOVES:
            raise InputError(f"{edit.move!r} is no move", path=f"{where}/move")
        if nodes.get(edit.path) != edit.before or edit.before == edit.after:
            raise InputError("is not what the base has there, or changes nothing", path=where)
        for other in edits[:place]:
            one, two = f"{edit.path}/", f"{other.path}/"
            if one.startswith(two) or two.startswith(one):
                raise InputError(f"lies inside or around {other.path!r}", path=f"{where}/path")
    for edit in edits:
        law = with_node(law, edit.path, edit.after)
    return law


def _parsed(text: str) -> Proposal:
    if len(text) > LONGEST_TEXT:
        raise InputError(f"{len(text)} characters; at most {LONGEST_TEXT} are read")
    try:
        strict_json(text)
        return Proposal.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = "/".join(str(part) for part in first["loc"])
        raise InputError(first["msg"], path=where) from error
    except ValueError as error:
        raise InputError(f"no strict JSON: {error}") from error


__all__ = ("Proposal", "variant_of_proposal")
