"""Verdicts and figures of certificates stay where the last bits of float64 move."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lawsmith.mutation.laws.historical import load_historical
from lawsmith.mutation.laws.relation_sets import laws_of
from lawsmith.mutation.laws.truth import exact_values, rows
from lawsmith.mutation.pairing import forge_family
from lawsmith.mutation.screening import distinctness, recovery
from lawsmith.mutation.screening.certificates import certify, differing_figures
from lawsmith.mutation.screening.inputs import Case
from lawsmith.mutation.screening.refitting import Refit
from schemas.card import Card
from schemas.family import Family

ROOT = Path(__file__).resolve().parents[2]
REFIT_STARTS = Refit._starts
WILD = "kepler_third_law"
"""Its Original's form comes nowhere near the Counterfactual: how far a refit gets is chance."""


def historical(name: str, key: bytes) -> Family:
    return forge_family(load_historical(ROOT / f"data/historical/{name}.json"), key)


@pytest.fixture(scope="module")
def families(card: Card, key: bytes) -> dict[str, Family]:
    """An unrounded pair, two quantised ones (one with choices), one whose refit is hopeless."""
    names = ("galileo_projectile", "rydberg_series", WILD)
    return {"card": forge_family(card, key)} | {name: historical(name, key) for name in names}


def nudged(family: Family, row: int, column: int, direction: float) -> Family:
    """One hidden coordinate a last bit further, with the truths that belong to it."""
    inputs = np.array(family.hidden.inputs)
    inputs[row, column] = np.nextafter(inputs[row, column], direction)
    truths: dict[str, Any] = {
        name: rows(exact_values(laws_of(getattr(family, name)), family.controls, inputs))
        for name in ("original", "counterfactual")
    }
    hidden = family.hidden.model_copy(update={"inputs": rows(inputs), **truths})
    return family.model_copy(update={"hidden": hidden})


def move_refits(monkeypatch: pytest.MonkeyPatch, direction: float) -> None:
    """Every start of a refit a last bit further."""
    near = REFIT_STARTS
    monkeypatch.setattr(
        Refit, "_starts", lambda self, own: [np.nextafter(g, direction) for g in near(self, own)]
    )


@pytest.mark.parametrize("name", ["card", "galileo_projectile", WILD])
@pytest.mark.parametrize(("row", "direction"), [(0, np.inf), (7, -np.inf), (60, np.inf)])
def test_a_hidden_coordinate_moves_by_one_bit(
    families: dict[str, Family], name: str, row: int, direction: float
) -> None:
    family = families[name]
    # Inside the domain: an end moved outwards is a fault that certificate 2 must name.
    assert differing_figures(family.certificates, certify(nudged(family, row, 0, direction))) == ()


@pytest.mark.parametrize("direction", [np.inf, -np.inf])
@pytest.mark.parametrize("name", ["card", "galileo_projectile", "rydberg_series", WILD])
def test_every_guess_moves_by_one_bit(
    families: dict[str, Family], name: str, direction: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    blind = recovery.starts
    monkeypatch.setattr(recovery, "starts", lambda true: np.nextafter(blind(true), direction))
    move_refits(monkeypatch, direction)
    family = families[name]
    assert differing_figures(family.certificates, certify(family)) == ()


@pytest.mark.parametrize("name", ["card", "galileo_projectile", "rydberg_series", WILD])
def test_how_far_a_hopeless_refit_gets_is_no_figure(
    families: dict[str, Family], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = []
    for direction in (np.inf, -np.inf):
        move_refits(monkeypatch, direction)
        case = Case(families[name])
        worst, _ = distinctness._refit_all(case, case.forms["original"], distinctness.REFIT_BOUND)
        assert worst > distinctness.REFIT_CAP
        stored.append(float(distinctness.distinct(case).figures["refit_worst_e"]))
    assert stored == [distinctness.REFIT_CAP] * 2


SCRIPT = """
import sys
from pathlib import Path
from lawsmith.mutation.screening.certificates import certify
from schemas.family import Family
for line in Path(sys.argv[1]).read_text(encoding="utf-8").splitlines():
    for one in certify(Family.from_json(line)):
        print(one.model_dump_json())
"""


def test_the_number_of_threads_changes_nothing(families: dict[str, Family], tmp_path: Path) -> None:
    path = tmp_path / "families.jsonl"
    text = "".join(f"{family.to_json()}\n" for family in families.values())
    path.write_text(text, encoding="utf-8")
    found = []
    for threads in ("1", "2"):
        names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, str(path)],
            env={**os.environ, **dict.fromkeys(names, threads)},
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        found.append(done.stdout)
    assert found[0] == found[1]
    stored = [one.model_dump(mode="json") for f in families.values() for one in f.certificates]
    assert [json.loads(line) for line in found[0].splitlines()] == stored
