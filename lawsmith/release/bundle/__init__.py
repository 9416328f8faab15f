"""The release folder: writing, reading, verifying, comparing and copying it."""

from lawsmith.release.bundle.accounting import check_whole
from lawsmith.release.bundle.comparison import ReleaseDiff, TaskChange, diff_releases
from lawsmith.release.bundle.exporting import export_release
from lawsmith.release.bundle.reading import (
    PublicRelease,
    Release,
    SealedRelease,
    read_manifest,
    read_public,
    read_release,
    read_task,
)
from lawsmith.release.bundle.verification import verify_release
from lawsmith.release.bundle.writing import Written, thaw, write_release

__all__ = (
    "PublicRelease",
    "Release",
    "ReleaseDiff",
    "SealedRelease",
    "TaskChange",
    "Written",
    "check_whole",
    "diff_releases",
    "export_release",
    "read_manifest",
    "read_public",
    "read_release",
    "read_task",
    "thaw",
    "verify_release",
    "write_release",
)
