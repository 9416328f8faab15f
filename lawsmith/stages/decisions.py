"""Decisions of people: `overrides.toml` of the store, read afresh by every stage."""

from lawsmith.curation.overrides import Override, override_for, parse_overrides
from lawsmith.stages.context import StageContext


def override_of(context: StageContext, *subjects: str) -> Override | None:
    """The decision about the first of these ids that has one, most particular first.

    Raises:
        InputError: overrides.toml is not what it must be.
    """
    path = context.store.overrides
    if not path.is_file():
        return None
    overrides = parse_overrides(path.read_text(encoding="utf-8"), str(path))
    return override_for(overrides, *subjects)
