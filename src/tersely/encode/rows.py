"""One row a sentence: pooling of token vectors, and rows of length one."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tersely.encode.encoder import Matrix

Pooling = Literal["cls", "mean", "pooler"]


def pool(tokens: NDArray[Any], mask: NDArray[Any], pooling: Pooling) -> Matrix:
    """Return the first token's vector (`cls`), or the mean of those that are no padding (`mean`).

    >>> tokens = np.array([[[1.0, 2.0], [3.0, 4.0], [9.0, 9.0]]])  # [batch, token, dimension]
    >>> pool(tokens, np.array([[1, 1, 0]]), "mean").tolist()
    [[2.0, 3.0]]
    """
    vectors = tokens.astype(np.float32, copy=False)
    if pooling == "cls":
        return vectors[:, 0]
    weights = mask.astype(np.float32)
    weights /= np.maximum(weights.sum(axis=1, keepdims=True), 1)
    # A product of matrices would let the padded length change the order of the sum; masked tokens add 0.
    pooled: Matrix = (vectors * weights[:, :, None]).sum(axis=1)
    return pooled


def unit_rows(matrix: Matrix) -> Matrix:
    """Scale each row to length one, in place; a row of zeros stays.

    >>> unit_rows(np.array([[3, 4], [0, 0]], dtype=np.float32)).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    # Summed in double precision, for the squares of large numbers overflow in single.
    norms = np.sqrt(np.einsum("ij,ij->i", matrix, matrix, dtype=np.float64))
    return np.divide(matrix, np.where(norms > 0, norms, 1)[:, None], out=matrix, casting="same_kind")
