"""`ui`: Dagster's pages and daemon over a store, on this machine alone."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from types import FrameType
from typing import Annotated

import typer

from lawsmith.cli import console
from lawsmith.cli.options import Config
from lawsmith.errors import PrerequisiteError

_LOOKS_EVERY = 0.2
_PATIENCE = 30.0
"""Seconds that a service gets to end before it is killed."""


def register(app: typer.Typer) -> None:
    """Add this room's commands."""
    app.command("ui")(ui)


def ui(
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port on 127.0.0.1.")] = 3000,
    config: Config = None,
) -> None:
    """Serve the assets in Dagster's UI, with its daemon, until it is interrupted.

    Only this machine reaches it, and no page of the web can ask it anything.
    """
    from lawsmith.runs import open_context

    context = open_context(config_file=config)
    _check_free(port)
    from pipelines.launch import open_instance

    # Writes the instance's settings and sets DAGSTER_HOME for the services.
    open_instance(context.store).dispose()
    commands = (
        [sys.executable, "-m", "pipelines.webserver", str(port)],
        [sys.executable, "-m", "dagster._daemon", "run", "-m", "pipelines.definitions"],
    )
    console.say(f"http://127.0.0.1:{port} · {context.store.home} · stop with Ctrl-C")
    _supervise(commands)


def _check_free(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise PrerequisiteError(
                f"port {port} cannot be used: {error.strerror or error}",
                path="--port",
                fix="give another --port, or stop what has it",
            ) from error


def _supervise(commands: Sequence[Sequence[str]]) -> None:
    """Run services side by side until this process is interrupted or told to end.

    Raises:
        PrerequisiteError: a service ended by itself.
    """
    stopped = False

    def stop(_number: int, _frame: FrameType | None) -> None:
        nonlocal stopped
        stopped = True

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    services: list[subprocess.Popen[bytes]] = []
    try:
        # An interrupt at the terminal reaches them through this process alone.
        services.extend(subprocess.Popen(item, start_new_session=True) for item in commands)
        while not stopped and all(service.poll() is None for service in services):
            time.sleep(_LOOKS_EVERY)
    finally:
        for service in services:
            _end(service)
        for number, handler in before.items():
            signal.signal(number, handler)
    if not stopped:
        raise PrerequisiteError(
            "a service of the UI ended by itself; what it said stands above",
            fix="run the same command again",
        )


def _end(service: "subprocess.Popen[bytes]") -> None:
    """Interrupt a service, as a terminal would, and kill it where that does not end it."""
    if service.poll() is None:
        service.send_signal(signal.SIGINT)
    try:
        service.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        os.killpg(service.pid, signal.SIGKILL)
        service.wait()
