"""The dev set of benchmarks/siamese.py, and what trained scorers do on its whole documents."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file

from siamese_rows import CONTROLLED, NEAREST, SEEDS, configurations
from tersely.datasets import SUITE
from tersely.encode import Cache, Encoder, Matrix, load_encoder
from tersely.evaluate.measures import Tokenization, paired_bootstrap, rouge
from tersely.learn.corpus import beginning
from tersely.models import model_folder
from tersely.paper.batches import DocumentBatch, Documents
from tersely.paper.config import ScorerConfig, read_network_config
from tersely.paper.networks import ScoringNetwork
from tersely.paper.objectives import score
from tersely.paper.selection import exact, rank
from tersely.score import Values
from tersely.select import SELECTORS, Problem
from tersely.text import Document
from tersely.text.language import separator

DATA = Path(os.environ.get("TERSELY_DATA", Path(__file__).parents[2] / "shared" / "data"))
DEVS = {"en": ("dev_cnndm", "dev_cnn"), "zh": ("dev_pku", "dev_xinwenlianbo")}
BUDGETS = {"en": (300, 400, 500), "zh": (100, 150, 200)}
COUNTS = {"en": 3, "zh": 2}


class Trial:
    """Labeled documents as they are and shuffled: measured, never learned from."""

    def __init__(self, name: str, encoder: Encoder, sentences: int) -> None:
        dev = next(dev for dev in SUITE if dev.name == name)
        records = [record for record in dev.records(DATA) if record.reference and len(record.document) > 1]
        records.sort(key=lambda record: len(record.document))
        self.documents = [beginning(record.document, sentences) for record in records]
        self.budgets, self.count = BUDGETS[dev.language], COUNTS[dev.language]
        tokens = Tokenization().tokens
        self._tokens = [[tokens(text, one.language) for text in one.texts] for one in self.documents]
        self._references = [[tokens(text, one.document.language) for text in one.reference] for one in records]
        self._orders = [
            np.random.default_rng([7, len(one), i]).permutation(len(one)) for i, one in enumerate(self.documents)
        ]
        pairs = list(zip(self.documents, self._orders, strict=True))
        self._mixed = [Document.from_sentences([one.texts[i] for i in order], one.language) for one, order in pairs]
        self._vectors = [encoder.encode(one.document.texts)[:sentences] for one in records]
        self.columns = self._vectors[0].shape[1]
        self._known: dict[tuple[int, tuple[int, ...]], float] = {}
        self._batches: dict[tuple[str, ...], tuple[list[DocumentBatch], list[DocumentBatch]]] = {}

    def measure(self, scorer: ScoringNetwork, config: ScorerConfig, last: bool) -> dict[str, Any]:
        """Return R-1, also shuffled, and the share of the first three; at the end also places and lengths."""
        plain, mixed = self._inputs(config.features)
        chosen = self._best(scorer, plain)
        found = [
            [int(order[i]) for i in some] for order, some in zip(self._orders, self._best(scorer, mixed), strict=True)
        ]
        places = np.bincount([place for some in chosen for place in some], minlength=10)
        point = {"r1": self.rouge1(chosen), "shuffled": self.rouge1(found)}
        point["first"] = round(float(places[:3].sum() / places.sum()), 3)
        if not last:
            return point
        within = {str(limit): self.rouge1(self._fitting(scorer, plain, limit)) for limit in self.budgets}
        return {**point, "budgets": within, "places": [*places[:9].tolist(), int(places[9:].sum())]}

    def rouge1(self, chosen: Sequence[Sequence[int]]) -> float:
        """Return the mean over the documents of sentences chosen from each."""
        return round(float(self.each(chosen).mean()), 2)

    def each(self, chosen: Sequence[Sequence[int]]) -> NDArray[np.float64]:
        """Return R-1 of sentences chosen from each document."""
        scores = []
        for number, some in enumerate(chosen):
            key = number, tuple(sorted(some))
            if key not in self._known:
                found = [self._tokens[number][i] for i in key[1]]
                self._known[key] = rouge(self._references[number], found)["rouge1"].f1
            scores.append(self._known[key])
        return 100 * np.array(scores)

    def within(self, scorer: ScoringNetwork, config: ScorerConfig, limit: int) -> NDArray[np.float64]:
        """Return R-1 of the exact knapsack's choice from each document."""
        return self.each(self._fitting(scorer, self._inputs(config.features)[0], limit))

    def _inputs(self, features: tuple[str, ...]) -> tuple[list[DocumentBatch], list[DocumentBatch]]:
        if features not in self._batches:
            vectors = self._vectors
            turned = [rows[order] for rows, order in zip(vectors, self._orders, strict=True)]
            self._batches[features] = batches(self.documents, vectors, features), batches(self._mixed, turned, features)
        return self._batches[features]

    def _best(self, scorer: ScoringNetwork, inputs: Sequence[DocumentBatch]) -> list[list[int]]:
        given = (score(scorer, batch) for batch in inputs)
        return [row.nonzero().flatten().tolist() for one in given for row in rank(one.scores, one.mask) < self.count]

    def _fitting(self, scorer: ScoringNetwork, inputs: Sequence[DocumentBatch], limit: int) -> list[list[int]]:
        limited = (batch._replace(capacities=batch.capacities + limit) for batch in inputs)
        return [row.nonzero().flatten().tolist() for one in limited for row in exact(score(scorer, one))]

    def coverage(self, scorer: ScoringNetwork, config: ScorerConfig) -> dict[str, float]:
        """Return R-1 of the selector `coverage`: some sentences, the same shuffled, and within each length."""
        plain, mixed = (_values(scorer, inputs) for inputs in self._inputs(config.features))
        shuffled = [
            [int(order[i]) for i in chosen]
            for order, chosen in zip(
                self._orders, _chosen("coverage", self._mixed, mixed, self.count, True), strict=True
            )
        ]
        return self._within("coverage", plain) | {"shuffled": self.rouge1(shuffled)}

    def lead(self, selector: str) -> dict[str, float]:
        """Return R-1 of the first sentences, some and within each length."""
        return self._within(selector, [np.arange(len(one), 0, -1, dtype=np.float64) for one in self.documents])

    def _within(self, selector: str, values: Sequence[Values]) -> dict[str, float]:
        limits = [("sentences", self.count, True), *((str(limit), limit, False) for limit in self.budgets)]
        chosen = {key: _chosen(selector, self.documents, values, limit, count) for key, limit, count in limits}
        return {key: self.rouge1(some) for key, some in chosen.items()}

    def random(self) -> float:
        """Return R-1 of as many sentences drawn at random, the mean of ten draws."""
        sizes = [len(one) for one in self.documents]
        draws = (np.random.default_rng([11, draw]) for draw in range(10))
        means = [self.rouge1([draw.permutation(size)[: self.count].tolist() for size in sizes]) for draw in draws]
        return round(float(np.mean(means)), 2)


def _values(scorer: ScoringNetwork, inputs: Sequence[DocumentBatch]) -> list[Values]:
    given = (score(scorer, batch) for batch in inputs)
    return [row[mask].double().numpy() for one in given for row, mask in zip(one.values, one.mask, strict=True)]


def _chosen(
    selector: str, documents: Sequence[Document], values: Sequence[Values], limit: int, count: bool
) -> list[list[int]]:
    select = SELECTORS.create(selector)
    chosen = []
    for document, own in zip(documents, values, strict=True):
        costs = np.array([1 if count else len(text) for text in document.texts], dtype=np.int64)
        between = 0 if count else len(separator(document.language))
        chosen.append(list(select(Problem(own, costs, limit, between, document=document)).chosen))
    return chosen


def batches(documents: Sequence[Document], vectors: Sequence[Matrix], names: tuple[str, ...]) -> list[DocumentBatch]:
    """Return documents, sorted by length, as the scorer sees them."""
    known = {tuple(one.texts): rows for one, rows in zip(documents, vectors, strict=True)}
    inputs = Documents(documents, Given(known), names)
    cuts = [range(first, min(first + 32, len(documents))) for first in range(0, len(documents), 32)]
    return [inputs.batch(cut, [0] * len(cut)) for cut in cuts]


class Given:
    """Vectors that are already computed, in place of an encoder."""

    name, fingerprint = "given", ""

    def __init__(self, known: dict[tuple[str, ...], Matrix]) -> None:
        self._known = known

    def encode(self, sentences: Sequence[str]) -> Matrix:
        """Return those of a document that is known."""
        return self._known[tuple(sentences)].astype(np.float32)


def measure_trained(language: str, folder: Path, rows: Path, cache: Path | None) -> None:
    """Measure on whole documents how near the last rows are to the aim, and what length control in training adds.

    What has a figure is not measured again.
    """
    encoder = Cache(cache or folder / "vectors", load_encoder("use"))
    out = rows / f"siamese-{language}.json"
    found: dict[str, Any] = json.loads(out.read_text()) if out.exists() else {}
    for name in DEVS[language]:
        dev = Trial(name, encoder, sentences=1000)
        scorers = trained(language, folder, dev.columns)
        own = found.setdefault(name, {})
        own["marks"] = {"lead": dev.lead("greedy"), "lead+top": dev.lead("top"), "random": dev.random()}
        with torch.no_grad():
            if (shipped := model_folder(f"siamese-{language}") / "model.safetensors").exists():
                config = read_network_config(f"cpu-siamese-words-{language}")
                figures = dev.coverage(*restored(shipped, config, dev.columns))
                own.setdefault("coverage", {})["shipped"] = {"42": figures}
            for row, seed in sorted(scorers):
                near = own.setdefault("coverage", {}).setdefault(row, {}) if row in NEAREST else {str(seed): {}}
                if str(seed) not in near:
                    near[str(seed)] = dev.coverage(*scorers[row, seed])
                    out.write_text(json.dumps(found))
            for row, without in CONTROLLED.items():
                seeds = [seed for seed in SEEDS if {(row, seed), (without, seed)} <= scorers.keys()]
                if seeds and own.setdefault("gains", {}).get(row, {}).get("seeds") != seeds:
                    pairs = [(scorers[row, seed], scorers[without, seed]) for seed in seeds]
                    own["gains"][row] = {"seeds": seeds, **gain(dev, pairs)}
        out.write_text(json.dumps(found))


Trained = tuple[ScoringNetwork, ScorerConfig]


def trained(language: str, folder: Path, columns: int) -> dict[tuple[str, int], Trained]:
    """Return the scorers whose weights are there, by row and seed."""
    found: dict[tuple[str, int], Trained] = {}
    for row, seed, config in configurations(language, SEEDS, [*NEAREST, *CONTROLLED, *CONTROLLED.values()]):
        file = folder / "weights" / f"{language}-{row.name}-{seed}.safetensors"
        if file.exists():
            found[row.name, seed] = restored(file, config, columns)
    return found


def restored(file: Path, config: ScorerConfig, columns: int) -> Trained:
    """Return a scorer with its weights."""
    scorer = ScoringNetwork(config, columns)
    scorer.load_state_dict(load_file(file))
    return scorer, config


def gain(dev: Trial, pairs: Sequence[tuple[Trained, Trained]]) -> dict[str, list[float]]:
    """Return for each length what one scorer of each pair adds to the other: the mean of the pairs, with its bounds."""
    found = {}
    for limit in dev.budgets:
        both = (np.mean([dev.within(*pair[side], limit) for pair in pairs], axis=0) for side in (0, 1))
        added = paired_bootstrap(*both)
        found[str(limit)] = [round(value, 2) for value in (added.mean, added.low, added.high)]
    return found
