"""What reading a document yields."""

from dataclasses import dataclass

ALONE = -1  # the need of a sentence that stands alone
LOST = -2  # the need of a sentence that needs something no earlier sentence supplies


@dataclass(frozen=True)
class Reading:
    """For each sentence: the earlier sentence that it cannot stand without, why, and what kind of noise it is.

    `needs[i]` is the index of an earlier sentence, `ALONE` or `LOST`. So needs make a forest, and what a sentence
    needs in the end is the chain from it to a sentence that stands alone. `why[i]` names the cause, such as
    "pronoun", and is empty for a sentence that stands alone. `noise[i]` names the kind, such as "caption", and is
    empty for a sentence that belongs in a summary as much as any other.
    """

    needs: tuple[int, ...]
    why: tuple[str, ...]
    noise: tuple[str, ...]
