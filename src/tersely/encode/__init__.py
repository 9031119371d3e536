"""Turns sentences into one float32 matrix."""

from functools import lru_cache
from threading import Lock

from tersely.encode._base import (
    Encoder,
    Matrix,
    clean,
    fingerprint,
    graph_files,
    one_line,
    run_graph,
    torch_device,
    unit_rows,
)
from tersely.encode._cache import Cache, Precision, Recent
from tersely.settings import Registry
from tersely.text.length import TokenCounter, count_words

ENCODERS: Registry[Encoder] = Registry(
    "encoder",
    {
        "hub": "tersely.encode.transformers:Hub",
        "onnx": "tersely.encode.transformers:Onnx",
        "tfidf": "tersely.encode.light:TfIdf",
        "use": "tersely.encode.use:Use",
    },
)

# The encoder of every scorer that works on vectors, unless another one is named.
DEFAULT_ENCODER = "use"

_loading = Lock()


def load_encoder(spec: str) -> Encoder:
    """Return the encoder that `spec` names; it is loaded once and then shared, even between threads.

    >>> load_encoder("tfidf:idf=pacsum") is load_encoder("tfidf:idf=pacsum")
    True
    """
    with _loading:
        return _create(spec)


def on_device(spec: str, device: str) -> str:
    """Return the spec of an encoder that computes on a device, unless it names one or runs on the CPU only.

    >>> on_device("hub:bert", "cuda"), on_device("hub:bert,device=cpu", "cuda"), on_device("use", "cuda")
    ('hub:bert,device=cuda', 'hub:bert,device=cpu', 'use')
    """
    name, _, settings = spec.partition(":")
    chooses = name in ("hub", "onnx") and not any(part.startswith("device=") for part in settings.split(","))
    return f"{spec},device={device}" if chooses and device != "cpu" else spec


def pieces_of(encoder: Encoder) -> TokenCounter:
    """Return the function that counts tokens as an encoder does: its word pieces, or words if it has none.

    >>> pieces_of(load_encoder("tfidf"))("Two words.")
    2
    """
    counter: TokenCounter = getattr(encoder, "count_tokens", count_words)
    return counter


@lru_cache(maxsize=8)
def _create(spec: str) -> Encoder:
    return ENCODERS.create(spec)


__all__ = [
    "DEFAULT_ENCODER",
    "ENCODERS",
    "Cache",
    "Encoder",
    "Matrix",
    "Precision",
    "Recent",
    "clean",
    "fingerprint",
    "graph_files",
    "load_encoder",
    "on_device",
    "one_line",
    "pieces_of",
    "run_graph",
    "torch_device",
    "unit_rows",
]
