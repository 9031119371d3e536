"""The notebooks in examples/ run from the top, and what they promise holds."""

import json
import shutil
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
NOTEBOOKS = ["context", "fit", "own_texts"]


def cells(name: str) -> list[dict[str, Any]]:
    notebook = json.loads((EXAMPLES / f"{name}.ipynb").read_text(encoding="utf-8"))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    return notebook["cells"]


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_every_cell_runs_and_nearly_every_one_shows_something(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(EXAMPLES / "harbor.txt", tmp_path)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    silent = []
    for number, cell in enumerate(cells(name)):
        if cell["cell_type"] == "code":
            shown = StringIO()
            with redirect_stdout(shown):
                exec(compile("".join(cell["source"]), f"{name}.ipynb, cell {number}", "exec"), names)
            if not shown.getvalue().strip():
                silent.append(number)
    assert silent in ([], [1])  # the first one may only make the texts
    assert [file.name for file in tmp_path.iterdir()] == ["harbor.txt"]  # nothing is left behind


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_notebooks_can_be_opened_and_hold_no_output_that_grows_old(name: str) -> None:
    found = cells(name)
    assert len({cell["id"] for cell in found}) == len(found)
    for cell in found:
        assert cell["metadata"] == {}
        assert "".join(cell["source"]).strip()
        if cell["cell_type"] == "code":
            assert (cell["outputs"], cell["execution_count"]) == ([], None)


def test_every_notebook_is_tested_and_linked() -> None:
    assert sorted(file.stem for file in EXAMPLES.glob("*.ipynb")) == NOTEBOOKS
    for page in ("README.md", "docs/index.md"):
        text = (EXAMPLES.parent / page).read_text(encoding="utf-8")
        assert [name for name in NOTEBOOKS if f"examples/{name}.ipynb)" not in text] == []
