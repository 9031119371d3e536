"""Caches of vectors: on disk for every document, or in memory for the latest ones."""

import struct
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import BinaryIO, Literal, get_args

import numpy as np

from tersely.encode._base import Encoder, Matrix
from tersely.errors import InputError, ModelError, UsageError, unknown_name

Precision = Literal["float16", "float32"]

_HEADER = struct.Struct("<4sI")  # file mark, numbers per vector
_ENTRY = struct.Struct("<32sQI")  # hash of a document, its first row, its number of rows
_MARK = b"TVC1"


class Cache:
    """An encoder that stores every document's vectors in a folder and reads them from there the next time.

    Each encoder has its own subfolder, named by its fingerprint and the precision; a document is found by the hash
    of its sentences. Vectors are appended to `vectors` before their entry is appended to `index`, so a process that
    dies at any moment leaves only complete entries, and the next one continues from there. Processes may share a
    folder. Half precision (float16) halves the disk space. Either way the result is float32, and it is the same
    whether the vectors were stored or have just been computed.
    """

    def __init__(self, folder: Path, encoder: Encoder, precision: Precision = "float16") -> None:
        if precision not in get_args(Precision):
            raise unknown_name("precision", precision, get_args(Precision))
        self.encoder, self._type = encoder, np.dtype(precision).newbyteorder("<")
        self.fingerprint = f"{encoder.fingerprint}-{precision}"
        self.name = encoder.name
        self._folder = folder / self.fingerprint
        self._columns, self._end, self._read = 0, 0, 0  # numbers per row, rows with an entry, valid bytes of the index
        self._places: dict[bytes, tuple[int, int]] = {}  # hash of a document: its first row, its number of rows
        self._rows: np.ndarray[tuple[int, int], np.dtype[np.floating]] | None = None
        self._read_index()

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, sentences: Sequence[str]) -> bool:
        return _key(sentences) in self._places

    def encode(self, sentences: Sequence[str]) -> Matrix:
        """Return one row per sentence, read from disk if they were computed before."""
        key = _key(sentences)
        if key not in self._places:
            self._read_index()  # another process may have computed them
        if key not in self._places:
            self._append(key, self.encoder.encode(sentences))
        return self._mapped(*self._places[key])

    def add(self, sentences: Sequence[str], vectors: Matrix) -> None:
        """Store vectors that this encoder has computed elsewhere."""
        if sentences not in self:
            self._append(_key(sentences), vectors)

    def _mapped(self, start: int, count: int) -> Matrix:
        if self._rows is None or len(self._rows) < start + count:
            file = self._folder / "vectors"
            shape = file.stat().st_size // self._row_bytes, self._columns
            # An empty file cannot be mapped.
            self._rows = np.memmap(file, self._type, "r", shape=shape) if shape[0] else np.empty(shape, self._type)
        return self._rows[start : start + count].astype(np.float32)

    @property
    def _row_bytes(self) -> int:
        return self._columns * self._type.itemsize

    def _append(self, key: bytes, vectors: Matrix) -> None:
        if len(vectors) and self._type.itemsize == 2 and np.abs(vectors).max() > np.finfo(np.float16).max:
            raise UsageError(f"the vectors of encoder '{self.name}' are too large for float16: choose float32")
        with self._locked() as index:
            if key in self._places:
                return
            if self._columns not in (0, vectors.shape[1]):
                raise InputError(
                    f"encoder '{self.name}' gives vectors of {self._columns} numbers for one document and "
                    f"{vectors.shape[1]} for another: choose an encoder with fixed columns, such as use"
                )
            if not self._columns:
                self._columns = vectors.shape[1]
                index.write(_HEADER.pack(_MARK, self._columns))
            start = self._end
            with (self._folder / "vectors").open("ab") as stream:
                # Drop rows without an entry, which a process left behind when it died.
                stream.truncate(start * self._row_bytes)
                stream.write(np.ascontiguousarray(vectors, dtype=self._type).tobytes())
            index.write(_ENTRY.pack(key, start, len(vectors)))
            index.flush()
            self._read_index()

    @contextmanager
    def _locked(self) -> Iterator[BinaryIO]:
        """Lock the index, read its new entries, cut it to the valid ones, and open it for appending."""
        self._folder.mkdir(parents=True, exist_ok=True)
        with (self._folder / "index").open("ab") as index:
            try:
                from fcntl import LOCK_EX, flock
            except ImportError:  # Windows has no flock: only one process may write at a time
                pass
            else:
                flock(index, LOCK_EX)
            self._read_index()
            index.truncate(self._read)
            yield index

    def _read_index(self) -> None:
        """Read the new entries, up to the first that is torn or lacks some of its vectors."""
        try:
            size = (self._folder / "vectors").stat().st_size
            with (self._folder / "index").open("rb") as stream:
                stream.seek(self._read)
                data = stream.read()
        except FileNotFoundError:
            return
        if not self._read:
            if len(data) < _HEADER.size:
                return
            mark, self._columns = _HEADER.unpack_from(data)
            if mark != _MARK or not self._columns:
                raise ModelError(f"{self._folder} is not a vector cache: delete it, and it will be rebuilt")
            self._read, data = _HEADER.size, data[_HEADER.size :]
        for key, start, count in _ENTRY.iter_unpack(data[: len(data) - len(data) % _ENTRY.size]):
            if start != self._end or (start + count) * self._row_bytes > size:
                return
            self._places[key] = start, count
            self._end = start + count
            self._read += _ENTRY.size


@dataclass(frozen=True)
class Recent:
    """An encoder that keeps the vectors of the last `size` documents in memory; the vectors stay the same."""

    encoder: Encoder
    size: int = 16
    _vectors: OrderedDict[tuple[str, ...], Matrix] = field(default_factory=OrderedDict, init=False, repr=False)
    _lock: Lock = field(default_factory=Lock, init=False, repr=False)

    @property
    def name(self) -> str:
        """The name of the encoder."""
        return self.encoder.name

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the encoder."""
        return self.encoder.fingerprint

    def __reduce__(self) -> tuple[type, tuple[Encoder, int]]:
        return type(self), (self.encoder, self.size)

    def encode(self, sentences: Sequence[str]) -> Matrix:
        """Return one row per sentence, from memory if the document is among the latest."""
        key = tuple(sentences)
        with self._lock:
            if key in self._vectors:
                self._vectors.move_to_end(key)
                return self._vectors[key]
        vectors = self.encoder.encode(sentences)
        vectors.setflags(write=False)
        with self._lock:
            self._vectors[key] = vectors
            while len(self._vectors) > self.size:
                self._vectors.popitem(last=False)
        return vectors


def _key(sentences: Sequence[str]) -> bytes:
    """Hash a document's sentences, each with its length, so that moving a sentence boundary changes the hash."""
    digest = sha256()
    for sentence in sentences:
        raw = sentence.encode("utf-8", "surrogatepass")
        digest.update(len(raw).to_bytes(8, "little") + raw)
    return digest.digest()
