"""Sentences become one float32 matrix."""

from functools import lru_cache

from tersely.encode.encoder import Encoder, Matrix
from tersely.registry import Registry

ENCODERS: Registry[Encoder] = Registry("encoder", __name__, skip=("encoder",))


@lru_cache(maxsize=8)
def load_encoder(spec: str) -> Encoder:
    """Return the encoder that `spec` names; loaded once, then shared."""
    return ENCODERS.create(spec)


__all__ = ["ENCODERS", "Encoder", "Matrix", "load_encoder"]
