"""Which release a task was read from: a mark beside the record, no part of its content."""

from schemas.task import PublicTask

_MARK = "_release_digest"


def mark_release(task: PublicTask, digest: str) -> PublicTask:
    """The task with the digest of the public manifest that it was read under."""
    task.__dict__[_MARK] = digest
    return task


def release_digest_of(task: PublicTask) -> str | None:
    """The digest of the public manifest; None of a task that was read from no release."""
    digest = task.__dict__.get(_MARK)
    return None if digest is None else str(digest)


__all__ = ("mark_release", "release_digest_of")
