"""The settings as records: names, types, bounds and defaults. lawsmith.config fills them."""

import re
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, model_validator

from schemas.record import Part

ARXIV_DELAY = 3.0
"""Seconds that arXiv asks clients to leave between requests."""
ARXIV_OAI = "https://arxiv.org/oai"
"""arXiv's OAI-PMH records, which state licences."""
CROSSREF = "https://api.crossref.org"
CROSSREF_DELAY = 0.2
"""Least seconds between requests; Crossref's polite pool is cut off at a few requests a second."""


def _name_of_variable(value: str) -> str:
    # A key pasted here by mistake must not travel into messages, so the value is not shown.
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", value):
        raise ValueError("give the NAME of an environment variable, never a key")
    return value


Positive = Annotated[float, Field(gt=0)]
VariableName = Annotated[str, AfterValidator(_name_of_variable)]


class Models(Part):
    """litellm model strings by role, or `replay/<set>`."""

    extractor: str = "replay/sample"
    reviewer: str = "replay/sample"
    player: str = "replay/sample"
    judge: str = "replay/sample"
    allow_same_model: bool = False
    """Whether extractor and reviewer may be one model; cards then show it."""


class ApiBase(Part):
    """Addresses of servers of one's own, by role; null for the provider's."""

    extractor: str | None = None
    reviewer: str | None = None
    player: str | None = None
    judge: str | None = None


class ApiKeyEnv(Part):
    """Names of the variables that hold API keys, by role; null for the provider's usual one."""

    extractor: VariableName | None = None
    reviewer: VariableName | None = None
    player: VariableName | None = None
    judge: VariableName | None = None


class ModelPrice(Part):
    """USD per million tokens."""

    input: Annotated[float, Field(ge=0)]
    output: Annotated[float, Field(ge=0)]


class RoleCaps(Part):
    """What one role may spend in one run; null is no cap."""

    max_usd: Annotated[float, Field(ge=0)] | None = None
    max_tokens: Annotated[int, Field(ge=0)] | None = None


class Caps(RoleCaps):
    """What one run may spend, in all and by role; null is no cap."""

    extractor: RoleCaps = RoleCaps()
    reviewer: RoleCaps = RoleCaps()
    player: RoleCaps = RoleCaps()
    judge: RoleCaps = RoleCaps()


class Rates(Part):
    """Pace of one model; null is no limit."""

    requests_per_minute: Annotated[int, Field(ge=1)] | None = None
    tokens_per_minute: Annotated[int, Field(ge=1)] | None = None


class Calls(Part):
    """How models are called."""

    concurrency: Annotated[int, Field(ge=1)] = 16
    timeout_seconds: Positive = 300.0
    max_input_tokens: Annotated[int, Field(ge=1)] | None = None
    """Longest prompt of extractor and reviewer; null: what litellm's table says of them."""
    max_reply_tokens: Annotated[int, Field(ge=1)] | None = None
    """Upper bound of a reply; null: 16,000 for a card, 8,000 for a review."""


class Arxiv(Part):
    """How arXiv is asked."""

    url: str = "https://export.arxiv.org/api/query"
    oai_url: str | None = None
    """Address of the OAI-PMH records; null: arXiv's own, or `/oai` of `url` on this machine."""
    categories: tuple[str, ...] = ("physics", "cond-mat", "astro-ph", "q-bio", "eess.SP")
    """Archives (`physics` stands for `physics.*` and the like) or single categories."""
    page_size: Annotated[int, Field(ge=1, le=2000)] = 100
    delay_seconds: Positive = ARXIV_DELAY
    connect_seconds: Positive = 10.0
    read_seconds: Positive = 60.0
    """Longest silence of a server."""
    body_seconds: Positive = 900.0
    """Longest time for one whole answer."""
    max_file_bytes: Annotated[int, Field(ge=1)] = 100_000_000

    @model_validator(mode="after")
    def _polite(self) -> Self:
        if self.delay_seconds < ARXIV_DELAY and not _is_loopback(self.url):
            raise ValueError(f"delay_seconds must be at least {ARXIV_DELAY} for {self.url}")
        return self

    @property
    def oai(self) -> str:
        """Where licences are asked for; a server of this machine is never mixed with arXiv's."""
        return self.oai_url or _beside(self.url, "/oai") or ARXIV_OAI


class Crossref(Part):
    """How Crossref is asked for journal dates; the contact address is sent along."""

    url: str | None = None
    """Null: Crossref's own, or the server of `arxiv.url` where that is on this machine."""
    delay_seconds: Positive = 1.0
    match_score: Annotated[float, Field(ge=0.5, le=1)] = 0.95
    """Least score of title and authors at which a work without a known DOI is the paper."""
    waiting_days: Annotated[int, Field(ge=0)] = 6
    """Days after which a paper without a journal date is due again: each weekly run."""
    published_days: Annotated[int, Field(ge=0)] = 27
    """Days after which a published paper is due again, for retractions and new versions."""

    @model_validator(mode="after")
    def _polite(self) -> Self:
        if self.delay_seconds < CROSSREF_DELAY and not (self.url and _is_loopback(self.url)):
            raise ValueError(f"delay_seconds must be at least {CROSSREF_DELAY}")
        return self


class WindowPolicy(Part):
    """When a week counts as closed."""

    lag_days: Annotated[int, Field(ge=0)] = 3


class EligibilityPolicy(Part):
    """Which papers a release may hold."""

    policy: Literal["journal_required", "preprint_only"] = "journal_required"
    journals: tuple[str, ...] = ()
    """Names or ISSNs; none: any journal."""
    categories: tuple[str, ...] = ()
    """Categories, or archives that stand for all below them; none: any."""


class PacketLimits(Part):
    """What a source file may cost to read."""

    max_pages: Annotated[int, Field(ge=1)] = 200
    seconds: Positive = 60.0
    max_megabytes: Annotated[int, Field(ge=256)] = 4_000
    """Address space of each process that reads PDFs."""
    workers: Annotated[int, Field(ge=1)] | None = None
    """Papers read at the same moment; null: two, or one where the machine has one core."""


class TriagePolicy(Part):
    """Which packets are worth a model call."""

    threshold: Annotated[float, Field(ge=0, le=1)] = 0.05


class Calibration(Part):
    """How hidden laws and calibrated worlds are made."""

    workers: Annotated[int, Field(ge=1)] | None = None
    """Problems built at the same moment, each in a process; null: as many as there are cores."""


class Settings(Part):
    """Everything that a run takes from outside."""

    home: Path
    data_root: Path
    source: str = "sample"
    contact_email: str = ""
    models: Models = Models()
    api_base: ApiBase = ApiBase()
    api_key_env: ApiKeyEnv = ApiKeyEnv()
    prices: dict[str, ModelPrice] = Field(default_factory=dict)
    caps: Caps = Caps()
    rates: Rates = Rates()
    calls: Calls = Calls()
    arxiv: Arxiv = Arxiv()
    crossref: Crossref = Crossref()
    window: WindowPolicy = WindowPolicy()
    eligibility: EligibilityPolicy = EligibilityPolicy()
    packets: PacketLimits = PacketLimits()
    triage: TriagePolicy = TriagePolicy()
    calibration: Calibration = Calibration()

    @property
    def crossref_url(self) -> str:
        """Where journal dates are asked for."""
        return (self.crossref.url or _beside(self.arxiv.url, "") or CROSSREF).rstrip("/")


def _beside(url: str, path: str) -> str | None:
    """Another path of the same server if it is on this machine, else None."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}{path}" if _is_loopback(url) else None


def _is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


__all__ = (
    "ApiBase",
    "ApiKeyEnv",
    "Arxiv",
    "Calibration",
    "Calls",
    "Caps",
    "Crossref",
    "EligibilityPolicy",
    "ModelPrice",
    "Models",
    "PacketLimits",
    "Rates",
    "RoleCaps",
    "Settings",
    "TriagePolicy",
    "WindowPolicy",
)
