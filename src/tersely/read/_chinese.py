"""Reading Chinese: anaphora and connectives at the start, dropped subjects, quotations, lists, turns; web noise."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice

from tersely.read import ALONE, LOST, Reading
from tersely.read._chinese_forms import (
    ADDRESS,
    ANAPHOR,
    ASKS,
    CLAUSE_PERSON,
    CONNECTIVE,
    COURT,
    DEFINITE,
    FIRST_NUMBER,
    FIRST_PERSON,
    FIRSTS,
    GROUP,
    HEAD,
    ITEM,
    LEAD,
    LOCAL,
    MEASURE,
    OCCASION,
    ORDER,
    PARTY,
    POINTER,
    PREPOSITION,
    PRESENT,
    QUOTE,
    QUOTED,
    ROLE,
    SHORT_NAME,
    SIMPLER,
    SPEECH,
    SUBJECTLESS,
    TRADITIONAL,
    TURN,
)
from tersely.read._chinese_noise import WEIGHTY, chinese_noise
from tersely.read._other import paragraph_starts, quotations
from tersely.text.document import Document

_STANDS = (ALONE, "")
_BESIDES = re.compile(f"{WEIGHTY}{{3}}")  # more than a mark or two besides a quotation
_REACH = 12  # how many sentences back a mention or the first item of a list is looked for


def chinese(document: Document) -> Reading:
    """Return what the sentences of a Chinese document need, and which are noise.

    >>> chinese(Document.from_text("王芳是一名医生。她在北京工作。但是她想回家。"))
    Reading(needs=(-1, 0, 1), why=('', 'pronoun', 'connective'), noise=('', '', ''))
    """
    reader = _Reader(document)
    for number, noise in enumerate(reader.noise):
        if not noise:
            target, why = reader.need(number)
            # Noise explains nothing; what stands before it may.
            reader.needs[number] = reader.before if target >= 0 and reader.noise[target] else target
            reader.why[number] = why
            reader.before = number
    return Reading(tuple(reader.needs), tuple(reader.why), tuple(reader.noise))


class _Reader:
    """Reads sentence by sentence: what is known of the earlier ones helps with the next."""

    def __init__(self, document: Document) -> None:
        self.texts = [text.strip() for text in document.texts]
        if TRADITIONAL.search(document.text):
            self.texts = [text.translate(SIMPLER) for text in self.texts]
        self.starts = paragraph_starts(document)
        self.inside = quotations(document)
        self.turns = _turns(self.texts, self.starts)
        spoken = [first != ALONE or turn != ALONE for first, turn in zip(self.inside, self.turns, strict=True)]
        self.noise = chinese_noise(self.texts, self.starts, spoken)
        self.needs = [ALONE] * len(document)
        self.why = [""] * len(document)
        self.before = LOST  # the nearest earlier sentence that is not noise
        self.plain = [QUOTED.sub("“”", text) if QUOTE.search(text) else text for text in self.texts]
        # Where many sentences say "I", the whole text has one speaker.
        self.speaks = [FIRST_PERSON.search(text) if "我" in text or "咱" in text else None for text in self.plain]
        self.one_speaker = sum(map(bool, self.speaks)) * 5 > len(document)

    def need(self, number: int) -> tuple[int, str]:
        """Return what a sentence needs and why, by form, then by its opening, then by what it leaves out."""
        text = self.texts[number]
        if self.inside[number] != ALONE:
            return self.inside[number], "quotation"
        if self.turns[number] != ALONE:
            return self._turn(number)
        if item := ITEM.match(text):
            return self._item(number, item)
        if text.startswith(("“", "「", '"')) and not _BESIDES.match(self.plain[number]):
            named = self.before >= 0 and SPEECH.search(self.texts[self.before])
            return self.before if named else LOST, "speaker"
        opening = text.lstrip('“「『"‘—-\u3000 ')
        if COURT.match(opening) or ("如下" in opening and ORDER.match(opening)):
            return _STANDS
        if CONNECTIVE.match(opening) or self._explains(number, opening):
            return self.before, "connective"
        rest = _without_lead(opening)
        if found := _anaphor(opening) or ANAPHOR.match(rest) or CLAUSE_PERSON.match(opening):
            return self._refer(number, found)
        # A first sentence may leave out more, since the headline has said it.
        return _STANDS if self.before == LOST else self._left_out(number, opening, rest)

    def _left_out(self, number: int, opening: str, rest: str) -> tuple[int, str]:
        """Return what a sentence needs that takes a name, a subject, a question or a speaker for granted."""
        start = self.starts[number]
        if OCCASION.match(opening):
            return self.before, "occasion"
        local = LOCAL.match(rest) and not opening.startswith("在")
        if local or SHORT_NAME.match(opening) or GROUP.match(rest) or PRESENT.fullmatch(opening):
            return self._share(number, "name")
        if not start and ROLE.match(rest):
            return self._share(number, "name")
        if SUBJECTLESS.match(rest) or (not start and MEASURE.match(rest)):
            return self._share(number, "subject")
        if noun := _definite(opening):
            return self._mention(number, noun), "mention"
        if not start and self._answers(opening):
            return self.before, "answer"
        me = not self.one_speaker and self.speaks[number]
        if me and not SPEECH.search(me.string, 0, me.start()):
            return self.before, "speaker"
        return _STANDS

    def _explains(self, number: int, opening: str) -> bool:
        """Whether a sentence gives the cause of what the sentence before tells."""
        return opening.startswith(("因为", "由于")) and not self.starts[number] and not PARTY.search(opening)

    def _answers(self, text: str) -> bool:
        return len(text) < 50 and bool(ASKS.search(self.texts[self.before])) and not ASKS.search(text)

    def _share(self, number: int, why: str) -> tuple[int, str]:
        """Return the sentence before, or what that one needs for the same reason."""
        same = self.before >= 0 and self.why[self.before] == why and not self.starts[number]
        return self.needs[self.before] if same else self.before, why

    def _refer(self, number: int, found: re.Match[str]) -> tuple[int, str]:
        noun = found.string[found.end() : found.end() + 2]
        if found["word"][0] == "本":
            return self._topic(number, noun), "mention"
        if found["word"] in ("该", "上述"):
            return self._mention(number, noun), "mention"
        return self._share(number, "pronoun" if found["person"] else "demonstrative")

    def _mention(self, number: int, noun: str) -> int:
        """Return the nearest earlier sentence that has a noun; else the one before."""
        for earlier in range(number - 1, max(-1, number - _REACH), -1):
            if noun in self.texts[earlier] and not self.noise[earlier]:
                return earlier
        return self.before

    def _topic(self, number: int, noun: str) -> int:
        """Return the sentence in which a text first names its topic; else the one before."""
        firsts = (i for i in range(min(number, _REACH)) if noun in self.texts[i] and not self.noise[i])
        return next(firsts, self.before)

    def _item(self, number: int, item: re.Match[str]) -> tuple[int, str]:
        """Return what an item of a list needs: what the list is about, or else the first item."""
        kind = item.lastgroup or ""
        if item[kind] in FIRST_NUMBER:
            announced = self.before >= 0 and HEAD.search(self.texts[self.before])
            return (self.before, "list") if announced or kind in "abgi" or item[0] in ("一是", "一要") else _STANDS
        for earlier in range(number - 1, max(-1, number - 3 * _REACH), -1):
            if any(first in self.texts[earlier] for first in FIRSTS[kind]) and not self.noise[earlier]:
                return self.needs[earlier] if self.why[earlier] == "list" else earlier, "list"
        return self.before, "list"

    def _turn(self, number: int) -> tuple[int, str]:
        """Return what a turn needs: the question before it; within a turn, its start, which names the speaker."""
        if self.turns[number] != number:
            return self.turns[number], "turn"
        if self.before >= 0 and self.turns[self.before] != ALONE:
            said = TURN.sub("", self.texts[number], count=1)
            if ASKS.search(self.texts[self.before]):
                return self.before, "answer"
            if CONNECTIVE.match(said) or ANAPHOR.match(said) or ADDRESS.match(said):
                return self.before, "turn"
        return _STANDS


def _anaphor(opening: str) -> re.Match[str] | None:
    """Return the word at the start, or after a preposition at the start, that refers to something before."""
    preposition = PREPOSITION.match(opening)
    return ANAPHOR.match(opening) or ANAPHOR.match(opening, preposition.end() if preposition else 0)


def _without_lead(opening: str) -> str:
    for _ in range(2):
        lead = LEAD.match(opening)
        opening = opening[lead.end() :] if lead else opening
    return opening


def _definite(opening: str) -> str:
    """Return the first noun that is said to be known and that nothing earlier in the sentence explains."""
    for found in islice(DEFINITE.finditer(opening), 3) if POINTER.search(opening) else ():
        if found["noun"][0] not in opening[: found.start()]:
            return found["noun"]
    return ""


def _turns(texts: Sequence[str], starts: Sequence[bool]) -> list[int]:
    """Return for each sentence the first of its turn in a conversation; `ALONE` outside of one.

    A conversation has two speakers or more, who speak in turn, each named at the start of a line at least twice.
    """
    labels = [TURN.match(text) if start else None for text, start in zip(texts, starts, strict=True)]
    names = Counter(label["who"] for label in labels if label)
    speakers = {name for name, times in names.items() if times > 1}
    result, first = [ALONE] * len(texts), ALONE
    if len(speakers) < 2:
        return result
    for number, label in enumerate(labels):
        if label:
            first = number if label["who"] in speakers else ALONE
        elif starts[number]:
            first = ALONE
        result[number] = first
    return result
