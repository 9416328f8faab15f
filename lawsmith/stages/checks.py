"""Checks of stored rows: each says what it looked at and every fault it found.

They repeat what the stages enforce, over the rows as they lie in the store now.
"""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from lawsmith.curation.admission import admit
from lawsmith.eligibility import week_of
from lawsmith.gateways.store import Row, Store, partitions_of, read_partition, read_table
from lawsmith.mutation.screening import certify, differing_figures
from lawsmith.release import PUBLIC_MANIFEST, file_sha256, relation_set_digest
from lawsmith.release.bundle import verify_release
from lawsmith.runs import Looked, StageContext
from lawsmith.stages.calibrated_worlds import PARTITION as CALIBRATED
from lawsmith.stages.packets import packet_file
from lawsmith.stages.playing import EPISODES, read_episodes, read_scores
from lawsmith.stages.problem_checks import CALIBRATED_KINDS, calibrated_task_faults
from schemas.card import Card
from schemas.family import Family
from schemas.packet import Packet
from schemas.record import Record
from schemas.release import Fault, PublicManifest
from schemas.review import CARD_CRITERIA, CASE_CRITERIA, Review
from schemas.source import Paper, Publication
from schemas.task import PublicTask, SealedKey
from schemas.world import PairedWorld

RecordT = TypeVar("RecordT", bound=Record)


def sources(context: StageContext) -> Looked:
    """Every paper lies in its week, under its own digest."""

    def faults(row: Row, paper: Paper) -> Iterator[str]:
        if week_of(paper.published) != row.partition:
            yield f"first submitted {paper.published}, in partition {row.partition}"

    return _over(context, "sources", Paper.from_json, faults)


def publications(context: StageContext) -> Looked:
    """Every known paper has a row, and a passed one has a journal date."""

    def faults(row: Row, found: Publication) -> Iterator[str]:
        if row.outcome == "passed" and not (found.journal_online or found.journal_print):
            yield "passed without a journal date"

    looked = _over(context, "publications", Publication.from_json, faults)
    known = {row.id for row in read_table(context.store, "publications", context.collection)}
    missing = tuple(
        Fault(path=f"publications {row.id}", what="never looked up")
        for row in read_table(context.store, "sources", context.collection)
        if row.outcome == "passed" and row.id not in known
    )
    return Looked(looked.rows, (*looked.faults, *missing))


def packets(context: StageContext) -> Looked:
    """Every packet's text has the hash it is named by, here and as a file."""

    def faults(_row: Row, packet: Packet) -> Iterator[str]:
        path = packet_file(context.store, packet)
        if not path.is_file():
            yield f"no frozen text at {path.name}"
        elif hashlib.sha256(path.read_bytes()).hexdigest() != packet.text_sha256:
            yield f"the frozen text {path.name} has other bytes"

    return _over(context, "packets", Packet.from_json, faults)


def cards(context: StageContext) -> Looked:
    """Every passed card still passes every admission gate against its packet."""
    texts = _packets(context)
    licences = {
        row.paper_id: row.extra["licence"]
        for row in read_table(context.store, "sources", context.collection)
    }

    def faults(row: Row, card: Card) -> Iterator[str]:
        packet = texts.get(card.packet_id)
        if packet is None:
            yield f"its packet {card.packet_id} is gone"
            return
        licence = licences.get(row.paper_id)
        verdict = admit(card, packet, licence=None if licence is None else str(licence))
        yield from (str(reason) for reason in verdict.reasons)

    return _over(context, "cards", Card.from_json, faults, passed_only=True)


def card_reviews(context: StageContext) -> Looked:
    """No accept with an unsupported criterion, every quote found, reviewer not extractor."""
    return _reviews(context, "reviews/card", CARD_CRITERIA)


def case_reviews(context: StageContext) -> Looked:
    """As for card reviews, with the criteria of a case."""
    return _reviews(context, "reviews/case", CASE_CRITERIA)


def families(context: StageContext) -> Looked:
    """No family with a failed certificate; every stored figure is recomputed."""

    def faults(_row: Row, family: Family) -> Iterator[str]:
        for item in family.certificates:
            if item.outcome == "failed":
                yield f"certificate {item.number} failed: {item.sentence}"
        for path in differing_figures(family.certificates, certify(family)):
            yield f"{path} differs from the recomputed certificate"

    return _over(context, "families", Family.from_json, faults)


def worlds(context: StageContext) -> Looked:
    """Both environments of a family are there and carry the digests of its relation sets."""
    forged = {
        row.id: Family.from_json(row.record)
        for row in read_table(context.store, "families", context.collection)
    }
    seen: dict[str, set[str]] = defaultdict(set)

    def faults(_row: Row, world: PairedWorld) -> Iterator[str]:
        seen[world.family_id].add(world.environment)
        family = forged.get(world.family_id)
        if family is None:
            yield f"its family {world.family_id} is gone"
        elif relation_set_digest(getattr(family, world.environment)) != world.relation_set_digest:
            yield "its relation set is not that of the family"

    looked = _over(context, "worlds", PairedWorld.from_json, faults, apart=(CALIBRATED,))
    single = tuple(
        Fault(path=f"worlds {family}", what=f"only {', '.join(sorted(found))}")
        for family, found in sorted(seen.items())
        if len(found) != 2
    )
    return Looked(looked.rows, (*looked.faults, *single))


def tasks(store: Store) -> Looked:
    """Four tasks a family, one background text, every key fitting its task."""
    rows = _all_rows(store, "tasks")
    faults = []
    texts: dict[tuple[str, str], set[str]] = defaultdict(set)
    counts: dict[tuple[str, str], int] = defaultdict(int)
    for row in rows:
        path = f"tasks {row.partition} {row.id}"
        if row.extra["setting"] in CALIBRATED_KINDS:
            faults += calibrated_task_faults(row, path)
            continue
        try:
            task = PublicTask.from_json(row.record)
            key = SealedKey.from_json(str(row.extra["sealed"]))
        except ValueError as error:
            faults.append(Fault(path=path, what=str(error)))
            continue
        family = (row.partition, str(row.extra["family_id"]))
        texts[family].add(task.background)
        counts[family] += 1
        if key.public_digest != task.digest:
            faults.append(Fault(path=path, what="its key was sealed for another text"))
    for family, count in counts.items():
        path = f"tasks {family[0]} {family[1]}"
        if count != 4:
            faults.append(Fault(path=path, what=f"{count} tasks, not 4"))
        if len(texts[family]) > 1:
            faults.append(Fault(path=path, what="its tasks differ in background text"))
    return Looked(len(rows), tuple(faults))


def releases(store: Store) -> Looked:
    """Verify finds no fault in any release."""
    folders = _folders(store.releases)
    faults = [
        Fault(path=f"{folder.name}/{fault.path}", what=fault.what)
        for folder in folders
        for fault in verify_release(folder)
    ]
    return Looked(len(folders), tuple(faults))


def exports(store: Store) -> Looked:
    """Every exported file has the hash that the bundle's manifest gives."""
    faults, looked = [], 0
    for folder in _folders(store.exports):
        path = folder / PUBLIC_MANIFEST
        try:
            manifest = PublicManifest.from_json(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            faults.append(Fault(path=f"{folder.name}/{PUBLIC_MANIFEST}", what=str(error)))
            continue
        for file in manifest.files:
            looked += 1
            path = folder / file.path
            if not path.is_file():
                faults.append(Fault(path=f"{folder.name}/{file.path}", what="missing"))
            elif file_sha256(path) != file.sha256:
                faults.append(Fault(path=f"{folder.name}/{file.path}", what="other bytes"))
    return Looked(looked, tuple(faults))


def evaluations(store: Store) -> Looked:
    """Every episode played has a score, none without its release."""
    faults, looked = [], 0
    for folder in _folders(store.evaluations):
        if not (folder / EPISODES).is_file():
            continue
        played = {item.id for item in read_episodes(folder)}
        scored = {item.id for item in read_scores(folder)}
        looked += len(played)
        faults += [
            Fault(path=f"{folder.name} {item}", what="played and not scored")
            for item in sorted(played - scored)
        ]
        if not (store.releases / folder.name).is_dir():
            faults.append(Fault(path=folder.name, what="its release is gone"))
    return Looked(looked, tuple(faults))


def _over(
    context: StageContext,
    table: str,
    parse: Callable[[str], RecordT],
    find: Callable[[Row, RecordT], Iterator[str]],
    *,
    passed_only: bool = False,
    apart: Sequence[str] = (),
) -> Looked:
    """Apply a rule to each row of a table whose record loads under its stored digest."""
    faults, looked = [], 0
    for row in read_table(context.store, table, context.collection):
        if row.partition in apart:
            continue
        if row.record == "{}" or (passed_only and row.outcome != "passed"):
            continue
        looked += 1
        path = f"{table} {row.id}"
        try:
            record = parse(row.record)
        except ValueError as error:
            faults.append(Fault(path=path, what=str(error)))
            continue
        if record.digest != row.digest:
            faults.append(Fault(path=path, what="the row's digest is not its record's"))
        faults += [Fault(path=path, what=what) for what in find(row, record)]
    return Looked(looked, tuple(faults))


def _reviews(context: StageContext, table: str, criteria: Sequence[str]) -> Looked:
    texts = {packet.text_sha256: packet for packet in _packets(context).values()}
    extractors = {
        row.id: row.extra["extractor"]
        for row in read_table(context.store, "cards", context.collection)
    }

    def faults(row: Row, review: Review) -> Iterator[str]:
        given = {item.criterion: item for item in review.criteria}
        if missing := [name for name in criteria if name not in given]:
            yield f"no verdict on {', '.join(missing)}"
        against = [name for name, item in given.items() if item.verdict == "unsupported"]
        if review.decision == "accept" and against:
            yield f"accepted though {', '.join(against)} is unsupported"
        if not review.same_model and extractors.get(review.card_id) == review.reviewer:
            yield f"{review.reviewer} reviewed its own card"
        packet = texts.get(review.packet_sha256)
        for item in given.values():
            if packet is not None and item.last_line and item.last_line > len(packet.lines):
                yield f"{item.criterion} cites line {item.last_line} of {len(packet.lines)}"

    return _over(context, table, Review.from_json, faults)


def _packets(context: StageContext) -> dict[str, Packet]:
    rows = read_table(context.store, "packets", context.collection)
    return {row.id: Packet.from_json(row.record) for row in rows}


def _all_rows(store: Store, table: str) -> list[Row]:
    return [
        row
        for collection in ("temporal", "temporal-sample", "historical", "historical-dev")
        for partition in partitions_of(store, table, collection)
        for row in read_partition(store, table, collection, partition)
    ]


def _folders(root: Path) -> list[Path]:
    return [path for path in sorted(root.glob("*-*")) if path.is_dir() and path.name[0] != "."]
