from . import row_history as row_history
from .check_result import Looked as Looked
from .context import (
    Progress as Progress,
)
from .context import (
    StageContext as StageContext,
)
from .context import (
    StageReport as StageReport,
)
from .context import (
    report as report,
)
from .conversations import (
    call_figures as call_figures,
)
from .conversations import (
    converse as converse,
)
from .conversations import (
    input_tokens as input_tokens,
)
from .conversations import (
    unfinished as unfinished,
)
from .decisions import override_of as override_of
from .dispositions import (
    TABLE as TABLE,
)
from .dispositions import (
    all_dispositions as all_dispositions,
)
from .dispositions import (
    dispose as dispose,
)
from .dispositions import (
    furthest_by_paper as furthest_by_paper,
)
from .dispositions import (
    latest_by_subject as latest_by_subject,
)
from .dispositions import (
    read_stage as read_stage,
)
from .dispositions import (
    row_of as row_of,
)
from .dispositions import (
    write_stage as write_stage,
)
from .historical_key import prepare_key as prepare_key
from .json_lines import drop_torn_line as drop_torn_line
from .json_lines import whole_lines as whole_lines
from .opening import (
    AMBIENT as AMBIENT,
)
from .opening import (
    Ambient as Ambient,
)
from .opening import (
    collection_of_release as collection_of_release,
)
from .opening import (
    configure as configure,
)
from .opening import (
    open_context as open_context,
)
from .partition_run import PartitionPass as PartitionPass
from .partition_run import Subject as Subject
from .partition_run import Written as Written
from .partition_run import run_weeks as run_weeks
from .row_history import former_cards as former_cards
from .spans import window_of as window_of
from .stored_reasons import reasons_cell as reasons_cell
from .stored_reasons import reasons_of as reasons_of
