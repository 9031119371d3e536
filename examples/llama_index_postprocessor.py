"""Nodes of LlamaIndex, cut to what answers the question; give the postprocessor to a query engine in the same way."""

from llama_index.core.schema import NodeWithScore, TextNode

from tersely.adapters.llama_index import TerselyPostprocessor

FOUND = [
    NodeWithScore(
        node=TextNode(
            id_="news",
            text="Kelsby is a fishing town. Its harbor will close to cars next spring. The market moves to the quay.",
        ),
        score=0.8,
    ),
    NodeWithScore(
        node=TextNode(
            id_="railway",
            text="Trains run every hour. A ticket from the city costs 12 euros. Dogs ride for free on all trains.",
        ),
        score=0.7,
    ),
]

postprocessor = TerselyPostprocessor(max_chars=100)
for found in postprocessor.postprocess_nodes(FOUND, query_str="What does a train ticket cost?"):
    print(found.node_id, found.score, found.metadata["kept"], found.text)
