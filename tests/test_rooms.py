"""The inner walls: what import-linter cannot say about rooms, faces and sizes of folders."""

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[1]
TOPS: Final = ("schemas", "lawsmith", "assets", "pipelines")

# Their modules are imported as modules: one a stage, one a record, one an asset, one a command.
OPEN_ROOMS: Final = frozenset(
    {"schemas", "lawsmith", "lawsmith.stages", "lawsmith.cli", "assets", "pipelines"}
)

MOST_MODULES: Final = 22
# Folders that are larger today, with what they hold; they may shrink, and then leave this list.
LARGER_FOLDERS: Final = {"lawsmith/stages": 31, "schemas": 24}


def _modules() -> dict[str, Path]:
    """Name of a module -> its file, of all that the wheel holds."""
    modules = {}
    for top in TOPS:
        for path in sorted((ROOT / top).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            modules[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return modules


MODULES: Final = _modules()
ROOMS: Final = frozenset(name for name, path in MODULES.items() if path.name == "__init__.py")


@cache
def _tree(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_text())


def _imported(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and name of every module that is imported, also inside functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield node.lineno, whole if whole in MODULES else node.module


def _offered() -> list[tuple[str, str, str]]:
    """Room, module and name of everything that a face offers; no module where it is one itself."""
    offered = []
    for room in sorted(ROOMS):
        stub = MODULES[room].with_suffix(".pyi")
        if not stub.is_file():
            continue
        for node in ast.parse(stub.read_text()).body:
            assert isinstance(node, ast.ImportFrom), f"{stub}: a face holds nothing but imports"
            assert node.level == 1, f"{stub}: a face offers names of its own room alone"
            module = f"{room}.{node.module}" if node.module else ""
            offered += [(room, module, alias.name) for alias in node.names]
    return offered


OFFERED: Final = _offered()
OFFERED_MODULES: Final = frozenset(f"{room}.{name}" for room, module, name in OFFERED if not module)


def _faults(importer: str, tree: ast.AST) -> list[str]:
    """Imports that pass by the face of a room in which `importer` does not stand."""
    faults = []
    for line, name in _imported(tree):
        room = name.rpartition(".")[0]
        if name not in MODULES or name in ROOMS | OFFERED_MODULES or room in OPEN_ROOMS:
            continue
        if importer != room and not importer.startswith(f"{room}."):
            faults.append(f"{importer}:{line} imports {name}: import it from {room}")
    return faults


def test_rooms_import_only_the_faces_of_other_rooms() -> None:
    faults = [f for name in MODULES for f in _faults(name, _tree(name))]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(
    ("importer", "source", "count"),
    [
        (
            "lawsmith.stages.cards",
            "from lawsmith.curation.evidence.quantities import numbers_in",
            1,
        ),
        ("lawsmith.stages.cards", "from lawsmith.curation.evidence import quantities", 1),
        ("lawsmith.stages.cards", "import lawsmith.curation.evidence.quantities", 1),
        ("lawsmith.stages.cards", "def f():\n    import lawsmith.curation.evidence.quantities", 1),
        ("lawsmith.stages.cards", "from lawsmith.curation.evidence import numbers_in", 0),
        ("lawsmith.stages.cards", "from lawsmith.stages import packets", 0),
        ("lawsmith.stages.cards", "from lawsmith.runs import row_history", 0),
        ("lawsmith.stages.cards", "from lawsmith.runs.row_history import keep", 0),
        ("lawsmith.curation.evidence.anchoring", "import lawsmith.curation.evidence.quantities", 0),
        ("lawsmith.curation.admission.gates", "import lawsmith.curation.evidence.quantities", 1),
    ],
)
def test_an_import_past_a_face_is_seen(importer: str, source: str, count: int) -> None:
    assert len(_faults(importer, ast.parse(source))) == count


def _defined(module: str) -> set[str]:
    """Names that a module gives a value or imports."""
    names = set()
    for node in ast.walk(_tree(module)):
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.ImportFrom | ast.Import):
            names |= {alias.asname or alias.name for alias in node.names}
    return names


def test_every_face_offers_each_name_once_and_what_its_modules_hold() -> None:
    strangers = [
        f"{module or room} has no {name}"
        for room, module, name in OFFERED
        if not (name in _defined(module) if module else f"{room}.{name}" in MODULES)
    ]
    twice = [name for name, times in Counter((r, n) for r, _, n in OFFERED).items() if times > 1]
    hidden = {f"{room}.{name}" for room, module, name in OFFERED if module} & MODULES.keys()
    assert (strangers, twice, hidden) == ([], [], set())


def test_no_room_is_too_large_to_read() -> None:
    sizes: dict[str, int] = {}
    for path in MODULES.values():
        folder = str(path.parent.relative_to(ROOT))
        sizes[folder] = sizes.get(folder, 0) + (path.name != "__init__.py")
    larger = {folder: size for folder, size in sizes.items() if size > MOST_MODULES}
    assert larger.keys() == LARGER_FOLDERS.keys()
    assert all(size <= LARGER_FOLDERS[folder] for folder, size in larger.items()), larger


def test_schemas_import_pydantic_and_the_standard_library_alone() -> None:
    allowed = sys.stdlib_module_names | {"schemas", "pydantic"}
    faults = [
        f"{module}:{line} imports {name}"
        for module in MODULES
        if module.split(".")[0] == "schemas"
        for line, name in _imported(_tree(module))
        if name.split(".")[0] not in allowed
    ]
    assert not faults, "\n".join(faults)


def test_sympy_is_loaded_in_the_module_of_symbolic_forms_alone() -> None:
    """It is loaded by its name where somebody asks for it, which import-linter does not see."""
    loaders = {
        module
        for module in MODULES
        for node in ast.walk(_tree(module))
        if isinstance(node, ast.Call)
        and any(isinstance(a, ast.Constant) and a.value == "sympy" for a in node.args)
    }
    importers = {
        module
        for module in MODULES
        if any(name.split(".")[0] == "sympy" for _, name in _imported(_tree(module)))
    }
    assert loaders | importers == {"lawsmith.expressions.symbolic"}
