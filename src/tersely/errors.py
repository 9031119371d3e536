"""What can go wrong, said in one line that names the cause and the remedy."""

from collections.abc import Iterable
from difflib import get_close_matches


class TerselyError(Exception):
    """Base of every error that tersely raises on purpose."""


class UsageError(TerselyError, ValueError):
    """The call itself is wrong: an unknown name, two budgets, a budget of zero."""


class InputError(TerselyError, ValueError):
    """The call is right, but this input cannot be read or summarized."""


class ModelError(TerselyError):
    """A model folder or an encoder's files are missing, broken or not the ones expected."""


class MissingExtraError(TerselyError, ImportError):
    """An optional dependency is not installed."""

    def __init__(self, purpose: str, extra: str) -> None:
        super().__init__(f"{purpose} needs an optional dependency: pip install 'tersely[{extra}]'")
        self._of = purpose, extra

    def __reduce__(self) -> tuple[type, tuple[str, str]]:
        """Say how it is made again in another process: by default, from its message."""
        return type(self), self._of


def unknown_name(kind: str, name: str, known: Iterable[str]) -> UsageError:
    """Return the error for a name that is not known, with the nearest one that is.

    >>> str(unknown_name("scorer", "textrnak", ["lead", "textrank"]))
    "unknown scorer 'textrnak': did you mean 'textrank'?"
    """
    known = sorted(known)
    near = get_close_matches(name, known, n=1)
    hint = f"did you mean '{near[0]}'?" if near else "choose from " + ", ".join(known)
    return UsageError(f"unknown {kind} '{name}': {hint}")
