from .date_windows import (
    FIRST_WEEK as FIRST_WEEK,
)
from .date_windows import (
    DaySpan as DaySpan,
)
from .date_windows import (
    day_span as day_span,
)
from .date_windows import (
    in_window as in_window,
)
from .date_windows import (
    judge_eligibility as judge_eligibility,
)
from .date_windows import (
    last_closed_week as last_closed_week,
)
from .date_windows import (
    parse_window as parse_window,
)
from .date_windows import (
    week_of as week_of,
)
from .date_windows import (
    weeks_of as weeks_of,
)
from .restrictions import AllowLists as AllowLists
from .restrictions import allow_lists as allow_lists
from .restrictions import as_issn as as_issn
