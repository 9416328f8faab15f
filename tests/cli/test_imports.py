"""What the command line loads: help asks for no engine, however heavy the engine becomes."""

import subprocess
import sys

import pytest

HEAVY = {"scipy", "numpy", "pyarrow", "duckdb", "litellm", "dagster", "flint", "pandas", "sympy"}

SCRIPT = """
import sys
from lawsmith.cli import run
code = run(sys.argv[1:])
print("\\n".join(["LOADED", *sorted({name.partition(".")[0] for name in sys.modules})]))
sys.exit(code)
"""


def loaded_by(*arguments: str) -> set[str]:
    """Top-level packages in memory after a command."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *arguments], capture_output=True, text=True, check=False
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
