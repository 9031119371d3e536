"""Reading: what each sentence of a document needs to be understood, and which sentences are noise."""

from tersely.read._reading import ALONE, LOST, Reading
from tersely.text.document import Document

__all__ = ["ALONE", "LOST", "Reading", "read"]


def read(document: Document) -> Reading:
    """Return what the sentences of a document need, found without labels from how they begin and what they share.

    >>> read(Document.from_text("The mayor resigned on Monday. He gave no reason."))
    Reading(needs=(-1, 0), why=('', 'pronoun'), noise=('', ''))
    """
    # The rules of a language are compiled when its first document is read.
    if document.language == "en":
        from tersely.read._english import english

        return english(document)
    if document.language == "zh":
        from tersely.read._chinese import chinese

        return chinese(document)
    from tersely.read._other import other

    return other(document)
