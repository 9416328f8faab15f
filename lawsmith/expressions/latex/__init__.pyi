from .parsing import (
    LatexEquation as LatexEquation,
)
from .parsing import (
    parse_latex as parse_latex,
)
from .parsing import (
    parse_latex_equation as parse_latex_equation,
)
from .tokens import LatexError as LatexError
