"""Which model answers which role, at what price, and whether a run may ask it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lawsmith.chat import Answerer, Request, Role
from lawsmith.errors import PrerequisiteError
from lawsmith.gateways.models.limits import RunCaps
from lawsmith.gateways.models.prices import Bound, Price, upper_bound
from lawsmith.gateways.models.replay import PREFIX, ReplayAnswerer


@dataclass(frozen=True)
class ModelSpec:
    """One role's model as configured."""

    model: str
    """litellm model string, or `replay/<set>`."""
    api_base: str | None = None
    """Address of a server of one's own; None for the provider's."""
    api_key_env: str | None = None
    """Environment variable that holds the key; None for the provider's usual one."""
    price: Price | None = None
    """None: the price that litellm's bundled table gives, if any."""
    timeout_seconds: float = 300.0
    """How long one call may take."""


@dataclass(frozen=True)
class Route:
    """A role's model, ready to answer."""

    spec: ModelSpec
    answerer: Answerer
    price: Price | None
    live: bool
    """Whether asking sends something out and may cost; a recording does neither."""
    input_tokens: int | None = None
    """Longest prompt that the model takes, where litellm's table knows it."""

    @property
    def model(self) -> str:
        """The model string that request digests are made with."""
        return self.spec.model

    def bound(self, request: Request) -> Bound:
        """What one call is counted at until its usage is known."""
        return upper_bound(request, self.price)


@dataclass(frozen=True)
class Roster:
    """The routes by role."""

    routes: Mapping[Role, Route]

    def route(self, role: Role) -> Route:
        """The route of a role.

        Raises:
            PrerequisiteError: no model is configured for it.
        """
        found = self.routes.get(role)
        if found is None:
            raise PrerequisiteError(
                f"no model for the role {role!r}",
                fix=f"set LAWSMITH_{role.upper()} or models.{role} in lawsmith.toml",
            )
        return found

    def require_caps(self, caps: RunCaps) -> None:
        """Refuse to run a live model that no cap can hold.

        Raises:
            PrerequisiteError: a live model and no cap, or only a USD cap and no known price.
        """
        for role, route in self.routes.items():
            if not route.live:
                continue
            if not caps.hold(role):
                raise PrerequisiteError(
                    f"{role} is the live model {route.model!r} and the run has no cap",
                    fix="give --max-usd or --max-tokens, or a cap of the role in lawsmith.toml",
                )
            if route.price is None and not caps.hold_tokens(role):
                raise PrerequisiteError(
                    f"the price of the {role}'s model {route.model!r} is unknown, so --max-usd"
                    " cannot hold it",
                    fix="give --max-tokens, or set its price in lawsmith.toml",
                )


def open_roster(
    specs: Mapping[Role, ModelSpec], *, replay_root: Path, environ: Mapping[str, str]
) -> Roster:
    """Routes for the configured models; litellm is imported only where one is live.

    Args:
        specs: the models by role.
        replay_root: folder of the recordings, `<root>/<set>/replies.jsonl`.
        environ: where API keys are read from.

    Raises:
        PrerequisiteError: an unknown model, a missing key, litellm not installed.
    """
    return Roster({role: _route(spec, replay_root, environ) for role, spec in specs.items()})


def _route(spec: ModelSpec, replay_root: Path, environ: Mapping[str, str]) -> Route:
    if spec.model.startswith(PREFIX):
        recording = ReplayAnswerer(spec.model, root=replay_root)
        return Route(spec, recording, price=Price(0.0, 0.0), live=False)
    # litellm takes seconds to import, and a run over recordings never needs it.
    from lawsmith.gateways.models.litellm_chat import LitellmAnswerer

    provider = LitellmAnswerer(
        spec.model,
        api_base=spec.api_base,
        api_key_env=spec.api_key_env,
        price=spec.price,
        timeout_seconds=spec.timeout_seconds,
        environ=environ,
    )
    return Route(spec, provider, provider.price, live=True, input_tokens=provider.input_tokens)


__all__ = ("ModelSpec", "Roster", "Route", "open_roster")
