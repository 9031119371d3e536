"""Reading English: what a sentence needs, from how it opens, what it refers to, and who is quoted."""

import re
from collections.abc import Sequence

from tersely.read import ALONE, LOST, Reading
from tersely.read import _english_forms as forms
from tersely.read._english_forms import lowered
from tersely.read._english_text import FUNCTION, HEAD, PERSON, Text, view
from tersely.read._quotes import LONGEST, WHOLE
from tersely.text.document import Document

_WINDOW = 12  # sentences to look back for an antecedent
_FIRST = 24  # characters that hold the first word
_STEM = 6  # letters that tell a noun
_WORD = re.compile("[a-z]+")
_SHORT, _FEW = 80, 7  # characters, and words, of a sentence that may have no verb
_LEAD = 2  # sentences whose people and subjects stay known throughout


def english(document: Document) -> Reading:
    """Return what each sentence of an English document needs, and which sentences are noise."""
    text = view(document)
    needs: list[int] = []
    whys: list[str] = []
    for i in range(len(document)):
        why, need = _need(text, i)
        needs.append(need)
        whys.append(why)
    return Reading(tuple(needs), tuple(whys), tuple(text.noise))


def _need(text: Text, i: int) -> tuple[str, int]:
    quote = text.quotes[i]
    if quote.first >= 0:
        return "quotation", quote.first
    if text.noise[i]:
        return "", ALONE
    if text.open[i]:
        return "list", LOST  # what completes it comes later
    head = text.head(i)
    why, kind = _cause(text, i, head)
    if i == 0:
        continues = why == "connective" or (why == "pronoun" and forms.PRONOUN.match(lowered(head), text.signs[i]))
        return (why, LOST) if continues else ("", ALONE)
    if why:
        return why, _antecedent(text, i, kind)
    known = _known(text, i)
    return ("name", known) if known >= 0 else ("", ALONE)


def _cause(text: Text, i: int, head: str) -> tuple[str, str]:
    """Return why a sentence does not stand alone, and what would supply its antecedent."""
    signs, low = text.signs[i], lowered(head)
    opening = _WORD.search(low, 0, _FIRST)
    first = opening.group() if opening else ""
    if i and _goes_on(text, i):
        return "fragment", "before"
    if first in forms.CONNECTIVE_FIRST and forms.CONNECTIVE.match(low) and not (text.talk and forms.FILLER.match(head)):
        return "connective", "before"
    if forms.LIST.match(low):
        return "list", "before"
    if forms.TIME.match(low, signs):
        return "time", "before"
    if forms.POINTING.match(low):
        return "demonstrative", "before"
    kind = _pronoun(text, i, head, low)
    if kind:
        return "pronoun", kind
    kind = _quotation(text, i)
    if kind:
        return "speaker", kind
    if text.told and i and text.spoken(i) and (text.spoken(i - 1) or text.quotes[i - 1].first >= 0):
        return "answer", "before"
    if forms.BARE_DEMONSTRATIVE.match(low, signs):
        return "demonstrative", "before"
    outside, own = text.quotes[i].outside[:HEAD], low
    if forms.SAYS.bit & signs and forms.SAYS.form.search(apart := lowered(outside)):
        own = apart  # what a named speaker points at is his affair
    if _demonstrative(own, signs):
        return "demonstrative", "before"
    if forms.LINK.search(own, signs):
        return "connective", "before"
    if not text.personal and not text.told and forms.FIRST_PERSON.search(outside, signs):
        return "speaker", "before"  # somebody speaks, though no mark says so
    kind = _definite(text, i, head, first)
    if kind:
        return "definite", kind
    short = len(head) < _SHORT and len(head.split()) < _FEW and not text.told
    if short and (head.endswith("?") or (head.endswith(".") and not forms.VERB.search(low))):
        return "fragment", "before"
    given = forms.GIVEN.search(own, signs)
    if given and _is_new(text, i, given["noun"][:_STEM], own[: given.start()]):
        return "definite", given["noun"][:_STEM].upper()
    return "", ""


def _is_new(text: Text, i: int, noun: str, before: str) -> bool:
    """Return whether a noun was told of before a sentence, but neither in it nor in the lead, which is known."""
    if noun in before or any(noun in text.texts[j].lower() for j in range(min(i, _LEAD))):
        return False
    return any(noun in text.texts[j].lower() for j in range(max(_LEAD, i - _WINDOW), i))


def _goes_on(text: Text, i: int) -> bool:
    """Return whether a sentence is the rest of one, or an item of a list that the sentence before announces."""
    start = text.texts[i].lstrip()
    if start[:1].islower() and not text.small and not start[1:3].strip("abcdefghijklmnopqrstuvwxyz"):
        return True
    return text.open[i - 1] and forms.ITEM.match(start) is not None


def _pronoun(text: Text, i: int, head: str, low: str) -> str:
    """Return the kind of the first pronoun that has no possible antecedent before it in its sentence."""
    for found in forms.PRONOUN.finditer(low, text.signs[i]):
        kind, before = forms.PRONOUNS[found["word"]], head[: found.start()]
        if kind == "it" and forms.EXPLETIVE.match(low, found.start()):
            continue
        if _supplied(text, kind, found.group(), before):
            continue
        if before and not before.endswith(", ") and _named_later(text, head, found.end()):
            continue
        return kind
    return ""


def _named_later(text: Text, head: str, at: int) -> bool:
    """Return whether a name follows the phrase that holds the pronoun: "In his column, Fowler said"."""
    found = forms.CATAPHORA.match(head, at)
    return found is not None and text.is_name(found["name"])


def _supplied(text: Text, kind: str, pronoun: str, before: str) -> bool:
    """Return whether the words before a pronoun hold what it may stand for."""
    if pronoun in ("him", "them"):  # never the subject of its own clause
        clauses = [found.start() for found in forms.CLAUSE.finditer(lowered(before))]
        before = before[: clauses[-1]] if clauses else ""
    if not before:
        return False
    low = lowered(before)
    if kind in ("he", "she"):
        return text.people(before) or bool(PERSON.search(low))
    if text.names(before):
        return True
    if kind == "they":
        return bool(forms.PLURAL.search(low))
    if forms.ADVERBIAL.match(low) or forms.NO_NOUN_YET.match(low):
        return False
    words = re.findall(r"[a-z]{3,}", low)
    return any(word not in FUNCTION and not word.endswith(("ly", "ing", "ed")) for word in words)


def _quotation(text: Text, i: int) -> str:
    """Return what a quotation needs: its speaker, who he is, or nothing."""
    whole, outside, signs = text.texts[i].lstrip(), text.quotes[i].outside, text.signs[i]
    if len(outside) == len(whole):
        return ""
    low = lowered(outside)
    if forms.HE_SAYS.search(low, signs) and not text.names(outside):
        return "he"
    if forms.ADDS.search(low, signs):
        return "before"
    if not text.spoken(i):
        return ""
    if not forms.SAYS.search(low, signs) and len(outside.split()) < 0.5 * len(whole.split()):
        return "speaker"
    return "before" if forms.THE_SAYS.search(low, signs) and not text.names(outside) else ""


def _demonstrative(low: str, signs: int) -> bool:
    for found in forms.DEMONSTRATIVE.finditer(low, signs):
        noun = next(group for group in found.groups() if group)
        if noun[:6] not in low[: found.start()]:  # "pins messages, these messages"
            return True
    return False


def _definite(text: Text, i: int, head: str, first: str) -> str:
    """Return what a definite noun phrase at the start picks up: "who" or the noun in capitals, or "" for nothing."""
    if forms.AGED.match(head):
        return "who"
    told = first in forms.TOLD_FIRST or first[-3:] in forms.TOLD_FIRST
    found = (forms.TOLD.match(head) if told else None) or forms.MEASURED.match(head)
    if found:
        return found["noun"][:_STEM].upper()
    if first != "the":
        return ""
    if forms.RESULTING.match(head[:_FIRST].lower()):
        return "before"
    found = forms.DEFINITE.match(head)
    noun = found["noun"][:_STEM] if found else ""
    near = range(max(0, i - 3), i)
    return noun.upper() if noun and any(noun in text.texts[j].lower() for j in near) else ""


def _known(text: Text, i: int) -> int:
    """Return the sentence that says who somebody is whom this one calls by surname alone, or -1.

    Of several, it is the last that was introduced.
    """
    return max((where for name, where in text.called.get(i, ()) if text.is_name(name)), default=-1)


def _antecedent(text: Text, i: int, kind: str) -> int:
    """Return the nearest earlier sentence that can supply what a sentence lacks, else the one before it."""
    candidates = [j for j in range(i - 1, max(-1, i - 1 - _WINDOW), -1) if not text.noise[j]]
    if not candidates:
        return LOST
    if kind == "speaker":
        return _speaker(text, i, candidates)
    if kind in ("he", "she"):
        for j in candidates:
            if text.has_person(j):
                return j
    if kind == "who":  # whoever was named first is the one that the text is about
        return next((j for j in reversed(candidates) if text.people(text.texts[j][:HEAD])), candidates[0])
    if kind.isupper():
        return next((j for j in candidates if kind.lower() in text.texts[j].lower()), candidates[0])
    return candidates[0]


def _speaker(text: Text, i: int, candidates: Sequence[int]) -> int:
    """Return the sentence that names the speaker of the quotation that begins in sentence i."""
    for j in range(i + 1, min(len(text.texts), i + LONGEST)):
        if text.quotes[j].first != i:
            break
        outside = text.quotes[j].outside
        if forms.SAYS.search(lowered(outside), text.signs[j]) and text.people(outside):
            return ALONE if j < i + WHOLE else LOST  # what follows says who speaks, and goes in, too
    if text.told:
        return candidates[0]
    for j in candidates:
        if forms.SAYS.search(lowered(text.quotes[j].outside), text.signs[j]):
            return j
        if text.quotes[j].first < 0 and not text.spoken(j):
            break
    return candidates[0]
