"""The symbolic column of the operator table agrees with the numeric one."""

import numpy as np
import pytest
import sympy

from lawsmith.expressions import OPERATORS, evaluate, to_sympy
from schemas.expression import ARITIES, Op, Var


@pytest.mark.parametrize("name", sorted(set(ARITIES) - {"round"}))
def test_symbolic_forms_have_the_same_values(name: str) -> None:
    count = OPERATORS[name].arity[0]
    names = [f"x{i}" for i in range(count)]
    expression = Op(name, tuple(Var(n) for n in names))
    symbolic = to_sympy(expression)
    points = np.random.Generator(np.random.PCG64(3)).uniform(0.1, 0.9, (4, count))
    if name == "acosh":
        points += 1.0
    for point in points.tolist():
        values = dict(zip(names, point, strict=True))
        found = symbolic.subs({sympy.Symbol(n, real=True): v for n, v in values.items()}).evalf()
        assert float(found) == pytest.approx(evaluate(expression, values), rel=1e-12)
