"""The programs in `examples`, and what the documentation shows."""

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = {
    "langchain_compressor": ("langchain_core", "costs 12 euros"),
    "llama_index_postprocessor": ("llama_index", "costs 12 euros"),
    "haystack_compressor": ("haystack", "costs 12 euros"),
    "spacy_pipe": ("spacy", "The harbor of Kelsby"),
    "mcp_client": ("mcp", "8.4 million pounds"),
}
BLOCKS = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "integrations.md").read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_runs(name: str) -> None:
    package, shown = EXAMPLES[name]
    if find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    command = [sys.executable, ROOT / "examples" / f"{name}.py"]
    environment = os.environ | {"HAYSTACK_TELEMETRY_ENABLED": "False"}
    run = subprocess.run(command, capture_output=True, encoding="utf-8", env=environment, check=False)
    assert run.returncode == 0, run.stderr
    assert shown in run.stdout


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.split()[1])
def test_what_the_documentation_shows_runs(block: str, monkeypatch: pytest.MonkeyPatch) -> None:
    package = block.split()[1].partition(".")[0]
    if find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    monkeypatch.setenv("HAYSTACK_TELEMETRY_ENABLED", "False")
    exec(block, {})


def test_every_adapter_is_shown_and_has_an_example() -> None:
    assert len(BLOCKS) == 4
    assert {file.stem for file in (ROOT / "examples").glob("*.py")} == {"demo", *EXAMPLES}
