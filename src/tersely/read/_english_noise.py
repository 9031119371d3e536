"""Noise in English: sentences that belong in no summary, by their form."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from string import ascii_lowercase, ascii_uppercase

from tersely.read._english_forms import keyed
from tersely.read._english_kinds import KINDS, Kind

_FLAGS = re.IGNORECASE
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_NO_LETTER, _CAPITAL, _DIGIT = re.compile(r"[\W\d_]"), re.compile(r"[A-Z]"), re.compile(r"\d")
_SMALL, _LARGE = ascii_lowercase.encode(), ascii_uppercase.encode()
_STOPS = frozenset(".!?…:;—")
_CLOSED = re.compile(r"(?:[.!?…:;—][\"'”’)\]»*]{0,3}\s*\.?|[,–-][\"'”’»])$")
_APART = re.compile(r"\w ?[\"'”’)]? \.$")  # a full stop set apart from the last word
_TAIL = 16  # characters that show how a sentence ends
_END = 240  # characters in which a bracket closes
_HEAD = 600  # characters of a sentence that are looked at
_LONG = 300  # characters; no caption is longer

_LABEL = re.compile(r"(?![\"'“‘(\[])(?=[A-Z])[^:.!?\"“”]{2,36}(?:: (?=[\"'“‘]?[A-Z0-9£$])|(?<= ): (?=[a-z]))")
_LABELED = 38  # characters in which a label ends
_SPEAKS = re.compile(
    r"\b(?:said|says|say|told|adds?|added|complain(?:s|ed)|explain(?:s|ed)|warn(?:s|ed)|not(?:es|ed)|argue[sd]"
    r"|continued"
    r"|replied|tweeted|stated?|announced|asks?|asked|wrote|writes|reads?|statement|is|are|was|were|has|have|be|will|can"
    r"|this|that|these|it|he|she|they|we|i|reasons?|following|include|including|example|questions?|answer|result"
    r"|problem"
    r"|point|fact)\b",
    _FLAGS,
)
_NAME_LIST = re.compile(r"(?:\b[A-Z]\.? ?[A-Z]?['’]?[A-Z][\w'’-]{1,20}(?: \([^()]{1,12}\))?[,;.] ?){4}")
_GENRES = {  # kinds of noise that only papers and calls have, and what only these say
    "road map": keyed(
        r"\b(?:this|our) (?:paper|thesis|survey|approach)\b|\bwe (?:propose|present|introduce|describe)\b",
        "paper thesis survey approach propose present introduce describe",
    ),
    "procedure": keyed(
        r"\b(?:conference call|(?:this|our|today['’]s|the) call|earnings|fiscal"
        r"|(?:first|second|third|fourth) quarter|investors?|shareholders?|gaap|forward-looking)\b",
        "call earnings fiscal quarter investor investors shareholder shareholders gaap forward",
    ),
}
_SAID, _SAYS = keyed("said", "said").bit, keyed("says", "says").bit
_SHORT = 80  # characters of a heading
_NUMBERED = re.compile(r"\d{1,2}(?:\.\d{1,2}){1,3}\.? [A-Z][^.!?]{0,70}\.?$")
_SCENE = re.compile(  # somebody does something that can be seen, somewhere
    r"(?:[A-Z][\w.'’-]{1,20},? (?:(?:and|of|de|the|his|her|with|wife|husband|actor|actress|singer|president|coach"
    r"|captain) ){0,3})"
    r"{2,10}(?:poses?|greets?|arrives?|attends?|speaks?|waves?|walks?|celebrates?|smiles?|stands?|sits?|holds?"
    r"|looks?|leaves?"
    r"|shakes?|hugs?|kisses|gestures?|reacts?|addresses|performs?|rides?|bike rides|makes|takes|plays|runs"
    r"|watch(?:es)?|joins"
    r"|meets?|signs|enters|carr(?:y|ies)|gets|cheers?|listens?|talks?|tries|trains?|warms? up|jokes?|laughs?|is"
    r" (?:seen|pictured"
    r"|shown|photographed)|are (?:seen|pictured|shown|photographed))\b.{0,120}\b(?:at|in|on|during|outside|near"
    r"|after|before|while"
    r"|ahead of|as)\b"
)
_CREDITED = re.compile(
    r"\((?:AFP|AP|PTI|ANI|IANS|Reuters|EPA|Getty[^()]{0,20}|[^()]{0,30}(?:[Pp]hoto|[Ff]ile|PHOTO"
    r"|FILE)[^()]{0,20})\)\W?$"
)
_CUT = frozenset(
    "No. Nos. Vol. vol. Rs. ca. cf. Eq. eq. Eqs. eqs. Fig. fig. Figs. figs. Mr. Mrs. Ms. Mt. Dr. St. Prof. Gen. Sen. "
    "Rep. Lt. Col. Sgt. Capt. Gov. Rev. Hon. Para. para. Paras. paras. viz. approx. v. vs. e.g. i.e. the. an. of. and. "
    "or. told. described. whose. their. than.".split()
)
_COMPANY = re.compile(r"\((?:Pvt|P)\.?\)$")
_ITEM = 3  # characters of a number, which may end in a bracket
_QUOTES = tuple("\"“'‘")
SPEAKER = re.compile(r"#?\w[^:.!?\n]{0,30}:\s")
_CLAUSE = re.compile(
    r"\b(?:i|you|he|she|it|we|they|this|that|is|are|was|were|has|have|had|do|did|will|never|no|yes|not)\b|['’]", _FLAGS
)


def noise_of(texts: Sequence[str], signs: Sequence[int], breaks: Sequence[bool], *, told: bool) -> list[str]:
    """Return the kind of noise that each sentence is, or "" for none.

    `signs` are the forms whose keys each sentence has, `breaks[i]` says that a line ends before sentence i.
    """
    plain = [text.strip() for text in texts]
    tails = [text[-_TAIL:] for text in plain]
    closed = [tail[-1:] in _STOPS or bool(_CLOSED.search(tail)) for tail in tails]
    apart = [tail.endswith(" .") and bool(_APART.search(tail)) for tail in tails]
    lined = sum(closed) >= 0.6 * len(plain)  # else the text does without closing marks
    # Where most full stops stand apart, or sentences begin in lowercase, the text went through a tokenizer.
    stops, small = sum(tail.endswith(".") for tail in tails), sum(text[:1].islower() for text in plain)
    tokenized = sum(apart) > 0.5 * stops or small > 0.3 * len(plain)
    lower = [text.lower() for text in plain]
    missing = frozenset(kind for kind, sign in _GENRES.items() if not any(map(sign.search, lower, signs)))
    kinds, starts, keys = _kinds_but(missing)
    labels = _labels(plain) if "road map" in missing else [False] * len(plain)
    past = sum(own & _SAID > 0 for own in signs) >= sum(own & _SAYS > 0 for own in signs)
    found: list[str] = []
    bracket = ""
    for i, text in enumerate(plain):
        kind, head, own = bracket, lower[i][:_HEAD], signs[i]
        if not kind and ((begins := starts.match(head)) or keys & own):
            likely = kinds if begins else [kind for kind in kinds if kind.anywhere.bit & own]
            kind = next((k.name for k in likely if k.anywhere.search(head, own) or k.start.match(head)), "")
        kind = kind or _list(text[:_HEAD])
        opened = kind if not bracket and text[:1] == "[" else bracket
        bracket = opened if opened and "]" not in text[-_END:] else ""
        if not kind and lined and not closed[i] and text[:1] not in _QUOTES:
            ends = i + 1 == len(plain) or breaks[i + 1]
            most = 20 if breaks[i] else 10  # words; a heading may have lost the line break before it
            kind = "heading" if ends and len(_WORD.findall(text[:400])) < most else ""
        if not kind and apart[i] and not tokenized and len(text) < _LONG:
            kind = "heading" if len(text) < 60 else "caption"
        if not kind and (labels[i] or (past and len(text) < _LONG and _SCENE.match(text) and not own & _SAID)):
            kind = "caption"
        if not kind and len(text) < _SHORT and _NUMBERED.match(text):
            kind = "heading"
        found.append(kind)
    for i in range(len(plain) - 1):
        if plain[i + 1][:1] == "(" and _CREDITED.match(plain[i + 1]):
            found[i] = found[i + 1] = "caption"
        if _is_cut(tails[i]) or _is_open(plain[i], plain[i + 1]):  # the splitter took an abbreviation for the end
            found[i] = found[i + 1] = "fragment"
    for i, text in enumerate(plain):
        near = found[i - 1 : i] + found[i + 1 : i + 2]
        if not found[i] and lined and not told and any(near) and _is_scrap(text):
            found[i] = "scrap"
    for i in range(1, len(found) - 1):  # what stands between two captions is one
        between = found[i - 1] == found[i + 1] == "caption" and not breaks[i] and not breaks[i + 1]
        if between and not found[i] and plain[i][:1] not in _QUOTES:
            found[i] = "caption"
    return found


@cache
def _kinds_but(missing: frozenset[str]) -> tuple[tuple[Kind, ...], re.Pattern[str], int]:
    """Return the kinds that are not missing, all ways to start like one, and all forms that they have anywhere."""
    kinds = tuple(kind for kind in KINDS if kind.name not in missing)
    starts = re.compile("|".join(dict.fromkeys(kind.start.pattern for kind in kinds)))
    return kinds, starts, sum(kind.anywhere.bit for kind in kinds)


def _list(head: str) -> str:
    """Return "list" if this is a table, a score or a list of names."""
    # Where most characters are small letters, there is no need to count the others. Four names have eight capitals.
    others = head.encode("ascii", "replace").translate(None, _SMALL)
    if len(others) >= 0.5 * len(head):
        letters, digits = len(head) - len(_NO_LETTER.findall(head)), len(_DIGIT.findall(head))
        capitals = len(_CAPITAL.findall(head)) > 0.6 * letters > 4
        if not letters or capitals or digits > letters:
            return "list"
    marks = others.count(b",") + others.count(b";") + others.count(b".")
    if marks > 3 and len(others) - len(others.translate(None, _LARGE)) > 7 and _NAME_LIST.search(head):
        return "list"
    return ""


def _labels(texts: Sequence[str]) -> list[bool]:
    """Return which sentences begin with a label, as captions do: "Day out: Mike and Diane at the bowling alley."

    Where labels come again, or come everywhere, they name speakers or parts of a list.
    """
    found = [_LABEL.match(text) if ":" in text[:_LABELED] else None for text in texts]
    labels = [match.group() if match and not _SPEAKS.search(match.group()) else "" for match in found]
    often = {label for label, count in Counter(filter(None, labels)).items() if count > 1}
    total, again = sum(map(bool, labels)), sum(label in often for label in labels)
    if total > max(1, (0.25 if again else 0.45) * len(texts)):
        return [False] * len(texts)
    return [bool(label) and label not in often for label in labels]


def is_told(texts: Sequence[str], breaks: Sequence[bool]) -> bool:
    """Return whether this is a story or a dialogue, where people take turns and short sentences tell something."""
    turns = sum(starts and text[:1] in _QUOTES for text, starts in zip(texts, breaks, strict=True))
    return turns > 0.25 * len(texts) or sum(map(bool, map(SPEAKER.match, texts))) > 0.3 * len(texts)


def _is_cut(tail: str) -> bool:
    """Return whether the end of a sentence is no end."""
    before, _, last = tail.rpartition(" ")
    whole = last in _CUT and (before[-1:].isalnum() or before[-1:] == "_")
    return whole or (last.endswith(")") and _COMPANY.search(tail) is not None)


def _is_open(text: str, after: str) -> bool:
    """Return whether a bracket opens in a sentence and closes in the one after."""
    if "(" not in text:
        return False
    opens, closes = after.find("("), after.find(")")
    return text.rfind("(") > text.rfind(")") and closes > _ITEM and (opens < 0 or closes < opens)


def _is_scrap(text: str) -> bool:
    words = _WORD.findall(text) if len(text) < 40 else []
    return 0 < len(words) < 4 and not _CLAUSE.search(text) and text[0] not in _QUOTES and text[-1] not in "\"”'’"
