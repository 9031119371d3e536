"""The map of the packages in CONTRIBUTING.md is the tree, and its layers are those that are checked."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def mapped_names() -> set[str]:
    """Return what the tables of packages and modules name in their first column."""
    section = TEXT.partition("## Where things go")[2].partition("\n## ")[0]
    return {name for row in re.findall(r"^\|([^|]*)\|", section, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)}


def test_every_package_is_in_the_map_and_nothing_else() -> None:
    package = ROOT / "src" / "tersely"
    folders = {folder.name for folder in package.iterdir() if (folder / "__init__.py").exists()}
    modules = {file.stem for file in package.glob("*.py") if not file.stem.startswith("__")}
    assert mapped_names() == folders | modules


def test_the_layers_are_those_of_the_contract() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    [checked] = [contract["layers"] for contract in settings["contracts"] if contract["type"] == "layers"]
    shown = TEXT.partition("`make lint` checks that:\n\n")[2].partition("\n\n")[0]
    assert [line.strip() for line in shown.splitlines()] == [layer.replace("tersely.", "") for layer in checked]
