"""Fits one scored document to a budget: the choice, the joined text, and the reason for its length."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from operator import index
from typing import Literal

import numpy as np

from tersely.budget import Budget
from tersely.errors import UsageError
from tersely.score import Values
from tersely.select import Problem, Selection, Selector, blocking_trigrams, solver, without_duplicates
from tersely.summary import Reason, ScoredSentence, Summary
from tersely.text.document import Document
from tersely.text.language import separator
from tersely.text.length import TokenCounter, Unit, measure

Order = Literal["document", "rank"]
Redundancy = Literal["duplicates", "trigrams", "off"]


@dataclass(frozen=True)
class Options:
    """How to assemble a summary, for any budget.

    `include` and `exclude` are sentence indices. The default separator is a space, or nothing in Chinese. As
    `redundancy`, `duplicates` leaves out sentences that nearly repeat another one; `trigrams` also leaves out
    those that share three words in a row with one.
    """

    order: Order = "document"
    include: frozenset[int] = frozenset()
    exclude: frozenset[int] = frozenset()
    separator: str | None = None
    redundancy: Redundancy = "duplicates"

    @classmethod
    def of(
        cls,
        order: Order = "document",
        include: int | Iterable[int] = (),
        exclude: int | Iterable[int] = (),
        separator: str | None = None,
        redundancy: Redundancy = "duplicates",
    ) -> "Options":
        """Build the options from a caller's arguments: `include` and `exclude` may be one index or several."""
        return cls(order, _indices("include", include), _indices("exclude", exclude), separator, redundancy)

    def __post_init__(self) -> None:
        for name, value, known in (
            ("order", self.order, ("document", "rank")),
            ("redundancy", self.redundancy, ("duplicates", "trigrams", "off")),
        ):
            if value not in known:
                raise UsageError(f"{name} must be {' or '.join(known)}, not '{value}'")
        if not isinstance(self.separator, str | None):
            raise UsageError(f"separator must be a string, not {self.separator!r}")


def _indices(name: str, given: int | Iterable[int]) -> frozenset[int]:
    try:
        return frozenset(map(index, given if isinstance(given, Iterable) else (given,)))
    except TypeError:
        raise UsageError(f"{name} must be sentence indices, whole numbers counted from 0, not {given!r}") from None


@dataclass(frozen=True)
class Layout:
    """How the sentences of a document are joined, and how long the result is in one unit."""

    document: Document
    unit: Unit
    options: Options = Options()
    tokens: TokenCounter | None = None

    @cached_property
    def separator(self) -> str:
        """The text between two sentences."""
        chosen = self.options.separator
        return separator(self.document.language) if chosen is None else chosen

    @cached_property
    def lengths(self) -> tuple[int, ...]:
        """The length of each sentence."""
        return tuple(map(self.measure, self.document.texts))

    @cached_property
    def gap(self) -> int:
        """The length a separator adds: 0 in sentences, and 0 in tokens, since token counts do not add up."""
        return 0 if self.unit in ("sentences", "tokens") else self.measure(self.separator)

    def join(self, sentences: Iterable[int]) -> str:
        """Join the sentences in the given order."""
        return self.separator.join(self.document.texts[i] for i in sentences)

    def length(self, sentences: tuple[int, ...]) -> int:
        """Return the length of the joined sentences."""
        return len(sentences) if self.unit == "sentences" else self.measure(self.join(sentences))

    def measure(self, text: str) -> int:
        """Return the length of a text."""
        return measure(text, self.unit, self.tokens)


@dataclass(frozen=True)
class Choice:
    """Sentences that fit, ascending; `stable` is the smallest budget known to give the same choice."""

    chosen: tuple[int, ...]
    text: str
    length: int
    reason: Reason
    stable: int


@dataclass(frozen=True)
class Fitting:
    """A scored document with its layout and selector, ready for any budget in the layout's unit."""

    layout: Layout
    values: Values
    selector: Selector
    model: str
    fingerprint: str

    @cached_property
    def ranks(self) -> tuple[int, ...]:
        """The sentences from highest to lowest value; ties keep document order."""
        return tuple(map(int, np.argsort(-self.values, kind="stable")))

    @cached_property
    def largest(self) -> int:
        """The budget that holds everything; beyond it, nothing changes."""
        return max(1, self._whole.length, self._joined.length) if len(self.layout.document) else 1

    def choice(self, capacity: int) -> Choice:
        """Return the best choice that is at most `capacity` long."""
        return self._choose(capacity, lambda c: self._selector(self._problem(c)))

    def choices(self, largest: int) -> Callable[[int], Choice]:
        """Return a function equivalent to `choice` for any capacity up to `largest`, with the work shared."""
        if not len(self.layout.document):
            return self.choice
        solve = solver(self._selector, self._problem(largest))
        return lambda capacity: self._choose(capacity, solve)

    def length(self, chosen: Iterable[int]) -> int:
        """Return the length of a summary of these sentences."""
        return self.layout.length(self._ordered(chosen))

    def summary(self, choice: Choice, budget: Budget, capacity: int) -> Summary:
        """Turn a choice into the summary that a user gets."""
        document, chosen = self.layout.document, set(choice.chosen)

        def scored(i: int) -> ScoredSentence:
            start, end = document.sentences[i]
            return ScoredSentence(i, start, end, document.texts[i], float(self.values[i]), i in chosen)

        return Summary(
            text=choice.text,
            sentences=tuple(map(scored, self._ordered(choice.chosen))),
            ranking=tuple(map(scored, self.ranks)),
            language=document.language,
            budget=budget,
            capacity=capacity,
            length=choice.length,
            reason=choice.reason,
            needed=min(self.layout.lengths) if choice.reason == "nothing-fits" else None,
            model=self.model,
            fingerprint=self.fingerprint,
            source=document.text,
        )

    @cached_property
    def _whole(self) -> Choice:
        """The text itself, from its first sentence to its last, unchanged."""
        document = self.layout.document
        text = document.text[document.sentences[0].start : document.sentences[-1].end]
        length = len(document) if self.layout.unit == "sentences" else self.layout.measure(text)
        return Choice(tuple(range(len(document))), text, length, "whole-text-fits", length)

    @cached_property
    def _joined(self) -> Choice:
        """All sentences, joined as in a summary."""
        everything = self._ordered(range(len(self.layout.document)))
        length = self.layout.length(everything)
        return Choice(tuple(sorted(everything)), self.layout.join(everything), length, "whole-text-fits", length)

    def _ordered(self, chosen: Iterable[int]) -> tuple[int, ...]:
        """Return the chosen sentences in the requested order."""
        if self.layout.options.order == "document":
            return tuple(sorted(chosen))
        wanted = set(chosen)
        return tuple(i for i in self.ranks if i in wanted)

    def _choose(self, capacity: int, solve: Callable[[int], Selection]) -> Choice:
        options = self.layout.options
        if options.include or options.exclude:
            self._given(capacity)  # validates them even if everything fits
        if not len(self.layout.document):
            return Choice((), "", 0, "empty-input", 0)
        untouched = options.order == "document" and options.separator is None
        if not options.exclude:
            if untouched and self._whole.length <= capacity:
                return self._whole
            if self._joined.length <= capacity:
                return self._joined
        choice, room = self._measured(solve(capacity), capacity), capacity
        # A joined text may have more tokens than its parts together: reduce the room until the joined text fits.
        # Sentences without tokens fit any room, so the last resort is the included sentences alone.
        include = tuple(sorted(options.include))
        least = sum(self.layout.lengths[i] for i in include)
        while choice.length > capacity and choice.chosen != include:
            room = max(room - (choice.length - capacity), least)
            less = solve(room) if room > least else Selection(include, capacity)
            choice = replace(self._measured(less, capacity), stable=capacity)
        if choice.length > capacity:
            raise UsageError(f"the included sentences need {choice.length}, but the budget is {capacity}")
        return choice

    def _measured(self, selection: Selection, capacity: int) -> Choice:
        chosen = self._ordered(selection.chosen)
        text = self.layout.join(chosen)
        length = len(chosen) if self.layout.unit == "sentences" else self.layout.measure(text)
        stable = max(selection.stable, length)  # in tokens, the joined text may be longer than the selector assumes
        return Choice(selection.chosen, text, length, self._reason(selection.chosen, capacity - length), stable)

    def _reason(self, chosen: tuple[int, ...], room: int) -> Reason:
        taken = self.layout.options.exclude.union(chosen)
        left = [length for i, length in enumerate(self.layout.lengths) if i not in taken]
        gap = self.layout.gap if chosen else 0
        if left and min(left) + gap <= room:
            return "no-gain"
        return "selected" if chosen else "nothing-fits"

    @cached_property
    def _selector(self) -> Selector:
        return blocking_trigrams(self.selector) if self.layout.options.redundancy == "trigrams" else self.selector

    def _problem(self, capacity: int) -> Problem:
        problem = self._given(capacity)
        return problem if self.layout.options.redundancy == "off" else without_duplicates(problem)

    def _given(self, capacity: int) -> Problem:
        return Problem(
            values=self.values,
            lengths=np.array(self.layout.lengths, dtype=np.int64),
            capacity=capacity,
            separator=self.layout.gap,
            include=self.layout.options.include,
            exclude=self.layout.options.exclude,
            document=self.layout.document,
        )
