"""The guard before Dagster's web server: a page of the web can neither command nor read it.

The server on this machine answers whoever reaches its port, and a browser reaches it on behalf of
any page that is open. A request passes only if it names this server as its host (so that no
foreign name was pointed here), comes from no other page, and commands by nothing that a browser
sends without asking first: JSON by POST, never a query in an address.
"""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_READING = frozenset({"GET", "HEAD"})
_CLOSED_BY_POLICY = 1008
"""WebSocket status: the other side broke a rule."""


class RequestGuard:
    """An ASGI application that lets another one answer what it takes for harmless."""

    def __init__(self, app: App, *, port: int) -> None:
        """Guard an application that is served on loopback.

        Args:
            app: what answers.
            port: the port that requests come in by.
        """
        self._app = app
        self._hosts = {f"{host}:{port}" for host in LOOPBACK}
        self._origins = {f"http://{host}" for host in self._hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or have it answered."""
        fault = None
        if scope["type"] in {"http", "websocket"}:
            fault = self.fault(scope)
        if fault is None:
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": _CLOSED_BY_POLICY, "reason": fault})
        else:
            await _refuse(send, fault)

    def fault(self, scope: Scope) -> str | None:
        """Why a request is refused, None if it is not."""
        headers = [(bytes(k).lower(), bytes(v).decode("latin-1")) for k, v in scope["headers"]]
        hosts = [value.strip().lower() for name, value in headers if name == b"host"]
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return f"Host must be one of {sorted(self._hosts)}"
        origins = [value.strip().lower() for name, value in headers if name == b"origin"]
        if any(origin not in self._origins for origin in origins):
            return "a page of another origin may not ask this server"
        referers = [value.strip() for name, value in headers if name == b"referer"]
        if any(_origin_of(referer) not in self._origins for referer in referers):
            return "a page of another origin may not ask this server"
        sites = {value.strip().lower() for name, value in headers if name == b"sec-fetch-site"}
        if sites - {"same-origin", "none"}:
            return "a page of another site may not ask this server"
        return None if scope["type"] == "websocket" else _fault_of_command(scope, headers)


def _fault_of_command(scope: Scope, headers: list[tuple[bytes, str]]) -> str | None:
    if scope["method"] in _READING:
        if "graphql" in str(scope["path"]).lower() and scope.get("query_string"):
            return "queries and commands are sent by POST, never in an address"
        return None
    if scope["method"] != "POST":
        return f"method {scope['method']} is not taken"
    kinds = [value for name, value in headers if name == b"content-type"]
    if len(kinds) != 1 or kinds[0].partition(";")[0].strip().lower() != "application/json":
        return "commands are sent as application/json"
    return None


def _origin_of(address: str) -> str:
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc}".lower()


async def _refuse(send: Send, fault: str) -> None:
    body = f"refused: {fault}\n".encode()
    await send(
        {
            "type": "http.response.start",
            "status": 403,
            "headers": [
                (b"content-type", b"text/plain; charset=utf-8"),
                (b"content-length", str(len(body)).encode()),
            ],
        }
    )
    await send({"type": "http.response.body", "body": body})


__all__ = ("LOOPBACK", "RequestGuard")
