from .baselines import BASELINES as BASELINES
from .fitted import parallel_answer as parallel_answer
from .fitted import real_answer as real_answer
