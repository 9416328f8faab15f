"""Do the files of a release match its manifests, and the manifests each other?"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from lawsmith.errors import IntegrityError
from lawsmith.release.bundle.exporting import EXPORT_NOTE, omitted_files
from lawsmith.release.bundle.lenient import LenientReader
from lawsmith.release.content import cut_policy
from lawsmith.release.manifest import (
    PUBLIC_MANIFEST,
    SEALED_MANIFEST,
    claims_digests,
    claims_of,
    describe_file,
    file_sha256,
    list_files,
    release_digest,
)
from lawsmith.release.tables import CALIBRATED_TABLES, TABLE_PATHS
from lawsmith.rules import WHERE, named, stated_rules, unstated
from schemas.record import CANARY
from schemas.release import Fault, PublicManifest, ReleaseFile, SealedManifest

_TEXT: Final = (".html", ".md", ".svg", ".json", ".jsonl")


def check_whole(release: Path) -> None:
    """Nothing, or an error where a file of a whole release is not what its manifests say.

    Raises:
        IntegrityError: which files, and what to do.
    """
    reader = LenientReader(release)
    public = reader.whole(PUBLIC_MANIFEST, PublicManifest.from_json)
    sealed = reader.whole(SEALED_MANIFEST, SealedManifest.from_json)
    faults = [*reader.faults, *file_faults(release, public, sealed)]
    if public is not None and sealed is not None:
        commitment = file_sha256(release / SEALED_MANIFEST)
        if commitment != public.sealed_commitment:
            faults.append(Fault(path=SEALED_MANIFEST, what="is not what the public one commits to"))
    if faults:
        listed = "; ".join(f"{fault.path} {fault.what}" for fault in faults[:5])
        raise IntegrityError(
            f"the release is damaged, {len(faults)} faults: {listed}",
            path=str(release),
            fix="a release never changes: put the folder back from a copy, or move it away and"
            " run the same command, which cuts it again with the same id and content",
        )


def file_faults(
    root: Path, public: PublicManifest | None, sealed: SealedManifest | None
) -> Iterator[Fault]:
    """Missing, foreign and altered files, links, text files without the canary."""
    allowed = {"public", "sealed"}
    for path in sorted(root.iterdir()):
        if path.name not in allowed:
            yield Fault(path=path.name, what="does not belong in a release")
    yield from _odd_entries(root)
    try:
        omitted = frozenset(omitted_files(root))
    except ValueError as error:
        yield Fault(path=EXPORT_NOTE, what=f"does not read: {error}")
        omitted = frozenset()
    if public is not None:
        yield from _listed(root, "public", public.files, omitted, {PUBLIC_MANIFEST})
    if sealed is not None:
        manifests = {PUBLIC_MANIFEST, SEALED_MANIFEST}
        yield from _listed(root, "", sealed.files, omitted, manifests)
    yield from _canaries(root)


def _odd_entries(root: Path) -> Iterator[Fault]:
    """Links, folders of nothing, pipes and devices."""
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.is_symlink():
            yield Fault(path=name, what="is a link")
        elif path.is_dir():
            if not any(path.iterdir()):
                yield Fault(path=name, what="is an empty folder")
        elif not path.is_file():
            yield Fault(path=name, what="is no regular file")


def manifest_faults(
    root: Path, public: PublicManifest, sealed: SealedManifest | None
) -> Iterator[Fault]:
    """The commitment, the key's hash, the content digest and what both manifests say."""
    for name, manifest in ((PUBLIC_MANIFEST, public), (SEALED_MANIFEST, sealed)):
        if manifest is not None and manifest.canary != CANARY:
            yield Fault(path=f"{name}/canary", what=f"is {manifest.canary!r}")
    stated = stated_rules(policy.name for policy in public.policies)
    for rule in unstated(stated, public.problems > 0):
        yield Fault(path=f"{WHERE}/{named(rule)}", what="is missing")
    if cut_policy(public) not in public.policies:
        yield Fault(
            path=f"{WHERE}/{named('cut')}",
            what="is not what window, cutoff, until, eligibility and marks say",
        )
    if sealed is not None:
        yield from _commitments(root, public, sealed)


def _commitments(root: Path, public: PublicManifest, sealed: SealedManifest) -> Iterator[Fault]:
    commitment = file_sha256(root / SEALED_MANIFEST)
    if commitment != public.sealed_commitment:
        yield Fault(
            path=f"{PUBLIC_MANIFEST}/sealed_commitment",
            what=f"is not the sha256 of {SEALED_MANIFEST}, {commitment}",
        )
    if sealed.id != public.id:
        yield Fault(path=f"{SEALED_MANIFEST}/id", what=f"is {sealed.id!r}, not {public.id!r}")
    key_path = root / "sealed" / "collection.key"
    key_sha256 = file_sha256(key_path) if key_path.is_file() else ""
    if key_sha256 != sealed.key_sha256:
        yield Fault(
            path=f"{SEALED_MANIFEST}/key_sha256", what="is not the sha256 of sealed/collection.key"
        )
    found = stored_digest(root, public, key_sha256)
    if found is not None and found != sealed.content_digest:
        yield Fault(
            path=f"{SEALED_MANIFEST}/content_digest",
            what=f"is not that of the rows, policies and key: {found}",
        )
    claims = claims_digests(claims_of(public))
    for name in sorted({*claims, *sealed.claims}):
        if claims.get(name) != sealed.claims.get(name):
            yield Fault(
                path=f"{PUBLIC_MANIFEST}/{name}",
                what=f"is not what {SEALED_MANIFEST} has a hash of",
            )
    listed = {item.path: item for item in sealed.files}
    for item in public.files:
        if listed.get(item.path) != item:
            yield Fault(
                path=f"{PUBLIC_MANIFEST}/files/{item.path}",
                what=f"is not what {SEALED_MANIFEST} says of it",
            )


def stored_digest(root: Path, public: PublicManifest, key_sha256: str) -> str | None:
    """The content digest of the JSONL files as they lie there; None where one is missing.

    A release without problems has no table of tasks on real data.
    """
    tables: dict[str, list[str]] = {}
    for name, path in TABLE_PATHS.items():
        if name in CALIBRATED_TABLES and not public.problems:
            continue
        if not (root / path).is_file():
            return None
        text = (root / path).read_bytes().decode("utf-8", "replace")
        tables[name] = text.split("\n")[:-1]
    return release_digest(tables, public.policies, key_sha256)


def _listed(
    root: Path,
    tree: str,
    files: Iterable[ReleaseFile],
    omitted: frozenset[str],
    apart: set[str],
) -> Iterator[Fault]:
    expected = {item.path: item for item in files}
    trees = (tree,) if tree else ("public", "sealed")
    present = {
        path.relative_to(root).as_posix(): path for name in trees for path in list_files(root, name)
    }
    for name in sorted({*expected} - {*present}):
        if name not in omitted:
            yield Fault(path=name, what="is missing")
    for name in sorted({*present} - {*expected} - apart - {EXPORT_NOTE}):
        yield Fault(path=name, what="is in no manifest")
    for name in sorted({*present} & {*expected}):
        yield from _altered(root, present[name], expected[name])


def _altered(root: Path, path: Path, expected: ReleaseFile) -> Iterator[Fault]:
    # The hash comes first: a damaged Parquet file has no rows to count.
    if file_sha256(path) != expected.sha256:
        yield Fault(
            path=expected.path, what=f"sha256 differs from the manifest's {expected.sha256}"
        )
        return
    found = describe_file(root, path)
    if found != expected:
        yield Fault(
            path=expected.path,
            what=f"has {found.bytes} bytes and {found.rows} rows, not {expected.bytes} and"
            f" {expected.rows}",
        )


def _canaries(root: Path) -> Iterator[Fault]:
    for tree in ("public", "sealed"):
        for path in list_files(root, tree):
            if path.suffix in _TEXT and CANARY.encode() not in path.read_bytes():
                if path.suffix == ".jsonl" and path.stat().st_size == 0:
                    continue
                yield Fault(path=path.relative_to(root).as_posix(), what="holds no canary")


__all__ = ("check_whole", "file_faults", "manifest_faults", "stored_digest")
