"""Whatever is wrong with a card, the forge says so in a report."""

from collections.abc import Callable
from typing import Any

import pytest

from lawsmith.errors import InputError
from lawsmith.mutation.pairing import forge, forge_proposed

Parts = dict[str, Callable[..., Any]]


def spoiled(parts: Parts, fault: str) -> Any:
    card = parts["card"]
    control, parameter, readout, relation = (
        parts[name] for name in ("control", "parameter", "readout", "relation")
    )
    others = card().parameters[1:]
    faults: dict[str, Callable[[], Any]] = {
        "level per length": lambda: card(parameters=(parameter("a", 3.0, "mag/Mpc"), *others)),
        "level per metre": lambda: card(controls=(card().controls[0], control("z", "dB/m", 1, 30))),
        "unknown unit": lambda: card(readouts=(readout("h", "furlong"), card().readouts[1])),
        "offset in a product": lambda: card(parameters=(parameter("a", 3.0, "degC/m"), *others)),
        "undeclared name": lambda: card(
            relations=(relation("h", "a*shape*nobody"), card().relations[1])
        ),
        "no such readout": lambda: card(readouts=(readout("u", "um"), card().readouts[1])),
        "clash of dimensions": lambda: card(
            relations=(relation("h", "a*shape + z"), card().relations[1])
        ),
        "division by zero": lambda: card(
            relations=(relation("h", "a*shape/(z - z)"), card().relations[1])
        ),
        "overflow": lambda: card(
            relations=(relation("h", "a*shape*exp(exp(z/z0))"), card().relations[1]),
            parameters=(*card().parameters, parameter("z0", 0.001, "cm")),
        ),
        "huge": lambda: card(parameters=(parameter("a", 1e308, "um"), *others)),
        "tiny": lambda: card(parameters=(parameter("a", 5e-324, "um"), *others)),
        "one point": lambda: card(
            controls=(control("x", "m/s", 1.0, 1.0 + 1e-15), control("z", "cm", 1.0, 1.0 + 1e-15))
        ),
        "readout without a control": lambda: card(
            relations=(relation("h", "a*1"), card().relations[1])
        ),
    }
    return faults[fault]()


FAULTS = {
    "level per length": "unknown_unit",
    "level per metre": "unknown_unit",
    "unknown unit": "unknown_unit",
    "offset in a product": "unknown_unit",
    "undeclared name": None,
    "no such readout": "not_executable",
    "clash of dimensions": None,
    "division by zero": "undefined_on_domain",
    "overflow": "undefined_on_domain",
    "huge": None,
    "tiny": None,
    "one point": None,
    "readout without a control": None,
}


@pytest.mark.parametrize(("fault", "code"), FAULTS.items())
def test_a_faulty_card_is_a_report(parts: Parts, key: bytes, fault: str, code: str | None) -> None:
    card = spoiled(parts, fault)
    for report in (forge(card, key), forge_proposed(card, key, ["{}"])):
        assert report.reason_code != "ok" or report.family is not None
        assert report.sentence
        if code is not None:
            assert (report.family, report.reason_code) == (None, code)


def test_a_bad_key_is_the_callers_fault(parts: Parts) -> None:
    with pytest.raises(InputError, match="32 bytes"):
        forge(parts["card"](), b"short")
    with pytest.raises(InputError, match="32 bytes"):
        forge_proposed(parts["card"](), b"short", [])
