from .calibrated import (
    ParallelWorld as ParallelWorld,
)
from .calibrated import (
    noise_of as noise_of,
)
from .calibrated import (
    read_world as read_world,
)
from .calibrated_sealed import hidden_form as hidden_form
from .calibrated_sealed import load_parallel as load_parallel
from .client import (
    OracleClient as OracleClient,
)
from .client import (
    OracleFaultError as OracleFaultError,
)
from .client import (
    ParallelClient as ParallelClient,
)
from .client import (
    oracle_process as oracle_process,
)
from .log import LOG as LOG
from .log import is_log as is_log
from .log import read_log as read_log
from .protocols import SUM_TOLERANCE as SUM_TOLERANCE
from .protocols import breaches_of as breaches_of
from .server import record_folder as record_folder
from .server import serve as serve
from .session import (
    MOST_REJECTED as MOST_REJECTED,
)
from .session import (
    NO_EXPERIMENTS as NO_EXPERIMENTS,
)
from .session import (
    NO_MOVE as NO_MOVE,
)
from .session import (
    Answer as Answer,
)
from .session import (
    check_proposal as check_proposal,
)
from .simulator import Simulator as Simulator
from .trials import (
    RandomBytes as RandomBytes,
)
from .trials import (
    hand_out as hand_out,
)
from .trials import (
    read_tokens as read_tokens,
)
from .trials import (
    write_tokens as write_tokens,
)
from .views import (
    MAIN_BUDGET as MAIN_BUDGET,
)
from .views import (
    PlayerView as PlayerView,
)
from .views import (
    effective_budget as effective_budget,
)
from .views import (
    observation_of as observation_of,
)
from .views import (
    player_view as player_view,
)
