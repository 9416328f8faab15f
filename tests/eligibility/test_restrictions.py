"""Allow-lists of a cut: which spellings are one journal, which categories an archive covers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lawsmith.eligibility.date_windows import Policy, judge_eligibility
from lawsmith.eligibility.restrictions import AllowLists, allow_lists, as_issn, journal_key
from lawsmith.errors import InputError
from schemas.source import Paper, Publication, ReasonCode

WORDS = st.text(alphabet="abcdefgé XYZ&.-:", min_size=1, max_size=30)
BOTH: tuple[Policy, ...] = ("journal_required", "preprint_only")


def _paper(*categories: str, withdrawn: bool = False) -> Paper:
    return Paper(
        id="folder:1v1",
        paper_id="folder:1",
        version=1,
        source="folder",
        title="Scour",
        abstract="",
        authors=(),
        categories=categories,
        published="2026-05-13T10:00:00Z",
        updated="2026-05-13T10:00:00Z",
        doi=None,
        journal_ref=None,
        licence=None,
        files=(),
        withdrawn=withdrawn,
        synthetic=False,
    )


def _publication(
    journal: str | None, *issns: str, online: str | None = "2026-07-14"
) -> Publication:
    return Publication(
        id="folder:1v1",
        paper_id="folder:1",
        version=1,
        published="2026-05-13T10:00:00Z",
        journal_online=online,
        journal_print=None,
        related_preprints=(),
        provenance="metadata",
        retracted=False,
        checked_at="2026-11-30T00:00:00Z",
        journal=journal,
        journal_issns=issns,
    )


def _judged(
    lists: AllowLists,
    publication: Publication,
    *categories: str,
    policy: Policy = "journal_required",
    until: str = "2026-10-31",
) -> tuple[str, str]:
    paper = _paper(*categories or ("physics.flu-dyn",))
    found = judge_eligibility(paper, publication, "2026-04-30", until, policy, lists)
    return found.outcome, found.reason_code.value


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Physical Review E", "PHYSICAL  REVIEW E"),
        ("Phys. Rev. E", "phys rev e"),
        ("Heat & Mass Transfer", "Heat and Mass Transfer"),
        ("Heat &amp; Mass Transfer", "Heat and mass transfer"),
        ("The Astronomical Journal", "Astronomical Journal"),
        ("Revista de Física", "revista de fisica"),
        ("Journal of Flows: Part A", "Journal of Flows - Part A"),
        ("1095-3787", "issn 10953787"),
        ("1050-124X", "1050-124x"),
    ],
)
def test_spellings_of_one_journal(one: str, other: str) -> None:
    assert journal_key(one) == journal_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Physical Review E", "Physical Review"),
        ("Physical Review E", "Physical Review D"),
        ("Nature", "Nature Physics"),
        ("1095-3787", "2470-0045"),
    ],
)
def test_other_journals_are_others(one: str, other: str) -> None:
    assert journal_key(one) != journal_key(other)


# Check digits by hand: 1095-3787 and 2470-0045 are Physical Review E in print and online.
@pytest.mark.parametrize(
    ("text", "issn"),
    [
        ("1095-3787", "1095-3787"),
        ("24700045", "2470-0045"),
        ("ISSN: 1050-124x", "1050-124X"),
        ("1095-3786", None),
        ("1095-378", None),
        ("Physical Review E", None),
    ],
)
def test_an_issn_carries_its_check(text: str, issn: str | None) -> None:
    assert as_issn(text) == issn


def test_an_empty_list_restricts_nothing() -> None:
    assert _judged(AllowLists(), _publication(None)) == ("passed", "ok")
    assert _judged(allow_lists([], []), _publication("Any"), "math.AP") == ("passed", "ok")


@pytest.mark.parametrize("policy", BOTH)
@pytest.mark.parametrize(
    ("listed", "publication", "expected"),
    [
        ("journal of flows", _publication("Journal of Flows"), ("passed", "ok")),
        ("1095-3787", _publication("Flows", "1095-3787", "2470-0045"), ("passed", "ok")),
        ("Flows", _publication(None, "1095-3787"), ("rejected", "journal_not_listed")),
        ("Journal of Flows", _publication("Flows"), ("rejected", "journal_not_listed")),
        ("Journal of Flows", _publication(None), ("waiting", "journal_unknown")),
    ],
)
def test_only_listed_journals_pass(
    listed: str, publication: Publication, expected: tuple[str, str], policy: Policy
) -> None:
    assert _judged(allow_lists([listed], []), publication, policy=policy) == expected


def test_a_paper_without_a_journal_date_waits_for_it_and_not_for_a_name() -> None:
    lists = allow_lists(["Journal of Flows"], [])
    waiting = _publication(None, online=None)
    assert _judged(lists, waiting) == ("waiting", "awaiting_publication")
    assert _judged(lists, waiting, policy="preprint_only") == ("waiting", "journal_unknown")


@pytest.mark.parametrize(
    ("listed", "held", "passes"),
    [
        (["physics.flu-dyn"], ["physics.flu-dyn"], True),
        (["physics"], ["physics.flu-dyn"], True),
        (["Physics.Flu-Dyn"], ["physics.flu-dyn"], True),
        (["physics.optics"], ["math.AP", "physics.optics"], True),
        (["eess.SP", "cond-mat"], ["cond-mat.soft"], True),
        (["astro-ph"], ["astro-ph"], True),
        (["physics.flu-dyn"], ["physics.optics"], False),
        (["physics.flu-dyn"], ["physics"], False),
        (["math"], ["math-ph"], False),
        (["eess.SP"], ["eess.SY"], False),
    ],
)
def test_an_archive_stands_for_all_below_it(
    listed: list[str], held: list[str], passes: bool
) -> None:
    expected = ("passed", "ok") if passes else ("rejected", "category_not_listed")
    assert _judged(allow_lists([], listed), _publication("Flows"), *held) == expected


def test_a_paper_without_a_category_is_in_no_listed_one() -> None:
    found = judge_eligibility(
        _paper(),
        _publication("Flows"),
        "2026-04-30",
        "2026-10-31",
        "journal_required",
        allow_lists([], ["physics"]),
    )
    assert found.reason_code is ReasonCode.CATEGORY_NOT_LISTED
    assert "it names none" in found.sentence


def test_the_order_and_spelling_of_entries_is_nothing() -> None:
    one = allow_lists(["Nature", "Journal of  Flows", "nature"], ["physics", "eess.SP"])
    other = allow_lists(["Journal of Flows", "nature", "Nature"], ["eess.SP", "physics", "physics"])
    assert one == other
    assert one.journals == ("Journal of Flows", "Nature")


@pytest.mark.parametrize("name", ["", " ", "...", "1095-3786"])
def test_what_names_no_journal_is_refused(name: str) -> None:
    with pytest.raises(InputError, match=r"journal|ISSN"):
        allow_lists(["Nature", name], [])


@pytest.mark.parametrize("name", ["", "physics.*", "physics flu-dyn", "physics."])
def test_what_names_no_category_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="category"):
        allow_lists([], [name])


@given(
    st.lists(WORDS.filter(journal_key), max_size=3),
    WORDS,
    st.sampled_from(BOTH),
    st.sampled_from(["2026-07-01", "2026-10-31"]),
)
def test_lists_never_admit_what_dates_refuse(
    journals: list[str], name: str, policy: Policy, until: str
) -> None:
    free = _judged(AllowLists(), _publication(name), policy=policy, until=until)
    held = _judged(allow_lists(journals, []), _publication(name), policy=policy, until=until)
    if held[0] == "passed":
        assert free[0] == "passed"
        assert not journals or journal_key(name) in {journal_key(one) for one in journals}
