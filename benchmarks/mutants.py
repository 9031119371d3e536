"""Break important lines, one at a time, and see whether the tests notice.

The list is tests/mutants/mutants.toml. Each entry names a line, what to write in its place, and the tests that must
fail then. Lines and tests are found by their text, so that they may move; one that is gone or no longer unique is an
error, since a mutation that is not made proves nothing.
"""

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import TypeVar

ROOT = Path(__file__).parents[1]
LIST = ROOT / "tests" / "mutants" / "mutants.toml"
COPIED = ("pyproject.toml", "README.md", "benchmarks", "configs", "docs", "examples", "share", "src", "tests")
_T = TypeVar("_T")


class ListError(Exception):
    """The list does not agree with the tree; the message says where."""


@dataclass(frozen=True)
class Mutant:
    """One entry of the list; `file` is given where the line occurs in several files."""

    name: str
    old: str
    new: str
    tests: tuple[str, ...]
    file: str | None = None
    seconds: float = 300.0


@dataclass(frozen=True)
class Place:
    """Where a line is, counted from 0."""

    path: Path
    line: int

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT).as_posix()}:{self.line + 1}"


def read_list(path: Path = LIST) -> list[Mutant]:
    """Read the mutants."""
    entries = tomllib.loads(path.read_text(encoding="utf-8"))["mutant"]
    return [Mutant(**{**entry, "tests": tuple(entry["tests"])}) for entry in entries]


def find_line(mutant: Mutant) -> Place:
    """Find the one line that the mutant changes; how far it is indented does not matter."""
    paths = [ROOT / mutant.file] if mutant.file else sorted((ROOT / "src").rglob("*.py"))
    places = [
        Place(path, number)
        for path in paths
        if path.exists()
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"))
        if line.strip() == mutant.old
    ]
    return _only(places, mutant, "line", mutant.old)


def find_test(name: str, mutant: Mutant) -> str:
    """Find the one test of that name, as pytest takes it."""
    defined = re.compile(rf"^def {re.escape(name)}\(", re.MULTILINE)
    paths = sorted((ROOT / "tests").rglob("test_*.py"))
    found = [path for path in paths if defined.search(path.read_text(encoding="utf-8"))]
    return f"{_only(found, mutant, 'test', name).relative_to(ROOT).as_posix()}::{name}"


def _only(found: list[_T], mutant: Mutant, what: str, text: str) -> _T:
    if not found:
        raise ListError(f"{mutant.name}: the {what} is gone: update the list ({text})")
    if len(found) > 1:
        raise ListError(f"{mutant.name}: the {what} is there {len(found)} times: update the list ({text})")
    return found[0]


def mutated(source: str, line: int, new: str) -> str:
    """Return the source with another line, indented as the old one.

    >>> mutated("if a:\\n    b()\\n", 1, "pass")
    'if a:\\n    pass\\n'
    """
    lines = source.split("\n")
    indent = lines[line][: len(lines[line]) - len(lines[line].lstrip())]
    lines[line] = indent + new
    return "\n".join(lines)


def run_tests(tree: Path, tests: Iterable[str], seconds: float = 1200.0) -> str:
    """Run tests in a copy of the tree, and say what came of it."""
    options = ["-q", "-x", "-p", "no:cacheprovider", "--hypothesis-profile", "unshrunk"]
    command = [sys.executable, "-m", "pytest", *options, *tests]
    env = {**os.environ, "PYTHONPATH": str(tree / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    # Interrupted first when it hangs, so that tests clean up after themselves; a background job may ignore that.
    with subprocess.Popen(command, cwd=tree, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        try:
            output, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            try:
                process.communicate(timeout=30)
            except subprocess.TimeoutExpired:
                process.kill()
            return "killed"
    outcome = {0: "survived", 1: "killed"}.get(process.returncode)
    if outcome is None:
        raise ListError(f"pytest ended with {process.returncode}:\n{output.decode()[-3000:]}")
    return outcome


def main() -> None:
    """Print what becomes of every mutant; exit with 1 if one survives, with 2 if the list is out of date."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("words", nargs="*", help="only mutants whose name has one of these in it")
    words = parser.parse_args().words
    try:
        chosen = [mutant for mutant in read_list() if not words or any(word in mutant.name for word in words)]
        plan = [(mutant, find_line(mutant), [find_test(name, mutant) for name in mutant.tests]) for mutant in chosen]
        with TemporaryDirectory(prefix="mutants-") as folder:
            survivors = _try_all(plan, Path(folder))
    except ListError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    print(f"{len(plan) - len(survivors)} killed, {len(survivors)} survived")
    sys.exit(bool(survivors))


def _try_all(plan: list[tuple[Mutant, Place, list[str]]], tree: Path) -> list[Mutant]:
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(ROOT / name, tree / name)
    every = sorted({test for _, _, tests in plan for test in tests})
    if run_tests(tree, every) != "survived":
        raise ListError("the tests fail without any mutation: make them pass first")
    survivors = []
    for mutant, place, tests in plan:
        file = tree / place.path.relative_to(ROOT)
        source = file.read_text(encoding="utf-8")
        started = monotonic()
        file.write_text(mutated(source, place.line, mutant.new), encoding="utf-8")
        try:
            outcome = run_tests(tree, tests, mutant.seconds)
        finally:
            file.write_text(source, encoding="utf-8")
        print(f"{outcome:<8}  {monotonic() - started:5.1f} s  {place!s:<48}  {mutant.name}", flush=True)
        if outcome == "survived":
            survivors.append(mutant)
    return survivors


if __name__ == "__main__":
    main()
