"""Known laws: the bundled textbook file loads, and forms are found under other names."""

from pathlib import Path
from typing import Any

import pytest

from lawsmith.curation.admission.known_laws import (
    CandidateLaw,
    KnownLaw,
    KnownRelation,
    restated_by,
    textbook_laws,
)
from lawsmith.errors import InputError
from lawsmith.expressions import parse_infix, same_form
from schemas.card import Control, Range
from schemas.expression import Var, substitute

BOOK = Path(__file__).resolve().parents[3] / "data" / "textbook_laws.jsonl"


def _control(name: str, unit: str, low: float = 0.5, high: float = 2.0) -> Control:
    return Control(
        name=name,
        symbol=name,
        meaning=name,
        unit=unit,
        domain=Range(low=low, high=high),
        inert=False,
        anchors=(),
    )


def _ids(text: str, unit: str, *controls: Control) -> list[str]:
    law = CandidateLaw(parse_infix(text), unit)
    return [known.id for known in restated_by([law], controls, textbook_laws(BOOK))]


def test_the_bundled_file_loads() -> None:
    laws = textbook_laws(BOOK)
    assert len({law.id for law in laws}) == len(laws) > 50


def test_a_textbook_law_is_found_under_other_names_and_units() -> None:
    found = _ids("0.0821*load*len^3", "mm", _control("load", "kN"), _control("len", "cm"))
    assert "cantilever_deflection" in found


def test_another_exponent_is_another_law() -> None:
    found = _ids("0.0821*load*len^2.6", "mm", _control("load", "kN"), _control("len", "cm"))
    assert "cantilever_deflection" not in found


def test_a_fitted_relation_of_its_own_is_not_in_the_book() -> None:
    text = "(0.41 + 0.87*v^0.62)*D/(D + 2.45)"
    assert _ids(text, "kg/(m^2*h)", _control("v", "m/s"), _control("D", "kPa")) == []


def test_all_laws_of_a_case_must_be_known() -> None:
    spring = KnownRelation(
        "N", parse_infix("k*x"), {"k": "N/m", "x": "m"}, settable=frozenset({"x"})
    )
    known = [KnownLaw("spring", "historical", (spring,))]
    force = CandidateLaw(parse_infix("3.1*y"), "N")
    energy = CandidateLaw(parse_infix("1.55*y^2 + 0.1*y^3"), "J")
    control = [_control("y", "m")]
    assert [law.id for law in restated_by([force], control, known)] == ["spring"]
    assert restated_by([force, energy], control, known) == ()
    assert restated_by([], control, known) == ()


@pytest.mark.parametrize(
    "line",
    [
        "{",
        '{"id": "x"}',
        '{"id": "x", "readout": "y", "expression": "a*b", "units": {"y": "m", "a": "m"}}',
    ],
)
def test_a_loose_row_names_its_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "laws.jsonl"
    path.write_text(f"\n{line}\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"laws\.jsonl:2"):
        textbook_laws(path)


def test_one_form_under_many_names_is_searched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    searched = 0

    def counted(*given: Any) -> Any:
        nonlocal searched
        searched += 1
        return same_form(*given)

    monkeypatch.setattr("lawsmith.curation.admission.known_laws.same_form", counted)

    def spring(number: int, law: str) -> KnownLaw:
        text, units = parse_infix(law), {"k": "N/m", "x": "m", "a": "N"}
        names: dict[str, Any] = {name: Var(f"{name}_{number}") for name in units}
        relation = KnownRelation(
            "N",
            substitute(text, names),
            {f"{name}_{number}": unit for name, unit in units.items()},
            settable=frozenset({f"x_{number}"}),
        )
        return KnownLaw(f"law {number}", "family", (relation,))

    built = [spring(n, "k*x" if n % 2 else "k*x + a*sin(x)") for n in range(60)]
    law = CandidateLaw(parse_infix("3.1*y"), "N")
    found = restated_by([law], [_control("y", "m")], built)
    assert [one.id for one in found] == [f"law {n}" for n in range(1, 60, 2)]
    assert searched == 1
