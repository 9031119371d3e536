"""The shape of the package: few rooms, short files, shallow imports, names that mean one thing."""

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import tersely

ROOT = Path(tersely.__file__).parents[1]
MOST_FILES, LONGEST_FILE, DEEPEST_IMPORT = 154, 400, 12
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


# Pronouns, participles and the like say nothing about what a name holds.
EMPTY_NAMES = set(
    "found each own one given how kept said known done wanted asked what seen others named shown taken other made why "
    "where there held both none within here which once written some told same otherwise but whose any called near "
    "whole".split()
)
# One class for LangChain and one for Haystack: users of either know it by this name.
SHARED_CLASS_NAMES = {"TerselyCompressor"}


def _bound_names(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name


def test_names_say_what_they_hold() -> None:
    empty = {}
    for name, file in MODULES.items():
        bound = _bound_names(ast.parse(file.read_text(encoding="utf-8")))
        empty[name] = {bound_name for bound_name in bound if bound_name.strip("_").lower() in EMPTY_NAMES}
    assert {name: names for name, names in empty.items() if names} == {}


def test_a_class_name_is_used_once() -> None:
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in MODULES.values()]
    names = Counter(node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    assert {name for name, times in names.items() if times > 1} <= SHARED_CLASS_NAMES
