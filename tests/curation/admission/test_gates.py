"""Each gate refuses what it is for, with its code and path, and lets the sound card pass."""

from collections.abc import Callable
from typing import Any

import pytest

from lawsmith.curation.admission.context import Bench
from lawsmith.curation.admission.gate_table import BUILDING_FINDS, FINDINGS, GATES
from lawsmith.curation.admission.gates import Admission, admit, admit_draft
from lawsmith.curation.admission.known_laws import KnownLaw, KnownRelation
from lawsmith.curation.admission.overrides import Override
from lawsmith.expressions import parse_infix
from schemas.card import Card, CardDraft
from schemas.packet import Packet
from schemas.source import Paper, ReasonCode

Data = dict[str, Any]
Gates = Callable[[Data], Admission]


@pytest.fixture
def gates(packet: Packet, paper: Paper, draft_of: Callable[[Data], CardDraft]) -> Gates:
    def run(data: Data, on: Packet = packet, **more: Any) -> Admission:
        licence = more.pop("licence", None)
        admission = admit_draft(
            draft_of(data),
            on,
            card_id="sample:0001/r1",
            paper=paper.model_copy(update={"licence": licence}),
            extractor="reader-a",
            prompt_sha256="0" * 64,
            **more,
        )
        if admission.refused is not None:
            bench = Bench(admission.refused, on, more.get("known", ()), licence)
            for gate in GATES:
                if gate.name not in admission.not_run:
                    assert {reason.code for reason in gate.run(bench)} <= {*gate.finds}, gate.name
        return admission

    return run


def found(admission: Admission) -> set[tuple[str, str]]:
    assert admission.card is None
    return {(reason.code.value, reason.path) for reason in admission.reasons}


def at(first: int, last: int, quote: str, support: str = "said there") -> Data:
    return {"first_line": first, "last_line": last, "quote": quote, "support": support}


def test_every_finding_is_that_of_a_gate_or_of_the_building() -> None:
    of_gates = {code for gate in GATES for code in gate.finds}
    assert {finding.code for finding in FINDINGS} == {*of_gates, *BUILDING_FINDS} - {
        *(ReasonCode.INFEASIBLE_DESIGN, ReasonCode.TOO_FEW_COMBINATIONS),
    }
    names = [gate.name for gate in GATES]
    for position, gate in enumerate(GATES):
        assert {*gate.needs} <= {*names[:position]}, gate.name


def test_a_sound_draft_becomes_a_card(gates: Gates, data: Data, packet: Packet) -> None:
    admission = gates(data)
    assert admission.reasons == ()
    assert admission.not_run == ()
    card = admission.card
    assert card is not None
    assert card.id == "sample:0001/r1"
    assert card.packet_sha256 == packet.text_sha256
    assert card.relations[0].expression == parse_infix("(b0 + b1*(v/v0)^0.62)*D/(D + Dh)")
    assert not any(a.repaired for p in card.parameters for a in p.anchors)
    assert Card.from_json(card.to_json()) == card


def test_the_verdict_on_a_card_is_the_same_again(gates: Gates, data: Data, packet: Packet) -> None:
    card = gates(data).card
    assert card is not None
    verdict = admit(card, packet)
    assert verdict.accepted
    assert verdict.reasons == ()


def test_a_quote_at_one_other_place_moves_the_anchor(gates: Gates, data: Data) -> None:
    data["controls"][0]["anchors"] = [at(9, 9, "from 0.2 m/s to 8 m/s")]
    card = gates(data).card
    assert card is not None
    moved = card.controls[0].anchors[0]
    assert (moved.first_line, moved.last_line, moved.repaired) == (3, 3, True)


def test_a_changed_digit_in_the_paper_is_stopped_by_the_number_gate(
    gates: Any, data: Data, lines: tuple[str, ...], packet_of: Callable[..., Packet]
) -> None:
    changed = packet_of(tuple(line.replace("0.87", "0.78") for line in lines))
    admission = gates(data, on=changed)
    assert found(admission) == {
        ("number_not_anchored", "/parameters/2/value"),
        ("value_mismatch", "/parameters/2/value"),
    }
    assert admission.refused is not None


@pytest.mark.parametrize(
    ("printed", "claimed", "why"),
    [
        ("8.7 × 10^6", 8.7e6, None),
        ("8.7 × 106", 8.7e6, "; the packet shows 8.7 × 106 where 8.7 × 10^6 is claimed"),
        ("8.7 × 10−6", 8.7e-6, "; the packet shows 8.7 × 10-6 where 8.7 × 10^-6 is claimed"),
        ("106", 1e6, "; the packet shows 106 where 10^6 is claimed"),
        ("8.7 × 106", 8.7, " but in 8.7 × 106, which looks like a power that lost its exponent"),
        ("8.7 × 106", 106.0, " but in 8.7 × 106, which looks like a power that lost its exponent"),
        ("106", 106.0, None),
        ("106", 107.0, ""),
    ],
)
def test_no_number_stands_on_a_lost_exponent(
    gates: Any,
    data: Data,
    lines: tuple[str, ...],
    packet_of: Callable[..., Packet],
    printed: str,
    claimed: float,
    why: str | None,
) -> None:
    changed = packet_of(tuple(line.replace("0.87 ±", f"{printed} ±") for line in lines))
    data["parameters"][2]["value"] = claimed
    reasons = [
        reason.sentence
        for reason in gates(data, on=changed).reasons
        if reason.path == "/parameters/2/value" and reason.code is ReasonCode.NUMBER_NOT_ANCHORED
    ]
    if why is None:
        assert reasons == []
    else:
        (sentence,) = reasons
        assert "is not printed in its lines 10-11" in sentence
        assert why in sentence
        assert why or sentence.endswith("10-11")


def test_what_tex_writes_is_not_doubted(
    gates: Any, data: Data, lines: tuple[str, ...], packet_of: Callable[..., Packet]
) -> None:
    made = packet_of(tuple(line.replace("0.87 ±", "8.7 × 106 ±") for line in lines))
    tex = made.model_copy(update={"kind": "tex"})
    data["parameters"][2]["value"] = 106.0
    paths = {reason.path for reason in gates(data, on=tex).reasons}
    assert "/parameters/2/value" not in paths


def test_a_sentence_may_not_put_back_an_exponent(
    gates: Any, data: Data, lines: tuple[str, ...], packet_of: Callable[..., Packet]
) -> None:
    changed = packet_of(
        tuple(line.replace("was 303 K", "was 303 K in 10 of 3 × 106 runs") for line in lines)
    )
    data["fixed_conditions"][0]["statement"] = "The air was kept at 303 K in 3 × 10^6 runs"
    (reason,) = gates(data, on=changed).reasons
    assert reason.path == "/fixed_conditions/0/statement"
    assert "3 × 10^6 of the sentence is not printed" in reason.sentence
    assert "the packet shows 3 × 106 where 3 × 10^6 is claimed" in reason.sentence


def _number(path: str) -> tuple[str, str]:
    return "number_not_anchored", path


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (
            {"controls/0/anchors/0/quote": "this stands nowhere"},
            ("quote_not_found", "/controls/0/anchors/0"),
        ),
        ({"controls/0/anchors/0/quote": "0.2 m/s"}, ("anchor_invalid", "/controls/0/anchors/0")),
        (
            {"controls/0/anchors/0/first_line": 0, "controls/0/anchors/0/quote": "nowhere at all"},
            ("anchor_invalid", "/controls/0/anchors/0"),
        ),
        ({"controls/0/anchors": []}, ("anchor_invalid", "/controls/0/anchors")),
        (
            {"relations/0/expression": "(b0 + b1*(v/v0)^0.63)*D/(D + Dh)"},
            _number("/relations/0/expression/args/0/args/0/args/1/args/1/args/1"),
        ),
        ({"parameters/1/uncertainty": 0.03}, _number("/parameters/1/uncertainty")),
        ({"controls/1/high": 3.7}, _number("/controls/1/domain/high")),
        ({"readouts/0/resolution": 0.01}, _number("/readouts/0/resolution")),
        (
            {"fixed_conditions/0/statement": "The air was kept at 313 K"},
            _number("/fixed_conditions/0/statement"),
        ),
        (
            {"parameters/1/anchors/0/support": "42 values"},
            _number("/parameters/1/anchors/0/support"),
        ),
        ({"parameters/1/unit": "kg/(m2*h)"}, ("unknown_unit", "/parameters/1/unit")),
        (
            {"parameters/1/unit": "kg/m^2"},
            ("dimension_mismatch", "/relations/0/expression/args/0/args/0"),
        ),
        ({"readouts/0/unit": "kg/m^2"}, ("dimension_mismatch", "/relations/0/expression")),
        ({"parameters/3/unit": "Pa"}, ("unit_incoherent", "/relations/0/expression")),
        (
            {"relations/0/expression": "(b0 + b1*(v/v0)^0.62)*D/(D + Dq)"},
            ("undeclared_name", "/relations/0/expression"),
        ),
        ({"relations/0/expression": "b0*D/(D + Dh)"}, ("unused_name", "/parameters/2/name")),
        (
            {"relations/0/expression": "(b0 + b1 (v/v0)^0.62)*D/(D + Dh)"},
            ("invalid_expression", "/relations/0/expression"),
        ),
        ({"relations/0/readout": "k"}, ("undeclared_name", "/relations/0/readout")),
        ({"parameters/1/name": "exp"}, ("invalid_expression", "/parameters/1/name")),
        ({"parameters/1/name": "v"}, ("invalid_expression", "/parameters/1/name")),
        (
            {"relations/0/expression": "(b0 + b1*(v/v0)^0.62)*D/(D - Dh)*log(-v/v0)"},
            ("undefined_on_domain", "/relations/0/expression"),
        ),
        (
            # A pole of one sign, between all samples.
            {"relations/0/expression": "(b0 + b1*(v/v0)^0.62)*D*Dh/(D*D - D*Dh + Dh*Dh/4)"},
            ("undefined_on_domain", "/relations/0/expression"),
        ),
        ({"controls/0/low": None, "controls/0/high": None}, ("domain_missing", "/controls/0")),
        ({"controls/0/low": 8.0, "controls/0/high": 0.2}, ("domain_missing", "/controls/0")),
        ({"controls/0/choices": [0.2, 8.0]}, ("domain_missing", "/controls/0")),
        ({"parameters/2/value": None}, ("not_executable", "/parameters/2/value")),
        ({"relations": []}, ("not_executable", "/relations")),
        ({"relations/0/status": "proportionality"}, ("not_executable", "/relations/0/status")),
        ({"sampling": "paired"}, ("paired_domain", "/sampling")),
        ({"relations/0/status": "equality"}, ("status_too_strong", "/relations/0/status")),
        (
            {"relations/0/origin": {"form": "taken_over", "constants": "taken_over"}},
            ("restated", "/relations"),
        ),
        ({"controls/0/inert": True}, ("inert_control", "/controls/0/inert")),
        (
            {"fixed_conditions/0/statement": "The relation holds on the whole rectangle of it"},
            ("beyond_licence", "/fixed_conditions/0/statement"),
        ),
        ({"readouts/0/uncertainty": 0.001}, ("not_executable", "/readouts/0/uncertainty")),
    ],
)
def test_each_fault_has_its_code_and_path(
    gates: Gates, data: Data, edit: Data, expected: tuple[str, str]
) -> None:
    for path, value in edit.items():
        _set(data, path, value)
    assert expected in found(gates(data))


def _set(data: Any, path: str, value: Any) -> None:
    *way, last = path.split("/")
    for key in way:
        data = data[int(key)] if key.isdigit() else data[key]
    data[int(last) if last.isdigit() else last] = value


def test_all_reasons_are_collected(gates: Gates, data: Data) -> None:
    data["controls"][1]["high"] = 3.7
    data["sampling"] = "paired"
    data["relations"][0]["status"] = "equality"
    codes = {code for code, _ in found(gates(data))}
    assert codes == {
        *("number_not_anchored", "range_not_anchored"),
        *("paired_domain", "status_too_strong"),
    }


def test_a_control_that_cancels_is_inert(gates: Gates, data: Data) -> None:
    data["relations"][0]["expression"] = "(b0 + b1*(v/v0)^0.62 + (v - v)*b0/v0)*D/(D + Dh)*v/v"
    assert gates(data).card is not None
    data["relations"][0]["expression"] = "(b0 + b1*(v/v)^0.62 + 0*b0*v/v0)*D/(D + Dh)"
    assert ("inert_control", "/controls/0/inert") in found(gates(data))


def test_gates_behind_a_failed_one_are_named(gates: Gates, data: Data) -> None:
    data["parameters"][1]["unit"] = "florin"
    admission = gates(data)
    assert admission.not_run == (
        *("printed units", "printed ranges"),
        *("dimensions", "coherence", "known"),
    )


def test_an_unbuildable_draft_runs_no_gate(gates: Gates, data: Data) -> None:
    data["relations"][0]["expression"] = "b0 +"
    admission = gates(data)
    assert admission.refused is None
    assert admission.not_run == tuple(gate.name for gate in GATES)


def test_a_derived_value_is_recomputed(gates: Gates, data: Data) -> None:
    data["parameters"][2] |= {"value": 0.82, "derivation": "2*b0", "uncertainty": None}
    assert gates(data).card is not None
    data["parameters"][2]["value"] = 0.83
    assert ("derivation_mismatch", "/parameters/2/derivation") in found(gates(data))


def test_a_universal_constant_takes_the_table_value(
    gates: Any, data: Data, lines: tuple[str, ...], packet_of: Callable[..., Packet]
) -> None:
    longer = packet_of((*lines, "and R is the molar gas constant"))
    data["parameters"].append(
        data["parameters"][0]
        | {
            "name": "R",
            "symbol": "R",
            "value": None,
            "unit": "J/(mol*K)",
            "universal_constant": "molar gas constant",
            "anchors": [at(14, 14, "R is the molar gas constant")],
        }
    )
    data["relations"][0]["expression"] += "*R/R"
    card = gates(data, on=longer).card
    assert card is not None
    assert card.parameters[4].value == 8.31446261815324
    data["parameters"][4]["value"] = 8.3
    admission = gates(data, on=longer)
    assert ("not_executable", "/parameters/4/universal_constant") in found(admission)


@pytest.mark.parametrize(
    ("line", "status", "form", "expected"),
    [
        ("j scales as (v/v0)^0.62 at any deficit", "fitted", "own", "/relations/0/status"),
        ("j = 0.62 v, of order of magnitude only", "fitted", "own", "/relations/0/status"),
        ("j is approximately j = (v/v0)^0.62", "equality", "own", "/relations/0/status"),
        ("j = (v/v0)^0.62 as given by [12]", "equality", "own", "/relations/0/origin"),
        ("j = (v/v0)^0.62 as given by [12]", "equality", "taken_over", None),
        ("we fitted j = (v/v0)^0.62 here", "fitted", "own", None),
        ("not fitted: j = (v/v0)^0.62 exactly", "equality", "own", None),
        ("j is proportional to j = (v/v0)^0.62", "fitted", "own", None),
    ],
)
def test_claims_are_no_stronger_than_their_lines(
    gates: Any,
    data: Data,
    lines: tuple[str, ...],
    packet_of: Callable[..., Packet],
    line: str,
    status: str,
    form: str,
    expected: str | None,
) -> None:
    origin = {"form": form, "constants": "own"}
    data["relations"][0] |= {"status": status, "origin": origin, "anchors": [at(14, 14, line)]}
    for part in data["parameters"]:
        part["role"] = "fitted" if status == "fitted" else "constant"
    admission = gates(data, on=packet_of((*lines, line)))
    stopped = [r.path for r in admission.reasons if r.code is ReasonCode.STATUS_TOO_STRONG]
    assert stopped == ([expected] if expected else [])


def test_the_form_of_a_known_law_is_recognised(gates: Any, data: Data) -> None:
    form = "(a + b*(u/u1)^0.62)*p/(p + q)"
    units = {"a": "kg/(m^2*s)", "b": "kg/(m^2*s)", "u": "m/s", "u1": "m/s", "p": "Pa", "q": "Pa"}
    relation = KnownRelation("kg/(m^2*s)", parse_infix(form), units, frozenset({"u", "p"}))
    for kind, code in (("textbook", "temporal_restated"), ("family", "duplicate")):
        known = KnownLaw("drying", kind, (relation,))  # type: ignore[arg-type]
        assert found(gates(data, known=(known,))) == {(code, "/relations")}
    other = KnownRelation("kg/(m^2*s)", parse_infix("a*(u/u1)^0.62*p/(p + q)"), units, None)
    assert gates(data, known=(KnownLaw("other", "textbook", (other,)),)).card is not None


def test_a_licence_lets_words_through(gates: Any, data: Data) -> None:
    statement = "holds on the whole rectangle of the design and nowhere"
    data["applicability"] = [
        {"statement": statement, "anchors": [at(12, 12, "holds on the whole rectangle")]}
    ]
    assert ("beyond_licence", "/applicability/0/statement") in found(gates(data))
    assert ("beyond_licence", "/applicability/0/statement") in found(
        gates(data, licence="CC-BY-NC-4.0")
    )
    assert gates(data, licence="CC-BY-4.0").card is not None


def test_definitions_are_written_out_in_order(gates: Gates, data: Data) -> None:
    data["definitions"] = [
        {
            "name": "wind",
            "meaning": "the part that the air speed sets",
            "unit": "kg/(m^2*h)",
            "expression": "b0 + b1*(v/v0)^0.62",
            "anchors": [at(9, 9, "(b0 + b1 (v/v0)^0.62)")],
        }
    ]
    data["relations"][0]["expression"] = "wind*D/(D + Dh)"
    assert gates(data).card is not None
    data["definitions"][0]["expression"] = "wind*(v/v0)^0.62"
    assert ("undeclared_name", "/definitions/0/expression") in found(gates(data))


def test_constraints_keep_the_domain_defined(
    gates: Any, data: Data, lines: tuple[str, ...], packet_of: Callable[..., Packet]
) -> None:
    printed = packet_of(tuple(line.replace("D/(D + Dh)", "D/sqrt(D Dh - D D)") for line in lines))
    data["relations"][0]["expression"] = "(b0 + b1*(v/v0)^0.62)*D/sqrt(D*Dh - D*D)"
    assert found(gates(data, on=printed)) == {("undefined_on_domain", "/relations/0/expression")}
    data["constraints"] = [
        {
            "expression": "Dh - D - Dh/2",
            "meaning": "a small deficit",
            "anchors": [at(4, 4, "vapour-pressure deficit D")],
        }
    ]
    assert gates(data, on=printed).card is not None


def test_broken_identities_are_refused(gates: Gates, data: Data) -> None:
    data["consistency"] = [
        {"left": "j/b0", "right": "j/b0 + v/v0", "anchors": [at(9, 9, "j = (b0 + b1 (v/v0)")]}
    ]
    assert ("not_executable", "/consistency/0") in found(gates(data))
    data["consistency"][0]["right"] = "2*j/(b0 + b0)"
    assert gates(data).card is not None


def test_a_card_of_another_packet_is_refused(
    gates: Gates,
    data: Data,
    lines: tuple[str, ...],
    packet_of: Callable[..., Packet],
) -> None:
    card = gates(data).card
    assert card is not None
    verdict = admit(card, packet_of((*lines, "one line more")))
    assert not verdict.accepted
    assert [reason.code for reason in verdict.reasons] == [ReasonCode.PACKET_CHANGED]
    assert "numbers" in verdict.not_run


def test_a_person_may_lift_judgement_but_not_form(gates: Any, data: Data) -> None:
    accept = Override("sample:0001/r1", "accept", "checked against the PDF", "A. Curator")
    data["controls"][1]["high"] = 3.7
    assert found(gates(data)) == {
        _number("/controls/1/domain/high"),
        ("range_not_anchored", "/controls/1/domain"),
    }
    assert gates(data, override=accept).card is not None
    data["parameters"][1]["unit"] = "florin"
    assert ("unknown_unit", "/parameters/1/unit") in found(gates(data, override=accept))


def test_a_person_may_reject(gates: Any, data: Data) -> None:
    reject = Override("sample:0001/r1", "reject", "set by eye", "A. Curator")
    admission = gates(data, override=reject)
    assert found(admission) == {("overridden", "")}
    assert "A. Curator" in admission.reasons[0].sentence


def test_hostile_lines_change_no_verdict(
    gates: Any, data: Data, lines: tuple[str, ...], packet_of: Callable[..., Packet]
) -> None:
    plain = packet_of(lines[:-1])
    data["sampling"] = "paired"
    assert found(gates(data)) == found(gates(data, on=plain)) == {("paired_domain", "/sampling")}
