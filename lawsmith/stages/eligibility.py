"""Eligibility at a cut: dates, policies and people decide; ingest knows no cutoff."""

from collections.abc import Mapping, Sequence

from lawsmith.eligibility import AllowLists, judge_eligibility
from lawsmith.gateways.store import partitions_of, read_table
from lawsmith.runs import StageContext, all_dispositions, dispose, latest_by_subject, override_of
from lawsmith.stages.calibrated_worlds import PARTITION as CALIBRATED
from lawsmith.stages.calibrated_worlds import calibrated_sets
from lawsmith.stages.reviews import forged_families
from schemas.calibrated_set import CalibratedSet
from schemas.family import Family
from schemas.release import Cut
from schemas.source import Disposition, Outcome, Paper, Publication, ReasonCode


def eligible_families(context: StageContext, cut: Cut) -> tuple[list[Family], list[Disposition]]:
    """The families that a cut holds, and what was decided about every paper and family."""
    dispositions = _judge_papers(context, cut)
    eligible = _eligible_papers(dispositions)
    families = [
        family
        for family in accepted(context)
        if family.kind == "historical" or family.paper_id in eligible
    ]
    outdated = _outdated_cards(context)
    kept = [one for one in families if not _taken_out(context, one, cut, outdated, dispositions)]
    return kept, dispositions


def accepted(context: StageContext) -> list[Family]:
    """The families that have worlds: forged, certified and, if Temporal, accepted as a case."""
    with_worlds = {
        str(row.extra["family_id"])
        for row in read_table(context.store, "worlds", context.collection)
        if row.partition != CALIBRATED
    }
    return sorted(
        (
            family
            for partition in partitions_of(context.store, "families", context.collection)
            for family in forged_families(context, partition)
            if family.id in with_worlds
        ),
        key=lambda family: family.id,
    )


def eligible_sets(context: StageContext, cut: Cut) -> tuple[list[CalibratedSet], list[Disposition]]:
    """The problems that a cut holds with their tasks, and those that a person took out.

    Problems rest on data sets, not on papers of a window: Historical releases alone hold them.
    """
    if cut.cutoff is not None:
        return [], []
    taken_out: list[Disposition] = []
    found = [one for one in calibrated_sets(context) if one.tasks]
    return [one for one in found if not _withdrawn(context, one, cut, taken_out)], taken_out


def _withdrawn(
    context: StageContext, one: CalibratedSet, cut: Cut, dispositions: list[Disposition]
) -> bool:
    override = override_of(context, one.id)
    if override is None or override.action == "accept":
        return False
    dispositions.append(
        dispose(
            context,
            stage="tasks",
            kind="problem",
            subject_id=one.id,
            digest=one.digest,
            outcome="rejected",
            code=ReasonCode.OVERRIDDEN,
            sentence=f"{override.action} by {override.by}: {override.reason}",
            paper_id=None,
            version=None,
            release_id=cut.id,
        )
    )
    return True


def _eligible_papers(dispositions: Sequence[Disposition]) -> set[str]:
    """The papers whose newest version passed: what was withdrawn later takes the first along."""
    newest: dict[str, Disposition] = {}
    for item in dispositions:
        held = newest.get(str(item.paper_id))
        if held is None or (item.version or 0) > (held.version or 0):
            newest[str(item.paper_id)] = item
    return {paper for paper, item in newest.items() if item.outcome == "passed"}


def _judge_papers(context: StageContext, cut: Cut) -> list[Disposition]:
    if cut.cutoff is None or cut.until is None or cut.eligibility is None:
        return []
    publications = {
        row.id: Publication.from_json(row.record)
        for row in read_table(context.store, "publications", context.collection)
    }
    lists = AllowLists(cut.journals, cut.categories)
    found = []
    for row in read_table(context.store, "sources", context.collection):
        paper = Paper.from_json(row.record)
        publication = publications.get(paper.id)
        outcome: Outcome
        if publication is None:
            outcome, code = "waiting", ReasonCode.AWAITING_PUBLICATION
            sentence = "its publication was never looked up"
        else:
            judged = judge_eligibility(
                paper, publication, cut.cutoff, cut.until, cut.eligibility, lists
            )
            outcome, code, sentence = judged.outcome, judged.reason_code, judged.sentence
        found.append(
            dispose(
                context,
                stage="tasks",
                kind="paper",
                subject_id=paper.id,
                digest=publication.digest if publication else paper.digest,
                outcome=outcome,
                code=code,
                sentence=sentence,
                paper_id=paper.paper_id,
                version=paper.version,
                release_id=cut.id,
            )
        )
    return found


def _outdated_cards(context: StageContext) -> dict[str, str]:
    """Card -> why it counts no more: a later version of its paper was read and lacks it."""
    latest = latest_by_subject(all_dispositions(context.store, context.collection))
    read: dict[str, int] = {}
    for (stage, _), item in latest.items():
        answered = item.outcome in ("passed", "rejected")
        if stage == "cards" and answered and item.reason_code is not ReasonCode.BELOW_TRIAGE:
            paper = str(item.paper_id)
            read[paper] = max(read.get(paper, 0), item.version or 0)
    return {
        row.id: f"version {read[str(row.paper_id)]} of the paper was read and lacks this card"
        for row in read_table(context.store, "cards", context.collection)
        if int(str(row.extra["version"])) < read.get(str(row.paper_id), 0)
    }


def _taken_out(
    context: StageContext,
    family: Family,
    cut: Cut,
    outdated: Mapping[str, str],
    dispositions: list[Disposition],
) -> bool:
    """Whether a person or a later version of the paper took the family out; kept as a row."""
    override = override_of(context, family.id, family.card_id, family.paper_id or family.id)
    if override is not None and override.action != "accept":
        code = ReasonCode.OVERRIDDEN
        sentence = f"{override.action} by {override.by}: {override.reason}"
    elif override is None and family.card_id in outdated:
        code, sentence = ReasonCode.NEW_VERSION, outdated[family.card_id]
    else:
        return False
    dispositions.append(
        dispose(
            context,
            stage="tasks",
            kind="family",
            subject_id=family.id,
            digest=family.digest,
            outcome="rejected",
            code=code,
            sentence=sentence,
            paper_id=family.paper_id,
            version=None,
            release_id=cut.id,
        )
    )
    return True
