"""The figure of learning curves: validation loss and ROUGE-1 by training step."""

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

from tersely.errors import InputError, MissingExtraError, UsageError
from tersely.io.lines import Fault, read_objects

Curve = list[tuple[float, float, float | None]]


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
    """Return a PNG with one panel per log: the loss in blue and ROUGE-1 in red, as in the paper."""
    if not logs:
        raise UsageError("there is no training log: train a scorer first, then name its log.jsonl with --log")
    # A list, not a dict: two training runs may have folders of the same name.
    curves = [(file.parent.name or file.stem, read_log(file)) for file in logs]
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("drawing a plot", "eval") from None
    figure = Figure(figsize=(5 * len(curves), 3.6), layout="constrained")
    for axes, (name, curve) in zip(figure.subplots(1, len(curves), squeeze=False)[0], curves, strict=True):
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
