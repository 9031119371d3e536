"""Examples of requests, for OpenAPI and the reference page."""

from typing import Any

_TEXT = "The harbor closes to cars next spring. Work is to begin in March. It should take fourteen months."

REQUESTS: dict[str, dict[str, Any]] = {
    "summarize": {"text": _TEXT, "max_chars": 70},
    "frontier": {"text": _TEXT, "unit": "sentences"},
    "batch": {"documents": [{"text": _TEXT, "max_sentences": 1}, {"text": _TEXT, "ratio": 2}]},
}
