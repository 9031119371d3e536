"""Every budget at once: how a summary grows with its budget."""

from dataclasses import dataclass, replace
from typing import Any

from tersely.budget import Budget
from tersely.errors import UsageError
from tersely.fitting import Choice, Fitting
from tersely.summary import Summary
from tersely.text.sources import located


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
    [0, 15, 18, 31, 34, 36, 41, 44, 60]
    >>> frontier.at(20).text
    'Rain fell all day.'
    """

    fitting: Fitting
    capacity: int

    def at(self, budget: int) -> Summary:
        """Return the summary for one budget, the same as `summarize` returns."""
        if not 1 <= budget <= self.capacity:
            raise UsageError(f"this frontier covers budgets from 1 to {self.capacity}, not {budget}")
        return self.fitting.summary(self.fitting.choice(budget), Budget(budget, self.fitting.layout.unit), budget)

    def steps(self, points: int | None = None) -> list[Step]:
        """List every budget at which the summary changes, or only the changes seen at `points` evenly spaced budgets.

        The first step is always at the smallest budget that holds the included sentences.
        """
        if points is not None and points < 1:
            raise UsageError(f"points must be at least 1, not {points}")
        self.fitting.candidates.given(self.capacity)  # validates the included sentences before they are measured
        lowest = self.fitting.length(self.fitting.layout.options.include)
        budgets = [] if points is None else _spread(lowest, self.capacity, points)
        choose = self.fitting.choices([(b, b) for b in reversed(budgets)] or [(lowest, self.capacity)])
        waiting, steps = iter(budgets), list[Step]()
        budget = next(waiting, self.capacity)
        while budget >= lowest:
            choice = choose(budget)
            if not steps or steps[-1].chosen != choice.chosen:
                steps.append(self._step(choice))
            steps[-1] = replace(steps[-1], budget=choice.stable, length=choice.length)
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

    def _step(self, choice: Choice) -> Step:
        value = float(self.fitting.values[list(choice.chosen)].sum())
        return Step(choice.stable, choice.length, value, choice.chosen)


def _spread(lowest: int, capacity: int, points: int) -> list[int]:
    points = min(points, capacity)  # there are only `capacity` budgets
    return sorted({max(round(capacity * k / points), lowest) for k in range(points + 1)}, reverse=True)
