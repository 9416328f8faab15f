from .calibrated import calibrated_tasks as calibrated_tasks
from .content import (
    SUFFIXES as SUFFIXES,
)
from .content import (
    PaperNote as PaperNote,
)
from .content import (
    ReleaseContent as ReleaseContent,
)
from .content import (
    check_version as check_version,
)
from .manifest import (
    PUBLIC_MANIFEST as PUBLIC_MANIFEST,
)
from .manifest import (
    file_sha256 as file_sha256,
)
from .manifest import (
    list_files as list_files,
)
from .manifest import (
    models_of as models_of,
)
from .problems import CalibratedProblem as CalibratedProblem
from .provenance import release_digest_of as release_digest_of
from .tasks import (
    make_tasks as make_tasks,
)
from .tasks import (
    relation_set_digest as relation_set_digest,
)
from .tasks import (
    worlds_of as worlds_of,
)
