from .opening import (
    open_look_ups as open_look_ups,
)
from .opening import (
    open_source as open_source,
)
from .opening import (
    sample_terms as sample_terms,
)
from .paper_source import (
    Harvest as Harvest,
)
from .paper_source import (
    PaperSource as PaperSource,
)
from .paper_source import (
    Problem as Problem,
)
from .paper_source import (
    Unread as Unread,
)
