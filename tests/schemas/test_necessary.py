"""What each kind of necessary property must and must not state."""

from typing import Any

import pytest
from pydantic import ValidationError

from schemas.necessary import NecessaryClaim

EMPTY: dict[str, Any] = dict.fromkeys(("control", "direction", "at", "value", "low", "high"))


def claim(kind: str, **given: Any) -> NecessaryClaim:
    return NecessaryClaim.model_validate({"readout": "y", "kind": kind, **EMPTY, **given})


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        ("sign", {"direction": "nonnegative"}),
        ("monotone", {"control": "x", "direction": "nondecreasing"}),
        ("limit", {"control": "x", "at": 0.0, "value": 1.0}),
        ("limit", {"control": "x", "direction": "increasing", "value": 0.0}),
        ("bound", {"low": 0.0}),
        ("bound", {"low": 0.0, "high": 1.0}),
    ],
)
def test_each_kind_takes_its_own_fields(kind: str, given: dict[str, Any]) -> None:
    assert claim(kind, **given).kind == kind


@pytest.mark.parametrize(
    ("kind", "given", "said"),
    [
        ("sign", {}, "needs direction"),
        ("sign", {"direction": "increasing"}, "one of positive, negative"),
        ("sign", {"direction": "positive", "control": "x"}, "takes no control"),
        ("monotone", {"direction": "increasing"}, "needs control"),
        ("monotone", {"control": "x", "direction": "positive"}, "one of increasing"),
        ("monotone", {"control": "x", "direction": "increasing", "low": 0.0}, "takes no low"),
        ("limit", {"control": "x", "at": 0.0}, "needs value"),
        ("limit", {"control": "x", "value": 0.0}, "either at or a direction"),
        (
            "limit",
            {"control": "x", "value": 0.0, "at": 1.0, "direction": "increasing"},
            "either at or a direction",
        ),
        ("limit", {"control": "x", "value": 0.0, "direction": "nondecreasing"}, "one of"),
        ("bound", {}, "low, high or both"),
        ("bound", {"low": 1.0, "high": 1.0}, "not below"),
        ("bound", {"high": 1.0, "control": "x"}, "takes no control"),
        ("bound", {"high": float("inf")}, "finite"),
    ],
)
def test_what_a_kind_lacks_or_does_not_take_is_said(
    kind: str, given: dict[str, Any], said: str
) -> None:
    with pytest.raises(ValidationError, match=said):
        claim(kind, **given)
