from .card_review import (
    CardReview as CardReview,
)
from .card_review import (
    CardReviewConversation as CardReviewConversation,
)
from .card_review import (
    CaseReview as CaseReview,
)
from .card_review import (
    CaseReviewConversation as CaseReviewConversation,
)
from .card_review import (
    ReviewTerms as ReviewTerms,
)
from .card_review import (
    card_review_conversation as card_review_conversation,
)
from .card_review import (
    case_of as case_of,
)
from .card_review import (
    case_review_conversation as case_review_conversation,
)
from .requests import REVIEW_MAX_TOKENS as REVIEW_MAX_TOKENS
