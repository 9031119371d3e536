"""Leaves out modules without doctests, which need not be imported, and those of adapters that are not installed."""

from importlib.util import find_spec
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src"
PACKAGES = {
    "haystack.py": "haystack",
    "langchain.py": "langchain_core",
    "llama_index.py": "llama_index",
    "mcp.py": "mcp",
    "spacy.py": "spacy",
}


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    if not collection_path.is_relative_to(SOURCE) or collection_path.suffix != ".py":
        return None
    package = PACKAGES.get(collection_path.name) if collection_path.parent.name == "adapters" else None
    is_missing = package is not None and find_spec(package) is None
    return True if is_missing or ">>>" not in collection_path.read_text(encoding="utf-8") else None
