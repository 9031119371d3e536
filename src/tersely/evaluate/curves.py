"""The figure of learning curves: validation loss and ROUGE-1 against validation steps."""

import json
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

from tersely.errors import InputError, MissingExtraError, UsageError

Curve = list[tuple[float, float, float | None]]


def read_log(file: Path) -> Curve:
    """Read a training's `log.jsonl`: objects with `step`, `validation_loss` and, where measured, `rouge1`."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
        rows = [json.loads(line) for line in lines if line.strip()]
        curve = [
            (float(row["step"]), float(row["validation_loss"]), _optional(row.get("rouge1")))
            for row in rows
            if "validation_loss" in row
        ]
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(f"{file} is not a training log: {error}") from None
    if not curve:
        raise InputError(f"{file} has no validation yet: let the training reach its first one")
    return curve


def _optional(value: object) -> float | None:
    return None if value is None else float(value)  # type: ignore[arg-type]


def draw_curves(logs: Sequence[Path]) -> bytes:
    """Return a PNG with one panel a log: the loss in blue, ROUGE-1 in red, as in the paper."""
    if not logs:
        raise UsageError("no training log: train a scorer first, then name its log.jsonl with --log")
    # A list: two trainings may lie in folders of one name.
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
