"""Encoders that run a transformer: from a model hub by PyTorch, or from a file by ONNX Runtime."""

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tersely.encode._base import (
    Matrix,
    Pooling,
    TransformerEncoder,
    clean,
    graph_files,
    one_line,
    pool,
    run_graph,
    torch_device,
)
from tersely.errors import MissingExtraError, ModelError, UsageError, unknown_name
from tersely.text.length import load_token_counter

# Settings, vocabularies and weights, never code.
_FILES = ("*.safetensors", "*.json", "*.txt", "*.model")
# The weights of models that have no others, such as those of SimCSE. They are pickles: only tensors are read from them.
_PICKLED = "pytorch_model*.bin"


class Hub(TransformerEncoder):
    """A Hugging Face encoder, by Hub name or from a local folder, run by PyTorch.

    `cls` is the last layer's first token, as in unsupervised SimCSE; `pooler` is the model's trained head on
    top of that, as in supervised SimCSE; `mean` is the mean of the tokens. Weights are read from safetensors or,
    where there are none, from pytorch_model.bin, of which nothing but tensors is loaded; code that comes with a model
    is never run. Without `download`, only a folder or the local cache is used. `revision`
    is a commit, a tag or a branch of the model on the Hub. `device` is cpu, cuda, mps or auto, which is a CUDA GPU if
    there is one; vectors are the same on any device but for rounding, so a cache serves all of them.
    """

    name = "hub"

    def __init__(
        self,
        path: str,
        pooling: Pooling = "cls",
        max_tokens: int = 128,
        batch: int = 32,
        normalize: bool = True,
        download: bool = True,
        revision: str = "",
        device: str = "cpu",
    ) -> None:
        super().__init__(Path(path).expanduser(), pooling, max_tokens, batch, normalize)
        try:
            import torch
            import transformers
        except ImportError:
            raise MissingExtraError("encoder 'hub'", "hub") from None
        self._device = torch_device(device)
        if not self._folder.is_dir():
            self._folder = _download(path, download, revision or None)
        elif revision:
            raise UsageError(f"{path} is a folder, which has no revisions: leave revision={revision} out")
        self._safely = safe_loading(self._folder, torch.__version__)
        with _quiet(transformers):
            self._model, self._tokenizer = self._load(transformers)
        self._inference_mode = torch.inference_mode
        # A fast tokenizer stores its truncation settings and fails if two threads set them at once.
        self._tokenizing = Lock()

    def _files(self) -> Iterable[Path]:
        return model_files(self._folder)

    def _run(self, sentences: list[str]) -> Matrix:
        with self._tokenizing:
            inputs = self._tokenizer(
                sentences, padding=True, truncation=True, max_length=self._max_tokens, return_tensors="pt"
            )
        with self._inference_mode():
            output = self._model(**inputs.to(self._device))
        if self._pooling == "pooler":
            rows: Matrix = output.pooler_output.cpu().numpy()
            return rows
        tokens, mask = output.last_hidden_state.cpu().numpy(), inputs["attention_mask"].cpu().numpy()
        return pool(tokens, mask, self._pooling)

    def count_tokens(self, text: str) -> int:
        """Return how many word pieces a text has, without special tokens."""
        with self._tokenizing:
            return len(self._tokenizer.tokenize(clean(text, len(text))))

    def _load(self, transformers: Any) -> tuple[Any, Any]:
        """Return the model in single precision, and its tokenizer."""
        safely = {"trust_remote_code": False, "local_files_only": True}
        try:
            tokenizer = transformers.AutoTokenizer.from_pretrained(self._folder, **safely)
            model, report = transformers.AutoModel.from_pretrained(
                self._folder, output_loading_info=True, **safely, **self._safely
            )
        except Exception as error:
            raise ModelError(f"{self._folder} cannot be loaded as an encoder: {one_line(error)}") from error
        self._check(model, tokenizer, report["missing_keys"])
        tokenizer.padding_side = "right"
        return model.float().eval().to(self._device), tokenizer

    def _check(self, model: Any, tokenizer: Any, missing: Iterable[str]) -> None:
        """Refuse a model that would give nonsense, or fail only at some later sentence."""
        # Weights that the file lacks were initialized at random.
        head = sorted(key for key in missing if "pooler" in key)
        body = sorted(set(missing) - set(head))
        if body:
            raise ModelError(f"{self._folder}: the weights lack {body[0]} (and {len(body) - 1} more)")
        if self._pooling == "pooler" and (head or getattr(model, "pooler", None) is None):
            raise ModelError(f"{self._folder}: the model has no trained pooler: choose pooling=cls or mean")
        if tokenizer.pad_token_id is None:
            raise ModelError(f"{self._folder}: the tokenizer has no padding token, so this is not an encoder")
        positions = getattr(model.config, "max_position_embeddings", None)
        if positions and self._max_tokens > positions:
            raise ModelError(f"{self._folder} reads at most {positions} tokens, but max_tokens={self._max_tokens}")


def model_files(folder: Path) -> list[Path]:
    """List the files of a model: settings, vocabularies, and weights, which are pickled only if there are no others."""
    weights = () if any(folder.glob("*.safetensors")) else (_PICKLED,)
    return [path for pattern in (*_FILES, *weights) for path in folder.glob(pattern)]


def safe_loading(folder: Path, torch_version: str) -> dict[str, bool]:
    """Return how `from_pretrained` reads the weights in a folder without running anything that may be in them."""
    if any(folder.glob("*.safetensors")):
        return {"use_safetensors": True}
    if not any(folder.glob(_PICKLED)):
        raise ModelError(f"{folder} has no weights: it needs model.safetensors or pytorch_model.bin")
    # Before 2.6, a crafted file could run code even if only tensors were asked for.
    if tuple(map(int, torch_version.split(".")[:2])) < (2, 6):
        raise ModelError(f"{folder} has pickled weights, which are safe from PyTorch 2.6 on: this is {torch_version}")
    return {"use_safetensors": False, "weights_only": True}


def _download(name: str, allowed: bool, revision: str | None) -> Path:
    """Return the folder of a model from the Hub: from the local cache or, if that is allowed, downloaded."""
    from huggingface_hub import snapshot_download

    def fetch(*patterns: str) -> Path:
        options: dict[str, Any] = {"allow_patterns": list(patterns), "ignore_patterns": ["*/*"]}
        return Path(snapshot_download(name, revision=revision, local_files_only=not allowed, **options))

    try:
        folder = fetch(*_FILES)
        return folder if any(folder.glob("*.safetensors")) else fetch(*_FILES, _PICKLED)
    except Exception as error:
        if not allowed:
            raise ModelError(
                f"the encoder '{name}' is not on this machine, and a model folder may not download it: "
                f"if you trust it, add --encoder hub:{name}"
            ) from error
        answer = f"no such model with the revision '{revision}'" if revision else "no such model"
        raise ModelError(
            f"'{name}' is not a folder, and the Hugging Face Hub gives {answer}: check the name and the network"
        ) from error


@contextmanager
def _quiet(transformers: Any) -> Iterator[None]:
    """Keep progress bars and reports off the terminal while a model loads."""
    logging = transformers.utils.logging
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


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

    def count_tokens(self, text: str) -> int:
        """Return how many word pieces a text has, without special tokens."""
        return load_token_counter(str(self._folder))(clean(text, len(text)))

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
