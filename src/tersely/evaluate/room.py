"""Whether one sentence more still fits, for systems that choose for themselves."""

from collections.abc import Iterable

import numpy as np

from tersely.budget import Budget
from tersely.fitting import Fitter, Options
from tersely.select.greedy import Greedy
from tersely.text import Document


class Room:
    """The room that a budget leaves in the summary of a document.

    >>> room = Room(Document.from_sentences(["One fish.", "Two fish."]), Budget(18, "chars"))
    >>> room.fits([0]), room.fits([0, 1])
    (True, False)
    """

    def __init__(self, document: Document, budget: Budget) -> None:
        values = np.zeros(len(document))
        self._fitter = Fitter(document, values, Greedy(), Options(), budget.counts)
        self._capacity = budget.capacity(document.text)

    def length(self, chosen: Iterable[int]) -> int:
        """Return the length of the chosen sentences, joined as a summary."""
        return self._fitter.length(tuple(chosen))

    def join(self, chosen: Iterable[int]) -> str:
        """Return the summary of the chosen sentences."""
        return self._fitter.join(tuple(chosen))

    def fits(self, chosen: Iterable[int]) -> bool:
        """Tell whether the chosen sentences, joined, keep the budget."""
        return self.length(chosen) <= self._capacity

    def fill(self, ranking: Iterable[int]) -> list[int]:
        """Take sentences in the given order, skipping what does not fit any more; return them ascending."""
        chosen: list[int] = []
        for index in ranking:
            if self.fits([*chosen, index]):
                chosen.append(index)
        return sorted(chosen)
