"""Reading English: what a sentence needs, from how it opens, what it refers to, and who is quoted."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from tersely.read import _english_forms as forms
from tersely.read._english_noise import SPEAKER, is_told, noise_of
from tersely.read._quotes import LONGEST, Quoted, quoted
from tersely.read._reading import ALONE, LOST, Reading
from tersely.text.document import Document

_WINDOW = 12  # sentences to look back for an antecedent
_HEAD = 600  # characters of a sentence that are looked at
_START = 3  # characters in which the first word of a sentence begins
_TALK = 0.08  # share of sentences that begin with "And" in a speech
_FIRST = 24  # characters that hold the first word
_WORD = re.compile("[a-z]+")
_LEAD = 2  # sentences whose people and subjects stay known throughout


@dataclass(frozen=True)
class _Text:
    """The sentences of a document, and what the rules look up in them."""

    texts: Sequence[str]
    words: Sequence[Collection[str]]
    quotes: Sequence[Quoted]
    noise: Sequence[str]
    lower: frozenset[str]  # words that the document writes in lowercase: at a sentence's start they are no names
    proper: frozenset[str]  # words that it capitalizes inside sentences, or always
    told: bool  # a story or a dialogue
    talk: bool  # a speech, where "And" opens a sentence as often as not
    introduced: Mapping[str, int]  # surnames and abbreviations, to the sentence that gives the full name first
    somebody: dict[int, bool] = field(default_factory=dict)  # whether a sentence speaks of a person, once it is asked

    def head(self, i: int) -> str:
        text = self.texts[i][:_HEAD]
        speaker = SPEAKER.match(text) if self.told else None
        opening = forms.OPENING.match(text, speaker.end() if speaker else 0)
        return text[opening.end() :] if opening else text

    def spoken(self, i: int) -> bool:
        """Return whether a sentence begins with a quotation mark."""
        return self.texts[i].lstrip()[:1] in tuple("\"“‘'«`")

    def names(self, text: str) -> list[str]:
        """Return the names in a piece of text."""
        found = forms.NAME.finditer(text)
        return [name.group() for name in found if self.is_name(name.group(), first=not name.start())]

    def people(self, text: str) -> bool:
        """Return whether a piece of text names somebody, as far as the form of names tells."""
        for found in forms.NAMES.finditer(text):
            name = found["name"].split()
            if found["place"] or forms.BODY.search(found["name"]):
                continue
            if any(self.is_name(word, first=not found.start() and word is name[0]) for word in name):
                return True
        return False

    def has_person(self, i: int) -> bool:
        """Return whether a sentence names or mentions somebody."""
        if i not in self.somebody:
            head = self.texts[i][:_HEAD]
            self.somebody[i] = self.people(head) or bool(forms.PERSON.search(head))
        return self.somebody[i]

    def is_name(self, word: str, *, first: bool = False) -> bool:
        """Return whether a capitalized word is a name; the first word of a sentence must be one elsewhere too."""
        plain = _plain(word)
        if plain in self.lower or plain in forms.NOT_NAMES or plain in forms.FUNCTION:
            return False
        return plain in self.proper if first else True


def english(document: Document) -> Reading:
    """Return what each sentence of an English document needs, and which sentences are noise."""
    texts = document.texts
    lines, paragraphs = _breaks(document)
    words = [frozenset(found) for found in document.words]
    told = is_told(texts, lines)
    noise = noise_of(texts, words, lines, told=told)
    lower = frozenset(re.findall(r"(?<![\w’'-])[a-z][a-z-]+", document.text))
    fillers = sum(bool(forms.FILLER.match(text)) for text in texts)
    proper, introduced = _names(texts, noise)
    view = _Text(
        texts=texts,
        words=words,
        quotes=quoted(texts, paragraphs),
        noise=noise,
        lower=lower,
        proper=proper,
        told=told,
        talk=fillers > max(2, _TALK * len(texts)),
        introduced=introduced,
    )
    needs, whys = [], []
    for i in range(len(texts)):
        why, need = _need(view, i)
        needs.append(need)
        whys.append(why)
    return Reading(tuple(needs), tuple(whys), tuple(noise))


def _plain(word: str) -> str:
    return word.lower().removesuffix("'s").removesuffix("’s")


def _breaks(document: Document) -> tuple[list[bool], list[bool]]:
    """Return for each sentence whether a line ends before it, and whether a paragraph does."""
    ends = [0, *(end for _, end in document.sentences)]
    gaps = [document.text[end:start] for end, (start, _) in zip(ends, document.sentences, strict=False)]
    lines = [i == 0 or "\n" in gap for i, gap in enumerate(gaps)]
    if sum(lines) > 0.8 * len(lines):  # one sentence per line: only blank lines part paragraphs
        return lines, [i == 0 or gap.count("\n") > 1 for i, gap in enumerate(gaps)]
    return lines, lines


def _names(texts: Sequence[str], noise: Sequence[str]) -> tuple[frozenset[str], dict[str, int]]:
    """Return what is a name, and which sentence introduces whom.

    Names are the words that stand capitalized inside a sentence, or at the start of several. Introduced are the
    surnames and abbreviations that first come after or in a full name, by the sentence that gives it.
    """
    inside: set[str] = set()
    starts: Counter[str] = Counter()
    full: dict[str, int] = {}
    mentioned: set[str] = set()
    for i, text in enumerate(texts):
        head, found = text[:_HEAD], []
        for name in forms.NAME.finditer(head):
            found.append(name.group())
            if name.start() < _START:
                starts[found[-1]] += 1
            else:
                inside.add(found[-1])
        if noise[i]:
            continue
        if len(found) > 1 or "(" in head:
            for name in forms.FULL_NAME.finditer(head):
                last = name["last"] or name["short"]
                if last not in mentioned:
                    full[last] = i
        mentioned.update(found, full)
    often: Counter[str] = Counter()
    for word, count in starts.items():
        often[_plain(word)] += count
    proper = {_plain(word) for word in inside} | {word for word, count in often.items() if count > 1}
    return frozenset(proper), full


def _need(view: _Text, i: int) -> tuple[str, int]:
    quote = view.quotes[i]
    if quote.first >= 0:
        return "quotation", quote.first
    head = view.head(i)
    why, kind = _cause(view, i, head)
    if i == 0:
        continues = why == "connective" or (why == "pronoun" and forms.PRONOUN.match(head, view.words[i]))
        return (why, LOST) if continues else ("", ALONE)
    if why:
        return why, _antecedent(view, i, kind)
    known = _known(view, i, head)
    return ("name", known) if known >= 0 else ("", ALONE)


def _cause(view: _Text, i: int, head: str) -> tuple[str, str]:
    """Return why a sentence does not stand alone, and what would supply its antecedent."""
    words, first = view.words[i], _WORD.findall(head[:_FIRST].lower())[:1]
    if forms.CONNECTIVE.match(head, first) and not (view.talk and forms.FILLER.match(head)):
        return "connective", "before"
    if forms.LIST.match(head):
        return "list", "before"
    if forms.TIME.match(head, words):
        return "time", "before"
    kind = _pronoun(view, i, head)
    if kind:
        return "pronoun", kind
    kind = _quotation(view, i)
    if kind:
        return "quotation", kind
    if view.told and i and view.spoken(i) and (view.spoken(i - 1) or view.quotes[i - 1].first >= 0):
        return "answer", "before"
    if forms.POINTING.match(head) or forms.BARE_DEMONSTRATIVE.match(head, words):
        return "demonstrative", "before"
    outside = view.quotes[i].outside[:_HEAD]
    own = outside if forms.SAYS.search(outside, words) else head  # what a named speaker points at is his affair
    if _demonstrative(own, words):
        return "demonstrative", "before"
    if forms.LINK.search(own, words):
        return "connective", "before"
    if _definite(view, i, head):
        return "definite", "noun"
    return "", ""


def _pronoun(view: _Text, i: int, head: str) -> str:
    """Return the kind of the first pronoun that has no possible antecedent before it in its sentence."""
    for found in forms.PRONOUN.finditer(head, view.words[i]):
        kind, before = found.lastgroup or "", head[: found.start()]
        if kind == "it" and forms.EXPLETIVE.match(head, found.start()):
            continue
        if _supplied(view, kind, found.group().lower(), before):
            continue
        if before and not before.endswith(", ") and _named_later(view, head, found.end()):
            continue
        return kind
    return ""


def _named_later(view: _Text, head: str, at: int) -> bool:
    """Return whether a name follows the phrase that holds the pronoun: "In his column, Fowler said"."""
    found = forms.CATAPHORA.match(head, at)
    return found is not None and view.is_name(found["name"])


def _supplied(view: _Text, kind: str, pronoun: str, before: str) -> bool:
    """Return whether the words before a pronoun hold what it may stand for."""
    if pronoun in ("him", "them"):  # never the subject of its own clause
        clauses = [found.start() for found in forms.CLAUSE.finditer(before)]
        before = before[: clauses[-1]] if clauses else ""
    if kind in ("he", "she"):
        return view.people(before) or bool(forms.PERSON.search(before))
    if view.names(before):
        return True
    if kind == "they":
        return bool(forms.PLURAL.search(before))
    if forms.ADVERBIAL.match(before):
        return False
    words = re.findall(r"[a-z]{3,}", before.lower())
    return any(word not in forms.FUNCTION and not word.endswith(("ly", "ing", "ed")) for word in words)


def _quotation(view: _Text, i: int) -> str:
    """Return what a quotation needs: its speaker, who he is, or nothing."""
    text, outside, words = view.texts[i].lstrip(), view.quotes[i].outside, view.words[i]
    if len(outside) == len(text):
        return ""
    if forms.HE_SAYS.search(outside, words) and not view.names(outside):
        return "he"
    if forms.ADDS.search(outside, words):
        return "before"
    if not view.spoken(i):
        return ""
    if not forms.SAYS.search(outside, words) and len(outside.split()) < 0.5 * len(text.split()):
        return "speaker"
    return "before" if forms.THE_SAYS.search(outside, words) and not view.names(outside) else ""


def _demonstrative(head: str, words: Collection[str]) -> bool:
    for found in forms.DEMONSTRATIVE.finditer(head, words):
        noun = next(group for group in found.groups() if group)
        if noun.lower()[:6] not in head[: found.start()].lower():  # "pins messages, these messages"
            return True
    return False


def _definite(view: _Text, i: int, head: str) -> bool:
    """Return whether a sentence opens with a definite noun phrase that picks up an earlier one."""
    if forms.TOLD.match(head) or forms.RESULTING.match(head):
        return True
    found = forms.DEFINITE.match(head)
    if not found:
        return False
    noun = found[1][:6]
    return any(noun in view.texts[j].lower() for j in range(max(0, i - 3), i))


def _known(view: _Text, i: int, head: str) -> int:
    """Return the sentence that says who somebody is whom this one calls by surname alone, or -1.

    Whom the lead introduces the reader knows.
    """
    found = forms.CALLED.match(head) or forms.CALLED_SAYS.search(view.texts[i][:_HEAD], view.words[i])
    if not found:
        return -1
    name = next(group for group in found.groups() if group).removesuffix("'s").removesuffix("’s")
    where = view.introduced.get(name, -1) if view.is_name(name) else -1
    return where if max(_LEAD, i - _WINDOW) <= where < i else -1


def _antecedent(view: _Text, i: int, kind: str) -> int:
    """Return the nearest earlier sentence that can supply what a sentence lacks, else the one before it."""
    candidates = [j for j in range(i - 1, max(-1, i - 1 - _WINDOW), -1) if not view.noise[j]]
    if not candidates:
        return LOST
    if kind == "speaker":
        return _speaker(view, i, candidates)
    if kind in ("he", "she"):
        for j in candidates:
            if view.has_person(j):
                return j
    return candidates[0]


def _speaker(view: _Text, i: int, candidates: Sequence[int]) -> int:
    """Return the sentence that names the speaker of the quotation that begins in sentence i."""
    for j in range(i + 1, min(len(view.texts), i + LONGEST)):
        if view.quotes[j].first != i:
            break
        outside = view.quotes[j].outside
        if forms.SAYS.search(outside, view.words[j]) and view.people(outside):
            return LOST  # only what follows says who speaks
    if view.told:
        return candidates[0]
    for j in candidates:
        if forms.SAYS.search(view.quotes[j].outside, view.words[j]):
            return j
        if view.quotes[j].first < 0 and not view.spoken(j):
            break
    return candidates[0]
