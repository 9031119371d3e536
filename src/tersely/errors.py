"""Exceptions: each message is one line that names the cause and the remedy."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager


class TerselyError(Exception):
    """Base class of every error that tersely raises on purpose."""


class UsageError(TerselyError, ValueError):
    """The call itself is wrong: an unknown name, two budgets, a budget of zero."""


class InputError(TerselyError, ValueError):
    """The call is right, but the input cannot be read or the output cannot be written."""


class ModelError(TerselyError):
    """The files of a model or an encoder are missing, broken or not the expected ones."""


class MissingExtraError(TerselyError, ImportError):
    """An optional dependency is not installed."""

    def __init__(self, purpose: str, extra: str) -> None:
        super().__init__(f"{purpose} needs an optional dependency: pip install 'tersely[{extra}]'")
        self._of = purpose, extra

    def __reduce__(self) -> tuple[type, tuple[str, str]]:
        """Pickle the arguments; by default, unpickling would pass the message to `__init__`."""
        return type(self), self._of


def unknown_name(kind: str, name: str, names: Iterable[str]) -> UsageError:
    """Return the error for an unknown name, with the closest of `names` as a hint.

    >>> str(unknown_name("scorer", "textrnak", ["lead", "textrank"]))
    "unknown scorer 'textrnak': did you mean 'textrank'?"
    """
    from difflib import get_close_matches  # nobody waits for it who makes no mistake

    names = sorted(names)
    matches = get_close_matches(name, names, n=1)
    hint = f"did you mean '{matches[0]}'?" if matches else "choose from " + ", ".join(names)
    return UsageError(f"unknown {kind} '{name}': {hint}")


@contextmanager
def extra(purpose: str, name: str) -> Iterator[None]:
    """Turn a failed import into an error that names the extra to install."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("tersely"):
            raise
        raise MissingExtraError(purpose, name) from None
