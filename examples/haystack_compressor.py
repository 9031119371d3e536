"""A pipeline of Haystack that cuts retrieved documents to what answers the question."""

from haystack import Document, Pipeline

from tersely.adapters.haystack import TerselyCompressor

RETRIEVED = [
    Document(
        id="news",
        content="Kelsby is a fishing town. Its harbor will close to cars next spring. The market moves to the quay.",
        score=0.8,
    ),
    Document(
        id="railway",
        content="Trains run every hour. A ticket from the city costs 12 euros. Dogs ride for free on all trains.",
        score=0.7,
    ),
]

pipeline = Pipeline()
pipeline.add_component("compressor", TerselyCompressor(max_chars=100))
inputs = {"documents": RETRIEVED, "query": "What does a train ticket cost?"}
for document in pipeline.run({"compressor": inputs})["compressor"]["documents"]:
    print(document.id, document.score, document.meta["kept"], document.content)
