"""The protocol of encoders and their common parts: fingerprints, pickling, batches for transformers, clear errors."""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from mmap import ACCESS_READ, mmap
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self, get_args, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tersely.errors import ModelError, TerselyError, UsageError, unknown_name
from tersely.io.files import sha256

if TYPE_CHECKING:
    import torch

Matrix = NDArray[np.float32]
Pooling = Literal["cls", "mean", "pooler"]

# Far longer than a batch of sentences takes in any usable model.
GRAPH_SECONDS = 120.0
# No tokenizer needs more characters per token, so the rest of a megabyte-long sentence is not read.
_CHARACTERS_A_TOKEN = 16


@runtime_checkable
class Encoder(Protocol):
    """Turns the sentences of one document into one float32 matrix, one row per sentence."""

    @property
    def name(self) -> str:
        """The name by which users choose it."""
        ...

    @property
    def fingerprint(self) -> str:
        """A hash of weights and settings; it changes whenever the vectors would."""
        ...

    def encode(self, sentences: Sequence[str]) -> Matrix:
        """Return one row per sentence."""
        ...


def unit_rows(vectors: Matrix) -> Matrix:
    """Return the rows scaled to length one; a row of zeros stays zero.

    >>> unit_rows(np.array([[3, 4], [0, 0]], dtype=np.float32)).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    # Summed in double precision, because the squares of large numbers overflow in single precision.
    norms = np.sqrt(np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64))
    scaled: Matrix = (vectors / np.where(norms > 0, norms, 1)[:, None]).astype(np.float32)
    return scaled


def clean(sentence: str, limit: int) -> str:
    """Return the first `limit` characters, with each lone surrogate replaced by U+FFFD.

    The C++ and Rust tokenizers refuse lone surrogates, which Python accepts from broken JSON.

    >>> clean("a\\ud800bcd", 3)
    'a�b'
    """
    clipped = sentence[:limit]
    try:
        clipped.encode()
    except UnicodeEncodeError:
        return clipped.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return clipped


def fingerprint(name: str, settings: Mapping[str, object], files: Iterable[Path] = ()) -> str:
    """Return the encoder's name and a hash of its settings and of its files' names and contents.

    >>> fingerprint("tfidf", {"idf": "smooth"})
    'tfidf-c3204f0d445409fb'
    """
    facts = [f"{key}={value!r}" for key, value in sorted(settings.items())]
    facts += [f"{path.name}:{sha256(path)}" for path in sorted(files)]
    digest = hashlib.sha256("\n".join(facts).encode()).hexdigest()
    return f"{name}-{digest[:16]}"


def graph_files(graph: Path) -> list[Path]:
    """Return the files that a graph may read: if it keeps weights in others, every file next to it."""
    with graph.open("rb") as stream, mmap(stream.fileno(), 0, access=ACCESS_READ) as data:
        if data.find(b"location") < 0:  # the key under which a graph names such a file
            return [graph]
    return sorted(path for path in graph.parent.iterdir() if path.is_file())


def run_graph(session: Any, names: Sequence[str] | None, feed: Mapping[str, Any]) -> Any:
    """Run a graph of ONNX Runtime, and stop it if it takes too long: a graph may have a loop without an end."""
    from onnxruntime import RunOptions

    options = RunOptions()
    timer = Timer(GRAPH_SECONDS, setattr, (options, "terminate", True))
    timer.daemon = True
    timer.start()
    try:
        return session.run(names, feed, options)
    except Exception:
        if options.terminate:
            raise TimeoutError(f"it took more than {GRAPH_SECONDS:g} s") from None
        raise
    finally:
        timer.cancel()


class PickledBySettings:
    """An encoder that is pickled without its weights: another process loads them again, once."""

    def __new__(cls, *args: Any, **settings: Any) -> Self:
        """Remember the constructor's arguments."""
        encoder = super().__new__(cls)
        encoder.__dict__["_made_with"] = args, tuple(settings.items())
        return encoder

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return _load_again, (type(self), *self.__dict__["_made_with"])


@lru_cache(maxsize=8)
def _load_again(kind: Any, args: tuple[Any, ...], settings: tuple[tuple[str, Any], ...]) -> Any:
    return kind(*args, **dict(settings))


class TransformerEncoder(PickledBySettings, ABC):
    """Encodes the sentences of one document in batches of similar length.

    `folder` has the model. `pooling` makes one vector of the tokens of a sentence, of which at most `max_tokens` are
    read. `batch` is the number of sentences in a batch. With `normalize`, every vector has the length one.
    """

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

    @abstractmethod
    def count_tokens(self, text: str) -> int:
        """Return how many word pieces a text has, without special tokens."""

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
            raise ModelError(f"{self._folder}: the model does not run: {one_line(error)}") from error
        if rows.ndim != 2 or rows.shape[0] != len(sentences):
            raise ModelError(f"{self._folder}: the model does not give one vector per sentence")
        if not np.isfinite(rows).all():
            raise ModelError(f"{self._folder}: the model gives vectors that are not finite")
        return rows


def torch_device(name: str, number: int = 0) -> "torch.device":
    """Return the CPU, Apple's GPU (mps), or the CUDA GPU with this number; `auto` is a CUDA GPU if there is one."""
    import torch

    kind, _, digits = name.partition(":")
    if kind not in ("auto", "cpu", "cuda", "mps") or (digits and not digits.isdigit()):
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
    number = int(digits or number)
    if number >= count:
        raise UsageError(f"{count} GPUs are too few: start as many processes as there are GPUs, or choose --device cpu")
    return torch.device("cuda", number)


def one_line(error: Exception) -> str:
    """Return the error message of another library as one line of bounded length.

    >>> one_line(ValueError("no such layer\\nTraceback ..."))
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
