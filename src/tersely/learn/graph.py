"""A network as an ONNX graph."""

import logging
import warnings

import onnx
import torch
from torch import Tensor, nn


def onnx_graph(network: nn.Module, example: tuple[Tensor, ...], axes: dict[int, str], output: str) -> onnx.ModelProto:
    """Export a network whose inputs, named as in its `forward`, may have any size along the named axes."""
    shape = {axis: torch.export.Dim(name) for axis, name in axes.items()}
    # The exporter tells of its own internals and of libraries that it could use; neither is news to the user.
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program = torch.onnx.export(
            network.eval(),
            example,
            output_names=[output],
            dynamic_shapes=(shape,) * len(example),
            dynamo=True,
            verbose=False,
        )
    assert program is not None
    return _stripped(program.model_proto)


def _stripped(model: onnx.ModelProto) -> onnx.ModelProto:
    """Remove what the exporter notes on each operation: where in whose folders its source stands."""
    model.ClearField("metadata_props")
    for graph in (model.graph, *model.functions):
        graph.ClearField("metadata_props")
        for part in (*graph.node, *graph.value_info, *getattr(graph, "input", ()), *getattr(graph, "output", ())):
            for name in ("metadata_props", "doc_string"):
                if not isinstance(part, str):
                    part.ClearField(name)
    return model
