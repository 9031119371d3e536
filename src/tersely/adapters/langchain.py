"""A LangChain document compressor (extra `langchain`), for `ContextualCompressionRetriever` and the like."""

from collections.abc import Sequence

from tersely.adapters._passages import Excerpt, Passages, Settings
from tersely.errors import extra

with extra("the LangChain adapter", "langchain"):
    from langchain_core.callbacks import Callbacks
    from langchain_core.documents import BaseDocumentCompressor, Document
    from pydantic import ConfigDict, PrivateAttr


class TerselyCompressor(Settings, BaseDocumentCompressor):
    """Cuts documents to the sentences that answer the query, all together within one budget.

    Give `max_chars`, or `max_tokens` with a `tokenizer`: the path of a `tokenizer.json`, or a function that counts the
    tokens of a text. `encoder="use"` also compares meanings, which takes longer. `title_key` names the entry of the
    metadata with a document's title.

    A document keeps its id and its metadata; the new entry `kept` says where its sentences stood, as `[start, end]`.
    A document of which nothing is kept is left out; one without text stays as it is.
    """

    model_config = ConfigDict(extra="forbid", arbitrary_types_allowed=True)

    _passages: Passages | None = PrivateAttr(None)

    def compress_documents(
        self,
        documents: Sequence[Document],
        query: str,
        callbacks: Callbacks | None = None,  # noqa: ARG002
    ) -> Sequence[Document]:
        """Return what is kept of the documents, in their order."""
        passages = [(document.page_content, document.metadata.get(self.title_key)) for document in documents]
        return [
            _shortened(documents[number], excerpt) if excerpt else documents[number]
            for number, excerpt in self.fit_passages(passages, query).items()
        ]


def _shortened(document: Document, excerpt: Excerpt) -> Document:
    return document.model_copy(update={"page_content": excerpt.text, "metadata": excerpt.note(document.metadata)})
