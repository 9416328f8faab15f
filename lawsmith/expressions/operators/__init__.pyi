from .balls import (
    Number as Number,
)
from .balls import (
    UndecidedError as UndecidedError,
)
from .balls import (
    UndefinedError as UndefinedError,
)
from .balls import (
    ball as ball,
)
from .balls import (
    bits_of as bits_of,
)
from .balls import (
    sign_of as sign_of,
)
from .enclosures import Interval as Interval
from .enclosures import certain_sign as certain_sign
from .floats import SHORT_POWERS as SHORT_POWERS
from .kink_rules import Settled as Settled
from .partials import unit as unit
from .ring import (
    HALF as HALF,
)
from .ring import (
    ONE as ONE,
)
from .ring import (
    BudgetError as BudgetError,
)
from .ring import (
    Monomial as Monomial,
)
from .ring import (
    Polynomial as Polynomial,
)
from .ring import (
    Ratio as Ratio,
)
from .ring import (
    Ring as Ring,
)
from .ring import (
    constant_of as constant_of,
)
from .ring import (
    factors_of as factors_of,
)
from .ring import (
    monomial_of as monomial_of,
)
from .table import OPERATORS as OPERATORS
from .table import DimensionRule as DimensionRule
from .table import Operator as Operator
