"""Vectors without a network: bags of words, and a table of word pieces in a hundred languages."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import blake2b
from itertools import chain, product
from pathlib import Path
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from tersely.encode._base import Matrix, fingerprint, unit_rows
from tersely.errors import unknown_name
from tersely.text.language import content_words, detect_language
from tersely.text.words import Numbered, StringMemory, all_words

Idf = Literal["smooth", "pacsum"]
Lengths = NDArray[np.float64]

# The most columns: 10,000 sentences take 160 MB. A document with fewer words has one column per word.
COLUMNS = 4096

# The table of word pieces; `benchmarks/pieces.py` makes it, and pieces.md says of what.
TABLE = Path(__file__).with_name("pieces.npz")
# A piece that begins a word has this mark before it. Five numbers of a vector, each -1, 0 or 1, are one byte.
BEGINNING, DIGITS = "\u2581", 5
_WORD = re.compile(r"\w+")
# The most pieces of a question that count, and pieces of sentences that are compared at once.
_MOST_PIECES, _AT_ONCE = 64, 1 << 15
# The most characters of a piece: few of those from here on, as in Chinese, have more than 4. Of a word that goes on
# without an end, the first characters count.
_DENSE, _LONGEST_DENSE, _LONGEST, _LONGEST_WORD = "\u2e80", 4, 16, 1000


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


class Pieces:
    """Vectors of 119,000 word pieces in a hundred languages: how near a sentence comes to each piece of a question.

    All numbers of a vector are -1, 0 or 1, so products are exact, and the same on every computer.

    >>> nearness = pieces().nearness("physician", ["A doctor came.", "A train came."])
    >>> bool(nearness[0].mean() > nearness[1].mean())
    True
    """

    def __init__(self, file: Path = TABLE) -> None:
        with np.load(file) as stored:
            names = stored["names"].tobytes().decode().split("\n")
            self._packed: NDArray[np.uint8] = stored["packed"]
        self._number = {name: number for number, name in enumerate(names)}
        self._digits = np.array(list(product((-1, 0, 1), repeat=DIGITS)), np.float32)
        self._sizes = np.abs(self._digits).sum(axis=1)
        self._pieces = StringMemory(self._pieces_of)

    def nearness(self, question: str, texts: Sequence[str], chunks: Numbered | None = None) -> NDArray[np.float64]:
        """Return for each text and each piece of the question the cosine of the text's nearest piece, at least 0.

        `chunks` are those of the texts (see `tersely.text.words.find_chunks`), if they are known.
        """
        numbers = list(dict.fromkeys(self._pieces_of(question)))[:_MOST_PIECES]
        nearest = np.zeros((len(texts), len(numbers)))
        if not numbers:
            return nearest
        question_vectors = self._vectors(np.array(numbers))
        chunks = chunks or Numbered.of(map(str.split, texts))
        inside = list(map(self._pieces.__getitem__, chunks.vocabulary))
        places, row = chunks.parts(np.fromiter(map(len, inside), np.int32, len(inside)))
        flat = np.fromiter(chain.from_iterable(inside), np.intp)[places]
        for first in range(0, len(flat), _AT_ONCE):
            part = slice(first, first + _AT_ONCE)
            cosines, rows = self._nearest(question_vectors, flat[part], row[part])
            nearest[rows] = np.maximum(nearest[rows], cosines)
        return nearest.round(6)

    def _nearest(
        self, question: tuple[Matrix, Lengths], flat: NDArray[np.intp], row: NDArray[np.int32]
    ) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        """Return the cosine of the nearest piece of each row, and the rows, given pieces and the row of each."""
        present = np.zeros(len(self._packed), np.bool_)
        present[flat] = True
        (rows, sizes), (columns, lengths) = question, self._vectors(np.flatnonzero(present))
        cosines = (rows @ columns.T) / np.outer(sizes, lengths)
        starts = np.flatnonzero(np.diff(row, prepend=-1))
        return np.maximum.reduceat(cosines[:, (present.cumsum() - 1)[flat]], starts, axis=1).T, row[starts]

    def _vectors(self, numbers: NDArray[np.intp]) -> tuple[Matrix, Lengths]:
        """Return the vectors of pieces, and how long each is."""
        packed = self._packed[numbers]
        rows: Matrix = self._digits.take(packed, axis=0).reshape(len(numbers), -1)
        return rows, np.sqrt(np.maximum(self._sizes.take(packed).sum(axis=1), 1.0).astype(np.float64))

    def _pieces_of(self, text: str) -> tuple[int, ...]:
        """Return the pieces of a text's words."""
        return tuple(chain.from_iterable(map(self._split, _WORD.findall(text.lower()))))

    def _split(self, word: str) -> Iterator[int]:
        """Yield the pieces of a word from left to right, the longest first; an unknown character has none."""
        at, size = 0, min(len(word), _LONGEST_WORD)
        while at < size:
            mark = "" if at else BEGINNING
            ends = range(min(size, at + (_LONGEST_DENSE if word[at] >= _DENSE else _LONGEST)), at, -1)
            matches = ((end, number) for end in ends if (number := self._number.get(mark + word[at:end])) is not None)
            end, number = next(matches, (at + 1, None))
            at = end
            if number is not None:
                yield number


@cache
def pieces() -> Pieces:
    """Return the table that comes with the package; it is read once."""
    return Pieces()


__all__ = ["Pieces", "TfIdf", "pieces"]
