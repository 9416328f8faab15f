"""What the gates look at: a card beside its packet, and the card's laws written out."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from lawsmith.curation.admission.known_laws import KnownLaw
from lawsmith.curation.evidence import (
    SearchView,
    anchored_text,
    flattened_in,
    numbers_in,
    without_lost_exponents,
)
from lawsmith.errors import InputError
from schemas.card import Anchors, Card
from schemas.expression import Expression, from_wire, names_of, substitute, to_wire
from schemas.packet import Packet


@dataclass(frozen=True)
class Bench:
    """A card under the gates."""

    card: Card
    packet: Packet
    known: Sequence[KnownLaw]
    licence: str | None

    @cached_property
    def units(self) -> dict[str, str]:
        """Name -> unit, over controls, parameters, definitions and readouts."""
        card = self.card
        tables = (card.readouts, card.definitions, card.parameters, card.controls)
        return {part.name: part.unit for table in tables for part in table}

    @cached_property
    def values(self) -> dict[str, float]:
        """Parameter name -> value."""
        return {parameter.name: parameter.value for parameter in self.card.parameters}

    @cached_property
    def laws(self) -> tuple[Expression, ...]:
        """Each relation over controls alone: definitions written out, parameters as numbers.

        Raises:
            InputError: a law written out is beyond the size limits.
        """
        numbers: dict[str, Expression] = dict(self.values)
        return tuple(substitute(law, numbers) for law in self.laws_with_parameters)

    @cached_property
    def laws_with_parameters(self) -> tuple[Expression, ...]:
        """Each relation over controls and parameters: definitions written out.

        Raises:
            InputError: a law written out is beyond the size limits.
        """
        return tuple(self.expanded(relation.expression) for relation in self.card.relations)

    def expanded(self, expression: Expression) -> Expression:
        """An expression with every definition written out.

        Raises:
            InputError: the result is beyond the size limits.
        """
        return checked(substitute(expression, self.definitions))

    @cached_property
    def definitions(self) -> dict[str, Expression]:
        """Definition name -> expression over controls and parameters.

        Raises:
            InputError: a definition written out is beyond the size limits.
        """
        known: dict[str, Expression] = {}
        for definition in self.card.definitions:
            known[definition.name] = checked(substitute(definition.expression, known))
        return known

    @cached_property
    def constraints(self) -> tuple["Condition", ...]:
        """Each joint condition over controls alone."""
        numbers: dict[str, Expression] = dict(self.values)
        return tuple(
            Condition(substitute(self.expanded(part.expression), numbers))
            for part in self.card.constraints
        )

    def anchored(self, anchors: Anchors) -> str:
        """The packet lines of anchors, each once; lines outside the packet are skipped."""
        return anchored_text(anchors, self.packet)

    def nearby(self, anchors: Anchors, margin: int) -> str:
        """The packet lines of anchors and those up to `margin` lines around them."""
        wider = tuple(
            anchor.model_copy(
                update={
                    "first_line": anchor.first_line - margin,
                    "last_line": anchor.last_line + margin,
                }
            )
            for anchor in anchors
        )
        return anchored_text(wider, self.packet)

    def printed(self, anchors: Anchors) -> list[Decimal]:
        """Every number that the lines of anchors print, in every reading.

        What looks like a power of ten that lost its exponent prints none; TeX loses none.
        """
        text = self.anchored(anchors)
        return numbers_in([text if self.packet.kind == "tex" else without_lost_exponents(text)])

    def doubt(self, readings: Collection[Decimal], anchors: Anchors) -> str:
        """What a lost exponent has to do with a number that is not printed; mostly nothing.

        Args:
            readings: what the number may be, signs aside.
            anchors: where it should be printed.

        Returns:
            The rest of a sentence that says that the number is not printed.
        """
        if self.packet.kind == "tex":
            return ""
        sizes = {abs(value) for value in readings}
        for item in flattened_in([self.anchored(anchors)]):
            if item.value in sizes:
                return (
                    f"; the packet shows {item.shown} where {item.meant} is claimed,"
                    " and no exponent is put back"
                )
        for anchor in anchors:
            for piece in self.view.doubtful(anchor.first_line, anchor.last_line):
                if sizes & {abs(value) for value in numbers_in([piece])}:
                    return f" but in {piece}, which looks like a power that lost its exponent"
        return ""

    @cached_property
    def view(self) -> SearchView:
        """The folded text of the packet."""
        return SearchView(self.packet)

    def used(self, *roots: Expression) -> frozenset[str]:
        """Every name that expressions use, those behind definitions and derivations included."""
        behind: dict[str, Expression] = {d.name: d.expression for d in self.card.definitions}
        for parameter in self.card.parameters:
            if parameter.derivation is not None:
                behind[parameter.name] = parameter.derivation
        return _reached(roots, behind)


@dataclass(frozen=True)
class Condition:
    """A joint condition with its parameters put in: admissible where >= 0."""

    expression: Expression


def checked(expression: Expression) -> Expression:
    """The expression, if it is within the size limits.

    Raises:
        InputError: more than 1,024 nodes or deeper than 64.
    """
    try:
        return from_wire(to_wire(expression))
    except ValueError as error:
        raise InputError(f"written out it is too large: {error}") from error


def _reached(roots: Sequence[Expression], behind: Mapping[str, Expression]) -> frozenset[str]:
    found: set[str] = set()
    open_roots = list(roots)
    while open_roots:
        for name in names_of(open_roots.pop()) - found:
            found.add(name)
            if name in behind:
                open_roots.append(behind[name])
    return frozenset(found)


__all__ = ("Bench", "Condition", "checked")
