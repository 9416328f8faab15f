from .backgrounds import background_leak as background_leak
from .candidates import (
    MAX_PAIRS as MAX_PAIRS,
)
from .candidates import (
    SEARCH_POLICY as SEARCH_POLICY,
)
from .candidates import (
    composable as composable,
)
from .candidates import (
    composed as composed,
)
from .difficulty_strata import (
    FAR as FAR,
)
from .difficulty_strata import (
    HOPELESS as HOPELESS,
)
from .difficulty_strata import (
    NEAR as NEAR,
)
from .difficulty_strata import (
    STRATA_POLICY as STRATA_POLICY,
)
from .difficulty_strata import (
    by_move as by_move,
)
from .difficulty_strata import (
    difficulty_of as difficulty_of,
)
from .pairing import CANDIDATES as CANDIDATES
from .pairing import forge as forge
