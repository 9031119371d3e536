"""The LangChain compressor, with LangChain itself."""

import pickle
from typing import Any

import pytest

pytest.importorskip("langchain_core", reason="the extra langchain is not installed")

from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

from apart import run_apart
from tersely import UsageError
from tersely.adapters.langchain import TerselyCompressor

DOCUMENTS = [
    Document("Bread is baked in an oven. The oven must be hot.", metadata={"source": "bread.txt"}, id="b"),
    Document(
        "The Elbe is a river in Europe. It is 1,094 km long. It flows through Hamburg.",
        metadata={"source": "elbe.txt", "page": 3},
        id="e",
    ),
    Document("", metadata={"source": "photo.png"}),
]


class Shelf(BaseRetriever):
    """Finds everything."""

    def _get_relevant_documents(self, query: str, **_: Any) -> list[Document]:  # noqa: ARG002
        return list(DOCUMENTS)


def test_a_document_keeps_its_id_and_metadata_and_tells_where_its_sentences_stood() -> None:
    given = DOCUMENTS[1].model_copy(deep=True)
    found = TerselyCompressor(max_chars=60).compress_documents([given], "How long is the Elbe?")
    [document] = found
    assert "1,094 km" in document.page_content
    assert len(document.page_content) <= 60
    assert document.id == "e"
    spans = document.metadata.pop("kept")
    assert " ".join(given.page_content[start:end] for start, end in spans) == document.page_content
    assert document.metadata == given.metadata
    assert given == DOCUMENTS[1]


def test_a_document_without_text_stays() -> None:
    assert TerselyCompressor(max_chars=60).compress_documents(DOCUMENTS, "Elbe")[-1] is DOCUMENTS[2]


def test_it_works_in_a_retriever_of_langchain() -> None:
    retrievers = pytest.importorskip("langchain_classic.retrievers", reason="langchain-classic is not installed")
    compressor = TerselyCompressor(max_tokens=12, tokenizer=lambda text: len(text.split()))
    retriever = retrievers.ContextualCompressionRetriever(base_compressor=compressor, base_retriever=Shelf())
    found = retriever.invoke("How long is the Elbe?")
    assert "e" in [document.id for document in found]
    assert sum(len(document.page_content.split()) for document in found) <= 12
    assert run_apart(retriever.ainvoke("How long is the Elbe?")) == found


def test_it_can_be_copied_and_sent_to_another_process() -> None:
    compressor = TerselyCompressor(max_chars=60)
    for again in (compressor.model_copy(deep=True), pickle.loads(pickle.dumps(compressor))):
        assert again.compress_documents(DOCUMENTS, "Elbe") == compressor.compress_documents(DOCUMENTS, "Elbe")


@pytest.mark.parametrize("settings", [{}, {"max_chars": "many"}, {"max_tokens": 9}])
def test_a_wrong_setting_is_one_clear_line(settings: Any) -> None:
    with pytest.raises(UsageError) as caught:
        TerselyCompressor(**settings)
    assert "\n" not in str(caught.value)


def test_a_misspelled_setting_is_an_error() -> None:
    with pytest.raises(ValueError, match="max_char"):
        TerselyCompressor(max_chars=5, max_char=5)


def test_settings_count_as_they_are_now() -> None:
    compressor = TerselyCompressor(max_chars=60)
    copy = compressor.model_copy(update={"max_chars": 30})
    assert length(copy) <= 30 < length(compressor)
    compressor.max_chars = 30
    assert length(compressor) == length(copy)
    compressor.max_chars, compressor.max_tokens, compressor.tokenizer = None, 4, lambda text: len(text.split())
    assert length(compressor) < length(copy)
    compressor.max_tokens = None
    with pytest.raises(UsageError, match="give exactly one budget"):
        length(compressor)


def length(compressor: TerselyCompressor) -> int:
    found = compressor.compress_documents(DOCUMENTS, "How long is the river Elbe?")
    return sum(len(document.page_content) for document in found)
