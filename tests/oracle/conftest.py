"""Real releases of two small families, written once for all tests of this folder."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest


def load_samples() -> ModuleType:
    """The module of sample cases beside this file; test folders are no packages."""
    name = "lawsmith_release_samples"
    if name not in sys.modules:
        path = Path(__file__).resolve().parents[1] / "release" / "samples.py"
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]


@pytest.fixture(scope="session")
def samples() -> ModuleType:
    return load_samples()


@pytest.fixture(scope="session")
def historical_release(samples: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    from lawsmith.release.bundle import write_release

    root = tmp_path_factory.mktemp("historical")
    return write_release(root, samples.historical_content(), samples.NOW, "test").path


@pytest.fixture(scope="session")
def temporal_release(samples: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    from lawsmith.release.bundle import write_release

    root = tmp_path_factory.mktemp("temporal")
    return write_release(root, samples.temporal_content(), samples.NOW, "test").path
