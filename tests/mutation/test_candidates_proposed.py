"""Counterfactuals that come as data pass the same screen and certificates, or say why not."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lawsmith.mutation.pairing import forge, forge_family, forge_proposed
from lawsmith.mutation.proposals import Proposal
from schemas.card import Card
from schemas.family import Family, Stratum

Data = dict[str, Any]


@pytest.fixture(scope="module")
def family(card: Card, key: bytes) -> Family:
    """A keyed family whose Counterfactual is then proposed by hand."""
    return forge_family(card, key, move="interaction")


def as_data(family: Family) -> Data:
    proposal = Proposal(counterfactual=family.counterfactual, mutations=family.mutations)
    data: Data = json.loads(proposal.model_dump_json())
    return data


def test_a_proposal_gives_the_family_that_the_move_gives(
    family: Family, card: Card, key: bytes
) -> None:
    report = forge_proposed(card, key, [json.dumps(as_data(family))])
    assert report.family == family


def test_the_stated_order_holds_among_proposals(card: Card, key: bytes) -> None:
    families = [forge_family(card, key, move=move) for move in ("interaction", "exponent")]
    proposals = [json.dumps(as_data(one)) for one in families]
    report = forge_proposed(card, key, proposals)
    # The exponent adds fewer nodes.
    assert report.family == families[1]


def test_a_proposal_of_another_stratum_is_refused(family: Family, card: Card, key: bytes) -> None:
    other: Stratum = "easy" if family.difficulty != "easy" else "hard"
    report = forge_proposed(card, key, [json.dumps(as_data(family))], difficulty=other)
    assert (report.family, report.reason_code) == (None, "no_candidate")


def test_a_proposal_that_only_moves_a_coefficient_fails(card: Card, key: bytes) -> None:
    report = forge_proposed(card, key, [json.dumps(_coefficient(card, key))])
    assert (report.family, report.reason_code) == (None, "certificate_failed")
    assert [one.certificate for one in report.rejected] == [3]


def _coefficient(card: Card, key: bytes) -> Data:
    """The Original with one coefficient doubled, declared as a structural move."""
    data = as_data(forge_family(card, key, move="exponent"))
    original = forge_family(card, key).original
    data["counterfactual"] = json.loads(original.model_dump_json())
    value = data["counterfactual"]["parameters"][0]["value"]
    data["counterfactual"]["parameters"][0]["value"] = 2 * value
    data["mutations"] = [
        {
            "move": "transform",
            "path": "/parameters/0/value",
            "before": value,
            "after": 2 * value,
            "introduced": [],
        }
    ]
    return data


def _undeclared(data: Data) -> None:
    data["counterfactual"]["parameters"][1]["value"] = 9.0


def _wrong_before(data: Data) -> None:
    data["mutations"][0]["before"] = 3.0


def _nowhere(data: Data) -> None:
    data["mutations"][0]["path"] = "/relations/7/expression"


def _historical(data: Data) -> None:
    data["mutations"][0]["move"] = "historical_correction"


def _no_change(data: Data) -> None:
    data["mutations"][0]["after"] = data["mutations"][0]["before"]


def _twice(data: Data) -> None:
    data["mutations"].append(data["mutations"][0])


def _immutable(data: Data) -> None:
    data["mutations"].append(
        {
            "move": "coefficient",
            "path": "/parameters/3/value",
            "before": data["counterfactual"]["parameters"][3]["value"],
            "after": 2.0,
            "introduced": [],
        }
    )


def _taken(data: Data) -> None:
    data["mutations"][0]["introduced"][0]["name"] = "a"


def _strange_unit(data: Data) -> None:
    data["mutations"][0]["introduced"][0]["unit"] = "furlongs"


def _unknown_name(data: Data) -> None:
    after = {"op": "mul", "args": [data["mutations"][0]["before"], {"var": "nobody"}]}
    data["mutations"][0]["after"] = after
    root = data["mutations"][0]["path"].split("/")
    data["counterfactual"][root[1]][int(root[2])]["expression"] = after


def _deep(data: Data) -> None:
    after: Any = data["mutations"][0]["before"]
    for _ in range(80):
        after = {"op": "neg", "args": [after]}
    data["mutations"][0]["after"] = after


def _endless(data: Data) -> None:
    data["mutations"] = data["mutations"] * 40


def _more_keys(data: Data) -> None:
    data["code"] = "print(1)"


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (_undeclared, "declared mutations do not make it"),
        (_wrong_before, "differs from what the Original has"),
        (_nowhere, "nowhere"),
        (_historical, "no move of a card"),
        (_no_change, "changes nothing"),
        (_twice, "inside or around"),
        (_immutable, "immutable"),
        (_taken, "is taken"),
        (_strange_unit, "furlongs"),
        (_unknown_name, "not known there"),
        (_deep, "deeper than 64"),
        (_endless, "at most 16"),
        (_more_keys, "code"),
    ],
)
def test_malformed_proposals_are_refused_by_name(
    family: Family, card: Card, key: bytes, spoil: Callable[[Data], None], said: str
) -> None:
    data = as_data(family)
    spoil(data)
    report = forge_proposed(card, key, [json.dumps(data)])
    assert report.family is None
    (one,) = report.rejected
    assert one.reason.startswith("malformed proposal")
    assert said in one.reason


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"a": NaN}', "9" * 300_000])
def test_texts_that_are_no_proposal(card: Card, key: bytes, text: str) -> None:
    report = forge_proposed(card, key, [text])
    assert report.family is None
    assert report.rejected[0].reason.startswith("malformed proposal")


def test_a_bad_proposal_does_not_keep_a_good_one_out(
    family: Family, card: Card, key: bytes
) -> None:
    report = forge_proposed(card, key, ["{}", json.dumps(as_data(family))])
    assert report.family == family
    assert len(report.rejected) == 1


def test_laws_that_grow_when_written_out_are_counted_not_built(
    parts: dict[str, Callable[..., Any]], key: bytes
) -> None:
    chain = [parts["definition"]("d0", "1", "x/x0")]
    chain += [parts["definition"](f"d{i}", "1", f"d{i - 1} + 1") for i in range(1, 12)]
    card = parts["card"](
        relations=(parts["relation"]("h", "a*d11*exp(-k*z)"), parts["relation"]("q", "b*d11*z")),
        definitions=tuple(chain),
    )
    original = forge(card, key, move="interaction").family
    assert original is not None
    data = as_data(original)
    data["counterfactual"] = json.loads(original.original.model_dump_json())
    data["mutations"] = []
    for i in range(1, 12):
        before = data["counterfactual"]["definitions"][i]["expression"]
        after = {"op": "add", "args": [{"var": f"d{i - 1}"}] * 300}
        data["counterfactual"]["definitions"][i]["expression"] = after
        data["mutations"].append(
            {
                "move": "transform",
                "path": f"/definitions/{i}/expression",
                "before": before,
                "after": after,
                "introduced": [],
            }
        )
    report = forge_proposed(card, key, [json.dumps(data)])
    assert "exceed 1024" in report.rejected[0].reason


NUMBERS = (0.0, -1.0, 1e300, -1e-300, 5e-324, 1e16, 2.0)
OPS = ("add", "sub", "mul", "div", "pow", "log", "exp", "sqrt", "mod", "atan2", "floor", "acosh")


@given(data=st.data())
@settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_hostile_proposals_are_reports_never_exceptions(
    family: Family, card: Card, key: bytes, data: st.DataObject
) -> None:
    # The law of h is replaced by a drawn tree; the change is declared as it must be.
    tree = st.recursive(
        st.sampled_from(NUMBERS) | st.sampled_from(["x", "z", "a", "k", "shape"]),
        lambda inner: st.tuples(st.sampled_from(OPS), inner, inner),
        max_leaves=6,
    )
    drawn = _wire(data.draw(tree))
    original = json.loads(family.original.model_dump_json())
    before = original["relations"][0]["expression"]
    original["relations"][0]["expression"] = drawn
    mutation = {
        "move": "transform",
        "path": "/relations/0/expression",
        "before": before,
        "after": drawn,
        "introduced": [],
    }
    text = json.dumps({"counterfactual": original, "mutations": [mutation]})
    report = forge_proposed(card, key, [text])
    if report.family is None:
        assert len(report.rejected) == 1
        assert report.rejected[0].reason


def _wire(tree: Any) -> Any:
    if isinstance(tree, float):
        return tree
    if isinstance(tree, str):
        return {"var": tree}
    arity = 1 if tree[0] in {"log", "exp", "sqrt", "floor", "acosh"} else 2
    return {"op": tree[0], "args": [_wire(arg) for arg in tree[1 : 1 + arity]]}


def test_nothing_proposed_is_no_candidate(card: Card, key: bytes) -> None:
    assert forge_proposed(card, key, []).reason_code == "no_candidate"
