"""How the work grows with the input, in processor time. Tests that use this are marked `soak`."""

import gc
from collections.abc import Callable
from time import process_time
from typing import TypeVar

T = TypeVar("T")


def assert_linear(work: Callable[[T], object], make: Callable[[int], T], size: int) -> None:
    """Check that four times the input takes far less than sixteen times the work, as it would if it were quadratic."""

    def cost(size: int) -> float:
        given = make(size)
        # The garbage of other tests is not this work's.
        gc.disable()
        try:
            begin = process_time()
            work(given)
            return process_time() - begin
        finally:
            gc.enable()

    assert cost(4 * size) < 9 * cost(size) + 0.5
