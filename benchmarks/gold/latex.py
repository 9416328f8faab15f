r"""How much of the display mathematics of papers `parse_latex_equation` reads, and how rightly.

Run with `python -m benchmarks.gold.latex [FOLDER]`; the folder, by default `papers` in the folder
`shared` next to the checkout, is searched for TeX files. Every display equation is read twice:
as it stands, and with the names that a card of the paper declares. `latex_labels.json`
holds, for each equation that a scalar law of the language can say, the SHA-256 of its text
without blanks and labels, and a reading written from the LaTeX by the author of the parser
and checked by a second reader; no text of a paper is in it.
"""

import hashlib
import json
import math
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from lawsmith.errors import UndefinedValueError
from lawsmith.expressions import (
    LatexEquation,
    LatexError,
    evaluate,
    parse_infix,
    parse_latex,
    parse_latex_equation,
)
from lawsmith.expressions.latex.parsing import Relation
from schemas.expression import Expression, names_of

LABELS = Path(__file__).parent / "latex_labels.json"
PAPERS = Path(__file__).resolve().parents[3] / "shared" / "papers"
_POINTS = 200
"""Points with a value at which a reading and its label are compared."""
_DRAWS = 2000
_COMMENT = re.compile(r"(?<!\\)%.*")
_DISPLAY = re.compile(
    r"\\begin\{(equation|align|alignat|flalign|eqnarray|gather|multline|displaymath)(\*?)\}"
    r".*?\\end\{\1\2\}|(?<!\\)\\\[.*?\\\]|(?<![\\$])\$\$.*?\$\$",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Label:
    """The labelled reading of one equation: its sides, their relation, what a card declares."""

    left: str | None
    right: str
    names: dict[str, str]
    log_base: Literal["e", 2, 10] | None = None
    relation: Relation = "equality"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one equation: `right`, `wrong`, `unlabelled`, or the reason of refusal."""

    digest: str
    result: str


def digest_of(text: str) -> str:
    """The SHA-256 of an equation without blanks, comments and labels."""
    bare = re.sub(r"\\label\{[^{}]*\}|\s+", "", _COMMENT.sub("", text))
    return hashlib.sha256(bare.encode()).hexdigest()


def display_equations(folder: Path) -> Iterator[str]:
    """Every display equation of the TeX files below a folder, file by file."""
    for path in sorted(folder.rglob("*.tex")):
        text = _COMMENT.sub("", path.read_text(encoding="utf-8", errors="replace"))
        for match in _DISPLAY.finditer(text):
            yield match.group()


def labels() -> dict[str, Label]:
    """The committed readings: digest -> label."""
    data: dict[str, dict[str, Any]] = json.loads(LABELS.read_text(encoding="utf-8"))
    return {digest: Label(**row) for digest, row in data.items()}


def outcome(text: str, label: Label | None, *, declared: bool) -> Outcome:
    """Reads one equation, with or without the declared names, and holds it against its label."""
    names = label.names if declared and label else None
    base = label.log_base if declared and label else None
    digest = digest_of(text)
    try:
        found: LatexEquation | Expression = parse_latex_equation(text, names, log_base=base)
    except LatexError as equation_error:
        try:
            found = parse_latex(text, names, log_base=base)
        except LatexError:
            return Outcome(digest, equation_error.reason)
    if label is None:
        return Outcome(digest, "unlabelled")
    return Outcome(digest, "right" if _agrees(found, label) else "wrong")


def _agrees(found: LatexEquation | Expression, label: Label) -> bool:
    if not isinstance(found, LatexEquation):
        return label.left is None and _same(found, label.right)
    if label.left is None or found.relation != label.relation:
        return False
    return _same(found.left, label.left) and _same(found.right, label.right)


def _same(found: Expression, expected: str) -> bool:
    wanted = parse_infix(expected)
    names = sorted(names_of(found))
    if names != sorted(names_of(wanted)):
        return False
    generator = np.random.Generator(np.random.PCG64(1))
    compared = 0
    for _ in range(_DRAWS):
        point = {name: float(generator.uniform(0.3, 0.9)) for name in names}
        value, expected_value = _value(found, point), _value(wanted, point)
        if (value is None) != (expected_value is None):
            return False
        if value is None or expected_value is None:
            continue
        if not math.isclose(value, expected_value, rel_tol=1e-12):
            return False
        compared += 1
        if compared == _POINTS:
            return True
    return False


def _value(expression: Expression, point: dict[str, float]) -> float | None:
    try:
        return float(evaluate(expression, point))
    except UndefinedValueError:
        return None


def _table(texts: list[str], *, declared: bool) -> None:
    readings = labels()
    found = [outcome(text, readings.get(digest_of(text)), declared=declared) for text in texts]
    counts = Counter(each.result for each in found)
    judged = counts["right"] + counts["wrong"]
    read = judged + counts["unlabelled"]
    ought = [each for each in found if each.digest in readings]
    reached = sum(each.result == "right" for each in ought)
    print(f"  read                  {read:>4}  {read / len(found):6.1%} of all")
    print(f"  of these right        {counts['right']:>4}  {counts['right'] / max(read, 1):6.1%}")
    print(f"  ought to be readable  {len(ought):>4}")
    print(f"  of these read rightly {reached:>4}  {reached / max(len(ought), 1):6.1%}")
    for reason, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        if reason not in ("right", "wrong", "unlabelled"):
            missed = sum(each.result == reason for each in ought)
            note = f"  ({missed} ought to be readable)" if missed else ""
            print(f"  refused: {reason:<12} {count:>4}  {count / len(found):6.1%}{note}")


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else PAPERS
    every = list(display_equations(folder))
    distinct = list({digest_of(text): text for text in every}.values())
    if not every:
        print("no TeX file with a display equation was found")
        return
    print(f"{len(every)} display equations, {len(distinct)} distinct")
    for title, texts in (("all", every), ("distinct", distinct)):
        for declared in (False, True):
            print(f"{title}, {'names declared' if declared else 'as they stand'}:")
            _table(texts, declared=declared)


if __name__ == "__main__":
    main()
