"""Two small cases for tests of releases: a canonical one, and one read from a sample paper."""

import os
import shutil
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from lawsmith.calibration.worlds.pools import pool_bytes
from lawsmith.expressions import parse_infix
from lawsmith.mutation.pairing import forge_family
from lawsmith.release.content import PaperNote, ReleaseContent
from lawsmith.release.problems import CalibratedProblem
from schemas.card import Anchor, Card, Control, Origin, Parameter, Range, Readout, Relation
from schemas.family import Family
from schemas.historical_card import (
    Correction,
    HistoricalCard,
    HistoricalControl,
    HistoricalReadout,
    HistoricalRelation,
    Independent,
    MutationRule,
)
from schemas.record import Record
from schemas.review import CARD_CRITERIA, CASE_CRITERIA, CriterionVerdict, Review, ReviewSubject

RecordT = TypeVar("RecordT", bound=Record)

KEY = bytes(range(32))
NOW = "2026-11-30T00:00:00Z"
SHA = "ab" * 32


def historical_card() -> HistoricalCard:
    """A stiff band: pull against stretch and width, with a cubic correction."""
    return HistoricalCard(
        id="stiff_band",
        title="Pull of a stiff band",
        field="mechanics",
        discoverer="Ada Example",
        year=1900,
        citation="Example, On bands (1900)",
        controls=(
            HistoricalControl(
                name="stretch",
                symbol="x",
                meaning="how far the strip is drawn out",
                unit="m",
                domain=Range(low=0.05, high=0.6),
                inert=False,
            ),
            HistoricalControl(
                name="width",
                symbol="w",
                meaning="breadth of the strip",
                unit="m",
                domain=Range(low=0.01, high=0.09),
                inert=False,
            ),
        ),
        readouts=(
            HistoricalReadout(
                name="pull",
                symbol="F",
                definition="force needed to hold the strip",
                unit="N",
                resolution=0.001,
                absolute=0.01,
                relative=0.001,
            ),
        ),
        relations=(
            HistoricalRelation(
                readout="pull",
                expression=parse_infix("k*width*stretch + c3*width*stretch**3"),
                citation="Example (1900)",
            ),
        ),
        constraints=(),
        independent=(
            Independent(
                name="k",
                symbol="k",
                meaning="stiffness per breadth",
                value=400.0,
                unit="N/m**2",
                origin="illustrative",
                citation="design",
            ),
        ),
        derived=(),
        corrections=(
            Correction(
                name="c3",
                symbol="c",
                meaning="stiffening",
                unit="N/m**4",
                term=parse_infix("width*stretch**3"),
                citation="Example (1950)",
            ),
        ),
        mutation_rules=(
            MutationRule(target="k", low=500.0, high=700.0, reason="stiffer"),
            MutationRule(target="c3", low=2000.0, high=6000.0, reason="as large as the first"),
        ),
        consistency=(),
        assumptions=("the strip does not tear",),
        disclaimer="does not reconstruct the historical experiment",
    )


def _anchor(line: int) -> tuple[Anchor, ...]:
    return (
        Anchor(
            packet_sha256=SHA,
            first_line=line,
            last_line=line,
            quote_sha256=SHA,
            support="the sentence says so",
            repaired=False,
        ),
    )


def temporal_card() -> Card:
    """A drifting bead: speed against field and temperature ratio, unrounded readout."""
    return Card(
        id="sample:9001/r1",
        paper_id="sample:9001",
        version=1,
        packet_id=f"sample:9001v1/text/{SHA[:12]}",
        packet_sha256=SHA,
        title="Drift of glass beads in a slanted channel",
        relations=(
            Relation(
                readout="speed",
                expression=parse_infix("a*tilt**2*gap + b*gap"),
                status="fitted",
                origin=Origin(form="own", constants="own"),
                anchors=_anchor(3),
            ),
        ),
        definitions=(),
        consistency=(),
        controls=(
            Control(
                name="tilt",
                symbol="t",
                meaning="slope of the channel",
                unit="1",
                domain=Range(low=0.1, high=2.0),
                inert=False,
                anchors=_anchor(4),
            ),
            Control(
                name="gap",
                symbol="d",
                meaning="clear height of the channel",
                unit="mm",
                domain=Range(low=1.0, high=8.0),
                inert=False,
                anchors=_anchor(5),
            ),
        ),
        readouts=(
            Readout(
                name="speed",
                symbol="v",
                definition="mean velocity of a bead over the last half of the channel",
                unit="mm/s",
                resolution=None,
                uncertainty=None,
                uncertainty_kind=None,
                anchors=_anchor(6),
            ),
        ),
        parameters=tuple(
            Parameter(
                name=name,
                symbol=name,
                meaning=meaning,
                value=value,
                unit="1/s",
                uncertainty=None,
                role="fitted",
                fixed=True,
                derivation=None,
                universal_constant=None,
                anchors=_anchor(line),
            )
            for name, meaning, value, line in (
                ("a", "slope part", 2.4, 7),
                ("b", "level part", 0.6, 8),
            )
        ),
        constraints=(),
        sampling="cartesian",
        sampling_anchors=_anchor(9),
        fixed_conditions=(),
        mechanisms=(),
        applicability=(),
        limitations=(),
        aggregation=(),
        sample_size=(),
        claim_dependencies=(),
        extractor="reader-one",
        prompt_sha256=SHA,
        revision=0,
        replayed=True,
        draft_sha256=SHA,
    )


def accepting_review(card: Card, subject: ReviewSubject, digest: str) -> Review:
    """A review that supports every criterion."""
    criteria = CARD_CRITERIA if subject == "card" else CASE_CRITERIA
    return Review(
        id=f"{card.id}/{subject}/0",
        subject=subject,
        card_id=card.id,
        paper_id=card.paper_id,
        packet_sha256=card.packet_sha256,
        subject_digest=digest,
        revision=0,
        reviewer="reader-two",
        same_model=False,
        criteria=tuple(
            CriterionVerdict(
                criterion=name,  # type: ignore[arg-type]
                verdict="supported",
                first_line=3,
                last_line=3,
                quote_sha256=SHA,
                reason="as the line says",
            )
            for name in criteria
        ),
        decision="accept",
        changes=None,
        prompt_sha256=SHA,
        replayed=True,
    )


@lru_cache
def historical_family() -> Family:
    """The family of the historical card."""
    return forge_family(historical_card(), KEY)


@lru_cache
def temporal_family() -> Family:
    """The family of the sample card."""
    return forge_family(temporal_card(), KEY)


def historical_content(**changes: Any) -> ReleaseContent:
    """A `-dev` release of one family."""
    fields: dict[str, Any] = {
        "version": "0.1.0-dev",
        "collection": "historical-dev",
        "synthetic_sources": False,
        "replayed_replies": False,
        "window": None,
        "cutoff": None,
        "until": None,
        "eligibility": None,
        "policies": (),
        "families": (historical_family(),),
        "cards": (historical_card(),),
        "reviews": (),
        "papers": (),
        "dispositions": (),
        "cleanliness": (),
        "models": {},
        "prompts": {},
        "incomplete": (),
        "parents": (),
        "reason": None,
        "key": KEY,
    }
    return ReleaseContent(**{**fields, **changes})


def temporal_content(**changes: Any) -> ReleaseContent:
    """A `-sample` release of one family with its reviews."""
    card, family = temporal_card(), temporal_family()
    fields: dict[str, Any] = {
        "version": "0.1.0-sample",
        "collection": "temporal-sample",
        "synthetic_sources": True,
        "replayed_replies": True,
        "cutoff": "2026-04-30",
        "until": "2026-10-31",
        "eligibility": "journal_required",
        "families": (family,),
        "cards": (card,),
        "reviews": (
            accepting_review(card, "card", card.digest),
            accepting_review(card, "case", family.digest),
        ),
        "papers": (
            PaperNote(
                paper_id="sample:9001",
                title="Drift of glass beads in a slanted channel",
                doi="10.0000/sample.9001",
                licence="CC-BY-4.0",
                attribution="Lawsmith sample, Drift of glass beads (sample:9001)",
            ),
        ),
        "models": {"extractor": ("reader-one",), "reviewer": ("reader-two",)},
    }
    return historical_content(**{**fields, **changes})


def calibrated_problem(problems: Any, identity: str) -> CalibratedProblem:
    """One of the built problems as a release holds it."""
    loaded, made = problems.loaded(identity), problems.tasks(identity)
    names = [control.name for control in loaded.problem.controls]
    return CalibratedProblem(
        problem=loaded.problem,
        table=loaded.table,
        parallel=made.parallel,
        parallel_key=made.parallel_key,
        world=made.world,
        pool=pool_bytes(made.pool, names),
        real=made.real,
        real_key=made.real_key,
        observations=made.observations,
        baselines=made.baselines,
        submissions=made.submissions,
    )


def writable_copy(release: Path, to: Path) -> Path:
    """A copy of a release that a test may damage."""
    shutil.copytree(release, to)
    for path in (to, *to.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return to


def evolve(record: RecordT, **changes: Any) -> RecordT:
    """A record with other fields, validated; its digest is its own."""
    fields = {name: getattr(record, name) for name in type(record).model_fields}
    return type(record).model_validate({**fields, **changes})


def environment_with_seed(seed: str) -> dict[str, str]:
    """The process environment with a PYTHONHASHSEED."""
    return {**os.environ, "PYTHONHASHSEED": seed}
