"""`verify`: every hash and every figure of a release, made again and compared."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from lawsmith.curation.admission import KnownLaw
from lawsmith.errors import InputError, PrerequisiteError
from lawsmith.keyed_draws import parse_key
from lawsmith.release.assembly import certificate_lines, task_family_row
from lawsmith.release.bundle.accounting import file_faults, manifest_faults
from lawsmith.release.bundle.calibrated_verification import (
    TASK_ID,
    Again,
    CalibratedRows,
    SealedRows,
    kind_faults,
    public_calibrated_faults,
    read_calibrated,
    read_sealed_calibrated,
    sealed_calibrated_faults,
)
from lawsmith.release.bundle.database import read_database
from lawsmith.release.bundle.lenient import LenientReader
from lawsmith.release.bundle.page_verification import page_faults
from lawsmith.release.bundle.recomputation import (
    StoredRows,
    card_faults,
    difficulty_faults,
    foreign_faults,
    mutation_faults,
    task_faults,
    truth_faults,
)
from lawsmith.release.content import SUFFIXES, PaperNote, check_version
from lawsmith.release.differences import differences
from lawsmith.release.gates import CERTIFIERS, Certifier, certificate_faults, gate_faults
from lawsmith.release.leaks import leak_faults
from lawsmith.release.manifest import PUBLIC_MANIFEST, SEALED_MANIFEST, models_of, strata_of
from lawsmith.release.pages import licence_rows
from lawsmith.release.tables import (
    TABLE_PATHS,
    PublicTable,
    Row,
    calibrated_row,
    observation_row,
    read_parquet,
    row_path,
    task_row,
)
from lawsmith.rules import check_manifest
from schemas.card import Card
from schemas.family import Family
from schemas.historical_card import HistoricalCard
from schemas.record import CANARY, canonical_json, strict_json
from schemas.release import Fault, PublicManifest, SealedManifest
from schemas.review import Review
from schemas.task import FixedObservation, PublicTask, SealedKey
from schemas.world import PairedWorld

ALL: Final = -1
"""`certificates=ALL` recomputes those of every family."""


@dataclass(frozen=True)
class _Public:
    manifest: PublicManifest
    tasks: tuple[PublicTask, ...]
    fixed: tuple[FixedObservation, ...]
    calibrated: CalibratedRows


@dataclass(frozen=True)
class _Sealed:
    manifest: SealedManifest | None
    key: bytes | None
    keys: tuple[SealedKey, ...]
    families: tuple[Family, ...]
    cards: tuple[Card | HistoricalCard, ...]
    reviews: tuple[Review, ...]
    worlds: tuple[PairedWorld, ...]
    papers: tuple[PaperNote, ...]
    calibrated: SealedRows


def verify_release(
    release: Path, certificates: int = 0, known: Sequence[KnownLaw] = ()
) -> list[Fault]:
    """Every fault of a release folder or of a copy of one; an empty list means none was found.

    Without sealed/ only the public tree can be checked. Files, manifests, commitment, digests,
    keyed ids, laws, truth at 50 digits, observations, tolerances, twins, gates, leaks and the
    canary are always checked; of tasks on real data also tables, splits, published fits, anchors,
    worlds, pools and the scores of Real baselines. Where all of this holds, the pages are made
    again and compared.

    Args:
        release: the folder.
        certificates: for how many families (by id) to recompute every certificate, and for how
            many problems to search their hidden law again; -1 = all.
        known: the textbook laws that the search was told of.

    Raises:
        PrerequisiteError: the folder is no release, or goes by a version of a rule that another
            Lawsmith applies.
        InputError: `certificates` is below -1.
    """
    if certificates < ALL:
        raise InputError(f"certificates {certificates!r} is below -1", path="certificates")
    if not (release / PUBLIC_MANIFEST).is_file():
        raise PrerequisiteError(f"no release at {release}", fix="give a release folder")
    text = (release / PUBLIC_MANIFEST).read_bytes().decode("utf-8", "replace")
    rules = check_manifest(text, "verify")
    reader = LenientReader(release)
    manifest = reader.whole(PUBLIC_MANIFEST, PublicManifest.from_json)
    whole = (release / "sealed").is_dir()
    sealed_manifest = None
    if whole:
        sealed_manifest = reader.whole(SEALED_MANIFEST, SealedManifest.from_json)
    faults = list(file_faults(release, manifest, sealed_manifest))
    if manifest is None:
        return [*reader.faults, *faults]
    faults += manifest_faults(release, manifest, sealed_manifest)
    public = _read_public(reader, manifest, faults)
    faults += _public_faults(release, public)
    if whole:
        sealed = _read_sealed(reader, manifest, sealed_manifest, faults)
        count = manifest.problems if certificates == ALL else certificates
        again = Again(count, known)
        certifier = CERTIFIERS[rules.get("cert", max(CERTIFIERS))]
        faults += _sealed_faults(public, sealed, certificates, certifier)
        faults += sealed_calibrated_faults(
            release, manifest, public.calibrated, sealed.calibrated, sealed.key, again
        )
        faults += _derived_faults(reader, public, sealed)
    faults = [*reader.faults, *faults]
    if not faults:
        # Pages are judged by the rows: of rows that do not hold there is nothing to hold them to.
        faults += page_faults(release)
    return _distinct(faults)


def _read_public(reader: LenientReader, manifest: PublicManifest, faults: list[Fault]) -> _Public:
    tasks: list[PublicTask] = []
    for table in ("discovery", "identification"):
        if not (reader.root / TABLE_PATHS[table]).is_file():
            continue
        found = reader.records(table, lambda _: PublicTask)
        faults += [
            Fault(path=f"{row_path(table, task.id)}/setting", what=f"is {task.setting}")
            for task in found
            if task.setting != table
        ]
        tasks += found
    fixed: list[FixedObservation] = []
    for number, row in reader.rows("fixed_observations"):
        try:
            fixed.append(FixedObservation.model_validate_json(canonical_json(row)))
        except ValueError as error:
            where = f"{TABLE_PATHS['fixed_observations']}:{number}"
            faults.append(Fault(path=where, what=" ".join(str(error).split())[:300]))
    return _Public(manifest, tuple(tasks), tuple(fixed), read_calibrated(reader, manifest))


def _read_sealed(
    reader: LenientReader,
    public: PublicManifest,
    manifest: SealedManifest | None,
    faults: list[Fault],
) -> _Sealed:
    def card_kind(data: dict[str, Any]) -> type[Card] | type[HistoricalCard]:
        return HistoricalCard if "mutation_rules" in data else Card

    papers: list[PaperNote] = []
    for number, row in reader.rows("attributions"):
        try:
            papers.append(PaperNote(**{k: v for k, v in row.items() if k != "canary"}))
        except TypeError as error:
            where = f"{TABLE_PATHS['attributions']}:{number}"
            faults.append(Fault(path=where, what=str(error)))
    return _Sealed(
        manifest=manifest,
        key=reader.whole("sealed/collection.key", parse_key),
        keys=tuple(reader.records("keys", lambda _: SealedKey)),
        families=tuple(reader.records("families", lambda _: Family)),
        cards=tuple(reader.records("cards", card_kind)),
        reviews=tuple(reader.records("reviews", lambda _: Review)),
        worlds=tuple(reader.records("worlds", lambda _: PairedWorld)),
        papers=tuple(papers),
        calibrated=read_sealed_calibrated(reader, public),
    )


def _public_faults(release: Path, public: _Public) -> Iterator[Fault]:
    manifest = public.manifest
    try:
        check_version(manifest.collection, manifest.version)
    except InputError as error:
        yield Fault(path=f"{PUBLIC_MANIFEST}/version", what=error.problem)
    if manifest.id != f"{manifest.collection.split('-')[0]}-{manifest.version}":
        yield Fault(path=f"{PUBLIC_MANIFEST}/id", what=f"{manifest.id!r} is not of its version")
    for task in public.tasks:
        where = row_path(task.setting, task.id)
        if not TASK_ID.fullmatch(task.id):
            yield Fault(path=f"{where}/id", what="is no keyed id")
        if task.collection != manifest.collection:
            yield Fault(path=f"{where}/collection", what=f"is {task.collection!r}")
        if task.canary != CANARY:
            yield Fault(path=f"{where}/canary", what="is not the canary")
    rows: dict[PublicTable, list[Row]] = {
        "discovery": [task_row(task) for task in public.tasks if task.setting == "discovery"],
        "identification": [
            task_row(task) for task in public.tasks if task.setting == "identification"
        ],
        "fixed_observations": [observation_row(row) for row in public.fixed],
    }
    yield from public_calibrated_faults(public.calibrated, manifest)
    if manifest.problems:
        for kind in ("parallel", "real"):
            tasks = [task for task in public.calibrated.tasks if task.kind == kind]
            rows[kind] = [calibrated_row(task) for task in tasks]
        rows["real_observations"] = [observation_row(row) for row in public.calibrated.observations]
    yield from _twins(release, rows)


def _twins(release: Path, rows: dict[PublicTable, list[Row]]) -> Iterator[Fault]:
    for table, known in rows.items():
        path = f"public/{table}.parquet"
        if not (release / path).is_file():
            continue
        try:
            found = read_parquet(release / path, table)
        except (ValueError, OSError) as error:
            yield Fault(path=path, what=f"does not read: {' '.join(str(error).split())[:300]}")
            continue
        yield from _row_faults(path, known, found)
    path = "public/tasks.duckdb"
    if not (release / path).is_file():
        return
    try:
        tables = read_database(release / path)
    except ValueError as error:
        yield Fault(path=path, what=str(error))
        return
    for name in sorted({*tables, *rows}):
        where = f"{path}/{name}"
        if name not in tables or name not in rows:
            state = "is missing" if name not in tables else "is no table of a release"
            yield Fault(path=where, what=state)
    for table, known in rows.items():
        yield from _row_faults(f"{path}/{table}", known, tables.get(table, []))


def _row_faults(path: str, expected: Sequence[Row], found: Sequence[Row]) -> Iterator[Fault]:
    if len(expected) != len(found):
        yield Fault(path=path, what=f"has {len(found)} rows; the JSONL has {len(expected)}")
    # Rows are matched by their ids: a database keeps no order that anyone may rely on.
    by_name = {_row_name(row): row for row in found}
    for one in expected:
        name = _row_name(one)
        if name not in by_name:
            yield Fault(path=f"{path}#{name}", what="is missing")
            continue
        for field in differences(one, by_name[name]):
            yield Fault(path=f"{path}#{name}{field}", what="is not what the JSONL says")


def _row_name(row: Row) -> str:
    return str(row["id"]) if "id" in row else f"{row.get('task_id')}/{row.get('index')}"


def _sealed_faults(
    public: _Public, sealed: _Sealed, certificates: int, certifier: Certifier
) -> Iterator[Fault]:
    manifest = public.manifest
    stored = StoredRows(public.tasks, sealed.keys, sealed.worlds, public.fixed)
    cards = {card.id: card for card in sealed.cards}
    count = len(sealed.families) if certificates == ALL else certificates
    for index, family in enumerate(sealed.families):
        yield from truth_faults(family)
        yield from mutation_faults(family)
        yield from difficulty_faults(family)
        if family.card_id in cards:
            yield from card_faults(family, cards[family.card_id])
        if sealed.key is not None:
            yield from task_faults(family, sealed.key, manifest.collection, stored)
        if index < count:
            yield from certificate_faults(family, certifier)
    yield from foreign_faults(stored, sealed.families, public_only=False)
    relaxed = SUFFIXES[manifest.collection] != ""
    yield from gate_faults(sealed.families, sealed.cards, sealed.reviews, relaxed)
    yield from leak_faults(
        public.tasks, public.fixed, sealed.keys, sealed.families, sealed.cards, sealed.papers
    )


def _derived_faults(reader: LenientReader, public: _Public, sealed: _Sealed) -> Iterator[Fault]:
    """Tables and manifest fields that only repeat what other records say."""
    manifest = public.manifest
    facts: dict[str, tuple[Any, Any]] = {
        "families": (manifest.families, len(sealed.families)),
        "strata": (manifest.strata, strata_of(sealed.families)),
        "models": (manifest.models, models_of(sealed.cards, sealed.reviews)),
        "replayed_replies": (
            manifest.replayed_replies,
            any(review.replayed for review in sealed.reviews)
            or any(isinstance(card, Card) and card.replayed for card in sealed.cards),
        ),
    }
    for name, (said, found) in facts.items():
        if said != found:
            yield Fault(path=f"{PUBLIC_MANIFEST}/{name}", what="is not what the records give")
    yield from kind_faults(manifest, 4 * len(sealed.families), public.calibrated.tasks)
    if sealed.manifest is not None:
        cited = {note.paper_id: note.attribution for note in sealed.papers}
        if cited != sealed.manifest.attributions:
            yield Fault(
                path=f"{SEALED_MANIFEST}/attributions", what="is not what attributions.jsonl says"
            )
    keyed = Counter(key.problem_id for key in sealed.calibrated.parallel_keys)
    keyed.update(key.problem_id for key in sealed.calibrated.real_keys)
    tasks_of = [(item.licence, keyed[item.id]) for item in sealed.calibrated.problems]
    licences = licence_rows(sealed.families, sealed.papers, tasks_of)
    expected = {
        "licences": [{**row, "canary": CANARY} for row in licences],
        "task_families": [{**task_family_row(key), "canary": CANARY} for key in sealed.keys],
        "certificates": [strict_json(line) for line in certificate_lines(sealed.families)],
    }
    for table, rows in expected.items():
        name = "licence" if table == "licences" else "id"
        found = {str(row.get(name)): row for _, row in reader.rows(table)}
        wanted = {row[name]: row for row in rows}
        for identity in sorted({*found, *wanted}):
            if identity not in found or identity not in wanted:
                state = "is missing" if identity not in found else "belongs to no record"
                yield Fault(path=row_path(table, identity), what=state)
                continue
            for path in differences(found[identity], wanted[identity]):
                yield Fault(
                    path=row_path(table, identity) + path, what="is not what the records say"
                )


def _distinct(faults: Sequence[Fault]) -> list[Fault]:
    return list(dict.fromkeys(faults))


__all__ = ("ALL", "verify_release")
