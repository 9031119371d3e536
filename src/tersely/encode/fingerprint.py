"""A short name for exactly these weights with exactly these settings."""

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def fingerprint(name: str, settings: Mapping[str, object], files: Iterable[Path] = ()) -> str:
    """Return the encoder's name and a hash of its settings and of its files' names and contents.

    >>> fingerprint("tfidf", {"idf": "smooth"})
    'tfidf-c3204f0d445409fb'
    """
    facts = [f"{key}={value!r}" for key, value in sorted(settings.items())]
    facts += [f"{path.name}:{sha256(path)}" for path in sorted(files)]
    digest = hashlib.sha256("\n".join(facts).encode()).hexdigest()
    return f"{name}-{digest[:16]}"
