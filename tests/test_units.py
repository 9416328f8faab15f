"""The closed unit table: what parses, what is refused, and CODATA 2022."""

import json
import re
import subprocess
import sys
from fractions import Fraction
from importlib import resources
from pathlib import Path

import pytest
import scipy.constants
from hypothesis import given, settings
from hypothesis import strategies as st

from lawsmith.errors import UnitError
from lawsmith.units import (
    Dimension,
    constant,
    constants,
    convert,
    convert_scale,
    parse_unit,
)

HISTORICAL = Path(__file__).resolve().parents[2] / "shared/reference/historical.json"


@pytest.mark.parametrize(
    ("text", "dimension", "scale"),
    [
        ("1", "1", 1.0),
        ("kg", "M", 1.0),
        ("m/s^2", "L T^-2", 1.0),
        ("1/(Pa*s)", "M^-1 L T", 1.0),
        ("J/kg/K", "L^2 T^-2 Th^-1", 1.0),
        ("(km/s)/(AU/yr)", "1", 1000 * 31557600 / 149597870700),
        ("m^(1/2)", "L^1/2", 1.0),
        ("km^0.5", "L^1/2", 1000**0.5),
        ("s**-2", "T^-2", 1.0),
        ("um", "L", 1e-6),
        ("h", "T", 3600.0),
        ("min", "T", 60.0),
        ("day", "T", 86400.0),
        ("yr", "T", 31557600.0),
        ("deg", "angle", 0.017453292519943295),
        ("rpm", "T^-1 angle", 0.10471975511965977),
        ("Hz", "T^-1", 1.0),
        ("percent", "1", 0.01),
        ("%", "1", 0.01),
        ("%/K", "Th^-1", 0.01),
        ("1/%", "1", 100.0),
        ("permil", "1", 0.001),
        ("‰", "1", 0.001),
        ("ppm", "1", 1e-6),
        ("mmol/L", "L^-3 N", 1.0),
        ("kohm", "M L^2 T^-3 I^-2", 1000.0),
        ("T", "M T^-2 I^-1", 1.0),
        ("MeV", "M L^2 T^-2", 1.602176634e-13),
        ("pc", "L", 3.085677581491367e16),
        ("ly", "L", 9460730472580800.0),
        ("hPa", "M L^-1 T^-2", 100.0),
        ("ft", "L", 0.3048),
        ("cd", "J", 1.0),
        ("kbit/s", "T^-1 information", 1000.0),
        ("USD", "currency", 1.0),
        ("count/m^2", "L^-2 count", 1.0),
        ("mag", "1", 1.0),
    ],
)
def test_units_have_a_dimension_and_a_scale(text: str, dimension: str, scale: float) -> None:
    unit = parse_unit(text)
    assert sorted(str(unit.dimension).split()) == sorted(dimension.split())
    assert float(unit.scale) == pytest.approx(scale, rel=1e-15)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "parsnip",
        "Kg",
        "kmin",
        "m s",
        "µm",
        "m^",
        "m^^2",
        "m^99",
        "m^(1/0)",
        "2*m",
        "(m",
        "m)",
        "degC/m",
        "mag/m",
        "mag/Mpc",
        "dB/m",
        "dex/kpc",
        "Np*m",
        "%%",
        "k%",
        "m" * 300,
        "((((((((((m))))))))))",
        "hbar",
        "m; import os",
        "a.u.",
        "G",
        "D",
        "Gauss",
        "degree Celsius",
        "degF*s",
        "dB^2",
        "kmag",
        "kAU",
        "M_Sun",
        "rad.s",
        "m\u00b2",
        "\u212b",
        "\u0455",
        "m\u0662",
        "m^1e9",
        "m^" + "9" * 150,
        "((((((((km^12)^12)^12)^12)^12)^12)^12)^12)",
        "(((km^0.5)^12)^12)^12",
        "Qm^12",
        "*".join(["Qm^3"] * 30),
        "/".join(["qm^3"] * 30),
    ],
)
def test_what_is_not_in_the_table_is_an_error(text: str) -> None:
    with pytest.raises(UnitError):
        parse_unit(text)


@pytest.mark.parametrize(("text", "fix"), [("dB/m", "number per"), ("degC/m", "delta_degC")])
def test_a_unit_that_stands_only_alone_says_what_to_write(text: str, fix: str) -> None:
    with pytest.raises(UnitError, match="stands only alone") as caught:
        parse_unit(text)
    assert fix in str(caught.value)


def test_an_unknown_unit_names_near_matches() -> None:
    with pytest.raises(UnitError, match=r"near: .*min"):
        parse_unit("kmin")


def test_conversion_keeps_offsets_and_refuses_unlike_dimensions() -> None:
    assert convert(25.0, "degC", "K") == 298.15
    assert convert(298.15, "K", "degC") == 25.0
    assert convert(1.0, "km/h", "m/s") == pytest.approx(1 / 3.6, rel=1e-15)
    assert convert_scale("yr", "s") == 31557600.0
    with pytest.raises(UnitError, match="no conversion"):
        convert(1.0, "m", "s")
    with pytest.raises(UnitError, match="offset"):
        convert_scale("degC", "K")


def test_fahrenheit_has_an_offset() -> None:
    assert convert(32.0, "degF", "degC") == 0.0
    assert convert(-40.0, "degF", "degC") == -40.0
    assert convert(212.0, "degF", "K") == 373.15
    with pytest.raises(UnitError, match="offset"):
        convert_scale("degF", "K")


@pytest.mark.parametrize(("unit", "target"), [("dB", "1"), ("mag", "dB"), ("percent", "pH")])
def test_levels_are_not_converted(unit: str, target: str) -> None:
    assert parse_unit("dB").kind == "logarithmic"
    assert convert(3.0, "dB", "dB") == 3.0
    with pytest.raises(UnitError, match="no conversion"):
        convert(3.0, unit, target)


@pytest.mark.parametrize(
    ("unit", "target"),
    [
        ("bit", "1"),
        ("count", "1"),
        ("USD", "EUR"),
        ("USD", "1"),
        ("mol", "count"),
        ("kJ/mol", "kJ"),
        ("lm", "W"),
        ("count/s", "Bq"),
        ("M_sun", "R_sun"),
    ],
)
def test_tags_keep_apart_what_si_holds_to_be_one(unit: str, target: str) -> None:
    with pytest.raises(UnitError, match="no conversion"):
        convert_scale(unit, target)


def test_h_is_the_hour_and_the_constant_has_its_own_name() -> None:
    assert parse_unit("h") == parse_unit("h")
    assert convert_scale("h", "s") == 3600.0
    with pytest.raises(UnitError):
        constant("h")


def test_loading_the_table_is_silent() -> None:
    code = "import logging; logging.basicConfig(level=0); from lawsmith.units import parse_unit"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code + "; parse_unit('km')"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout + done.stderr == ""


def test_every_unit_of_the_table_reads_alone_and_in_a_product() -> None:
    seen = 0
    text = resources.files("lawsmith").joinpath("units.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        if "=" not in line or line.lstrip().startswith("#"):
            continue
        for name in (part.strip() for part in line.split(";")[0].split("=")):
            if not re.fullmatch("[A-Za-z_]+", name) or (name in line.split("=")[1].split(";")[0]):
                continue
            unit = parse_unit(name)
            assert unit.scale > 0, name
            if unit.kind == "linear":
                squared = parse_unit(f"{name}^2/{name}")
                assert (squared.dimension, squared.scale) == (unit.dimension, unit.scale)
            seen += 1
    assert seen > 120


TEXTS = st.lists(
    st.sampled_from(
        ["m", "kg", "s", "K", "degC", "dB", "*", "/", "^", "**", "(", ")", "1", "2", "-"]
    )
    | st.text(max_size=3),
    max_size=14,
).map("".join)


@settings(deadline=None)
@given(TEXTS)
def test_any_text_is_a_unit_or_an_error(text: str) -> None:
    try:
        unit = parse_unit(text)
    except UnitError as error:
        refused = str(error)
    else:
        assert float(unit.scale) > 0.0
        return
    assert len(refused) < 1000


def test_dimensions_are_hashable_products_of_rational_powers() -> None:
    length, time = parse_unit("m").dimension, parse_unit("s").dimension
    assert length / time * time == length
    assert (length ** Fraction(1, 2)) ** 2 == length
    assert len({length, time, length * Dimension()}) == 2
    assert str(Dimension()) == "1"
    with pytest.raises(UnitError):
        Dimension.of({"taste": 1})


def test_an_angle_is_carried_but_not_compared() -> None:
    radian = parse_unit("rad").dimension
    assert str(radian) == "angle"
    assert radian.is_pure
    assert (radian * parse_unit("m").dimension).compared == parse_unit("m").dimension


SCIPY = {
    "c": "speed of light in vacuum",
    "h_Planck": "Planck constant",
    "hbar": "reduced Planck constant",
    "e": "elementary charge",
    "k_B": "Boltzmann constant",
    "N_A": "Avogadro constant",
    "R": "molar gas constant",
    "G": "Newtonian constant of gravitation",
    "eps_0": "vacuum electric permittivity",
    "mu_0": "vacuum mag. permeability",
    "Z_0": "characteristic impedance of vacuum",
    "m_e": "electron mass",
    "m_p": "proton mass",
    "m_n": "neutron mass",
    "m_u": "atomic mass constant",
    "sigma_SB": "Stefan-Boltzmann constant",
    "F": "Faraday constant",
    "g_n": "standard acceleration of gravity",
    "R_inf": "Rydberg constant",
    "alpha": "fine-structure constant",
    "a_0": "Bohr radius",
    "b_Wien": "Wien wavelength displacement law constant",
    "Phi_0": "mag. flux quantum",
    "K_J": "Josephson constant",
    "R_K": "von Klitzing constant",
    "G_0": "conductance quantum",
    "mu_B": "Bohr magneton",
    "mu_N": "nuclear magneton",
    "E_h": "Hartree energy",
    "lambda_C": "Compton wavelength",
    "r_e": "classical electron radius",
    "sigma_T": "Thomson cross section",
    "atm_std": "standard atmosphere",
    "V_m": "molar volume of ideal gas (273.15 K, 101.325 kPa)",
}


@pytest.mark.parametrize("name", sorted(SCIPY))
def test_constants_are_those_of_codata_2022(name: str) -> None:
    value, unit = constant(name)
    assert value == pytest.approx(scipy.constants.value(SCIPY[name]), rel=1e-15)
    stated = scipy.constants.unit(SCIPY[name])
    text = "*".join(stated.split()) if stated else "1"
    assert parse_unit(unit).dimension == parse_unit(text).dimension
    assert float(parse_unit(unit).scale) == 1.0


def test_every_constant_is_tested_and_an_unknown_one_refused() -> None:
    assert {constant(name) for name in SCIPY} == set(constants().values())
    assert constant("Boltzmann_constant") == constant("kB") == constant("k_B")
    with pytest.raises(UnitError, match="no universal constant"):
        constant("h_planck_")


@pytest.mark.skipif(not HISTORICAL.exists(), reason="the reference folder is not at hand")
def test_every_historical_unit_has_the_stated_dimension() -> None:
    data = json.loads(HISTORICAL.read_text(encoding="utf-8"))
    seen = 0
    for family in data["families"]:
        for kind in ("inputs", "observables", "parameters", "derived"):
            for row in family[kind]:
                found = parse_unit(row["unit"]).dimension.compared
                assert str(found).replace(" ", ".") == row["dimension"], row["unit"]
                seen += 1
    assert seen > 100
