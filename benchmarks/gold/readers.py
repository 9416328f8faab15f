"""Cards that a chain of readers' replies produced, against gold cards read by hand.

Run with `python -m benchmarks.gold.readers [folder of papers]`. It takes recorded replies
(readers saw only the rendered requests), runs extraction, gates and review over them, and holds
what comes out against each paper's gold card, field by field: the real papers of
../shared/papers, where they are there, with the replies of tests/real, then the sample's nine
papers with its own replies and the gold cards of benchmarks/gold/sample. Since a recorded reader
may rightly say that a paper has no executable relation, each gold relation goes through the same
gates in draft form: (a) do reader and gates agree on executability, (b) where there is a draft,
are its fields right. Every difference is listed as a case with what stopped it: a gate, the
reviewer, a revision, or nothing. What came of it is told in docs/readers.md.
"""

import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks.gold.chain import ROOT, SLIPPED, Judged, judge, mistakes
from benchmarks.gold.facts import Compared, Tally
from schemas.source import ReasonCode

RECORDED = ROOT / "tests" / "real"
PAPERS = ROOT.parent / "shared" / "papers"
SAMPLE = ROOT / "data" / "sample"
SAMPLE_GOLD = ROOT / "benchmarks" / "gold" / "sample"
FIELDS = (
    *("relation", "relation form", "status", "origin", "controls", "control units", "range ends"),
    *("sampling", "constraints", "consistency"),
    *("readouts", "readout units", "readout resolution", "readout uncertainty"),
    *("parameters", "parameter units", "parameter values", "parameter uncertainty"),
    *("parameter roles", "conditions", "limitations", "aggregation", "sample_size"),
)


def judged_sample() -> list[Judged]:
    """The sample's papers and recorded replies against the gold cards read from their text."""
    return judge(SAMPLE, SAMPLE, SAMPLE_GOLD, "sample")


def tallied(facts: Iterable[Compared]) -> dict[str, Tally]:
    """Counts by field, with their sum under `overall`."""
    found: dict[str, Tally] = defaultdict(Tally)
    for fact in facts:
        found[fact.field].add(fact)
        found["overall"].add(fact)
    return found


def main() -> None:
    """Print the tables."""
    papers = Path(sys.argv[1]) if len(sys.argv) > 1 else PAPERS
    if papers.is_dir():
        print("Real papers\n")
        print_set(judge(RECORDED, papers))
    else:
        print(f"no papers at {papers}: nothing real to compare")
    print("\nThe sample\n")
    print_set(judged_sample())


def print_set(found: Sequence[Judged]) -> None:
    """Executability, fields by paper and in sum, then the cases."""
    print_executability(found)
    for judged in found:
        if judged.compared:
            print_fields(judged.slug, [fact for *_, facts in judged.compared for fact in facts])
    every = [fact for judged in found for *_, facts in judged.compared for fact in facts]
    print_fields("all papers with a draft", every)
    print("\ncases")
    listed = [(judged.slug, *row) for judged in found for row in mistakes(judged)]
    for slug, case, what, gold, got, stop in listed:
        print(f"  {slug}/{case}: {what}\n      gold {gold[:90]}\n      reader {got[:90]}")
        print(f"      stopped by {stop}")
    slipped = sum(row[-1] == SLIPPED for row in listed)
    print(f"  {len(listed)} differences, {slipped} of them slipped through")


def print_executability(found: Sequence[Judged]) -> None:
    """Whether reader and gates agree that a paper has something to run."""
    print(
        f"{'paper':26} {'gold':>4} {'runs':>4} {'drafts':>6} {'admitted':>8} {'accepted':>8}  agree"
    )
    agreed = 0
    for judged in found:
        drafts = len(judged.cards)
        admitted = sum(card.admission.card is not None for card in judged.cards)
        accepted = sum(
            card.review is not None and card.review.reason is ReasonCode.OK for card in judged.cards
        )
        agree = bool(admitted) == bool(judged.executable)
        comparable = judged.has_gold and judged.recorded
        agreed += agree and comparable
        verdict = ("yes" if agree else "no") if comparable else "–"
        counts = f"{len(judged.gold):4} {judged.executable:4} {drafts:6} {admitted:8} {accepted:8}"
        print(f"{judged.slug:26} {counts}  {verdict}")
        for case, codes in judged.gold:
            print(f"    gold {case.id}: {', '.join(codes) or 'runs'}")
        if judged.extraction is None:
            print("    reader: no recorded reply")
        elif not judged.has_gold:
            print("    no gold card")
        elif not drafts:
            print(f"    reader: {judged.extraction.reason}: {judged.extraction.sentence}")
        for card in judged.cards:
            print(f"    reader's card: {card.fate}")
    held = sum(one.has_gold and one.recorded for one in found)
    print(f"agreement on executability: {agreed} of {held} recorded papers with a gold card")


def print_fields(title: str, facts: Sequence[Compared]) -> None:
    """Precision and recall by field."""
    print(f"\n{title}")
    if not facts:
        print("  no reader drafted a card: no field to compare")
        return
    counts = tallied(facts)
    for name in (*FIELDS, "overall"):
        if name in counts:
            tally = counts[name]
            shares = f"precision {_share(tally.precision)}   recall {_share(tally.recall)}"
            numbers = (
                f"{tally.right:3} right of {tally.in_draft:3} drafted, {tally.in_gold:3} in gold"
            )
            print(f"  {name:22} {numbers}   {shares}")


def _share(value: float | None) -> str:
    return "   –" if value is None else f"{value:4.2f}"


if __name__ == "__main__":
    main()
