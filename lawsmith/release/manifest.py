"""Accounting for every byte of a release: content digest, file lists, the two manifests."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, get_args

from pydantic import TypeAdapter

from lawsmith.calibration import SCORER_VERSION
from lawsmith.calibration.hidden_laws import ALPHA, LARGEST_ERROR, POWER
from lawsmith.calibration.hidden_laws import POLICY as HIDDEN_POLICY
from lawsmith.calibration.problems import MIN_GROUPS, MIN_ROWS, MIN_VALIDITY, NEAR_PERFECT
from lawsmith.calibration.residuals import (
    FEWEST,
    MEAN_FRACTION,
    MEAN_MOST,
    SAMPLE_FRACTION,
    SAMPLE_MOST,
    TARGET,
)
from lawsmith.calibration.worlds import CALLS, SAMPLES
from lawsmith.measurement import (
    BUDGETS,
    DESIGN_POLICY,
    FIXED_POINTS,
    HIDDEN_CORNERS,
    HIDDEN_POINTS,
    LEAST_DISTANCE,
)
from lawsmith.mutation import (
    CANDIDATES,
    FAR,
    HOPELESS,
    MAX_PAIRS,
    NEAR,
    SEARCH_POLICY,
    STRATA_POLICY,
    by_move,
)
from lawsmith.mutation.laws import RELATIVE, TOLERANCE_POLICY, folded_laws
from lawsmith.mutation.screening import DECADES, RANK_BOUND, STARTS, STARTS_POLICY, VERSIONS
from lawsmith.release.content import ReleaseContent, cut_policy
from lawsmith.release.leaks import SIGNIFICANCE
from lawsmith.release.tables import parquet_rows
from lawsmith.release.tasks import ADAPTIVE_CAP, THRESHOLD
from lawsmith.rules import named
from schemas.card import Card
from schemas.expression import node_count
from schemas.family import Family, RelationSet
from schemas.historical_card import HistoricalCard
from schemas.record import CANARY, Instant, Record, content_digest, strict_json
from schemas.release import (
    KindCount,
    Policy,
    PublicManifest,
    ReleaseFile,
    SealedManifest,
    StratumCount,
)
from schemas.review import Review

PUBLIC_MANIFEST: Final = "public/manifest.json"
SEALED_MANIFEST: Final = "sealed/manifest.json"
_JSON: Final = TypeAdapter(dict[str, Any])
_NOT_CLAIMED: Final = frozenset(
    {"files", "sealed_commitment", "canary", "code_version", "created_at"}
)
"""What both manifests have, or what is about the writing and not about the release."""


def table_digest(lines: Iterable[str]) -> str:
    """The digest of one table: canonical JSONL lines in file order, which is by id."""
    return content_digest("rows", 1, list(lines))


def release_digest(
    tables: Mapping[str, Sequence[str]], policies: Iterable[Policy], key_sha256: str
) -> str:
    """The content digest `content-1`: rows by table, policies, and the hash of the key file.

    Tables of tasks on real data count where they are, so that releases without problems have
    the digest they always had.
    """
    return content_digest(
        "release_content",
        1,
        {
            "tables": {name: table_digest(lines) for name, lines in tables.items()},
            "policies": [policy.model_dump(mode="json") for policy in policies],
            "key": key_sha256,
        },
    )


def file_sha256(path: Path) -> str:
    """sha256 of a file's bytes."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def describe_file(root: Path, path: Path) -> ReleaseFile:
    """The manifest entry of one file; rows are counted for JSONL and Parquet."""
    rows: int | None = None
    if path.suffix == ".jsonl":
        rows = path.read_bytes().count(b"\n")
    elif path.suffix == ".parquet":
        rows = parquet_rows(path)
    return ReleaseFile(
        path=path.relative_to(root).as_posix(),
        sha256=file_sha256(path),
        bytes=path.stat().st_size,
        rows=rows,
    )


def list_files(root: Path, tree: str) -> list[Path]:
    """Every file of one tree, sorted by its path; a pipe or a device is none."""
    return sorted(path for path in (root / tree).rglob("*") if path.is_file())


def strata_of(families: Iterable[Family]) -> tuple[StratumCount, ...]:
    """How many families of each difficulty and combination of move kinds, and how large."""
    sizes: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for family in families:
        moves = "+".join(sorted(group[0].move for group in by_move(family.mutations)))
        pair = (_nodes(family.original), _nodes(family.counterfactual))
        sizes.setdefault((family.difficulty, moves), []).append(pair)
    return tuple(
        StratumCount(
            difficulty=difficulty,
            moves=moves,
            families=len(found),
            original_nodes=sum(before for before, _ in found),
            counterfactual_nodes=sum(after for _, after in found),
            larger=sum(after > before for before, after in found),
        )
        for (difficulty, moves), found in sorted(sizes.items())
    )


def _nodes(relations: RelationSet) -> int:
    """Nodes of the folded laws of one world."""
    return sum(node_count(law) for law in folded_laws(relations).values())


def models_of(
    cards: Iterable[Card | HistoricalCard], reviews: Iterable[Review]
) -> dict[str, tuple[str, ...]]:
    """Role -> the models that answered, as cards and reviews name them; none for Historical."""
    extractors = {card.extractor for card in cards if isinstance(card, Card)}
    reviewers = {review.reviewer for review in reviews}
    if not extractors:
        return {}
    return {"extractor": tuple(sorted(extractors)), "reviewer": tuple(sorted(reviewers))}


def kinds_of(content: ReleaseContent) -> tuple[KindCount, ...]:
    """How many tasks of each kind a release holds, kinds without any left out."""
    counts = {
        "paired": 4 * len(content.families),
        "parallel": sum(item.parallel is not None for item in content.problems),
        "real": sum(item.real is not None for item in content.problems),
    }
    return count_kinds(counts)


def count_kinds(counts: Mapping[str, int]) -> tuple[KindCount, ...]:
    """Counts by kind as they stand in a manifest."""
    kinds = get_args(KindCount.model_fields["kind"].annotation)
    return tuple(KindCount(kind=kind, tasks=counts[kind]) for kind in kinds if counts.get(kind))


_WITHOUT_VALUES: Final = (
    "records",
    "content",
    "truth",
    "tasks",
    "pages",
    "gates",
    "scale",
    "score",
    "dense",
)
"""Rules of every release that no figures belong to, or whose figures are the scorer's."""


def house_policies() -> tuple[Policy, ...]:
    """The named choices that every release of this code is shaped by."""
    protocol: dict[str, float | str] = {
        "threshold": THRESHOLD,
        "adaptive_cap": float(ADAPTIVE_CAP),
        "fixed_budgets": ", ".join(map(str, BUDGETS)),
        "main_budget": 4.0,
    }
    return (
        Policy(name=TOLERANCE_POLICY, values={"relative": RELATIVE, "decades_of_median": -3.0}),
        Policy(
            name=DESIGN_POLICY,
            values={
                "fixed": float(FIXED_POINTS),
                "hidden": float(HIDDEN_POINTS),
                "corners": float(HIDDEN_CORNERS),
                "least_distance": LEAST_DISTANCE,
            },
        ),
        Policy(
            name=STARTS_POLICY,
            values={"starts": float(STARTS), "decades": DECADES, "least_singular": RANK_BOUND},
        ),
        Policy(name=named("protocol"), values=protocol),
        Policy(
            name=SEARCH_POLICY,
            values={"candidates": float(CANDIDATES), "pairs": float(MAX_PAIRS)},
        ),
        Policy(name=STRATA_POLICY, values={"far": FAR, "near": NEAR, "hopeless": HOPELESS}),
        Policy(name=named("leak"), values={"significance": SIGNIFICANCE}),
        Policy(
            name=named("cert"),
            values={f"certificate_{n}": float(version) for n, version in VERSIONS.items()},
        ),
        *(Policy(name=named(rule), values={}) for rule in _WITHOUT_VALUES),
    )


def calibration_policies() -> tuple[Policy, ...]:
    """The named choices behind tasks on real data; only releases with problems have them."""
    return (
        Policy(
            name=named("admission"),
            values={
                "rows": float(MIN_ROWS),
                "groups": float(MIN_GROUPS),
                "validity_items": float(MIN_VALIDITY),
                "near_perfect": NEAR_PERFECT,
            },
        ),
        Policy(
            name=named("calibration"),
            values={
                "target_r2": TARGET,
                "mean_fraction": MEAN_FRACTION,
                "mean_most": float(MEAN_MOST),
                "sample_fraction": SAMPLE_FRACTION,
                "sample_most": float(SAMPLE_MOST),
                "fewest": float(FEWEST),
                "calls": float(CALLS),
                "samples": float(SAMPLES),
            },
        ),
        Policy(
            name=HIDDEN_POLICY,
            values={
                "visibility_level": ALPHA,
                "visibility_power": POWER,
                "solvability_error": LARGEST_ERROR,
            },
        ),
        Policy(name=named("structure"), values={"scorer": SCORER_VERSION}),
        Policy(name=named("noise"), values={}),
    )


def policies_of(content: ReleaseContent) -> tuple[Policy, ...]:
    """The policies of a release by name: the house's, its own, and the dates of its cut."""
    found = {item.name: item for item in (*house_policies(), *content.policies)}
    found[named("cut")] = cut_policy(content)
    if content.problems:
        found |= {item.name: item for item in calibration_policies()}
    return tuple(found[name] for name in sorted(found))


def public_claims(content: ReleaseContent) -> dict[str, Any]:
    """Field -> value of all that a public manifest says of its release beside its files."""
    return {
        "id": content.release_id,
        "collection": content.collection,
        "version": content.version,
        "synthetic_sources": content.synthetic_sources,
        "replayed_replies": content.replayed_replies,
        "window": content.window,
        "cutoff": content.cutoff,
        "until": content.until,
        "eligibility": content.eligibility,
        "policies": policies_of(content),
        "tasks": sum(item.tasks for item in kinds_of(content)),
        "kinds": kinds_of(content),
        "families": len(content.families),
        "problems": len(content.problems),
        "dispositions": content.dispositions,
        "strata": strata_of(content.families),
        "cleanliness": content.cleanliness,
        "models": {role: tuple(names) for role, names in sorted(content.models.items())},
        "prompts": dict(sorted(content.prompts.items())),
        "incomplete": content.incomplete,
        "parents": content.parents,
        "reason": content.reason,
    }


def claims_digests(claims: Mapping[str, Any]) -> dict[str, str]:
    """Field -> digest of what it says, as the JSON has it; the sealed manifest keeps them."""
    data = _JSON.dump_python(dict(claims), mode="json")
    return {name: content_digest("claim", 1, data[name]) for name in sorted(data)}


def claims_of(manifest: PublicManifest) -> dict[str, Any]:
    """The claims of a public manifest that was read."""
    return {
        name: getattr(manifest, name)
        for name in PublicManifest.model_fields
        if name not in _NOT_CLAIMED
    }


def sealed_manifest(
    root: Path,
    content: ReleaseContent,
    *,
    digest: str,
    claims: dict[str, str],
    key_sha256: str,
    created_at: Instant,
    code_version: str,
) -> SealedManifest:
    """The manifest of both trees as they lie under `root`, the two manifests excepted."""
    files = [
        describe_file(root, path)
        for tree in ("public", "sealed")
        for path in list_files(root, tree)
        if path.relative_to(root).as_posix() not in (PUBLIC_MANIFEST, SEALED_MANIFEST)
    ]
    return SealedManifest(
        id=content.release_id,
        content_digest=digest,
        claims=claims,
        key_sha256=key_sha256,
        attributions={note.paper_id: note.attribution for note in content.papers},
        files=tuple(files),
        canary=CANARY,
        code_version=code_version,
        created_at=created_at,
    )


def public_manifest(
    root: Path,
    content: ReleaseContent,
    *,
    commitment: str,
    created_at: Instant,
    code_version: str,
) -> PublicManifest:
    """The manifest of the public tree, with the commitment to the sealed one."""
    files = [
        describe_file(root, path)
        for path in list_files(root, "public")
        if path.relative_to(root).as_posix() != PUBLIC_MANIFEST
    ]
    return PublicManifest(
        **public_claims(content),
        files=tuple(files),
        sealed_commitment=commitment,
        canary=CANARY,
        code_version=code_version,
        created_at=created_at,
    )


def manifest_text(manifest: Record) -> str:
    """The text of a manifest file: JSON with sorted keys, indented for people."""
    data = strict_json(manifest.to_json())
    return json.dumps(data, sort_keys=True, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


__all__ = (
    "PUBLIC_MANIFEST",
    "SEALED_MANIFEST",
    "calibration_policies",
    "claims_digests",
    "claims_of",
    "count_kinds",
    "describe_file",
    "file_sha256",
    "house_policies",
    "kinds_of",
    "list_files",
    "manifest_text",
    "models_of",
    "policies_of",
    "public_claims",
    "public_manifest",
    "release_digest",
    "sealed_manifest",
    "strata_of",
    "table_digest",
)
