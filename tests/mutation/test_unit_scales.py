"""Moves on laws in percent, ppm and degC: what the forge makes means the same in SI units."""

from collections.abc import Callable
from typing import Any

from lawsmith.expressions import parse_infix
from lawsmith.mutation.forge_session import Workbench
from lawsmith.mutation.pairing import forge
from schemas.card import Card

Parts = dict[str, Callable[..., Any]]


def _cooling(parts: Parts) -> Card:
    card: Card = parts["card"](
        relations=(parts["relation"]("T", "Ta + (T0 - Ta)*exp(-t/tau)"),),
        definitions=(),
        controls=(parts["control"]("T0", "degC", 50, 95), parts["control"]("t", "min", 1, 60)),
        readouts=(parts["readout"]("T", "degC"),),
        parameters=(parts["parameter"]("Ta", 21, "degC"), parts["parameter"]("tau", 18, "min")),
    )
    return card


def test_a_share_is_no_pure_number(parts: Parts, key: bytes) -> None:
    card = parts["card"](
        relations=(parts["relation"]("y", "a*c*exp(-t/t0)*(1 + f/f0)"),),
        definitions=(),
        controls=(
            parts["control"]("c", "ppm", 20, 400),
            parts["control"]("f", "percent", 5, 80),
            parts["control"]("t", "s", 1, 30),
        ),
        readouts=(parts["readout"]("y", "mm"),),
        parameters=(
            parts["parameter"]("a", 3, "mm/ppm"),
            parts["parameter"]("f0", 22, "percent"),
            parts["parameter"]("t0", 7, "s"),
        ),
    )
    ground = Workbench(card, key).ground
    assert [ground.is_pure(parse_infix(text)) for text in ("c", "f", "f/f0", "c/f", "t/t0")] == [
        False,
        False,
        True,
        False,
        True,
    ]
    report = forge(card, key)
    assert report.family is not None
    assert 1 not in {one.certificate for one in report.rejected}


def test_a_law_in_degrees_celsius_never_mixes_a_temperature_and_a_difference(
    parts: Parts, draw_key: Callable[[int], bytes]
) -> None:
    seen = 0
    for n in range(3):
        report = forge(_cooling(parts), draw_key(n))
        seen += sum(one.certificate == 1 for one in report.rejected)
        if report.family is not None:
            assert report.family.certificates[0].outcome == "passed"
    assert seen > 0
