"""Sentences become one float32 matrix."""

from functools import lru_cache
from threading import Lock

from tersely.encode.encoder import Encoder, Matrix
from tersely.registry import Registry

_PARTS = ("cache", "clean", "encoder", "fingerprint", "recent", "rows", "transformer")

ENCODERS: Registry[Encoder] = Registry("encoder", __name__, skip=_PARTS)

_loading = Lock()


def load_encoder(spec: str) -> Encoder:
    """Return the encoder that `spec` names; loaded once, then shared, also between threads.

    >>> load_encoder("tfidf:idf=pacsum") is load_encoder("tfidf:idf=pacsum")
    True
    """
    with _loading:
        return _create(spec)


@lru_cache(maxsize=8)
def _create(spec: str) -> Encoder:
    return ENCODERS.create(spec)


__all__ = ["ENCODERS", "Encoder", "Matrix", "load_encoder"]
