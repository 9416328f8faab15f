"""Background text: defines inputs and outputs, and its gates refuse whatever tells more."""

from collections.abc import Callable
from typing import Any

import pytest

from lawsmith.curation.admission.background import background_text, check_background, interface_of
from lawsmith.curation.admission.gates import admit_draft
from lawsmith.expressions import parse_infix
from schemas.card import Card, CardDraft, Choices, Constraint, Domain, Range
from schemas.family import LawParameter, LawRelation, RelationSet
from schemas.packet import Packet
from schemas.source import Paper, ReasonCode

LAWS = (
    RelationSet(
        parameters=(
            LawParameter(name="b1", symbol="b_1", value=0.87, unit="kg/(m^2*h)", mutable=True),
        ),
        definitions=(),
        relations=(LawRelation(readout="j", expression=parse_infix("b1*v^0.62*D/(D + 2.45)")),),
    ),
    RelationSet(
        parameters=(
            LawParameter(name="b1", symbol="b_1", value=1.31, unit="kg/(m^2*h)", mutable=True),
        ),
        definitions=(),
        relations=(LawRelation(readout="j", expression=parse_infix("b1*v^0.62*D/(D + 3.6)")),),
    ),
)


@pytest.fixture
def card(
    data: dict[str, Any], draft_of: Callable[..., CardDraft], packet: Packet, paper: Paper
) -> Card:
    data["fixed_conditions"].append(
        {
            "statement": "The flux grows with 0.62 at any deficit",
            "anchors": data["relations"][0]["anchors"],
        }
    )
    admission = admit_draft(
        draft_of(data),
        packet,
        card_id="sample:0001/r1",
        paper=paper,
        extractor="reader-a",
        prompt_sha256="0" * 64,
    )
    assert admission.card is not None
    return admission.card


def _found(card: Card, text: str, **more: Any) -> list[str]:
    inputs, outputs = interface_of(card, {}, {})
    reasons = check_background(text, inputs=inputs, outputs=outputs, laws=LAWS, **more)
    assert {reason.code for reason in reasons} <= {ReasonCode.BACKGROUND_LEAKS}
    return [reason.sentence for reason in reasons]


def test_the_template_defines_everything_and_passes(card: Card, packet: Packet) -> None:
    text = background_text(card)
    assert text == (
        "An apparatus takes the inputs below and reports the outputs below.\n"
        "\n"
        "Inputs:\n"
        "- `v`: what the operator sets as v. Any value from 0.2 to 8; unit m/s.\n"
        "- `D`: what the operator sets as D. Any value from 0.3 to 3.6; unit kPa.\n"
        "\n"
        "Outputs:\n"
        "- `j`: mass lost per unit of time and of open area. Read in steps of 0.001;"
        " unit kg/(m^2*h).\n"
        "\n"
        "Held fixed:\n"
        "- The air was kept at 303 K.\n"
    )
    assert _found(card, text, packet_text=packet.text, names=("Lawsmith sample",)) == []


def test_narrowed_domains_are_shown(card: Card) -> None:
    domains: dict[str, Domain] = {"v": Range(low=0.5, high=2.0), "D": Choices(choices=(0.5, 1.5))}
    text = background_text(card, domains=domains, resolutions={"j": None})
    assert "Any value from 0.5 to 2; unit m/s." in text
    assert "One of 0.5, 1.5; unit kPa." in text
    assert "In full precision; unit kg/(m^2*h)." in text


@pytest.mark.parametrize(
    ("added", "said"),
    [
        ("The flux is proportional to the speed.", "'proportional'"),
        ("The flux goes with the inverse of D.", "'inverse'"),
        ("It goes with the speed squared.", "'squared'"),
        ("It goes with the square of the speed.", "'square'"),
        ("Take the square root.", "'square'"),
        ("The flux follows the square.", "'the square'"),
        ("A square-law detector.", "'square'"),
        ("It decays exponentially.", "'decays'"),
        ("A linear response.", "'linear'"),
        ("The flux increases with speed.", "'increases with'"),
        ("The output saturates.", "'saturates'"),
        ("A power law.", "'power law'"),
        ("Here j = v.", "'='"),
        ("It follows exp(v).", "'exp('"),
        ("It goes as v^2.", "'^'"),
        ("The exponent is 0.62.", "0.62 is a number of the law"),
        ("A constant of 1.31 stands in it.", "1.31 is a number of the law"),
        ("See Fig. 3 for it.", "'Fig. 3'"),
        ("From arXiv 2605.01234.", "'arXiv'"),
        ("This is Dalton's law.", '"Dalton\'s law"'),
        ("By the Lawsmith sample group.", "it names 'Lawsmith sample'"),
    ],
)
def test_what_tells_more_is_refused(card: Card, added: str, said: str) -> None:
    sentences = _found(card, background_text(card) + added, names=("Lawsmith sample",))
    assert any(said in sentence for sentence in sentences), sentences


def test_words_of_measuring_pass(card: Card) -> None:
    plain = "The slab is 5 square metres. The law of this case is its own."
    assert _found(card, background_text(card) + plain) == []


@pytest.mark.parametrize("shape", ["a square side of 120 mm", "120 mm square", "a square duct"])
def test_a_square_shape_is_no_law(card: Card, shape: str) -> None:
    assert _found(card, background_text(card) + f"The slab has {shape}.") == []


def test_a_range_end_that_is_a_number_of_the_law_is_due(card: Card) -> None:
    # 3.6 is the end of D's range and a number of the second law.
    assert "3.6" in background_text(card)
    assert _found(card, background_text(card)) == []


def test_every_name_needs_unit_and_range(card: Card) -> None:
    text = background_text(card)
    assert _found(card, text.replace("`v`", "speed")) == ["'v' is not defined with its unit 'm/s'"]
    assert _found(card, text.replace("3.6", "4")) == [
        "the range of 'D' is not given: 3.6 is missing"
    ]


def test_runs_of_the_packet_are_refused(card: Card, packet: Packet) -> None:
    text = background_text(card) + "The relation holds on the whole rectangle of the design."
    found = _found(card, text, packet_text=packet.text)
    assert found == ["it repeats 'the relation holds on the whole rectangle of' of the source"]
    assert _found(card, text) == []


def test_a_definition_may_say_too_much(card: Card) -> None:
    told = card.readouts[0].model_copy(update={"definition": "flux proportional to the speed"})
    spoken = card.model_copy(update={"readouts": (told,)})
    assert any("proportional" in sentence for sentence in _found(card, background_text(spoken)))


def test_joint_conditions_are_announced(card: Card) -> None:
    assert "joint conditions" not in background_text(card)
    limit = Constraint(
        expression=parse_infix("v"), meaning="a limit", anchors=card.controls[0].anchors
    )
    text = background_text(card.model_copy(update={"constraints": (limit,)}))
    assert "Not every combination of inputs can be set" in text
    assert _found(card, text) == []
