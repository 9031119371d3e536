"""Reading: what each sentence of a document needs to be understood, and which sentences are noise."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tersely.read._quotes import WHOLE
from tersely.text.blocks import NOISE, Kind
from tersely.text.document import Document
from tersely.text.language import Language, content_words
from tersely.text.sources import Collection
from tersely.text.words import all_words

__all__ = ["ALONE", "FILLER", "LOST", "Reading", "read"]

ALONE = -1  # the need of a sentence that stands alone
FILLER = "filler"  # noise that says nothing but who speaks
LOST = -2  # the need of a sentence that needs something no earlier sentence supplies

_SAYS, _SAYS_MUCH = 2, 5  # words of content that say something, in a conversation and in one of many sentences
_LONG = 60
_MARK = re.compile(r"\{[^{}]{0,40}\}|\[[^\[\]]{0,40}\]")  # of a transcript: "{laugh}"
_SOUNDS = frozenset(
    "uh um uhm hm hmm mm mmm mhm oh ah huh eh er erm yeah yep yes no nope okay ok right well sure hi hello hey bye "
    "goodbye thanks thank lot sounds good great fine nice".split()
)


@dataclass(frozen=True)
class Reading:
    """For each sentence: the earlier sentence that it cannot stand without, why, and what kind of noise it is.

    `needs[i]` is the index of an earlier sentence, `ALONE` or `LOST`. So needs make a forest, and what a sentence
    needs in the end is the chain from it to a sentence that stands alone. `why[i]` names the cause, such as
    "pronoun", and is empty for a sentence that stands alone. `noise[i]` names the kind, such as "caption", and is
    empty for a sentence that belongs in a summary as much as any other.

    A sentence inside a quotation needs the one before it, with the cause "quotation"; what needs a sentence of the
    quotation needs its last. In a longer quotation, a "speech", sentences need the first.
    """

    needs: tuple[int, ...]
    why: tuple[str, ...]
    noise: tuple[str, ...]

    @property
    def continued(self) -> tuple[int, ...]:
        """The sentences, ascending, that go on with the quotation of the one before, and close it or go on, too."""
        return tuple(i for i, why in enumerate(self.why) if why == "quotation")


def read(document: Document, unread: frozenset[int] = frozenset()) -> Reading:
    """Return what the sentences of a document need, found without labels from how they begin and what they share.

    Sentences of blocks that are noise, such as headings and rows of tables, are noise; the others are read as if these
    were not there. The sentences of sources that are left `unread`, by number, stand alone and are no noise.

    >>> read(Document.from_text("The mayor resigned on Monday. He gave no reason."))
    Reading(needs=(-1, 0), why=('', 'pronoun'), noise=('', ''))
    """
    if isinstance(document, Collection):
        return _each(document, unread)
    noise = list(map(_noise, document.kinds, document.roles))
    for i in _fillers(document):
        noise[i] = noise[i] or FILLER
    reading = _read_around(document, tuple(noise))
    needs, why = _whole_quotations(reading)
    # Whatever it looks like, the first sentence of a text stands alone by construction.
    first = next((i for i, noise in enumerate(reading.noise) if not noise), None)
    if first is not None:
        needs[first], why[first] = ALONE, ""
    for i, opener in _later_in_turns(document, reading.noise):
        if needs[i] < opener and needs[i] != LOST:
            if reading.noise[opener] and needs[i] > needs[opener]:
                needs[opener], why[opener] = needs[i], why[i]  # a filler hands on what is needed from before the turn
            needs[i], why[i] = opener, "turn"
    return Reading(tuple(needs), tuple(why), reading.noise)


def _whole_quotations(reading: Reading) -> tuple[list[int], list[str]]:
    """Return needs and causes with which the sentences of a quotation are chosen together, if they are not many."""
    needs, why = list(reading.needs), list(reading.why)
    end = list(range(len(needs)))  # of the quotation that a sentence begins; another may begin where it ends
    for i in reversed(reading.continued):
        end[needs[i]] = max(end[needs[i]], end[i])
    whole: dict[int, int] = {}  # from each sentence of a short quotation to its last
    for first, last in enumerate(end):
        if first < last < first + WHOLE:
            for i in range(first, last + 1):
                whole.setdefault(i, last)
    for i, need in enumerate(reading.needs):
        last = whole.get(need, need)
        if why[i] != "quotation":
            needs[i] = last if last < i else need
        elif i <= last:
            needs[i] = i - 1
        else:
            why[i] = "speech"
    return needs, why


def _noise(kind: Kind, role: str) -> str:
    return kind if kind in NOISE else role if role in ("references", "acknowledgment") else ""


def _fillers(document: Document) -> list[int]:
    """Return what is said in a conversation only to say something: "Okay.", "Uh, right." In a long one, that is more.

    Chinese and languages without spaces have no words to count.
    """
    if not document.is_conversation or document.language in ("zh", "ja", "th"):
        return []
    least, found = _SAYS_MUCH if len(document) > _LONG else _SAYS, []
    for i, (text, speaker) in enumerate(zip(document.texts, document.speakers, strict=True)):
        words = content_words(all_words(_MARK.sub(" ", text), document.language), document.language)
        if len({*words} - {*all_words(speaker, document.language)} - _SOUNDS) < least:
            found.append(i)
    return found


def _later_in_turns(document: Document, noise: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the sentences that go on with a speaker's turn, each with the turn's first, which says who speaks.

    Alone, such a sentence would seem to be said by whoever spoke before it in the summary. So even a filler is needed,
    but no other noise.
    """
    first = 0
    for i, speaker in enumerate(document.speakers):
        if not speaker or not i or speaker != document.speakers[i - 1]:
            first = i
        elif not noise[i] and noise[first] in ("", FILLER):
            yield i, first


def _read_around(document: Document, noise: tuple[str, ...]) -> Reading:
    """Read the sentences that are not noise, and number them as in the whole document."""
    rules = _rules(document.language)
    if not any(noise):
        return rules(document)
    kept = [i for i, kind in enumerate(noise) if not kind]
    needs, why, kinds = [ALONE] * len(document), [""] * len(document), list(noise)
    part = rules(document.part(kept)) if kept else Reading((), (), ())
    for i, need, cause, kind in zip(kept, part.needs, part.why, part.noise, strict=True):
        # The name of a speaker looks like the label of a caption, where fillers are all that is around it.
        kind = "" if kind == "caption" and document.speakers[i] else kind
        needs[i], why[i], kinds[i] = kept[need] if need >= 0 else need, cause, kind
    return Reading(tuple(needs), tuple(why), tuple(kinds))


def _each(collection: Collection, unread: frozenset[int]) -> Reading:
    """Read each source by itself: a sentence needs nothing from another source."""
    needs: list[int] = []
    why: list[str] = []
    noise: list[str] = []
    for number, (first, part) in enumerate(zip(collection.firsts, collection.parts, strict=True)):
        size = len(part)
        alone = Reading((ALONE,) * size, ("",) * size, ("",) * size)
        reading = alone if number in unread or not size else read(part)
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
