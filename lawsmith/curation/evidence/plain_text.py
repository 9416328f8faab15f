"""Characters that steer what is shown instead of being shown: refused in replies, inert on output.

They are control characters but tab and line feed, marks of writing direction, characters of no
width, and the invisible tag alphabet. A packet may hold them, as any text may; nothing that a
model writes needs them.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, Final

HIDDEN: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e007f\ud800-\udfff]"
)
_VERBATIM: Final = frozenset({"quote"})
"""Fields that repeat the packet as it stands; code looks them up and never shows them."""


def inert(text: str) -> str:
    r"""The text with every hidden character written out, as `\x1b` or `\u202e`."""
    return HIDDEN.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)


def inert_json(text: str) -> str:
    """JSON text with every hidden character as the JSON escape of the same character."""
    return HIDDEN.sub(lambda match: json.dumps(match[0])[1:-1], text)


def hidden_characters(data: Any, path: str = "$") -> Iterator[str]:
    """What is wrong with the strings of JSON data, each with its path; quotations are exempt."""
    if isinstance(data, str):
        if found := HIDDEN.search(data):
            yield f"{path}: holds the invisible character U+{ord(found[0]):04X}; plain text is due"
    elif isinstance(data, list):
        for i, item in enumerate(data):
            yield from hidden_characters(item, f"{path}[{i}]")
    elif isinstance(data, dict):
        for key, value in data.items():
            if key not in _VERBATIM:
                yield from hidden_characters(value, f"{path}.{inert(key)}")


__all__ = ("HIDDEN", "hidden_characters", "inert", "inert_json")
