from .gallery import (
    dataset_card as dataset_card,
)
from .gallery import (
    licence_rows as licence_rows,
)
from .gallery import (
    public_pages as public_pages,
)
from .gallery import (
    sealed_pages as sealed_pages,
)
from .problem_pages import (
    public_problem_pages as public_problem_pages,
)
from .problem_pages import (
    sealed_problem_pages as sealed_problem_pages,
)
from .problem_points import ProblemPoints as ProblemPoints
from .problem_points import points_of as points_of
