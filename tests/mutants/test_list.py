"""The list of mutants agrees with the tree: each line and each test is there, once."""

import ast
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("mutants_runner", ROOT / "benchmarks" / "mutants.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


runner = load()
MUTANTS = runner.read_list()


# By the exact text of source lines: a rename need not stop a change, but the list must be true when mutants are run.
@pytest.mark.soak
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_every_mutant_can_be_made(mutant: "runner.Mutant") -> None:
    place = runner.find_line(mutant)
    source = place.path.read_text(encoding="utf-8")
    changed = runner.mutated(source, place.line, mutant.new)
    assert ast.dump(ast.parse(changed)) != ast.dump(ast.parse(source))
    assert [runner.find_test(name, mutant) for name in mutant.tests]


def test_the_list_can_be_read_and_names_are_unique() -> None:
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS) >= 25


def test_a_line_or_a_test_that_is_gone_is_said_aloud() -> None:
    gone = runner.Mutant("example", "no such line()", "pass", ("test_no_such_test",))
    with pytest.raises(runner.ListError, match="example: the line is gone: update the list"):
        runner.find_line(gone)
    with pytest.raises(runner.ListError, match="example: the test is gone: update the list"):
        runner.find_test("test_no_such_test", gone)
    twice = runner.Mutant("example", "import numpy as np", "pass", ())
    with pytest.raises(runner.ListError, match="times: update the list"):
        runner.find_line(twice)
