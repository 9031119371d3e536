"""A LangChain document compressor (extra `langchain`), for `ContextualCompressionRetriever` and the like."""

from collections.abc import Callable, Sequence
from typing import Any

from tersely.adapters._passages import Kept, Passages
from tersely.errors import extra

with extra("the LangChain adapter", "langchain"):
    from langchain_core.callbacks import Callbacks
    from langchain_core.documents import BaseDocumentCompressor, Document
    from pydantic import ConfigDict, PrivateAttr


class TerselyCompressor(BaseDocumentCompressor):
    """Keeps of the documents the sentences that answer the query, all together within one budget.

    Give `max_chars`, or `max_tokens` with a `tokenizer`: the path of a `tokenizer.json`, or a function that counts the
    tokens of a text. `encoder="use"` also compares meanings, which takes longer. `title_key` names the entry of the
    metadata with a document's title.

    A document keeps its id and its metadata; the new entry `kept` says where its sentences stood, as `[start, end]`.
    A document of which nothing is kept is left out; one without text stays as it is.
    """

    model_config = ConfigDict(extra="forbid", arbitrary_types_allowed=True)

    max_tokens: int | None = None
    max_chars: int | None = None
    tokenizer: str | Callable[[str], int] | None = None
    encoder: str | None = None
    model: str | None = None
    title_key: str = "title"
    _passages: Passages = PrivateAttr()

    def __init__(
        self,
        *,
        max_tokens: int | None = None,
        max_chars: int | None = None,
        tokenizer: str | Callable[[str], int] | None = None,
        encoder: str | None = None,
        model: str | None = None,
        title_key: str = "title",
        **others: Any,
    ) -> None:
        settings: dict[str, Any] = {
            "max_tokens": max_tokens,
            "max_chars": max_chars,
            "tokenizer": tokenizer,
            "encoder": encoder,
            "model": model,
        }
        # Before pydantic looks at them: what is wrong is then said in one line.
        passages = Passages(**settings)
        super().__init__(**settings, title_key=title_key, **others)
        self._passages = passages

    def compress_documents(
        self,
        documents: Sequence[Document],
        query: str,
        callbacks: Callbacks | None = None,  # noqa: ARG002
    ) -> Sequence[Document]:
        """Return what is kept of the documents, in their order."""
        passages = [(document.page_content, document.metadata.get(self.title_key)) for document in documents]
        return [
            _shortened(documents[number], kept) if kept else documents[number]
            for number, kept in self._passages.fit(passages, query).items()
        ]


def _shortened(document: Document, kept: Kept) -> Document:
    return document.model_copy(update={"page_content": kept.text, "metadata": kept.note(document.metadata)})
