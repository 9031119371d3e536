"""The programs in `examples`, and what the documentation shows."""

import re
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from runpy import run_path

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
def test_an_example_runs(name: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    package, shown = EXAMPLES[name]
    if find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    monkeypatch.setenv("HAYSTACK_TELEMETRY_ENABLED", "False")
    program = str(ROOT / "examples" / f"{name}.py")
    with ThreadPoolExecutor(1) as thread:  # where no event loop runs
        thread.submit(run_path, program, run_name="__main__").result()
    assert shown in capfd.readouterr().out


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
