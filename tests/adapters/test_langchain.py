"""The LangChain compressor, with LangChain itself."""

import pickle
from importlib.util import find_spec
from typing import Any

import pytest

from apart import run_apart
from tersely import UsageError

pytestmark = pytest.mark.skipif(find_spec("langchain_core") is None, reason="the extra langchain is not installed")


def adapter() -> Any:
    """The class under test; every test process collects all tests, and its package is slow to import."""
    from tersely.adapters.langchain import TerselyCompressor

    return TerselyCompressor


@pytest.fixture(scope="module")
def documents() -> list[Any]:
    from langchain_core.documents import Document

    return [
        Document("Bread is baked in an oven. The oven must be hot.", metadata={"source": "bread.txt"}, id="b"),
        Document(
            "The Elbe is a river in Europe. It is 1,094 km long. It flows through Hamburg.",
            metadata={"source": "elbe.txt", "page": 3},
            id="e",
        ),
        Document("", metadata={"source": "photo.png"}),
    ]


def test_a_document_keeps_its_id_and_metadata_and_tells_where_its_sentences_stood(documents: list[Any]) -> None:
    given = documents[1].model_copy(deep=True)
    found = adapter()(max_chars=60).compress_documents([given], "How long is the Elbe?")
    [document] = found
    assert "1,094 km" in document.page_content
    assert len(document.page_content) <= 60
    assert document.id == "e"
    spans = document.metadata.pop("kept")
    assert " ".join(given.page_content[start:end] for start, end in spans) == document.page_content
    assert document.metadata == given.metadata
    assert given == documents[1]


def test_a_document_without_text_stays(documents: list[Any]) -> None:
    assert adapter()(max_chars=60).compress_documents(documents, "Elbe")[-1] is documents[2]


def test_it_works_in_a_retriever_of_langchain(documents: list[Any]) -> None:
    from langchain_core.retrievers import BaseRetriever

    class Shelf(BaseRetriever):
        """Finds everything."""

        def _get_relevant_documents(self, query: str, **_: Any) -> list[Any]:  # noqa: ARG002
            return list(documents)

    retrievers = pytest.importorskip("langchain_classic.retrievers", reason="langchain-classic is not installed")
    compressor = adapter()(max_tokens=12, tokenizer=lambda text: len(text.split()))
    retriever = retrievers.ContextualCompressionRetriever(base_compressor=compressor, base_retriever=Shelf())
    found = retriever.invoke("How long is the Elbe?")
    assert "e" in [document.id for document in found]
    assert sum(len(document.page_content.split()) for document in found) <= 12
    assert run_apart(retriever.ainvoke("How long is the Elbe?")) == found


def test_it_can_be_copied_and_sent_to_another_process(documents: list[Any]) -> None:
    compressor = adapter()(max_chars=60)
    for again in (compressor.model_copy(deep=True), pickle.loads(pickle.dumps(compressor))):
        assert again.compress_documents(documents, "Elbe") == compressor.compress_documents(documents, "Elbe")


@pytest.mark.parametrize("settings", [{}, {"max_chars": "many"}, {"max_tokens": 9}])
def test_a_wrong_setting_is_one_clear_line(settings: Any) -> None:
    with pytest.raises(UsageError) as caught:
        adapter()(**settings)
    assert "\n" not in str(caught.value)


def test_a_misspelled_setting_is_an_error() -> None:
    with pytest.raises(ValueError, match="max_char"):
        adapter()(max_chars=5, max_char=5)


def test_settings_count_as_they_are_now(documents: list[Any]) -> None:
    def length(compressor: Any) -> int:
        found = compressor.compress_documents(documents, "How long is the river Elbe?")
        return sum(len(document.page_content) for document in found)

    compressor = adapter()(max_chars=60)
    copy = compressor.model_copy(update={"max_chars": 30})
    assert length(copy) <= 30 < length(compressor)
    compressor.max_chars = 30
    assert length(compressor) == length(copy)
    compressor.max_chars, compressor.max_tokens, compressor.tokenizer = None, 4, lambda text: len(text.split())
    assert length(compressor) < length(copy)
    compressor.max_tokens = None
    with pytest.raises(UsageError, match="give exactly one budget"):
        length(compressor)
