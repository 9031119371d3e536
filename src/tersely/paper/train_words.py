"""The word model of PMI: counts of words and of pairs of words, with weights that fit held-out texts."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from tersely.learn.corpus import split
from tersely.learn.training import Report
from tersely.paper.baselines import BaselineData, Packed, write_model
from tersely.paper.scorers.pmi import WordModel
from tersely.score import Values
from tersely.text import Document

_CARD = """PMI (Padmakumar and He, 2021) with a bigram model with a cache, counted without labels.

{documents} documents, {words} words, {bigrams} pairs. Weights by held-out likelihood: pairs {both:.3f},
words {one:.3f}, uniform {none:.3f}, cache {cache:.3f}."""


@dataclass(frozen=True)
class WordsConfig:
    """How many sentences of a document are read, how many words are kept, and how often a pair must occur."""

    name: str
    kind: str = "words"
    sentences: int = 40
    vocabulary: int = 50_000
    fewest: int = 3
    rounds: int = 30

    def make(
        self,
        data: BaselineData,
        out: Path,
        resume: bool,  # noqa: ARG002
        report: Report,  # noqa: ARG002
        device: str = "auto",  # noqa: ARG002
    ) -> None:
        """Count the words of the data, and write the model folder `out`; see `make_baseline`."""
        corpus = data.corpus(self.sentences)
        documents = corpus.documents
        model = learn_words(self, documents, corpus.validation)
        content = {"weights": model.weights, "cache": model.cache, "words": model.words, "bigrams": model.bigrams}
        bigram, unigram, uniform = model.weights
        card = _CARD.format(
            documents=f"{len(documents):,}",
            words=f"{len(model.words):,}",
            bigrams=f"{len(model.bigrams):,}",
            both=bigram,
            one=unigram,
            none=uniform,
            cache=model.cache,
        )
        files = {"words.json": json.dumps(content, ensure_ascii=False).encode("utf-8", "surrogatepass")}
        write_model(out, Packed(files, "pmi:model={folder}/words.json", None, "greedy", card), self)


def learn_words(config: WordsConfig, documents: Sequence[Document], validation: int = 0) -> WordModel:
    """Count documents, fit the weights to the others, the last `validation` or every tenth, and return both."""
    counted, held_out = ([documents[i] for i in numbers] for numbers in split(len(documents), validation))
    words: Counter[str] = Counter()
    bigrams: Counter[str] = Counter()
    for document in counted:
        for sentence in document.words:
            words.update(sentence)
            words[""] += 1  # a sentence begins
            bigrams.update(f"{first} {word}" for first, word in pairwise(["", *sentence]))
    vocabulary = dict(words.most_common(config.vocabulary))
    pairs = {pair: count for pair, count in bigrams.items() if count >= config.fewest}
    model = WordModel(vocabulary, pairs)
    parts = np.concatenate([model.parts(sentence) for document in held_out for sentence in document.words], axis=1)
    weights = mixture(parts, config.rounds)
    model = replace(model, weights=(float(weights[0]), float(weights[1]), float(weights[2])))
    cache = float(mixture(_cached(model, held_out), config.rounds)[1])
    return replace(model, cache=min(cache, 0.9))


def mixture(parts: Values, rounds: int) -> Values:
    """Return the weights of a mixture [k] that make the observed words likeliest, by expectation and maximization.

    `parts` [k, m] are the probabilities that each part gives to each word.

    >>> mixture(np.array([[0.9, 0.9, 0.1], [0.1, 0.1, 0.9]]), 100).round(2).tolist()
    [0.71, 0.29]
    """
    weights: Values = np.full(len(parts), 1 / len(parts))
    for _ in range(rounds):
        shares = weights[:, None] * parts
        shares /= np.maximum(shares.sum(axis=0), 1e-300)
        weights = shares.mean(axis=1)
    return weights


def _cached(model: WordModel, documents: Iterable[Document]) -> Values:
    """Return for each word its plain probability, and its share in the sentence before, [2, m]."""
    parts = []
    for document in documents:
        for before, sentence in pairwise(document.words):
            count, total = Counter(before), max(len(before), 1)
            plain = np.array(model.weights) @ model.parts(sentence)
            parts.append(np.stack([plain, np.array([count[word] / total for word in sentence])]))
    return np.concatenate(parts, axis=1)
