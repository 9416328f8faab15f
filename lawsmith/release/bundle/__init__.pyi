from .accounting import check_whole as check_whole
from .comparison import (
    ReleaseDiff as ReleaseDiff,
)
from .comparison import (
    TaskChange as TaskChange,
)
from .comparison import (
    diff_releases as diff_releases,
)
from .exporting import export_release as export_release
from .reading import (
    PublicRelease as PublicRelease,
)
from .reading import (
    Release as Release,
)
from .reading import (
    SealedRelease as SealedRelease,
)
from .reading import (
    read_manifest as read_manifest,
)
from .reading import (
    read_public as read_public,
)
from .reading import (
    read_release as read_release,
)
from .reading import (
    read_task as read_task,
)
from .second_opinion import Disagreement as Disagreement
from .second_opinion import disagreements as disagreements
from .verification import verify_release as verify_release
from .writing import Written as Written
from .writing import thaw as thaw
from .writing import write_release as write_release
