"""The one resource: settings, store, clock and models, as the engine's stages want them."""

from typing import Literal

import dagster as dg

from lawsmith.gateways.store import Store
from lawsmith.runs import StageContext, open_context


class Engine(dg.ConfigurableResource):  # type: ignore[type-arg]
    """What every asset is given. Empty fields mean: as lawsmith.toml and the environment say."""

    source: str = ""
    """`sample`, `arxiv` or a folder; decides the Temporal collection."""
    config_file: str = ""
    max_usd: float | None = None
    max_tokens: int | None = None
    historical_collection: Literal["historical", "historical-dev"] = "historical-dev"
    """`historical` where a private key builds it."""
    run: str = ""
    """Label that caps are counted under; empty: each asset is a run of its own."""

    def temporal(self) -> StageContext:
        """The context of the weekly stages."""
        return open_context(
            source=self.source or None,
            config_file=self.config_file or None,
            max_usd=self.max_usd,
            max_tokens=self.max_tokens,
            run=self.run or None,
        )

    def historical(self) -> StageContext:
        """The context of the Historical collection."""
        return open_context(
            collection="historical"
            if self.historical_collection == "historical"
            else "historical-dev",
            config_file=self.config_file or None,
        )

    def release(self, release_id: str) -> StageContext:
        """The context of the collection that a release id belongs to."""
        return open_context(release_id=release_id, config_file=self.config_file or None)

    def store(self) -> Store:
        """The store, for what concerns no single collection."""
        return open_context(config_file=self.config_file or None).store
