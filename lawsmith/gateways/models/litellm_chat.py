"""Live models through litellm: one call per request, errors sorted, nothing retried here.

litellm takes about six seconds to import, so this module imports it inside functions, and
with its price table read from the installed package instead of the network.
"""

import os
import re
from collections.abc import Mapping, Sequence
from email.utils import parsedate_to_datetime
from threading import Lock
from typing import Any

from lawsmith.chat import Reply, Request, Usage
from lawsmith.errors import PrerequisiteError
from lawsmith.gateways.models.capabilities import abilities_of
from lawsmith.gateways.models.openai_protocol import (
    FinishReason,
    Rung,
    chat_messages,
    finish_reason,
    response_format,
    tool_arguments,
)
from lawsmith.gateways.models.prices import Price
from lawsmith.gateways.models.provider_errors import ProviderError

_FORMAT_REFUSED = re.compile(
    r"response_format|json_schema|json_object|structured output|json mode|guided_json", re.I
)
_TOOL_REFUSED = re.compile(r"tool_choice|\btools?\b|function.?call", re.I)
_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD", re.I)
_SHORTEST_SECRET = 8


def load_litellm() -> Any:
    """The litellm module, imported so that it asks the network for nothing and stays quiet.

    Raises:
        PrerequisiteError: it is not installed.
    """
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    try:
        import litellm
    except ImportError as error:
        raise PrerequisiteError(
            f"litellm is not installed: {error}", fix="install lawsmith[model]"
        ) from error
    litellm.suppress_debug_info = True
    litellm.drop_params = False
    return litellm


class LitellmAnswerer:
    """One live model.

    Attributes:
        price: what the configuration says, else litellm's bundled table, else None.
        input_tokens: longest prompt that the model takes by that table; None if it is silent.
    """

    def __init__(
        self,
        model: str,
        *,
        environ: Mapping[str, str],
        api_base: str | None = None,
        api_key_env: str | None = None,
        price: Price | None = None,
        timeout_seconds: float = 300.0,
    ) -> None:
        """A model string of litellm, with its key looked up.

        Args:
            model: as `openai/gpt-4o-mini`.
            environ: where API keys are read from.
            api_base: address of a server of one's own; then a key is optional.
            api_key_env: variable that holds the key; None for the provider's usual one.
            price: USD per token, over litellm's table.
            timeout_seconds: how long one call may take.

        Raises:
            PrerequisiteError: the model string names no provider, or its key is not set.
        """
        self.model = model
        self._litellm = load_litellm()
        self._api_base = api_base
        self._timeout = timeout_seconds
        self._key_name = api_key_env
        self._api_key = self._find_key(environ)
        named = {value for name, value in environ.items() if _SECRET_NAME.search(name)}
        # Its own key, whatever the variable is named that holds it. A server without keys is sent
        # a short word in place of one, which may stand in any reply.
        secrets = named | ({self._api_key} if self._api_key else set())
        self._secrets = sorted(
            (secret for secret in secrets if len(secret) >= _SHORTEST_SECRET),
            key=len,
            reverse=True,
        )
        abilities = abilities_of(self._litellm, model, api_base)
        self.price = price if price is not None else abilities.listed_price
        self.input_tokens = abilities.input_tokens
        self._abilities = abilities
        self._rung: Rung = abilities.ladder[0]
        self._rung_lock = Lock()

    def answer(self, requests: Sequence[Request]) -> Sequence[Reply]:
        """One call per request.

        Raises:
            ProviderError: no usable answer; it says whether another try makes sense.
            PrerequisiteError: the key is refused or the model does not exist.
        """
        return [self._answer_one(request) for request in requests]

    def _answer_one(self, request: Request) -> Reply:
        if request.response_schema is None:
            return self._reply(request, self._call(request, None), None)
        ladder = self._abilities.ladder
        for rung in ladder[ladder.index(self._rung) :]:
            try:
                response = self._call(request, rung)
            except _FormatRefusedError:
                continue
            with self._rung_lock:
                self._rung = rung
            return self._reply(request, response, rung)
        raise ProviderError(
            f"model {self.model!r} refuses every way to ask for JSON", path=str(request.key)
        )

    def _call(self, request: Request, rung: Rung | None) -> Any:
        # A server that nothing is known of may take a response format and not heed it.
        heeded = self._abilities.known and rung in ("json_schema", "tool")
        longest = self._abilities.output_tokens or request.max_tokens
        arguments: dict[str, Any] = {
            "model": self.model,
            "messages": chat_messages(request, schema_in_prompt=rung is not None and not heeded),
            "max_tokens": min(request.max_tokens, longest),
            "timeout": self._timeout,
            # The runner is the one owner of retries: none below it.
            "max_retries": 0,
            "num_retries": 0,
        }
        if request.temperature is not None:
            arguments["temperature"] = request.temperature
        if self._api_base is not None:
            arguments["api_base"] = self._api_base
        if self._api_key is not None:
            arguments["api_key"] = self._api_key
        if rung in ("json_schema", "json_object"):
            arguments["response_format"] = response_format(request, rung)
        if rung == "tool":
            arguments |= tool_arguments(request)
        openai = self._openai()
        try:
            return self._litellm.completion(**arguments)
        except self._litellm.UnsupportedParamsError as error:
            # litellm itself knows that the provider takes no such parameter; nothing was sent.
            raise _FormatRefusedError(str(error)) from None
        except openai.APIError as error:
            raise self._sorted_error(error, request, rung) from None

    def _openai(self) -> Any:
        import openai

        return openai

    def _sorted_error(self, error: Any, request: Request, rung: Rung | None) -> Exception:
        openai = self._openai()
        status = getattr(error, "status_code", None)
        text, where = self._without_secrets(str(error)), str(request.key)
        if isinstance(error, openai.AuthenticationError | openai.PermissionDeniedError):
            return PrerequisiteError(
                f"model {self.model!r} refuses the key: {text}",
                fix=f"set {self._key_name} to a key that is valid for it",
            )
        if isinstance(error, openai.NotFoundError):
            return PrerequisiteError(
                f"the provider does not know the model {self.model!r}: {text}",
                fix="check the model string",
            )
        if status == 429 and "insufficient_quota" in text:
            return PrerequisiteError(
                f"the account of model {self.model!r} has nothing left: {text}",
                fix="add credit, or raise the account's limit, and run again to resume",
            )
        if isinstance(error, openai.APITimeoutError):
            return ProviderError(text, path=where, transient=True, maybe_charged=True)
        refused = _TOOL_REFUSED if rung == "tool" else _FORMAT_REFUSED
        if rung is not None and status in (400, 422) and refused.search(text):
            return _FormatRefusedError(text)
        if isinstance(error, self._litellm.ContextWindowExceededError):
            text += "; set calls.max_input_tokens to what the model takes"
        transient = status is None or status in (408, 409, 425, 429) or int(status) >= 500
        # litellm reports a connection that broke as a 500 without a response: it may have been
        # answered and billed.
        broken = getattr(error, "response", None) is None or "Connection error" in text
        return ProviderError(
            f"status {status}: {text}",
            path=where,
            transient=transient,
            maybe_charged=transient and status != 429 and broken,
            retry_after=_retry_after(error),
            rate_limited=status == 429,
        )

    def _reply(self, request: Request, response: Any, rung: Rung | None) -> Reply:
        if not response.choices:
            raise ProviderError(
                "the answer has no choice",
                path=str(request.key),
                transient=True,
                maybe_charged=True,
            )
        text, finish = _content(response.choices[0], rung)
        usage = _usage(getattr(response, "usage", None))
        return Reply(
            text=self._without_secrets(text),
            finish_reason=finish,
            model=response.model or self.model,
            usage=usage,
            cost_usd=None if usage is None or self.price is None else self.price.of(usage),
            replayed=False,
            served_from="provider",
            rung=rung,
        )

    def _find_key(self, environ: Mapping[str, str]) -> str | None:
        litellm = self._litellm
        try:
            provider = litellm.get_llm_provider(self.model, api_base=self._api_base)[1]
        except litellm.BadRequestError as error:
            raise PrerequisiteError(
                f"unknown model {self.model!r}: litellm knows no provider for it",
                fix="write <provider>/<model> as in litellm's list, or replay/<set>",
            ) from error
        if self._key_name is None:
            names = litellm.validate_environment(self.model, api_base=self._api_base)
            wanted = [name for name in names["missing_keys"] if _SECRET_NAME.search(name)]
            if not wanted:
                # litellm has found the key itself, or the provider takes none.
                self._key_name = f"{provider.upper()}_API_KEY"
                return None
            self._key_name = wanted[0]
        key = environ.get(self._key_name)
        if key:
            return key
        if self._api_base is not None:
            return "none"
        raise PrerequisiteError(
            f"model {self.model!r} needs an API key and {self._key_name} is not set",
            fix=f"export {self._key_name}=..., or use a recording: replay/<set>",
        )

    def _without_secrets(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "[key removed]")
        return text


class _FormatRefusedError(Exception):
    """The provider does not take this response format: the ladder goes down a rung."""


def _content(choice: Any, rung: Rung | None) -> tuple[str, FinishReason]:
    """The text of a choice and why it ended, by the provider's own word where litellm has it.

    litellm turns a finish reason that it does not know into `stop`, and some that mean an
    error too; the original is kept beside it. A refusal counts as filtered.
    """
    native = (getattr(choice, "provider_specific_fields", None) or {}).get("native_finish_reason")
    finish = finish_reason(native or choice.finish_reason)
    message = choice.message
    if refusal := getattr(message, "refusal", None):
        return str(refusal), "content_filter"
    calls = getattr(message, "tool_calls", None) or []
    if rung == "tool" and calls:
        # More than one call is more than one answer, and is then no single JSON value.
        return "\n".join(call.function.arguments or "" for call in calls), finish
    return message.content or "", finish


def _usage(reported: Any) -> Usage | None:
    if reported is None:
        return None
    prompt, completion = reported.prompt_tokens, reported.completion_tokens
    if not prompt and not completion:
        # litellm fills in zeros where the provider said nothing.
        return None
    return Usage(prompt_tokens=int(prompt or 0), completion_tokens=int(completion or 0))


def _retry_after(error: Any) -> float | None:
    """Seconds that the provider asks to wait; a date is read against the reply's own date."""
    response = getattr(error, "response", None)
    if response is None or "retry-after" not in response.headers:
        return None
    text = response.headers["retry-after"].strip()
    if re.fullmatch(r"\d{1,6}(\.\d+)?", text):
        return float(text)
    try:
        until = parsedate_to_datetime(text)
        sent = parsedate_to_datetime(response.headers["date"])
    except (KeyError, ValueError):
        return None
    return max(0.0, (until - sent).total_seconds())


__all__ = ("LitellmAnswerer", "load_litellm")
