"""Cards of textbook relations, written by hand: grounds on which the style of families is measured.

Numbers are of a usual size for each relation and come from no paper.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

from schemas.card import Card, Choices, Range

Row = tuple[Any, ...]
Law = tuple[str, Sequence[Row], Sequence[Row], Sequence[Row], Sequence[Row]]
Builders = dict[str, Callable[..., Any]]

_R: Final = "reference"

LAWS: Final[tuple[Law, ...]] = (
    (
        "sorption isotherm",
        [("q", "KF*(c/c0)**0.42")],
        [("c", "mg/L", 1, 150), ("T", "K", 285, 330)],
        [("q", "mg/g")],
        [("KF", 2.7, "mg/g"), ("c0", 1, "mg/L", _R)],
    ),
    (
        "growth with product inhibition",
        [("mu", "mm*S/(Ks+S)*(1-P/Pm)")],
        [("S", "g/L", 0.2, 25), ("P", "g/L", 0, 55)],
        [("mu", "1/h")],
        [("mm", 0.51, "1/h"), ("Ks", 1.1, "g/L"), ("Pm", 88, "g/L")],
    ),
    (
        "logistic growth",
        [("N", "K/(1+(K/N0-1)*exp(-r*t))")],
        [("N0", "1/mL", 15, 220), ("t", "h", 0, 20)],
        [("N", "1/mL")],
        [("K", 4600, "1/mL"), ("r", 0.47, "1/h")],
    ),
    (
        "vapour pressure over a solution",
        [("p", "x*p0*exp(A-B/(T-C))")],
        [("T", "K", 300, 365), ("x", "1", 0.1, 1)],
        [("p", "kPa")],
        [("p0", 1, "kPa", _R), ("A", 16.4, "1"), ("B", 3900, "K"), ("C", 42, "K")],
    ),
    (
        "electrode kinetics",
        [("i", "i0*(exp(al*f*eta)-exp(-(1-al)*f*eta))")],
        [("eta", "V", 0.02, 0.14), ("i0", "mA/cm^2", 0.1, 2)],
        [("i", "mA/cm^2")],
        [("al", 0.43, "1"), ("f", 38.7, "1/V")],
    ),
    (
        "diode",
        [("I", "I0*(exp(V/(n*Vt))-1)")],
        [("V", "V", 0.3, 0.65), ("I0", "nA", 1, 20)],
        [("I", "nA")],
        [("n", 1.8, "1"), ("Vt", 0.0257, "V")],
    ),
    (
        "short solenoid",
        [("B", "mu*n*I/sqrt(1+(d/l)**2)")],
        [("n", "1/m", 120, 2800), ("I", "A", 0.1, 5), ("l", "cm", 5, 50)],
        [("B", "mT")],
        [("mu", 0.0012566, "mT*m/A"), ("d", 4.2, "cm")],
    ),
    (
        "heat transfer in a tube",
        [("Nu", "c*Re**0.8*Pr**0.4")],
        [("Re", "1", 1e4, 1e5), ("Pr", "1", 0.7, 10)],
        [("Nu", "1")],
        [("c", 0.023, "1")],
    ),
    (
        "heat through two layers",
        [("q", "(Th-Tc)/(d1/k1+d2/k2)")],
        [("Th", "K", 305, 400), ("d1", "mm", 1, 30), ("d2", "mm", 1, 30)],
        [("q", "mW/mm^2")],
        [("Tc", 291, "K"), ("k1", 0.83, "mW/mm/K"), ("k2", 0.041, "mW/mm/K")],
    ),
    (
        "flow stress of a metal",
        [("s", "(A+B*e**n)*(1+C*log(r/r0))*(1-((T-Tr)/(Tm-Tr))**m)")],
        [("e", "1", 0.01, 0.6), ("r", "1/s", 0.001, 900), ("T", "K", 310, 880)],
        [("s", "MPa")],
        [
            ("A", 340, "MPa"),
            ("B", 281, "MPa"),
            ("n", 0.34, "1"),
            ("C", 0.021, "1"),
            ("r0", 0.001, "1/s", _R),
            ("Tr", 298, "K", _R),
            ("Tm", 1790, "K"),
            ("m", 1.1, "1"),
        ],
    ),
    (
        "yield stress fluid",
        [("tau", "t0+K*(g/g0)**n*(1-phi/pm)**(-2)")],
        [("g", "1/s", 1, 300), ("phi", "1", 0.1, 0.4)],
        [("tau", "Pa")],
        [
            ("t0", 7.5, "Pa"),
            ("K", 2.1, "Pa"),
            ("g0", 1, "1/s", _R),
            ("n", 0.52, "1"),
            ("pm", 0.64, "1"),
        ],
    ),
    (
        "second order reaction",
        [("c", "c0/(1+k*c0*t)")],
        [("c0", "mol/L", 0.1, 4), ("t", "min", 1, 60)],
        [("c", "mol/L")],
        [("k", 0.058, "L/mol/min")],
    ),
    (
        "elimination of a dose",
        [("C", "D/V*exp(-k*t)")],
        [("D", "mg", 50, 500), ("t", "h", 0.5, 24)],
        [("C", "mg/L")],
        [("V", 31, "L"), ("k", 0.13, "1/h")],
    ),
    (
        "assimilation in light",
        [("A", "Am*(1-exp(-al*I/Am))-Rd")],
        [("I", "umol/m^2/s", 20, 1700), ("Am", "umol/m^2/s", 10, 30)],
        [("A", "umol/m^2/s")],
        [("al", 0.052, "1"), ("Rd", 1.3, "umol/m^2/s")],
    ),
    (
        "species of islands",
        [("S", "c*(A/A0)**z*exp(-d/d0)")],
        [("A", "km^2", 1, 900), ("d", "km", 1, 200)],
        [("S", "1")],
        [("c", 11, "1"), ("A0", 1, "km^2", _R), ("z", 0.26, "1"), ("d0", 140, "km")],
    ),
    (
        "events above a magnitude",
        [("N", "r0*exp(a-b*M)*t")],
        [("M", "1", 3, 6), ("t", "yr", 1, 30)],
        [("N", "1")],
        [("r0", 1, "1/yr", _R), ("a", 9.3, "1"), ("b", 2.2, "1")],
    ),
    (
        "response to contrast",
        [("d", "k*I**n/(I**n+s**n)")],
        [("I", "cd/m^2", 1, 450), ("s", "cd/m^2", 10, 100)],
        [("d", "1")],
        [("k", 31, "1"), ("n", 0.9, "1")],
    ),
    (
        "time to choose",
        [("RT", "a+b*log2(n+1)+k/c")],
        [("n", "1", [1, 2, 3, 4, 5, 6, 7, 8]), ("c", "1", 0.1, 0.9)],
        [("RT", "ms")],
        [("a", 170, "ms"), ("b", 145, "ms"), ("k", 23, "ms")],
    ),
    (
        "output of labour and capital",
        [("Y", "A*K**0.33*L**0.62")],
        [("K", "1", 10, 100), ("L", "1", 10, 100)],
        [("Y", "1")],
        [("A", 2.2, "1")],
    ),
    (
        "demand",
        [("Q", "Q0*(p/p0)**(-1.4)*(y/y0)**0.55")],
        [("p", "USD", 1, 10), ("y", "USD", 20000, 80000)],
        [("Q", "1")],
        [("Q0", 1150, "1"), ("p0", 1, "USD", _R), ("y0", 30000, "USD", _R)],
    ),
    (
        "charge of a capacitor",
        [("v", "V0*(1-exp(-t/tau))")],
        [("t", "s", 0.1, 9), ("V0", "V", 1, 12)],
        [("v", "V")],
        [("tau", 2.3, "s")],
    ),
    (
        "drag and gravity",
        [("v", "sqrt(2*m*g/(rho*A*cd))")],
        [("m", "kg", 0.1, 4), ("A", "m^2", 0.01, 0.4)],
        [("v", "m/s")],
        [("g", 9.81, "m/s^2", _R), ("rho", 1.2, "kg/m^3"), ("cd", 0.47, "1")],
    ),
    (
        "thin lens",
        [("b", "1/(1/f-1/g)")],
        [("f", "cm", 5, 12), ("g", "cm", 16, 90)],
        [("b", "cm")],
        [],
    ),
    (
        "saturated adsorption of two",
        [("q", "qm*K1*c1/(1+K1*c1+K2*c2)")],
        [("c1", "mmol/L", 0.1, 8), ("c2", "mmol/L", 0.1, 8)],
        [("q", "mmol/g")],
        [("qm", 1.9, "mmol/g"), ("K1", 0.72, "L/mmol"), ("K2", 0.31, "L/mmol")],
    ),
    (
        "damped swing",
        [("y", "A*exp(-g*t)*cos(w*t)+y0")],
        [("A", "cm", 2, 9), ("t", "s", 0, 4)],
        [("y", "cm")],
        [("g", 0.35, "1/s"), ("w", 2.6, "rad/s"), ("y0", 12, "cm")],
    ),
    (
        "settling of a sphere",
        [("w", "2*(rs-rf)*g*r**2/(9*eta)")],
        [("r", "m", 1e-5, 2e-4), ("rs", "kg/m^3", 1500, 4000)],
        [("w", "m/s")],
        [("rf", 998, "kg/m^3"), ("g", 9.81, "m/s^2", _R), ("eta", 0.0011, "Pa*s")],
    ),
    (
        "friction of a pipe",
        [("dp", "f*l/d*rho*v**2/2")],
        [("v", "m/s", 0.4, 4), ("d", "m", 0.02, 0.2), ("l", "m", 1, 80)],
        [("dp", "Pa")],
        [("f", 0.024, "1"), ("rho", 998, "kg/m^3")],
    ),
    (
        "magnification of a bundle",
        [("F", "F0*(1-a*exp(-x/x0)-b*exp(-y/y0))")],
        [("x", "mm", 0.5, 8), ("y", "mm", 0.5, 8)],
        [("F", "N")],
        [("F0", 42, "N"), ("a", 0.41, "1"), ("x0", 2.1, "mm"), ("b", 0.33, "1"), ("y0", 3.7, "mm")],
    ),
    (
        "two tracer decays",
        [("n", "a*exp(-k1*t)+b*d*exp(-k2*t)")],
        [("t", "h", 0, 30), ("d", "Bq", 5, 90)],
        [("n", "Bq")],
        [("a", 61, "Bq"), ("k1", 0.21, "1/h"), ("b", 1.3, "1"), ("k2", 0.034, "1/h")],
    ),
    (
        "resistance of a wire pair",
        [("R", "rho*l/A*(1+al*(T-T0))")],
        [("l", "m", 1, 40), ("T", "K", 250, 400)],
        [("R", "ohm")],
        [
            ("rho", 0.0172, "ohm*mm^2/m"),
            ("A", 0.75, "mm^2"),
            ("al", 0.0039, "1/K"),
            ("T0", 293, "K", _R),
        ],
    ),
)
"""(name, relations, controls, readouts, parameters); a control has two ends or a list of choices,
a parameter may end with its role."""


def relation_cards(parts: Builders) -> list[Card]:
    """A card of each law.

    Args:
        parts: the builders of cards that the tests use, by name.
    """
    return [_card(parts, number, *law) for number, law in enumerate(LAWS)]


def _card(
    parts: Builders,
    number: int,
    name: str,
    relations: Sequence[Row],
    controls: Sequence[Row],
    readouts: Sequence[Row],
    parameters: Sequence[Row],
) -> Card:
    made: Card = parts["card"](
        id=f"sample:{1000 + number}/r1",
        paper_id=f"sample:{1000 + number}",
        packet_id=f"sample:{1000 + number}v1/text/000000000000",
        title=name,
        relations=tuple(parts["relation"](*row) for row in relations),
        definitions=(),
        controls=tuple(_control(parts, *row) for row in controls),
        readouts=tuple(parts["readout"](*row) for row in readouts),
        parameters=tuple(
            parts["parameter"](row[0], float(row[1]), row[2], **_role(row)) for row in parameters
        ),
    )
    return made


def _control(parts: Builders, name: str, unit: str, *ends: Any) -> Any:
    if len(ends) == 1:
        made = parts["control"](name, unit, 0.0, 1.0)
        return made.model_copy(update={"domain": Choices(choices=tuple(map(float, ends[0])))})
    made = parts["control"](name, unit, 0.0, 1.0)
    return made.model_copy(update={"domain": Range(low=float(ends[0]), high=float(ends[1]))})


def _role(row: Row) -> dict[str, str]:
    return {"role": row[3]} if len(row) > 3 else {}


__all__ = ("LAWS", "relation_cards")
