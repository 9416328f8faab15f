"""Honest drafts of sample papers meet the gates: sound ones pass, misprints are stopped."""

import json
from pathlib import Path
from typing import Any

import pytest

from lawsmith.curation.admission.gates import Admission, admit_draft
from lawsmith.curation.admission.known_laws import textbook_laws
from lawsmith.curation.evidence.search_view import SearchView
from lawsmith.curation.packets import build_packet
from schemas.card import CardDraft
from schemas.packet import Packet
from schemas.source import Paper

DATA = Path(__file__).resolve().parents[2] / "data"
Data = dict[str, Any]


def _short(quote: str) -> str:
    """The first words of a quote, fewer than would count as copied."""
    return " ".join(quote.split()[:5])


class _Reader:
    """Writes a draft as a reader would: each fact with a quote and the lines it stands on."""

    def __init__(self, packet: Packet) -> None:
        self._view = SearchView(packet)

    def at(self, *quotes: str) -> list[Data]:
        anchors = []
        for quote in quotes:
            place = self._view.find(quote)[0]
            anchors.append(
                {
                    "first_line": place.first_line,
                    "last_line": place.last_line,
                    "quote": quote,
                    "support": "said there",
                }
            )
        return anchors

    def parameter(self, name: str, value: float, unit: str, *quotes: str, **more: Any) -> Data:
        return {
            "name": name,
            "symbol": name,
            "meaning": f"the constant of {_short(quotes[-1])}",
            "value": value,
            "unit": unit,
            "uncertainty": None,
            "role": "fitted",
            "fixed": True,
            "derivation": None,
            "universal_constant": None,
            "anchors": self.at(*quotes),
            **more,
        }

    def control(self, name: str, unit: str, low: float, high: float, *quotes: str) -> Data:
        return {
            "name": name,
            "symbol": name,
            "meaning": f"what is set: {_short(quotes[0])}",
            "unit": unit,
            "low": low,
            "high": high,
            "choices": None,
            "inert": False,
            "kind": "set",
            "range_source": "words",
            "anchors": self.at(*quotes),
        }

    def readout(self, name: str, unit: str, resolution: float | None, *quotes: str) -> Data:
        return {
            "name": name,
            "symbol": name,
            "definition": f"what is read: {_short(quotes[0])}",
            "unit": unit,
            "resolution": resolution,
            "uncertainty": None,
            "uncertainty_kind": None,
            "anchors": self.at(*quotes),
        }

    def relation(self, readout: str, text: str, *quotes: str, **more: Any) -> Data:
        return {
            "readout": readout,
            "expression": text,
            "status": "fitted",
            "origin": {"form": "own", "constants": "own"},
            "anchors": self.at(*quotes),
            **more,
        }


EMPTY: Data = {
    **{name: [] for name in CardDraft.model_fields},
    "sampling": "cartesian",
    "title": "A sample case",
}


def _admit(packet: Packet, data: Data) -> Admission:
    paper = Paper(
        id=f"{packet.paper_id}v1",
        paper_id=packet.paper_id,
        version=1,
        source="sample",
        title="",
        abstract="",
        authors=(),
        categories=(),
        published="2026-05-04T00:00:00Z",
        updated="2026-05-04T00:00:00Z",
        doi=None,
        journal_ref=None,
        licence=None,
        files=(),
        withdrawn=False,
        synthetic=True,
    )
    return admit_draft(
        CardDraft.model_validate_json(json.dumps(data)),
        packet,
        card_id=f"{packet.paper_id}/r1",
        paper=paper,
        extractor="reader-a",
        prompt_sha256="0" * 64,
        known=textbook_laws(DATA / "textbook_laws.jsonl"),
    )


def _packet(number: str, kind: str) -> Packet:
    path = {
        "pdf": DATA / "sample" / "papers" / f"sample-{number}.pdf",
        "tex": DATA / "sample" / "tex" / f"sample-{number}" / "main.tex",
    }[kind]
    return build_packet(path, paper_id=f"sample:{number}", version=1)


def test_a_crossed_fit_is_admitted_from_pdf() -> None:
    packet = _packet("0001", "pdf")
    read = _Reader(packet)
    constants = "b0 = 0.41 ± 0.02 kg/(m^2 h)", "b1 = 0.87 ± 0.01 kg/(m^2 h)"
    data = EMPTY | {
        "relations": [
            read.relation("j", "(b0 + b1*(v/v0)^0.62)*D/(D + Dh)", "j = (b0 + b1 (v/v0)^0.62)")
        ],
        "controls": [
            read.control("v", "m/s", 0.2, 8.0, "between 0.2 m/s and 8 m/s"),
            read.control("D", "kPa", 0.3, 3.6, "between 0.3 kPa and 3.6 kPa"),
        ],
        "readouts": [read.readout("j", "kg/(m^2*h)", None, "evaporation flux j in kg/(m^2 h)")],
        "parameters": [
            read.parameter("b0", 0.41, "kg/(m^2*h)", constants[0], uncertainty=0.02),
            read.parameter("b1", 0.87, "kg/(m^2*h)", constants[1], uncertainty=0.01),
            read.parameter("v0", 1.0, "m/s", "reference speed v0 = 1 m/s", role="reference"),
            read.parameter("Dh", 2.45, "kPa", "Dh = 2.45 ± 0.06 kPa", uncertainty=0.06),
        ],
        "sampling_anchors": read.at("in a full-factorial design"),
    }
    assert _admit(packet, data).reasons == ()


@pytest.mark.parametrize("kind", ["pdf", "tex"])
def test_two_readouts_share_a_definition(kind: str) -> None:
    packet = _packet("0003", kind)
    read = _Reader(packet)
    pdf = kind == "pdf"
    quotes = {
        "W": "W = W0 (v/v0)^1.45 (1 + m/mb)" if pdf else r"\right)^{1.45}",
        "P": "P = Ps + W + W^2/Wr" if pdf else r"\frac{W^2}{W_r}",
        "C": "C = P/v (3)" if pdf else r"\frac{P}{v}",
        "W0": "mechanical scale",
        "mb": "payload scale",
        "Ps": "idle power",
        "Wr": "loss scale",
        "v0": "the reference speed",
    }
    where = "The values, with one standard error, are"
    data = EMPTY | {
        "definitions": [
            {
                "name": "W",
                "meaning": "the mechanical term",
                "unit": "W",
                "expression": "W0*(v/v0)^1.45*(1 + m/mb)",
                "anchors": read.at(quotes["W"]),
            }
        ],
        "relations": [
            read.relation("P", "Ps + W + W^2/Wr", quotes["P"]),
            read.relation("C", "(Ps + W + W^2/Wr)/v", quotes["C"], status="definition"),
        ],
        "consistency": [{"left": "C*v", "right": "P", "anchors": read.at("holds for every run")}],
        "controls": [
            read.control("v", "m/s", 0.05, 0.6, "0.05 m/s to 0.60 m/s"),
            read.control("m", "kg", 0.5, 6.0, "0.5 kg to 6.0 kg"),
        ],
        "readouts": [
            read.readout("P", "W", 0.001, "the power analyser reads in steps of 0.001 W"),
            read.readout("C", "J/m", None, "the electrical energy spent"),
        ],
        "parameters": [
            read.parameter("v0", 1.0, "m/s", quotes["v0"], role="reference"),
            *(
                read.parameter(name, value, unit, where, quotes[name])
                for name, value, unit in (
                    ("W0", 95.0, "W"),
                    ("mb", 4.0, "kg"),
                    ("Ps", 8.5, "W"),
                    ("Wr", 140.0, "W"),
                )
            ),
        ],
        "sampling_anchors": read.at("all 63 combinations"),
    }
    # The list of values runs over several lines of a PDF.
    for parameter in data["parameters"][1:]:
        last = parameter["anchors"][0]["last_line"]
        parameter["anchors"][0]["last_line"] = min(last + 4, len(packet.lines))
    assert _admit(packet, data).reasons == ()


def _leaf(kt: float, quote: str, unit: str) -> Admission:
    packet = _packet("0005", "pdf")
    read = _Reader(packet)
    law = "R*(1 - kt*D/(D + Dt))/(h0 + h1*(v/v0)^0.53)"
    data = EMPTY | {
        "relations": [read.relation("dT", law, "The excess temperature was fitted by dT = R (1")],
        "controls": [
            read.control("R", "W/m^2", 80.0, 600.0, "from 80 W/m^2 to 600 W/m^2"),
            read.control("v", "m/s", 0.1, 4.0, "from 0.1 m/s to 4 m/s"),
            read.control("D", "kPa", 0.2, 3.0, "from 0.2 kPa to 3 kPa"),
        ],
        "readouts": [read.readout("dT", "K", None, "the excess temperature dT in K")],
        "parameters": [
            read.parameter("v0", 1.0, "m/s", "reference speed v0 = 1 m/s"),
            read.parameter("h0", 9.6, unit, "h0 = 9.6 ± 0.4 W/m^2"),
            read.parameter("h1", 21.4, "W/(m^2*K)", "h1 = 21.4 ± 0.5 W/(m^2 K)"),
            read.parameter("kt", kt, "1", quote),
            read.parameter("Dt", 1.15, "kPa", "Dt = 1.15 ± 0.08 kPa"),
        ],
        "sampling_anchors": read.at("were crossed in full"),
    }
    data["relations"][0]["anchors"][0]["last_line"] += 1
    return _admit(packet, data)


def test_a_unit_that_does_not_close_is_stopped_where_it_stands() -> None:
    found = {(r.code.value, r.path) for r in _leaf(0.347, "kt = 0.347", "W/m^2").reasons}
    assert found == {("dimension_mismatch", "/relations/0/expression/args/1")}


def test_a_number_of_another_place_is_stopped() -> None:
    found = {(r.code.value, r.path) for r in _leaf(0.374, "kt = 0.347", "W/(m^2*K)").reasons}
    assert found == {
        ("number_not_anchored", "/parameters/3/value"),
        ("value_mismatch", "/parameters/3/value"),
        # The card repairs a unit of the paper, which is not for a card to do.
        ("unit_not_anchored", "/parameters/1/unit"),
    }
