"""Every budget at once: how a summary grows with its budget."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from tersely.budget import Budget
from tersely.errors import UsageError
from tersely.fitting import Choice, Fitting
from tersely.growing import Growth
from tersely.summary import Summary
from tersely.text.sources import located

# Summaries that only grow are to agree with the best ones at so many budgets, and at fewer in a long text.
_TARGETS = 200
_FEWEST = 20


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
    >>> frontier = Summarizer.load().frontier("Rain fell all day. The river rose. Rain made the river rise.")
    >>> [step.budget for step in frontier.steps()]
    [0, 15, 18, 26, 41, 44, 60]
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
                choice = self.fitting.given(chosen)
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
        self.fitting.candidates.given(self.capacity)  # validates the included sentences before they are measured
        lowest = self.fitting.length(self.fitting.layout.options.include)
        budgets = [] if points is None else _spread(lowest, self.capacity, points)
        choose = self.fitting.choices([(b, b) for b in reversed(budgets)] or [(lowest, self.capacity)])
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
        layout, values = self.fitting.layout, self.fitting.values
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
                    "needs": need if need >= 0 else None,
                }
                for i, need in enumerate(self.fitting.reading.needs)
                for start, end, source in [located(document, i)]
            ],
            "steps": [step.to_dict() for step in (self.steps() if steps is None else steps)],
        }

    @cached_property
    def _growth(self) -> list[Step]:
        """List the steps of choices that only grow."""
        fitting, include = self.fitting, self.fitting.layout.options.include
        count = len(fitting.layout.document)
        targets = max(_FEWEST, min(_TARGETS, 100 * _TARGETS // max(count, 1)))
        free = self._free(targets if self.capacity > targets else None)
        if not free or not count:
            return free
        problem = fitting.candidates.first(self.capacity)
        known = [(step.budget, step.chosen) for step in free if problem.is_closed(step.chosen)]
        chosen, budget, steps = set(include), fitting.length(include), list[Step]()
        for bundle in ((), *Growth(problem, known, self.capacity).order(fitting.allows)) if known else ((),):
            chosen.update(bundle)
            choice = fitting.given(sorted(chosen))
            budget = max(budget, choice.length)  # in tokens, more sentences may be shorter
            if budget <= self.capacity:
                steps.append(self._step(replace(choice, stable=budget)))
        last = free[-1]
        if len(chosen) < len(last.chosen) == count:
            steps.append(replace(last, budget=max(last.budget, budget)))
        return steps

    def _step(self, choice: Choice) -> Step:
        value = float(self.fitting.values[list(choice.chosen)].sum())
        return Step(choice.stable, choice.length, value, choice.chosen)


def _spread(lowest: int, capacity: int, points: int) -> list[int]:
    """Return budgets, descending, with the same ratio from each to the next, and the lowest."""
    return sorted({max(round(capacity ** (k / points)), lowest) for k in range(points + 1)} | {lowest}, reverse=True)
