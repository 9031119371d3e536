"""The docstring of the package says where each equation, table and figure of the paper is."""

import re
from importlib import import_module
from importlib.util import find_spec

import pytest

import tersely.paper

TEXT = tersely.paper.__doc__ or ""
# A module of the package or of another one, and the names in it: objectives.rest_mask, tersely.select.ranked.Top.
NAMES = sorted(set(re.findall(r"\b(?:tersely\.)?[a-z_0-9]+(?:\.\w+)+\b", TEXT)))


def test_every_equation_table_and_figure_has_a_place() -> None:
    for kind, count in (("Eq.", 10), ("Fig.", 6)):
        assert [f"{kind} {n}" for n in range(1, count + 1) if not re.search(rf"{kind} {n}\b", TEXT)] == []
    assert {int(n) for line in re.findall(r"Tables? ([\d and]+)", TEXT) for n in re.findall(r"\d", line)} == set(
        range(1, 8)
    )


@pytest.mark.parametrize("name", NAMES)
def test_every_place_exists(name: str) -> None:
    parts = (name if name.startswith("tersely.") else f"tersely.paper.{name}").split(".")
    known = next(n for n in range(len(parts), 0, -1) if _is_module(".".join(parts[:n])))
    place = import_module(".".join(parts[:known]))
    for part in parts[known:]:
        place = getattr(place, part)


def _is_module(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False
