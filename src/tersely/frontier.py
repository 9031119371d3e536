"""Every budget at once: how a summary grows with its budget."""

from dataclasses import dataclass, replace
from functools import cached_property
from math import log
from typing import Any

from tersely.budget import Budget
from tersely.errors import UsageError
from tersely.fitting import Choice, Fitting
from tersely.select import Problem
from tersely.summary import Summary
from tersely.text.sources import located

# A nested summary grows by at least this factor at a step, so that a long text has not too many steps.
_GROWTH = 1.05
_LONG = 120  # sentences; shorter texts grow one sentence at a time


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
    >>> summarizer = Summarizer.load(scorer="lead", select="knapsack")
    >>> frontier = summarizer.frontier("Rain fell all day. The river rose. Rain made the river rise.")
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
        choose = self.fitting.choices(self.capacity)
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
        layout, values, reading = self.fitting.layout, self.fitting.values, self.fitting.candidates.reading
        document = layout.document
        return {
            "unit": layout.unit,
            "capacity": self.capacity,
            "separator": layout.separator,
            "language": document.language,
            "sentences": [
                {
                    **({} if source is None else {"source": source}),
                    "index": i,
                    "start": start,
                    "end": end,
                    "text": document.shown[i],
                    "score": float(f"{values[i]:.9g}"),
                    "needs": None if reading is None else reading.need(i)[0],
                }
                for i in range(len(document))
                for start, end, source in [located(document, i)]
            ],
            "steps": [step.to_dict() for step in (self.steps() if steps is None else steps)],
        }

    @cached_property
    def _growth(self) -> list[Step]:
        """List the steps of choices that only grow.

        Sentences are added in the order of how many budgets they are chosen for, by the logarithms of budgets, each
        with the sentence that cures it.
        """
        fitting, include = self.fitting, self.fitting.layout.options.include
        free, count = self._free(None), len(fitting.layout.document)
        if not free or not count:
            return free
        chosen, budget, steps = set(include), fitting.length(include), list[Step]()
        for bundle in ((), *self._bundles(free)):
            chosen.update(bundle)
            choice = fitting.choice_of(sorted(chosen))
            budget = max(budget, choice.length)  # in tokens, more sentences may be shorter
            if budget <= self.capacity:
                steps.append(self._step(replace(choice, stable=budget)))
        last = free[-1]
        if len(chosen) < len(last.chosen) == count:
            steps.append(replace(last, budget=max(last.budget, budget)))
        return steps

    def _bundles(self, free: list[Step]) -> list[list[int]]:
        """Return what to add, step by step, to the included sentences."""
        count = len(self.fitting.layout.document)
        presence = [0.0] * count
        ends = [*(step.budget for step in free[1:]), self.capacity + 1]
        for step, end in zip(free, ends, strict=True):
            for i in step.chosen if len(step.chosen) < count else ():
                presence[i] += log(max(end, 1)) - log(max(step.budget, 1))
        problem = self._growing(presence)
        inside, bundles, bundle = set(problem.include), list[list[int]](), list[int]()
        length = before = 0
        for i in sorted(range(count), key=lambda i: -presence[i]):
            added = _with_cures(problem, i, inside) if presence[i] > 0 else []
            if not added or not self.fitting.allows({*inside, *added}):
                continue
            inside.update(added)
            bundle += added
            length += sum(problem.costs[added].tolist())
            if count <= _LONG or length >= _GROWTH * before:
                bundles.append(bundle)
                bundle, before = [], length
        return [*bundles, bundle] if bundle else bundles

    def _growing(self, presence: list[float]) -> Problem:
        """Return the first problem that allows any of the sentences that are chosen for some budget."""
        levels, present = self.fitting.candidates.levels, {i for i, share in enumerate(presence) if share > 0}
        return next((problem for problem in levels if present - problem.exclude), levels[0])

    def _step(self, choice: Choice) -> Step:
        value = self.fitting.candidates.worth(choice.chosen)
        return Step(choice.stable, choice.length, value, choice.chosen)


def _with_cures(problem: Problem, sentence: int, inside: set[int]) -> list[int]:
    """Return a sentence and what cures it, as far as that may be chosen and is not inside yet."""
    added = list[int]()
    while sentence >= 0 and sentence not in inside and sentence not in problem.exclude:
        added.append(sentence)
        needed = problem.cures and problem.bonus is not None and problem.bonus[sentence] > 0
        sentence = problem.cures[sentence] if needed else -1
    return added


def _spread(lowest: int, capacity: int, points: int) -> list[int]:
    """Return budgets, descending, with the same ratio from each to the next, and the lowest."""
    return sorted({max(round(capacity ** (k / points)), lowest) for k in range(points + 1)} | {lowest}, reverse=True)
