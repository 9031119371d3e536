"""Any encoder exported to ONNX, run by ONNX Runtime."""

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tersely.encode._base import Matrix, Pooling, TransformerEncoder, graph_files, one_line, pool, run_graph
from tersely.errors import MissingExtraError, ModelError, UsageError, unknown_name

_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
_PROVIDERS = {"cpu": "CPUExecutionProvider", "cuda": "CUDAExecutionProvider", "mps": "CoreMLExecutionProvider"}
_INTEGERS = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}


class Onnx(TransformerEncoder):
    """An encoder from a folder with model.onnx and tokenizer.json, run by ONNX Runtime.

    `cls` and `mean` pool the graph's output of token vectors, and `pooler` takes its output of sentence vectors.
    A graph that has only sentence vectors gives those, whatever `pooling` says. The vectors of a graph that is
    dynamically quantized to 8 bits depend on which sentences share a batch: use `batch=1`. `device` is cpu, cuda, mps
    (Core ML) or auto, which is CUDA if this build of ONNX Runtime has it.
    """

    name = "onnx"

    def __init__(
        self,
        path: str,
        pooling: Pooling = "cls",
        max_tokens: int = 128,
        batch: int = 32,
        normalize: bool = True,
        device: str = "cpu",
    ) -> None:
        super().__init__(Path(path).expanduser(), pooling, max_tokens, batch, normalize)
        try:
            import onnxruntime
            import tokenizers
        except ImportError:
            raise MissingExtraError("encoder 'onnx'", "hub") from None
        for name in ("model.onnx", "tokenizer.json"):
            if not (self._folder / name).is_file():
                raise ModelError(f"{self._folder} has no {name}: an ONNX encoder needs model.onnx and tokenizer.json")
        self._tokenizer = self._load_tokenizer(tokenizers)
        self._session = self._load_session(onnxruntime, _provider(device, onnxruntime.get_available_providers()))
        self._inputs = self._choose_inputs()
        self._output = self._choose_output()

    def _files(self) -> Iterable[Path]:
        return {self._folder / "tokenizer.json", *graph_files(self._folder / "model.onnx")}

    def _run(self, sentences: list[str]) -> Matrix:
        (values,), mask = self._outputs(sentences, [self._output])
        if values.ndim == 3:
            return pool(values, mask, self._pooling)
        rows: Matrix = values.astype(np.float32, copy=False)
        return rows

    def _outputs(self, sentences: list[str], names: list[str]) -> tuple[list[NDArray[Any]], NDArray[Any]]:
        """Return the named outputs of the graph for one batch, and the mask of its tokens [batch, token]."""
        encodings = self._tokenizer.encode_batch(sentences)
        mask = np.array([encoding.attention_mask for encoding in encodings])
        tensors = {
            "input_ids": np.array([encoding.ids for encoding in encodings]),
            "attention_mask": mask,
            "token_type_ids": np.array([encoding.type_ids for encoding in encodings]),
        }
        feed = {name: tensors[name].astype(kind) for name, kind in self._inputs.items()}
        return run_graph(self._session, names, feed), mask

    def _load_tokenizer(self, tokenizers: Any) -> Any:
        path = self._folder / "tokenizer.json"
        try:
            tokenizer = tokenizers.Tokenizer.from_file(str(path))
        except Exception as error:
            raise ModelError(f"{path} cannot be read as a tokenizer: {one_line(error)}") from error
        padding = tokenizer.padding or {}
        guesses = (padding.get("pad_id"), tokenizer.token_to_id("[PAD]"), tokenizer.token_to_id("<pad>"), 0)
        tokenizer.enable_padding(pad_id=next(guess for guess in guesses if guess is not None))
        tokenizer.enable_truncation(self._max_tokens)
        return tokenizer

    def _load_session(self, onnxruntime: Any, provider: Any) -> Any:
        path = self._folder / "model.onnx"
        options = onnxruntime.SessionOptions()
        options.use_deterministic_compute = True
        options.log_severity_level = 4  # Real problems raise an exception; the rest is noise on stderr.
        try:
            return onnxruntime.InferenceSession(str(path), options, providers=[provider])
        except Exception as error:
            raise ModelError(f"{path} cannot be loaded by ONNX Runtime: {one_line(error)}") from error

    def _choose_inputs(self) -> dict[str, Any]:
        """Return the graph's inputs and their types."""
        inputs = {node.name: node.type for node in self._session.get_inputs()}
        strange = [name for name, kind in inputs.items() if name not in _INPUTS or kind not in _INTEGERS]
        if strange or "input_ids" not in inputs:
            raise ModelError(
                f"{self._folder}: the inputs of the graph are {', '.join(inputs) or 'none'}, "
                f"but a text encoder takes input_ids and optionally {_INPUTS[1]} and {_INPUTS[2]}"
            )
        return {name: _INTEGERS[kind] for name, kind in inputs.items()}

    def _choose_output(self) -> str:
        """Return the output to use, found by a trial run, because graphs often leave shapes open."""
        names: list[str] = [node.name for node in self._session.get_outputs()]
        try:
            values, _ = self._outputs(["."], names)
        except Exception as error:
            raise ModelError(f"{self._folder}: the graph does not run: {one_line(error)}") from error
        token, sentence = (
            next((name for name, value in zip(names, values, strict=True) if getattr(value, "ndim", 0) == rank), None)
            for rank in (3, 2)
        )
        if self._pooling == "pooler" and not sentence:
            raise ModelError(f"{self._folder}: the graph has no pooler output: choose pooling=cls or mean")
        chosen = sentence if self._pooling == "pooler" or not token else token
        if not chosen:
            raise ModelError(f"{self._folder}: the graph gives neither token vectors nor sentence vectors")
        return chosen


def _provider(device: str, available: Collection[str]) -> str | tuple[str, dict[str, int]]:
    """Return what ONNX Runtime computes with on a device.

    >>> _provider("cuda:1", ["CUDAExecutionProvider", "CPUExecutionProvider"])
    ('CUDAExecutionProvider', {'device_id': 1})
    """
    kind, _, number = device.partition(":")
    if kind == "auto":
        kind = "cuda" if _PROVIDERS["cuda"] in available else "cpu"
    if kind not in _PROVIDERS:
        raise unknown_name("device", device, ("auto", *_PROVIDERS))
    if _PROVIDERS[kind] not in available:
        raise UsageError(f"this build of ONNX Runtime has no {_PROVIDERS[kind]}: choose device=cpu, or install another")
    return (_PROVIDERS[kind], {"device_id": int(number)}) if number.isdigit() else _PROVIDERS[kind]


__all__ = ["Onnx"]
