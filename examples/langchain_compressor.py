"""A retriever of LangChain whose documents are cut to what answers the question."""

from langchain_core.documents import Document
from langchain_core.runnables import RunnableLambda

from tersely.adapters.langchain import TerselyCompressor

FOUND = [
    Document(
        "Kelsby is a fishing town. Its harbor will close to cars next spring. The market moves to the quay.",
        metadata={"source": "news.txt"},
    ),
    Document(
        "Trains run every hour. A ticket from the city costs 12 euros. Dogs ride for free. The last train is at 11.",
        metadata={"source": "railway.txt"},
    ),
]

# FOUND stands for what your retriever finds; a ContextualCompressionRetriever takes the compressor as it is.
compressor = TerselyCompressor(max_chars=100)
chain = RunnableLambda(lambda question: compressor.compress_documents(FOUND, question))

for document in chain.invoke("What does a train ticket cost?"):
    print(document.metadata["source"], document.metadata["kept"], document.page_content)
