"""What the command line loads: help asks for no engine, however heavy the engine becomes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {"scipy", "numpy", "pyarrow", "duckdb", "litellm", "dagster", "flint", "pandas", "sympy"}

SCRIPT = """
import sys
from lawsmith.cli import run
code = run(sys.argv[1:])
print("\\n".join(["LOADED", *sys.modules]))
sys.exit(code)
"""


def loaded_by(*arguments: str, home: Path | None = None) -> set[str]:
    """Modules in memory after a command."""
    environment = {**os.environ, **({"LAWSMITH_HOME": str(home)} if home else {})}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.partition("LOADED\n")[2].split())


@pytest.mark.parametrize(
    "arguments",
    [("--help",), ("refresh", "--help"), ("score", "--help"), ("cards", "list", "--help")],
)
def test_help_loads_no_engine(arguments: tuple[str, ...]) -> None:
    loaded = loaded_by(*arguments)
    assert {"lawsmith", "typer"} <= loaded
    assert not loaded & HEAVY


@pytest.mark.parametrize("command", [("status",), ("cards", "list")])
def test_looking_into_a_store_loads_no_solver_and_no_orchestrator(
    command: tuple[str, ...], tmp_path: Path
) -> None:
    loaded = loaded_by(*command, home=tmp_path)
    assert not loaded & {"scipy.stats", "scipy.optimize", "litellm", "dagster", "pandas", "sympy"}
