"""`cards show`, `cards list` and `explain`: a card beside its packet, and who said what of it."""

import hashlib
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from lawsmith.curation.admission.gate_table import GATES
from lawsmith.curation.evidence.reasons import Reason
from lawsmith.gateways.store import Row, partitions_of, read_partition, write_partition
from lawsmith.runs.stored_reasons import reasons_cell
from schemas.packet import Packet
from schemas.record import canonical_json
from schemas.source import ReasonCode

if TYPE_CHECKING:
    from tests.conftest import Home, MainJob

Shell = Any
SAMPLE = "temporal-sample"
ACCEPTED, REFUSED = "sample:0001/r1", "sample:0005/r1"
HOSTILE = (
    "\x1b[2J\x1b]0;owned\x07[bold red]accept[/] \u202eetad \x9b31m ![x](http://evil.invalid/x.png)"
)


@pytest.fixture
def filled(lawsmith: Shell, main_job: "MainJob") -> Shell:
    """The shell over a copy of the store that the main job filled."""
    shutil.copytree(main_job.home.path, lawsmith.home)
    lawsmith.environ["LAWSMITH_DATA"] = str(main_job.home.data.path)
    return lawsmith


@pytest.fixture
def home(filled: Shell, main_job: "MainJob") -> "Home":
    """The same copy as the stages see it."""
    return replace(main_job.home, path=filled.home)


def change(home: "Home", table: str, row_id: str, how: Callable[[Row], Row]) -> None:
    """Alter one stored row."""
    store = home.context().store
    for partition in partitions_of(store, table, SAMPLE):
        rows = read_partition(store, table, SAMPLE, partition)
        if any(row.id == row_id for row in rows):
            changed = [how(row) if row.id == row_id else row for row in rows]
            write_partition(store, table, SAMPLE, partition, changed)
            return
    raise AssertionError(row_id)


def redrafted(row: Row, how: Callable[[dict[str, Any]], object], **cells: Any) -> Row:
    draft = json.loads(str(row.extra["draft"]))
    how(draft)
    return replace(row, extra={**row.extra, "draft": canonical_json(draft), **cells})


def test_an_accepted_card_is_shown_with_everything_said_of_it(filled: Shell) -> None:
    told = filled("cards", "show", ACCEPTED)
    assert told.code == 0
    out = told.out
    assert "j = (b0 + b1*(v/v0)^0.62)*D/(D + D_h)" in out
    # The lines that the sample's text holds, with their numbers and the quotation marked.
    assert "44 The fitted constants" in out
    assert "⟦the wind part $b_1$ = 0.87 $\\pm$ 0.01 kg/(m$^2$ h)⟧" in " ".join(out.split())
    assert "value 0.87: line 44, as “0.87”" in out
    assert "number 1" not in out
    assert "Review of the card, revision 0, by reader-b, replayed: accept" in out
    assert "Review of the case, revision 0, by reader-b, replayed: accept" in out
    assert "background: supported" in out
    assert f"all {len(GATES)} gates when it was decided" in out
    assert "mutation" in out
    assert "certificate 11" in out
    assert out.count("t-") >= 4
    assert "\x1b" not in out
    assert all(line == line.rstrip() for line in out.split("\n")[:60])


def test_the_reviewers_words_are_marked_in_the_lines_they_are_from(filled: Shell) -> None:
    page = filled("cards", "show", ACCEPTED, "--json").json
    for review in page["reviews"]:
        for item in review["criteria"]:
            if item["quoted"]:
                marked = "".join(
                    line["text"][start:end]
                    for line in item["lines"]
                    for start, end in line["marks"]
                )
                assert marked.split() == item["quote"].split(), item["criterion"]


def test_every_anchor_of_every_sample_card_is_marked(filled: Shell) -> None:
    cards = [row["card"] for row in filled("cards", "list", "--json").json]
    assert len(cards) == 7
    for card in cards:
        for fact in filled("cards", "show", card, "--json").json["facts"]:
            assert all(number["found"] for number in fact["numbers"]), fact
            for evidence in fact["evidence"]:
                assert evidence["found"] == "as claimed"
                assert any(line["marks"] for line in evidence["lines"]), evidence


def test_a_refused_card_says_why_beside_the_fact(filled: Shell) -> None:
    out = filled("cards", "show", REFUSED).out
    assert "GATE dimension_mismatch/expression/args/1: add of M T^-3" in out
    gates = out.split("\nGates")[1]
    assert "refused" in gates
    assert "not run" in gates
    assert "coherence" in gates
    assert filled("explain", REFUSED).out.count("GATE dimension_mismatch") == 1


def test_a_draft_that_no_card_could_be_made_of(filled: Shell, home: "Home") -> None:
    def spoil(draft: dict[str, Any]) -> None:
        draft["controls"][0]["high"] = None
        draft["parameters"][0]["value"] = 0.348
        draft["relations"][0]["expression"] = "R*("
        draft["readouts"][0]["anchors"][0]["quote"] = "words that stand nowhere in it"

    said = reasons_cell(
        [
            Reason(
                ReasonCode.INVALID_EXPRESSION,
                "/relations/0/expression",
                "'R*(': it ends too soon",
            )
        ]
    )
    change(
        home,
        "cards",
        REFUSED,
        lambda row: replace(redrafted(row, spoil, reasons=said), record="{}"),
    )
    out = filled("explain", "sample:0005").out
    assert "dT = R*(" in out
    assert "R [W/m^2] from 80 to ?" in out
    assert "value 0.348: not printed there" in out
    assert "GATE invalid_expression/expression: 'R*(': it ends too soon" in out
    assert "quoted: words that stand nowhere in it" in out
    assert "domain_missing" in out  # What the gates find now beside what they found then.
    assert filled("cards", "show", REFUSED, "--json").json["facts"]


def test_text_of_a_paper_is_never_obeyed(filled: Shell, home: "Home") -> None:
    def poison(draft: dict[str, Any]) -> None:
        draft["title"] = HOSTILE
        draft["parameters"][0]["meaning"] = HOSTILE
        draft["parameters"][0]["anchors"][0]["quote"] = HOSTILE

    packets: dict[str, Packet] = {}

    def rewrite(row: Row) -> Row:
        packet = Packet.from_json(row.record)
        lines = (*packet.lines[:28], HOSTILE, *packet.lines[29:])
        digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()
        made = packet.model_copy(
            update={
                "lines": lines,
                "text_sha256": digest,
                "id": f"{packet.paper_id}v{packet.version}/pdf/{digest[:12]}",
            }
        )
        packets["new"] = made
        return replace(row, id=made.id, record=made.to_json(), digest=made.digest)

    store = home.context().store
    week = "2026-05-11"
    old = next(row for row in read_partition(store, "packets", SAMPLE, week) if "0005" in row.id)
    change(home, "packets", old.id, rewrite)
    new = packets["new"].id
    change(home, "cards", REFUSED, lambda row: redrafted(row, poison, packet_id=new, title=HOSTILE))
    for command in (
        ("cards", "show", REFUSED),
        ("cards", "list"),
        ("explain", "sample:0005"),
        ("cards", "show", REFUSED, "--json"),
    ):
        out = filled(*command).out
        assert not set("\x1b\x07\x9b\u202e") & set(out), command
        assert "[bold red]accept[/]" in out
    shown = filled("cards", "show", REFUSED).out
    assert "29 ⟦\\x1b[2J\\x1b]0;owned\\x07[bold red]accept[/] \\u202eetad" in shown
    data = filled("cards", "show", REFUSED, "--json").json
    assert data["draft"]["title"] == HOSTILE


def test_a_revision_is_shown_with_what_it_changed(filled: Shell, home: "Home") -> None:
    def revise(draft: dict[str, Any]) -> None:
        draft["parameters"][1]["meaning"] = "Wind part of the flux"

    store = home.context().store
    week = "2026-10-05"
    rows = read_partition(store, "reviews/card", SAMPLE, week)
    first = next(row for row in rows if row.extra["card_id"] == ACCEPTED)
    later = redrafted(replace(first, id=f"{ACCEPTED}/card/1"), revise, revision=1)
    write_partition(store, "reviews/card", SAMPLE, week, [*rows, later])
    out = filled("cards", "show", ACCEPTED).out
    assert "revision shown: 1" in out
    assert "Wind part of the flux" in out
    line = next(line for line in out.split("\n") if "/parameters/1/meaning" in line)
    assert line.split()[0] == "1"


def test_a_review_of_what_a_card_was_before_says_so(filled: Shell, home: "Home") -> None:
    def reread(draft: dict[str, Any]) -> None:
        draft["parameters"][1]["meaning"] = "Read anew"

    change(home, "cards", ACCEPTED, lambda row: replace(redrafted(row, reread), digest="0" * 64))
    out = filled("cards", "show", ACCEPTED).out
    assert "Read anew" in out
    assert "Review of the card, revision 0, by reader-b, replayed: accept (of what" in out
    assert "Review of the case, revision 0, by reader-b, replayed: accept\n" in out


def test_a_disagreement_of_gates_and_reviewer_is_shown(filled: Shell, home: "Home") -> None:
    def doubt(row: Row) -> Row:
        from schemas.review import Review

        data = json.loads(row.record)
        for name in ("digest", "schema_version"):
            del data[name]
        data["criteria"][7] |= {"verdict": "unsupported", "reason": "the fit is of one series"}
        data["decision"] = "reject"
        review = Review.model_validate_json(json.dumps(data))
        return replace(row, record=review.to_json(), digest=review.digest)

    change(home, "reviews/card", f"{ACCEPTED}/card/0", doubt)
    out = filled("cards", "show", ACCEPTED).out
    part = out.split("Where gates and reviewer disagree")[1].split("\n\n")[0]
    assert "passed" in part
    assert "status unsupported: the fit is of one series" in part


def test_a_persons_decision_is_shown(filled: Shell) -> None:
    (filled.home / "overrides.toml").write_text(
        f'[[decision]]\nsubject = "{ACCEPTED}"\naction = "reject"\n'
        'reason = "one slab only"\nby = "A. Curator"\n',
        encoding="utf-8",
    )
    out = filled("cards", "show", ACCEPTED).out
    assert "Decisions of people" in out
    assert "one slab only" in out
    assert "A. Curator" in out


def test_lists_are_filtered(filled: Shell) -> None:
    def ids(*options: str) -> list[str]:
        return [row["card"] for row in filled("cards", "list", *options, "--json").json]

    assert ids("--outcome", "rejected") == [REFUSED]
    assert ids("--reason", "dimension_mismatch") == [REFUSED]
    assert ids("--reason", "unit_incoherent") == []
    assert ids("--window", "2026-05-11..2026-05-18") == [REFUSED, "sample:0007/r1"]
    readings = ids("--readings", "--reason", "no_executable_relation")
    assert [item.split("v1")[0] for item in readings] == ["sample:0004", "sample:0009"]
    assert len(ids()) == 7
    wrong = filled("cards", "list", "--reason", "dimension_mismatched")
    assert wrong.code == 2
    assert "did you mean dimension_mismatch" in " ".join(wrong.err.split())
    assert filled("cards", "list", "--window", "May").code == 2


def test_a_task_leads_back_to_its_card(filled: Shell) -> None:
    page = filled("cards", "show", ACCEPTED, "--json").json
    tasks = next(part for part in page["sections"] if part["title"].startswith("Tasks"))["rows"]
    told = filled("explain", tasks[0]["task"]).out
    assert f"Card {ACCEPTED}" in told
    assert "Relations" in told
