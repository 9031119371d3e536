"""Validation on held-out documents, and ROUGE-1 on labeled ones if a file of them is given."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from tersely.datasets import read
from tersely.encode import Matrix
from tersely.errors import InputError
from tersely.evaluate.measures import Tokenization, rouge
from tersely.learn.scorer.batches import DocumentBatch, Documents
from tersely.learn.scorer.config import ScorerConfig
from tersely.learn.scorer.distributed import Team, on_device
from tersely.learn.scorer.networks import ScorerModel
from tersely.learn.scorer.objectives import choose, forward
from tersely.learn.scorer.selection import Select
from tersely.text import Document


@dataclass(frozen=True)
class Dev:
    """Labeled documents, measured and never learned from: `rouge1` scores sentences chosen from document `number`."""

    documents: Sequence[Document]
    rouge1: Callable[[int, Sequence[str]], float]

    @classmethod
    def read(cls, file: Path) -> "Dev":
        """Read the documents of a file that have a summary."""
        records = [record for record in read(file) if record.reference and len(record.document)]
        if not records:
            raise InputError(f"{file} has no documents with a summary")
        tokens = Tokenization().tokens
        references = [[tokens(text, record.document.language) for text in record.reference] for record in records]

        def rouge1(number: int, chosen: Sequence[str]) -> float:
            language = records[number].document.language
            return 100 * rouge(references[number], [tokens(text, language) for text in chosen])["rouge1"].f1

        return cls([record.document for record in records], rouge1)


def validate(
    model: ScorerModel, batches: Iterable[tuple[DocumentBatch, int]], config: ScorerConfig, select: Select, team: Team
) -> dict[str, float]:
    """Return the mean loss and figures over the batches, and the share of choices among the first three sentences.

    Each batch holds the documents of this process, and comes with the number of documents in all processes.
    """
    documents = 0
    sums: dict[str, float] = {}
    # The same sentences are sampled every time, so that two validations differ only by the weights.
    sampling = torch.Generator().manual_seed(config.training.seed)
    for batch, size in batches:
        with torch.no_grad():
            loss = forward(model, batch, config, select, sampling, noisy=False)
            hard = choose(model.scorer, batch, config).cpu().double()  # not every device has double precision
        counts = {"chosen": float(hard.sum(1).mean()), "first": float(hard[:, :3].sum(1).mean())}
        part = team.part(loss._replace(figures=loss.figures | counts))
        for name, value in {"validation_loss": float(part.loss), **part.figures}.items():
            sums[name] = sums.get(name, 0.0) + size * value
        documents += size
    means = {name: value / documents for name, value in team.total(sums).items()}
    chosen, first = means.pop("chosen"), means.pop("first")
    return means | {"first_three": first / chosen if chosen else 0.0}


def measure_dev(model: ScorerModel, dev: Dev, learned: Documents, config: ScorerConfig, team: Team) -> dict[str, float]:
    """Return ROUGE-1 on the dev documents as they are and with their sentences shuffled.

    Encoder and teacher are those of the training documents. On shuffled documents a scorer that has learned only
    positions does no better than chance.
    """
    sums = {"rouge1": 0.0, "rouge1_shuffled": 0.0}
    budget = (config.selection.shortest + config.selection.longest) // 2
    for number in range(team.rank, len(dev.documents), team.size):
        document = dev.documents[number]
        order = np.random.default_rng([config.training.seed, number]).permutation(len(document))
        mixed = Document.from_sentences([document.texts[i] for i in order], document.language)
        vectors = learned.encoder.encode(document.texts)
        for name, text, rows in (("rouge1", document, vectors), ("rouge1_shuffled", mixed, vectors[order])):
            batch = Documents([text], _Given(rows), config.features, learned.teacher).batch([0], [budget])
            with torch.no_grad():
                hard = choose(model.scorer, on_device(batch, team.device), config)[0]
            sums[name] += dev.rouge1(number, [text.texts[i] for i in hard.nonzero().flatten().tolist()])
    return {name: value / len(dev.documents) for name, value in team.total(sums).items()}


@dataclass(frozen=True)
class _Given:
    """Vectors that are already computed, in place of an encoder."""

    vectors: Matrix
    name: str = "given"
    fingerprint: str = ""

    def encode(self, sentences: Sequence[str]) -> Matrix:
        assert len(sentences) == len(self.vectors)
        return self.vectors
