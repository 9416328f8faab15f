from .dimensions import (
    COHERENCE_BOUND as COHERENCE_BOUND,
)
from .dimensions import (
    Coherence as Coherence,
)
from .dimensions import (
    check_dimensions as check_dimensions,
)
from .dimensions import (
    constant_fraction as constant_fraction,
)
from .dimensions import (
    dimension_of as dimension_of,
)
from .dimensions import (
    unit_coherent as unit_coherent,
)
from .domains import Axis as Axis
from .domains import Domain as Domain
from .equality.equivalence import Verdict as Verdict
from .equality.equivalence import equivalent as equivalent
from .equality.forms import replace_literals as replace_literals
from .equality.forms import same_form as same_form
from .evaluation import (
    Compiled as Compiled,
)
from .evaluation import (
    compile_expression as compile_expression,
)
from .evaluation import (
    evaluate as evaluate,
)
from .evaluation import (
    evaluate_where_defined as evaluate_where_defined,
)
from .folding import (
    fold_constants as fold_constants,
)
from .folding import (
    literal_paths as literal_paths,
)
from .folding import (
    without_zeros as without_zeros,
)
from .latex.parsing import (
    LatexEquation as LatexEquation,
)
from .latex.parsing import (
    parse_latex as parse_latex,
)
from .latex.parsing import (
    parse_latex_equation as parse_latex_equation,
)
from .latex.tokens import LatexError as LatexError
from .open_dimensions import closes_in_dimensions as closes_in_dimensions
from .operators.table import OPERATORS as OPERATORS
from .operators.table import Operator as Operator
from .parsing import parse_infix as parse_infix
from .programs import Program as Program
from .programs import program_of as program_of
from .rendering import (
    complexity as complexity,
)
from .rendering import (
    number_text as number_text,
)
from .rendering import (
    to_infix as to_infix,
)
from .rendering import (
    to_latex as to_latex,
)
from .scales import check_scales as check_scales
from .shortness import SHORT_DIGITS as SHORT_DIGITS
from .shortness import literals_of as literals_of
from .symbolic import (
    Opinion as Opinion,
)
from .symbolic import (
    from_sympy as from_sympy,
)
from .symbolic import (
    second_opinion as second_opinion,
)
from .symbolic import (
    to_sympy as to_sympy,
)
from .truth import (
    evaluate_exact as evaluate_exact,
)
from .truth import (
    exact_number as exact_number,
)
from .truth import (
    exact_value as exact_value,
)
from .truth import (
    fraction_of as fraction_of,
)
from .truth import (
    precision as precision,
)
