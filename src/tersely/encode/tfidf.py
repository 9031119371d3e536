"""Bags of words, weighted by how rare each word is in the document."""

from collections.abc import Sequence
from hashlib import blake2b
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from tersely.encode._base import Matrix, fingerprint, unit_rows
from tersely.errors import unknown_name
from tersely.text.language import content_words, detect_language
from tersely.text.words import all_words

Idf = Literal["smooth", "pacsum"]

# The most columns: 10,000 sentences take 160 MB. A document with fewer words has one column per word.
COLUMNS = 4096


class TfIdf:
    """Counts of content words (in Chinese, character bigrams), weighted by their rarity in the document.

    `smooth` is log((1 + N) / (1 + df)) + 1. `pacsum` is log(N - df + 0.5) - log(df + 0.5), which is negative
    for a word in more than half of the sentences; with `normalize=false` the products of rows are PACSUM's edges.
    The words of a document that has more than 4096 distinct ones are hashed, with a sign, into that many columns.

    >>> TfIdf().encode(["Rain fell.", "Rain and rain.", "Snow!"]).round(2).tolist()
    [[0.6100000143051147, 0.800000011920929, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """

    name = "tfidf"

    def __init__(self, idf: Idf = "smooth", normalize: bool = True) -> None:
        if idf not in get_args(Idf):
            raise unknown_name("idf", idf, get_args(Idf))
        self._idf, self._normalize = idf, normalize

    @property
    def fingerprint(self) -> str:
        """A hash of the settings: there are no weights."""
        return fingerprint(self.name, {"idf": self._idf, "normalize": self._normalize, "columns": COLUMNS})

    def encode(self, sentences: Sequence[str]) -> Matrix:
        """Return one row per sentence; columns are comparable only within this document."""
        number: dict[str, int] = {}
        language = detect_language("\n".join(sentences))
        bags = [
            [number.setdefault(word, len(number)) for word in content_words(all_words(sentence, language), language)]
            for sentence in sentences
        ]
        row, term, count = _count(bags, len(number))
        weight = count * self._weights(np.bincount(term, minlength=len(number)), len(bags))[term]
        if len(number) > COLUMNS:
            column, sign = _hashed(number)
            term, weight = column[term], weight * sign[term]
        # At least one column, so that a reduction over columns always has something to reduce.
        matrix = np.zeros((len(bags), min(max(len(number), 1), COLUMNS)), dtype=np.float32)
        np.add.at(matrix.reshape(-1), row * matrix.shape[1] + term, weight.astype(np.float32))
        return unit_rows(matrix) if self._normalize else matrix

    def _weights(self, df: NDArray[np.intp], n: int) -> NDArray[np.float64]:
        """Return the idf of each word, given the number of sentences that contain it."""
        weights: NDArray[np.float64] = (
            np.log((1 + n) / (1 + df)) + 1 if self._idf == "smooth" else np.log((n - df + 0.5) / (df + 0.5))
        )
        return weights


def _count(bags: list[list[int]], vocabulary: int) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """Return the nonzero cells: their rows, their terms and their counts."""
    lengths = np.fromiter(map(len, bags), dtype=np.intp, count=len(bags))
    terms = np.fromiter((term for bag in bags for term in bag), dtype=np.intp, count=int(lengths.sum()))
    cells = np.repeat(np.arange(len(bags)), lengths) * max(vocabulary, 1) + terms
    filled, count = np.unique(cells, return_counts=True)
    row, term = np.divmod(filled, max(vocabulary, 1))
    return row, term, count


def _hashed(number: dict[str, int]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Give each word a column and a sign that are the same in every process (unlike `hash`)."""
    digests = (blake2b(word.encode("utf-8", "surrogatepass"), digest_size=4).digest() for word in number)
    codes = np.frombuffer(b"".join(digests), dtype="<u4").astype(np.intp)
    return codes % COLUMNS, 1 - 2 * (codes >> 31)


__all__ = ["TfIdf"]
