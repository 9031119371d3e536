"""Keeping the vectors of the last documents, for a second budget or a second scorer."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Lock

from tersely.encode.encoder import Encoder, Matrix


@dataclass(frozen=True)
class Recent:
    """An encoder that remembers the vectors of the last `size` documents; vectors are the same either way."""

    encoder: Encoder
    size: int = 16
    _kept: OrderedDict[tuple[str, ...], Matrix] = field(default_factory=OrderedDict, init=False, repr=False)
    _lock: Lock = field(default_factory=Lock, init=False, repr=False)

    @property
    def name(self) -> str:
        """The encoder's own name."""
        return self.encoder.name

    @property
    def fingerprint(self) -> str:
        """The encoder's own fingerprint."""
        return self.encoder.fingerprint

    def encode(self, sentences: Sequence[str]) -> Matrix:
        """Return the vectors, from memory where these very sentences were among the last."""
        key = tuple(sentences)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        vectors = self.encoder.encode(sentences)
        vectors.setflags(write=False)
        with self._lock:
            self._kept[key] = vectors
            while len(self._kept) > self.size:
                self._kept.popitem(last=False)
        return vectors
