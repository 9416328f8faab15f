"""Decisions of people: `overrides.toml` of the store, read afresh by every stage."""

from lawsmith.curation.admission import Override, override_for, parse_overrides
from lawsmith.errors import InputError
from lawsmith.gateways.store import check_not_lost, remember
from lawsmith.runs.context import StageContext


def override_of(context: StageContext, *subjects: str) -> Override | None:
    """The decision about the first of these ids that has one, most particular first.

    Raises:
        InputError: overrides.toml is not what it must be.
        IntegrityError: it was there and is gone.
    """
    path = context.store.overrides
    anew = "to withdraw them all leave an empty file"
    check_not_lost(context.store.home, path, "the record of people's decisions", anew)
    if not path.is_file():
        return None
    remember(context.store.home, path)
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8: {error}", path=str(path)) from error
    overrides = parse_overrides(text, str(path))
    return override_for(overrides, *subjects)
