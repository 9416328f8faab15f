"""A hand-written card: two readouts that share a definition, and builders for its variants."""

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from lawsmith.curation.admission.gates import admit_draft
from lawsmith.curation.packets import build_packet
from lawsmith.expressions import parse_infix
from lawsmith.keyed_draws import parse_key
from schemas.card import (
    Anchor,
    Card,
    CardDraft,
    Consistency,
    Control,
    Definition,
    Origin,
    Parameter,
    Range,
    Readout,
    Relation,
)
from schemas.source import Paper

ROOT = Path(__file__).resolve().parents[2]
ANCHORS = (
    Anchor(
        packet_sha256="0" * 64,
        first_line=1,
        last_line=1,
        quote_sha256="1" * 64,
        support="as stated",
        repaired=False,
    ),
)


def relation(readout: str, text: str) -> Relation:
    return Relation(
        readout=readout,
        expression=parse_infix(text),
        status="fitted",
        origin=Origin(form="own", constants="own"),
        anchors=ANCHORS,
    )


def definition(name: str, unit: str, text: str) -> Definition:
    return Definition(
        name=name, meaning=name, unit=unit, expression=parse_infix(text), anchors=ANCHORS
    )


def control(name: str, unit: str, low: float, high: float) -> Control:
    return Control(
        name=name,
        symbol=name,
        meaning=f"setting {name}",
        unit=unit,
        domain=Range(low=low, high=high),
        inert=False,
        anchors=ANCHORS,
    )


def readout(name: str, unit: str, **stated: Any) -> Readout:
    values: dict[str, Any] = {"resolution": None, "uncertainty": None, "uncertainty_kind": None}
    return Readout(
        name=name,
        symbol=name,
        definition=f"reading of gauge {name}",
        unit=unit,
        anchors=ANCHORS,
        **(values | stated),
    )


def parameter(name: str, value: float, unit: str, **more: Any) -> Parameter:
    values: dict[str, Any] = {"role": "fitted", "derivation": None, "universal_constant": None}
    return Parameter(
        name=name,
        symbol=name,
        meaning=name,
        value=value,
        unit=unit,
        uncertainty=None,
        fixed=True,
        anchors=ANCHORS,
        **(values | more),
    )


def identity(left: str, right: str) -> Consistency:
    return Consistency(left=parse_infix(left), right=parse_infix(right), anchors=ANCHORS)


def make_card(**changes: Any) -> Card:
    fields: dict[str, Any] = {
        "id": "sample:0099/r1",
        "paper_id": "sample:0099",
        "version": 1,
        "packet_id": "sample:0099v1/text/000000000000",
        "packet_sha256": "0" * 64,
        "title": "Film thickness in a tilted channel",
        "relations": (
            relation("h", "a*shape*exp(-k*z)"),
            relation("q", "b*shape*z"),
        ),
        "definitions": (definition("shape", "1", "(x/x0)**0.62"),),
        "consistency": (),
        "controls": (control("x", "m/s", 0.2, 4.0), control("z", "cm", 1.0, 30.0)),
        "readouts": (readout("h", "um"), readout("q", "mL/s")),
        "parameters": (
            parameter("a", 143.0, "um"),
            parameter("b", 0.37, "mL/s/cm"),
            parameter("k", 0.053, "1/cm"),
            parameter("x0", 1.3, "m/s", role="reference"),
        ),
        "constraints": (),
        "sampling": "cartesian",
        "sampling_anchors": ANCHORS,
        "fixed_conditions": (),
        "mechanisms": (),
        "applicability": (),
        "limitations": (),
        "aggregation": (),
        "sample_size": (),
        "claim_dependencies": (),
        "extractor": "reader",
        "prompt_sha256": "2" * 64,
        "revision": 0,
        "replayed": False,
        "draft_sha256": "3" * 64,
    }
    return Card(**(fields | changes))


@pytest.fixture(scope="session")
def parts() -> dict[str, Callable[..., Any]]:
    """Builders of a card and its parts, by name."""
    return {
        "card": make_card,
        "relation": relation,
        "definition": definition,
        "control": control,
        "readout": readout,
        "parameter": parameter,
        "identity": identity,
    }


@pytest.fixture(scope="session")
def card() -> Card:
    """The hand-written card."""
    return make_card()


@pytest.fixture(scope="session")
def key() -> bytes:
    """The public development key."""
    return parse_key((ROOT / "data/keys/historical-dev").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def historical_files() -> list[Path]:
    """The committed Historical cards."""
    return sorted((ROOT / "data/historical").glob("*.json"))


@pytest.fixture(scope="session")
def draw_key() -> Callable[[int], bytes]:
    """The key of the n-th draw."""
    return lambda n: sha256(f"draw {n}".encode()).digest()


@pytest.fixture(scope="session")
def sample_key() -> bytes:
    """The public key of the sample collection."""
    return parse_key((ROOT / "data/keys/temporal-sample").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def sample_cards() -> dict[str, Card]:
    """Card id -> card, of every recorded draft of the sample window that the gates admit."""
    found: dict[str, Card] = {}
    lines = (ROOT / "data/sample/replies.jsonl").read_text(encoding="utf-8").splitlines()
    for reply in map(json.loads, lines):
        drafts = json.loads(reply["text"])["cards"] if reply["role"] == "extractor" else []
        for draft in drafts:
            card = _admitted(reply, draft)
            if card is not None:
                found[card.id] = card
    return found


def _admitted(reply: dict[str, Any], draft: dict[str, Any]) -> Card | None:
    name, kind, _ = reply["subject_id"].split("/")
    paper_id, version = name.rsplit("v", 1)
    stem = paper_id.replace(":", "-")
    path = {"pdf": f"papers/{stem}.pdf", "tex": f"tex/{stem}/main.tex"}[kind]
    paper = Paper(
        id=name,
        paper_id=paper_id,
        version=int(version),
        source="sample",
        title="",
        abstract="",
        authors=(),
        categories=(),
        published="2026-05-04T00:00:00Z",
        updated="2026-05-04T00:00:00Z",
        doi=None,
        journal_ref=None,
        licence="CC-BY-4.0",
        files=(),
        withdrawn=False,
        synthetic=True,
    )
    return admit_draft(
        CardDraft.model_validate_json(json.dumps(draft)),
        build_packet(ROOT / "data/sample" / path, paper_id=paper_id, version=int(version)),
        card_id=f"{paper_id}/r1",
        paper=paper,
        extractor=reply["model"],
        prompt_sha256=reply["prompt_sha256"],
    ).card
