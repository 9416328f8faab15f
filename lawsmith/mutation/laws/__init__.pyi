from .change_kinds import (
    STRUCTURAL as STRUCTURAL,
)
from .change_kinds import (
    alike as alike,
)
from .change_kinds import (
    exponents_of as exponents_of,
)
from .change_kinds import (
    kinds_of as kinds_of,
)
from .change_kinds import (
    other_constants as other_constants,
)
from .change_kinds import (
    structural_changes as structural_changes,
)
from .historical import (
    counterfactual_of as counterfactual_of,
)
from .historical import (
    load_historical as load_historical,
)
from .historical import (
    original_of as original_of,
)
from .identities import IDENTITY_BOUND as IDENTITY_BOUND
from .interface import (
    Interface as Interface,
)
from .interface import (
    interface_of as interface_of,
)
from .interface import (
    relation_set_of as relation_set_of,
)
from .law_constants import (
    LawForm as LawForm,
)
from .law_constants import (
    declared_parameters as declared_parameters,
)
from .law_constants import (
    free_constant_paths as free_constant_paths,
)
from .law_constants import (
    law_forms as law_forms,
)
from .refusals import CARD_FAULTS as CARD_FAULTS
from .refusals import ForgeError as ForgeError
from .refusals import refusal_of as refusal_of
from .relation_sets import (
    at_pointer as at_pointer,
)
from .relation_sets import (
    blend_fits as blend_fits,
)
from .relation_sets import (
    blend_size as blend_size,
)
from .relation_sets import (
    edited as edited,
)
from .relation_sets import (
    expressions_of as expressions_of,
)
from .relation_sets import (
    folded as folded,
)
from .relation_sets import (
    folded_laws as folded_laws,
)
from .relation_sets import (
    laws_of as laws_of,
)
from .relation_sets import (
    meanings_of as meanings_of,
)
from .relation_sets import (
    names_in as names_in,
)
from .relation_sets import (
    sizes_of as sizes_of,
)
from .relation_sets import (
    units_of as units_of,
)
from .shares import SLACK as SLACK
from .shares import inferred_bounds as inferred_bounds
from .shares import ranges_of as ranges_of
from .tolerance import (
    RELATIVE as RELATIVE,
)
from .tolerance import (
    TOLERANCE_POLICY as TOLERANCE_POLICY,
)
from .tolerance import (
    tolerances_of as tolerances_of,
)
from .truth import (
    DENSE_POINTS as DENSE_POINTS,
)
from .truth import (
    Table as Table,
)
from .truth import (
    exact_values as exact_values,
)
from .truth import (
    float_values as float_values,
)
from .truth import (
    rows as rows,
)
