"""Scorers of other papers, which load by name, as the scorers in `tersely.score` do.

STAS (Xu et al., 2020) ranks the sentences that the rest of the document predicts and attends to. BertSum (Liu and
Lapata, 2019) is an encoder that reads the whole document, fine-tuned with labels. PMI has a module.
"""

from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tersely.encode import clean, one_line, run_graph
from tersely.errors import MissingExtraError, ModelError
from tersely.score import Matrix, Values
from tersely.score.learned import open_graph
from tersely.text.document import Document

__all__ = ["BertSum", "Stas", "lay_out", "rank", "tokens"]

# The first numbers of a vocabulary: padding, a masked word, an unknown word, the beginning of a sentence.
PAD, MASK, UNKNOWN, BEGIN = range(4)


class Stas:
    """Ranks sentences by a hierarchical transformer trained without labels (Xu et al., 2020).

    `tersely train baseline` makes its folder. The network masks each sentence in turn: how probable are its words, and
    to which sentences does its place attend? `lambda1` and `rounds` are those of the ranking, see `rank`. Sentences
    beyond the number that the network was trained on come last, in document order.
    """

    encoder: ClassVar[str | None] = None
    select: ClassVar[str] = "greedy"

    def __init__(self, folder: str, lambda1: float = 0.92, rounds: int = 2) -> None:
        self._folder, self._lambda1, self._rounds = folder, lambda1, rounds
        self._session, notes, self._digest = open_graph(folder, "STAS")
        try:
            self._sentences, self._longest = int(notes["sentences"]), int(notes["longest"])
            words = (Path(folder).expanduser() / "vocabulary.txt").read_text(encoding="utf-8").split("\n")
        except (OSError, ValueError, KeyError) as error:
            raise ModelError(f"{folder} is not the folder of a STAS model: {one_line(error)}") from error
        self._numbers = {word: BEGIN + 1 + k for k, word in enumerate(words)}

    def __repr__(self) -> str:
        return f"Stas({self._digest}, {self._lambda1!r}, {self._rounds!r})"

    def __reduce__(self) -> tuple[type, tuple[str, float, int]]:
        return Stas, (self._folder, self._lambda1, self._rounds)

    def score(self, document: Document, vectors: Matrix) -> Values:  # noqa: ARG002
        """Return ranks that sum to one over the sentences that were read, and less for the others."""
        rows = tokens(document.words[: self._sentences], self._numbers, self._longest)
        try:
            [output] = run_graph(self._session, ["values"], {"tokens": rows})
            read = rank(output[:, 0], output[:, 1:], self._lambda1, self._rounds)
        except Exception as error:
            raise ModelError(f"the graph of {self._folder} does not run: {one_line(error)}") from error
        values: Values = np.linspace(1, 0, len(document) + 1)[:-1] * read.min() / 2
        values[: len(read)] = read
        return values


def tokens(words: tuple[tuple[str, ...], ...], numbers: dict[str, int], longest: int) -> NDArray[np.int64]:
    """Return the number of the beginning and of the first words of each sentence, padded, [n, 1 + longest]."""
    rows = np.full((len(words), 1 + longest), PAD, dtype=np.int64)
    for row, sentence in zip(rows, words, strict=True):
        ids = [BEGIN, *(numbers.get(word, UNKNOWN) for word in sentence[:longest])]
        row[: len(ids)] = ids
    return rows


def rank(probabilities: Matrix, attention: Matrix, lambda1: float, rounds: int) -> Values:
    """Return the ranks of sentences [n] from the mean probability of their words [n] and their attention [n, n].

    Ranks start as the probabilities. In each of the `rounds` a new rank is lambda1 x the old rank / n + (1 - lambda1) x
    the ranks that the other sentences pass on by their attention. They always sum to one.

    >>> rank(np.array([1, 1, 2]), np.array([[9, 1, 0], [0, 9, 1], [0, 1, 9]]), 0.5, 1).round(2).tolist()
    [0.06, 0.62, 0.31]
    """
    n = len(probabilities)
    ranks: Values = np.maximum(np.asarray(probabilities, dtype=np.float64), 1e-12)
    ranks /= ranks.sum()
    passed: Values = np.array(attention, dtype=np.float64)
    np.fill_diagonal(passed, 0)
    passed /= np.maximum(passed.sum(axis=1, keepdims=True), 1e-12)
    for _ in range(rounds):
        ranks = lambda1 * ranks / n + (1 - lambda1) * ranks @ passed
        ranks = np.maximum(ranks / max(ranks.sum(), 1e-12), 1e-12)
    return ranks


class BertSum:
    """An encoder that reads the whole document, fine-tuned with labels (Liu and Lapata, 2019).

    `tersely train baseline` makes its folder. The document is one row of tokens, each sentence between [CLS] and [SEP],
    every other one in the second segment.
    Sentences beyond what the encoder reads come last, in document order.
    """

    encoder: ClassVar[str | None] = None
    select: ClassVar[str] = "greedy"

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._session, notes, self._digest = open_graph(folder, "BertSum")
        try:
            import tokenizers
        except ImportError:
            raise MissingExtraError("BertSum", "hub") from None
        try:
            self._marks = int(notes["cls"]), int(notes["sep"])
            self._longest = int(notes["longest"])
            self._tokenizer: Any = tokenizers.Tokenizer.from_file(str(Path(folder).expanduser() / "tokenizer.json"))
        except Exception as error:
            raise ModelError(f"{folder} is not the folder of a BertSum model: {one_line(error)}") from error

    def __repr__(self) -> str:
        return f"BertSum({self._digest})"

    def __reduce__(self) -> tuple[type, tuple[str]]:
        return BertSum, (self._folder,)

    def score(self, document: Document, vectors: Matrix) -> Values:  # noqa: ARG002
        """Return the probability of each sentence that was read, and less than the lowest of these for the others.

        A knapsack adds values up, so they are the probabilities themselves: with any number added to each, the
        shortest sentences would win.
        """
        texts = [clean(text, 16 * self._longest) for text in document.texts]
        rows = [encoding.ids for encoding in self._tokenizer.encode_batch(texts, add_special_tokens=False)]
        ids, segments, places = lay_out(rows, self._marks, self._longest)
        feed = {"ids": np.array([ids]), "segments": np.array([segments]), "places": np.array([places])}
        try:
            [probabilities] = run_graph(self._session, ["values"], feed)
            read = np.maximum(np.asarray(probabilities, dtype=np.float64)[0], 1e-9)
        except Exception as error:
            raise ModelError(f"the graph of {self._folder} does not run: {one_line(error)}") from error
        values: Values = np.linspace(1, 0, len(document) + 1)[:-1] * 1e-3 * read.min()
        values[: len(read)] = read
        return values


def lay_out(rows: list[list[int]], marks: tuple[int, int], longest: int) -> tuple[list[int], list[int], list[int]]:
    """Return the tokens of the document, their segments, and the places of the sentences that fit.

    >>> lay_out([[7, 8], [9], [5]], (1, 2), 8)
    ([1, 7, 8, 2, 1, 9, 2], [0, 0, 0, 0, 1, 1, 1], [0, 4])
    """
    ids: list[int] = []
    segments: list[int] = []
    places: list[int] = []
    for number, row in enumerate(rows):
        sentence = [marks[0], *row[: longest - 2 if number == 0 else None], marks[1]]
        if len(ids) + len(sentence) > longest:
            break
        places.append(len(ids))
        ids += sentence
        segments += [number % 2] * len(sentence)
    return ids, segments, places
