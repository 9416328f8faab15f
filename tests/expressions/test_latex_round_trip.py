"""What `to_latex` prints, `parse_latex` reads back to the same tree."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lawsmith.expressions import parse_infix, parse_latex, to_latex
from schemas.expression import ARITIES, Expression, Op, Var

NUMBERS = st.floats(allow_nan=False, allow_infinity=False).map(lambda x: x + 0.0)
_ODD_NAMES = (
    "x lambda e i d T S beta Delta delta pi sin log v_01 k_B Delta_T _a a_ a__b x_dot step Re _"
    " d_x e_1 T_0 g m km"
)
NAMES = st.one_of(
    st.sampled_from(_ODD_NAMES.split()),
    st.from_regex(r"\A[A-Za-z_][A-Za-z0-9_]{0,9}\Z"),
)


def _operation(children: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    def build(op: str) -> st.SearchStrategy[Expression]:
        fewest, most = ARITIES[op]
        args = st.lists(children, min_size=fewest, max_size=most or 4)
        return args.map(lambda found: Op(op, tuple(found)))

    return st.sampled_from(sorted(ARITIES)).flatmap(build)


EXPRESSIONS = st.recursive(
    NUMBERS | st.sampled_from([2.0, -1.0, 10.0]) | NAMES.map(Var), _operation, max_leaves=25
)


@given(EXPRESSIONS)
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_printed_latex_reads_back_to_the_same_tree(expression: Expression) -> None:
    assert parse_latex(to_latex(expression)) == expression


@pytest.mark.long
@pytest.mark.parametrize("op", sorted(ARITIES))
def test_every_operator_reads_back_inside_every_other(op: str) -> None:
    fewest, _ = ARITIES[op]
    leaves: list[Expression] = [Var("a"), Var("ab"), Var("x_1"), 2.0, -2.0, 1e-30, Var("T")]
    for inner in sorted(ARITIES):
        for leaf in leaves:
            for place in range(fewest):
                nested = Op(inner, (leaf,) * ARITIES[inner][0])
                args: list[Expression] = [leaf] * fewest
                args[place] = nested
                tree = Op(op, tuple(args))
                assert parse_latex(to_latex(tree)) == tree


def test_declared_symbols_turned_round_read_back() -> None:
    symbols = {"lam": r"\lambda", "k": r"k_{\rm B}", "v": r"\bar{v}"}
    law = parse_infix("k*exp(-lam*t)/(v + 1)")
    declared = {latex: name for name, latex in symbols.items()} | {"t": "t"}
    assert parse_latex(to_latex(law, symbols), declared) == law


RESTYLINGS = (
    ((r"\frac", r"\dfrac"),),
    ((r"\left(", r"\bigl["), (r"\right)", r"\bigr]")),
    ((r"\left(", r"\left\{"), (r"\right)", r"\right\}")),
    ((r"\left(", "("), (r"\right)", ")"), (r"\left|", r"\lvert "), (r"\right|", r"\rvert ")),
    ((r" \, ", r" \cdot "),),
    ((r"\ln", r"\operatorname{ln}"), (r"\arctan", r"\tan^{-1}"), (r"\arcsin", r"\mathrm{asin}")),
    (
        (r"\log_{10}", r"\log _ {10} "),
        (r"\lfloor", r"\left\lfloor"),
        (r"\rfloor", r"\right\rfloor"),
    ),
    ((" ", " % a remark\n "),),
    ((" ", "  \\! \\displaystyle "),),
    ((" + ", r" \\ & \quad + "),),
)


@given(EXPRESSIONS, st.sampled_from(RESTYLINGS))
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_another_style_is_the_same_law(
    expression: Expression, restyling: tuple[tuple[str, str], ...]
) -> None:
    text = to_latex(expression)
    for old, new in restyling:
        text = text.replace(old, new)
    wrapped = f"\\begin{{align}}\n y_0(t) &= {text}\\,, \\label{{a b}} \\nonumber\n\\end{{align}}"
    assert parse_latex(text) == expression
    assert parse_latex(wrapped) == expression
