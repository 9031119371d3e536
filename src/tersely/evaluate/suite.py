"""The dev sets on which quality is reported and guarded, each with its budgets."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tersely.budget import Budget
from tersely.evaluate.readers import read
from tersely.evaluate.record import Record
from tersely.text import Language


@dataclass(frozen=True)
class DevSet:
    """A file of documents with references, and the budgets at which summaries are measured."""

    name: str
    language: Language
    budgets: tuple[Budget, ...]

    def path(self, folder: Path) -> Path:
        """Return the path of the set in a data folder."""
        return folder / self.language / f"{self.name}.jsonl.gz"

    def records(self, folder: Path, limit: int | None = None) -> Iterator[Record]:
        """Read the records of the set."""
        return read(self.path(folder), language=self.language, limit=limit)


def _chars(*limits: int) -> tuple[Budget, ...]:
    return tuple(Budget(limit, "chars") for limit in limits)


_ENGLISH = (Budget(3, "sentences"), *_chars(300, 400, 450, 500))

SUITE = (
    DevSet("dev_cnndm", "en", _ENGLISH),
    DevSet("dev_cnn", "en", _ENGLISH),
    DevSet("dev_inshorts", "en", (*_ENGLISH, Budget(58, "words"))),
    DevSet("dev_bbc", "en", (*_ENGLISH, Budget(170, "words"))),
    DevSet("dev_xinwenlianbo", "zh", _chars(100, 150, 200)),
    DevSet("dev_pku", "zh", _chars(100, 150, 200)),
    DevSet("dev_cail", "zh", _chars(200, 300)),
)
