"""The galleries: whole pages, nothing from outside, the same bytes; public ones tell no law."""

import re
import subprocess
import sys
from collections.abc import Mapping
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from lawsmith.expressions import evaluate, number_text, to_infix
from lawsmith.measurement.constraints import feasible
from lawsmith.mutation.laws.relation_sets import folded
from lawsmith.release.assembly import Assembly, assemble
from lawsmith.release.leaks import sealed_names
from lawsmith.release.pages.axes import Axis, axis_of_values, tick_text
from lawsmith.release.pages.gallery import PER_INDEX, public_pages, sealed_pages
from lawsmith.release.pages.mathml import decimal_parts
from lawsmith.release.pages.slices import POINTS, slices_of
from lawsmith.release.pages.wording import QUESTIONS, unit_html
from lawsmith.release.tasks import ENVIRONMENTS, printed_laws
from schemas.expression import Expression, walk
from schemas.family import Family
from schemas.record import CANARY

ROOT = Path(__file__).resolve().parents[3]
VOID = {"meta", "link", "br", "hr", "img", "input"}
LARGEST = 300_000


class Page(HTMLParser):
    """A page read strictly: every element is closed, in order; texts and attributes kept."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs), (tag, attrs)
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag, tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def public_of(assembly: Assembly) -> dict[str, str]:
    return dict(public_pages(assembly.content, assembly.tasks, assembly.fixed_by_task))


@pytest.fixture(scope="module", params=["historical_content", "temporal_content"])
def assembly(request: pytest.FixtureRequest, samples: ModuleType) -> Assembly:
    return assemble(getattr(samples, request.param)())


@pytest.fixture(scope="module")
def public(assembly: Assembly) -> dict[str, str]:
    return public_of(assembly)


@pytest.fixture(scope="module")
def sealed(assembly: Assembly) -> dict[str, str]:
    return dict(sealed_pages(assembly.content, assembly.keys))


def test_pages_are_whole_and_stand_alone(
    public: Mapping[str, str], sealed: Mapping[str, str]
) -> None:
    for pages in (public, sealed):
        for name, text in pages.items():
            page = Page(text)
            assert CANARY in text
            assert len(text.encode()) < LARGEST, name
            outside = text.replace("http://www.w3.org/", "")
            assert not re.search(r"https?:|(?<!:)//|@import|url\(|javascript:", outside), name
            for tag, attrs in page.tags:
                assert tag not in ("script", "link", "iframe", "img", "object"), (name, tag)
                assert not any(key.startswith("on") or key == "src" for key in attrs), (name, tag)
                if tag == "a":
                    assert attrs["href"] in pages, (name, attrs)


def test_pages_can_be_read_by_everyone(
    public: Mapping[str, str], sealed: Mapping[str, str]
) -> None:
    for name, text in {**public, **{f"sealed {k}": v for k, v in sealed.items()}}.items():
        page = Page(text)
        tags = [tag for tag, _ in page.tags]
        assert tags.count("h1") == 1, name
        assert tags.count("table") == tags.count("thead"), name
        assert ("html", {"lang": "en"}) in page.tags, name
        for tag, attrs in page.tags:
            if tag == "svg":
                assert attrs.get("aria-label") or attrs.get("aria-hidden") == "true", name
            if tag == "th":
                assert attrs.get("scope") in ("row", "col"), name
        assert "prefers-color-scheme: dark" in text
        assert "@media print" in text


def test_no_public_page_holds_a_law(assembly: Assembly, public: Mapping[str, str]) -> None:
    everything = " ".join(public.values())
    assert "<math" in everything
    for key in assembly.keys:
        for law in key.laws:
            assert to_infix(law.expression) not in everything
            assert to_infix(folded(law.expression)) not in everything
    for task in assembly.tasks:
        for formula in () if task.blend is None else task.blend.formulas.values():
            assert formula not in everything
    for word in ("counterfactual", "mutation", "certificate"):
        assert word not in everything.lower()
    for family in assembly.content.families:
        card = next(c for c in assembly.content.cards if c.id == family.card_id)
        paper = next((p for p in assembly.content.papers if p.paper_id == family.paper_id), None)
        for kind, name in sealed_names(family, card, paper).items():
            assert name.lower() not in everything.lower(), kind


def constants(family: Family) -> set[float]:
    laws: list[Expression] = [
        law.expression for name in ENVIRONMENTS for law in printed_laws(family, name)
    ]
    found = {abs(node) for law in laws for _, node in walk(law) if isinstance(node, float)}
    for rules in (family.original, family.counterfactual):
        found |= {abs(parameter.value) for parameter in rules.parameters}
    return {value for value in found if value > 12 or value != int(value)}


def test_no_public_page_holds_a_sealed_constant(
    assembly: Assembly, public: Mapping[str, str]
) -> None:
    for family in assembly.content.families:
        tasks = [key.id for key in assembly.keys if key.family_id == family.id]
        for identity in tasks:
            task = next(task for task in assembly.tasks if task.id == identity)
            page = Page(public[f"{identity}.html"])
            shown = set(re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w.])", page.text))
            known = task.to_json() + " ".join(map(str, assembly.fixed))
            charts = {tick for tick in shown if re.search(rf">{re.escape(tick)}</text>", page.text)}
            for value in constants(family):
                for text in (number_text(value), decimal_parts(value)[0]):
                    if re.search(rf"(?<![\w.]){re.escape(text)}(?![\w.])", known):
                        continue
                    assert text not in shown - charts, (identity, text)


def test_a_task_page_shows_its_own_observations_alone(
    assembly: Assembly, public: Mapping[str, str]
) -> None:
    ids = {task.id for task in assembly.tasks}
    for task in assembly.tasks:
        text = Page(public[f"{task.id}.html"]).text
        assert not [other for other in ids - {task.id} if other in text]
        for row in assembly.fixed:
            if row.task_id == task.id:
                assert all(number_text(value) in text for value in row.outputs)
        assert task.setting in text
        assert task.world in text
    index = Page(public["index.html"]).text
    assert all(task.id in index for task in assembly.tasks)


def test_the_index_tells_tasks_apart_by_public_facts_alone(
    assembly: Assembly, public: Mapping[str, str]
) -> None:
    """Within a case tasks stand by id, so order and picture are the same for any environment."""
    index = public["index.html"]
    places = [index.index(f'href="{task.id}.html"') for task in assembly.tasks]
    assert places == sorted(places)


def test_a_long_index_is_cut_into_parts(samples: ModuleType) -> None:
    made = assemble(samples.historical_content())
    tasks, fixed = [], {}
    for number in range(2 * PER_INDEX + 1):
        task = made.tasks[0]
        identity = f"t-{number:016x}"
        tasks.append(samples.evolve(task, id=identity, background=f"{task.background} {number}"))
        fixed[identity] = [row for row in made.fixed if row.task_id == task.id]
    pages = dict(public_pages(made.content, tasks, fixed))
    parts = [name for name in pages if name.startswith("index")]
    assert parts == ["index.html", "index-2.html", "index-3.html"]
    for name in parts:
        links = {attrs["href"] for tag, attrs in Page(pages[name]).tags if tag == "a"}
        assert links >= set(parts) - {name}
        assert len(pages[name].encode()) < LARGEST
    assert all(sum(f'href="{task.id}.html"' in pages[n] for n in parts) == 1 for task in tasks)


def test_a_family_page_shows_all_that_was_made(
    assembly: Assembly, sealed: Mapping[str, str]
) -> None:
    families = sorted(assembly.content.families, key=lambda family: family.id)
    for number, family in enumerate(families, start=1):
        page = Page(sealed[f"family-{number:04d}.html"])
        text = page.text
        for certificate in family.certificates:
            assert QUESTIONS[certificate.number] in text
            for value in certificate.figures.values():
                assert any(attrs.get("title") == str(value) for _, attrs in page.tags)
        for name in ENVIRONMENTS:
            for law in printed_laws(family, name):
                assert f"{law.readout} = {to_infix(law.expression)}" in text
        charts = [attrs for _, attrs in page.tags if attrs.get("class") == "chart"]
        assert len(charts) == len(family.controls) * len(family.readouts)
        for key in assembly.keys:
            assert (key.id in text) == (key.family_id == family.id)
        for line in family.background.split("\n"):
            for words in re.split(r"`|^- ", line):
                assert " ".join(words.split()) in text


def test_slices_are_what_evaluate_gives(assembly: Assembly) -> None:
    for family in assembly.content.families:
        laws = {name: printed_laws(family, name) for name in ENVIRONMENTS}
        found = slices_of(family, laws)
        assert [one.axis for one in found] == list(range(len(family.controls)))
        for one in found:
            assert one.inputs.shape == (POINTS, len(family.controls))
            allowed = feasible(family.controls, family.constraints, one.inputs)
            assert allowed.mean() > 0.5
            along = one.inputs[:, one.axis]
            assert (np.diff(along) > 0).all()
            domain = family.controls[one.axis].domain
            assert (along[0], along[-1]) == (domain.low, domain.high)  # type: ignore[union-attr]
            for name in ENVIRONMENTS:
                for index, law in enumerate(laws[name]):
                    for row, value in zip(one.inputs, one.values[name][:, index], strict=True):
                        inputs = {
                            control.name: float(x)
                            for control, x in zip(family.controls, row, strict=True)
                        }
                        assert value == pytest.approx(evaluate(law.expression, inputs), rel=1e-14)


def test_drawn_points_are_the_values(assembly: Assembly, sealed: Mapping[str, str]) -> None:
    """The first curve's coordinates, turned back through the axes, are the law's values."""
    family = min(assembly.content.families, key=lambda item: item.id)
    laws = {name: printed_laws(family, name) for name in ENVIRONMENTS}
    one = slices_of(family, laws)[0]
    both = np.concatenate([one.values[name][:, 0] for name in ENVIRONMENTS])
    y = axis_of_values(both.tolist())
    text = sealed["family-0001.html"]
    chart = text[text.index('<svg class="chart"') :]
    found = re.search(r'class="curve original" d="M([^"]+)"', chart)
    assert found is not None
    heights = [float(pair.split()[1]) for pair in found.group(1).split("L")]
    (floor,) = set(re.findall(r'<path class="axis" d="M[\d.]+ ([\d.]+)H', chart[:4000]))
    places = [(float(floor) - height) / (float(floor) - 8) for height in heights]
    expected = [y.place(value) for value in one.values["original"][:, 0].tolist()]
    assert places == pytest.approx(expected, abs=1e-3)


def test_the_same_bytes_twice(assembly: Assembly, sealed: Mapping[str, str]) -> None:
    assert sealed_pages(assembly.content, assembly.keys) == sealed


SCRIPT = """
import hashlib, sys
sys.path.insert(0, {folder!r})
import samples
from lawsmith.release.assembly import assemble
from lawsmith.release.pages.gallery import PER_INDEX, public_pages, sealed_pages
made = assemble(samples.historical_content())
fixed = {{t.id: [r for r in made.fixed if r.task_id == t.id] for t in made.tasks}}
pages = {{**public_pages(made.content, made.tasks, fixed),
          **{{"s" + k: v for k, v in sealed_pages(made.content, made.keys).items()}}}}
print(hashlib.sha256(repr(sorted(pages.items())).encode()).hexdigest())
"""


def test_the_same_bytes_under_another_hash_seed(samples: ModuleType) -> None:
    def run(seed: str) -> str:
        script = SCRIPT.format(folder=str(ROOT / "tests" / "release"))
        done = subprocess.run(
            [sys.executable, "-c", script],
            env=samples.environment_with_seed(seed),
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
        )
        return done.stdout

    assert run("1") == run("2")


@pytest.mark.parametrize(
    ("values", "low", "logarithmic"),
    [([0.0, 5.0], 0.0, False), ([1.0, 100.0], None, True), ([-3.0, 4.0], None, False)],
)
def test_axes_hold_their_values(values: list[float], low: float | None, logarithmic: bool) -> None:
    axis = axis_of_values(values)
    assert axis.logarithmic == logarithmic
    assert axis.low <= min(values)
    assert axis.high >= max(values)
    assert low is None or axis.low == low
    assert len(axis.ticks()) >= 2
    assert axis.ticks() == sorted(axis.ticks())


@pytest.mark.parametrize("values", [[], [2.0], [0.0, 0.0], [-1e-12, 1e-12], [1e-9, 1e9]])
def test_axes_of_odd_values_have_an_extent(values: list[float]) -> None:
    axis = axis_of_values(values)
    assert axis.low < axis.high
    assert axis.ticks()


@pytest.mark.parametrize(("low", "high"), [(0.2, 8.0), (1.0, 1.05e6), (3.1, 3.4), (1e-5, 2e-4)])
def test_ticks_stay_inside_and_few(low: float, high: float) -> None:
    for logarithmic in (False, True):
        ticks = Axis(low, high, logarithmic).ticks(most=7)
        assert 2 <= len(ticks) <= 8
        assert all(low * (1 - 1e-9) <= tick <= high * (1 + 1e-9) for tick in ticks)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.25, "0.25"), (-3.0, "−3"), (2e-5, "2×10⁻⁵"), (1e-6, "10⁻⁶"), (5e6, "5×10⁶"), (0.0, "0")],
)
def test_ticks_read_well(value: float, text: str) -> None:
    assert tick_text(value) == text


@pytest.mark.parametrize(
    ("unit", "html"),
    [
        ("kg/(m^2*h)", "kg/(m<sup>2</sup>·h)"),
        ("AU^3/M_sun/yr^2", "AU<sup>3</sup>/M<sub>sun</sub>/yr<sup>2</sup>"),
        ("s^-1", "s<sup>−1</sup>"),
        ("", "1"),
        ("<m>", "&lt;m&gt;"),
    ],
)
def test_units_read_well(unit: str, html: str) -> None:
    assert unit_html(unit) == html
