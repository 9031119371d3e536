"""Learn, without labels, how sentences are worded that say what their text is about.

A sentence covers its text well if it has many of the words that other sentences have, for its length. A ridge
regression tells from words, pairs of words and marks how a sentence ranks among those of its text. Only what is
frequent in several kinds of text is a feature, so that the weights are about wording, not about topics.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tersely.errors import InputError
from tersely.io.files import write_whole
from tersely.io.lines import Fault, read_objects, to_json
from tersely.score._cues import features
from tersely.text import Document, Language
from tersely.text.words import term_weights

Vector = NDArray[np.float64]
_FEWEST_DOCUMENTS = 300
_ROWS = 20_000  # sentences whose features are held as a matrix at a time


@dataclass(frozen=True)
class CuesConfig:
    """How the weights are learned."""

    documents: int = 600  # of each kind, at most
    chars: int = 40_000  # of each document, at most
    sentences: int = 60  # of each document, at most, spread over it
    share: float = 0.05  # a feature is in at least this share of the documents of a kind ...
    kinds: int = 3  # ... for at least so many kinds
    penalty: float = 9.0  # on squared weights


@dataclass(frozen=True)
class _Text:
    kind: str
    sentences: list[frozenset[str]]
    ranks: Vector


def learn_cues(
    paths: Iterable[Path], field: str, config: CuesConfig, command: str, out: Path, say: Callable[[str], None]
) -> None:
    """Learn the weights of every language with enough texts of enough kinds, and write them to a file."""
    texts: dict[Language, list[_Text]] = defaultdict(list)
    for kind, text in _read(paths, field, config.documents):
        document = Document.from_text(text[: config.chars])
        if len(document) > 5:
            texts[document.language].append(_seen(kind, document, config.sentences))
    found = {}
    for language, own in sorted(texts.items()):
        kinds = Counter(text.kind for text in own)
        if len(kinds) < config.kinds or len(own) < _FEWEST_DOCUMENTS:
            say(f"{language}: {len(own)} texts of {len(kinds)} kinds are too few")
            continue
        found[language] = weights = _weights(own, config)
        say(f"{language}: {len(own)} texts of {len(kinds)} kinds, {len(weights)} weights")
    if not found:
        raise InputError(f"no language has {_FEWEST_DOCUMENTS} texts of {config.kinds} kinds (field '{field}')")
    write_whole(out, (to_json({"command": command, "cues": found}) + "\n").encode())


def coverage_ranks(document: Document) -> Vector:
    """Return how well each sentence covers the words of other sentences for its length, from -0.5 to 0.5.

    >>> text = "Rain fell on Rome. Rain in Rome floods the Tiber. The Tiber rose. Nobody slept."
    >>> coverage_ranks(Document.from_text(text)).round(2).tolist()
    [0.17, 0.5, -0.17, -0.5]
    """
    others = np.maximum(term_weights(document.terms, once=1.0) - 1, 0)
    content = np.array([others[row].sum() for row in document.terms.sentences])
    density = content / np.array([max(len(text), 1) for text in document.texts]) ** 0.7
    ranks: Vector = np.argsort(np.argsort(density, kind="stable"), kind="stable") / max(len(document) - 1, 1) - 0.5
    return ranks


def _read(paths: Iterable[Path], field: str, most: int) -> Iterator[tuple[str, str]]:
    """Yield kinds and texts, of each kind the first ones."""
    seen: Counter[str] = Counter()
    for path in paths:
        for item in read_objects(path):
            if isinstance(item, Fault):
                raise InputError(str(item))
            _, record = item
            kind, text = str(record.get(field, path.name)), record.get("text")
            if isinstance(text, str) and seen[kind] < most:
                seen[kind] += 1
                yield kind, text


def _seen(kind: str, document: Document, most: int) -> _Text:
    every = max(1, -(-len(document) // most))
    rows = [i for i in islice(range(len(document)), 0, None, every) if len(document.texts[i]) > 25]
    language = document.language
    return _Text(
        kind,
        [frozenset(features(document.words[i], document.texts[i], language)) for i in rows],
        coverage_ranks(document)[rows],
    )


def _weights(texts: list[_Text], config: CuesConfig) -> dict[str, int]:
    number = {name: n for n, name in enumerate(_vocabulary(texts, config))}
    gram = config.penalty * np.eye(len(number))
    target = np.zeros(len(number))
    for x, y in _blocks(texts, number):
        gram += x.T @ x
        target += x.T @ y
    solved = np.linalg.solve(gram, target)
    return {name: weight for name, n in number.items() if (weight := round(100 * float(solved[n])))}


def _vocabulary(texts: list[_Text], config: CuesConfig) -> list[str]:
    """Return the features that are frequent in several kinds of text."""
    documents = Counter(text.kind for text in texts)
    have: dict[str, Counter[str]] = defaultdict(Counter)
    for text in texts:
        have[text.kind].update(set().union(*text.sentences))
    frequent = Counter(
        name
        for kind, names in have.items()
        for name, count in names.items()
        if count >= max(config.share * documents[kind], 8)
    )
    return sorted(name for name, kinds in frequent.items() if kinds >= config.kinds)


def _blocks(texts: list[_Text], number: dict[str, int]) -> Iterator[tuple[Vector, Vector]]:
    """Yield features and ranks of sentences; a text counts by the square root of its number of sentences."""
    rows = [
        ([number[name] for name in seen if name in number], rank, len(text.sentences) ** -0.5)
        for text in texts
        for seen, rank in zip(text.sentences, text.ranks.tolist(), strict=True)
    ]
    for start in range(0, len(rows), _ROWS):
        block = rows[start : start + _ROWS]
        x = np.zeros((len(block), len(number)))
        for row, (columns, _, weight) in enumerate(block):
            x[row, columns] = weight
        yield x, np.array([rank * weight for _, rank, weight in block])
