from .constraints import (
    Conditioned as Conditioned,
)
from .constraints import (
    Controlled as Controlled,
)
from .constraints import (
    Points as Points,
)
from .constraints import (
    admissible as admissible,
)
from .constraints import (
    columns as columns,
)
from .constraints import (
    feasible as feasible,
)
from .constraints import (
    inside as inside,
)
from .designs import (
    BUDGETS as BUDGETS,
)
from .designs import (
    DESIGN_POLICY as DESIGN_POLICY,
)
from .designs import (
    FIXED_POINTS as FIXED_POINTS,
)
from .designs import (
    HIDDEN_CORNERS as HIDDEN_CORNERS,
)
from .designs import (
    HIDDEN_POINTS as HIDDEN_POINTS,
)
from .designs import (
    LEAST_DISTANCE as LEAST_DISTANCE,
)
from .designs import (
    fixed_design as fixed_design,
)
from .designs import (
    hidden_design as hidden_design,
)
from .designs import (
    nested as nested,
)
from .fits import (
    HOPELESS as HOPELESS,
)
from .fits import (
    Misfit as Misfit,
)
from .fits import (
    fit_affine as fit_affine,
)
from .fits import (
    fit_constant as fit_constant,
)
from .fits import (
    fit_form as fit_form,
)
from .fits import (
    fit_monomial as fit_monomial,
)
from .fits import (
    fit_polynomial as fit_polynomial,
)
from .holes import definedness as definedness
from .prediction import (
    Score as Score,
)
from .prediction import (
    prediction_errors as prediction_errors,
)
from .prediction import (
    score_prediction as score_prediction,
)
from .resolution import quantise as quantise
from .sampling import (
    DesignError as DesignError,
)
from .sampling import (
    corner_design as corner_design,
)
from .sampling import (
    dense_design as dense_design,
)
from .sampling import (
    from_unit as from_unit,
)
from .sampling import (
    is_logarithmic as is_logarithmic,
)
from .sampling import (
    to_unit as to_unit,
)
