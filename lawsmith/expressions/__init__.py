"""The expression kernel: reading, evaluating, checking and comparing laws."""

from lawsmith.expressions.dimensions import (
    Coherence,
    check_dimensions,
    dimension_of,
    unit_coherent,
)
from lawsmith.expressions.evaluation import Compiled, compile_expression, evaluate
from lawsmith.expressions.operators import OPERATORS, Operator
from lawsmith.expressions.parsing import parse_infix
from lawsmith.expressions.rendering import complexity, number_text, to_infix, to_latex
from lawsmith.expressions.truth import evaluate_exact
from lawsmith.units import Dimension

__all__ = (
    "OPERATORS",
    "Coherence",
    "Compiled",
    "Dimension",
    "Operator",
    "check_dimensions",
    "compile_expression",
    "complexity",
    "dimension_of",
    "evaluate",
    "evaluate_exact",
    "number_text",
    "parse_infix",
    "to_infix",
    "to_latex",
    "unit_coherent",
)
