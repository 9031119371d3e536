"""Every budget at once: how a summary grows with its budget."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from io import BytesIO
from math import log
from pathlib import Path
from typing import Any

import numpy as np

from tersely.errors import MissingExtraError, UsageError
from tersely.fitting import Choice, Fitting
from tersely.io.files import write_whole
from tersely.options import Budget
from tersely.select import Problem, Trigrams
from tersely.summary import Summary, answered, said_by
from tersely.text.sources import located

# A nested summary grows by at least this factor at a step, so that a long text has not too many steps.
_GROWTH = 1.05
_SHARED = 1000  # a table for so many budgets costs about as much as the best choice for one
_LONG = 120  # sentences; shorter texts grow one sentence at a time
_CHAIN = 8  # sentences, each of which needs the next, that are added at once
_PICTURES = ("png", "svg", "pdf")
_POINTS = 150  # budgets that say which sentences of a longer text are chosen most often


@dataclass(frozen=True)
class Step:
    """From `budget` up to the next step, the summary consists of `chosen`, with this length and total value."""

    budget: int
    length: int
    value: float
    chosen: tuple[int, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        value = float(f"{self.value:.9g}")
        return {"budget": self.budget, "length": self.length, "value": value, "chosen": list(self.chosen)}


@dataclass(frozen=True)
class Frontier:
    """The summaries of one text for every budget up to `capacity`.

    >>> from tersely import Summarizer
    >>> lead = Summarizer.load(scorer="lead")
    >>> frontier = lead.frontier("Rain fell all day. The river rose. Rain made the river rise.")
    >>> [step.budget for step in frontier.steps()]
    [0, 15, 18, 34, 60]
    >>> frontier.at(20).text
    'Rain fell all day.'
    """

    fitting: Fitting
    capacity: int
    nested: bool = False

    def at(self, budget: int) -> Summary:
        """Return the summary for one budget, the same as `summarize` returns, or if `nested`, that of its step."""
        if not 1 <= budget <= self.capacity:
            raise UsageError(f"this frontier covers budgets from 1 to {self.capacity}, not {budget}")
        choice = None
        if self.nested:
            chosen = next((step.chosen for step in reversed(self._growth) if step.budget <= budget), None)
            if chosen is not None and len(chosen) < len(self.fitting.layout.document):
                choice = self.fitting.choice_of(chosen)
        choice = choice or self.fitting.choice(budget)
        return self.fitting.summary(choice, Budget(budget, self.fitting.layout.unit), budget)

    def steps(self, points: int | None = None) -> list[Step]:
        """List every budget at which the summary changes, or only the changes seen at `points` budgets.

        From each of these to the next, the ratio is about the same. If `nested`, all of its steps are listed.
        The first step is always at the smallest budget that holds the included sentences.
        """
        if points is not None and points < 1:
            raise UsageError(f"points must be at least 1, not {points}")
        if points is not None and points >= self.capacity:
            points = None  # there are only `capacity` budgets
        return self._growth if self.nested else self._free(points)

    def _free(self, points: int | None) -> list[Step]:
        """List the steps of the best choice for each budget."""
        lowest = self.fitting.lowest(self.capacity)
        budgets = [] if points is None else _spread(lowest, self.capacity, points)
        # For few budgets of a long text, each by itself takes less than a table for all.
        apart = bool(budgets) and self.fitting.layout.adds_up and self.capacity > _SHARED * len(budgets)
        choose = self.fitting.choice if apart else self.fitting.choices(self.capacity)
        if apart:
            _ = self.fitting.candidates.levels[0].items  # computed once, for all budgets
        waiting, steps = iter(budgets), list[Step]()
        budget = next(waiting, self.capacity)
        while budget >= lowest:
            choice = choose(budget)
            if steps and steps[-1].chosen == choice.chosen:
                steps[-1] = Step(choice.stable, choice.length, steps[-1].value, choice.chosen)
            else:
                steps.append(self._step(choice))
            budget = choice.stable - 1
            if budgets:
                budget = next((b for b in waiting if b <= budget), lowest - 1)
        return steps[::-1]

    def to_dict(self, steps: list[Step] | None = None) -> dict[str, Any]:
        """Return plain data: each sentence once, as shown, and the steps (by default all) as indices into them."""
        layout, values, candidates = self.fitting.layout, self.fitting.values, self.fitting.candidates
        document, reading, answer = layout.document, candidates.reading, self.fitting.answer
        return {
            "unit": layout.unit,
            "capacity": self.capacity,
            "separator": layout.separator,
            "language": document.language,
            **({} if answer is None else answered(layout.options.query, answer.confidence, answer.answers)),
            "sentences": [
                {
                    **said_by(document.speakers[i], document.times[i]),
                    **({} if source is None else {"source": source}),
                    "index": i,
                    "start": start,
                    "end": end,
                    "text": document.display_texts[i],
                    "score": float(f"{values[i]:.9g}"),
                    "needs": needs,
                    "cause": cause,
                    "role": "" if reading is None else reading.roles[i],
                }
                for i in range(len(document))
                for start, end, source in [located(document, i)]
                for needs, cause in [candidates.need(i)]
            ],
            "steps": [step.to_dict() for step in (self.steps() if steps is None else steps)],
        }

    @cached_property
    def _growth(self) -> list[Step]:
        """List the steps of choices that only grow.

        Sentences are added in the order of how many budgets they are chosen for, by the logarithms of budgets, each
        with the sentence that cures it, and none that would lower the value. The whole_text text comes last.
        """
        fitting, include = self.fitting, self.fitting.layout.options.include
        count = len(fitting.layout.document)
        free = self._free(None if count <= _LONG else _POINTS)
        if not free or not count:
            return free
        whole_text = free[-1] if len(free[-1].chosen) == count else None
        most = whole_text.budget - 1 if whole_text else self.capacity
        chosen, budget, steps = set(include), fitting.length(include), list[Step]()
        for bundle in ((), *self._bundles(free, most)):
            chosen.update(bundle)
            choice = fitting.choice_of(sorted(chosen))
            budget = max(budget, choice.length)  # in tokens, more sentences may be shorter
            if budget > most:
                break
            if steps and steps[-1].budget == budget:
                steps.pop()
            steps.append(self._step(replace(choice, stable=budget)))
        return [*steps, whole_text] if whole_text else steps

    def _bundles(self, free: list[Step], most: int) -> list[list[int]]:
        """Return what to add, step by step, to the included sentences, up to a budget."""
        presence = self._presence(free)
        levels = self.fitting.candidates.levels
        problem = next((level for level in levels if presence.keys() - level.exclude), levels[0])
        layout, bundles, bundle = self.fitting.layout, list[list[int]](), list[int]()
        growth = _Growth(problem, Trigrams(layout.document) if layout.options.redundancy == "trigrams" else None)
        room, length, before = most + problem.separator - sum(problem.costs[list(problem.include)].tolist()), 0, 0
        for i in sorted(presence, key=lambda i: (-presence[i], i)):
            added = growth.densest(growth.with_cures(i))
            cost = sum(map(problem.costs.item, added))
            if not added or length + cost > room or growth.gain(added) <= 0 or growth.repeats(added):
                continue
            growth.add(added)
            bundle += added
            length += cost
            if len(problem.values) <= _LONG or length >= _GROWTH * before:
                bundles.append(bundle)
                bundle, before = [], length
        return [*bundles, bundle] if bundle else bundles

    def _presence(self, free: list[Step]) -> dict[int, float]:
        """Return for how many budgets, by their logarithms, sentences are chosen.

        What is chosen only for want of anything else counts if nothing is chosen for what it is worth.
        """
        count = len(self.fitting.layout.document)
        ends = [*(step.budget for step in free[1:]), self.capacity + 1]
        partial = [(step, end) for step, end in zip(free, ends, strict=True) if len(step.chosen) < count]
        worthy = [(step, end) for step, end in partial if step.value > 0]
        presence: dict[int, float] = defaultdict(float)
        for step, end in worthy or partial:
            for i in step.chosen:
                presence[i] += log(end) - log(max(step.budget, 1))
        return presence

    def _step(self, choice: Choice) -> Step:
        value = self.fitting.candidates.worth(choice.chosen)
        return Step(choice.stable, choice.length, value, choice.chosen)


class _Growth:
    """What is inside a choice that grows, and what others would add to it."""

    def __init__(self, problem: Problem, trigrams: Trigrams | None) -> None:
        self.problem, self._trigrams = problem, trigrams  # None if they may be repeated
        self._inside, self._inside_trigrams = set[int](), set[tuple[str, ...]]()
        self.add(problem.include)
        self._bonus = np.zeros(len(problem.values)) if problem.bonus is None else problem.bonus
        self._cured: dict[int, list[int]] = defaultdict(list)
        for i, cure in enumerate(problem.cures):
            if cure >= 0:
                self._cured[cure].append(i)

    def add(self, sentences: Iterable[int]) -> None:
        """Take sentences inside."""
        self._inside.update(sentences)
        if self._trigrams is not None:
            self._inside_trigrams.update(*map(self._trigrams.__getitem__, sentences))

    def repeats(self, added: list[int]) -> bool:
        """Tell whether sentences share three words in a row with others or those inside, and may not."""
        if self._trigrams is None:
            return False
        rows = [self._trigrams[i] for i in added]
        trigrams = set[tuple[str, ...]]().union(*rows)
        return len(trigrams) < sum(map(len, rows)) or not trigrams.isdisjoint(self._inside_trigrams)

    def with_cures(self, sentence: int) -> list[int]:
        """Return a sentence, what cures it, what cures that, and so on, if it may be chosen and is not inside yet."""
        problem, added = self.problem, list[int]()
        while sentence >= 0 and not any(sentence in group for group in (self._inside, problem.exclude, added)):
            if len(added) == _CHAIN:
                break
            added.append(sentence)
            sentence = problem.cures[sentence] if problem.cures and self._bonus[sentence] > 0 else -1
        return added

    def densest(self, chain: list[int]) -> list[int]:
        """Return the part of a chain, from its beginning, that adds most for its room."""
        parts = [chain[:end] for end in range(1, len(chain) + 1)]
        costs = self.problem.costs.item
        return max(parts, key=lambda part: self.gain(part) / max(1, sum(map(costs, part))), default=[])

    def gain(self, added: list[int]) -> float:
        """Return what sentences would add to the value."""
        cures = self.problem.cures
        cured = {i for i in added if cures and (cures[i] in self._inside or cures[i] in added)}
        cured.update(i for cure in added for i in self._cured[cure] if i in self._inside or i in added)
        return float(self.problem.values[added].sum() + self._bonus[list(cured)].sum())


def _spread(lowest: int, capacity: int, points: int) -> list[int]:
    """Return budgets, descending, with the same ratio from each to the next, and the lowest."""
    return sorted({max(round(capacity ** (k / points)), lowest) for k in range(points + 1)} | {lowest}, reverse=True)


def plot_steps(steps: list[Step], unit: str, file: str) -> None:
    """Draw value against budget as a staircase, and write it as PNG, SVG or PDF by the file's ending."""
    form = Path(file).suffix.lstrip(".").lower()
    if form not in _PICTURES:
        raise UsageError(f"{file}: the name of a plot must end in .{', .'.join(_PICTURES)}")
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("drawing a plot", "plot") from None
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    axes.step([s.budget for s in steps], [s.value for s in steps], where="post", color="#2563eb")
    axes.set(xlabel=f"budget ({unit})", ylabel="value of the summary", xlim=(0, None), ylim=(0, None))
    axes.grid(alpha=0.3)
    picture = BytesIO()
    figure.savefig(picture, format=form, dpi=150)
    write_whole(file, picture.getvalue())
