"""Trains the editor's network without labels, and says what it learns and what that is worth for the editor.

The target is Ext-Doc in words: the choice of sentences that covers most of a text's words. Half of the texts are
shuffled, so the network must learn from words, too. Each row of results/choice.csv has ROUGE-1 of whole documents, as
they are and shuffled; `siamese.py --controls` has what needs no training. With `--pretraining`, results/pretraining.csv
has what the same texts are worth before the network learns from labels: of all languages, or for a language of which it
sees no label. What has a row is not trained again.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from pages import RESULTS, read_rows, update_rows, write_pages
from siamese import learn
from siamese_rows import configurations
from siamese_trial import DATA, DEVS, NoVectors, Trial, batches, untrained
from tersely.encode import Cache, load_encoder
from tersely.evaluate.measures import paired_bootstrap
from tersely.io.lines import Fault, read_objects
from tersely.learn.corpus import Corpus
from tersely.learn.editor_labels import Lesson, WordChoice, read_lessons, unlabeled_lesson, unlabeled_lessons
from tersely.learn.editor_run import (
    EditorConfig,
    figures_of,
    one_thread,
    rank_correlation,
    read_editor_config,
    stored,
    train,
)
from tersely.learn.training import TrainingProgress
from tersely.paper.batches import Order
from tersely.paper.objectives import score
from tersely.paper.selection import selector
from tersely.paper.train_scorer import make_documents, start
from tersely.read import Network
from tersely.read.reader import ROLES
from tersely.read.tokens import Floats
from tersely.score import Values
from tersely.score.classic import Coverage
from tersely.text import Document

Scores = NDArray[np.float64]  # R-1 by document
SELECTORS = ("top", "coverage")
LEAD = 3
# The paper trains on texts like those that it measures. Here are the sources of the dev sets, how many of their texts
# are taken, and how often each is seen, in another random order each time.
SOURCES, ALIKE, TIMES = {"en": ("cnndm",), "zh": ("pku", "xinwenlianbo")}, 1200, 3
# Some label files of the editor, and how many documents of them a row learns from.
LABELS, DEV, SIZES = DATA / "editor" / "train.jsonl.gz", DATA / "editor" / "dev.jsonl.gz", (0, 100, 441)
KINDS = ("none", "words", "choice", "siamese", "both")
CACHE = Path(__file__).parents[1] / "build" / "siamese" / "vectors"


def main() -> None:
    """Train what has no row yet, and measure it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--language", choices=[*DEVS], default="en")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3, 4, 5], metavar="N")
    parser.add_argument("--pretraining", action="store_true", help="what it is worth for the editor")
    parser.add_argument("--documents", type=int, default=3000, metavar="N", help="learn from at most so many texts")
    parser.add_argument("--labels", type=int, nargs="+", default=SIZES, metavar="N", help="with --pretraining")
    parser.add_argument("--without", metavar="LANGUAGE", help="with --pretraining: measure this language, unlabeled")
    parser.add_argument("--cache", type=Path, default=CACHE, metavar="DIR", help="folder for vectors")
    parser.add_argument("--rows", type=Path, default=RESULTS, metavar="DIR", help="folder of the rows")
    args = parser.parse_args()
    if not DATA.is_dir():
        sys.exit(f"no documents at {DATA}: set TERSELY_DATA")
    if args.pretraining:
        measure_pretraining(args)
    else:
        measure_choice(args.language, args.seeds, args.documents, args.rows)
    if args.rows == RESULTS:
        write_pages()


def some_texts(paths: Sequence[Path], most: int, source: str = "") -> list[str]:
    """Return texts that are spread over the lines of some files, or over those of one source, at most so many."""
    items = (item for path in paths for item in read_objects(path))
    lines = [item[1] for item in items if not isinstance(item, Fault)]
    lines = [line for line in lines if not source or line["source"] == source]
    return [line["text"] for line in lines[:: max(-(-len(lines) // most), 1)]]


def first_sentences(document: Document) -> Floats:
    """Return 1 for the first sentences: lead as a label, which is a control and no objective of the paper."""
    worth = np.zeros(len(document), np.float32)
    worth[:LEAD] = 1.0
    return worth


def measure_choice(language: str, seeds: Sequence[int], most: int, rows: Path) -> None:
    """Train with each seed, and a control that learns where texts begin, and write their rows."""
    config = read_editor_config("cpu-choice")
    settings = config.pretraining
    paths = [DATA / language / "train.jsonl.gz"]
    mixed, sources = some_texts(paths, most), SOURCES[language]
    alike = [text for source in sources for text in some_texts(paths, min(most, ALIKE // len(sources)), source)]
    devs = {name: DevLessons(name) for name in DEVS[language]}
    choice = WordChoice({}, settings.sentences, settings.dense_characters)
    kinds: list[tuple[str, WordChoice | Callable[[Document], Floats], float, Sequence[int], list[str], int]] = [
        ("choice of words", choice, settings.shuffled, seeds, mixed, 1),
        ("choice of words, texts of the same sources", choice, settings.shuffled, seeds, alike, TIMES),
        ("choice of words, all texts shuffled", choice, 1.0, seeds[:1], mixed, 1),
        ("control: first sentences as labels, all texts shuffled", first_sentences, 1.0, seeds[:1], mixed, 1),
        ("the same control, texts of the same sources", first_sentences, 1.0, seeds[:1], alike, TIMES),
    ]
    for title, worth, shuffled, some, texts, times in kinds:
        keys = [(name, title, str(seed)) for seed in some for name in devs]
        measured = {(row["set"], row["values"], row["seed"]) for row in read_rows("choice.csv", rows)}
        if measured.issuperset(keys):
            continue
        lessons = [lesson for order in range(times) for lesson in unlabeled_lessons(texts, worth, shuffled, seed=order)]
        for seed in some:
            write(title, seed, learned(replace(config, seed=seed), lessons), devs, rows)


def write(title: str, seed: int, network: Network, devs: Mapping[str, "DevLessons"], rows: Path) -> None:
    """Measure a network, and write its rows."""
    for name, dev in devs.items():
        names = {"set": name, "values": title, "seed": str(seed)}
        lines = [{**names, "selection": f"`{how}`", **dev.rouge1(network, how)} for how in SELECTORS]
        for line in lines:
            print(*line.values(), flush=True)
        update_rows("choice.csv", [*names, "selection"], lines, rows)


class DevLessons:
    """Documents with references, as they are and shuffled, ready for networks to read."""

    def __init__(self, name: str) -> None:
        self._trial = Trial(name, NoVectors(), sentences=1000)
        self._lessons: dict[int, Lesson] = {}

    def rouge1(self, network: Network, selector: str) -> dict[str, str]:
        """Return R-1 of what a selector takes by the network's values.

        Beside it, with intervals: what that is above the first sentences, and shuffled above the best control.
        """
        as_is, shuffled = self._by_document(selector, lambda document: self._values(network, document))
        figures = {"as_is": f"{as_is.mean():.2f}", "shuffled": f"{shuffled.mean():.2f}"}
        first, _ = self._by_document("top", lambda document: np.arange(len(document), 0, -1, dtype=np.float64))
        control, best = self._best_control(selector)
        over_lead, over_control = paired_bootstrap(as_is, first), paired_bootstrap(shuffled, best)
        return figures | {"over_lead": str(over_lead), "control": control, "over_control": str(over_control)}

    def _by_document(self, selector: str, score_of: Callable[[Document], Values]) -> tuple[Scores, Scores]:
        return self._trial.by_document(selector, *self._trial.scored(score_of))

    @cache  # noqa: B019  a few objects, which live as long as the process
    def _best_control(self, selector: str) -> tuple[str, Scores]:
        """Return the name and the figures of what is best on shuffled documents without any training."""
        controls = {title: score_of for title, (score_of, selectors) in untrained().items() if selector in selectors}
        scores = {title: self._by_document(selector, score_of)[1] for title, score_of in controls.items()}
        return max(scores.items(), key=lambda item: item[1].mean())

    def _values(self, network: Network, document: Document) -> Values:
        if id(document) not in self._lessons:  # the trial keeps its documents
            lesson = unlabeled_lesson(document, worth=lambda text: np.zeros(len(text), np.float32))
            assert lesson is not None
            self._lessons[id(document)] = lesson
        lesson = self._lessons[id(document)]
        worth = network(lesson.tokens, lesson.terms, lesson.features).worth.astype(np.float64)
        values: Values = np.exp(worth - worth.max())
        return values


def learned(config: EditorConfig, lessons: Sequence[Lesson], unlabeled: Sequence[Lesson] = ()) -> Network:
    """Train a network, and return it as it would be stored."""

    def quiet(_: TrainingProgress) -> None:
        pass

    with tempfile.TemporaryDirectory() as folder, torch.random.fork_rng(), one_thread():
        state = train(config, lessons, [], Path(folder), quiet, unlabeled)
        return Network(stored(state.network))


def measure_pretraining(args: argparse.Namespace) -> None:
    """Train the editor on all, some and none of the labels, each after several kinds of pretraining.

    If a language is to be without labels, its labeled documents are measured, all labels are English, and the texts
    without labels are of that language.
    """
    config, language = read_editor_config("editor"), args.without
    labeled, dev = list(read_lessons([LABELS], DATA)), list(read_lessons([DEV], DATA))
    paths = [DATA / name for name in ("en/train.jsonl.gz", "zh/train.jsonl.gz", "train_genres.jsonl.gz")]
    if language:
        dev = [lesson for lesson in [*labeled, *dev] if lesson.row["language"] == language]
        labeled = [lesson for lesson in labeled if lesson.row["language"] == "en"]
        paths = [DATA / language / "train.jsonl.gz"]
    texts = Unlabeled(some_texts(paths, args.documents), args.cache)
    names = {"language": language or "all", "labels": "0", "pretraining": "lead", "seed": ""}
    update_rows("pretraining.csv", [*names], [{**names, **lead_figures(dev)}], args.rows)
    for size in args.labels:
        count = min(size, len(labeled))
        step = max(len(labeled) // count, 1) if count else 1
        for kind in KINDS:
            for seed in args.seeds:
                names = {"language": language or "all", "labels": str(count), "pretraining": kind, "seed": str(seed)}
                measured = any(names.items() <= row.items() for row in read_rows("pretraining.csv", args.rows))
                if measured or (kind == "none" and not count):
                    continue
                run = replace(config, seed=seed)
                unlabeled = texts.lessons(kind, seed if kind in ("siamese", "both") else 0)
                if count:
                    network = learned(run, labeled[::step][:count], unlabeled)
                else:
                    once = replace(run.training, epochs=1, repeat=1)
                    network = learned(replace(run, training=once), unlabeled)
                figures = {name: f"{100 * value:.1f}" for name, value in figures_of(network, dev).items()}
                print(*names.values(), *figures.values(), flush=True)
                update_rows("pretraining.csv", [*names], [{**names, **figures}], args.rows)


def lead_figures(lessons: Sequence[Lesson]) -> dict[str, str]:
    """Return what a network would reach that learned nothing but that earlier sentences are worth more."""
    places = [-np.arange(len(lesson.worth), dtype=np.float32) for lesson in lessons]
    figures: dict[str, list[float]] = {
        "worth": [rank_correlation(place, lesson.worth) for place, lesson in zip(places, lessons, strict=True)],
        "first": [float(not lesson.choice.argmax()) for lesson in lessons if lesson.choice.any()],
        "main": [float(lesson.roles[0] == ROLES.index("main")) for lesson in lessons],
    }
    return {name: f"{100 * np.mean(numbers):.1f}" for name, numbers in figures.items()}


class Unlabeled:
    """Texts without labels, and what there is to learn from them; the siamese terms need a folder for vectors."""

    def __init__(self, texts: Sequence[str], vectors: Path) -> None:
        self._texts, self._vectors = texts, vectors
        self.lessons = cache(self._make_lessons)
        self._siamese = cache(self._train_siamese)

    def _make_lessons(self, kind: str, seed: int) -> Sequence[Lesson]:
        """Return the lessons of a kind of pretraining; the seed is that of a siamese scorer."""
        if kind == "none":
            return ()
        if kind in ("words", "choice"):
            worth, shuffled = (WordChoice(), 0.5) if kind == "choice" else (word_shares, 0.0)
            return list(unlabeled_lessons(self._texts, worth, shuffled, seed=0))
        words, siamese = self.lessons("words", 0), self._siamese(seed)
        share = 0.5 if kind == "both" else 0.0
        return [
            replace(lesson, worth=share * lesson.worth + (1 - share) * siamese(lesson.document)) for lesson in words
        ]

    def _train_siamese(self, seed: int) -> Callable[[Document], Floats]:
        """Train a scorer by Rest-Ext and Ext-Doc alone, as the row `features` of the grid, and return its shares."""
        ((_, _, config),) = configurations("en", [seed], ["features"])
        encoder = Cache(self._vectors, load_encoder("use"))
        texts = (Document.from_text(text, most=config.data.sentences) for text in self._texts)
        corpus = Corpus.of((document, ()) for document in texts)
        order = Order.of(range(len(corpus.documents)), config)
        columns = encoder.encode(corpus.documents[0].texts).shape[1]
        with one_thread():
            documents = make_documents(config, corpus, encoder, order)
            state = start(config, corpus, encoder, columns, Path("none"))
            for step in range(config.training.steps):
                learn(config, state, documents, order, selector(config.selection), step)

        def shares(document: Document) -> Floats:
            (batch,) = batches([document], [encoder.encode(document.texts)], config.features)
            with torch.no_grad():
                values = score(state.network.scorer, batch).values[0]
            parts: Floats = (values / values.sum()).numpy()
            return parts

        return shares


def word_shares(document: Document) -> Floats:
    """Return how much of what a text keeps saying each sentence covers."""
    values = Coverage(0.0).values(document)
    shares: Floats = (values / max(values.sum(), 1e-9)).astype(np.float32)
    return shares


if __name__ == "__main__":
    main()
