from .base_law import (
    BaseChoice as BaseChoice,
)
from .base_law import (
    LawFit as LawFit,
)
from .base_law import (
    choose_base as choose_base,
)
from .base_law import (
    group_sample as group_sample,
)
from .base_laws import (
    PublishedBase as PublishedBase,
)
from .base_laws import (
    PublishedFits as PublishedFits,
)
from .base_laws import (
    base_of as base_of,
)
from .base_laws import (
    fits_of as fits_of,
)
from .constants import Constant as Constant
from .constants import Declared as Declared
from .fits import Estimate as Estimate
from .fits import Fit as Fit
from .fits import evaluate_fit as evaluate_fit
from .fits import fit as fit
from .held_out import (
    admission_of as admission_of,
)
from .held_out import (
    predicted as predicted,
)
from .held_out import (
    records_at as records_at,
)
from .held_out import (
    shared_constants as shared_constants,
)
from .held_out import (
    space_of as space_of,
)
from .least_squares import (
    SCREENING as SCREENING,
)
from .least_squares import (
    Box as Box,
)
from .least_squares import (
    least as least,
)
from .least_squares import (
    unit_covariance as unit_covariance,
)
from .residual_function import Misfit as Misfit
