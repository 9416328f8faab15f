"""Words of papers that more than one gate looks for, and prose put back on one line.

Closed lists: a word outside them is seen only where a gate asks for words that must be there.
"""

import re
from typing import Final

FIT: Final = re.compile(
    r"\b(?:fit|fits|fitted|fitting|best[- ]fit|least[- ]squares|regress\w*|calibrat\w*"
    r"|max(?:imum|imi[sz]\w+)[- ](?:the )?(?:log-?)?likelihood)\b"
)
"""Words of a fit, which no exact relation has."""
ESTIMATED: Final = re.compile(
    r"\b(?:estimat(?:es?|ed|ion|or|ors)|likelihood|posterior\w*|bayes\w*|infer(?:red|ence)"
    r"|optimi[sz]ed|minimi[sz]\w+|maximi[sz]\w+|chi[- ]squared?|levenberg\w*|identified from"
    r"|(?:adjusted|tuned|matched) to|(?:determined|obtained|extracted) from (?:the |all |our )?"
    r"(?:\w+ )?(?:data|measurements?|runs?|means?|points?|slopes?))\b|\\chi\^|χ²|χ\^2"
)
"""Words that constants come with when data gave them; they may also speak of other things."""
CLAIMS: Final = re.compile(
    r"\b(?:deriv(?:e|es|ed|ation)|predict\w*|we (?:find|found|obtain|obtained|propose)"
    r"|approximat\w*|proposed|introduced by|follows from)\b"
)
"""Words of how strongly a relation is claimed and whose it is."""
_HEADS: Final = re.compile(
    r"\b(?:parameters?|coefficients?|constants?|quantit(?:y|ies)|symbols?|estimates?|values?"
    r"|standard errors?|s\.?e\.?|s\.?d\.?|std|errors?|uncertaint(?:y|ies)|units?|range"
    r"|mean|description|meaning|definition)\b"
)
_BROKEN_WORD: Final = re.compile(r"(?<=[^\W\d_]{2})[-\u2010\u2011\u00ad]\s*\n\s*(?=[a-z]{2})")


def prose(text: str) -> str:
    """A text in small letters on one line, words that a line end broke put together again.

    A compound that is broken at its hyphen loses it: such words stand in the lists both ways.
    """
    return " ".join(_BROKEN_WORD.sub("", text).lower().split())


def is_table_head(text: str) -> bool:
    """Whether lines are the head of a table of values: two different words of such heads."""
    return len(set(_HEADS.findall(text.lower()))) >= 2


__all__ = ("CLAIMS", "ESTIMATED", "FIT", "is_table_head", "prose")
