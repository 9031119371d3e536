"""Any encoder from the Hugging Face Hub, or from a folder in its format: BERT, SimCSE and the like."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

from tersely.encode._base import Matrix, Pooling, TransformerEncoder, one_line, pool, torch_device
from tersely.errors import MissingExtraError, ModelError, UsageError

# Settings, vocabularies and weights; never a pickle, never code.
_FILES = ("*.safetensors", "*.json", "*.txt", "*.model")


class Hub(TransformerEncoder):
    """A Hugging Face encoder, by Hub name or from a local folder, run by PyTorch.

    `cls` is the last layer's first token, as in unsupervised SimCSE; `pooler` is the model's trained head on
    top of that, as in supervised SimCSE; `mean` is the mean of the tokens. Weights are read from safetensors only, and
    code that comes with a model is never run. Without `download`, only a folder or the local cache is used. `revision`
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
        if not any(self._folder.glob("*.safetensors")):
            raise ModelError(
                f"{path} has no safetensors weights, and pickles are never loaded: "
                "convert it with save_pretrained where you trust it, and give that folder"
            )
        with _quiet(transformers):
            self._model, self._tokenizer = self._load(transformers)
        self._inference_mode = torch.inference_mode
        # A fast tokenizer stores its truncation settings and fails if two threads set them at once.
        self._tokenizing = Lock()

    def _files(self) -> Iterable[Path]:
        return [path for pattern in _FILES for path in self._folder.glob(pattern)]

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

    def _load(self, transformers: Any) -> tuple[Any, Any]:
        """Return the model in single precision, and its tokenizer."""
        safely = {"trust_remote_code": False, "local_files_only": True}
        try:
            tokenizer = transformers.AutoTokenizer.from_pretrained(self._folder, **safely)
            model, report = transformers.AutoModel.from_pretrained(
                self._folder, use_safetensors=True, output_loading_info=True, **safely
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


def _download(name: str, allowed: bool, revision: str | None) -> Path:
    """Return the folder of a model from the Hub: from the local cache or, if that is allowed, downloaded."""
    from huggingface_hub import snapshot_download

    patterns: dict[str, Any] = {"allow_patterns": list(_FILES), "ignore_patterns": ["*/*"]}
    try:
        return Path(snapshot_download(name, revision=revision, local_files_only=not allowed, **patterns))
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


__all__ = ["Hub"]
