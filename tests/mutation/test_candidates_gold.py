"""Gold cards of real papers: none gives a range of every control, so none becomes a family."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from lawsmith.curation.admission.gates import admit_draft
from lawsmith.curation.packets import build_packet
from schemas.card import CardDraft
from schemas.source import Paper

PAPERS = Path(__file__).resolve().parents[3] / "shared" / "papers"
SLUGS = ("pair-correlations", "stardate-gyrochronology", "transport-checklist")
EMPTY: dict[str, Any] = {
    **{name: [] for name in CardDraft.model_fields},
    "sampling": "cartesian",
    "title": "A gold card",
}

pytestmark = pytest.mark.skipif(not PAPERS.is_dir(), reason="../shared/papers is not there")


def _gold(slug: str) -> list[dict[str, Any]]:
    card = json.loads((PAPERS / slug / "gold_card.json").read_text(encoding="utf-8"))
    return [relation for relation in card["relations"] if relation.get("kind") != "ode"]


def _draft(relation: dict[str, Any]) -> CardDraft:
    """What the gold card holds of one relation, as a draft; what it lacks stays null."""
    # sympy's logarithm with a base is our log10.
    text = re.sub(r"log\((\w+),\s*10\)", r"log10(\1)", relation["rhs"])
    anchors: list[Any] = []
    controls = [
        {
            "name": control["symbol"],
            "symbol": control["symbol"],
            "meaning": control["name"],
            "unit": control["unit"],
            "low": None,
            "high": None,
            "choices": None,
            "inert": False,
            "kind": None,
            "range_source": None,
            "anchors": anchors,
        }
        for control in relation["controls"]
    ]
    readout = relation["readout"][0]
    return CardDraft.model_validate_json(
        json.dumps(
            EMPTY
            | {
                "relations": [
                    {
                        "readout": readout["symbol"],
                        "expression": text,
                        "status": relation["status"],
                        "origin": {"form": "own", "constants": "own"},
                        "anchors": anchors,
                    }
                ],
                "controls": controls,
                "readouts": [
                    {
                        "name": readout["symbol"],
                        "symbol": readout["symbol"],
                        "definition": readout["name"],
                        "unit": readout["unit"],
                        "resolution": None,
                        "uncertainty": None,
                        "uncertainty_kind": None,
                        "anchors": anchors,
                    }
                ],
            }
        )
    )


@pytest.mark.parametrize("slug", SLUGS)
def test_a_gold_card_without_ranges_is_refused_for_that_reason(slug: str) -> None:
    packet = build_packet(PAPERS / slug / "paper.pdf")
    paper = Paper(
        id=f"{packet.paper_id}v1",
        paper_id=packet.paper_id,
        version=1,
        source="folder",
        title="",
        abstract="",
        authors=(),
        categories=(),
        published="2019-05-04T00:00:00Z",
        updated="2019-05-04T00:00:00Z",
        doi=None,
        journal_ref=None,
        licence=None,
        files=(),
        withdrawn=False,
        synthetic=False,
    )
    relations = _gold(slug)
    assert relations
    for relation in relations:
        found = admit_draft(
            _draft(relation),
            packet,
            card_id=f"{packet.paper_id}/r1",
            paper=paper,
            extractor="reader",
            prompt_sha256="0" * 64,
        )
        assert found.card is None
        assert "domain_missing" in {reason.code.value for reason in found.reasons}
