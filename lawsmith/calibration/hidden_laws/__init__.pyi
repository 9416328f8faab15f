from .building import (
    BuiltProblem as BuiltProblem,
)
from .building import (
    BuiltWorld as BuiltWorld,
)
from .building import (
    build_problem as build_problem,
)
from .building import (
    calibration_records as calibration_records,
)
from .building import (
    published_fits as published_fits,
)
from .building import (
    published_problem as published_problem,
)
from .law_families import (
    CLOSE as CLOSE,
)
from .law_families import (
    STRUCTURE as STRUCTURE,
)
from .law_families import (
    Form as Form,
)
from .law_families import (
    Ground as Ground,
)
from .law_families import (
    How as How,
)
from .law_families import (
    contains as contains,
)
from .law_families import (
    opened as opened,
)
from .law_families import (
    residual as residual,
)
from .search import POLICY as POLICY
from .search import HiddenLaw as HiddenLaw
from .search import Search as Search
from .solvability import LARGEST_ERROR as LARGEST_ERROR
from .variants import box_points as box_points
from .visibility import ALPHA as ALPHA
from .visibility import POWER as POWER
from .visibility import space_of_world as space_of_world
