"""The bundled textbook laws: each parses, and declares exactly the names it uses."""

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from lawsmith.expressions import dimension_of, parse_infix
from lawsmith.units import parse_unit

PATH = Path(__file__).resolve().parents[2] / "data" / "textbook_laws.jsonl"
LAWS: list[dict[str, Any]] = [
    json.loads(line) for line in PATH.read_text(encoding="utf-8").splitlines()
]
FUNCTIONS = {"sqrt", "exp", "log", "log10", "sin", "cos", "asin", "acos", "tanh", "cosh"}
NODES = (ast.Expression, ast.BinOp, ast.UnaryOp, ast.Call, ast.Name, ast.Load, ast.Constant)
OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.USub)


def test_ids_are_unique_and_there_are_enough() -> None:
    ids = [law["id"] for law in LAWS]
    assert len(ids) == len(set(ids)) >= 60


@pytest.mark.parametrize("law", LAWS, ids=[law["id"] for law in LAWS])
def test_law_declares_the_names_it_uses(law: dict[str, Any]) -> None:
    assert sorted(law) == ["citation", "expression", "id", "readout", "units"]
    tree = ast.parse(law["expression"], mode="eval")
    assert all(isinstance(node, NODES + OPERATORS) for node in ast.walk(tree))
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    calls = {
        node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert calls <= FUNCTIONS
    assert (names - calls) | {law["readout"]} == set(law["units"])
    assert law["readout"] not in names
    for unit in law["units"].values():
        parse_unit(unit)
    assert len(law["citation"]) > 10


@pytest.mark.parametrize("law", LAWS, ids=[law["id"] for law in LAWS])
def test_dimensions_of_the_law_close(law: dict[str, Any]) -> None:
    units = {name: unit for name, unit in law["units"].items() if name != law["readout"]}
    found = dimension_of(parse_infix(law["expression"]), units)
    assert found == parse_unit(law["units"][law["readout"]]).dimension
