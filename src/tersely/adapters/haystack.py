"""A Haystack component for retrieved documents (extra `haystack`)."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tersely.adapters._passages import Excerpt, Passages
from tersely.errors import UsageError, extra

with extra("the Haystack adapter", "haystack"):
    from haystack import Document, component, default_from_dict, default_to_dict
    from haystack.utils import deserialize_callable, serialize_callable

Tokenizer = str | Callable[[str], int]


@component
class TerselyCompressor:
    """Cuts documents to the sentences that answer the query, all together within one budget.

    Give `max_chars`, or `max_tokens` with a `tokenizer`: the path of a `tokenizer.json`, or a function that counts the
    tokens of a text. `encoder="use"` also compares meanings, which takes longer. `title_key` names the entry of `meta`
    with a document's title.

    A document keeps its id, its score and its `meta`; the new entry `kept` says where its sentences stood, as
    `[start, end]`. A document of which nothing is kept is left out; one without text stays as it is.
    """

    def __init__(
        self,
        *,
        max_tokens: int | None = None,
        max_chars: int | None = None,
        tokenizer: Tokenizer | None = None,
        encoder: str | None = None,
        model: str | None = None,
        title_key: str = "title",
    ) -> None:
        self._settings: dict[str, Any] = {
            "max_tokens": max_tokens,
            "max_chars": max_chars,
            "tokenizer": tokenizer,
            "encoder": encoder,
            "model": model,
        }
        self._title_key = title_key
        self._passages = Passages(**self._settings)

    def to_dict(self) -> dict[str, Any]:
        """Return the component as plain data."""
        settings = self._settings | {"title_key": self._title_key}
        return default_to_dict(self, **settings | {"tokenizer": _plain(settings["tokenizer"])})

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "TerselyCompressor":
        """Make the component from plain data."""
        return default_from_dict(cls, _read(data))

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document], query: str | None = None) -> dict[str, list[Document]]:
        """Return what is kept of the documents, in their order."""
        for number, document in enumerate(documents, 1):
            if not isinstance(document, Document):
                raise UsageError(f"document {number} is {type(document).__name__}: give Haystack documents only")
        passages = [(document.content or "", document.meta.get(self._title_key)) for document in documents]
        return {
            "documents": [
                _shortened(documents[number], excerpt) if excerpt else documents[number]
                for number, excerpt in self._passages.fit(passages, query).items()
            ]
        }


def _shortened(document: Document, excerpt: Excerpt) -> Document:
    return replace(document, content=excerpt.text, meta=excerpt.note(document.meta))


def _plain(tokenizer: Any) -> Any:
    """Return a tokenizer as plain data: a path, or the name of a function."""
    return {"function": serialize_callable(tokenizer)} if callable(tokenizer) else tokenizer


def _read(data: dict[str, Any]) -> dict[str, Any]:
    """Return the data of a component with the tokenizer that `_plain` wrote down."""
    settings = dict(data["init_parameters"])
    tokenizer = settings.get("tokenizer")
    if isinstance(tokenizer, dict):
        settings["tokenizer"] = deserialize_callable(tokenizer["function"])
    return data | {"init_parameters": settings}
