"""Results as pictures."""

from collections.abc import Sequence
from io import BytesIO
from typing import Any

from tersely.errors import MissingExtraError
from tersely.evaluate.report import describe
from tersely.evaluate.run import Result


def plots(results: Sequence[Result]) -> dict[str, bytes]:
    """Return PNG pictures by file name: ROUGE against budget, places chosen, lengths."""
    pictures = {"positions.png": _positions(results), "lengths.png": _lengths(results)}
    if len({result.budget for result in results}) > 1:
        pictures["rouge-budget.png"] = _against_budget(results)
    return pictures


def _against_budget(results: Sequence[Result]) -> bytes:
    figure, axes = _figure()
    for system in dict.fromkeys(result.system for result in results):
        own = sorted((r for r in results if r.system == system), key=lambda r: r.budget.limit)
        axes.plot([r.budget.limit for r in own], [r.mean("rouge1") for r in own], marker="o", label=system)
    axes.set(xlabel=f"budget ({results[0].budget.unit})", ylabel="ROUGE-1 F1")
    return _png(figure, axes)


def _positions(results: Sequence[Result], first: int = 10) -> bytes:
    figure, axes = _figure()
    budget = results[-1].budget
    own = [result for result in results if result.budget == budget]
    width = 0.8 / len(own)
    for k, result in enumerate(own):
        counts = result.positions(first)
        total = max(1, sum(counts))
        places = [place + (k - len(own) / 2 + 0.5) * width for place in range(first + 1)]
        axes.bar(places, [100 * count / total for count in counts], width, label=result.system)
    axes.set_xticks(range(first + 1), [*map(str, range(first)), f"{first}+"])
    axes.set(xlabel=f"place of the chosen sentences, {describe(budget)}", ylabel="% of chosen")
    return _png(figure, axes)


def _lengths(results: Sequence[Result]) -> bytes:
    figure, axes = _figure()
    labels = [f"{result.system}\n{describe(result.budget)}" for result in results]
    axes.boxplot([result.lengths for result in results], tick_labels=labels, showfliers=False)
    axes.tick_params(axis="x", rotation=90, labelsize=7)
    axes.set(ylabel="length of the summary (characters)")
    return _png(figure, axes, legend=False)


def _figure() -> tuple[Any, Any]:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("drawing a plot", "eval") from None
    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.subplots()
    axes.grid(alpha=0.3)
    return figure, axes


def _png(figure: Any, axes: Any, legend: bool = True) -> bytes:
    if legend:
        axes.legend(fontsize=8)
    picture = BytesIO()
    figure.savefig(picture, format="png", dpi=130)
    return picture.getvalue()
