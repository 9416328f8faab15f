"""One record of each kind with its digest: formats are fixed for ever by the first release.

A digest that changes here is a format that changed: give the record a new schema_version and
a migration, and leave the old line standing.
"""

import pytest

from schemas.calibrated_score import CalibratedScore, GroupMetric, ProbeVerdict
from schemas.calibrated_task import (
    Anchor as PublishedAnchor,
)
from schemas.calibrated_task import (
    CalibratedControl,
    CalibratedReadout,
    CalibratedSubmission,
    ConstantCaps,
    GroupConstants,
    HeldOutRow,
    HiddenEdit,
    LocalConstant,
    ParallelKey,
    ParallelTask,
    QueryBudget,
    RealKey,
    RealProbe,
    RealTask,
    RefusedLaw,
    WorldCall,
    WorldCertificate,
    WorldReading,
)
from schemas.card import (
    Anchor,
    Card,
    Choices,
    Consistency,
    Constraint,
    Control,
    Definition,
    JointChoice,
    Necessary,
    Origin,
    Parameter,
    Range,
    Readout,
    Relation,
    SettingValue,
    Statement,
    WorkedValue,
)
from schemas.dataset import (
    CanonicalTable,
    Column,
    ColumnFacts,
    FileTable,
    Filter,
    GroupColumn,
    GroupFacts,
    Licence,
    Provenance,
    ReadoutColumn,
)
from schemas.episode import (
    Action,
    Completion,
    Episode,
    Forecast,
    Hypothesis,
    Observation,
    Proposal,
    Turn,
)
from schemas.expression import Op, Var
from schemas.family import (
    Certificate,
    ConstructionChoice,
    Design,
    Family,
    FamilyConsistency,
    FamilyConstraint,
    FamilyControl,
    FamilyReadout,
    LawDefinition,
    LawParameter,
    LawRelation,
    Mutation,
    RelationSet,
)
from schemas.historical_card import (
    Correction,
    Derived,
    HistoricalCard,
    HistoricalConstraint,
    HistoricalControl,
    HistoricalNecessary,
    HistoricalReadout,
    HistoricalRelation,
    Independent,
    MutationRule,
)
from schemas.near_miss import NearMiss
from schemas.packet import Packet
from schemas.problem import (
    AlternateWindow,
    Constant,
    Problem,
    ReferenceLaw,
    Reported,
    ReportedConstant,
    ResidualSpace,
    SplitIntent,
)
from schemas.record import CANARY, Record, record_name
from schemas.release import (
    Cut,
    KindCount,
    PlayerCleanliness,
    Policy,
    PublicManifest,
    ReleaseFile,
    SealedManifest,
    StageCount,
    StratumCount,
)
from schemas.review import CriterionVerdict, Review
from schemas.score import EpisodeScore, ReadoutScore
from schemas.source import (
    Disposition,
    Paper,
    Publication,
    ReasonCode,
    RelatedPreprint,
    SourceFile,
    Window,
)
from schemas.task import Blend, PublicTask, SealedKey, SealedLaw
from schemas.validity import Monotone, Sign, Source, ValidityItem
from schemas.world import (
    CalibratedWorld,
    DroppedGroup,
    PairedWorld,
    PoolFile,
    QueryLimits,
    WorldAxis,
    WorldControl,
    WorldGroup,
    WorldReadout,
)

SHA = "ab" * 32
AT = "2026-10-05T06:00:00Z"
LAW = Op("mul", (Var("k"), Op("pow", (Var("x"), 0.62))))
ANCHORS = (
    Anchor(
        packet_sha256=SHA,
        first_line=3,
        last_line=4,
        quote_sha256=SHA,
        support="the fitted law",
        repaired=False,
    ),
)
CONTROL = FamilyControl(
    name="x", symbol="x", meaning="speed", unit="m/s", domain=Range(low=0.5, high=8.0)
)
READOUT = FamilyReadout(
    name="y",
    symbol="y",
    meaning="flux",
    unit="W",
    resolution=0.01,
    absolute=0.001,
    relative=0.001,
)
RELATIONS = RelationSet(
    parameters=(LawParameter(name="k", symbol="k", value=2.5, unit="W", mutable=True),),
    definitions=(LawDefinition(name="u", unit="1", expression=Var("x")),),
    relations=(LawRelation(readout="y", expression=LAW),),
)
DESIGN = Design(inputs=((1.0,),), original=((2.5,),), counterfactual=((3.0,),))
STATEMENT = (Statement(statement="at 293 K", anchors=ANCHORS),)
TASK = PublicTask(
    id="t-0123456789abcdef",
    kind="paired",
    collection="temporal-sample",
    setting="identification",
    background="A speed is set and a flux is read.",
    controls=(CONTROL,),
    readouts=(READOUT,),
    constraints=(FamilyConstraint(expression=Var("x"), meaning="positive"),),
    blend=Blend(parameter="s", intermediate_allowed=False, formulas={"y": "(1-s)*x+s*x^2"}),
    world="The case defines the world.",
    threshold=0.9,
    adaptive_cap=1024,
    canary=CANARY,
)
ACTION = Action(
    hypotheses=(Hypothesis(label="H1", statement="linear", confidence=0.95),),
    proposal=Proposal(
        inputs={"x": 1.0},
        readouts=("y",),
        rationale="first look",
        forecasts=(Forecast(hypothesis="H1", readout="y", value=2.0),),
    ),
    completion=None,
)
FILES = (ReleaseFile(path="public/discovery.jsonl", sha256=SHA, bytes=12, rows=1),)

CALIBRATED_CONTROL = CalibratedControl(
    name="x", symbol="x", meaning="length", unit="m", low=1.0, high=20.0, logarithmic=True
)
CALIBRATED_READOUT = CalibratedReadout(
    name="y",
    symbol="y",
    meaning="force",
    unit="N",
    natural_low=0.0,
    natural_high=None,
    integer=False,
)
POWER_LAW = Op("mul", (Var("a"), Op("pow", (Var("x"), Var("b")))))

RECORDS: tuple[Record, ...] = (
    ParallelTask(
        id="t-0000000000000001",
        kind="parallel",
        collection="historical-dev",
        background="An apparatus.",
        controls=(CALIBRATED_CONTROL,),
        readout=CALIBRATED_READOUT,
        groups=("g1", "g2"),
        residual_space="log10",
        floor=1e-12,
        caps=ConstantCaps(shared=4, local=1),
        max_nodes=64,
        world="The case defines the world.",
        canary=CANARY,
        budget=QueryBudget(calls=10, points_per_call=10, samples_per_point=3, refused_calls=100),
        out_of_range="reject",
    ),
    RealTask(
        id="t-0000000000000002",
        kind="real",
        collection="historical-dev",
        background="Records.",
        controls=(CALIBRATED_CONTROL,),
        readout=CALIBRATED_READOUT,
        groups=("g1", "g2"),
        residual_space="linear",
        floor=None,
        caps=ConstantCaps(shared=4, local=1),
        max_nodes=64,
        world="The records are real.",
        canary=CANARY,
        split="unseen_group",
        metric="rmse",
        training_rows=20,
        fit_rows=4,
        test_rows=8,
        test_groups=("g2",),
    ),
    ParallelKey(
        id="t-0000000000000001",
        problem_id="p",
        problem_digest="0" * 64,
        world_id="p/world",
        world_digest="1" * 64,
        public_digest="2" * 64,
        base_law="power",
        base=POWER_LAW,
        law=Op("add", (POWER_LAW, Var("d"))),
        shared=("b", "d"),
        fixed=(),
        local=("a",),
        constants=(
            GroupConstants(group="one", values={"a": 1.0, "b": 2.0, "d": 0.5}),
            GroupConstants(group="two", values={"a": 3.0, "b": 2.0, "d": 0.5}),
        ),
        edits=(
            HiddenEdit(
                move="term_added",
                path="",
                before=POWER_LAW,
                after=Op("add", (POWER_LAW, Var("d"))),
                introduced=("d",),
            ),
        ),
        group_labels={"g1": "two", "g2": "one"},
        certificates=(
            WorldCertificate(
                name="visibility", passed=True, sentence="It shows.", figures={"power": 0.99}
            ),
        ),
        refused=(
            RefusedLaw(
                expression="a*x", moves=("exponent",), failed="adequacy", sentence="It fits worse."
            ),
        ),
        canary=CANARY,
    ),
    RealKey(
        id="t-0000000000000002",
        problem_id="p",
        problem_digest="0" * 64,
        public_digest="2" * 64,
        held_out=(HeldOutRow(group="g2", inputs=(2.0,), output=4.0),),
        anchors=(PublishedAnchor(law_id="power", metric=0.25, by_group={"g2": 0.25}),),
        reference="power",
        probes=(
            RealProbe(
                item="positive",
                statement="Forces are positive.",
                probe=Sign(kind="sign", sign="positive"),
            ),
        ),
        group_labels={"g1": "two", "g2": "one"},
        canary=CANARY,
    ),
    CalibratedSubmission(
        id="t-0000000000000001/mean/1",
        task_id="t-0000000000000001",
        release_id="historical-2026.10.0-dev",
        release_digest=None,
        player="mean",
        repeat=1,
        expression=POWER_LAW,
        shared={"b": 2.0},
        local=(LocalConstant(name="a", starts=(1.0, 2.0), low=0.0, high=None),),
        calls=(
            WorldCall(
                session=1,
                call=1,
                samples=1,
                rows=(
                    WorldReading(
                        inputs=(2.0,), group="g1", output=4.5, saturated=False, clipped=()
                    ),
                ),
            ),
        ),
        explanation="a power",
    ),
    CalibratedScore(
        id="t-0000000000000002/mean/1",
        submission_digest="3" * 64,
        release_id=None,
        task_id="t-0000000000000002",
        problem_id="p",
        kind="real",
        player="mean",
        repeat=1,
        determined=True,
        valid=True,
        numeric=0.5,
        validity=1.0,
        structure=None,
        level=None,
        metric=0.25,
        groups=(GroupMetric(group="g2", metric=0.25, reference=0.25, score=0.5, reason=""),),
        probes=(ProbeVerdict(item="positive", passed=True, reason="holds"),),
        disciplined=True,
        reason="",
        scorer_version="calibrated-1",
    ),
    Paper(
        id="sample:0001v1",
        paper_id="sample:0001",
        version=1,
        source="sample",
        title="Drying",
        abstract="A slab dries.",
        authors=("Lawsmith sample",),
        categories=("physics.flu-dyn",),
        published=AT,
        updated=AT,
        doi=None,
        journal_ref=None,
        licence="CC-BY-4.0",
        files=(SourceFile(path="a.pdf", kind="pdf", sha256=SHA, size=10),),
        withdrawn=False,
        synthetic=True,
    ),
    Publication(
        id="sample:0001v1",
        paper_id="sample:0001",
        version=1,
        published=AT,
        journal_online="2026-10-15",
        journal_print="2026-11",
        related_preprints=(RelatedPreprint(identifier="x:1", posted="2026"),),
        provenance="metadata",
        retracted=False,
        checked_at=AT,
    ),
    Disposition(
        id="cards/sample:0001v1/abababababab",
        subject_kind="packet",
        subject_id="sample:0001v1/pdf/abababababab",
        stage="cards",
        digest_judged=SHA,
        release_id=None,
        paper_id="sample:0001",
        version=1,
        outcome="rejected",
        reason_code=ReasonCode.DIMENSION_MISMATCH,
        sentence="W and K cannot be added",
        retryable=False,
        attempts=1,
        at=AT,
    ),
    Packet(
        id="sample:0001v1/text/38022fd2b8db",
        paper_id="sample:0001",
        version=1,
        kind="text",
        extractor="plain",
        extractor_version="1",
        options={},
        files=("a.txt",),
        lines=("a", "", "b"),
        sections=(None, None, "1"),
        pages=(None, None, None),
        text_sha256="38022fd2b8dbc5cb3d2cee74e083edbf59e3d4e13d067ebcb5db633d4cff4d8c",
        excluded_pages=(),
        quality={"words": 2.0},
    ),
    Card(
        id="sample:0001/r1",
        paper_id="sample:0001",
        version=1,
        packet_id="sample:0001v1/text/38022fd2b8db",
        packet_sha256=SHA,
        title="Drying of a slab",
        relations=(
            Relation(
                readout="y",
                expression=LAW,
                status="fitted",
                origin=Origin(form="own", constants="own"),
                anchors=ANCHORS,
            ),
        ),
        definitions=(
            Definition(name="u", meaning="speed", unit="m/s", expression=Var("x"), anchors=ANCHORS),
        ),
        consistency=(Consistency(left=Var("y"), right=LAW, anchors=ANCHORS),),
        controls=(
            Control(
                name="x",
                symbol="x",
                meaning="speed",
                unit="m/s",
                domain=Choices(choices=(1.0, 2.0)),
                inert=False,
                anchors=ANCHORS,
                kind="set",
                range_source="rows",
            ),
        ),
        readouts=(
            Readout(
                name="y",
                symbol="y",
                definition="weighed",
                unit="W",
                resolution=None,
                uncertainty=0.02,
                uncertainty_kind="relative",
                anchors=ANCHORS,
            ),
        ),
        parameters=(
            Parameter(
                name="k",
                symbol="k",
                meaning="slope",
                value=2.5,
                unit="W",
                uncertainty=None,
                role="fitted",
                fixed=True,
                derivation=None,
                universal_constant=None,
                anchors=ANCHORS,
            ),
        ),
        constraints=(Constraint(expression=Var("x"), meaning="positive", anchors=ANCHORS),),
        sampling="cartesian",
        sampling_anchors=ANCHORS,
        fixed_conditions=STATEMENT,
        mechanisms=(),
        applicability=(),
        limitations=(),
        aggregation=(),
        sample_size=(),
        claim_dependencies=(),
        extractor="reader",
        prompt_sha256=SHA,
        revision=0,
        replayed=True,
        draft_sha256=SHA,
        joint_choices=(JointChoice(values=(1.0,), anchors=ANCHORS),),
        necessary=(
            Necessary(
                readout="y",
                kind="limit",
                control="x",
                direction="increasing",
                at=None,
                value=0.0,
                low=None,
                high=None,
                anchors=ANCHORS,
            ),
        ),
        worked_values=(
            WorkedValue(
                setting=(SettingValue(name="x", value=1.0, unit="m/s"),),
                readout="y",
                value=2.5,
                unit="W",
                uncertainty=None,
                anchors=ANCHORS,
            ),
        ),
    ),
    NearMiss(
        id="sample:0001v1/n1",
        paper_id="sample:0001",
        version=1,
        packet_id="sample:0001v1/text/38022fd2b8db",
        packet_sha256=SHA,
        what="flux over humidity",
        first_line=3,
        last_line=4,
        blocked_by="missing_range",
        missing="the ends of the humidity",
        extractor="reader",
        prompt_sha256=SHA,
        replayed=True,
    ),
    HistoricalCard(
        id="spring",
        title="A loaded coil",
        field="mechanics",
        discoverer="somebody",
        year=1700,
        citation="a book",
        controls=(
            HistoricalControl(
                name="x",
                symbol="x",
                meaning="extension",
                unit="m",
                domain=Range(low=0.1, high=0.5),
                inert=False,
            ),
        ),
        readouts=(
            HistoricalReadout(
                name="y",
                symbol="F",
                definition="pull",
                unit="N",
                resolution=None,
                absolute=0.001,
                relative=0.001,
            ),
        ),
        relations=(HistoricalRelation(readout="y", expression=LAW, citation="a book"),),
        constraints=(HistoricalConstraint(expression=Var("x"), meaning="positive"),),
        independent=(
            Independent(
                name="g",
                symbol="G",
                meaning="stiffness",
                value=2.0,
                unit="N/m",
                origin="illustrative",
                citation="none",
            ),
        ),
        derived=(Derived(name="k", meaning="slope", unit="N/m", expression=Var("g")),),
        corrections=(
            Correction(
                name="c", symbol="c", meaning="hardening", unit="1", term=Var("c"), citation="b"
            ),
        ),
        mutation_rules=(MutationRule(target="c", low=0.1, high=0.2, reason="visible"),),
        consistency=((Var("y"), LAW),),
        assumptions=("c is zero",),
        disclaimer="does not reconstruct the historical experiment",
        necessary=(
            HistoricalNecessary(
                readout="y",
                kind="sign",
                control=None,
                direction="nonnegative",
                at=None,
                value=None,
                low=None,
                high=None,
                citation="a book",
            ),
        ),
    ),
    Review(
        id="sample:0001/r1/card/0",
        subject="card",
        card_id="sample:0001/r1",
        paper_id="sample:0001",
        packet_sha256=SHA,
        subject_digest=SHA,
        revision=0,
        reviewer="reader-2",
        same_model=False,
        criteria=(
            CriterionVerdict(
                criterion="domain",
                verdict="supported",
                first_line=3,
                last_line=3,
                quote_sha256=SHA,
                reason="stated",
            ),
        ),
        decision="accept",
        changes=None,
        prompt_sha256=SHA,
        replayed=True,
    ),
    Family(
        id="sample:0001/r1/f1",
        kind="temporal",
        card_id="sample:0001/r1",
        card_digest=SHA,
        paper_id="sample:0001",
        controls=(CONTROL,),
        readouts=(READOUT,),
        constraints=(),
        consistency=(FamilyConsistency(left=Var("y"), right=LAW),),
        original=RELATIONS,
        counterfactual=RELATIONS,
        mutations=(
            Mutation(
                move="coefficient",
                path="/parameters/0/value",
                before=2.5,
                after=3.0,
                introduced=(),
            ),
        ),
        choices=(
            ConstructionChoice(rule="tol-1", subject="readout y: absolute", value=0.001, unit="W"),
        ),
        background="A speed is set.",
        fixed=DESIGN,
        hidden=DESIGN,
        difficulty="easy",
        certificates=(
            Certificate(
                number=1,
                name="dimensions",
                version=1,
                outcome="passed",
                figures={"relations": 1.0, "how": "closed"},
                sentence="units close",
            ),
        ),
    ),
    PairedWorld(
        id="sample:0001/r1/f1/original",
        kind="paired",
        family_id="sample:0001/r1/f1",
        family_digest=SHA,
        environment="original",
        relation_set_digest=SHA,
        resolutions={"y": None},
    ),
    Problem(
        id="tree_volume",
        title="Timber volume of trees",
        field="forestry",
        card_id=None,
        loader=FileTable(
            kind="csv",
            path="tables/tree_volume.csv",
            filters=(Filter(column="V", rule="at_least", value=0.5),),
        ),
        controls=(
            Column(
                name="girth",
                source="G",
                symbol="G",
                source_unit="inch",
                unit="inch",
                meaning="girth",
                integer=False,
            ),
        ),
        readout=ReadoutColumn(
            name="volume",
            source="V",
            symbol="V",
            source_unit="ft^3",
            unit="ft^3",
            meaning="volume",
            integer=False,
            natural_low=0.0,
            natural_high=None,
        ),
        group=GroupColumn(source="kind", meaning="the kind of tree"),
        laws=(
            ReferenceLaw(
                id="slope",
                title="Proportional",
                expression=Op("mul", (Var("k"), Var("girth"))),
                constants=(
                    Constant(
                        name="k",
                        symbol="k",
                        meaning="slope",
                        unit="ft^3/inch",
                        scope="per_group",
                        fixed=None,
                        low=0.0,
                        high=None,
                        starts=(1.0, 2.0),
                    ),
                ),
                source=Source(citation="Nobody 1900", locator=None, status="recalled"),
                reported=(
                    Reported(
                        group="a",
                        status="recalled",
                        fitted_in="linear",
                        constants=(ReportedConstant(name="k", value=1.5, deviation=None),),
                        relative_tolerance=0.1,
                        residual_sum_of_squares=None,
                        source=Source(citation="Nobody 1900", locator="p. 3", status="recalled"),
                    ),
                ),
            ),
        ),
        residuals=ResidualSpace(space="log10", floor=1e-6, reason="positive"),
        split=SplitIntent(
            intent="interpolation",
            window=AlternateWindow(kind="alternate", every=4, offset=1),
            test_groups=(),
            rationale="inner girths",
        ),
        metric="log_mae",
        metric_reason="relative errors",
        licence=Licence(spdx="CC0-1.0", verdict="redistributable", statement="given away"),
        provenance=Provenance(
            source=Source(citation="Nobody 1900", locator=None, status="read"),
            holder="nowhere 1.0",
            holder_sha256=SHA,
            retrieved="2026-10-05",
            made_by="typed",
        ),
        validity=(
            ValidityItem(
                id="thicker",
                statement="Thicker is more.",
                source=Source(citation="Nobody 1900", locator=None, status="read"),
                probe=Monotone(
                    kind="monotone",
                    control="girth",
                    direction="increasing",
                    strict=True,
                    low=None,
                    high=20.0,
                    step=None,
                ),
            ),
        ),
        caveats=("few rows",),
        table=CanonicalTable(
            rows=31,
            columns=(
                ColumnFacts(name="girth", low=8.3, high=20.6),
                ColumnFacts(name="volume", low=10.2, high=77.0),
            ),
            groups=(GroupFacts(label="a", rows=31),),
            sha256=SHA,
        ),
    ),
    CalibratedWorld(
        id="tree_volume/h1",
        kind="calibrated",
        policy="calibration-1",
        problem_id="tree_volume",
        problem_digest=SHA,
        law_id="tree_volume/h1/law",
        controls=(WorldControl(name="girth", unit="inch"),),
        readout=WorldReadout(name="volume", unit="ft^3", low=0.0, high=None, integer=False),
        grouped=True,
        space="log10",
        floor=1e-12,
        target_r2=0.9,
        calibration_rows="train",
        rows=31,
        subset_seed=None,
        groups=(
            WorldGroup(
                label="a",
                rows=31,
                pool_rows=31,
                lifted=0,
                axes=(
                    WorldAxis(
                        control="girth", low=8.3, high=20.6, log=False, mean=13.25, deviation=3.1
                    ),
                ),
                mean_neighbours=8,
                sample_neighbours=8,
                signal_variance=0.25,
                residual_variance=0.001,
                noise_factor=1.0,
                clipped_share=0.0,
            ),
        ),
        dropped=(DroppedGroup(label="b", rows=7),),
        limits=QueryLimits(calls=10, points_per_call=10, samples_per_point=3, rows=300),
        out_of_range="reject",
        pool=PoolFile(path="pool.parquet", sha256=SHA, rows=31),
    ),
    TASK,
    SealedKey(
        id=TASK.id,
        family_id="sample:0001/r1/f1",
        family_digest=SHA,
        world_id="sample:0001/r1/f1/original",
        environment="original",
        setting="identification",
        public_digest=SHA,
        laws=(SealedLaw(readout="y", expression=LAW, constants=("/args/0",)),),
        hidden_inputs=((1.0,),),
        hidden_truth=((2.5,),),
        distinguishing_query=(8.0,),
        canary=CANARY,
    ),
    Cut(
        id="temporal-2026.10.0-sample",
        collection="temporal-sample",
        version="2026.10.0-sample",
        cutoff="2026-04-30",
        until="2026-10-31",
        eligibility="journal_required",
        journals=("Journal of Flows",),
        categories=("physics",),
        allow_incomplete=False,
        parents=(),
        reason=None,
    ),
    PublicManifest(
        id="temporal-2026.10.0-sample",
        collection="temporal-sample",
        version="2026.10.0-sample",
        synthetic_sources=True,
        replayed_replies=True,
        window=Window(start="2026-04-20", end="2026-10-12"),
        cutoff="2026-04-30",
        until="2026-10-31",
        eligibility="journal_required",
        policies=(Policy(name="tol-1", values={"relative": 0.001}),),
        tasks=4,
        kinds=(KindCount(kind="paired", tasks=4),),
        families=1,
        problems=0,
        dispositions=(StageCount(stage="cards", outcome="passed", reason_code="ok", count=1),),
        strata=(StratumCount(difficulty="easy", moves="coefficient", families=1),),
        cleanliness=(PlayerCleanliness(player="mean", cutoff="none", source="none", clean=None),),
        models={"extractor": ("reader",)},
        prompts={"extractor": SHA},
        incomplete=(),
        parents=(),
        reason=None,
        files=FILES,
        sealed_commitment=SHA,
        canary=CANARY,
        code_version="0.1.0",
        created_at=AT,
    ),
    SealedManifest(
        id="temporal-2026.10.0-sample",
        content_digest=SHA,
        claims={"version": SHA},
        key_sha256=SHA,
        attributions={"sample:0001": "Lawsmith sample (2026)"},
        files=FILES,
        canary=CANARY,
        code_version="0.1.0",
        created_at=AT,
    ),
    Episode(
        id="t-0123456789abcdef/fixed-4/mean/0",
        release_id="temporal-2026.10.0-sample",
        release_digest=SHA,
        task_id=TASK.id,
        player="mean",
        protocol="fixed",
        budget=4,
        repeat=0,
        given=(Observation(inputs={"x": 1.0}, outputs={"y": 2.5}),),
        turns=(Turn(action=ACTION, observation=None, diagnostic="x is out of range"),),
        end="completed",
        problem=None,
        completion=Completion(
            selected="H1", predictor={"y": 2.5}, explanation="flat", applicability="all"
        ),
        accepted=0,
        rejected=1,
        breaches=(),
        synthetic_sources=True,
        replayed=False,
        started_at=AT,
        ended_at=AT,
        prompt_tokens=0,
        completion_tokens=0,
        cost_usd=None,
    ),
    EpisodeScore(
        id="t-0123456789abcdef/fixed-4/mean/0",
        episode_digest=SHA,
        release_id="temporal-2026.10.0-sample",
        task_id=TASK.id,
        family_id="sample:0001/r1/f1",
        kind="paired",
        collection="temporal-sample",
        setting="identification",
        environment="original",
        player="mean",
        protocol="fixed",
        budget=4,
        repeat=0,
        determined=True,
        valid=True,
        prediction=0.01,
        readouts=(ReadoutScore(readout="y", mean_error=99.0, max_error=200.0),),
        protocol_kept=True,
        weak=False,
        form=False,
        strict=False,
        strict_attainable=True,
        failure="incorrect_relation",
        reason="form different",
        scorer_version="1",
        synthetic_sources=True,
        replayed=False,
    ),
)

GOLDEN: dict[str, str] = {
    "paper": "819d4ff864b45400dbea3cc692ccf612363fcee1b9ddb6a85088131638aacdeb",
    "publication": "cdc8981364cd2ff7df3d0741bb637436a614917db882cacaf00f04dc85698ee3",
    "disposition": "e4715ed4fbc342bec0319a8aab48b6ee586c3f68d1bc0ca03e7c763fa9863da4",
    "packet": "19bc59c8dfbd08e5fc5b6e5456e00fa41ed497cb1580eb08db498feb8aff8c54",
    "card": "9ddd179f7623dc92f98c67399be98b87218a980940c9973e40791903161041d9",
    "historical_card": "70c4c7f0c3e3563ea1df4d7a792251ce3a4f76b5ccb7e87ab1eae3de43f85056",
    "near_miss": "5650a6925180976800f34ca16dd2d3cf0f3d0dbe284856f83dc787e2648b603e",
    "review": "f275eef0f6448f563ef7d9c5bf4115f05fda9e8cbb1842b0de2cc4d85e75270c",
    "family": "1aa72917a2aa1fb28b4f491201eecba8ec2a9f1163a5a464340fab3296e28689",
    "paired_world": "fa48c42f1955ce3e67750e49b38715e658e8b0716fd83bd18cbcfe2dc4369801",
    "public_task": "673de39001f5815158ca2f03cc1222887d871e5ff7b990aeff75ec3776451930",
    "sealed_key": "d231898884aa6ced2a2a4636dcbb97acfc2ffce585bb89d140747d285913c236",
    "cut": "6156572ba787f62727c12f32f0cd71e4bfe903328d509d08a7ffd8259c1875f9",
    "public_manifest": "c25891d04280cb543995d9ead08ca1cdf740a359e7bb905de7f17aa8bc4ab904",
    "sealed_manifest": "28d985c3677ea7a337ef91645f546eceaaa503bcbf9ebc2301677d4e65de7c1b",
    "problem": "4c9800e819d9f0924772961db4831d6d8b894214fa717d722f0c0bf0981e6582",
    "calibrated_world": "8ea6107841f6fabe0fd805c637e49b3457225d5ab3d645db4cfaa0c452867edb",
    "parallel_task": "865f5712cdb363e6b24d1ca1a2b1011b6b57ae3ca82024cfa5eb446c65944be9",
    "real_task": "ee8cd4a69fc6e5a1e6921af40af4af4448524f65325014a08b3253880cd3f276",
    "parallel_key": "4e73d7de1aa9add554b83428a6a5927a896cb87df01b983653e71a28ef4ec08b",
    "real_key": "6b149e74645ff5a20ad4c9bcccbc5bfa335dff6be704a4f674376edbced3a02e",
    "calibrated_submission": "3b7f3e48eab1cbabafd76d49b37a2fe726b9243b07c4fb394e02f27ba1caf3c6",
    "calibrated_score": "5de716e3dfd8d09be21e0b1d24657a3406f5b12dac9ada275bd098225b10b20a",
    "episode": "cd9edde4cc22f3ba19385abec9a89ab7c77826fadc1d66e401edfdb795bbe676",
    "episode_score": "93d84cdc8bde2e7269124617ea1dae6f755d5c8085197d18f87644728133dc84",
}


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record_name(type(record)))
def test_the_digest_of_a_record_never_changes(record: Record) -> None:
    assert record.digest == GOLDEN[record_name(type(record))]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record_name(type(record)))
def test_a_record_of_each_kind_survives_its_json(record: Record) -> None:
    assert type(record).from_json(record.to_json()) == record


def test_every_kind_of_record_has_a_golden_digest() -> None:
    kinds = [kind for kind in Record.__subclasses__() if kind.__module__ in SCHEMAS]
    # What only others are made of is no record of its own.
    leaves = [leaf for kind in kinds for leaf in kind.__subclasses__() or [kind]]
    assert {record_name(leaf) for leaf in leaves} == set(GOLDEN)


SCHEMAS = {type(record).__module__ for record in RECORDS}


CUT_OF_VERSION_1 = (
    '{"allow_incomplete":false,"collection":"temporal-sample","cutoff":"2026-04-30",'
    '"digest":"8fa443249c0f1ca8b42a6644b2ad2195ca413f75878d49adb0d8be289e8de20c",'
    '"eligibility":"journal_required","id":"temporal-2026.10.0-sample","parents":[],'
    '"reason":null,"schema_version":1,"until":"2026-10-31","version":"2026.10.0-sample"}'
)


def test_a_cut_of_the_first_version_is_one_without_lists() -> None:
    cut = Cut.from_json(CUT_OF_VERSION_1)
    assert (cut.journals, cut.categories, cut.cutoff) == ((), (), "2026-04-30")
    assert Cut.from_json(cut.to_json()) == cut
    with pytest.raises(ValueError, match="stored digest"):
        Cut.from_json(CUT_OF_VERSION_1.replace("2026-10-31", "2026-10-30"))
