"""Verdicts and figures of certificates stay where the last bits of float64 move."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from lawsmith.measurement import fits
from lawsmith.mutation import distinctness, recovery
from lawsmith.mutation.case import Case
from lawsmith.mutation.historical import load_historical
from lawsmith.mutation.pairing import forge_family
from lawsmith.mutation.relation_sets import laws_of
from lawsmith.mutation.screening import certify, differing_figures
from lawsmith.mutation.truth import exact_values, rows
from schemas.card import Card
from schemas.family import Family

ROOT = Path(__file__).resolve().parents[2]
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
    blind, near = recovery.starts, fits._starts
    monkeypatch.setattr(recovery, "starts", lambda true: np.nextafter(blind(true), direction))
    monkeypatch.setattr(
        fits, "_starts", lambda first, n: [np.nextafter(g, direction) for g in near(first, n)]
    )
    family = families[name]
    assert differing_figures(family.certificates, certify(family)) == ()


def test_the_cap_of_certificate_3_is_what_holds_its_figure(
    families: dict[str, Family], monkeypatch: pytest.MonkeyPatch
) -> None:
    near = fits._starts

    def figures(name: str) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Largest e after the best refit, as found and as stored, guesses moved either way."""
        found, stored = [], []
        for direction in (np.inf, -np.inf):

            def moved(
                first: NDArray[np.float64], n: int, direction: float = direction
            ) -> list[NDArray[np.float64]]:
                return [np.nextafter(guess, direction) for guess in near(first, n)]

            monkeypatch.setattr(fits, "_starts", moved)
            case = Case(families[name])
            found.append(distinctness._refit_all(case)[0])
            stored.append(float(distinctness.distinct(case).figures["refit_worst_e"]))
        return tuple(found), tuple(stored)

    assert distinctness.REFIT_CAP == 10.0
    apart = []
    for name in families:
        found, stored = figures(name)
        assert stored == (10.0, 10.0)
        assert min(found) > 10.0
        apart.append(abs(found[0] - found[1]) / found[0])
    # Stored as found, to nine digits, the figure would be another with the last bit of a guess.
    assert max(apart) > 1e-8


SCRIPT = """
import sys
from pathlib import Path
from lawsmith.mutation.screening import certify
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
