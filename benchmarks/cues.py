"""What is worth saying in texts of a kind, learned without labels: phrases of its form, and where it says what counts.

A judgment, a report or a set of minutes has a form: phrases that most texts of the kind share, each in sentences of one
role. Some roles say what the rest of the text comes back to ("the court orders"), some never do ("an appeal may be
filed"). So for each phrase that many texts share, we look at how much its sentences have in common with sentences that
are not their neighbors, and learn a factor. Words that all texts of the kind use count for nothing in this.

    python benchmarks/cues.py texts.jsonl.gz --field source --out cues.json

A kind is all texts with the same value of the field. `factors(document, load(path))` gives a factor for each sentence.
"""

import argparse
import gzip
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from math import exp, log, sqrt
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tersely.learn.news import bias_of
from tersely.text import Document

Values = NDArray[np.float64]

_SPLIT = re.compile(r"[\W\d_]+")
_SHORTEST, _LONGEST = 3, 6  # characters of a phrase
_COMMON = 0.15  # the share of the texts of a kind that must have a phrase
_SURE = 5.0  # Student's t of a phrase that counts
_MOST = 24  # phrases of a kind
_MARKS, _FEWEST_MARKS = 8, 4  # phrases by which a kind is known
_CLEAR = 0.3  # how much more often, at least, texts of the kind have a mark
_LARGEST = 1.2  # the largest logarithm of a factor
_SHARE = 0.2  # how much of a text its summary will keep
_READ = 400  # documents of a kind that are read
_ASKS = "？"  # stands for a sentence that asks


@dataclass(frozen=True)
class Kind:
    """A kind of text: how to know it, what its phrases are worth, and whether it says what counts first or last."""

    name: str
    documents: int
    bias: float
    marks: tuple[str, ...]
    cues: dict[str, float]


def phrases(text: str) -> set[str]:
    """Return the phrases of a sentence: all runs of three to six characters between marks and digits."""
    found = {_ASKS} if text.rstrip("”」\"' ").endswith(("？", "?")) else set()
    for part in _SPLIT.split(text):
        for length in range(_SHORTEST, _LONGEST + 1):
            found.update(part[at : at + length] for at in range(len(part) - length + 1))
    return found


def echoes(document: Document, weight: Callable[[str], float]) -> Values:
    """Return for each sentence how much of it is said elsewhere, but not next to it: logarithms around 0."""
    rows = [set(words) for words in document.words]
    counts = Counter(word for row in rows for word in row)
    heard = np.ones(len(rows))
    for number, row in enumerate(rows):
        near = [rows[other] for other in (number - 1, number + 1) if 0 <= other < len(rows)]
        heard[number] += sum(weight(w) for w in row if counts[w] > 1 + sum(w in other for other in near))
    return np.asarray(np.log(heard / heard.mean() + 0.05), dtype=np.float64)


def learn(name: str, documents: Sequence[Document], others: Sequence[Document]) -> Kind:
    """Learn a kind from its texts; its marks are the phrases that texts of other kinds have least."""
    used = Counter(word for document in documents for word in {w for words in document.words for w in words})

    def weight(word: str) -> float:
        return log((len(documents) + 1) / (used[word] + 1))

    sentences: list[tuple[set[str], float]] = []
    for document in documents:
        values = echoes(document, weight)
        sentences += [(phrases(text), value) for text, value in zip(document.texts, values, strict=True)]
    frequent = _shares(documents)
    common = {phrase for phrase, share in frequent.items() if share >= _COMMON}
    elsewhere = _shares(others)
    contrast = {p: score for p in common - {_ASKS} if (score := frequent[p] - 3 * elsewhere.get(p, 0.0)) > _CLEAR}
    return Kind(
        name,
        len(documents),
        bias_of(documents, _SHARE),
        tuple(_apart(sorted(contrast, key=lambda p: (-contrast[p], -len(p), p)), _MARKS)),
        _cues(sentences, common),
    )


def _shares(documents: Sequence[Document]) -> dict[str, float]:
    """Return the share of the documents that have a phrase."""
    counts = Counter(p for document in documents for p in set().union(*map(phrases, document.texts)))
    return {phrase: count / len(documents) for phrase, count in counts.items()}


def _cues(sentences: Sequence[tuple[set[str], float]], common: set[str]) -> dict[str, float]:
    """Return the surest phrases with the logarithm of their factor; each is judged without those before it."""
    every = np.array([value for _, value in sentences])
    mean, spread = float(every.mean()), float(every.std())
    holders: dict[str, set[int]] = defaultdict(set)
    for number, (found, _) in enumerate(sentences):
        for phrase in found & common:
            holders[phrase].add(number)
    cues: dict[str, float] = {}
    while len(cues) < _MOST and holders:
        best, phrase = max((abs(_t(every[list(rows)], mean, spread)), p) for p, rows in holders.items())
        if best < _SURE:
            break
        # Of phrases in the same sentences, the longest says most.
        taken = holders[phrase]
        phrase = max((p for p, rows in holders.items() if rows == taken), key=lambda p: (len(p), p))
        effect = float(every[list(taken)].mean()) - mean
        cues[phrase] = round(max(-_LARGEST, min(_LARGEST, effect)), 3)
        holders = {p: left for p, rows in holders.items() if len(left := rows - taken) > 5}
    return cues


def _t(values: Values, mean: float, spread: float) -> float:
    return (float(values.mean()) - mean) / (spread / sqrt(len(values)))


def _apart(candidates: Iterable[str], most: int) -> list[str]:
    """Return the first candidates of which none shares three characters with another."""
    chosen: list[str] = []
    for candidate in candidates:
        pieces = {candidate[at : at + _SHORTEST] for at in range(len(candidate) - _SHORTEST + 1)}
        if not any(piece in other for piece in pieces for other in chosen):
            chosen.append(candidate)
        if len(chosen) == most:
            break
    return chosen


def kind_of(document: Document, kinds: Sequence[Kind]) -> Kind | None:
    """Return the kind of which a text has the most marks, if it has at least half of them."""
    shares = [sum(mark in document.text for mark in kind.marks) / max(len(kind.marks), 1) for kind in kinds]
    best = int(np.argmax(shares)) if shares else 0
    return kinds[best] if shares and shares[best] >= 0.5 else None


def factors(document: Document, kinds: Sequence[Kind]) -> Values:
    """Return one factor for each sentence; all are 1 in a text of no kind that was learned."""
    kind = kind_of(document, kinds)
    if kind is None:
        return np.ones(len(document))
    place = np.arange(len(document), dtype=np.float64)
    result = (1 + (place if kind.bias >= 0 else place[::-1])) ** -abs(kind.bias)
    for number, text in enumerate(document.texts):
        asks = text.rstrip("”」\"' ").endswith(("？", "?"))
        found = [value for cue, value in kind.cues.items() if (asks if cue == _ASKS else cue in text)]
        result[number] *= exp(max(found, key=abs, default=0.0))
    return np.asarray(result, dtype=np.float64)


def load(path: Path) -> list[Kind]:
    """Read what `main` wrote."""
    rows = json.loads(path.read_text(encoding="utf-8"))
    return [Kind(**(row | {"marks": tuple(row["marks"])})) for row in rows]


def main() -> None:
    """Learn every kind in a file of documents."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("files", nargs="+", type=Path, help="gzip JSONL with 'text'")
    parser.add_argument("--field", default="source", help="the field that names the kind")
    parser.add_argument(
        "--with", dest="formula", help="read only texts that match this pattern, as a kind of their own"
    )
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    kinds: dict[str, list[Document]] = defaultdict(list)
    formula = re.compile(given.formula, re.DOTALL) if given.formula else None
    for file in given.files:
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                name = "formula" if formula and formula.search(row["text"]) else str(row.get(given.field, file.stem))
                if len(kinds[name]) < _READ and len(document := Document.from_text(row["text"][:20_000])) > 3:
                    kinds[name].append(document)
    learned = [
        learn(name, documents, [other for rest in kinds.values() if rest is not documents for other in rest])
        for name, documents in kinds.items()
    ]
    # What nothing tells from other kinds is no kind.
    rows = [asdict(kind) for kind in learned if len(kind.marks) >= _FEWEST_MARKS]
    given.out.write_text(json.dumps(rows, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
