"""Leaves out the doctests of adapters whose package is not installed: such a module cannot be imported."""

from importlib.util import find_spec
from pathlib import Path

PACKAGES = {
    "haystack.py": "haystack",
    "langchain.py": "langchain_core",
    "llama_index.py": "llama_index",
    "mcp.py": "mcp",
    "spacy.py": "spacy",
}


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    if collection_path.parent.parts[-2:] != ("tersely", "adapters"):
        return None
    package = PACKAGES.get(collection_path.name)
    return True if package and find_spec(package) is None else None
