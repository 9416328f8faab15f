from .anchoring import (
    anchored_text as anchored_text,
)
from .anchoring import (
    place_quote as place_quote,
)
from .anchoring import (
    resolve_anchor as resolve_anchor,
)
from .anchoring import (
    span_problem as span_problem,
)
from .lexicon import (
    CLAIMS as CLAIMS,
)
from .lexicon import (
    ESTIMATED as ESTIMATED,
)
from .lexicon import (
    FIT as FIT,
)
from .lexicon import (
    is_table_head as is_table_head,
)
from .lexicon import (
    prose as prose,
)
from .plain_formulas import UnreadError as UnreadError
from .plain_formulas import read_plain as read_plain
from .plain_text import (
    hidden_characters as hidden_characters,
)
from .plain_text import (
    inert as inert,
)
from .plain_text import (
    inert_json as inert_json,
)
from .printed_formulas import (
    PrintedEquation as PrintedEquation,
)
from .printed_formulas import (
    printed_equations as printed_equations,
)
from .printed_numbers import (
    is_printed as is_printed,
)
from .printed_numbers import (
    numeral_readings as numeral_readings,
)
from .printed_numbers import (
    unprinted_in_sentence as unprinted_in_sentence,
)
from .quantities import (
    assignments as assignments,
)
from .quantities import (
    atoms_of as atoms_of,
)
from .quantities import (
    holds_quantity as holds_quantity,
)
from .quantities import (
    known_unit as known_unit,
)
from .quantities import (
    quantities_in as quantities_in,
)
from .quantities import (
    quantity_text as quantity_text,
)
from .quantities import (
    ranges_in as ranges_in,
)
from .quantities import (
    same_unit as same_unit,
)
from .quantities import (
    units_in as units_in,
)
from .reasons import Reason as Reason
from .reasons import Verdict as Verdict
from .search_view import (
    SearchView as SearchView,
)
from .search_view import (
    lost_exponents as lost_exponents,
)
from .search_view import (
    without_lost_exponents as without_lost_exponents,
)
from .shingles import shared_shingle as shared_shingle
from .stated_numbers import flattened_in as flattened_in
from .stated_numbers import numbers_in as numbers_in
from .symbols import (
    Named as Named,
)
from .symbols import (
    mentions as mentions,
)
from .symbols import (
    plain_symbols as plain_symbols,
)
from .symbols import (
    spelled as spelled,
)
from .symbols import (
    spellings as spellings,
)
from .text_folding import LIGATURES as LIGATURES
from .text_folding import fold as fold
from .text_folding import folded as folded
