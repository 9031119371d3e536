"""One scored document, fitted to a budget: the choice, the joined text, and the reason for its length."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from tersely.errors import UsageError
from tersely.score import Values
from tersely.select import Problem, Selection, Selector, blocking_trigrams, solver, without_duplicates
from tersely.summary import Reason
from tersely.text import Document
from tersely.text.length import TokenCounter, Unit, measure

Order = Literal["document", "rank"]
Redundancy = Literal["duplicates", "trigrams", "off"]


@dataclass(frozen=True)
class Options:
    """How a summary is put together, whatever its budget.

    `include` and `exclude` are indices of sentences. The separator is a space, and nothing in Chinese.
    `redundancy` leaves out sentences that nearly repeat another, or any that shares three words in a row with one.
    """

    order: Order = "document"
    include: frozenset[int] = frozenset()
    exclude: frozenset[int] = frozenset()
    separator: str | None = None
    redundancy: Redundancy = "duplicates"

    def __post_init__(self) -> None:
        for name, value, known in (
            ("order", self.order, ("document", "rank")),
            ("redundancy", self.redundancy, ("duplicates", "trigrams", "off")),
        ):
            if value not in known:
                raise UsageError(f"{name} must be {' or '.join(known)}, not '{value}'")


@dataclass(frozen=True)
class Fit:
    """A choice that fits; `stable` is the smallest budget known to give the same."""

    chosen: tuple[int, ...]
    text: str
    length: int
    reason: Reason
    stable: int


@dataclass(frozen=True)
class Fitter:
    """A scored document and a unit; answers every budget in that unit."""

    document: Document
    values: Values
    selector: Selector
    options: Options
    unit: Unit
    tokens: TokenCounter | None = None

    @cached_property
    def separator(self) -> str:
        """What stands between two sentences."""
        if self.options.separator is not None:
            return self.options.separator
        return "" if self.document.language == "zh" else " "

    @cached_property
    def ranks(self) -> tuple[int, ...]:
        """The sentences from the highest value to the lowest, the earlier first where they are equal."""
        return tuple(map(int, np.argsort(-self.values, kind="stable")))

    @cached_property
    def lengths(self) -> tuple[int, ...]:
        """The length of each sentence."""
        return tuple(measure(text, self.unit, self.tokens) for text in self.document.texts)

    @cached_property
    def whole(self) -> Fit:
        """The text itself, from its first sentence to its last, as it stands."""
        sentences = self.document.sentences
        text = self.document.text[sentences[0].start : sentences[-1].end]
        length = len(sentences) if self.unit == "sentences" else measure(text, self.unit, self.tokens)
        return Fit(tuple(range(len(sentences))), text, length, "whole-text-fits", length)

    @cached_property
    def largest(self) -> int:
        """The budget from which on nothing changes any more: everything is in."""
        return max(1, self.whole.length, self._joined.length) if len(self.document) else 1

    def fit(self, capacity: int) -> Fit:
        """Return the best choice of at most `capacity`."""
        return self._fit(capacity, lambda c: self._selector(self._problem(c)))

    def fits(self, largest: int) -> Callable[[int], Fit]:
        """Return a function that gives what `fit` gives, for every capacity up to `largest`, from one solution."""
        if not len(self.document):
            return self.fit
        solve = solver(self._selector, self._problem(largest))
        return lambda capacity: self._fit(capacity, solve)

    def join(self, chosen: tuple[int, ...]) -> str:
        """Return the summary of the chosen sentences."""
        return self.separator.join(self.document.texts[i] for i in self.ordered(chosen))

    def length(self, chosen: tuple[int, ...]) -> int:
        """Return the length of the summary of the chosen sentences."""
        return len(chosen) if self.unit == "sentences" else measure(self.join(chosen), self.unit, self.tokens)

    def ordered(self, chosen: tuple[int, ...]) -> tuple[int, ...]:
        """Return the chosen sentences in the order that was asked for."""
        if self.options.order == "document":
            return tuple(sorted(chosen))
        wanted = set(chosen)
        return tuple(i for i in self.ranks if i in wanted)

    def _fit(self, capacity: int, solve: Callable[[int], Selection]) -> Fit:
        if self.options.include or self.options.exclude:
            self._given(capacity)  # says what is wrong with them even where everything fits
        if not len(self.document):
            return Fit((), "", 0, "empty-input", 0)
        as_it_stands = self.options.order == "document" and self.options.separator is None
        if not self.options.exclude:
            if as_it_stands and self.whole.length <= capacity:
                return self.whole
            if self._joined.length <= capacity:
                return self._joined
        fit, room = self._measured(solve(capacity), capacity), capacity
        # Tokens of a joined text are not the sum of its parts' tokens: take less until what is joined fits. Sentences
        # that count nothing alone could be taken without end: in the end only the included ones are left.
        include = tuple(sorted(self.options.include))
        least = sum(self.lengths[i] for i in include)
        while fit.length > capacity and fit.chosen != include:
            room = max(room - (fit.length - capacity), least)
            less = solve(room) if room > least else Selection(include, capacity)
            fit = replace(self._measured(less, capacity), stable=capacity)
        if fit.length > capacity:
            raise UsageError(f"the included sentences need {fit.length}, but the budget is {capacity}")
        return fit

    @cached_property
    def _joined(self) -> Fit:
        everything = tuple(range(len(self.document)))
        length = self.length(everything)
        return Fit(everything, self.join(everything), length, "whole-text-fits", length)

    def _measured(self, selection: Selection, capacity: int) -> Fit:
        chosen = selection.chosen
        length = self.length(chosen)
        stable = max(selection.stable, length)  # in tokens a joined text may be longer than its selector knows
        return Fit(chosen, self.join(chosen), length, self._reason(chosen, capacity - length), stable)

    def _reason(self, chosen: tuple[int, ...], room: int) -> Reason:
        taken = self.options.exclude.union(chosen)
        left = [length for i, length in enumerate(self.lengths) if i not in taken]
        gap = self._gap if chosen else 0
        if left and min(left) + gap <= room:
            return "no-gain"
        return "selected" if chosen else "nothing-fits"

    @cached_property
    def _gap(self) -> int:
        return 0 if self.unit in ("sentences", "tokens") else measure(self.separator, self.unit, self.tokens)

    @cached_property
    def _selector(self) -> Selector:
        trigrams = self.options.redundancy == "trigrams"
        return blocking_trigrams(self.selector) if trigrams else self.selector

    def _problem(self, capacity: int) -> Problem:
        problem = self._given(capacity)
        return problem if self.options.redundancy == "off" else without_duplicates(problem)

    def _given(self, capacity: int) -> Problem:
        return Problem(
            values=self.values,
            lengths=np.array(self.lengths, dtype=np.int64),
            capacity=capacity,
            separator=self._gap,
            include=self.options.include,
            exclude=self.options.exclude,
            document=self.document,
        )
