from .background import (
    Input as Input,
)
from .background import (
    Output as Output,
)
from .background import (
    background_text as background_text,
)
from .background import (
    check_background as check_background,
)
from .background import (
    column_text_faults as column_text_faults,
)
from .card_building import draft_sha256 as draft_sha256
from .gate_table import CRITERIA_OF_CODE as CRITERIA_OF_CODE
from .gate_table import GATES as GATES
from .gate_table import LIFTED as LIFTED
from .gates import (
    Admission as Admission,
)
from .gates import (
    Reason as Reason,
)
from .gates import (
    admit as admit,
)
from .gates import (
    admit_draft as admit_draft,
)
from .known_laws import (
    CandidateLaw as CandidateLaw,
)
from .known_laws import (
    KnownLaw as KnownLaw,
)
from .known_laws import (
    family_law as family_law,
)
from .known_laws import (
    historical_law as historical_law,
)
from .known_laws import (
    restated_by as restated_by,
)
from .known_laws import (
    textbook_laws as textbook_laws,
)
from .numbers import STATEMENT_TABLES as STATEMENT_TABLES
from .numbers import STRUCTURAL as STRUCTURAL
from .overrides import (
    BY_HAND as BY_HAND,
)
from .overrides import (
    Override as Override,
)
from .overrides import (
    accepted_by_hand as accepted_by_hand,
)
from .overrides import (
    override_for as override_for,
)
from .overrides import (
    parse_overrides as parse_overrides,
)
from .overrides import (
    review_by_hand as review_by_hand,
)
