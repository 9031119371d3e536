"""Reading: what each sentence of a document needs to be understood, and which sentences are noise."""

from collections.abc import Callable

from tersely.read._reading import ALONE, LOST, Reading
from tersely.text.document import Document
from tersely.text.language import Language
from tersely.text.sources import Collection

__all__ = ["ALONE", "LOST", "Reading", "read"]


def read(document: Document) -> Reading:
    """Return what the sentences of a document need, found without labels from how they begin and what they share.

    >>> read(Document.from_text("The mayor resigned on Monday. He gave no reason."))
    Reading(needs=(-1, 0), why=('', 'pronoun'), noise=('', ''))
    """
    if isinstance(document, Collection):
        return _each(document)
    reading = _rules(document.language)(document)
    # Whatever it looks like, the first sentence of a text stands alone by construction.
    first = next((i for i, noise in enumerate(reading.noise) if not noise), None)
    if first is None or reading.needs[first] == ALONE:
        return reading
    needs, why = list(reading.needs), list(reading.why)
    needs[first], why[first] = ALONE, ""
    return Reading(tuple(needs), tuple(why), reading.noise)


def _each(collection: Collection) -> Reading:
    """Read each source by itself: a sentence needs nothing from another source."""
    needs: list[int] = []
    why: list[str] = []
    noise: list[str] = []
    for first, part in zip(collection.firsts, collection.parts, strict=True):
        reading = read(part) if len(part) else Reading((), (), ())
        needs += [need + first if need >= 0 else need for need in reading.needs]
        why += reading.why
        noise += reading.noise
    return Reading(tuple(needs), tuple(why), tuple(noise))


def _rules(language: Language) -> Callable[[Document], Reading]:
    """Return the rules of a language, which are compiled when its first document is read."""
    if language == "en":
        from tersely.read._english import english

        return english
    if language == "zh":
        from tersely.read._chinese import chinese

        return chinese
    from tersely.read._other import other

    return other
