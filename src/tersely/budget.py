"""How long a summary may be."""

from dataclasses import dataclass
from math import floor, inf, isfinite
from numbers import Real
from typing import Literal, cast

from tersely.errors import UsageError
from tersely.text.length import Unit

BUDGETS = ("max_chars", "max_words", "max_tokens", "max_bytes", "max_sentences", "ratio")

# Larger than any text, and small enough for every computation.
LARGEST = 10**15


@dataclass(frozen=True)
class Budget:
    """A limit and the unit it counts in; a ratio is a share of the source's characters.

    >>> Budget.one_of(max_words=50)
    Budget(limit=50, unit='words')
    >>> Budget.one_of(ratio=0.2).capacity("ten chars.")
    2
    """

    limit: int | float
    unit: Unit | Literal["ratio"]

    @classmethod
    def one_of(cls, **limits: int | float | None) -> "Budget":
        """Take the one limit that is given; no limit, two limits or a senseless one is an error."""
        given = {name: limit for name, limit in limits.items() if limit is not None}
        if len(given) != 1:
            what = "no budget" if not given else "two budgets at once, " + " and ".join(sorted(given))
            raise UsageError(f"{what}: give exactly one of {', '.join(BUDGETS)}")
        [(name, limit)] = given.items()
        if name not in BUDGETS:
            raise UsageError(f"there is no budget '{name}': give exactly one of {', '.join(BUDGETS)}")
        if not isinstance(cast(object, limit), Real):
            raise UsageError(f"{name} must be a number, not {limit!r}")
        if LARGEST < limit < inf:
            raise UsageError(f"{name} must be at most {LARGEST:,}")
        if name == "ratio":
            if not (isfinite(limit) and 0 < limit <= 1):
                raise UsageError(f"ratio must be above 0 and at most 1, not {limit}")
            return cls(float(limit), "ratio")
        if isinstance(limit, bool) or not isfinite(limit) or int(limit) != limit or limit < 1:
            raise UsageError(f"{name} must be a whole number of at least 1, not {limit}")
        return cls(int(limit), name.removeprefix("max_"))  # type: ignore[arg-type]

    @property
    def counts(self) -> Unit:
        """The unit that lengths are measured in."""
        return "chars" if self.unit == "ratio" else self.unit

    def capacity(self, text: str) -> int:
        """Return the limit for a summary of `text`, in `counts`."""
        if self.unit == "ratio":
            # A float such as 0.29 is a little less than it says; 0.29 of 100 characters is still 29.
            return floor(self.limit * len(text) + 1e-9)
        return int(self.limit)
