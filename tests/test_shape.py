"""The shape of the package: few rooms, short files, shallow imports, names that mean one thing."""

import ast
import re
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path

import tersely

ROOT = Path(tersely.__file__).parents[1]
MOST_FILES, LONGEST_FILE, DEEPEST_IMPORT = 157, 400, 13
# A command has the name of what it runs, and the paper calls scorers, selectors and networks by one name.
SHARED_MODULE_NAMES = set("__main__ batch coverage evaluate reproduce serve summarize".split())


def _name(file: Path) -> str:
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {_name(file): file for file in sorted((ROOT / "tersely").rglob("*.py"))}


def _imports(name: str) -> set[str]:
    """Return the modules of the package that a module imports when it is imported."""
    found: set[str] = set()
    for node in ast.parse(MODULES[name].read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names} & MODULES.keys()
        elif isinstance(node, ast.ImportFrom) and node.module in MODULES:
            within = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= within & MODULES.keys() or {node.module}
    return found


@cache
def _depth(name: str) -> int:
    return 1 + max(map(_depth, _imports(name)), default=0)


def test_there_are_few_files() -> None:
    assert len(MODULES) <= MOST_FILES


def test_every_file_reads_in_one_sitting() -> None:
    lengths = {name: len(file.read_text(encoding="utf-8").splitlines()) for name, file in MODULES.items()}
    assert {name: length for name, length in lengths.items() if length > LONGEST_FILE} == {}


def test_imports_are_shallow() -> None:
    assert {name: _depth(name) for name in MODULES if _depth(name) > DEEPEST_IMPORT} == {}


def test_a_module_name_is_used_once() -> None:
    names = Counter(file.stem for file in MODULES.values() if file.stem != "__init__")
    assert {name for name, times in names.items() if times > 1} <= SHARED_MODULE_NAMES


def test_the_guide_for_contributors_shows_the_layers() -> None:
    project = tomllib.loads((ROOT.parent / "pyproject.toml").read_text(encoding="utf-8"))
    layers = project["tool"]["importlinter"]["contracts"][0]["layers"]
    guide = (ROOT.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
    drawn = re.findall(r"^    ([a-z| ]+)$", guide.partition("imports only what is below it")[2], re.MULTILINE)
    assert drawn == [layer.replace("tersely.", "") for layer in layers]
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", guide, re.MULTILINE)
    explained = {name for row in rows for name in re.findall(r"\w+", row)} | {"summarizer", "errors"}
    assert {name for layer in drawn for name in layer.split(" | ")} <= explained
