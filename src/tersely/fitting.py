"""Fits one scored document to a budget: the choice, the joined text, and the reason for its length."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import astuple, dataclass, replace
from functools import cache, cached_property, lru_cache
from hashlib import sha256
from itertools import groupby
from typing import NamedTuple

import numpy as np

from tersely.candidates import Candidates
from tersely.errors import UsageError
from tersely.languages import pattern
from tersely.layout import Insertion, Layout
from tersely.options import UNITS, Budget, Options, Unit
from tersely.read import Network, unread
from tersely.score import Answer
from tersely.select import Selection, Selector, Values, blocking_trigrams, solver
from tersely.summary import Reason, Rejected, ScoredSentence, Summary
from tersely.text.sources import Collection, all_located

# How many characters are joined to see whether another sentence fits, where only the joined text can tell.
_TRIED_CHARS = 1_000_000
# How many rooms are tried if a joined text is too long, and how many cells a table for them may have. They are tried
# one by one if no more is too much than the last number divided by that of the sentences.
_TRIES, _CELLS, _PATIENCE = 256, 2**28, 450_000
_LETTERS: dict[str, Unit] = {unit[0]: unit for unit in UNITS}  # what stands for units in keys
_SIZE = rf"(?:\d{{1,4}}x)?\d{{1,16}}[{''.join(_LETTERS)}]"
_KEY = pattern(rf"(?a)([0-9a-f]{{8}})-([0-9a-f]{{8}})((?:-{_SIZE}){{1,400}})")
_MOST_PARTS = 1000


class Key(NamedTuple):
    """Stands for the parts of a text that have been shown: hashes of the text and of the options, and their budgets.

    >>> str(Key.parse("0123abcd-0123abcd-300c-300c-50w")), Key.parse("0123abcd-0123abcd-2x300c").last
    ('0123abcd-0123abcd-2x300c-50w', Budget(limit=300, unit='chars'))
    """

    text: str
    options: str
    parts: tuple[tuple[int, Unit], ...]

    @classmethod
    def parse(cls, key: str) -> "Key":
        """Read a key."""
        if (match := _KEY.fullmatch(key.strip())) is None:
            raise UsageError(f"'{key[:40]}' is no key: take the `more` of an earlier summary, or leave it out")
        parts: list[tuple[int, Unit]] = []
        for part in match[3][1:].split("-"):
            times, _, size = part.rpartition("x")
            parts += [(int(size[:-1]), _LETTERS[size[-1]])] * min(int(times or 1), _MOST_PARTS + 1)
            if len(parts) > _MOST_PARTS:
                raise UsageError(f"a key stands for at most {_MOST_PARTS:,} parts: ask for longer ones")
        return cls(match[1], match[2], tuple(parts))

    @property
    def last(self) -> Budget:
        """The budget of the last part."""
        return Budget(*self.parts[-1])

    def __str__(self) -> str:
        runs = [(len(list(run)), size, unit) for (size, unit), run in groupby(self.parts)]
        sizes = [f"{f'{times}x' if times > 1 else ''}{size}{unit[0]}" for times, size, unit in runs]
        return "-".join([self.text, self.options, *sizes])


def _hash(*parts: object) -> str:
    return sha256("\n".join(map(str, parts)).encode("utf-8", "surrogatepass")).hexdigest()[:8]


@lru_cache(maxsize=64)
def _options_hash(options: Options, fingerprint: str, tokens: int | None) -> str:
    """Return a hash of what parts of a text depend on beside the text."""
    chosen = replace(options, more=None, encoder=None, include=frozenset(), exclude=frozenset())
    return _hash(astuple(chosen), sorted(options.include), sorted(options.exclude), fingerprint, tokens)


@dataclass(frozen=True)
class Choice:
    """Sentences that fit, ascending, and the smallest budget known to give them; the room left may tell the reason."""

    chosen: tuple[int, ...]
    text: str
    length: int
    reason: Reason | None
    stable: int


@dataclass(frozen=True)
class Fitting:
    """A scored document with its layout and selector, ready for any budget in the layout's unit."""

    layout: Layout
    values: Values
    selector: Selector
    model: str
    fingerprint: str
    network: Network | None = None  # what reads needs and noise, unless it is the shipped one
    answer: Answer | None = None  # to the question, if there is one
    parts: tuple[tuple[int, Unit], ...] = ()  # the budgets of the parts that have been shown
    earlier: frozenset[int] = frozenset()  # their sentences

    def after(self, parts: tuple[tuple[int, Unit], ...], earlier: frozenset[int]) -> "Fitting":
        """Return the same once parts of the text have been earlier, which are not chosen again."""
        fitting = replace(self, parts=parts, earlier=earlier)
        if earlier:
            vars(fitting).update({name: getattr(self, name) for name in ("_joined", "_whole_text", "_merging")})
            vars(fitting)["candidates"] = self.candidates.after(earlier)
        return fitting

    def key(self, parts: tuple[tuple[int, Unit], ...]) -> Key:
        """Return the key of parts of this text, put together as the options say."""
        document = self.layout.document
        names = [source.id for source in document.sources] if isinstance(document, Collection) else []
        tokens = self.tokens if any(unit == "tokens" for _, unit in parts) else None
        text = _hash(document.text, names, document.language)
        return Key(text, _options_hash(self.layout.options, self.fingerprint, tokens), parts)

    @cached_property
    def tokens(self) -> int | None:
        """How many tokens all sentences have, by which tokenizers differ; None if nobody counts tokens."""
        return sum(self.layout.lengths) if self.layout.unit == "tokens" else None

    @cached_property
    def ranks(self) -> tuple[int, ...]:
        """The sentences from highest to lowest value; ties keep document order."""
        return tuple(np.argsort(-self.values, kind="stable").tolist())

    @cached_property
    def largest(self) -> int:
        """The budget that holds everything; beyond it, nothing changes."""
        return max(1, self._whole_text.length, self._joined.length) if len(self.layout.document) else 1

    @cached_property
    def candidates(self) -> Candidates:
        """What may be chosen."""
        return Candidates(self.layout, self.values, self.network)

    def afresh(self) -> "Fitting":
        """Return the same with what does not depend on a budget, but without the texts of choices."""
        fitting = replace(self)
        vars(fitting)["candidates"] = self.candidates
        return fitting

    def choice(self, capacity: int) -> Choice:
        """Return the best choice that is at most `capacity` long."""
        again, most = self._solvers(capacity), capacity + self._merging

        def select(number: int, room: int) -> Selection:
            if room < most and most * len(self.values) <= _CELLS:  # the first choice was too long: others follow
                return again(number, room)
            return self._selector(self.candidates.levels[number].with_capacity(room))

        return self._choose(capacity, select)

    def choices(self, largest: int) -> Callable[[int], Choice]:
        """Return a function equivalent to `choice` for capacities up to the largest, with the work shared."""
        select = self._solvers(largest)
        return lambda capacity: self._choose(capacity, select)

    def _solvers(self, largest: int) -> Callable[[int, int], Selection]:
        """Return a function that solves the problem of a level for any room, with the work shared."""
        solvers: dict[int, Callable[[int], Selection]] = {}

        def select(number: int, room: int) -> Selection:
            if number not in solvers:
                most = largest + self._merging
                solvers[number] = solver(self._selector, self.candidates.levels[number].with_capacity(most))
            return solvers[number](room)

        return select

    def choice_of(self, chosen: Sequence[int]) -> Choice:
        """Return the choice of these sentences, ascending."""
        return self._measured(Selection(tuple(chosen), 0))

    def lowest(self, capacity: int) -> int:
        """Return the smallest budget, which holds the included sentences, unless they need more than the capacity."""
        if not len(self.layout.document):  # an empty text is no mistake of the caller's, whatever is to be included
            return 0
        include = self.candidates.everything.include  # valid ones
        needed = self.length(include) if include else 0
        if needed > capacity:
            if self.layout.options.keep:
                unit = self.layout.unit
                raise UsageError(
                    f"the pins need {needed} of {capacity} {unit}: give more room, or fewer patterns to keep"
                )
            raise UsageError(f"the included sentences need {needed}, but the budget is {capacity}")
        return needed

    def length(self, chosen: Iterable[int]) -> int:
        """Return the length of a summary of these sentences."""
        return self.layout.length(self._ordered(chosen))

    def summary(self, choice: Choice, budget: Budget, capacity: int) -> Summary:
        """Turn a choice into the summary that a user gets."""
        document, inside = self.layout.document, set(choice.chosen)
        fits = self._fits(choice, capacity)
        reason = choice.reason or self._reason(choice, capacity, fits)
        if self.answer and not self.answer.answers and reason not in ("empty-input", "nothing-left"):
            reason = "nothing-answers"
        sources = document.sources if isinstance(document, Collection) else ()
        rejections = self.candidates.rejections(choice.chosen, capacity, fits)
        every = self._sentences(inside, rejections)
        return Summary(
            text=choice.text,
            sentences=tuple(every[i] for i in self._ordered(choice.chosen)),
            ranking=tuple(map(every.__getitem__, self.ranks)),
            language=document.language,
            budget=budget,
            capacity=capacity,
            length=choice.length,
            reason=reason,
            needed=self._needed if reason == "nothing-fits" else None,
            model=self.model,
            fingerprint=self.fingerprint,
            source=document.text,
            sources=sources,
            query=self.layout.options.query,
            more=self._more(choice, capacity),
            confidence=self.answer.confidence if self.answer else None,
        )

    def _more(self, choice: Choice, capacity: int) -> str | None:
        """Return the key of what comes after a choice, if anything is left."""
        if not choice.chosen:
            return self.layout.options.more if self._needed is not None else None
        earlier, document = self.earlier.union(choice.chosen), self.layout.document
        if len(earlier) == len(document) or not self.candidates.has_rest(earlier):
            return None
        return str(self.key((*self.parts, (capacity, self.layout.unit))))

    def _sentences(self, chosen: set[int], rejections: Sequence[Rejected]) -> list[ScoredSentence]:
        document, candidates, values = self.layout.document, self.candidates, self.values.tolist()
        reading, sentences = candidates.reading or unread(len(document)), []
        for i, (start, end, source) in enumerate(all_located(document)):
            judged = (*candidates.need(i), reading.roles[i], reading.noise_kind(i), rejections[i])
            origin = (source, document.speakers[i], document.times[i])
            sentences.append(ScoredSentence(i, start, end, document.texts[i], values[i], i in chosen, *judged, *origin))
        return sentences

    @cached_property
    def _whole_text(self) -> Choice:
        """The text itself, from its first sentence to its last, unchanged."""
        document = self.layout.document
        text = document.text[document.start : document.sentences[-1].end]
        length = len(document) if self.layout.unit == "sentences" else self.layout.measure(text)
        return Choice(tuple(range(len(document))), text, length, "whole-text-fits", length)

    @cached_property
    def _joined(self) -> Choice:
        """All sentences, joined as in a summary."""
        everything = self._ordered(range(len(self.layout.document)))
        length = self.layout.length(everything)
        return Choice(tuple(sorted(everything)), self.layout.join(everything), length, "whole-text-fits", length)

    @cached_property
    def _least(self) -> int:
        """What all sentences have at least, as far as that is known: where two meet, a word may disappear."""
        is_sum = self.layout.adds_up and not self.layout.in_lines
        return sum(self.layout.lengths) - len(self.layout.lengths) + 1 if is_sum else 0

    def _ordered(self, chosen: Iterable[int]) -> tuple[int, ...]:
        """Return the chosen sentences in the requested order."""
        if self.layout.options.order == "document":
            return tuple(sorted(chosen))
        members = set(chosen)
        ranked = tuple(i for i in self.ranks if i in members)
        document = self.layout.document
        if not isinstance(document, Collection):
            return ranked
        # The sentences of a source stay together; the source with the best sentence comes first.
        groups: dict[int, list[int]] = {}
        for i in ranked:
            groups.setdefault(document.place(i)[0], []).append(i)
        return tuple(i for group in groups.values() for i in group)

    def _choose(self, capacity: int, select: Callable[[int, int], Selection]) -> Choice:
        """Return the choice for the largest room that is not too long once it is joined.

        A joined text may be longer than its parts, by tokens, headers or marks of omission: then there is less room. If
        words merge where sentences are joined, it may be shorter: then there is more. What is too long for a capacity
        is too long for a smaller one. So the choice for exactly the length used is the same, if every room is tried.
        """
        options = self.layout.options
        if not len(self.layout.document):
            return Choice((), "", 0, "empty-input", 0)
        least = self.candidates.everything.least  # the options are valid even if everything fits
        if not options.exclude and not self.earlier and self._least <= capacity:
            untouched = options.order == "document" and options.separator is None and not options.header
            untouched = untouched and options.speakers and not options.times
            if untouched and self._whole_text.length <= capacity:
                return self._whole_text
            # Lines that stand for others would say so beside them.
            if not self.layout.in_lines and self._joined.length <= capacity:
                return self._joined
        lowest, room = self.lowest(capacity), capacity + self._merging
        level, tries, skips = 0, 0, False
        while room >= least:
            level, selection = self._solve(level, room, select)
            choice = self._measured(selection)
            if choice.length <= capacity:
                return replace(choice, stable=capacity) if skips else choice
            tries, excess = tries + 1, choice.length - capacity
            step = max(1, (excess - _PATIENCE // len(self.values)) // 2) if tries < _TRIES else excess
            room, skips = selection.stable - step, skips or step > 1
        # Sentences without tokens fit any room, but once they are joined they may not.
        return self._measured(Selection(tuple(sorted(self.candidates.everything.include)), lowest))

    def _solve(self, level: int, room: int, select: Callable[[int, int], Selection]) -> tuple[int, Selection]:
        """Return the first level from this one on that chooses anything, and its choice; if none does, a copy."""
        for number in range(level, len(self.candidates.levels)):
            if (selection := select(number, room)).chosen:
                return number, selection
        return len(self.candidates.levels), self.candidates.copy(room)

    @cached_property
    def _merging(self) -> int:
        """How many words can disappear where sentences are joined, or about how many tokens."""
        layout = self.layout
        if layout.unit == "tokens":
            less = sum(layout.lengths) - self._joined.length
            return less + 1 if less > 0 else 0
        if layout.unit != "words" or layout.measure(f"a{layout.separator}a") == 2 + layout.gap:
            return 0
        sentences = zip(layout.labeled_texts, layout.lengths, strict=True)
        return (1 + layout.gap) * sum(layout.measure(text + "a") == length for text, length in sentences)

    def _measured(self, selection: Selection) -> Choice:
        if selection.chosen not in self._texts:
            text = self.layout.join(self._ordered(selection.chosen))
            countable = self.layout.unit == "sentences" or not selection.chosen
            length = len(selection.chosen) if countable else self.layout.measure(text)
            self._texts[selection.chosen] = text, length
        text, length = self._texts[selection.chosen]
        stable = max(selection.stable - self._merging, length)  # a joined text may be longer than its parts
        return Choice(selection.chosen, text, length, None, stable)

    @cached_property
    def _texts(self) -> dict[tuple[int, ...], tuple[str, int]]:
        """The texts of choices, joined, and their lengths."""
        return {}

    def _reason(self, choice: Choice, capacity: int, fits: Callable[[int], bool]) -> Reason:
        if not choice.chosen:
            if self.earlier and self._needed is None:
                return "nothing-left"
            return "nothing-fits" if self._needed is None or self._needed > capacity else "no-gain"
        lengths, unavailable = self.layout.lengths, self.layout.options.exclude.union(choice.chosen, self.earlier)
        free = sorted(set(range(len(lengths))) - unavailable, key=lengths.__getitem__)
        return "no-gain" if any(map(fits, free[:1] if self.layout.adds_up else free)) else "selected"

    @cached_property
    def _needed(self) -> int | None:
        """The length of the shortest summary that is possible.

        What has nothing to do with a question is no answer to it, however short.
        """
        options = self.layout.options
        if self.earlier:
            left = np.flatnonzero(self.candidates.levels[0].free).tolist()
            return min(map(self.layout.alone, left), default=None)
        allowed = (i for i in range(len(self.values)) if i not in options.exclude)
        possible = (i for i in allowed if options.query is None or self.values[i] > 0)
        return min(map(self.layout.alone, possible), default=None)

    def _fits(self, choice: Choice, capacity: int) -> Callable[[int], bool]:
        """Return a function that tells whether another sentence would fit.

        Where its neighbors do not say how much it adds, it is joined, as long as that takes no time worth mentioning;
        what was not tried does not fit.
        """
        layout, ranks = self.layout, None if self.layout.options.order == "document" else self.ranks
        insertion = Insertion(layout, self._ordered(choice.chosen), choice.length, ranks)
        most, tries = capacity - choice.length + layout.merging, max(1, _TRIED_CHARS // (len(choice.text) + 1))

        @cache
        def fits(sentence: int) -> bool:
            nonlocal tries
            length = insertion.length_with(sentence)
            if length is None:
                if not tries or layout.lengths[sentence] + layout.gap > most:
                    return False
                tries -= 1
                length = self.length((*choice.chosen, sentence))
            return length <= capacity

        return fits

    @cached_property
    def _selector(self) -> Selector:
        return blocking_trigrams(self.selector) if self.layout.options.redundancy == "trigrams" else self.selector
