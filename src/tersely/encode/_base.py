"""What all encoders share: the protocol, unit-length rows, safe tokenizer input, fingerprints, pickling."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from mmap import ACCESS_READ, mmap
from pathlib import Path
from threading import Timer
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tersely.io.files import sha256

Matrix = NDArray[np.float32]

# Far longer than a batch of sentences takes in any usable model.
GRAPH_SECONDS = 120.0


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
        made = super().__new__(cls)
        made.__dict__["_made_with"] = args, tuple(settings.items())
        return made

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return _load_again, (type(self), *self.__dict__["_made_with"])


@lru_cache(maxsize=8)
def _load_again(kind: Any, args: tuple[Any, ...], settings: tuple[tuple[str, Any], ...]) -> Any:
    return kind(*args, **dict(settings))
