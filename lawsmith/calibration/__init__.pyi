from .baselines import (
    BASELINES as BASELINES,
)
from .baselines import (
    parallel_submissions as parallel_submissions,
)
from .baselines import (
    real_submissions as real_submissions,
)
from .discipline import (
    caps_of as caps_of,
)
from .discipline import (
    handed_in as handed_in,
)
from .discipline import (
    law_counts as law_counts,
)
from .discipline import (
    nodes_allowed as nodes_allowed,
)
from .parallel_scores import SCORER_VERSION as SCORER_VERSION
from .parallel_scores import score_parallel as score_parallel
from .real_scores import (
    anchor_values as anchor_values,
)
from .real_scores import (
    defined_metric as defined_metric,
)
from .real_scores import (
    score_real as score_real,
)
from .submissions import admissible as admissible
