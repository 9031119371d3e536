"""The files of training: configurations by name, model folders, TOML, curves and ONNX graphs."""

import json
import logging
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import asdict, is_dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomli_w

from tersely.errors import UsageError, unknown_name
from tersely.io.files import write_whole

if TYPE_CHECKING:
    import onnx
    from torch import Tensor, nn


def find_config(name: str) -> Path:
    """Find a configuration: a file, or a name in `configs` here, in the package or beside its sources."""
    if Path(name).is_file():
        return Path(name)
    package = Path(__file__).parents[1]
    folders = Path("configs"), package / "configs", package.parents[1] / "configs"
    configs = {file.stem: file for folder in reversed(folders) for file in sorted(folder.glob("*.toml"))}
    if name not in configs:
        raise unknown_name("configuration", name, (stem for stem in configs if "knapsack" not in stem))
    return configs[name]


def check_folder(out: Path, resume: bool) -> None:
    """Refuse to write a model over another one, or among files that do not belong to a model."""
    names = {path.name for path in out.iterdir()} if out.is_dir() else set()
    if "config.toml" in names and not resume:
        raise UsageError(f"{out} holds a model already: choose another folder, or pass --resume to continue with it")
    if names and not names & {"config.toml", "training"}:
        raise UsageError(f"{out} holds other files: choose a new or an empty folder")


def write_folder(folder: Path, files: dict[str, bytes]) -> None:
    """Write a model folder; `config.toml` comes last, because it makes the folder a model folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in sorted(files, key=lambda name: name == "config.toml"):
        write_whole(folder / name, files[name])


def to_toml(settings: Any) -> bytes:
    """Write a dataclass or a dictionary as TOML."""
    return tomli_w.dumps(asdict(settings) if is_dataclass(settings) else settings).encode()  # type: ignore[arg-type]


def to_json_lines(points: Iterable[object]) -> bytes:
    """Write the points of a curve, one JSON object per line."""
    return "".join(json.dumps(point) + "\n" for point in points).encode()


def today() -> str:
    """Return the date for a model's card."""
    return datetime.now(UTC).date().isoformat()


def onnx_graph(
    network: "nn.Module", example: "tuple[Tensor, ...]", axes: dict[int, str] | Sequence[dict[int, str]], output: str
) -> "onnx.ModelProto":
    """Export a network whose inputs, named as in its `forward`, may have any size along the named axes.

    `example` has one tensor per input. `axes` are the axes of all inputs, or of each. `output` names the result.
    """
    import torch  # here, because the default method needs this module but no torch

    input_axes = (axes,) * len(example) if isinstance(axes, dict) else axes
    sizes = {name: torch.export.Dim(name) for names in input_axes for name in names.values()}
    shapes = tuple({axis: sizes[name] for axis, name in names.items()} for names in input_axes)
    # The exporter reports its own internals and libraries it could use, which is of no use to the user.
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program = torch.onnx.export(
            network.eval(),
            example,
            output_names=[output],
            dynamic_shapes=shapes,
            dynamo=True,
            verbose=False,
        )
    assert program is not None
    return _stripped(program.model_proto)


def _stripped(model: "onnx.ModelProto") -> "onnx.ModelProto":
    """Remove the exporter's notes, which name the source folders of this machine at every operation."""
    model.ClearField("metadata_props")
    for graph in (model.graph, *model.functions):
        graph.ClearField("metadata_props")
        for part in (*graph.node, *graph.value_info, *getattr(graph, "input", ()), *getattr(graph, "output", ())):
            for name in ("metadata_props", "doc_string"):
                if not isinstance(part, str):
                    part.ClearField(name)
    return model
