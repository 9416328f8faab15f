from . import pictures as pictures
from . import plain_text as plain_text
from . import problem_pictures as problem_pictures
from .card_evidence import Evidence as Evidence
from .card_evidence import Fact as Fact
from .card_evidence import Line as Line
from .card_pages import CardPage as CardPage
from .card_pages import card_page as card_page
from .card_reviews import CriterionSeen as CriterionSeen
from .card_reviews import ReviewSeen as ReviewSeen
from .card_sheets import figures_shown as figures_shown
from .card_sheets import sheets as sheets
from .curation_figures import card_figures as card_figures
from .explaining import explain as explain
from .explaining import listed_cards as listed_cards
from .explaining_problems import (
    PROBLEM_COLUMNS as PROBLEM_COLUMNS,
)
from .explaining_problems import (
    problem_counts as problem_counts,
)
from .plain_text import markdown_text as markdown_text
from .plain_text import one_line as one_line
from .sections import Section as Section
