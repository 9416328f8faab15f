"""Keyed identities and draws: what the public may see leads nowhere without the key.

Every draw that decides a sealed value comes from `generator(key, purpose, subject)`; its
VALUE is stored and nothing is regenerated from a seed at read time (design.md, section 2).
"""

import hashlib
import hmac
import re
from collections.abc import Iterable
from typing import Literal, TypeVar, get_args

from numpy.random import PCG64, Generator

from lawsmith.errors import InputError
from schemas.family import Environment
from schemas.task import Setting

Purpose = Literal[
    "moves",
    "historical",
    "choice",
    "fixed/0",
    "fixed/1",
    "fixed/2",
    "fixed/3",
    "fixed/4",
    "fixed/5",
    "hidden",
    "blend",
    "laws",
    "groups",
    "world",
    "design",
]
"""What a draw is for; fixed/<n> is the n-th attempt at a separating Fixed design, world the noise
of a calibrated one and design where its baselines ask."""

TaskSetting = Setting | Literal["parallel", "real"]
TaskEnvironment = Environment | Literal["hidden", "observed"]
"""Of a paired task; `hidden` of a Parallel and `observed` of a Real one."""

KEY_BYTES = 32
T = TypeVar("T", bound=str)


def parse_key(text: str) -> bytes:
    """The 32 key bytes of a key file's text: 64 hex digits and white space around them.

    Raises:
        InputError: the text is anything else.
    """
    stripped = text.strip()
    if not re.fullmatch(r"[0-9a-f]{64}", stripped):
        raise InputError(
            f"a collection key is 64 lower-case hex digits, not {len(stripped)} characters",
            fix="restore the key file from a backup; a new key makes other tasks",
        )
    return bytes.fromhex(stripped)


def task_id(key: bytes, family_id: str, setting: TaskSetting, environment: TaskEnvironment) -> str:
    """`t-` and the first 16 hex digits of HMAC-SHA256(key, "task|family|setting|environment").

    For a Parallel or Real task the id of its problem stands for the family's.
    """
    message = f"task|{family_id}|{setting}|{environment}"
    return "t-" + _mac(key, message).hex()[:16]


def seed(key: bytes, purpose: Purpose, subject: str) -> int:
    """The first 16 bytes, big-endian, of HMAC-SHA256(key, "seed|purpose|subject").

    Raises:
        InputError: the purpose is not a listed one or the subject holds `|`.
    """
    if purpose not in get_args(Purpose):
        raise InputError(f"purpose {purpose!r} is not one of {get_args(Purpose)}")
    return int.from_bytes(_mac(key, f"seed|{purpose}|{subject}")[:16], "big")


def generator(key: bytes, purpose: Purpose, subject: str) -> Generator:
    """The keyed PCG64 generator of one purpose and subject."""
    return Generator(PCG64(seed(key, purpose, subject)))


class NamedDraws:
    """Draws by name under one keyed generator.

    What a name draws, and which of two names comes first, hangs on these names alone: more names
    change nothing, and nothing hangs on a position in a table. All is HMAC-SHA256 under 32 bytes
    that the generator gives, so of (id, name) under the collection key.
    """

    def __init__(self, rng: Generator) -> None:
        """Args: the keyed generator of one purpose and subject, as `generator` makes it."""
        self._key = rng.bytes(KEY_BYTES)

    def generator(self, *names: str) -> Generator:
        """The PCG64 generator of a name, or of several names in their order."""
        return Generator(PCG64(int.from_bytes(self._hashed("draw", names)[:16], "big")))

    def ordered(self, names: Iterable[T], *beside: str) -> tuple[T, ...]:
        """The names in the order of their keyed hashes.

        Args:
            names: distinct names.
            beside: what the order is for, if there are several.
        """
        return tuple(sorted(names, key=lambda name: self._hashed("order", (*beside, name))))

    def _hashed(self, purpose: str, names: tuple[str, ...]) -> bytes:
        # Lengths keep ("ab", "c") and ("a", "bc") apart.
        parts = "".join(f"|{len(name)}:{name}" for name in names)
        return hmac.new(self._key, f"{purpose}{parts}".encode(), hashlib.sha256).digest()


def check_key(key: bytes) -> None:
    """Raises InputError unless a collection key has its 32 bytes."""
    if len(key) != KEY_BYTES:
        raise InputError(f"a collection key has {KEY_BYTES} bytes, not {len(key)}")


def _mac(key: bytes, message: str) -> bytes:
    check_key(key)
    if message.count("|") != (3 if message.startswith("task|") else 2):
        raise InputError(f"an id in {message!r} holds '|'")
    return hmac.new(key, message.encode("utf-8"), hashlib.sha256).digest()
