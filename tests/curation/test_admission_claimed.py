"""Necessary properties, printed tuples and worked values under the gates."""

from collections.abc import Callable
from typing import Any

import pytest

from lawsmith.curation.admission.gates import Admission, admit_draft
from schemas.card import CardDraft
from schemas.packet import Packet
from schemas.source import Paper

Data = dict[str, Any]
Gates = Callable[..., Admission]
TABLE = "At v = 2 m/s and D = 1.5 kPa the flux came out as 0.665 kg/(m2 h), spread 0.01"
NATURE = "The flux is never negative, stays below 9.5 and vanishes as D goes to 0"


@pytest.fixture
def gates(
    lines: tuple[str, ...],
    packet_of: Callable[..., Packet],
    paper: Paper,
    draft_of: Callable[[Data], CardDraft],
) -> Gates:
    """Admits a draft beside the packet with two lines more, 14 and 15."""

    def admission(data: Data) -> Admission:
        return admit_draft(
            draft_of(data),
            packet_of((*lines, TABLE, NATURE)),
            card_id=f"{paper.paper_id}/r1",
            paper=paper,
            extractor="reader-a",
            prompt_sha256="0" * 64,
        )

    return admission


def at(number: int, quote: str) -> list[Data]:
    return [{"first_line": number, "last_line": number, "quote": quote, "support": "the flux"}]


@pytest.fixture
def claiming(data: Data) -> Data:
    """The draft with claims of every sort, all printed."""
    null = dict.fromkeys(("control", "direction", "at", "value", "low", "high"))
    nature = {"readout": "j", **null, "anchors": at(15, "The flux is never negative")}
    setting = [
        {"name": "v", "value": 2.0, "unit": "m/s"},
        {"name": "D", "value": 1.5, "unit": "kPa"},
    ]
    return data | {
        "necessary": [
            nature | {"kind": "sign", "direction": "nonnegative"},
            nature | {"kind": "bound", "low": 0.0, "high": 9.5},
            nature | {"kind": "limit", "control": "D", "at": 0.0, "value": 0.0},
        ],
        "joint_choices": [
            {
                "values": [{"control": "D", "value": 1.5}, {"control": "v", "value": 2.0}],
                "anchors": at(14, "At v = 2 m/s and D = 1.5 kPa"),
            }
        ],
        "worked_values": [
            {
                "setting": setting,
                "readout": "j",
                "value": 0.665,
                "unit": "kg/(m^2*h)",
                "uncertainty": 0.01,
                "anchors": at(14, "the flux came out as 0.665"),
            }
        ],
    }


def test_printed_claims_enter_the_card(gates: Gates, claiming: Data) -> None:
    admission = gates(claiming)
    assert admission.reasons == ()
    card = admission.card
    assert card is not None
    assert card.joint_choices[0].values == (2.0, 1.5)
    assert [item.kind for item in card.necessary] == ["sign", "bound", "limit"]
    assert card.worked_values[0].setting[1].name == "D"
    assert {control.kind for control in card.controls} == {"set"}


def edited(data: Data, path: str, value: Any) -> None:
    *parents, last = path.split("/")
    node: Any = data
    for key in parents:
        node = node[int(key) if key.isdigit() else key]
    node[int(last) if last.isdigit() else last] = value


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("necessary/1/high", 8.5, ("number_not_anchored", "/necessary/1/high")),
        ("necessary/2/at", 0.4, ("number_not_anchored", "/necessary/2/at")),
        ("necessary/0/readout", "q", ("undeclared_name", "/necessary/0/readout")),
        ("necessary/2/control", "j", ("undeclared_name", "/necessary/2/control")),
        ("necessary/0/anchors", [], ("anchor_invalid", "/necessary/0/anchors")),
        ("joint_choices/0/values/0/value", 0.665, None),
        (
            "joint_choices/0/values/0/value",
            2.5,
            ("number_not_anchored", "/joint_choices/0/values/1"),
        ),
        ("joint_choices/0/values/1/value", 0.01, ("outside_domain", "/joint_choices/0/values/0")),
        ("joint_choices/0/values/0/control", "v", ("undeclared_name", "/joint_choices/0/values")),
        ("joint_choices/0/values/0/control", "b0", ("undeclared_name", "/joint_choices/0/values")),
        ("worked_values/0/value", 0.675, ("number_not_anchored", "/worked_values/0/value")),
        (
            "worked_values/0/uncertainty",
            0.02,
            ("number_not_anchored", "/worked_values/0/uncertainty"),
        ),
        (
            "worked_values/0/setting/1/value",
            2.5,
            ("number_not_anchored", "/worked_values/0/setting/1/value"),
        ),
        ("worked_values/0/readout", "v", ("undeclared_name", "/worked_values/0/readout")),
        (
            "worked_values/0/setting/0/name",
            "w",
            ("undeclared_name", "/worked_values/0/setting/0/name"),
        ),
        (
            "worked_values/0/setting/0/name",
            "D",
            ("undeclared_name", "/worked_values/0/setting/1/name"),
        ),
        ("worked_values/0/unit", "splash", ("unknown_unit", "/worked_values/0/unit")),
        (
            "worked_values/0/setting/0/unit",
            "splash",
            ("unknown_unit", "/worked_values/0/setting/0/unit"),
        ),
        (
            "worked_values/0/anchors/0/quote",
            "the flux came out as 0.665 at night",
            ("quote_not_found", "/worked_values/0/anchors/0"),
        ),
    ],
)
def test_a_claim_that_is_not_printed_is_refused_at_its_place(
    gates: Gates, claiming: Data, path: str, value: Any, expected: tuple[str, str] | None
) -> None:
    edited(claiming, path, value)
    found = {(str(reason.code), reason.path) for reason in gates(claiming).reasons}
    assert found == ({expected} if expected else set())
