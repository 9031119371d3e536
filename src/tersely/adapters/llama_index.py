"""A LlamaIndex node postprocessor (extra `llama-index`), for query engines and retrievers."""

from tersely.adapters._passages import Excerpt, Passages, Settings
from tersely.errors import extra

with extra("the LlamaIndex adapter", "llama-index"):
    from llama_index.core.bridge.pydantic import PrivateAttr
    from llama_index.core.postprocessor.types import BaseNodePostprocessor
    from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle


class TerselyPostprocessor(Settings, BaseNodePostprocessor):
    """Cuts nodes to the sentences that answer the query, all together within one budget.

    Give `max_chars`, or `max_tokens` with a `tokenizer`: the path of a `tokenizer.json`, or a function that counts the
    tokens of a text. `encoder="use"` also compares meanings, which takes longer. `title_key` names the entry of the
    metadata with a node's title.

    A node keeps its id, its score and its metadata; the new entry `kept`, which no prompt shows, says where its
    sentences stood, as `[start, end]`. A node of which nothing is kept is left out; one without text stays as it is.
    """

    _passages: Passages | None = PrivateAttr(None)

    @classmethod
    def class_name(cls) -> str:
        """Return the name by which LlamaIndex stores it."""
        return "TerselyPostprocessor"

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        passages = [
            (item.node.get_content(MetadataMode.NONE), item.node.metadata.get(self.title_key)) for item in nodes
        ]
        query = query_bundle.query_str if query_bundle else None
        return [
            _shortened(nodes[number], excerpt) if excerpt else nodes[number]
            for number, excerpt in self.fit_passages(passages, query).items()
        ]


def _shortened(item: NodeWithScore, excerpt: Excerpt) -> NodeWithScore:
    node = item.node.model_copy()
    node.set_content(excerpt.text)
    node.metadata = excerpt.note(node.metadata)
    node.excluded_llm_metadata_keys = [*node.excluded_llm_metadata_keys, "kept"]
    node.excluded_embed_metadata_keys = [*node.excluded_embed_metadata_keys, "kept"]
    return NodeWithScore(node=node, score=item.score)
