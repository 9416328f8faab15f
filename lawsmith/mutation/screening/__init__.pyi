from .certificates import (
    certify as certify,
)
from .certificates import (
    differing_figures as differing_figures,
)
from .certificates import (
    distinguishing_query as distinguishing_query,
)
from .certificates import (
    screen as screen,
)
from .constants import free_constants as free_constants
from .distinctness import (
    MEDIAN_BOUND as MEDIAN_BOUND,
)
from .distinctness import (
    REFIT_CAP as REFIT_CAP,
)
from .distinctness import (
    S_BOUND as S_BOUND,
)
from .distinctness import (
    SHARE_BOUND as SHARE_BOUND,
)
from .distinctness import (
    STEPS_BOUND as STEPS_BOUND,
)
from .distinctness import (
    fixed_steps as fixed_steps,
)
from .inputs import VERSIONS as VERSIONS
from .inputs import Case as Case
from .possibility import broken_values as broken_values
from .possibility import out_of_proportion as out_of_proportion
from .recovery import (
    DECADES as DECADES,
)
from .recovery import (
    RANK_BOUND as RANK_BOUND,
)
from .recovery import (
    STARTS as STARTS,
)
from .recovery import (
    STARTS_POLICY as STARTS_POLICY,
)
from .soundness import BOXES as BOXES
from .soundness import found_undefined as found_undefined
