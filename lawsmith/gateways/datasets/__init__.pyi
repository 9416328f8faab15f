from .tables import (
    LoadedProblem as LoadedProblem,
)
from .tables import (
    load_problem as load_problem,
)
from .tables import (
    problem_ids as problem_ids,
)
from .tables import (
    rejected_datasets as rejected_datasets,
)
