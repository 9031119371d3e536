"""The measures: texts become tokens, tokens become ROUGE scores, and scores become intervals and p-values.

ROUGE-1, 2, L and Lsum are exactly those of `rouge-score`, only faster: the longest common subsequence works on the
bits of whole rows at once (Hyyrö, 2004) instead of cell by cell.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tersely.errors import MissingExtraError
from tersely.text import Language

MEASURES = ("rouge1", "rouge2", "rougeL", "rougeLsum")
SAMPLES = 10_000
# Draws computed together: enough to be fast, few enough to stay small in memory.
_AT_ONCE = 500

Tokens = list[str]


@dataclass(frozen=True)
class Tokenization:
    """The settings that change a ROUGE score; they are printed with every table."""

    stem: bool = True
    chinese: Literal["chars", "words"] = "chars"

    def __str__(self) -> str:
        stemmed = "stemmed" if self.stem else "not stemmed"
        return f"words {stemmed} (rouge-score's tokenizer); Chinese by {self.chinese}"

    def tokens(self, sentence: str, language: Language) -> Tokens:
        """Return the tokens of one sentence."""
        if language == "zh":
            return _characters(sentence) if self.chinese == "chars" else _chinese_words(sentence)
        if language == "en":
            words = _splitter()(sentence)
            return [_stem(word) for word in words] if self.stem else words
        if language in ("ja", "th"):
            return _characters(sentence)
        # rouge-score keeps only a to z, which would drop most of any other language.
        return sentence.lower().split()


def _characters(sentence: str) -> Tokens:
    return [character for character in sentence.lower() if not character.isspace()]


def _chinese_words(sentence: str) -> Tokens:
    try:
        import rjieba
    except ImportError:
        raise MissingExtraError("splitting Chinese into words", "eval") from None
    return [word for word in rjieba.cut(sentence.lower()) if not word.isspace()]


@cache
def _splitter() -> Callable[[str], Tokens]:
    try:
        from rouge_score.tokenize import tokenize
    except ImportError:
        raise MissingExtraError("ROUGE", "eval") from None
    return lambda sentence: list(tokenize(sentence, None))


@lru_cache(maxsize=200_000)
def _stem(word: str) -> str:
    # rouge-score stems words of more than three letters. Remembering stems saves most of its time.
    return str(_stemmer().stem(word)) if len(word) > 3 else word


@cache
def _stemmer() -> Any:
    from nltk.stem.porter import PorterStemmer

    return PorterStemmer()


class RougeScore(NamedTuple):
    """Precision, recall and their harmonic mean."""

    precision: float
    recall: float
    f1: float


def rouge(reference: Sequence[Tokens], summary: Sequence[Tokens]) -> dict[str, RougeScore]:
    """Score a summary against its reference; both are given as the tokens of each sentence.

    `rougeL` compares the texts as one line, `rougeLsum` sentence by sentence. Papers call the latter "ROUGE-L".

    >>> scores = rouge([["the", "river", "rose"]], [["the", "river"], ["fell"]])
    >>> round(scores["rouge1"].f1, 3), round(scores["rougeLsum"].recall, 3)
    (0.667, 0.667)
    """
    target = [token for sentence in reference for token in sentence]
    tokens = [token for sentence in summary for token in sentence]
    return {
        "rouge1": _ngrams(target, tokens, 1),
        "rouge2": _ngrams(target, tokens, 2),
        "rougeL": _score(lcs_length(target, tokens), len(target), len(tokens)),
        "rougeLsum": _score(_union_hits(reference, summary), len(target), len(tokens)),
    }


def _score(hits: int, target: int, size: int) -> RougeScore:
    """Return the score of a summary of `size` tokens with `hits` among the tokens of its `target`."""
    precision, recall = hits / max(size, 1), hits / max(target, 1)
    return RougeScore(precision, recall, 2 * precision * recall / (precision + recall) if hits else 0.0)


def ngrams(tokens: Tokens, n: int) -> Counter[tuple[str, ...]]:
    """Count the runs of n tokens."""
    return Counter(zip(*(tokens[i:] for i in range(n)), strict=False))


def dice(reference: Counter[tuple[str, ...]], summary: Counter[tuple[str, ...]]) -> float:
    """Return the F1 of two counts of n-grams, one of a reference and one of a summary."""
    total = reference.total() + summary.total()
    return 2 * (reference & summary).total() / total if total else 0.0


def _ngrams(target: Tokens, tokens: Tokens, n: int) -> RougeScore:
    hits = (ngrams(target, n) & ngrams(tokens, n)).total()
    return _score(hits, max(0, len(target) - n + 1), max(0, len(tokens) - n + 1))


def _rows(target: Tokens, tokens: Tokens) -> list[int]:
    """Return one number per prefix of `target`; its bit j is 0 where `tokens[j]` makes the LCS longer."""
    everywhere = (1 << len(tokens)) - 1
    places: dict[str, int] = {}
    for j, token in enumerate(tokens):
        places[token] = places.get(token, 0) | 1 << j
    rows = [everywhere]
    for token in target:
        row = rows[-1]
        matches = row & places.get(token, 0)
        rows.append((row + matches | row - matches) & everywhere)
    return rows


def lcs_length(target: Tokens, tokens: Tokens) -> int:
    """Return the length of the longest common subsequence."""
    return len(tokens) - _rows(target, tokens)[-1].bit_count()


def _lcs_places(target: Tokens, tokens: Tokens) -> set[int]:
    """Return the places in `target` of one longest common subsequence: the one that `rouge-score` picks."""
    rows = _rows(target, tokens)
    i, j, places = len(target), len(tokens), set()
    while i and j:
        if target[i - 1] == tokens[j - 1]:
            i, j = i - 1, j - 1
            places.add(i)
            continue
        before = j - 1 - (rows[i] & (1 << j - 1) - 1).bit_count()
        above = j - (rows[i - 1] & (1 << j) - 1).bit_count()
        if before > above:
            j -= 1
        else:
            i -= 1
    return places


def _union_hits(reference: Sequence[Tokens], summary: Sequence[Tokens]) -> int:
    """Count the tokens in the union of each reference sentence's LCS with all sentences, none of them twice."""
    unused = Counter(token for sentence in summary for token in sentence)
    hits = 0
    for target in reference:
        places = set().union(*(_lcs_places(target, tokens) for tokens in summary))
        for place in sorted(places):
            token = target[place]
            if unused[token] > 0:
                hits += 1
                unused[token] -= 1
    return hits


class Difference(NamedTuple):
    """The mean difference, its 95 % interval, and the two-sided p-value."""

    mean: float
    low: float
    high: float
    p: float

    def __str__(self) -> str:
        return f"{self.mean:+.2f} ({self.low:+.2f}, {self.high:+.2f})"


def paired_bootstrap(
    scores: NDArray[np.float64], baseline: NDArray[np.float64], samples: int = SAMPLES, seed: int = 42
) -> Difference:
    """Compare `scores` with those of a `baseline` on the same documents (Efron and Tibshirani).

    The documents are drawn anew `samples` times, with replacement; `seed` decides which.

    >>> paired_bootstrap(np.array([1.0, 2.0, 3.0]), np.array([0.0, 1.0, 2.0])).mean
    1.0
    """
    means = _bootstrap_means(scores - baseline, samples, seed)
    mean = float((scores - baseline).mean())
    low, high = np.percentile(means, (2.5, 97.5))
    # Twice the share of draws on the far side of zero; one draw is added so that p is never 0.
    tail = min((means <= 0).sum(), (means >= 0).sum())
    return Difference(mean, float(low), float(high), min(1.0, 2 * (int(tail) + 1) / (samples + 1)))


def interval(scores: NDArray[np.float64], samples: int = SAMPLES, seed: int = 42) -> tuple[float, float]:
    """Return the 95 % interval of the mean."""
    low, high = np.percentile(_bootstrap_means(scores, samples, seed), (2.5, 97.5))
    return float(low), float(high)


def _bootstrap_means(scores: NDArray[np.float64], samples: int, seed: int) -> NDArray[np.float64]:
    """Return the means of `samples` draws with replacement; the seed decides which."""
    rng = np.random.default_rng(seed)
    means = np.empty(samples)
    for start in range(0, samples, _AT_ONCE):
        size = min(_AT_ONCE, samples - start)
        means[start : start + size] = scores[rng.integers(len(scores), size=(size, len(scores)))].mean(axis=1)
    return means
