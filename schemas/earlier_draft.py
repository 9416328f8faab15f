"""The form of extraction replies before near misses, necessary properties and two-part origins.

This is the only place that reads the earlier form. It serves what was recorded or written by
hand before; a reply of a live model is read with `LIVE` as context and is held to every field of
the schema that it was shown. What the earlier form had no field for was not asked, so nothing is
claimed: a list that it lacks is empty, and the kind and the range source of a control are null,
not stated. The words for origin become what they state (`EARLIER_ORIGINS`).
"""

from collections.abc import Mapping
from typing import Any, Final

from pydantic import ValidationInfo

LIVE: Final[Mapping[str, bool]] = {"live": True}
"""Context of a validation that takes the present form alone."""

EARLIER_ORIGINS: Final[Mapping[str, Mapping[str, str | None]]] = {
    "derived_here": {"form": "own", "constants": "own"},
    "fitted_here": {"form": None, "constants": "own"},
    "restated": {"form": "taken_over", "constants": "taken_over"},
}
"""The words by which origin was given before it had two parts, and what each of them states."""

_NEW_LISTS: Final = ("joint_choices", "necessary", "worked_values")
_NEW_OF_CONTROLS: Final = ("kind", "range_source")


def present_reply(data: Any, info: ValidationInfo) -> Any:
    """The data of an extraction reply; one of the earlier form is given its empty near misses."""
    if info.context == LIVE or not isinstance(data, dict):
        return data
    return {"near_misses": [], **data}


def present_draft(data: Any, info: ValidationInfo) -> Any:
    """The data of a card draft; one of the earlier form is given what that form had no field for.

    Nothing is checked here: what was malformed stays so and is refused by the schema.
    """
    if info.context == LIVE or not isinstance(data, dict):
        return data
    draft: dict[str, Any] = {**{name: [] for name in _NEW_LISTS}, **data}
    if isinstance(data.get("controls"), list):
        unstated = dict.fromkeys(_NEW_OF_CONTROLS)
        draft["controls"] = [
            {**unstated, **part} if isinstance(part, dict) else part for part in data["controls"]
        ]
    if isinstance(data.get("relations"), list):
        draft["relations"] = [
            {**part, "origin": present_origin(part["origin"])}
            if isinstance(part, dict) and "origin" in part
            else part
            for part in data["relations"]
        ]
    return draft


def present_origin(value: Any) -> Any:
    """An origin in two parts where one of the earlier words is given; any other value itself."""
    return dict(EARLIER_ORIGINS[value]) if value in tuple(EARLIER_ORIGINS) else value


__all__ = ("EARLIER_ORIGINS", "LIVE", "present_draft", "present_origin", "present_reply")
