from .admission import (
    MIN_GROUPS as MIN_GROUPS,
)
from .admission import (
    MIN_ROWS as MIN_ROWS,
)
from .admission import (
    MIN_VALIDITY as MIN_VALIDITY,
)
from .admission import (
    NEAR_PERFECT as NEAR_PERFECT,
)
from .admission import (
    Admission as Admission,
)
from .admission import (
    admit as admit,
)
from .axes import (
    Axes as Axes,
)
from .axes import (
    Table as Table,
)
from .axes import (
    axes_of as axes_of,
)
from .axes import (
    spans_decade as spans_decade,
)
from .axes import (
    table_of as table_of,
)
from .metrics import (
    metric_scale as metric_scale,
)
from .metrics import (
    metric_value as metric_value,
)
from .metrics import (
    near_perfect as near_perfect,
)
from .problem_files import (
    ProblemTable as ProblemTable,
)
from .problem_files import (
    RawTable as RawTable,
)
from .problem_files import (
    canonical_table as canonical_table,
)
from .problem_files import (
    check_closes as check_closes,
)
from .problem_files import (
    check_law_units as check_law_units,
)
from .problem_files import (
    check_table as check_table,
)
from .problem_files import (
    read_problem as read_problem,
)
from .problem_files import (
    source_columns as source_columns,
)
from .records import (
    FLOOR as FLOOR,
)
from .records import (
    SINGLE as SINGLE,
)
from .records import (
    Records as Records,
)
from .records import (
    Rows as Rows,
)
from .records import (
    Space as Space,
)
from .records import (
    records_of as records_of,
)
from .records import (
    usable as usable,
)
from .references import (
    TableScore as TableScore,
)
from .references import (
    best_reference as best_reference,
)
from .references import (
    table_score as table_score,
)
from .splits import WHOLE as WHOLE
from .splits import Split as Split
from .splits import make_split as make_split
