"""The Haystack component, with Haystack itself."""

import os
from importlib.util import find_spec
from typing import Any

import pytest

from tersely import UsageError

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
pytestmark = pytest.mark.skipif(find_spec("haystack") is None, reason="the extra haystack is not installed")


def adapter() -> Any:
    """The class under test; every test process collects all tests, and its package is slow to import."""
    from tersely.adapters.haystack import TerselyCompressor

    return TerselyCompressor


@pytest.fixture(scope="module")
def documents() -> list[Any]:
    from haystack import Document
    from haystack.dataclasses import ByteStream

    return [
        Document(content="Bread is baked in an oven. The oven must be hot.", meta={"file": "bread.txt"}, score=0.9),
        Document(
            content="The Elbe is a river in Europe. It is 1,094 km long. It flows through Hamburg.",
            meta={"file": "elbe.txt"},
            score=0.7,
        ),
        Document(blob=ByteStream(b"photo"), meta={"file": "photo.png"}),
    ]


def words(text: str) -> int:
    return len(text.split())


def test_a_document_keeps_its_id_score_and_meta_and_tells_where_its_sentences_stood(documents: list[Any]) -> None:
    found = adapter()(max_chars=60).run(documents=documents, query="How long is the Elbe?")["documents"]
    [elbe] = [document for document in found if document.id == documents[1].id]
    assert (elbe.score, elbe.meta["file"]) == (0.7, "elbe.txt")
    assert "1,094 km" in elbe.content
    assert " ".join(documents[1].content[start:end] for start, end in elbe.meta["kept"]) == elbe.content
    assert sum(len(document.content or "") for document in found) <= 60
    assert found[-1] is documents[2]
    assert "kept" not in documents[1].meta


def test_a_pipeline_can_be_stored_and_loaded(documents: list[Any]) -> None:
    from haystack import Pipeline

    pipeline = Pipeline()
    pipeline.add_component("short", adapter()(max_tokens=12, tokenizer=words, title_key="file"))
    modules = ["tersely.adapters.*", words.__module__]
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=modules)
    asked = {"short": {"documents": documents, "query": "Elbe"}}
    assert again.run(asked) == pipeline.run(asked)
    assert again.dumps() == pipeline.dumps()


@pytest.mark.parametrize("settings", [{}, {"max_chars": 0}, {"max_chars": 5, "max_tokens": 5}, {"max_tokens": 5}])
def test_a_wrong_setting_is_one_clear_line(settings: Any) -> None:
    with pytest.raises(UsageError) as caught:
        adapter()(**settings)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("wrong", [None, "text", {"content": "text"}])
def test_what_is_no_document_is_one_line(documents: list[Any], wrong: Any) -> None:
    with pytest.raises(UsageError, match=r"^document 2 is \w+: give Haystack documents only$"):
        adapter()(max_chars=60).run(documents=[documents[0], wrong])
