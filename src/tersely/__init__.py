"""Fits any text to any length, in the text's own words.

>>> from tersely import summarize
>>> summarize("The river rose overnight. It rained. The river flooded the town.", max_chars=40).text
'The river rose overnight. It rained.'
"""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from tersely.errors import InputError, MissingExtraError, ModelError, TerselyError, UsageError
    from tersely.frontier import Frontier
    from tersely.options import Budget
    from tersely.payload import ShortenedJson, shorten_json
    from tersely.summarizer import Summarizer, summarize
    from tersely.summary import Summary
    from tersely.text.document import Document
    from tersely.text.quotations import Verification, verify
    from tersely.text.sources import Source

_HOMES = {
    "Budget": "tersely.options",
    "Document": "tersely.text.document",
    "Frontier": "tersely.frontier",
    "InputError": "tersely.errors",
    "MissingExtraError": "tersely.errors",
    "ModelError": "tersely.errors",
    "ShortenedJson": "tersely.payload",
    "Source": "tersely.text.sources",
    "Summarizer": "tersely.summarizer",
    "Summary": "tersely.summary",
    "TerselyError": "tersely.errors",
    "UsageError": "tersely.errors",
    "Verification": "tersely.text.quotations",
    "shorten_json": "tersely.payload",
    "summarize": "tersely.summarizer",
    "verify": "tersely.text.quotations",
}
__all__ = [
    "Budget",
    "Document",
    "Frontier",
    "InputError",
    "MissingExtraError",
    "ModelError",
    "ShortenedJson",
    "Source",
    "Summarizer",
    "Summary",
    "TerselyError",
    "UsageError",
    "Verification",
    "__version__",
    "shorten_json",
    "summarize",
    "verify",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that `import tersely` costs nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module 'tersely' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
