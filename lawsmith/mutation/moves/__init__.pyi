from .context import Candidate as Candidate
from .context import Ground as Ground
from .context import scale_choices as scale_choices
from .table import MOVES as MOVES
