"""The Historical cards: ranges and rules with reasons, every name and unit known, one law each."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from lawsmith.curation.admission.known_laws import CandidateLaw, historical_law, restated_by
from lawsmith.expressions import check_dimensions, parse_infix
from lawsmith.mutation.laws.historical import load_historical, original_of
from lawsmith.mutation.laws.relation_sets import edited, folded_laws, laws_of, units_of
from lawsmith.units import parse_unit
from schemas.card import Choices, Control, Range
from schemas.expression import Expression, names_of, substitute
from schemas.family import RelationSet
from schemas.historical_card import HistoricalCard

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / "data" / "historical").glob("*.json"))
CARDS = {path.stem: load_historical(path) for path in FILES}
KNOWN = {slug: historical_law(card) for slug, card in CARDS.items()}
Data = dict[str, Any]
each_card = pytest.mark.parametrize("card", CARDS.values(), ids=CARDS)


def in_the_middle(card: HistoricalCard) -> RelationSet:
    """A Counterfactual: every rule's target in the middle of its range."""
    original = original_of(card)
    position = {p.name: i for i, p in enumerate(original.parameters)}
    return edited(
        original,
        {
            f"/parameters/{position[rule.target]}/value": (rule.low + rule.high) / 2
            for rule in card.mutation_rules
        },
    )


def as_controls(names_units_domains: list[tuple[str, str, Any]]) -> list[Control]:
    return [
        Control(name=n, symbol=n, meaning=n, unit=u, domain=d, inert=False, anchors=())
        for n, u, d in names_units_domains
    ]


def test_the_collection_is_twenty_families_in_many_fields() -> None:
    assert len(CARDS) == 20
    fields = {card.field for card in CARDS.values()}
    assert "psychophysics" in fields
    assert len(fields) >= 15


def test_the_collection_has_every_kind_of_interface() -> None:
    cards = CARDS.values()
    assert sum(len(card.readouts) == 2 for card in cards) >= 3
    assert sum(bool(card.constraints) for card in cards) >= 2
    discrete = [c for c in cards if any(isinstance(x.domain, Choices) for x in c.controls)]
    assert len(discrete) >= 2
    assert sum(any(control.inert for control in card.controls) for card in cards) >= 1


@pytest.mark.parametrize("path", FILES, ids=CARDS)
def test_a_file_is_a_plain_card_without_drawn_values(path: Path) -> None:
    assert re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", path.stem)
    text = path.read_text(encoding="ascii")
    card: Data = json.loads(text)
    assert text == json.dumps(card, indent=1) + "\n"
    assert set(card) == set(HistoricalCard.model_fields) - {"format"}
    for rule in card["mutation_rules"]:
        assert set(rule) == {"target", "low", "high", "reason"}
    for part in card["corrections"]:
        # Zero in the Original and drawn for a Counterfactual: a card holds no value of it.
        assert "value" not in part


@each_card
def test_names_are_declared_once_and_all_are_used(card: HistoricalCard) -> None:
    controls = [c.name for c in card.controls]
    parameters = [p.name for p in card.independent] + [c.name for c in card.corrections]
    derived = [d.name for d in card.derived]
    readouts = [r.name for r in card.readouts]
    names = [*controls, *parameters, *derived, *readouts]
    assert len(names) == len(set(names))
    known = set(parameters)
    used = set[str]()
    for part in card.derived:
        assert names_of(part.expression) <= known
        used |= names_of(part.expression)
        known.add(part.name)
    for relation in card.relations:
        assert names_of(relation.expression) <= known | set(controls)
        used |= names_of(relation.expression)
    for constraint in card.constraints:
        assert names_of(constraint.expression) <= known | set(controls)
    for correction in card.corrections:
        assert names_of(correction.term) <= known | set(controls)
    for left, right in card.consistency:
        assert names_of(left) | names_of(right) <= set(names)
    assert used >= {*controls, *parameters, *derived}


@each_card
def test_units_are_known_and_every_term_closes(card: HistoricalCard) -> None:
    units = units_of(original_of(card), card.controls)
    units |= {readout.name: readout.unit for readout in card.readouts}
    for unit in units.values():
        parse_unit(unit)
    for part in card.derived:
        check_dimensions(part.expression, units, part.unit)
    for relation in card.relations:
        check_dimensions(relation.expression, units, units[relation.readout])


@each_card
def test_every_value_is_cited_and_illustrative_ones_say_so(card: HistoricalCard) -> None:
    citations = [card.citation, *(part.citation for part in card.relations)]
    citations += [part.citation for part in card.independent]
    citations += [part.citation for part in card.corrections]
    assert all(len(citation) >= 4 for citation in citations)
    for part in card.independent:
        invented = re.search(r"\b(illustrative|chosen|invented)\b", part.citation)
        assert bool(invented) <= (part.origin == "illustrative"), part.name
    for correction in card.corrections:
        # A correction's super-family has a year, or the card says that it was made up.
        assert re.search(r"\b1[5-9]\d\d\b|\b20\d\d\b|invented", correction.citation)


@each_card
def test_what_moves_has_a_range_with_a_reason_apart_from_the_original(card: HistoricalCard) -> None:
    value = {p.name: p.value for p in card.independent}
    value |= {c.name: 0.0 for c in card.corrections}
    targets = [rule.target for rule in card.mutation_rules]
    assert len(targets) == len(set(targets))
    assert {c.name for c in card.corrections} <= set(targets) <= set(value)
    for rule in card.mutation_rules:
        assert len(rule.reason) > 40
        assert not rule.low <= value[rule.target] <= rule.high


@each_card
def test_zero_corrections_and_doubts_are_stated(card: HistoricalCard) -> None:
    for correction in card.corrections:
        assert f"{correction.meaning} ({correction.name}) is zero in the Original" in (
            card.assumptions
        )
    assert any(text.startswith("Doubt: ") for text in card.assumptions)


@each_card
def test_a_control_is_called_inert_exactly_when_the_original_ignores_it(
    card: HistoricalCard,
) -> None:
    names = {control.name for control in card.controls}
    acting = set[str]()
    for law in folded_laws(original_of(card)).values():
        acting |= names_of(law)
    assert names - acting == {control.name for control in card.controls if control.inert}
    assert len(acting) >= 2
    # In the Counterfactual nothing is inert: a distractor of one world works in the other.
    moved = {name for law in folded_laws(in_the_middle(card)).values() for name in names_of(law)}
    assert moved == names


@each_card
def test_a_law_is_that_of_its_own_family_and_of_no_other(card: HistoricalCard) -> None:
    controls = as_controls([(c.name, c.unit, c.domain) for c in card.controls])
    units = {readout.name: readout.unit for readout in card.readouts}
    known = [law for slug, law in KNOWN.items() if slug != card.id]
    for world in (original_of(card), in_the_middle(card)):
        laws = [CandidateLaw(law, units[name]) for name, law in folded_laws(world).items()]
        assert restated_by(laws, controls, known) == ()
    laws = [CandidateLaw(law, units[name]) for name, law in laws_of(original_of(card)).items()]
    assert [law.id for law in restated_by(laws, controls, [KNOWN[card.id]])] == [card.id]


def sample_drafts() -> list[Data]:
    lines = (ROOT / "data" / "sample" / "replies.jsonl").read_text(encoding="utf-8").splitlines()
    replies = [json.loads(line) for line in lines]
    return [
        draft
        for reply in replies
        if reply["role"] == "extractor"
        for draft in json.loads(reply["text"])["cards"]
    ]


@pytest.mark.parametrize("draft", sample_drafts(), ids=lambda draft: draft["title"][:40])
def test_no_family_has_the_law_of_a_sample_paper(draft: Data) -> None:
    meanings: dict[str, Expression] = {
        part["name"]: float(part["value"]) for part in draft["parameters"]
    }
    for part in draft["definitions"]:
        meanings[part["name"]] = substitute(parse_infix(part["expression"]), meanings)
    units = {readout["name"]: readout["unit"] for readout in draft["readouts"]}
    laws = [
        CandidateLaw(substitute(parse_infix(r["expression"]), meanings), units[r["readout"]])
        for r in draft["relations"]
    ]
    controls = as_controls(
        [(c["name"], c["unit"], Range(low=1.0, high=2.0)) for c in draft["controls"]]
    )
    assert laws
    assert restated_by(laws, controls, list(KNOWN.values())) == ()


def test_the_page_on_the_collection_lists_exactly_these_families() -> None:
    page = (ROOT / "docs" / "historical.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `([a-z_]+)` \|", page, flags=re.MULTILINE)
    assert sorted(listed) == sorted(CARDS)
