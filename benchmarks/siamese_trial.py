"""The dev sets of benchmarks/siamese.py, and what trained scorers and controls reach on whole documents."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file

from pages import Line, read_rows, update_rows
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
from tersely.score import SCORERS, Values
from tersely.select import SELECTORS, Problem
from tersely.text import Document
from tersely.text.language import separator

DATA = Path(os.environ.get("TERSELY_DATA", Path(__file__).parents[2] / "shared" / "data"))
DEVS = {"en": ("dev_cnndm", "dev_cnn"), "zh": ("dev_pku", "dev_xinwenlianbo", "dev_cail")}
BUDGETS = {"en": (300, 400, 500), "zh": (100, 150, 200)}
COUNTS = {"en": 3, "zh": 2}
# The references of court rulings are summaries, about as long as three of their sentences; the others are headlines.
SET_COUNTS = {"dev_cail": 3}


class Trial:
    """Documents with references, as they are and shuffled. They are measured, never learned from."""

    def __init__(self, name: str, encoder: Encoder, sentences: int) -> None:
        dev = next(dev for dev in SUITE if dev.name == name)
        records = [record for record in dev.records(DATA) if record.reference and len(record.document) > 1]
        records.sort(key=lambda record: len(record.document))
        self.documents = [beginning(record.document, sentences) for record in records]
        self.budgets, self.count = BUDGETS[dev.language], SET_COUNTS.get(name, COUNTS[dev.language])
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
        shuffled = self._unshuffled(self._best(scorer, mixed))
        places = np.bincount([place for some in chosen for place in some], minlength=10)
        point = {"r1": self.rouge1(chosen), "shuffled": self.rouge1(shuffled)}
        point["first"] = round(float(places[:3].sum() / places.sum()), 3)
        if not last:
            return point
        within = {str(limit): self.rouge1(self._fitting(scorer, plain, limit)) for limit in self.budgets}
        return {**point, "budgets": within, "places": [*places[:9].tolist(), int(places[9:].sum())]}

    def rouge1(self, chosen: Sequence[Sequence[int]]) -> float:
        """Return the mean R-1 of the sentences chosen from each document."""
        return round(float(self.each(chosen).mean()), 2)

    def each(self, chosen: Sequence[Sequence[int]]) -> NDArray[np.float64]:
        """Return R-1 of the sentences chosen from each document, by document."""
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
        plain, mixed = self.network_values(scorer, config)
        return self._within("coverage", plain) | {"shuffled": self.control("coverage", plain, mixed)[1]}

    def lead(self, selector: str) -> dict[str, float]:
        """Return R-1 of the first sentences, some and within each length."""
        return self._within(selector, [np.arange(len(one), 0, -1, dtype=np.float64) for one in self.documents])

    def _within(self, selector: str, values: Sequence[Values]) -> dict[str, float]:
        limits = [("sentences", self.count, True), *((str(limit), limit, False) for limit in self.budgets)]
        chosen = {key: _chosen(selector, self.documents, values, limit, count) for key, limit, count in limits}
        return {key: self.rouge1(some) for key, some in chosen.items()}

    def control(self, selector: str, plain: Sequence[Values], mixed: Sequence[Values]) -> tuple[float, float]:
        """Return R-1 of some sentences that a selector takes by values, from documents as they are and shuffled."""
        as_is, shuffled = self.by_document(selector, plain, mixed)
        return round(float(as_is.mean()), 2), round(float(shuffled.mean()), 2)

    def by_document(
        self, selector: str, plain: Sequence[Values], mixed: Sequence[Values]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return what `control` returns, by document."""
        chosen = _chosen(selector, self.documents, plain, self.count, True)
        shuffled = _chosen(selector, self._mixed, mixed, self.count, True)
        return self.each(chosen), self.each(self._unshuffled(shuffled))

    def scored(self, score_of: Callable[[Document], Values]) -> tuple[list[Values], list[Values]]:
        """Return the values that a function gives the documents, as they are and shuffled."""
        return [score_of(one) for one in self.documents], [score_of(one) for one in self._mixed]

    def network_values(self, scorer: ScoringNetwork, config: ScorerConfig) -> tuple[list[Values], list[Values]]:
        """Return the values that a network gives the documents, as they are and shuffled."""
        plain, mixed = self._inputs(config.features)
        return _values(scorer, plain), _values(scorer, mixed)

    def _unshuffled(self, chosen: Sequence[Sequence[int]]) -> list[list[int]]:
        """Return the places in the documents as they are."""
        return [[int(order[i]) for i in some] for order, some in zip(self._orders, chosen, strict=True)]

    def random(self) -> float:
        """Return R-1 of sentences drawn at random, the mean of ten draws."""
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
        """Return the vectors of a document that was encoded before."""
        return self._known[tuple(sentences)].astype(np.float32)


def measure_trained(language: str, folder: Path, rows: Path, cache: Path | None) -> None:
    """Measure trained rows on whole documents, with the selector `coverage`, and what length control in training adds.

    What has a figure is not measured again.

    language: the language of the rows and the dev sets
    folder: where the weights are
    rows: the folder of the files with rows
    cache: the folder of vectors; that in `folder` if it is None
    """
    encoder = Cache(cache or folder / "vectors", load_encoder("use"))
    for name in DEVS[language]:
        dev = Trial(name, encoder, sentences=1000)
        scorers = trained(language, folder, dev.columns)
        write = DocumentRows(name, rows)
        write("greedy", "lead", "", dev.lead("greedy"))
        write("top", "lead", "", dev.lead("top"))
        write("top", "random", "", {"shuffled": dev.random()})
        with torch.no_grad():
            if (shipped := model_folder(f"siamese-{language}") / "model.safetensors").exists():
                config = read_network_config(f"cpu-siamese-words-{language}")
                write("coverage", f"siamese-{language}", "42", dev.coverage(*restored(shipped, config, dev.columns)))
            for row, seed in sorted(scorers):
                if row in NEAREST and not write.has("coverage", row, str(seed)):
                    write("coverage", row, str(seed), dev.coverage(*scorers[row, seed]))
            for row, without in CONTROLLED.items():
                seeds = [seed for seed in SEEDS if {(row, seed), (without, seed)} <= scorers.keys()]
                names = {"study": "siamese", "set": name, "row": row, "without": without}
                names["seeds"] = " ".join(map(str, seeds))
                measured = read_rows("length-control.csv", rows)
                if seeds and not any(names.items() <= line.items() for line in measured):
                    pairs = [(scorers[row, seed], scorers[without, seed]) for seed in seeds]
                    lines = [{**names, **gain(dev, pairs, limit)} for limit in dev.budgets]
                    update_rows("length-control.csv", [*names, "budget"], lines, rows)


class DocumentRows:
    """The rows of one dev set in siamese-documents.csv."""

    KEY = ("set", "selector", "row", "seed")

    def __init__(self, dev: str, folder: Path) -> None:
        self._dev, self._folder = dev, folder

    def has(self, selector: str, row: str, seed: str) -> bool:
        """Tell whether a row was measured."""
        key = (self._dev, selector, row, seed)
        lines = read_rows("siamese-documents.csv", self._folder)
        return any(tuple(line[column] for column in self.KEY) == key for line in lines)

    def __call__(self, selector: str, row: str, seed: str, figures: dict[str, float]) -> None:
        """Write R-1 of a row: for some sentences, within three lengths, and shuffled."""
        cells = {key: f"{value:.2f}" for key, value in figures.items()}
        lengths = [cells[key] for key in cells if key not in ("sentences", "shuffled")] or [""] * 3
        line: Line = dict(zip(self.KEY, (self._dev, selector, row, seed), strict=True))
        line |= {"sentences": cells.get("sentences", "")}
        line |= dict(zip(("short", "middle", "long"), lengths, strict=True))
        line |= {"shuffled": cells.get("shuffled", "")}
        update_rows("siamese-documents.csv", self.KEY, [line], self._folder)


class NoVectors:
    """An encoder for what needs no vectors."""

    name, fingerprint = "none", ""

    def encode(self, sentences: Sequence[str]) -> Matrix:
        """Return one zero for each sentence."""
        return np.zeros((len(sentences), 1), dtype=np.float32)


def untrained() -> dict[str, tuple[Callable[[Document], Values], tuple[str, ...]]]:
    """Return values that nothing was trained for, by name, and the selectors that they are measured with."""
    tfidf, coverage, textrank = load_encoder("tfidf"), SCORERS.create("coverage:bias=0"), SCORERS.create("textrank")

    def words(document: Document, power: float) -> Values:
        sizes = np.array([max(len(text), 1) for text in document.texts], dtype=np.float64)
        values: Values = coverage.score(document, np.zeros((len(document), 0), np.float32)) / sizes**power
        return values

    return {
        "the same value for all": (lambda one: np.ones(len(one)), ("coverage",)),
        "length": (lambda one: np.array([len(text) for text in one.texts], dtype=np.float64), ("top", "coverage")),
        "word coverage without positions": (lambda one: words(one, 0.0), ("top", "coverage")),
        "the same / length^0.5": (lambda one: words(one, 0.5), ("top", "coverage")),
        "the same / length": (lambda one: words(one, 1.0), ("top", "coverage")),
        "TextRank (tf-idf)": (lambda one: textrank.score(one, tfidf.encode(one.texts)), ("top",)),
    }


def measure_controls(language: str, folder: Path, rows: Path, cache: Path | None) -> None:
    """Measure what needs no training, and the shipped model beside it: R-1 of whole documents, also shuffled.

    language: the language of the dev sets
    folder: where vectors are cached, unless `cache` says so
    rows: the folder of the file with rows
    cache: another folder for vectors
    """
    shipped = model_folder(f"siamese-{language}") / "model.safetensors"
    vectors = Cache(cache or folder / "vectors", load_encoder("use")) if shipped.exists() else NoVectors()
    for name in DEVS[language]:
        dev = Trial(name, vectors, sentences=1000)
        lead, random = dev.lead("top")["sentences"], dev.random()
        lines = [
            _control(name, "first sentences", "top", lead, random),
            _control(name, "random", "top", random, random),
        ]
        for title, (score_of, selectors) in untrained().items():
            values = dev.scored(score_of)
            lines += [_control(name, title, selector, *dev.control(selector, *values)) for selector in selectors]
        if shipped.exists():
            config = read_network_config(f"cpu-siamese-words-{language}")
            with torch.no_grad():
                values = dev.network_values(*restored(shipped, config, dev.columns))
            title = f"trained: `siamese-{language}`"
            lines += [
                _control(name, title, selector, *dev.control(selector, *values)) for selector in ("top", "coverage")
            ]
        for line in lines:
            print(*line.values(), flush=True)
        update_rows("controls.csv", ("set", "values", "selection"), lines, rows)


def _control(dev: str, values: str, selector: str, as_is: float, shuffled: float) -> Line:
    figures = {"as_is": f"{as_is:.1f}", "shuffled": f"{shuffled:.1f}"}
    names = {"set": dev, "values": values, "selection": f"`{selector}`"}
    return {**names, **figures, "measured_by": "siamese.py --controls"}


Trained = tuple[ScoringNetwork, ScorerConfig]


def trained(language: str, folder: Path, columns: int) -> dict[tuple[str, int], Trained]:
    """Return the scorers whose weights were kept, by row and seed."""
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


def gain(dev: Trial, pairs: Sequence[tuple[Trained, Trained]], limit: int) -> Line:
    """Return what one scorer of each pair adds to the other within a length: the mean of the pairs, with its bounds."""
    with_control, without = (np.mean([dev.within(*pair[side], limit) for pair in pairs], axis=0) for side in (0, 1))
    added = paired_bootstrap(with_control, without)
    bounds = {"delta": f"{added.mean:+.2f}", "low": f"{added.low:+.2f}", "high": f"{added.high:+.2f}"}
    return {"budget": f"{limit} chars", **bounds}
