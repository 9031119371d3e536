"""Learn, without labels, how sentences look that stand alone: like the first of a text or of a paragraph.

Two tasks share their weights. One tells the first sentence of a text from the sentences inside, by what the sentence
itself shows; the other tells the first sentence of a paragraph from those inside, by what was said before as well. A
sentence inside may stand alone too, so the score becomes a probability by an assumed share of those that do not.
"""

from array import array
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tersely.errors import InputError
from tersely.io.files import write_whole
from tersely.io.lines import to_json
from tersely.learn.corpus import FEWEST_DOCUMENTS, Corpus
from tersely.read._openings import CONTEXT, Openings, features, tokens
from tersely.text import Document, Language

Vector = NDArray[np.float64]
# English and Chinese have models of their own; one without words is for all others.
MODELS: tuple[Language, ...] = ("en", "zh", "other")
_HELD_OUT = 0.1
_WORDS = ("1 ", "2 ", "3 ")  # how the features of first words begin


@dataclass(frozen=True)
class OpeningsConfig:
    """How the model is trained, and how large it may become."""

    sentences: int = 40  # read at most this many of each document
    inside: int = 8  # compare a first sentence with at most this many of the same text
    words: int = 500  # frequent words of a language, which are no names
    seldom: int = 40  # features that fewer examples have are left out
    weights: int = 1200  # keep at most this many weights per language
    paragraphs: float = 0.3  # how much the second task counts
    penalty: float = 30.0  # on squared weights
    steps: int = 100
    share: float = 0.5  # of the sentences inside that are assumed to need others
    mistaken: float = 0.05  # share of first sentences above the threshold
    seed: int = 1


@dataclass
class Examples:
    """Sentences as rows of feature numbers, each with a class (1 for inside) and the weight of its document."""

    number: dict[str, int] = field(default_factory=dict)
    flat: "array[int]" = field(default_factory=lambda: array("i"))
    starts: "array[int]" = field(default_factory=lambda: array("i"))
    inside: list[bool] = field(default_factory=list)
    task: list[int] = field(default_factory=list)
    weight: list[float] = field(default_factory=list)

    def add(self, found: Sequence[str], inside: bool, task: int, weight: float) -> None:
        """Add a sentence."""
        self.starts.append(len(self.flat))
        # Each task has its own bias, which no sentence has at inference.
        self.flat.extend([self.number.setdefault(name, len(self.number)) for name in (*found, f"task {task}")])
        self.inside.append(inside)
        self.task.append(task)
        self.weight.append(weight)

    def balanced(self, paragraphs: float) -> Vector:
        """Return the weights of the examples: in each task both classes weigh the same, and 1 on average."""
        weight, task, inside = np.array(self.weight), np.array(self.task), np.array(self.inside)
        for kind, share in ((0, 1.0), (1, paragraphs)):
            for side in (False, True):
                chosen = (task == kind) & (inside == side)
                if chosen.any():
                    weight[chosen] *= share * chosen.size / weight[chosen].sum() / 4
        return weight


def train_openings(
    corpus: Corpus, config: OpeningsConfig, made: str, out: Path, say: Callable[[str], None]
) -> dict[str, Any]:
    """Train each model and write all of them to one file; `made` says how it was made."""
    train, held_out = corpus.split(_HELD_OUT)
    languages: dict[str, Any] = {}
    for language in MODELS:
        ours, theirs = (
            [corpus.documents[i] for i in part if _reads(language, corpus.documents[i])] for part in (train, held_out)
        )
        if min(len(ours), len(theirs)) < FEWEST_DOCUMENTS // 10 or not ours:
            raise InputError(f"the corpus has only {len(ours) + len(theirs)} documents to learn '{language}' from")
        languages[language], area = fit_language(language, ours, theirs, config)
        say(f"{language}: {len(ours):,} documents, {len(languages[language]['weights']):,} weights, AUC {area:.3f}")
    stored = {"made": made, "languages": languages}
    write_whole(out, (to_json(stored) + "\n").encode())
    return stored


def fit_language(
    language: Language, documents: Sequence[Document], held_out: Sequence[Document], config: OpeningsConfig
) -> tuple[dict[str, Any], float]:
    """Return the model of a language as it is stored, and its AUC for first sentences of texts held out."""
    words = _frequent(documents, config.words) if language == "en" else []
    examples = _examples(documents, frozenset(words), config)
    # The model of other languages has no words: it must do for languages that are not in the corpus.
    weights = _fit(examples, config, _WORDS if language == "other" else ())
    model = Openings(frozenset(words), weights, (1.0, 0.0), 0.0)
    first, inside = _scores(held_out, model)
    slope, intercept = calibrate(first, inside, config.share)
    high = slope * float(np.quantile(first, 1 - config.mistaken)) + intercept
    threshold = 1 / (1 + np.exp(-high))
    stored = {
        "words": " ".join(words),
        "scale": [round(slope, 3), round(intercept, 3)],
        "threshold": round(float(threshold), 3),
        "weights": weights,
    }
    return stored, area_under_curve(first, inside)


def _reads(language: Language, document: Document) -> bool:
    """Tell whether a model learns from a document; that of other languages learns from all but Chinese ones."""
    return document.language == language or (language == "other" and document.language != "zh")


def _frequent(documents: Sequence[Document], count: int) -> list[str]:
    """Return the words (in Chinese, characters and pairs of them) that most documents have."""
    seen: Counter[str] = Counter()
    for document in documents:
        rows = tokens(document)
        found = {token.lower() for row in rows for token in row}
        if document.language == "zh":
            found |= {one + other for row in rows for one, other in pairwise(row)}
        seen.update(word for word in found if word.replace("'", "").replace("’", "").isalpha())
    return sorted(sorted(seen), key=lambda word: -seen[word])[:count]


def _usable(document: Document, number: int) -> bool:
    """Tell whether a sentence is a whole one, and not a heading or a fragment."""
    text = document.texts[number]
    return len(text) >= (8 if document.language == "zh" else 20) and text[-1] in ".!?。！？…”\"'’"


def paragraph_starts(document: Document) -> set[int] | None:
    """Return the sentences with which paragraphs begin, or None if the text has no paragraphs of several sentences.

    >>> sorted(paragraph_starts(Document.from_text("It rained. It poured. It stopped.\\n\\nWe left. We slept.")))
    [0, 3]
    >>> paragraph_starts(Document.from_text("It rained.\\nIt poured."))
    """
    spans = document.sentences
    gaps = (document.text[one.end : other.start] for one, other in pairwise(spans))
    starts = {0, *(number for number, gap in enumerate(gaps, 1) if "\n" in gap)}
    return starts if len(starts) > 1 and 2 * len(starts) <= len(spans) else None


def _examples(documents: Sequence[Document], words: frozenset[str], config: OpeningsConfig) -> Examples:
    rng = np.random.default_rng(config.seed)
    examples = Examples()
    for document in documents:
        rows = features(document, words)
        usable = [number for number in range(len(rows)) if _usable(document, number)]
        later = [number for number in usable if number]
        if usable and not usable[0] and later:
            examples.add(rows[0], False, 0, 1.0)
            chosen = rng.permutation(later)[: config.inside]
            for number in chosen.tolist():
                own = [name for name in rows[number] if not name.startswith(CONTEXT)]
                examples.add(own, True, 0, 1 / len(chosen))
        starts = paragraph_starts(document) if later else None
        for number in later if starts else ():
            examples.add(rows[number], number not in (starts or ()), 1, 1 / len(later))
    return examples


def _fit(examples: Examples, config: OpeningsConfig, without: tuple[str, ...]) -> dict[str, int]:
    """Fit a logistic regression by Adam on all examples at once; keep the weights that matter, in hundredths.

    Features whose names begin as `without` says are left out.
    """
    flat, starts = np.array(examples.flat), np.array(examples.starts)
    count = np.bincount(flat)
    kept = count >= config.seldom
    kept[[number for name, number in examples.number.items() if name.startswith(without)]] = False
    sizes = np.diff(np.append(starts, len(flat)))
    inside, weight = np.array(examples.inside, dtype=float), examples.balanced(config.paragraphs)
    w = np.zeros(len(count))
    mean, square = np.zeros_like(w), np.zeros_like(w)
    for step in range(1, config.steps + 1):
        logit = np.add.reduceat(w[flat], starts)
        slip = weight * (1 / (1 + np.exp(-logit)) - inside)
        gradient = np.where(kept, np.bincount(flat, np.repeat(slip, sizes), minlength=len(w)) + config.penalty * w, 0)
        mean, square = 0.9 * mean + 0.1 * gradient, 0.99 * square + 0.01 * gradient**2
        rate = 0.1 * (1 - step / (config.steps + 1))
        w -= rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
    matters = np.abs(w) * np.sqrt(count)
    order = sorted(
        ((name, number) for name, number in examples.number.items() if kept[number] and name[:4] != "task"),
        key=lambda item: -matters[item[1]],
    )
    rounded = {name: round(100 * w[number]) for name, number in order[: config.weights]}
    return {name: value for name, value in sorted(rounded.items()) if value}


def _scores(documents: Sequence[Document], model: Openings) -> tuple[Vector, Vector]:
    """Return the scores of first sentences and of those inside.

    The score of a first sentence gets what earlier sentences add to others on average, so that the two compare.
    """
    first, inside, context = [], [], []
    for document in documents:
        for number, found in enumerate(features(document, model.words)):
            if not _usable(document, number):
                continue
            own, other = (
                sum(model.weights.get(name, 0) for name in found if name.startswith(CONTEXT) == side) / 100
                for side in (False, True)
            )
            if number:
                inside.append(own + other)
                context.append(other)
            else:
                first.append(own)
    return np.array(first) + np.mean(context), np.array(inside)


def calibrate(first: Vector, inside: Vector, share: float) -> tuple[float, float]:
    """Return slope and intercept from a score to the logit of the probability that a sentence inside needs others.

    The slope tells first sentences from those inside. Nothing in the texts says how many of those inside need others:
    the intercept makes the mean probability `share`.
    """
    scores = np.concatenate([first, inside])
    is_inside = np.arange(len(scores)) >= len(first)
    slope, _ = _platt(scores, is_inside.astype(float), np.where(is_inside, 0.5 / len(inside), 0.5 / len(first)))
    low, high = -100.0, 100.0
    for _ in range(60):
        middle = (low + high) / 2
        mean = float(np.mean(1 / (1 + np.exp(-np.clip(slope * inside + middle, -30, 30)))))
        low, high = (middle, high) if mean < share else (low, middle)
    return slope, middle


def _platt(scores: Vector, target: Vector, weight: Vector) -> tuple[float, float]:
    """Fit the logistic function of a score by Newton's method."""
    x = np.stack([scores, np.ones_like(scores)])
    w = np.zeros(2)
    for _ in range(30):
        p = 1 / (1 + np.exp(-np.clip(w @ x, -30, 30)))
        curve = (x * (weight * p * (1 - p))) @ x.T + 1e-6 * np.eye(2)
        w -= np.linalg.solve(curve, x @ (weight * (p - target)) + 1e-6 * w)
    return float(w[0]), float(w[1])


def area_under_curve(lower: Vector, higher: Vector) -> float:
    """Return how often a value of the second kind is above one of the first; equal values count half.

    >>> area_under_curve(np.array([1.0, 2.0]), np.array([2.0, 3.0]))
    0.875
    """
    lower = np.sort(lower)
    below, upto = np.searchsorted(lower, higher, "left"), np.searchsorted(lower, higher, "right")
    return float(np.mean(below + upto) / 2 / len(lower))
