"""BertSum (Liu and Lapata, 2019): an encoder that reads the whole document, fine-tuned with labels."""

from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from tersely.encode import clean, one_line, run_graph
from tersely.errors import MissingExtraError, ModelError
from tersely.score import Matrix, Values
from tersely.score.learned import open_graph
from tersely.text.document import Document

__all__ = ["BertSum", "lay_out"]


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
