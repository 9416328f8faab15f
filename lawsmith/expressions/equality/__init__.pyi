from .algebra import Algebra as Algebra
from .equivalence import Verdict as Verdict
from .equivalence import equivalent as equivalent
from .forms import (
    replace_literals as replace_literals,
)
from .forms import (
    same_form as same_form,
)
from .forms import (
    skeleton as skeleton,
)
from .kink_resolution import Side as Side
from .rounding import (
    TooCloseToCallError as TooCloseToCallError,
)
from .rounding import (
    determined as determined,
)
from .rounding import (
    ulps_apart as ulps_apart,
)
