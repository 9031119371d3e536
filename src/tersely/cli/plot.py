"""The frontier as a picture."""

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from tersely.cli.output import write_file
from tersely.errors import MissingExtraError, UsageError

if TYPE_CHECKING:
    from tersely.frontier import Step

_FORMATS = ("png", "svg", "pdf")


def plot_steps(steps: "list[Step]", unit: str, file: str) -> None:
    """Draw value against budget, a stair, and write it as PNG, SVG or PDF by the file's ending."""
    form = Path(file).suffix.lstrip(".").lower()
    if form not in _FORMATS:
        raise UsageError(f"{file}: a plot ends in .{', .'.join(_FORMATS)}")
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
    write_file(Path(file), picture.getvalue())
