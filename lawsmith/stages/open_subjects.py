"""What a refresh still has to do: subjects without a final outcome, by week."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

from lawsmith.eligibility import week_of
from lawsmith.gateways.datasets import rejected_datasets
from lawsmith.gateways.papers import open_source
from lawsmith.gateways.store import read_partition, read_table
from lawsmith.runs import PartitionPass, StageContext, Subject, window_of
from lawsmith.stages.calibrated_worlds import calibrated_pass, worlds_missing
from lawsmith.stages.cards import subject_of as packet_subject
from lawsmith.stages.families import HISTORICAL_PARTITION
from lawsmith.stages.families import subject_of as card_subject
from lawsmith.stages.known_law_index import historical_cards
from lawsmith.stages.packets import is_frozen, packets_of
from lawsmith.stages.problems import PARTITION as PROBLEM_PARTITION
from lawsmith.stages.problems import listed_problems, rejected_subject
from lawsmith.stages.publications import revised_papers
from lawsmith.stages.reviews import (
    accepted_cards,
    accepted_families,
    admitted_cards,
    card_done,
    forged_families,
)
from lawsmith.stages.sources import week_subject
from schemas.family import Family
from schemas.source import Disposition, Paper, Stage


def pending(context: StageContext, weeks: Sequence[str]) -> dict[str, list[str]]:
    """Week -> `stage subject` of everything not done; weeks without any are left out.

    A source on the network is not asked about weeks that were harvested before.

    Raises:
        PrerequisiteError: the source cannot be read.
    """
    found: dict[str, list[str]] = defaultdict(list)
    for week, paper in _listed(context, weeks):
        if paper is None:
            found[week].append("sources (not harvested whole)")
        elif not PartitionPass(context, "sources", week).done(_paper_subject(paper)):
            found[week].append(f"sources {paper.id}")
    for week in weeks:
        for stage, subjects in _SUBJECTS:
            step = PartitionPass(context, stage, week)
            found[week].extend(
                f"{stage} {subject.id}"
                for subject in subjects(context, week)
                if not step.done(subject)
            )
        found[week].extend(
            f"packets {packet.id} (its text file is gone or has other bytes)"
            for _row, packet in packets_of(context, week)
            if not is_frozen(context.store, packet)
        )
        step = PartitionPass(context, "reviews/card", week)
        found[week].extend(
            f"reviews/card {card.id} (decided by a person)"
            for card, _draft in admitted_cards(context, week)
            if step.done(card_subject(card)) and not card_done(context, step, card)
        )
    return {week: items for week, items in sorted(found.items()) if items}


def pending_historical(context: StageContext) -> list[str]:
    """`stage subject` of every Historical card without a family and family without worlds."""
    cards = [card_subject(card) for card in historical_cards(context.settings.data_root)]
    forged = [_family_subject(one) for one in forged_families(context, HISTORICAL_PARTITION)]
    stages: tuple[tuple[Stage, list[Subject]], ...] = (("families", cards), ("worlds", forged))
    found = list[str]()
    for stage, subjects in stages:
        step = PartitionPass(context, stage, HISTORICAL_PARTITION)
        found.extend(f"{stage} {item.id}" for item in subjects if not step.done(item))
    return found


def pending_problems(context: StageContext) -> list[str]:
    """`stage subject` of every problem that was not judged yet or has no world yet."""
    return list(_pending_problems(context))


def _pending_problems(context: StageContext) -> Iterator[str]:
    admission = PartitionPass(context, "problems", PROBLEM_PARTITION)
    worlds = calibrated_pass(context)
    for item in listed_problems(context):
        if not admission.done(item.subject):
            yield f"problems {item.subject.id}"
        held = admission.held.get((item.subject.id, item.subject.digest))
        # A problem that was refused has no world.
        if (held is None or held.outcome == "passed") and not worlds.done(item.subject):
            yield f"worlds {item.subject.id}"
    yield from (f"worlds {name}" for name in worlds_missing(context))
    for entry in rejected_datasets(context.settings.data_root):
        subject = rejected_subject(entry)
        if not admission.done(subject):
            yield f"problems {subject.id}"


def _listed(context: StageContext, weeks: Sequence[str]) -> Iterator[tuple[str, Paper | None]]:
    if context.source == "arxiv":
        revised = _not_harvested(context, revised_papers(context))
        for week in weeks:
            step = PartitionPass(context, "sources", week)
            if (
                not step.done(week_subject(context, week))
                or week in revised
                or any(item.outcome == "failed" for item in _standing(step).values())
            ):
                yield week, None
        return
    source = open_source(context.settings, context.store, context.source)
    for paper in source.harvest(window_of(weeks)).papers:
        yield week_of(paper.published), paper


def _standing(step: PartitionPass) -> dict[str, Disposition]:
    """Subject -> its newest disposition: a paper that failed and came later has not failed."""
    newest = sorted(step.held.values(), key=lambda item: item.at)
    return {item.subject_id: item for item in newest}


def _not_harvested(context: StageContext, revised: Mapping[str, int]) -> set[str]:
    """The weeks of the papers whose new version is not among their stored ones."""
    found: dict[str, tuple[str, int]] = {}
    for row in read_table(context.store, "sources", context.collection):
        if row.paper_id in revised:
            paper = Paper.from_json(row.record)
            newest = max(paper.version, found.get(paper.paper_id, ("", 0))[1])
            found[paper.paper_id] = (week_of(paper.published), newest)
    return {week for name, (week, newest) in found.items() if newest < revised[name]}


def _papers(context: StageContext, week: str) -> list[Subject]:
    rows = read_partition(context.store, "sources", context.collection, week)
    return [_paper_subject(Paper.from_json(row.record)) for row in rows if row.outcome == "passed"]


def _packets(context: StageContext, week: str) -> list[Subject]:
    return [packet_subject(packet) for _row, packet in packets_of(context, week)]


def _admitted(context: StageContext, week: str) -> list[Subject]:
    return [card_subject(card) for card, _draft in admitted_cards(context, week)]


def _accepted(context: StageContext, week: str) -> list[Subject]:
    return [card_subject(card) for card in accepted_cards(context, week)]


def _forged(context: StageContext, week: str) -> list[Subject]:
    return [_family_subject(family) for family in forged_families(context, week)]


def _reviewed(context: StageContext, week: str) -> list[Subject]:
    return [_family_subject(family) for family in accepted_families(context, week)]


def _paper_subject(paper: Paper) -> Subject:
    return Subject("paper", paper.id, paper.digest, paper.paper_id, paper.version)


def _family_subject(family: Family) -> Subject:
    return Subject("family", family.id, family.digest, family.paper_id, None)


_SUBJECTS: tuple[tuple[Stage, Callable[[StageContext, str], list[Subject]]], ...] = (
    ("packets", _papers),
    ("cards", _packets),
    ("reviews/card", _admitted),
    ("families", _accepted),
    ("reviews/case", _forged),
    ("worlds", _reviewed),
)
