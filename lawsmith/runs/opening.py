"""Opening a context: the one place where settings, store, clock and models come together."""

import importlib.metadata
import os
import time
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from threading import Event
from typing import get_args

from lawsmith.chat import Role
from lawsmith.config import Configuration, Settings, load_configuration
from lawsmith.errors import InputError
from lawsmith.gateways.models import (
    Cap,
    Ledger,
    ModelSpec,
    Price,
    RateLimits,
    Roster,
    RunCaps,
    open_roster,
)
from lawsmith.gateways.store import Store
from lawsmith.runs.context import Progress, StageContext
from schemas.source import Collection


@dataclass(frozen=True)
class Ambient:
    """What a command lends to the stages that it runs in its own process."""

    progress: Progress
    stop: Event
    clock: Callable[[], str] | None = None
    """The clock of every context that is not given one; None: the machine's."""


AMBIENT: ContextVar[Ambient | None] = ContextVar("lawsmith_ambient", default=None)
"""Set by the command line around a run; a daemon or a UI leaves it unset."""

ASKED: tuple[Role, ...] = ("extractor", "reviewer")
"""The roles that stages ask. A model set for another one is not opened, so that it never stops a
run for its key or its cap."""

CODE_VERSION = importlib.metadata.version("lawsmith")


def now() -> str:
    """The present instant, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def collection_of_source(source: str) -> Collection:
    """The Temporal collection that a source feeds; synthetic papers never meet live ones."""
    return "temporal-sample" if source == "sample" else "temporal"


def collection_of_release(release_id: str) -> Collection:
    """The collection that a release id belongs to.

    Raises:
        InputError: the id starts with neither `temporal-` nor `historical-`.
    """
    if release_id.startswith("temporal-"):
        return "temporal-sample" if release_id.endswith("-sample") else "temporal"
    if release_id.startswith("historical-"):
        return "historical-dev" if release_id.endswith("-dev") else "historical"
    raise InputError(f"{release_id!r} is no release id", fix="give temporal-… or historical-…")


def configure(
    config_file: Path | None = None,
    flags: Mapping[str, object] | None = None,
    environ: Mapping[str, str] | None = None,
) -> Configuration:
    """The settings in force for this process."""
    given = os.environ if environ is None else environ
    return load_configuration(environ=given, config_file=config_file, flags=flags)


def open_context(
    *,
    source: str | None = None,
    collection: Collection | None = None,
    release_id: str | None = None,
    config_file: str | Path | None = None,
    flags: Mapping[str, object] | None = None,
    max_usd: float | None = None,
    max_tokens: int | None = None,
    run: str | None = None,
    clock: Callable[[], str] | None = None,
) -> StageContext:
    """The context of a run, from settings, environment and what a person asked for.

    Stages that are given the same `run` label share its caps.
    """
    configuration = configure(Path(config_file) if config_file else None, flags)
    settings = configuration.settings
    chosen = source or settings.source
    if collection is None:
        collection = (
            collection_of_release(release_id) if release_id else collection_of_source(chosen)
        )
    store = Store.open(settings.home)
    ambient = AMBIENT.get() or Ambient(lambda _what, _done, _of: None, Event())
    return StageContext(
        settings=settings,
        store=store,
        collection=collection,
        now=clock or ambient.clock or now,
        code_version=CODE_VERSION,
        seconds=time.time,
        roster=partial(roster_of, settings),
        ledger=partial(Ledger, store.ledger, clock=time.time, run=run),
        caps=RunCaps(
            max_usd=settings.caps.max_usd if max_usd is None else max_usd,
            max_tokens=settings.caps.max_tokens if max_tokens is None else max_tokens,
            by_role={role: _cap_of(settings, role) for role in get_args(Role)},
        ),
        limits=RateLimits(
            requests_per_minute=settings.rates.requests_per_minute,
            tokens_per_minute=settings.rates.tokens_per_minute,
        ),
        source=chosen,
        progress=ambient.progress,
        stop=ambient.stop,
    )


def _cap_of(settings: Settings, role: Role) -> Cap:
    own = getattr(settings.caps, role)
    return Cap(max_usd=own.max_usd, max_tokens=own.max_tokens)


def roster_of(settings: Settings) -> Roster:
    """The models of a run by role, of those roles that any stage asks."""
    specs: dict[Role, ModelSpec] = {}
    for role in ASKED:
        model = getattr(settings.models, role)
        price = settings.prices.get(model)
        specs[role] = ModelSpec(
            model=model,
            api_base=getattr(settings.api_base, role),
            api_key_env=getattr(settings.api_key_env, role),
            price=Price(price.input / 1e6, price.output / 1e6) if price else None,
            timeout_seconds=settings.calls.timeout_seconds,
        )
    return open_roster(specs, replay_root=settings.data_root, environ=os.environ)
