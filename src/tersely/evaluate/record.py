"""One document of a dataset, with its reference summary where there is one."""

from dataclasses import dataclass

from tersely.text import Document


@dataclass(frozen=True)
class Record:
    """A document, the sentences of its reference, and the indices of labeled sentences where a dataset has them."""

    id: str
    document: Document
    reference: tuple[str, ...] = ()
    labels: tuple[int, ...] = ()
