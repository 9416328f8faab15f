"""Formulas, units, values and ranges against what the lines print: each gate and its reading."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from lawsmith.curation.admission.gates import Admission, admit_draft
from lawsmith.curation.evidence.plain_formulas import UnreadError, read_plain
from lawsmith.curation.evidence.quantities import (
    assignments,
    quantities_in,
    quantity_text,
    ranges_in,
    units_in,
)
from lawsmith.curation.evidence.symbols import folded_symbol, mentions
from lawsmith.expressions import evaluate
from schemas.card import CardDraft
from schemas.packet import Packet
from schemas.source import Paper

Data = dict[str, Any]
Found = Callable[..., set[tuple[str, str]]]


@pytest.fixture
def found(packet: Packet, paper: Paper, draft_of: Callable[[Data], CardDraft]) -> Found:
    """Codes and paths of the reasons against a draft."""

    def run(data: Data, on: Packet = packet) -> set[tuple[str, str]]:
        admission: Admission = admit_draft(
            draft_of(data),
            on,
            card_id="sample:0001/r1",
            paper=paper,
            extractor="reader-a",
            prompt_sha256="0" * 64,
        )
        return {(reason.code.value, reason.path) for reason in admission.reasons}

    return run


LAW = ("formula_mismatch", "/relations/0/expression")


@pytest.mark.parametrize(
    "expression",
    [
        "(b0 + b1*(v/v0)^0.62)*D/(D + Dh)",
        "D*(b1*(v/v0)^0.62 + b0)/(Dh + D)",
        "b0*D/(D + Dh) + b1*exp(0.62*log(v/v0))*D/(D + Dh)",
    ],
)
def test_the_printed_law_passes_in_any_form(found: Found, data: Data, expression: str) -> None:
    data["relations"][0]["expression"] = expression
    assert found(data) == set()


@pytest.mark.parametrize(
    "expression",
    [
        "(b0 + b1*(v/v0)^(-0.62))*D/(D + Dh)",
        "(b0 - b1*(v/v0)^0.62)*D/(D + Dh)",
        "(b0 + b1*(v/v0)^0.62)*Dh/(D + Dh)",
        "(b0 + b1*(v/v0)^0.62)*D/(2*D + Dh)",
        "(b0 + b1*(v/v0)^0.62)*D/(D + Dh)*2",
    ],
)
def test_another_law_than_the_printed_one_is_stopped(
    found: Found, data: Data, expression: str
) -> None:
    data["relations"][0]["expression"] = expression
    assert LAW in found(data)


def test_a_term_left_out_with_its_constant_is_missed_by_nobody(found: Found, data: Data) -> None:
    data["relations"][0]["expression"] = "b1*(v/v0)^0.62*D/(D + Dh)"
    del data["parameters"][1]
    assert found(data) == {LAW}


def test_print_that_cannot_be_read_decides_nothing(
    found: Found, data: Data, lines: tuple[str, ...], packet_of: Callable[..., Packet]
) -> None:
    broken = (*lines[:8], "j = (b0 + b1 (v/v0)^0.62) D", "D + Dh", *lines[9:])
    data["relations"][0]["anchors"][0].update(first_line=8, last_line=10)
    for part in data["parameters"]:
        part["anchors"][0]["first_line"] += 1
        part["anchors"][0]["last_line"] += 1
    assert LAW not in found(data, packet_of(broken))


def test_a_law_printed_for_another_symbol_is_not_the_readout_s(found: Found, data: Data) -> None:
    data["readouts"][0] |= {"name": "k", "symbol": "k"}
    data["relations"][0]["readout"] = "k"
    assert LAW in found(data)


def test_one_sign_names_one_quantity(found: Found, data: Data) -> None:
    data["readouts"][0]["symbol"] = "b0"
    assert ("ambiguous_symbol", "/parameters/1/symbol") in found(data)


def test_a_printed_joint_condition_belongs_to_the_card(
    found: Found, data: Data, lines: tuple[str, ...], packet_of: Callable[..., Packet]
) -> None:
    limited = packet_of((*lines, "All settings used satisfy D <= q v."))
    assert ("condition_dropped", "/constraints") in found(data, limited)
    single = packet_of((*lines, "All settings used satisfy D <= 3 and v < 9."))
    assert found(data, single) == set()


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        ({"unit": "bar"}, ("unit_not_anchored", "/parameters/3/unit")),
        ({"unit": "MPa"}, ("unit_not_anchored", "/parameters/3/unit")),
        ({"value": 0.41, "uncertainty": 0.02}, ("value_mismatch", "/parameters/3/value")),
        ({"uncertainty": 0.02}, ("value_mismatch", "/parameters/3/uncertainty")),
    ],
)
def test_values_stand_beside_their_symbol_and_unit(
    found: Found, data: Data, edit: Data, expected: tuple[str, str]
) -> None:
    data["parameters"][3] |= edit
    data["parameters"][3]["anchors"].append(dict(data["parameters"][1]["anchors"][0]))
    assert expected in found(data)


def test_the_range_of_another_control_is_not_this_one_s(found: Found, data: Data) -> None:
    data["controls"][0] |= {"low": 0.3, "high": 3.6}
    data["controls"][0]["anchors"][0]["last_line"] = 4
    assert ("range_not_anchored", "/controls/0/domain") in found(data)


def test_a_constant_of_the_fit_is_no_control(found: Found, data: Data) -> None:
    part = data["parameters"].pop(1)
    shared = ("name", "symbol", "meaning", "unit", "anchors")
    data["controls"].append(
        {key: part[key] for key in shared}
        | {"low": 0.02, "high": 0.41, "choices": None, "inert": False}
    )
    assert ("not_a_control", "/controls/2") in found(data)


def test_a_number_is_no_resolution_unless_the_lines_call_it_one(
    found: Found, data: Data, lines: tuple[str, ...], packet_of: Callable[..., Packet]
) -> None:
    changed = tuple(line.replace("the balance resolves", "a blank slab lost") for line in lines)
    assert ("value_mismatch", "/readouts/0/resolution") in found(data, packet_of(changed))


@pytest.mark.parametrize(
    ("printed", "value"),
    [
        ("Lp P exp(-c/cg) / (1 + (P/Pf) (u/u0)^(-0.55))", 2.0 * 3 * 0.6065306597126334 / 1.5),
        ("2 P u0 where P is known", 6.0),
        ("P^2 - 3 P (1)", 0.0),
        ("4πPu0 cm", 37.69911184307752),
    ],
)
def test_plain_formulas_are_read_as_printed(printed: str, value: float) -> None:
    values = {"Lp": 2.0, "P": 3.0, "c": 0.5, "cg": 1.0, "Pf": 6.0, "u": 1.0, "u0": 1.0}
    read = read_plain(printed, values).expression
    assert evaluate(read, {**values, "pi": 3.141592653589793}) == pytest.approx(value)


@pytest.mark.parametrize("printed", ["19e^(-)(", "+", "max(P, u)", "(P"])
def test_what_is_no_formula_is_not_read(printed: str) -> None:
    with pytest.raises(UnreadError):
        read_plain(printed, {"P", "u"})


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        (r"$b_0$ = 0.41 $\pm$ 0.02 kg/(m$^2$ h), the", "0.41", "kg/(m^2*h)"),
        ("10 mmol g$^{-1}$ h$^{-1}$ and", "10", "mmol*g^(-1)*h^(-1)"),
        ("from 6 to 300 min at", "6", "min"),
        ("gm = 0.43 ± 0.01 1/day, the", "0.43", "1/day"),
        ("5.92mS/cm^2", "5.92", "mS/cm^2"),
        ("kt = 0.347 ± 0.011 and", "0.347", None),
        ("b2\n2.0\nd1\n0.4", "2.0", None),
    ],
)
def test_units_are_read_behind_their_numbers(text: str, value: str, unit: str | None) -> None:
    printed = dict(quantities_in(quantity_text(text)))
    assert printed[frozenset({Decimal(value)})] == unit


def test_ranges_assignments_and_symbols_are_read_in_their_usual_forms() -> None:
    def ends(text: str) -> list[tuple[Decimal, Decimal, str | None]]:
        return [(min(r.low), max(r.high), r.unit) for r in ranges_in(quantity_text(text))]

    assert ends("between 0.2 m/s and 8 m/s, and 3 and 4 more") == [
        (Decimal("0.2"), Decimal(8), "m/s")
    ]
    assert ends("0.56 $<$ $C$ $<$ 2.7") == [(Decimal("0.56"), Decimal("2.7"), None)]
    assert units_in(quantity_text("the flux J in L/(m^2 h). It")) == ("J", "L/(m^2*h)")
    (row,) = assignments(r"$c_0$ & -4.7 $\pm$ 0.5 \\", ("c0",))
    assert row.values == {Decimal("-4.7")}
    assert row.errors == {Decimal("0.5")}
    (cell,) = assignments("| k_cat | 41.7 ± 0.9 | 1/s |", ("kcat",))
    assert cell.errors == {Decimal("0.9")}
    (plain,) = assignments("Q 2.17 0.06", ("Q",))
    assert plain.values == {Decimal("2.17")}
    assert assignments("a 5 mm tube", ("a",)) == []
    assert folded_symbol(r"\lambda_{\rm a}") == folded_symbol("lambda_a") == "lambdaa"
    assert mentions("4πDC of it", ("D",))
    assert not mentions("Distance of it", ("D",))


def test_macros_of_siunitx_are_read_as_quantities() -> None:
    text = quantity_text(
        r"$\SIrange{20}{60}{\per\second}$, \SI{1.19}{\kilogram\per\cubic\metre},"
        r" \qty{3}{\milli\metre\squared} and \SI{2}{m/s}"
    )
    (found,) = ranges_in(text)
    assert (set(found.low), set(found.high)) == ({Decimal(20)}, {Decimal(60)})
    assert found.unit == "s^(-1)"
    assert units_in(text) == ("s^(-1)", "kg*m^(-3)", "mm^2", "m/s")


def test_a_subscript_that_is_a_macro_belongs_to_its_symbol() -> None:
    assert folded_symbol(r"v_{\max}") == "vmax"
    assert mentions(r"$n D \le v_{\max}$", ("vmax",))
