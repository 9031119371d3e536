"""Results as tables (terminal, Markdown, CSV, JSON) and as plots, and the learning curves of training runs."""

import json
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

from tersely.errors import InputError, MissingExtraError, UsageError
from tersely.evaluate import columns, csv_table, describe, markdown_table
from tersely.evaluate.measures import MEASURES, Difference, Tokenization, interval
from tersely.evaluate.run import SystemResult, difference
from tersely.io.files import write_whole
from tersely.io.lines import Fault, read_objects

SHORT = {"rouge1": "R-1", "rouge2": "R-2", "rougeL": "R-L", "rougeLsum": "R-Lsum"}
Curve = list[tuple[float, float, float | None]]
HEADER = ("budget", "system", *SHORT.values(), "Δ R-1 (95 %)", "p", "length (sd)", "fill", "over", "repeated")


def save(folder: Path, results: Sequence[SystemResult], baseline: str, tokenization: Tokenization) -> None:
    """Write the results to a folder as Markdown, CSV, JSON and plots."""
    note = footnote(tokenization, len(results[0].outcomes), baseline)
    texts = {
        "results.md": f"{markdown(results, baseline)}\n{note}\n",
        "results.csv": as_csv(results, baseline),
        "results.json": as_json(results, baseline, tokenization),
    }
    for name, text in texts.items():
        write_whole(folder / name, text.encode())
    for name, picture in plots(results).items():
        write_whole(folder / name, picture)


def footnote(tokenization: Tokenization, documents: int, baseline: str) -> str:
    """Return the line below every table: what was measured, and how."""
    return (
        f"{documents} documents. ROUGE F1 x 100; {tokenization}; R-L: the summary as one line; R-Lsum: sentence by "
        f"sentence (the papers' ROUGE-L). Δ and p: against {baseline} on the same documents, paired bootstrap, "
        "10,000 draws, seed 42. Length: in characters; fill: share of the budget used; over: summaries over budget; "
        "repeated: % of bigrams that occurred before in the summary."
    )


def rows(results: Sequence[SystemResult], baseline: str) -> list[tuple[str, ...]]:
    """Return the cells of the table, one row per result."""
    return [_row(result, _compare(result, results, baseline)) for result in results]


def _compare(
    result: SystemResult, results: Sequence[SystemResult], baseline: str, measure: str = "rouge1"
) -> Difference | None:
    return difference(result, results, baseline, lambda compared: compared.f1(measure))


def _row(result: SystemResult, delta: Difference | None) -> tuple[str, ...]:
    return (
        describe(result.budget),
        result.system,
        *(f"{result.mean(measure):.2f}" for measure in MEASURES),
        str(delta) if delta else "",
        f"{delta.p:.4f}" if delta else "",
        f"{result.lengths.mean():.0f} ({result.lengths.std():.0f})",
        f"{result.fill:.0%}",
        str(result.violations),
        f"{result.redundancy:.1f}",
    )


def terminal(results: Sequence[SystemResult], baseline: str) -> str:
    """Return the table in columns, with a blank line between budgets."""
    return columns([HEADER, *rows(results, baseline)])


def markdown(results: Sequence[SystemResult], baseline: str) -> str:
    """Return the table as Markdown."""
    return markdown_table([HEADER, *rows(results, baseline)])


def as_csv(results: Sequence[SystemResult], baseline: str) -> str:
    """Return the table as CSV."""
    return csv_table([HEADER, *rows(results, baseline)])


def as_json(results: Sequence[SystemResult], baseline: str, tokenization: Tokenization) -> str:
    """Return JSON with the means of all measures, intervals, differences, and the scores of each document."""
    data = {
        "settings": footnote(tokenization, len(results[0].outcomes), baseline),
        "results": [_data(result, results, baseline) for result in results],
    }
    return json.dumps(data, ensure_ascii=False, indent=1)


def _data(result: SystemResult, results: Sequence[SystemResult], baseline: str) -> dict[str, Any]:
    scores = {}
    for measure in MEASURES:
        low, high = interval(result.f1(measure))
        delta = _compare(result, results, baseline, measure)
        scores[measure] = {
            **{part: round(result.mean(measure, part), 4) for part in ("precision", "recall", "f1")},
            "interval": [round(low, 4), round(high, 4)],
            "difference": delta._asdict() if delta else None,
            "documents": [round(score, 4) for score in result.f1(measure).tolist()],
        }
    return {
        "system": result.system,
        "budget": {"limit": result.budget.limit, "unit": result.budget.unit},
        "scores": scores,
        "length": {"mean": result.lengths.mean(), "sd": result.lengths.std()},
        "fill": result.fill,
        "violations": result.violations,
        "redundancy": result.redundancy,
        "positions": result.positions(),
    }


def plots(results: Sequence[SystemResult]) -> dict[str, bytes]:
    """Return PNG images by file name: ROUGE by budget (if there are several), chosen places, and lengths."""
    pictures = {"positions.png": _positions(results), "lengths.png": _lengths(results)}
    if len({result.budget for result in results}) > 1:
        pictures["rouge-budget.png"] = _by_budget(results)
    return pictures


def _by_budget(results: Sequence[SystemResult]) -> bytes:
    figure, axes = _figure()
    for system in dict.fromkeys(result.system for result in results):
        points = sorted((r for r in results if r.system == system), key=lambda r: r.budget.limit)
        axes.plot([r.budget.limit for r in points], [r.mean("rouge1") for r in points], marker="o", label=system)
    axes.set(xlabel=f"budget ({results[0].budget.unit})", ylabel="ROUGE-1 F1")
    return _png(figure, axes)


def _positions(results: Sequence[SystemResult], first: int = 10) -> bytes:
    figure, axes = _figure()
    budget = results[-1].budget
    bars = [result for result in results if result.budget == budget]
    width = 0.8 / len(bars)
    for k, result in enumerate(bars):
        counts = result.positions(first)
        total = max(1, sum(counts))
        places = [place + (k - len(bars) / 2 + 0.5) * width for place in range(first + 1)]
        axes.bar(places, [100 * count / total for count in counts], width, label=result.system)
    axes.set_xticks(range(first + 1), [*map(str, range(first)), f"{first}+"])
    axes.set(xlabel=f"index of the chosen sentences, {describe(budget)}", ylabel="% of chosen sentences")
    return _png(figure, axes)


def _lengths(results: Sequence[SystemResult]) -> bytes:
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


def read_log(file: Path) -> Curve:
    """Return (step, validation loss, ROUGE-1 if measured) for every validation in the `log.jsonl` of a training run."""
    curve: Curve = []
    for item in read_objects(file):
        if isinstance(item, Fault):
            raise InputError(f"{file} is not a training log: line {item.line}: {item.reason}")
        line, row = item
        if "validation_loss" not in row:
            continue
        try:
            rouge1 = row.get("rouge1")
            point = float(row["step"]), float(row["validation_loss"]), None if rouge1 is None else float(rouge1)
        except (ValueError, KeyError, TypeError):
            raise InputError(f"{file} is not a training log: line {line} needs numbers") from None
        curve.append(point)
    if not curve:
        raise InputError(f"{file} has no validation yet: let the training run reach its first one")
    return curve


def draw_curves(logs: Sequence[Path]) -> bytes:
    """Return a PNG with one panel per log, three in a row: the loss in blue and ROUGE-1 in red, as in the paper."""
    if not logs:
        raise UsageError("there is no training log: train a scorer first, then name its log.jsonl with --log")
    # A list, not a dict: two training runs may have folders of the same name.
    curves = [(file.parent.name or file.stem, read_log(file)) for file in logs]
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("drawing a plot", "eval") from None
    across = min(len(curves), 3)
    down = -(-len(curves) // across)
    figure = Figure(figsize=(5 * across, 3.6 * down), layout="constrained")
    for number, (name, curve) in enumerate(curves, 1):
        axes = figure.add_subplot(down, across, number)
        axes.plot([step for step, _, _ in curve], [loss for _, loss, _ in curve], color="tab:blue")
        axes.set(title=name, xlabel="step")
        axes.set_ylabel("validation loss", color="tab:blue")
        measured = [(step, score) for step, _, score in curve if score is not None]
        if measured:
            right = axes.twinx()
            right.plot(*zip(*measured, strict=True), color="tab:red")
            right.set_ylabel("ROUGE-1", color="tab:red")
    picture = BytesIO()
    figure.savefig(picture, format="png", dpi=130)
    return picture.getvalue()
