from .noise import (
    TARGET as TARGET,
)
from .noise import (
    noise_factor as noise_factor,
)
from .noise import (
    span_points as span_points,
)
from .noise import (
    variance as variance,
)
from .sampler import (
    FEWEST as FEWEST,
)
from .sampler import (
    LARGEST_POOL as LARGEST_POOL,
)
from .sampler import (
    MEAN_FRACTION as MEAN_FRACTION,
)
from .sampler import (
    MEAN_MOST as MEAN_MOST,
)
from .sampler import (
    SAMPLE_FRACTION as SAMPLE_FRACTION,
)
from .sampler import (
    SAMPLE_MOST as SAMPLE_MOST,
)
from .sampler import (
    ResidualSampler as ResidualSampler,
)
from .sampler import (
    local_means as local_means,
)
from .sampler import (
    mean_count as mean_count,
)
from .sampler import (
    sample_count as sample_count,
)
from .sampler import (
    thinned as thinned,
)
