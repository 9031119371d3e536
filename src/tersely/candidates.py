"""What may be chosen from a scored document: values that price needs, noise left out, and why a sentence is out."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial

import numpy as np
from numpy.typing import NDArray

from tersely.errors import UsageError
from tersely.languages import alternatives, amounts
from tersely.layout import Layout
from tersely.options import PATTERNS, compiled
from tersely.read import Network, Reading, read, read_some
from tersely.select import Problem, Selection, Values, distinct, sharing_trigrams
from tersely.summary import Rejected
from tersely.text.document import Document
from tersely.text.sources import Collection
from tersely.workers import LimitError, apart

# By how much of its worth a sentence counts less if what it needs is not chosen, times the chance that it needs it.
COHERENCE = {"strict": 1.35, "soft": 0.7, "off": 0.0}
# To answer a question, a sentence that answers is taken in any case: then a need costs no more than this.
_ANSWER = 0.7
# What a sentence must be worth, beside the best one, for its source to be read for an answer.
_RELATED = 0.01
# What a sentence must be worth to be chosen at all, as a part of the mean worth: without a price, scraps fill the room.
_PRICE = 0.3
# A line of a log that is next to an answer counts so much of it.
_NEXT_TO_ANSWER = 0.3
# Of its own worth, what a sentence counts for at least if more of a text is wanted.
_LEAST = 1e-6
# A sentence that is more probably noise than this is chosen only if nothing else fits.
_NOISE = 0.5


class _Levels(Sequence[Problem]):
    """Problems that are stated only when they are asked for: most often, the first is enough."""

    def __init__(self, states: Sequence[Callable[[], Problem]]) -> None:
        self._states = [cache(state) for state in states]

    def __len__(self) -> int:
        return len(self._states)

    def __getitem__(self, number: int) -> Problem:  # type: ignore[override]  # there are no slices
        return self._states[number]()


@dataclass(frozen=True)
class Candidates:
    """The sentences of a scored document, what they need, and which are noise."""

    layout: Layout
    values: Values
    network: Network | None = None  # what reads, unless it is the shipped one
    earlier: frozenset[int] = frozenset()  # what earlier parts of the same text have; see `after`

    def after(self, earlier: frozenset[int]) -> "Candidates":
        """Return what may be chosen once some sentences have been earlier."""
        candidates = replace(self, earlier=earlier)
        vars(candidates).update(reading=self.reading, all_levels=self.all_levels)
        return candidates

    @cached_property
    def reading(self) -> Reading | None:
        """What a reader says of the sentences; None if coherence is off.

        Of several sources, those that have little to do with a question are not read.
        """
        document, options = self.layout.document, self.layout.options
        if not self._penalty or self.layout.in_lines:
            return None
        if options.query is None or not isinstance(document, Collection):
            return read(document, self.network)
        related = {*np.flatnonzero(self.values > _RELATED * self.values.max(initial=0.0)).tolist(), *options.include}
        sources = sorted({document.place(i)[0] for i in related if 0 <= i < len(document)})
        return read_some(document, sources, self.network)

    @cached_property
    def _penalty(self) -> float:
        penalty = COHERENCE[self.layout.options.coherence or "off"]
        return min(penalty, _ANSWER) if self.layout.options.query is not None else penalty

    @cached_property
    def levels(self) -> Sequence[Problem]:
        """The problems to solve; one counts only if nothing is chosen in those before it."""
        return (self.rest(self.earlier),) if self.earlier else self.all_levels

    def rest(self, earlier: frozenset[int]) -> Problem:
        """Return the problem of what is left once some sentences have been earlier.

        A need that one of these meets costs nothing. Whatever is no noise and no copy is worth at least a little, so
        that all of it comes in the end. Noise counts only in a text that has nothing else.
        """
        first, clean = self.all_levels[0], self.all_levels[min(1, len(self.all_levels) - 1)]
        if not set(np.flatnonzero(clean.values > 0).tolist()) - clean.exclude:
            first = clean = self.all_levels[-1]
        bonus = np.zeros(len(self.values)) if first.bonus is None else first.bonus
        met = np.array([cure in earlier for cure in first.cures] or [False] * len(bonus), np.bool_)
        values = first.values + np.where(met, bonus, 0.0)
        least = np.where(clean.values > 0, np.maximum(values, _LEAST * clean.values), values)
        return replace(
            first,
            values=least,
            bonus=np.where(met, 0.0, np.maximum(values + bonus - least, 0.0)),
            include=first.include - earlier,
            exclude=first.exclude | earlier,
        )

    def has_rest(self, earlier: frozenset[int]) -> bool:
        """Tell whether anything is left to choose once some sentences have been earlier."""
        out = self.all_levels[0].exclude | earlier
        if any(i not in out for i in np.flatnonzero(self.values > 0).tolist()):
            return True  # whatever has a value comes in the end
        return bool(self.rest(earlier).free.any())

    @cached_property
    def all_levels(self) -> Sequence[Problem]:
        """The problems to solve if nothing has been shown; one counts only if nothing is chosen in those before it.

        The first prices needs and takes no noise. The second takes sentences as they are, and the last takes noise,
        too: a heading is better than nothing, but it answers no question. What is chosen in none of them with some room
        is not with less, either.
        """
        if self.layout.in_lines:
            return (self._of_lines,)
        if self.reading is None:
            return _Levels([lambda: self._distinct(self.everything)])
        reading, noise = self.reading, frozenset(np.flatnonzero(self._is_noise).tolist()) - self.layout.options.include
        levels: list[Callable[[], Problem]] = [
            lambda: self._distinct(self.priced(reading, noise)),
            lambda: self._distinct(self.plain(noise)),
            lambda: self._distinct(self.everything),
        ]
        takes_noise = noise and self.layout.options.query is None
        return _Levels(levels if takes_noise else levels[:2])

    @property
    def _of_lines(self) -> Problem:
        """The problem of lines: a frame is worth something beside its error, and one line stands for similar ones."""
        lines, redundancy = self.layout.lines, self.layout.options.redundancy
        copies = frozenset[int]() if redundancy == "off" else lines.copies - self.layout.options.include
        cures, bonus = np.array(lines.cures, np.intp), lines.bonus
        if self.layout.options.query is not None:  # then what a line is worth depends on the question
            bonus = np.where(cures >= 0, _NEXT_TO_ANSWER * np.maximum(self.values[cures], 0.0), 0.0)
        exclude = self.everything.exclude | copies
        return replace(self.everything, exclude=exclude, cures=lines.cures, bonus=bonus)

    @cached_property
    def _is_noise(self) -> NDArray[np.bool_]:
        return np.zeros(len(self.values), np.bool_) if self.reading is None else self.reading.noise > _NOISE

    def priced(self, reading: Reading, noise: frozenset[int]) -> Problem:
        """Return the problem in which an unmet need costs value, and each sentence has a price."""
        values = np.where(self.values > 0, self.values * (1 - reading.noise), self.values)
        lost = self._lost
        cures = tuple([-1 if cure in noise else cure for cure in reading.cures]) if noise else reading.cures
        return self.plain(noise).revised(
            values=values - lost - self._price,
            cures=cures,
            bonus=np.where(np.array(cures, np.intp) >= 0, lost * reading.certainty, 0.0),
        )

    @cached_property
    def _lost(self) -> Values:
        """What each sentence is worth less if what it needs is not chosen.

        What is needed and was excluded on purpose is not missed: else, without its lead, a text would have no summary.
        An included sentence is shown in any case, so what it needs counts as much as if it were worth the mean.
        """
        reading, include, exclude = self.reading, list(self.layout.options.include), self.layout.options.exclude
        if reading is None:
            return np.zeros(len(self.values))
        worth = np.maximum(self.values * (1 - reading.noise), 0.0)
        worth[include] = np.maximum(worth[include], self._mean)
        lost: Values = self._penalty * reading.needs * worth
        if exclude:
            lost[[cure in exclude for cure in reading.cures]] = 0.0
        return lost

    @cached_property
    def _mean(self) -> float:
        return max(float(self.values.mean()), 0.0) if len(self.values) else 0.0

    @property
    def _price(self) -> float:
        return 0.0 if self.layout.options.query is not None else _PRICE * self._mean

    @cached_property
    def everything(self) -> Problem:
        """The problem of all sentences, as the options say, at a capacity that holds all."""
        lengths, gap = self.layout.lengths, self.layout.gap
        return Problem(
            values=self.values,
            lengths=np.array(lengths, dtype=np.int64),
            capacity=sum(lengths) + gap * len(lengths),
            separator=gap,
            include=self.layout.options.include - self.earlier,
            exclude=self.layout.options.exclude | self.earlier,
            document=self.layout.document,
        )

    def plain(self, noise: frozenset[int]) -> Problem:
        """Return the problem of all sentences but for noise, which takes them as they are."""
        return self.everything.revised(exclude=self.everything.exclude | noise)

    def _distinct(self, problem: Problem) -> Problem:
        return problem if self.layout.options.redundancy == "off" else distinct(problem)

    def copy(self, room: int) -> Selection:
        """Return the best sentence that was left out as a near copy and fits: the last choice if no other fits."""
        if self.earlier:
            return Selection((), 0)
        copies = self.levels[-1].exclude - self.layout.options.exclude
        fitting = [i for i in sorted(copies) if self.layout.lengths[i] <= room and self.values[i] > 0]
        best = max(fitting, key=self.values.item, default=None)
        return Selection((), 0) if best is None else Selection((best,), self.layout.lengths[best])

    def worth(self, chosen: tuple[int, ...]) -> float:
        """Return the value of a choice: of the whole text, in which all needs are met, that of all sentences.

        What is chosen only because nothing better fits is worth nothing.
        """
        if len(chosen) == len(self.values):
            return float(np.maximum(self.values, 0.0).sum())
        first = self.levels[0]
        if self.reading is None:
            return first.worth(chosen)
        return max(first.worth(chosen), 0.0) if first.exclude.isdisjoint(chosen) else 0.0

    def need(self, sentence: int) -> tuple[int | None, str]:
        """Return what a sentence probably needs, and why; None and nothing if it probably stands alone.

        For a sentence that is left out since it nearly repeats another one, that one is named.
        """
        if self.reading is None:
            return None, ""
        cure, cause = self.reading.need(sentence)
        if cure is None or not (cures := self.levels[0].cures) or (cured := cures[sentence]) < 0:
            return cure, cause
        return cured, cause

    def rejections(self, chosen: tuple[int, ...], capacity: int, fits: Callable[[int], bool]) -> list[Rejected]:
        """Say for each sentence why it is not in a summary; nothing for those that are.

        `fits` tells whether the summary has room for a sentence.
        """
        if len(chosen) == len(self.values):
            return [""] * len(chosen)
        problem, inside, layout, earlier = self._solved(chosen), set(chosen), self.layout, self.earlier
        exclude, out = layout.options.exclude, problem.exclude | self._repeats(problem, chosen)
        reasons: list[Rejected] = []
        for i, (value, is_noise) in enumerate(zip(problem.values.tolist(), self._is_noise.tolist(), strict=True)):
            reason: Rejected = "outweighed"
            if i in inside:
                reason = ""
            elif i in exclude:
                reason = "excluded"
            elif i in earlier:
                reason = "shown"
            elif is_noise:
                reason = "noise"
            elif i in out:
                reason = "redundant"
            elif layout.alone(i) > capacity:
                reason = "no-room"
            elif value <= 0 and not self._is_cured(problem, i, inside):
                reason = "needs" if self._is_held_back(problem, i, inside) else "no-gain"
            elif fits(i):
                reason = "no-gain"
            reasons.append(reason)
        return reasons

    def _solved(self, chosen: tuple[int, ...]) -> Problem:
        """Return the problem that a choice solves: a later one only if it is worth nothing in the first."""
        first = self.levels[0]
        if not chosen or self.layout.options.include or len(self.levels) == 1 or first.worth(chosen) > 0:
            return first
        later = (self.levels[number] for number in range(1, len(self.levels)))
        return next((level for level in later if level.exclude.isdisjoint(chosen)), self.levels[-1])

    def _repeats(self, problem: Problem, chosen: tuple[int, ...]) -> frozenset[int]:
        """Return the sentences that share three words in a row with a chosen one, if that is a reason."""
        return sharing_trigrams(problem, chosen) if self.layout.options.redundancy == "trigrams" else frozenset()

    def _is_cured(self, problem: Problem, sentence: int, inside: set[int]) -> bool:
        """Tell whether a sentence is worth something with what is chosen."""
        bonus = 0.0 if problem.bonus is None else problem.bonus.item(sentence)
        return bool(problem.cures) and problem.cures[sentence] in inside and problem.values[sentence] + bonus > 0

    def _is_held_back(self, problem: Problem, sentence: int, inside: set[int]) -> bool:
        """Tell whether a sentence is worth nothing only because of what it needs and does not get."""
        reading = self.reading
        if reading is None or not problem.cures or reading.need(sentence) == (None, ""):
            return False
        return problem.cures[sentence] not in inside and bool(problem.values[sentence] + self._lost[sentence] > 0)


@cache
def _expressions() -> dict[str, re.Pattern[str]]:
    """Return the named patterns to keep; words are those of all languages, see `tersely.languages`.

    None of them repeats without a bound, so that the time for a sentence grows with its length.
    """
    months = "|".join((alternatives("pins.months", capitals=True), alternatives("pins.months", capitals=False)))
    faults = [alternatives(f"faults.{name}", capitals=True) for name in ("fatal", "errors", "warnings")]
    dense = [alternatives(f"faults.{name}", capitals=False) for name in ("errors", "warnings")]
    return {
        "amounts": amounts(),
        "dates": re.compile(
            r"\b\d{4}-\d{1,2}-\d{1,2}(?!\d)|\b\d{1,2}([./])\d{1,2}\1(?:\d{4}|\d{2})\b|"
            rf"(?<!\d)[0-2]?\d:[0-5]\d(?!\d)|{alternatives('pins.dates')}|"
            rf"\b\d{{1,2}}(?:st|nd|rd|th|\.)?\s(?:of\s|de\s)?(?:{months})\b|\b(?:{months})\.?\s\d{{1,4}}\b|"
            rf"\b(?:{alternatives('pins.before_years')})\s(?:1\d|20)\d\d\b"
        ),
        "ids": re.compile(
            r"\b[A-Z][A-Z0-9]{0,9}-\d|(?<![\w#])#\d|\b[0-9a-f]{8}-[0-9a-f]{4}-|"
            r"\b(?=[a-f]{0,40}\d)(?=\d{0,40}[a-f])[0-9a-f]{7,40}\b|"
            r"\b[A-Z]{2,10}\d{2,20}\b|\b(?:No|Nr|ID|id)[.:]?\s?\d{3}|\bISBN\b|\bdoi:|\b10\.\d{4,9}/"
        ),
        "errors": re.compile(rf"\b(?i:{'|'.join(faults)})\b|(?:Error|Exception|Warning)\b|{'|'.join(dense)}"),
    }


# A regular expression may take forever, and nothing stops a search in Python. So it is done apart, within these limits.
_SECONDS, _MEMORY = 10.0, 500_000_000


def pinned(document: Document, keep: Iterable[str]) -> frozenset[int]:
    """Return the sentences that have one of the patterns to keep, as they are earlier.

    >>> sorted(pinned(Document.from_text("It rained. It cost $5. See AB-12."), ["amounts", "AB-[0-9]+"]))
    [1, 2]
    """
    texts, names = document.display_texts, set(keep)
    inside = _matching([_expressions()[name] for name in PATTERNS if name in names], texts)
    if not (expressions := sorted(names.difference(PATTERNS))):
        return inside
    try:
        return inside | apart(partial(_matching, list(map(compiled, expressions)), texts), _MEMORY, _SECONDS)
    except LimitError:
        text = " or ".join(f"'{expression}'" for expression in expressions)
        limit = f"takes more than {_SECONDS:g} seconds"
        raise UsageError(f"keep: {text} {limit}: simplify it, above all repeats within repeats") from None


def _matching(patterns: Sequence[re.Pattern[str]], texts: Sequence[str]) -> frozenset[int]:
    return frozenset(i for i, text in enumerate(texts) if any(pattern.search(text) for pattern in patterns))
