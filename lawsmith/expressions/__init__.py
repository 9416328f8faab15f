"""The expression kernel: reading, evaluating, checking and comparing laws."""

from lawsmith.expressions.dimensions import (
    Coherence,
    check_dimensions,
    dimension_of,
    unit_coherent,
)
from lawsmith.expressions.domains import Domain
from lawsmith.expressions.equality.equivalence import Verdict, equivalent
from lawsmith.expressions.evaluation import Compiled, compile_expression, evaluate
from lawsmith.expressions.folding import fold_constants, literal_paths, without_zeros
from lawsmith.expressions.equality.forms import replace_literals, same_form
from lawsmith.expressions.latex.parsing import LatexEquation, parse_latex, parse_latex_equation
from lawsmith.expressions.latex.tokens import LatexError
from lawsmith.expressions.operators.table import OPERATORS, Operator
from lawsmith.expressions.parsing import parse_infix
from lawsmith.expressions.rendering import complexity, number_text, to_infix, to_latex
from lawsmith.expressions.scales import check_scales
from lawsmith.expressions.symbolic import from_sympy, second_opinion, to_sympy
from lawsmith.expressions.truth import evaluate_exact
from lawsmith.units import Dimension

__all__ = (
    "OPERATORS",
    "Coherence",
    "Compiled",
    "Dimension",
    "Domain",
    "LatexEquation",
    "LatexError",
    "Operator",
    "Verdict",
    "check_dimensions",
    "check_scales",
    "compile_expression",
    "complexity",
    "dimension_of",
    "equivalent",
    "evaluate",
    "evaluate_exact",
    "fold_constants",
    "from_sympy",
    "literal_paths",
    "number_text",
    "parse_infix",
    "parse_latex",
    "parse_latex_equation",
    "replace_literals",
    "same_form",
    "second_opinion",
    "to_infix",
    "to_latex",
    "to_sympy",
    "unit_coherent",
    "without_zeros",
)
