"""Dagster's web server behind the guard: `python -m pipelines.webserver PORT`.

Composed as Dagster's own command composes it; only the guard is put before the application.
"""

import contextlib
import sys

import dagster as dg
import uvicorn
from dagster._core.workspace.context import WorkspaceProcessContext
from dagster._core.workspace.load_target import ModuleTarget
from dagster_webserver.app import create_app_from_workspace_process_context

from pipelines.request_guard import RequestGuard

HOST = "127.0.0.1"
_LAST_ANSWERS = 5
"""Seconds that open connections get when the server is stopped."""


def serve(port: int) -> None:
    """Serve the definitions of this package on loopback until the process is interrupted."""
    target = ModuleTarget(
        module_name="pipelines.definitions",
        attribute=None,
        working_directory=None,
        location_name=None,
    )
    with (
        dg.DagsterInstance.get() as instance,
        WorkspaceProcessContext(instance, target) as workspace,
    ):
        app = create_app_from_workspace_process_context(workspace)
        uvicorn.run(
            RequestGuard(app, port=port),
            host=HOST,
            port=port,
            log_level="warning",
            timeout_graceful_shutdown=_LAST_ANSWERS,
        )


if __name__ == "__main__":
    # Whoever started it ends it by an interrupt, at whatever moment.
    with contextlib.suppress(KeyboardInterrupt):
        serve(int(sys.argv[1]))
