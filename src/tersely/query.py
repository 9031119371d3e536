"""What a sentence is worth as part of the answer to a question."""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from math import log

import numpy as np
from numpy.typing import NDArray

from tersely.encode import Encoder
from tersely.select import SELECTORS, Selector
from tersely.text.document import Document
from tersely.text.sources import Collection
from tersely.text.words import all_words, content_words, stems

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Answering:
    """Gives each sentence a value by how much it helps to answer a question: by words and, with an encoder, vectors."""

    encoder: Encoder | None = None

    @property
    def name(self) -> str:
        """What the summary calls its model."""
        return "query" if self.encoder is None else f"query@{self.encoder.name}"

    @property
    def fingerprint(self) -> str:
        """A hash that changes whenever a summary might."""
        parts = [repr(self.selector), self.encoder.fingerprint if self.encoder else ""]
        return sha256("\n".join(parts).encode()).hexdigest()[:16]

    @cached_property
    def selector(self) -> Selector:
        """What chooses sentences by these values."""
        return SELECTORS.create("greedy")

    def values(self, document: Document, query: str) -> Values:
        """Return one value per sentence, above 0."""
        if not len(document):
            return np.empty(0)
        wanted = set(stems(content_words(all_words(query, document.language), document.language), document.language))
        count = len(document)
        lengths = np.array([len(row) for row in document.stems], dtype=np.float64)
        mean = lengths.mean() or 1.0
        df = Counter(stem for row in document.stems for stem in set(row) if stem in wanted)
        headings = _headings(document)
        values = np.zeros(count)
        for i, row in enumerate(document.stems):
            found = Counter(stem for stem in row if stem in wanted)
            found.update(stem for stem in headings[i] if stem in wanted)
            norm = 0.25 + 0.75 * lengths[i] / mean
            values[i] = sum(
                log(1 + (count - df[stem] + 0.5) / (df[stem] + 0.5)) * times * 2.2 / (times + 1.2 * norm)
                for stem, times in found.items()
            )
        return values + 1e-3


def _headings(document: Document) -> list[list[str]]:
    if not isinstance(document, Collection):
        return [[]] * len(document)
    rows: list[list[str]] = []
    for source, part in zip(document.sources, document.parts, strict=True):
        rows += [stems(all_words(source.heading, part.language), part.language)] * len(part)
    return rows
