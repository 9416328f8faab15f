"""The misreadings that the sample's papers invite, made by hand, and what the gates say of them.

The recorded readers fell into none of these traps, so the recordings do not show what would have
stopped them. Each trap is a reader's own draft with the fault put in, anchored as well as a
reader who believes it could anchor it. Reviews are not asked: the recorded ones are of the right
cards. Run with `python -m benchmarks.gold.traps`.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.gold.chain import Judged
from benchmarks.gold.readers import judged_sample
from lawsmith.curation.admission.gates import admit_draft
from lawsmith.curation.evidence.search_view import SearchView
from schemas.card import CardDraft
from schemas.packet import Packet

Data = dict[str, Any]


@dataclass(frozen=True)
class Trap:
    """A misreading of one paper."""

    paper: str
    what: str
    edit: Callable[[Data, Packet], None]
    """Puts the fault into a draft, as data."""
    of: str = ""
    """Paper whose draft is edited, where its own has none."""


def sprung(judged: Mapping[str, Judged]) -> Iterator[tuple[Trap, tuple[str, ...]]]:
    """Each trap with the codes of the gates that stop it; none where only a reader can.

    Args:
        judged: the sample's papers by slug.
    """
    for trap in TRAPS:
        read = judged[trap.paper].read
        if read is None:
            raise ValueError(f"paper {trap.paper!r} was not read: judge it from a recording")
        paper, packet = read
        data = judged[trap.of or trap.paper].cards[0].draft.model_dump(mode="json")
        trap.edit(data, packet)
        draft = CardDraft.model_validate(data)
        admission = admit_draft(
            draft,
            packet,
            card_id=f"{packet.paper_id}/r1",
            paper=paper,
            extractor="by hand",
            prompt_sha256="0" * 64,
            replayed=True,
        )
        yield trap, tuple(sorted({reason.code.value for reason in admission.reasons}))


def _said(packet: Packet, quote: str) -> Data:
    place = SearchView(packet).find(quote)[0]
    lines = {"first_line": place.first_line, "last_line": place.last_line}
    return {**lines, "quote": quote, "support": "as a reader would put it"}


def _loop_ranges(card: Data, packet: Packet) -> None:
    quotes = {
        "P": "The test loop reaches transmembrane pressures from 10 kPa to 400 kPa",
        "u": "cross-flow velocities from 0.2 m/s to 3.0 m/s",
        "c": "protein concentrations from 1 g/L to 80 g/L",
    }
    ends = {"P": (10.0, 400.0), "u": (0.2, 3.0), "c": (1.0, 80.0)}
    for control in card["controls"]:
        name = control["name"]
        control["low"], control["high"] = ends[name]
        control["anchors"] = [control["anchors"][0], _said(packet, quotes[name])]


def _no_joint_limit(card: Data, _packet: Packet) -> None:
    card["constraints"] = []
    card["parameters"] = [item for item in card["parameters"] if item["name"] != "k"]


def _cost_fitted_alone(card: Data, _packet: Packet) -> None:
    law = next(item for item in card["relations"] if item["readout"] == "C")
    law["status"] = "equality"


def _digits_of_the_conclusions(card: Data, packet: Packet) -> None:
    share = next(item for item in card["parameters"] if item["name"] == "kt")
    share |= {"value": 0.374, "uncertainty": None}
    share["anchors"] = [_said(packet, "for which we found kt = 0.374")]
    _mend_unit(card, packet)


def _mend_unit(card: Data, _packet: Packet) -> None:
    still = next(item for item in card["parameters"] if item["name"] == "h0")
    still["unit"] = "W/(m^2*K)"
    card["limitations"] = [item for item in card["limitations"] if "h0" not in item["statement"]]


def _residual_as_error(card: Data, packet: Packet) -> None:
    readout = card["readouts"][0]
    readout |= {"uncertainty": 0.014, "uncertainty_kind": "relative"}
    readout["definition"] = f"Evaporation flux. {readout['definition']}"
    readout["anchors"].append(_said(packet, "whose standard deviation is 1.4 percent of the flux"))


def _froth_as_approximation(card: Data, packet: Packet) -> None:
    _froth_as_equation(card, packet)
    card["relations"][0] |= {"status": "approximation", "origin": "derived_here"}


def _froth_as_equation(card: Data, packet: Packet) -> None:
    law = _said(packet, "Line: H = 40 (U/U0)^0.42 (c/c0)^0.31 mm")
    scale = _said(packet, "with U0 = 1 mm/s and c0 = 1 g/L")
    ranges = [
        _said(packet, "over gas velocities of 2 mm/s to 30 mm/s"),
        _said(packet, "surfactant concentrations of 0.1 g/L to 2 g/L"),
    ]
    (relation,), (readout,) = card["relations"], card["readouts"]
    relation |= {"readout": "H", "expression": "H0*(U/U0)^0.42*(c/c0)^0.31", "anchors": [law]}
    measured = _said(packet, "the distance between the liquid level and the top of the froth")
    named = _said(packet, "The readout is the froth height H in mm")
    readout |= {"name": "H", "symbol": "H", "unit": "mm", "anchors": [named, measured]}
    readout["definition"] = "Level of the froth's top above the liquid, from video"
    velocity, surfactant = card["controls"]
    velocity |= {"name": "U", "symbol": "U", "unit": "mm/s", "low": 2.0, "high": 30.0}
    velocity |= {"meaning": "Superficial gas velocity", "anchors": [ranges[0]]}
    velocity["anchors"].append(_said(packet, "the superficial gas velocity U in mm/s"))
    surfactant |= {"name": "c", "symbol": "c", "unit": "g/L", "low": 0.1, "high": 2.0}
    surfactant |= {"meaning": "Concentration of the surfactant", "anchors": [ranges[1]]}
    surfactant["anchors"].append(_said(packet, "the surfactant concentration c in g/L"))
    pattern = card["parameters"][-1]
    card["parameters"] = [
        {**pattern, "name": name, "symbol": name, "meaning": "Scale of the law", "value": value}
        | {"unit": unit, "role": "constant", "uncertainty": None, "anchors": [law, scale]}
        for name, value, unit in (("H0", 40.0, "mm"), ("U0", 1.0, "mm/s"), ("c0", 1.0, "g/L"))
    ]
    crossed = _said(packet, "eight velocities and five concentrations were crossed in full")
    card["sampling_anchors"] = [crossed]
    for table in ("fixed_conditions", "mechanisms", "applicability", "limitations"):
        card[table] = []
    for table in ("aggregation", "sample_size", "claim_dependencies"):
        card[table] = []


TRAPS = (
    Trap("0001", "scatter about the fit as error of the readout", _residual_as_error),
    Trap("0002", "ranges of the loop instead of those of the fit", _loop_ranges),
    Trap("0002", "joint limit left out", _no_joint_limit),
    Trap("0003", "cost of transport as an exact law", _cost_fitted_alone),
    Trap("0004", "proportionality drafted as a fitted equation", _froth_as_equation, of="0001"),
    Trap("0004", "proportionality drafted as an approximation", _froth_as_approximation, of="0001"),
    Trap("0005", "misprinted unit mended in silence", _mend_unit),
    Trap("0005", "the same, and the share of the conclusions", _digits_of_the_conclusions),
)


def main() -> None:
    """Print what stops each trap."""
    judged = {one.slug: one for one in judged_sample()}
    for trap, codes in sprung(judged):
        print(f"{trap.paper}  {trap.what:50} {', '.join(codes) or 'no gate: a reader has to'}")


if __name__ == "__main__":
    main()
