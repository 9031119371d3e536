"""The measured rows are whole, explained, and what the pages show."""

import csv
import importlib.util
import re
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
FILES = sorted((ROOT / "results").glob("*.csv"))
# The columns that tell the rows of a file apart.
KEYS = {
    "choice": ("set", "values", "seed", "selection"),
    "controls": ("set", "values", "selection"),
    "experiments": ("group", "experiment", "seed"),
    "knapsack": ("method", "labels", "problems"),
    "knapsack-course": ("network", "samples"),
    "length-control": ("study", "set", "row", "without", "seeds", "budget"),
    "other-methods": ("system",),
    "position-bias": ("set",),
    "pretraining": ("language", "labels", "pretraining", "seed"),
    "questions": ("questions", "budget", "system"),
    "reading": ("budget", "system"),
    "rouge": ("set", "budget", "system"),
    "siamese": ("language", "row", "seed"),
    "siamese-course": ("language", "row", "seed", "step"),
    "siamese-documents": ("set", "selector", "row", "seed"),
    "splitters": ("cases",),
    "tables": ("set", "budget", "system", "seed"),
}


@pytest.fixture(scope="module")
def pages() -> ModuleType:
    """The script that writes tables into pages."""
    spec = importlib.util.spec_from_file_location("pages", ROOT / "benchmarks" / "pages.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_row_is_there_once(file: Path) -> None:
    with file.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    counts = Counter(tuple(row[column] for column in KEYS[file.stem]) for row in rows)
    assert [key for key, count in counts.items() if count > 1] == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_column_is_explained(file: Path) -> None:
    page = (ROOT / "results" / "README.md").read_text(encoding="utf-8")
    sections = [part for part in page.split("\n## ") if f"`{file.name}`" in part.partition("\n")[0]]
    explained = {name for section in sections for name in re.findall(r"`([a-z0-9_]+)`", section)}
    with file.open(encoding="utf-8", newline="") as stream:
        assert set(next(csv.reader(stream))) - explained == set()


@pytest.mark.parametrize("name", ["results", "tables", "siamese", "editor"])
def test_the_tables_of_a_page_are_those_of_the_rows(name: str, pages: ModuleType) -> None:
    page = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    assert pages.MARK.search(page)
    assert pages.filled(page) == page


@pytest.mark.parametrize("name", ["results", "tables", "siamese", "experiments"])
def test_a_page_of_results_is_a_digest(name: str) -> None:
    lines = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8").splitlines()
    assert sum(len(line.split()) for line in lines if not line.startswith("|")) <= 1000


def test_a_row_replaces_the_one_with_the_same_key_and_keeps_the_others(tmp_path: Path, pages: ModuleType) -> None:
    first = [{"set": "a", "system": "lead", "r1": "1"}, {"set": "a", "system": "news", "r1": "2"}]
    pages.update_rows("rows.csv", ("set", "system"), first, tmp_path)
    fresh = [{"set": "a", "system": "news", "r1": "3"}, {"set": "b", "system": "news", "r1": "4"}]
    pages.update_rows("rows.csv", ("set", "system"), fresh, tmp_path)
    assert pages.read_rows("rows.csv", tmp_path) == [first[0], *fresh]
