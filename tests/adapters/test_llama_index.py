"""The LlamaIndex postprocessor, with LlamaIndex itself."""

from importlib.util import find_spec
from typing import Any

import pytest

from apart import run_apart
from tersely import UsageError

pytestmark = pytest.mark.skipif(find_spec("llama_index") is None, reason="the extra llama-index is not installed")

QUERY = "How long is the Elbe?"


def adapter() -> Any:
    """The class under test; every test process collects all tests, and its package is slow to import."""
    from tersely.adapters.llama_index import TerselyPostprocessor

    return TerselyPostprocessor


def nodes() -> list[Any]:
    from llama_index.core.schema import ImageNode, MediaResource, Node, NodeWithScore, TextNode

    return [
        NodeWithScore(node=TextNode(id_="b", text="Bread is baked in an oven. The oven must be hot."), score=0.9),
        NodeWithScore(
            node=TextNode(
                id_="e",
                text="The Elbe is a river in Europe. It is 1,094 km long. It flows through Hamburg.",
                metadata={"page": 3},
                excluded_llm_metadata_keys=["page"],
            ),
            score=0.7,
        ),
        NodeWithScore(node=ImageNode(id_="p", image_path="photo.png"), score=0.2),
        NodeWithScore(node=Node(id_="n", text_resource=MediaResource(text="The Elbe is very long. Cats sleep."))),
    ]


def test_a_node_keeps_its_id_score_and_metadata_and_tells_where_its_sentences_stood() -> None:
    given = nodes()
    found = {each.node_id: each for each in adapter()(max_chars=80).postprocess_nodes(given, query_str=QUERY)}
    elbe = found["e"]
    assert elbe.score == 0.7
    assert "1,094 km" in elbe.text
    assert elbe.metadata["page"] == 3
    text = given[1].text
    assert " ".join(text[start:end] for start, end in elbe.metadata["kept"]) == elbe.text
    assert sum(len(each.get_content()) for each in found.values()) <= 80
    assert given == nodes()


def test_no_prompt_and_no_embedding_shows_the_places() -> None:
    from llama_index.core.schema import MetadataMode

    [elbe] = adapter()(max_chars=200).postprocess_nodes(nodes()[1:2], query_str=QUERY)
    assert "kept" not in elbe.get_content(MetadataMode.LLM)
    assert "kept" not in elbe.get_content(MetadataMode.EMBED)
    assert "page" in elbe.get_content(MetadataMode.EMBED)
    assert "page" not in elbe.get_content(MetadataMode.LLM)


def test_nodes_of_every_kind_and_no_query() -> None:
    found = adapter()(max_chars=1000).postprocess_nodes(nodes())
    assert [each.node_id for each in found] == ["b", "e", "p", "n"]
    assert [each.get_content() for each in found] == [each.get_content() for each in nodes()]


def test_it_works_asynchronously_and_comes_back_from_plain_data() -> None:
    postprocessor = adapter()(max_chars=80)
    again = adapter().from_dict(postprocessor.to_dict())
    found = run_apart(again.apostprocess_nodes(nodes(), query_str=QUERY))
    assert found == postprocessor.postprocess_nodes(nodes(), query_str=QUERY)


def test_a_wrong_setting_is_one_clear_line() -> None:
    with pytest.raises(UsageError, match=r"^give exactly one budget, max_tokens or max_chars$"):
        adapter()()
