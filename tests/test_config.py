"""Settings: four layers, origins, and errors that name key and place."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from lawsmith.config import ENVIRONMENT, find_checkout, load_configuration
from lawsmith.eligibility.date_windows import day_span
from lawsmith.errors import InputError, PrerequisiteError
from lawsmith.settings import Settings

ROOT = Path(__file__).resolve().parents[1]


def _file(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    return path


def test_committed_defaults_are_the_built_in_ones(tmp_path: Path) -> None:
    committed = load_configuration(environ={}, checkout=ROOT).settings
    bare = Settings(home=ROOT / "data" / "store", data_root=ROOT / "data")
    assert committed == bare
    tomllib.loads((ROOT / "lawsmith.toml").read_text())


def test_defaults_ask_no_live_model_and_hold_no_cap() -> None:
    settings = load_configuration(environ={}, checkout=ROOT).settings
    assert settings.home == ROOT / "data" / "store"
    assert settings.models.extractor == settings.models.judge == "replay/sample"
    assert settings.caps.max_usd is None


def test_later_layers_win_and_say_so(tmp_path: Path) -> None:
    named = _file(
        tmp_path, '[models]\nextractor = "a/file"\nreviewer = "b/file"\nplayer = "c/file"\n'
    )
    found = load_configuration(
        environ={"LAWSMITH_REVIEWER": "b/environment", "LAWSMITH_PLAYER": "c/environment"},
        config_file=named,
        flags={"models.player": "c/flag", "caps.max_usd": None},
        checkout=ROOT,
    )
    models = found.settings.models
    assert (models.extractor, models.reviewer, models.player, models.judge) == (
        "a/file",
        "b/environment",
        "c/flag",
        "replay/sample",
    )
    origins = {key: origin for key, _, origin in found.rows()}
    assert origins["models.extractor"] == str(named)
    assert origins["models.reviewer"] == "environment LAWSMITH_REVIEWER"
    assert origins["models.player"] == "flag"
    assert origins["models.judge"] == str(ROOT / "lawsmith.toml")
    assert origins["caps.max_usd"] == "built in"


def test_a_file_can_be_named_by_the_environment(tmp_path: Path) -> None:
    named = _file(tmp_path, "[calls]\nconcurrency = 2\n")
    found = load_configuration(environ={"LAWSMITH_CONFIG": str(named)}, checkout=ROOT)
    assert found.settings.calls.concurrency == 2


def test_paths_in_a_file_are_relative_to_it(tmp_path: Path) -> None:
    found = load_configuration(
        environ={}, config_file=_file(tmp_path, 'home = "state"\n'), checkout=ROOT
    )
    assert found.settings.home == tmp_path / "state"


def test_numbers_in_the_environment_are_read(tmp_path: Path) -> None:
    found = load_configuration(
        environ={"LAWSMITH_MAX_USD": "5", "LAWSMITH_MAX_TOKENS": "1000", "LAWSMITH_HOME": ""},
        checkout=ROOT,
    )
    assert found.settings.caps.max_usd == 5.0
    assert found.settings.caps.max_tokens == 1000


def test_prices_are_by_model_string(tmp_path: Path) -> None:
    text = '[prices]\n"openai/my.model" = { input = 1.0, output = 4.0 }\n'
    found = load_configuration(environ={}, config_file=_file(tmp_path, text), checkout=ROOT)
    assert found.settings.prices["openai/my.model"].output == 4.0
    assert ("prices.openai/my.model", '{"input": 1.0, "output": 4.0}') in [
        row[:2] for row in found.rows()
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[models]\nextracter = 'x'\n", r"models\.extracter: .*mine\.toml.*models\.extractor"),
        ("cathegories = []\n", r"cathegories: no such setting"),
        ("[prices]\n'm' = { inputs = 1.0, output = 1.0 }\n", r"prices\.m\.input: .*mine\.toml"),
        ("[calls]\nconcurrency = 0\n", r"calls\.concurrency: 0: .*greater than or equal to 1"),
        ("[calls]\nconcurrency = '4'\n", r"calls\.concurrency: '4'"),
        ("[eligibility]\npolicy = 'all'\n", r"eligibility\.policy: 'all'"),
        ("[arxiv]\ndelay_seconds = 0.1\n", r"at least 3\.0"),
        ("[models]\napi_key = 'sk-1'\n", r"never from settings"),
        ("models = 3\n", "models: no such setting"),
        ("not toml", "not TOML"),
    ],
)
def test_a_fault_names_key_file_and_neighbour(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        load_configuration(environ={}, config_file=_file(tmp_path, text), checkout=ROOT)


def test_a_pasted_key_is_refused_and_not_shown(tmp_path: Path) -> None:
    named = _file(tmp_path, "[api_key_env]\nextractor = 'sk-very-secret'\n")
    with pytest.raises(InputError) as caught:
        load_configuration(environ={}, config_file=named, checkout=ROOT)
    assert "NAME of an environment variable" in str(caught.value)
    assert "very-secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("environ", "message"),
    [
        ({"LAWSMITH_EXTRACTR": "x"}, "LAWSMITH_EXTRACTR: no such variable.*LAWSMITH_EXTRACTOR"),
        ({"LAWSMITH_MAX_USD": "five"}, "LAWSMITH_MAX_USD: 'five' is not a number"),
        ({"LAWSMITH_MAX_USD": "-1"}, r"caps\.max_usd: -1.*environment LAWSMITH_MAX_USD"),
        ({"LAWSMITH_MAX_USD": "Infinity"}, r"caps\.max_usd: inf"),
    ],
)
def test_a_faulty_variable_is_named(environ: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        load_configuration(environ=environ, checkout=ROOT)


def test_a_named_file_must_exist(tmp_path: Path) -> None:
    with pytest.raises(PrerequisiteError, match=r"absent\.toml"):
        load_configuration(environ={}, config_file=tmp_path / "absent.toml", checkout=ROOT)


def test_a_loopback_server_may_be_asked_faster() -> None:
    environ = {"LAWSMITH_ARXIV_URL": "http://127.0.0.1:9/api", "LAWSMITH_ARXIV_DELAY": "0.01"}
    assert load_configuration(environ=environ, checkout=ROOT).settings.arxiv.delay_seconds == 0.01


def test_every_variable_leads_to_a_setting() -> None:
    keys = {key for key, _, _ in load_configuration(environ={}, checkout=ROOT).rows()}
    assert set(ENVIRONMENT.values()) <= keys


def test_outside_a_checkout_the_home_is_the_platforms(tmp_path: Path) -> None:
    assert find_checkout() == ROOT
    # A package that lies beside no pyproject.toml is an installed one.
    code = (
        "import sys; from pathlib import Path; import lawsmith.config as c;"
        "c.__file__ = str(Path(sys.argv[1]) / 'site' / 'lawsmith' / 'config.py');"
        "print(c.find_checkout(), c.load_configuration(environ={}).settings.home)"
    )
    out = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], check=True, capture_output=True, text=True
    ).stdout
    found, home = out.split()
    assert found == "None"
    assert home.endswith("lawsmith")


def test_players_have_a_cutoff_or_a_reason_for_none() -> None:
    listed = yaml.safe_load((ROOT / "data" / "players.yaml").read_text())["players"]
    names = [player["name"] for player in listed]
    assert len(names) == len(set(names)) >= 5
    for player in listed:
        assert set(player) == {"name", "cutoff", "source"}
        assert player["source"]
        if player["cutoff"] is not None:
            day_span(player["cutoff"])
