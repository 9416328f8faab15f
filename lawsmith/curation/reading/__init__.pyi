from .extraction import (
    DEFAULT_MAX_TOKENS as DEFAULT_MAX_TOKENS,
)
from .extraction import (
    MAX_REPAIRS as MAX_REPAIRS,
)
from .extraction import (
    Extraction as Extraction,
)
from .extraction import (
    ExtractionConversation as ExtractionConversation,
)
from .extraction import (
    NumberedCard as NumberedCard,
)
from .extraction import (
    UnreadReply as UnreadReply,
)
from .extraction import (
    extraction_conversation as extraction_conversation,
)
from .extraction import (
    incomplete as incomplete,
)
from .extraction import (
    main_readout as main_readout,
)
from .extraction import (
    number_cards as number_cards,
)
from .extraction import (
    read_extraction as read_extraction,
)
from .prompting import (
    PromptName as PromptName,
)
from .prompting import (
    opening as opening,
)
from .prompting import (
    packet_values as packet_values,
)
from .prompting import (
    prompt_hash as prompt_hash,
)
from .prompting import (
    quoted_block as quoted_block,
)
from .prompting import (
    repair_turn as repair_turn,
)
from .prompting import (
    response_schema as response_schema,
)
from .replies import read_reply as read_reply
from .triage_score import triage as triage
from .visible_lines import (
    Shown as Shown,
)
from .visible_lines import (
    anchored_lines as anchored_lines,
)
from .visible_lines import (
    hidden_anchors as hidden_anchors,
)
from .visible_lines import (
    shown_lines as shown_lines,
)
from .visible_lines import (
    with_lines as with_lines,
)
