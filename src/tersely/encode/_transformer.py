"""What transformer encoders share: batches by length, bounds, pooling, and clear errors."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from tersely.encode._base import Matrix, PickledBySettings, clean, fingerprint, unit_rows
from tersely.errors import ModelError, TerselyError, UsageError, unknown_name

if TYPE_CHECKING:
    import torch

# No tokenizer needs more characters per token, so the rest of a megabyte-long sentence is not read.
_CHARACTERS_A_TOKEN = 16


Pooling = Literal["cls", "mean", "pooler"]


class TransformerEncoder(PickledBySettings, ABC):
    """Encodes the sentences of one document in batches of similar length."""

    name: str

    def __init__(self, folder: Path, pooling: Pooling, max_tokens: int, batch: int, normalize: bool) -> None:
        if pooling not in get_args(Pooling):
            raise unknown_name("pooling", pooling, get_args(Pooling))
        if max_tokens < 3:
            raise UsageError(f"max_tokens={max_tokens}: write 3 or more, since two are special tokens")
        if batch < 1:
            raise UsageError(f"batch={batch}: write 1 or more")
        self._folder, self._pooling, self._max_tokens = folder, pooling, max_tokens
        self._batch, self._normalize = batch, normalize

    @abstractmethod
    def _run(self, sentences: list[str]) -> Matrix:
        """Return the pooled vectors of one batch."""

    @abstractmethod
    def _files(self) -> Iterable[Path]:
        """Return the files that the vectors depend on."""

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the files and the settings."""
        settings = {
            "pooling": self._pooling,
            "max_tokens": self._max_tokens,
            "batch": self._batch,
            "normalize": self._normalize,
        }
        return fingerprint(self.name, settings, self._files())

    @cached_property
    def _dimension(self) -> int:
        return len(self._checked(["."])[0])

    def encode(self, sentences: Sequence[str]) -> Matrix:
        """Return one row per sentence."""
        # A tokenizer without special tokens gives no tokens for a blank sentence, and a model fails without tokens.
        texts = [clean(s, _CHARACTERS_A_TOKEN * self._max_tokens) for s in sentences]
        texts = [text if text.strip() else "." for text in texts]
        rows = np.empty((len(texts), self._dimension), dtype=np.float32)
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        for start in range(0, len(order), self._batch):
            chosen = order[start : start + self._batch]
            rows[chosen] = self._checked([texts[i] for i in chosen])
        return unit_rows(rows) if self._normalize else rows

    def _checked(self, sentences: list[str]) -> Matrix:
        """Run one batch; turn whatever the runtime raises into a one-line error."""
        try:
            rows = self._run(sentences)
        except TerselyError:
            raise
        except Exception as error:
            raise ModelError(f"{self._folder}: the model does not run: {reason(error)}") from error
        if rows.ndim != 2 or rows.shape[0] != len(sentences):
            raise ModelError(f"{self._folder}: the model does not give one vector per sentence")
        if not np.isfinite(rows).all():
            raise ModelError(f"{self._folder}: the model gives vectors that are not finite")
        return rows


def torch_device(name: str, number: int = 0) -> "torch.device":
    """Return the CPU, Apple's GPU (mps), or the CUDA GPU with this number; `auto` is a CUDA GPU if there is one."""
    import torch

    kind, _, own = name.partition(":")
    if kind not in ("auto", "cpu", "cuda", "mps") or (own and not own.isdigit()):
        raise unknown_name("device", name, ("auto", "cpu", "cuda", "mps"))
    count = torch.cuda.device_count()
    if kind == "cpu" or (kind == "auto" and not count):
        return torch.device("cpu")
    if kind == "mps":
        if not torch.backends.mps.is_available():
            raise UsageError("PyTorch finds no GPU of Apple's that it can use: choose --device cpu")
        return torch.device("mps")
    if not count:
        raise UsageError("PyTorch finds no GPU that it can use: choose --device cpu")
    number = int(own or number)
    if number >= count:
        raise UsageError(f"{count} GPUs are too few: start as many processes as there are GPUs, or choose --device cpu")
    return torch.device("cuda", number)


def reason(error: Exception) -> str:
    """Return another library's error message as one line of bounded length.

    >>> reason(ValueError("no such layer\\nTraceback ..."))
    'no such layer'
    """
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0][:200] if lines else type(error).__name__


def pool(tokens: NDArray[Any], mask: NDArray[Any], pooling: Pooling) -> Matrix:
    """Return the first token's vector (`cls`), or the mean over all tokens but padding (`mean`).

    >>> tokens = np.array([[[1.0, 2.0], [3.0, 4.0], [9.0, 9.0]]])  # [batch, token, dimension]
    >>> pool(tokens, np.array([[1, 1, 0]]), "mean").tolist()
    [[2.0, 3.0]]
    """
    vectors = tokens.astype(np.float32, copy=False)
    if pooling == "cls":
        return vectors[:, 0]
    weights = mask.astype(np.float32)
    weights /= np.maximum(weights.sum(axis=1, keepdims=True), 1)
    # In a matrix product, the padded length could change the order of summation; here, masked tokens add 0.
    pooled: Matrix = (vectors * weights[:, :, None]).sum(axis=1)
    return pooled
