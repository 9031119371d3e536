"""Fits any text to any length, in the text's own words.

>>> from tersely import summarize
>>> summarize("The river rose overnight. It rained. The river flooded the town.", max_chars=40).text
'The river rose overnight. It rained.'
"""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"
__all__ = ["Document", "Frontier", "Summarizer", "Summary", "__version__", "summarize"]

if TYPE_CHECKING:
    from tersely.frontier import Frontier
    from tersely.summarizer import Summarizer, summarize
    from tersely.summary import Summary
    from tersely.text import Document

_HOMES = {
    "Document": "tersely.text",
    "Frontier": "tersely.frontier",
    "Summarizer": "tersely.summarizer",
    "Summary": "tersely.summary",
    "summarize": "tersely.summarizer",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that `import tersely` costs nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module 'tersely' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
