"""Validation on documents held out, and ROUGE where a labelled dev file is given."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from tersely.encode import Encoder, Matrix
from tersely.learn.scorer.config import Config
from tersely.learn.scorer.data import Batch, Documents
from tersely.learn.scorer.network import Model
from tersely.learn.scorer.selection import Select
from tersely.learn.scorer.step import choose, forward
from tersely.text import Document


@dataclass(frozen=True)
class Dev:
    """Labelled documents, only ever looked at: `rouge1` scores the chosen sentences of the one with this number."""

    documents: Sequence[Document]
    rouge1: Callable[[int, Sequence[str]], float]


def validate(model: Model, batches: Iterable[Batch], config: Config, select: Select) -> dict[str, float]:
    """Return the loss and the means of all figures over the batches, and how much is chosen from the beginning."""
    sums: dict[str, float] = {}
    documents = chosen = first = 0
    # The same sentences are sampled every time, so that two validations differ by the weights alone.
    sampling = torch.Generator().manual_seed(config.training.seed)
    for batch in batches:
        with torch.no_grad():
            step = forward(model, batch, config, select, sampling, noisy=False)
            hard = choose(model.scorer, batch, config)
        size = len(batch.mask)
        for name, value in {"validation_loss": float(step.loss.detach()), **step.figures}.items():
            sums[name] = sums.get(name, 0.0) + size * value
        documents, chosen, first = documents + size, chosen + int(hard.sum()), first + int(hard[:, :3].sum())
    return {name: value / documents for name, value in sums.items()} | {"first_three": first / max(chosen, 1)}


def measure(model: Model, dev: Dev, encoder: Encoder, config: Config) -> dict[str, float]:
    """Return ROUGE-1 on the dev documents, and on the same with their sentences shuffled.

    A scorer that has learned nothing but positions is at chance on shuffled documents.
    """
    as_it_is, shuffled = 0.0, 0.0
    budget = (config.selection.shortest + config.selection.longest) // 2
    for number, document in enumerate(dev.documents):
        order = np.random.default_rng([config.training.seed, number]).permutation(len(document))
        mixed = Document.from_sentences([document.texts[i] for i in order], document.language)
        vectors = encoder.encode(document.texts)
        for text, rows in ((document, vectors), (mixed, vectors[order])):
            batch = Documents([text], _Given(encoder, rows), config.features).batch([0], [budget])
            with torch.no_grad():
                hard = choose(model.scorer, batch, config)[0]
            found = dev.rouge1(number, [text.texts[i] for i in hard.nonzero().flatten().tolist()])
            as_it_is, shuffled = (as_it_is + found, shuffled) if text is document else (as_it_is, shuffled + found)
    return {"rouge1": as_it_is / len(dev.documents), "rouge1_shuffled": shuffled / len(dev.documents)}


@dataclass(frozen=True)
class _Given:
    """Vectors that are there already."""

    encoder: Encoder
    vectors: Matrix

    @property
    def name(self) -> str:
        return self.encoder.name

    @property
    def fingerprint(self) -> str:
        return self.encoder.fingerprint

    def encode(self, sentences: Sequence[str]) -> Matrix:
        assert len(sentences) == len(self.vectors)
        return self.vectors
