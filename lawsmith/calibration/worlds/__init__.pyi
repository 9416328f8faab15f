from .calibration import (
    CALLS as CALLS,
)
from .calibration import (
    SAMPLES as SAMPLES,
)
from .calibration import (
    HiddenForm as HiddenForm,
)
from .calibration import (
    WorldPlan as WorldPlan,
)
from .calibration import (
    calibrate as calibrate,
)
from .calibration import (
    plan_of as plan_of,
)
from .pools import (
    Pool as Pool,
)
from .pools import (
    pool_bytes as pool_bytes,
)
from .pools import (
    read_pool as read_pool,
)
from .pools import (
    world_file as world_file,
)
from .readout_bounds import law_values as law_values
from .simulator import CalibratedSimulator as CalibratedSimulator
