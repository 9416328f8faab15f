"""What is shown of two laws: zero corrections are gone, and what differs is marked, no more."""

from types import ModuleType

import pytest

from lawsmith.expressions import parse_infix, to_infix
from lawsmith.release.pages.changes import shown_laws, tree_marks
from schemas.expression import walk


def marked(mine: str, other: str) -> list[str]:
    tree = parse_infix(mine)
    nodes = dict(walk(tree))
    return [to_infix(nodes[path]) for path in sorted(tree_marks(tree, parse_infix(other)))]


@pytest.mark.parametrize(
    ("mine", "other", "found"),
    [
        ("a*x + b", "a*x + b", []),
        ("a*x**2 + b", "a*x**3 + b", ["2"]),
        ("a*x + b + c*x**3", "a*x + b", ["c*x**3"]),
        ("a*x + b", "a*x + b + c*x**3", []),
        ("a*x*(1 + c*y)", "a*x", ["1 + c*y"]),
        ("a*x/(1 + c*x)", "a*x", ["1 + c*x"]),
        ("exp(a*(b - c) - d*e)", "exp(a*(b - c))", ["d*e"]),
        ("a*x - b*y", "a*x + b*y", ["a*x - b*y"]),
        ("log(1 + x)", "x", ["log(1 + x)"]),
        ("sqrt(a*b/(c + d))", "sqrt(a*b/c)", ["d"]),
        ("x", "y", ["x"]),
        ("a*(x/b)**2", "a*asinh((x/b)**2)", ["(x/b)**2"]),
        ("a*asinh((x/b)**2)", "a*(x/b)**2", ["asinh((x/b)**2)"]),
        ("a*x/(b + x)", "a*x/(b + x) + c", []),
        ("a*x/(b + x) + c", "a*x/(b + x)", ["c"]),
        ("a*(b + c*x)", "a*min(b, c*x)", ["b + c*x"]),
        ("a*min(b, c*x)", "a*(b + c*x)", ["min(b, c*x)"]),
    ],
)
def test_what_differs_is_marked_and_no_more(mine: str, other: str, found: list[str]) -> None:
    assert marked(mine, other) == found


def test_a_zero_correction_is_not_shown_in_the_original(samples: ModuleType) -> None:
    family = samples.historical_family()
    shown = shown_laws(family)
    (before,), (after,) = shown["original"].relations, shown["counterfactual"].relations
    assert to_infix(before.expression) == "k*width*stretch"
    assert [c.parameter.name for c in shown["original"].constants] == ["k"]
    moved = {family.original.parameters[int(m.path.split("/")[2])].name for m in family.mutations}
    if "c3" in moved:
        assert to_infix(after.expression) == "k*width*stretch + c3*width*stretch**3"
        assert "/args/1" in after.marks
    if "k" in moved:
        assert [c.changed for c in shown["original"].constants] == [True]


def test_a_structural_move_is_marked_on_both_sides(samples: ModuleType) -> None:
    shown = shown_laws(samples.temporal_family())
    for side in ("original", "counterfactual"):
        (law,) = shown[side].relations
        assert law.changed
        assert law.marks or side == "original"
