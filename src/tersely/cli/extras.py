"""Commands that need more than the base install."""

from collections.abc import Iterator
from contextlib import contextmanager

from tersely.errors import MissingExtraError


@contextmanager
def extra(purpose: str, name: str) -> Iterator[None]:
    """Within this context an import that fails says which extra brings what is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("tersely"):
            raise
        raise MissingExtraError(purpose, name) from None
