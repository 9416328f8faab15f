from .attested import (
    LoggedTrial as LoggedTrial,
)
from .attested import (
    episode_of_trial as episode_of_trial,
)
from .attested import (
    read_trials as read_trials,
)
from .attested import (
    submission_of_trial as submission_of_trial,
)
from .calibrated import read_submission as read_submission
from .calibrated import score_submission as score_submission
from .calibrated_report import (
    CalibratedScores as CalibratedScores,
)
from .calibrated_report import (
    calibrated_markdown as calibrated_markdown,
)
from .calibrated_report import (
    make_calibrated_report as make_calibrated_report,
)
from .calibrated_report import (
    write_calibrated_report as write_calibrated_report,
)
from .claims import ForgedError as ForgedError
from .episodes import Experimenter as Experimenter
from .episodes import episode_id as episode_id
from .episodes import play as play
from .report import (
    make_report as make_report,
)
from .report import (
    to_markdown as to_markdown,
)
from .report import (
    write_report as write_report,
)
from .scoring import SCORERS as SCORERS
from .scoring import score_episode as score_episode
from .views import PlayerView as PlayerView
from .views import effective_budget as effective_budget
