"""Validation on documents held out, and ROUGE where a labeled dev file is given."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from tersely.encode import Matrix
from tersely.learn.scorer.config import Config
from tersely.learn.scorer.data import Batch, Documents
from tersely.learn.scorer.distributed import Team, on_device
from tersely.learn.scorer.network import Model
from tersely.learn.scorer.selection import Select
from tersely.learn.scorer.step import choose, forward
from tersely.text import Document


@dataclass(frozen=True)
class Dev:
    """Labeled documents, only ever looked at: `rouge1` scores the chosen sentences of the one with this number."""

    documents: Sequence[Document]
    rouge1: Callable[[int, Sequence[str]], float]


def validate(
    model: Model, batches: Iterable[tuple[Batch, int]], config: Config, select: Select, team: Team
) -> dict[str, float]:
    """Return the loss and the means of all figures over the batches, and how much is chosen from the beginning.

    A batch has the documents of this process, and comes with the number of those of all processes.
    """
    documents = 0
    sums: dict[str, float] = {}
    # The same sentences are sampled every time, so that two validations differ by the weights alone.
    sampling = torch.Generator().manual_seed(config.training.seed)
    for batch, size in batches:
        with torch.no_grad():
            step = forward(model, batch, config, select, sampling, noisy=False)
            hard = choose(model.scorer, batch, config)
        counts = {"chosen": float(hard.sum(1).double().mean()), "first": float(hard[:, :3].sum(1).double().mean())}
        part = team.part(step._replace(figures=step.figures | counts))
        for name, value in {"validation_loss": float(part.loss), **part.figures}.items():
            sums[name] = sums.get(name, 0.0) + size * value
        documents += size
    means = {name: value / documents for name, value in team.total(sums).items()}
    chosen, first = means.pop("chosen"), means.pop("first")
    return means | {"first_three": first / chosen if chosen else 0.0}


def measure(model: Model, dev: Dev, learned: Documents, config: Config, team: Team) -> dict[str, float]:
    """Return ROUGE-1 on the dev documents, and on the same with their sentences shuffled.

    Encoder and teacher are those of the documents that are learned from. A scorer that has learned nothing but
    positions is at chance on shuffled documents.
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
    """Vectors that are there already, in an encoder's place."""

    vectors: Matrix
    name: str = "given"
    fingerprint: str = ""

    def encode(self, sentences: Sequence[str]) -> Matrix:
        assert len(sentences) == len(self.vectors)
        return self.vectors
