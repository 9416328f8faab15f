"""Where settings come from: lawsmith.toml, then --config, then the environment, then flags.

Every value knows where it came from. API keys are never settings; only the NAME of the
variable that holds one may be.
"""

import difflib
import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import platformdirs
from pydantic import ValidationError

from lawsmith.errors import InputError, PrerequisiteError
from lawsmith.settings import Settings
from schemas.record import Part

FILE_NAME = "lawsmith.toml"

ENVIRONMENT: dict[str, str] = {
    "LAWSMITH_HOME": "home",
    "LAWSMITH_DATA": "data_root",
    "LAWSMITH_SOURCE": "source",
    "LAWSMITH_CONTACT_EMAIL": "contact_email",
    "LAWSMITH_EXTRACTOR": "models.extractor",
    "LAWSMITH_REVIEWER": "models.reviewer",
    "LAWSMITH_PLAYER": "models.player",
    "LAWSMITH_JUDGE": "models.judge",
    "LAWSMITH_EXTRACTOR_API_BASE": "api_base.extractor",
    "LAWSMITH_REVIEWER_API_BASE": "api_base.reviewer",
    "LAWSMITH_PLAYER_API_BASE": "api_base.player",
    "LAWSMITH_JUDGE_API_BASE": "api_base.judge",
    "LAWSMITH_MAX_USD": "caps.max_usd",
    "LAWSMITH_MAX_TOKENS": "caps.max_tokens",
    "LAWSMITH_CONCURRENCY": "calls.concurrency",
    "LAWSMITH_ARXIV_URL": "arxiv.url",
    "LAWSMITH_ARXIV_DELAY": "arxiv.delay_seconds",
    "LAWSMITH_ARXIV_OAI_URL": "arxiv.oai_url",
    "LAWSMITH_CROSSREF_URL": "crossref.url",
    "LAWSMITH_CROSSREF_DELAY": "crossref.delay_seconds",
}
"""Variable -> setting. LAWSMITH_CONFIG names a file, like --config."""

CONFIG_VARIABLE = "LAWSMITH_CONFIG"
_NUMBERS = (
    "caps.max_usd",
    "caps.max_tokens",
    "calls.concurrency",
    "arxiv.delay_seconds",
    "crossref.delay_seconds",
)
_PATHS = ("home", "data_root")


@dataclass(frozen=True)
class Configuration:
    """Settings and where each came from.

    Attributes:
        settings: the values in force.
        origins: dotted key -> file, variable, `flag` or `built in`.
    """

    settings: Settings
    origins: Mapping[str, str]

    def rows(self) -> list[tuple[str, str, str]]:
        """(key, value as JSON, origin) of every setting, in the order of the file."""
        data = self.settings.model_dump(mode="json")
        return [
            (key, json.dumps(value, ensure_ascii=False), self.origins.get(key, "built in"))
            for key, value in _flat(data)
        ]


def load_configuration(
    *,
    environ: Mapping[str, str],
    config_file: Path | None = None,
    flags: Mapping[str, object] | None = None,
    checkout: Path | None = None,
) -> Configuration:
    """The settings in force.

    Args:
        environ: the environment; only LAWSMITH_* variables are read.
        config_file: what --config names; None: what LAWSMITH_CONFIG names, if anything.
        flags: dotted key -> value of a flag; None values are flags not given.
        checkout: the repository root; None: found from where this package lies, if it lies
            in one.

    Raises:
        PrerequisiteError: the named configuration file is not there.
        InputError: not TOML, an unknown key or LAWSMITH_* variable, or a value out of bounds;
            the message names the key and where it stands.
    """
    root = checkout if checkout is not None else find_checkout()
    layers = _Layers()
    layers.add(_built_in_paths(root), "built in")
    if root is not None and (root / FILE_NAME).is_file():
        layers.add_file(root / FILE_NAME)
    named = config_file or (
        Path(environ[CONFIG_VARIABLE]) if environ.get(CONFIG_VARIABLE) else None
    )
    if named is not None:
        if not named.is_file():
            raise PrerequisiteError("no such configuration file", path=str(named))
        layers.add_file(named)
    layers.add_environment(environ)
    layers.add({k: v for k, v in (flags or {}).items() if v is not None}, "flag")
    return Configuration(layers.settings(), dict(layers.origins))


def find_checkout() -> Path | None:
    """The repository root when this package runs from a checkout, else None."""
    root = Path(__file__).resolve().parents[1]
    return root if (root / "pyproject.toml").is_file() else None


@dataclass
class _Layers:
    values: dict[str, object] = field(default_factory=dict)
    origins: dict[str, str] = field(default_factory=dict)

    def add(self, values: Mapping[str, object], origin: str) -> None:
        for key, value in values.items():
            _check_key(key, origin)
            self.values[key] = value
            self.origins[key] = origin

    def add_file(self, path: Path) -> None:
        try:
            data = tomllib.loads(path.read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise InputError(f"not TOML: {error}", path=str(path)) from error
        found = dict(_flat(data))
        for key in _PATHS:
            if isinstance(found.get(key), str):
                found[key] = str(path.resolve().parent / Path(str(found[key])).expanduser())
        self.add(found, str(path))

    def add_environment(self, environ: Mapping[str, str]) -> None:
        for name in sorted(environ):
            if not name.startswith("LAWSMITH_") or name == CONFIG_VARIABLE or not environ[name]:
                continue
            if name not in ENVIRONMENT:
                raise InputError(
                    "no such variable", path=name, fix=_near(name, [*ENVIRONMENT, CONFIG_VARIABLE])
                )
            key = ENVIRONMENT[name]
            self.add({key: _from_text(key, environ[name], name)}, f"environment {name}")

    def settings(self) -> Settings:
        nested: dict[str, Any] = {}
        for key, value in self.values.items():
            *parents, last = key.split(".") if not key.startswith("prices.") else _price(key)
            target = nested
            for parent in parents:
                target = target.setdefault(parent, {})
            target[last] = value
        try:
            return Settings.model_validate_json(json.dumps(nested, default=str))
        except ValidationError as error:
            raise self._explained(error) from error

    def _explained(self, error: ValidationError) -> InputError:
        first = error.errors(include_url=False)[0]
        key = ".".join(str(part) for part in first["loc"])
        related = [k for k in self.origins if key.startswith(f"{k}.") or k.startswith(f"{key}.")]
        origin = self.origins.get(key) or (self.origins[related[-1]] if related else "built in")
        given = f"{self.values[key]!r}: " if key in self.values else ""
        # What stands there may be a key pasted by mistake.
        shown = "" if key.startswith("api_key_env.") else given
        return InputError(f"{shown}{first['msg']} (from {origin})", path=key)


def _built_in_paths(root: Path | None) -> dict[str, object]:
    if root is not None:
        return {"home": str(root / "data" / "store"), "data_root": str(root / "data")}
    home = platformdirs.user_data_path("lawsmith")
    return {"home": str(home), "data_root": str(home / "data")}


def _flat(data: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    for key, value in data.items():
        dotted = f"{prefix}{key}"
        # A price is one value, so that a file replaces it as a whole.
        if isinstance(value, Mapping) and not prefix.startswith("prices."):
            yield from _flat(value, f"{dotted}.")
        else:
            yield dotted, value


def _price(key: str) -> list[str]:
    table, model = key.split(".", 1)
    return [table, model]


def _check_key(key: str, origin: str) -> None:
    known = _known_keys()
    if key in known or key.startswith("prices."):
        return
    fix = _near(key, known)
    if "key" in key.rpartition(".")[2].lower():
        fix = "API keys are read from the provider's environment variable, never from settings"
    raise InputError(f"no such setting (from {origin})", path=key, fix=fix)


def _known_keys(record: type[Part] = Settings, prefix: str = "") -> list[str]:
    known: list[str] = []
    for name, info in record.model_fields.items():
        part = info.annotation
        if isinstance(part, type) and issubclass(part, Part):
            known.extend(_known_keys(part, f"{prefix}{name}."))
        else:
            known.append(f"{prefix}{name}")
    return known


def _near(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, n=2)
    return f"did you mean {' or '.join(near)}?" if near else f"use one of {', '.join(known)}"


def _from_text(key: str, text: str, origin: str) -> object:
    if key in _PATHS:
        return str(Path(text).expanduser().absolute())
    if key not in _NUMBERS:
        return text
    try:
        return json.loads(text, parse_constant=float)
    except ValueError as error:
        raise InputError(f"{text!r} is not a number", path=origin) from error


__all__ = (
    "ENVIRONMENT",
    "Configuration",
    "Settings",
    "find_checkout",
    "load_configuration",
)
