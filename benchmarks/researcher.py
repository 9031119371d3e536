"""Time and memory of the steps of docs/researcher.md at the paper's sizes, with random weights, on this machine.

Prints the rows of its table. Each step runs in a process of its own, so that its memory is its own.
"""

import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

import torch

from tersely.encode import Matrix

GPU = 20e12  # operations per second
DOCUMENTS, SENTENCES, PIECES = 287_113 + 13_368, 17.4, 29  # of CNN/DailyMail: Sent-512, and 512 pieces over it
_LAYER = 4 * 768 * 768 + 2 * 768 * 2048  # weights


def encode() -> tuple[float, float, float]:
    """Encode one document by a network of the size of BERT-base; all documents of CNN/DailyMail."""
    from transformers import BertConfig, BertModel

    model = BertModel(BertConfig()).eval()
    tokens = torch.ones(17, PIECES, dtype=torch.long)
    with torch.inference_mode():
        seconds = timed(lambda: model(tokens))
    return seconds, DOCUMENTS, 2 * 85e6 * SENTENCES * PIECES * DOCUMENTS


def train_knapsack() -> tuple[float, float, float]:
    """Take one step of the paper's knapsack transformer on 32 problems; 11,133 steps of 512."""
    from tersely.paper.knapsack_network import KnapsackTransformer
    from tersely.paper.knapsack_problems import CNNDM, Simulation
    from tersely.paper.train_knapsack import tensors

    network, batch = KnapsackTransformer(), tensors(Simulation(CNNDM, seed=1).batch(0, 32))
    seconds = timed(lambda: network(*batch).sum().backward())
    steps = 11_133 * 512 / 32
    return seconds, steps, 6 * 57e6 * 32 * batch[0].shape[1] * steps


def train_scorer() -> tuple[float, float, float]:
    """Take one step of both objectives on 4 documents; 50,000 steps of 64."""
    from tersely.learn.corpus import Corpus
    from tersely.paper.batches import Documents
    from tersely.paper.config import read_network_config
    from tersely.paper.networks import ScorerModel
    from tersely.paper.objectives import forward
    from tersely.paper.selection import selector
    from tersely.text import Document

    config = read_network_config("paper-cnndm")
    texts = [[f"Sentence {i} of text {number}." for i in range(17)] for number in range(4)]
    corpus = Corpus(tuple(Document.from_sentences(sentences, "en") for sentences in texts))
    model, select = ScorerModel(config, 768), selector(config.selection)
    documents = Documents(corpus.documents, Normal())
    batch = documents.batch(range(4), [450] * 4)
    noise = torch.Generator().manual_seed(1)
    seconds = timed(lambda: forward(model, batch, config, select, noise).loss.backward())
    steps = 50_000 * 64 / 4
    # The scorer once, the encoder five times (four masks and the target), the predictor four times.
    return seconds, steps, 6 * _LAYER * (2 + 4 * 5 + 4 * 4) * 4 * SENTENCES * steps


class Normal:
    """Random vectors, in place of an encoder."""

    name = fingerprint = "normal"

    def encode(self, sentences: Sequence[str]) -> Matrix:
        """Return one row per sentence."""
        rows: Matrix = torch.randn(len(sentences), 768).numpy()
        return rows


def timed(run: Callable[[], object]) -> float:
    """Return the time on the processor of the second call, in seconds."""
    run()
    started = time.process_time()
    run()
    return time.process_time() - started


STEPS = {
    "encode": ("encode CNN/DailyMail, per document", encode),
    "knapsack": ("one plain knapsack transformer, per 32 problems", train_knapsack),
    "scorer": ("one scorer, both objectives, per 4 documents", train_scorer),
}


def main() -> None:
    """Print a row for each step."""
    if len(sys.argv) > 1:
        torch.set_num_threads(1)
        title, step = STEPS[sys.argv[1]]
        seconds, times, operations = step()
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(
            f"| {title} | {seconds:.2f} s | {memory:.1f} GB | {seconds * times / 86400:,.0f} days "
            f"| {operations / GPU / 3600:.1f} hours |"
        )
        return
    for name in STEPS:
        subprocess.run([sys.executable, __file__, name], check=True)


if __name__ == "__main__":
    main()
