"""Print a constraints file that holds every requirement of pyproject.toml at its lower bound."""

import re
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"


def lower_bounds(requirements: Iterable[str]) -> list[str]:
    """Return `name==version` for each requirement; two different bounds for one package are an error.

    >>> lower_bounds(["ray[data]>=2.40", "numpy>=1.26", "numpy>=1.26"])
    ['numpy==1.26', 'ray==2.40']
    """
    found: dict[str, str] = {}
    for requirement in requirements:
        match = re.fullmatch(r"([\w.-]+)(?:\[[\w,-]+\])?(?:>=|==)([\w.]+)", requirement)
        if match is None:
            sys.exit(f"{requirement}: write it as NAME>=VERSION, so that its oldest version can be tested")
        name, version = match.groups()
        if found.setdefault(name, version) != version:
            sys.exit(f"{name} has two lower bounds, {found[name]} and {version}: give it one")
    return [f"{name}=={version}" for name, version in sorted(found.items())]


if __name__ == "__main__":
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    print("\n".join(lower_bounds([*project["dependencies"], *(one for extra in extras for one in extra)])))
