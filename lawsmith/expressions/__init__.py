"""The expression kernel: reading, evaluating, checking and comparing laws."""

from lawsmith.expressions.evaluation import Compiled, compile_expression, evaluate
from lawsmith.expressions.operators import OPERATORS, Operator
from lawsmith.expressions.parsing import parse_infix
from lawsmith.expressions.rendering import complexity, number_text, to_infix, to_latex

__all__ = (
    "OPERATORS",
    "Compiled",
    "Operator",
    "compile_expression",
    "complexity",
    "evaluate",
    "number_text",
    "parse_infix",
    "to_infix",
    "to_latex",
)
