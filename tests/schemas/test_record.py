"""Canonical JSON, digests and loading of records."""

import hashlib
import json
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.record import (
    CANARY,
    Part,
    Record,
    StoredRecordError,
    canonical_json,
    record_name,
    strict_json,
)
from schemas.source import Disposition, ReasonCode


class Inner(Part):
    """A part."""

    value: float
    note: str | None


class TwoWords(Record):
    """A record with provenance."""

    not_content: ClassVar[frozenset[str]] = frozenset({"seen_at"})

    inner: Inner
    names: tuple[str, ...]
    seen_at: str


def example(**changes: object) -> TwoWords:
    fields: dict[str, object] = {
        "id": "a/b",
        "inner": Inner(value=-0.0, note=None),
        "names": ("ä", "b"),
        "seen_at": "today",
    }
    return TwoWords.model_validate(fields | changes)


def test_a_digest_is_the_documented_hash() -> None:
    text = 'lawsmith/two_words/1\n{"inner":{"note":null,"value":0.0},"names":["ä","b"]}'
    assert example().digest == hashlib.sha256(text.encode("utf-8")).hexdigest()


def test_identity_and_provenance_are_not_content() -> None:
    assert example(id="c", seen_at="tomorrow").digest == example().digest
    assert example(names=("b",)).digest != example().digest


def test_a_record_survives_its_json() -> None:
    record = example()
    assert TwoWords.from_json(record.to_json()) == record


@pytest.mark.parametrize("field", ["value", "digest", "schema_version", "note"])
def test_a_changed_line_is_refused(field: str) -> None:
    data = json.loads(example().to_json())
    if field in {"value", "note"}:
        data["inner"][field] = 2.0 if field == "value" else "x"
    else:
        data[field] = "0" * 64 if field == "digest" else 2
    with pytest.raises(ValueError, match=r"digest|schema_version"):
        TwoWords.from_json(json.dumps(data))


@pytest.mark.parametrize(
    "text", ['{"a": 1, "a": 2}', "NaN", "[Infinity]", '{"a": -Infinity}', "{'a': 1}"]
)
def test_lax_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - several messages
        strict_json(text)


@pytest.mark.parametrize("identity", ["", " a", "a|b", "a "])
def test_an_identity_that_keyed_messages_could_not_hold_is_refused(identity: str) -> None:
    with pytest.raises(ValueError, match="id"):
        example(id=identity)


def test_numbers_are_numbers() -> None:
    with pytest.raises(ValueError, match="valid number"):
        Inner.model_validate({"value": "3", "note": None})
    with pytest.raises(ValueError, match="finite"):
        Inner.model_validate({"value": float("nan"), "note": None})
    with pytest.raises(ValueError, match="Extra"):
        Inner.model_validate({"value": 1.0, "note": None, "more": 1})


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=20,
)


@given(JSON)
def test_canonical_json_is_a_fixed_point(value: object) -> None:
    text = canonical_json(value)
    assert canonical_json(strict_json(text)) == text


def test_names_are_snake_case() -> None:
    assert record_name(TwoWords) == "two_words"


def test_the_canary_is_its_uuid() -> None:
    import uuid

    assert str(uuid.uuid5(uuid.NAMESPACE_URL, "lawsmith/canary/1")) == CANARY


def test_a_record_that_was_changed_is_told_from_other_faults() -> None:
    window = Disposition(
        id="sources/sample:0001v1",
        subject_kind="paper",
        subject_id="sample:0001v1",
        stage="sources",
        digest_judged="0" * 64,
        release_id=None,
        paper_id="sample:0001",
        version=1,
        outcome="passed",
        reason_code=ReasonCode.OK,
        sentence="listed",
        retryable=False,
        attempts=1,
        at="2026-10-05T00:00:00Z",
    )
    text = window.to_json()
    for changed in (text.replace("listed", "Listed"), text.replace('_version":1', '_version":9')):
        with pytest.raises(StoredRecordError):
            Disposition.from_json(changed)
