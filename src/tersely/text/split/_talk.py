"""Finds who speaks in a conversation, and the parts of an e-mail that are not its message."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from tersely.languages import HAN, Language, alternatives, pack, pattern, words_of_all
from tersely.text.blocks import role_of
from tersely.text.split._lines import CLOSED, Form, Line

# "10:32", "12/03/2025, 09:02:11", "14 Sep 2025 at 9:30 PM", "Yesterday 14:05", "2025/3/12 上午9:02"
_DATE = (
    r"(?:\d{1,4}[./-]\d{1,2}(?:[./-]\d{1,4})?|\d{1,2}[ -][^\W\d]{3,9}\.?(?:[ -]\d{2,4})?|"
    r"[^\W\d]{3,9}\.?\s\d{1,2},?\s\d{4}|"
    rf"\d{{4}}年\d{{1,2}}月\d{{1,2}}日|\b(?:{alternatives('talk.days')}))"
    rf"(?:,|T|,?\s(?:{alternatives('talk.at')}))?\s{{0,2}}"
)
_CLOCK = r"(?:[上下]午\s?)?\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,3})?(?:\s?[AaPp]\.?[Mm]\b\.?)?"
_TIME = rf"(?P<time>(?P<date>{_DATE})?{_CLOCK})"
_STAMP = rf"[\u200e\u200f]?(?P<open>[\[(])?{_TIME}[\])]?:?\s{{1,4}}(?:[-–—|]\s)?"
_STAMPED = pattern(_STAMP, re.IGNORECASE)
_HAS_CLOCK = pattern(r"\d:\d\d")
# What follows a stamp: "<nick> ", "From Ann to Everyone: ", "Ann: ", "nick\t"
_SAID_BY = pattern(
    r"(?:<[@+%&~!\s]?(?P<nick>[^<>\n]{1,30})>:?(?=\s|\Z)|From\s{1,2}(?P<sender>[^\n:]{1,60}?)\s+to\s+[^\n:]{1,60}:|"
    r"(?P<tabbed>[^\t\n:]{1,30})\t(?=[^\t]+\Z)|(?:From\s{2})?(?P<who>[^\n:：]{1,60}?)\s?(?::(?=\s|\Z)|：))\s*"
)
# A line above what is said: "Ann Lee  9:02 AM", "ann — Today at 9:30 PM", "Ann, [12.03.2025 09:02]", "Ann (09:02)"
_ABOVE = pattern(
    rf"(?P<name>[^\W_][^\n:,\[\]—|]{{0,50}}?)(?P<apart>\s{{2,8}}|\t|,?\s?[—–|,·-]\s?|\s)?\s{{0,4}}(?P<open>[\[(])?{_TIME}"
    r"[\])]?:?(?:\s\(\w{4,12}\))?",
    re.IGNORECASE,
)
_ABOVE_REACH, _MOST_NAME_WORDS = 100, 5
_DAY = pattern(r"\d{1,2}\.?\s[^\W\d]{3,9}\b")  # "14 May", which is no name
_LONE_TIME = pattern(_TIME, re.IGNORECASE)
_LEVELS = frozenset("trace debug info notice warn warning error err fatal critical severe".split())
_FROM_PROGRAM = pattern(r"-!-|\*{1,3}\s|-->|<--|-{2,3}\s|=-=|—{2,}")
_SYSTEM = pattern(lambda: rf"\W{{0,3}}(?:{alternatives('talk.system')})\W{{0,3}}", re.IGNORECASE)
_MACHINES = words_of_all("talk.machines")
_DAY_LINE = pattern(
    rf"[-–—\s]*(?:{_DATE}|(?:[^\W\d]{{3,10}},?\s)?(?:\d{{1,2}}\.?\s[^\W\d]{{3,9}}|[^\W\d]{{3,9}}\s\d{{1,2}}(?:st|nd|rd|th)?)"
    r"(?:,?\s\d{4})?)[-–—\s]*",
    re.IGNORECASE,
)
# The times of a subtitle, and the line at the top of a file of them.
_CUE = pattern(rf"{_CLOCK}\s?-->\s?{_CLOCK}.{{0,60}}|WEBVTT.{{0,60}}")
_CUE_BEGINS = "上下W"  # or a digit
_VOICE = pattern(r"<v(?:\.[^\s<>]{0,20})?\s(?P<voice>[^<>\n]{1,60})>\s*")
_SOUNDS = rf"(?:{alternatives('talk.sounds')})"
_SOUND = pattern(
    rf"\{{[a-z]{{3,20}}\}}|</?v[^<>]{{0,60}}>|\[(?:[^\[\]\n]{{0,20}}\s)?{_SOUNDS}(?:\s[^\[\]\n]{{0,20}})?\]|[(*<]{_SOUNDS}[)*>]",
    re.IGNORECASE,
)
_SPACES, _WORD = pattern(r"\s{2,}"), pattern(r"\w")
_LABEL_STAMP = (
    r"\u200e?[\[(]?(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4},?\s)?"
    r"\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,3})?(?:\s?[AaPp][Mm])?[\])]?\s{1,4}(?:[-–—]\s)?"
)
# "Ann Lee (CFO):", "#Person1#:", "**Q:**", "[doctor]", "<nick>", "10:32 Ann:", 记者：
_LABEL = pattern(
    rf"(?:{_LABEL_STAMP})?[*_]{{0,2}}(?:"
    r"(?:#(?P<marked>[^#:\n]{1,30})#|(?P<name>[^\W_](?:[\w.’'&/-]|[ \xa0](?=[\w(&])){0,39})|"
    rf"(?P<han>[{HAN}·]{{1,10}}))"
    r"(?:\s?[(（][^()（）\n]{1,40}[)）])?[*_]{0,2}\s?(?::(?=[\s*_]|\Z)|：)[*_]{0,2}|"
    rf"\[(?P<bracket>[^\W\d_][\w .’'-]{{0,30}})\]:?(?=\s)|"
    r"<(?P<nick>[^\W\d_][\w.’'-]{0,30})>:?(?=\s))\s*"
)
_LETTER = pattern(r"(?P<name>[QA])\.\s+")
_HAN = pattern(f"[{HAN}]")
_REACH, _LONGEST_HAN = 100, 10  # characters in which a label must end, and Chinese ones that it may have
_QUESTIONS, _ANSWERS = words_of_all("talk.question_labels"), words_of_all("talk.answer_labels")
_HEADERS, _SUBJECTS = words_of_all("mail.headers"), words_of_all("mail.subjects")
# Words before a colon that name no speaker, as a whole or as the end of a clause.
_NO_SPEAKERS = words_of_all("talk.other_labels") | _HEADERS - _ANSWERS
_INTRODUCTION = pattern(
    lambda: (
        rf".*\b(?:{alternatives('talk.introductions', capitals=True)})"
        rf"|[{HAN}]+(?:{alternatives('talk.introductions', capitals=False)})"
    ),
)
_ORIGINAL = pattern(lambda: rf"[-_*\s]{{2,40}}(?:{alternatives('mail.original')})\b", re.IGNORECASE)
_FORWARDED = pattern(lambda: rf"(?:[-_*\s]{{2,40}}|begin )(?:{alternatives('mail.forwarded')})", re.IGNORECASE)
_WROTE = pattern(
    lambda: (
        rf"(?:\b(?:{alternatives('mail.wrote', capitals=True)})|{alternatives('mail.wrote', capitals=False)})"
        r"[^:：]{0,80}[:：]\Z"
    ),
)
_SENT = pattern(r"@|\d{1,2}[:：]\d{2}")  # an address or a time, which "In 1790 he wrote:" does not have
_SIGN_OFF = pattern(
    lambda: rf"(?:(?:{alternatives('mail.sign_offs')})\s?[,.!，。！-]{{0,3}})(?:\s[-–—]?\s?\w{{1,20}})?",
    re.IGNORECASE,
)
_SPEECH = 24  # characters after a label that are no mere entry in a form
_ABBREVIATED = pattern(r"\b(?:Inc|Corp|Ltd|Co|Jr|Sr|[A-Z])\.\Z")
_LONGEST_SIGNATURE, _WIDEST_SIGNATURE = 8, 70


class Turn(NamedTuple):
    """Who speaks, where the label ends, and when it is said; or, if `silent`, a line that nobody says."""

    speaker: str
    end: int
    time: str = ""
    silent: bool = False


def find_labels(text: str, lines: Sequence[Line], forms: Sequence[Form]) -> dict[int, tuple[str, int]]:
    """Return the lines that begin with a label, as a speaker's turn does: the label, and where it ends."""
    first = [i for i, line in enumerate(lines) if text[line.start] in "QA" and not forms[i]]
    letters = {i: match for i in first if (match := _LETTER.match(text, *lines[i][:2]))}
    often = Counter(match["name"] for match in letters.values())
    examined = min(often["Q"], often["A"]) > 1  # in court; a list has each letter once
    labels = {i: (match["name"], match.end()) for i, match in letters.items()} if examined else {}
    for i, (start, end, _) in enumerate(lines):
        if forms[i] or i in labels:
            continue
        reach = min(end, start + _REACH)
        if text[start] in "[<\u200e" or text.find(":", start, reach) > 0 or text.find("：", start, reach) > 0:
            match = _LABEL.match(text, start, end)
            if match and match.end() <= reach:
                name = match[match.lastgroup or 0].strip()
                if any(map(str.isalpha, name)) and len(_HAN.findall(name)) <= _LONGEST_HAN:
                    labels[i] = name, match.end()
    return labels


def find_chat(text: str, lines: Sequence[Line], forms: list[Form]) -> dict[int, Turn]:
    """Return the lines that begin a turn in a chat or a transcript whose turns have times; nothing if it is none.

    The name stands after the time, on the line of what is said, or beside the time on a line above it. The forms of
    these lines are cleared.
    """
    cues = [i for i, line in enumerate(lines) if text[line.start].isdigit() and _CUE.fullmatch(text, *line[:2])]
    if cues:
        voices = {i: voice for i, line in enumerate(lines) if (voice := _VOICE.match(text, *line[:2]))}
        if voices:  # they look like mark-up
            forms[:] = ["" if form == "code" else form for form in forms]
        return {i: Turn(_clean(voice["voice"]), voice.end()) for i, voice in voices.items()}
    clocks = _HAS_CLOCK.finditer(text)
    if not (next(clocks, None) and next(clocks, None)):
        return {}
    turns = _beside(text, lines) or _above(text, lines)
    for i in turns:
        forms[i] = ""
    return turns


def _beside(text: str, lines: Sequence[Line]) -> dict[int, Turn]:
    """Return the turns of a chat in which the time and the name stand before what is said."""
    turns: dict[int, Turn] = {}
    names: Counter[str] = Counter()
    strong = 0  # labels with a date, a bracket or a nickname's marks: no timetable has them
    for i, (start, end, _) in enumerate(lines):
        stamp = _STAMPED.match(text, start, min(end, start + _REACH))
        if not stamp:
            continue
        label = _SAID_BY.match(text, stamp.end(), end)
        if not label or _FROM_PROGRAM.match(text, stamp.end(), end):
            turns[i] = Turn("", end, stamp["time"], silent=True)
            continue
        name = _clean(label[label.lastgroup or 0])
        turns[i] = Turn(name, label.end(), stamp["time"])
        names[name] += 1
        strong += bool(stamp["open"] or stamp["date"] or label["nick"] or label["sender"])
    count = names.total()
    recurring = sum(times for times in names.values() if times > 1)
    enough = count >= 2 and 4 * count >= len(turns) and 5 * len(turns) >= len(lines) and strong == count
    if not enough or (2 * recurring < count and count > 4) or all(name.casefold() in _LEVELS for name in names):
        return {}
    return turns


def _above(text: str, lines: Sequence[Line]) -> dict[int, Turn]:
    """Return the turns of a chat in which the name and the time stand on a line above what is said."""
    turns: dict[int, Turn] = {}
    for i, (start, end, _) in enumerate(lines):
        if end - start > _ABOVE_REACH or not _HAS_CLOCK.search(text, start, end):
            continue
        stamp, after = _STAMPED.match(text, start, end), None
        if stamp and stamp["open"] and _is_name(text[stamp.end() : end]):
            turns[i] = Turn(_clean(text[stamp.end() : end]), end, stamp["time"])
        elif (after := _ABOVE.fullmatch(text, start, end)) and _is_name(after["name"]):
            turns[i] = Turn(_clean(after["name"]), end, after["time"])
        elif i and _LONE_TIME.fullmatch(text, start, end) and _is_name(text[slice(*lines[i - 1][:2])]):
            turns[i - 1] = Turn(_clean(text[slice(*lines[i - 1][:2])]), end, text[start:end])
    names = Counter(turn.speaker for turn in turns.values())
    if len(names) == 1:  # that of the group, and each speaker's stands below
        below = {i: _SAID_BY.match(text, *lines[i + 1][:2]) for i in turns if i + 1 < len(lines)}
        if 2 * sum(map(bool, below.values())) > len(turns):
            turns |= {i: Turn(_clean(m["who"]), m.end(), turns[i].time) for i, m in below.items() if m and m["who"]}
    recurring = sum(times for times in names.values() if times > 1)
    followed = sum(i + 1 < len(lines) and i + 1 not in turns for i in turns)
    enough = len(turns) >= 2 and 12 * len(turns) >= len(lines) and 2 * recurring >= len(turns)
    return turns if enough and 10 * followed >= 7 * len(turns) else {}


def _is_name(text: str) -> bool:
    is_short = 0 < len(text.split()) <= _MOST_NAME_WORDS
    return is_short and not CLOSED.search(text) and any(map(str.isalpha, text)) and not _DAY.match(text)


def _clean(name: str) -> str:
    return " ".join(name.strip("\u200e\u200f\u202a\u202c~*_ \xa0\u202f\t").split())


def mark_silent(text: str, lines: Sequence[Line], forms: list[Form], turns: dict[int, Turn]) -> None:
    """Mark the lines of a conversation that nobody says: notices of a program, dates, times of subtitles, sounds."""
    timed = [i for i, line in enumerate(lines) if text[line.start].isdigit() or text[line.start] in _CUE_BEGINS]
    cues = {i for i in timed if forms[i] != "code" and _CUE.fullmatch(text, *lines[i][:2])}
    cues |= {i - 1 for i in cues if i and text[slice(*lines[i - 1][:2])].isdigit()}
    for i, (start, end, apart) in enumerate(lines):
        turn = turns.get(i)
        if turn and not turn.silent:
            speech = turn.end
            if speech >= end and i + 1 < len(lines) and i + 1 not in turns and (i + 2 == len(lines) or i + 2 in turns):
                speech, end = lines[i + 1][:2]  # all that is said below the name
            notice = speech < end and (text[speech] == "\u200e" or _SYSTEM.fullmatch(text, speech, end))
            if notice or turn.speaker.casefold() in _MACHINES:
                turns[i] = turn._replace(end=max(end, turn.end), silent=True)
            continue
        if turn or forms[i] == "code":
            continue
        silent = i in cues or (text[start] in "[({*" and _SOUND.fullmatch(text, start, end))
        above = turns.get(i - 1)
        if turns and not (above and not above.silent and above.end >= lines[i - 1].end):
            silent = silent or _SYSTEM.fullmatch(text, start, end) or _FROM_PROGRAM.match(text, start, end)
            silent = silent or ((apart or not i) and _DAY_LINE.fullmatch(text, start, end))
        if silent:
            turns[i], forms[i] = Turn("", end, silent=True), ""


@cache
def _fillers(language: Language) -> re.Pattern[str]:
    """Return the pattern of the fillers of a language, with the commas around them; "um" is a word in German."""
    words = pack(language).words("talk.fillers")
    if not pack(language).capitals:
        return re.compile(rf"(?:(?<=[，。！？\s])|\A)(?:{'|'.join(words)})[，…、]+" if words else r"\Z(?!\Z)")
    forms = "|".join(map(re.escape, (*words, *map(str.capitalize, words))))
    return re.compile(
        rf"(?:\s?,\s)?(?<![\w'’-])(?<!\d\s)(?:{forms})(?![\w'’-])(?:\s?[,…]|\.{{2,3}})?" if words else r"\Z(?!\Z)"
    )


def is_said(text: str, start: int, end: int, language: Language) -> bool:
    """Tell whether a sentence of a conversation has a word that is no sound."""
    if not _SOUND.match(text, start, end) and not _fillers(language).match(text, start, end):
        return True
    return bool(_WORD.search(_fillers(language).sub("", _SOUND.sub("", text[start:end]))))


def without_sounds(text: str, language: Language) -> str:
    """Return what is said without sounds and fillers; a text that has nothing else stays as it is.

    >>> without_sounds("So, um, the lamp {vocalsound} is too heavy. [laughter]", "en")
    'So the lamp is too heavy.'
    """
    speech = _fillers(language).sub("", _SOUND.sub("", text))
    if speech == text or not _WORD.search(speech):
        return text
    return _SPACES.sub(" ", speech).strip()


def find_speakers(
    text: str, lines: Sequence[Line], forms: Sequence[Form], labels: dict[int, tuple[str, int]]
) -> dict[int, Turn]:
    """Return the lines that begin a turn.

    A label names a speaker if it comes again, and if what follows the labels is speech: long enough, or closed by a
    mark. "Name: Ann" and "Age: 40" of a form are not.
    """
    lower = {i: name.casefold() for i, (name, _) in labels.items()}
    names = set(lower.values()) - _NO_SPEAKERS
    names = {name for name in names if not (role_of(name) or _INTRODUCTION.fullmatch(name))}
    lower = {i: name for i, name in lower.items() if name in names}
    is_interview = bool(names & _QUESTIONS) and bool(names & _ANSWERS)
    often = {name for name, count in Counter(lower.values()).items() if count > 1}
    if 2 * sum(_is_speech(text, labels[i][1], lines[i].end) for i in lower) < len(lower):
        return {}
    repeated = sum(name in often for name in lower.values())
    everywhere = len(names) > 1 and len(lower) == sum(not form for form in forms) > 1
    # Long speeches leave few lines with a label, which then must look like a name; "<b>" is more often mark-up.
    firsts = [text[lines[i].start] for i in lower]
    share = 0.05 if len(often) > 1 and not any(map(str.islower, firsts)) else 0.2
    share = 0.6 if "<" in firsts else share
    if everywhere or (
        often and len(names) > 1 and len(lower) >= max(3, share * len(lines)) and 2 * repeated >= len(lower)
    ):
        speakers = names if everywhere or repeated >= 2 * (len(lower) - repeated) else often
    else:
        speakers = set()
    if is_interview:
        speakers = speakers | names & (_QUESTIONS | _ANSWERS)
    stamps = {i: _STAMPED.match(text, *lines[i][:2]) for i, name in lower.items() if name in speakers}
    return {i: Turn(*labels[i], stamp["time"] if stamp else "") for i, stamp in stamps.items()}


def _is_speech(text: str, start: int, end: int) -> bool:
    """Tell whether something is said after a label; a label may also stand on its own line, above what is said."""
    return start >= end or end - start >= _SPEECH or bool(CLOSED.search(text, max(start, end - 6), end))


def mark_mail(text: str, lines: Sequence[Line], forms: list[Form], labels: dict[int, tuple[str, int]]) -> None:
    """Mark the headers, the quoted replies and the signature of an e-mail."""
    headers = _header_runs(lines, labels)
    for run in headers:
        forms[run.start : run.stop] = ["header"] * len(run)
    end, mail = _reply_start(text, lines, forms, headers, labels), bool(headers)
    for i in range(end):
        if forms[i] == "quote":
            mail = mail or text.startswith(">>", lines[i].start)
            if i and not forms[i - 1] and _WROTE.search(text, *lines[i - 1][:2]):
                mail = mail or bool(_SENT.search(text, *lines[i - 1][:2]))
                forms[i - 1] = "reply" if mail else ""
            forms[i] = "reply" if mail else "quote"
    for i in range(end, len(lines)):
        forms[i] = "reply"
    while end and forms[end - 1] == "reply":
        end -= 1
    first = _signature_start(text, lines, forms, end)
    forms[first:end] = ["signature"] * (end - first)


def _header_runs(lines: Sequence[Line], labels: dict[int, tuple[str, int]]) -> list[range]:
    """Return the runs of at least two lines with the names of mail headers; a header may be alone at the top."""
    runs: list[range] = []
    headers = {i for i, (name, _) in labels.items() if name.casefold() in _HEADERS}
    for i in sorted(headers):
        if runs and i == runs[-1].stop and not lines[i].apart:
            runs[-1] = range(runs[-1].start, i + 1)
        else:
            runs.append(range(i, i + 1))
    is_subject = 0 in headers and labels[0][0].casefold() in _SUBJECTS
    return [run for run in runs if len({labels[i][0].casefold() for i in run}) > 1 or (run.start == 0 and is_subject)]


def _reply_start(
    text: str,
    lines: Sequence[Line],
    forms: list[Form],
    headers: Sequence[range],
    labels: dict[int, tuple[str, int]],
) -> int:
    """Return the line with which the message ends, and an older message below it begins."""
    tops = {run.start for run in headers if len(run) > 2}  # "From: Boston", "To: Paris" is a journey
    begun = forwarded = False  # whether the message has begun, so that what follows is an older one
    for i, (start, end, _) in enumerate(lines):
        if text[start] in "-_*Bb" and _FORWARDED.match(text, start, min(end, start + 80)):
            forms[i], forwarded = "header", True
            continue
        original = text[start] in "-_*" and bool(_ORIGINAL.match(text, start, min(end, start + 80)))
        if original and not begun:
            forms[i] = "header"
            continue
        if original or (i in tops and begun and not forwarded):
            return i
        wrote = text[end - 1] in ":：" and end - start <= 200 and bool(_WROTE.search(text, max(start, end - 100), end))
        if wrote and begun and not (i + 1 < len(lines) and forms[i + 1] == "quote"):
            above = i and not lines[i].apart and lines[i - 1].end - lines[i - 1].start < 120
            first = i - 1 if above and text.startswith("On ", lines[i - 1].start) else i
            if _SENT.search(text, lines[first].start, end) and i + 1 < len(lines):
                return first
        begun = begun or not forms[i]
        forwarded = forwarded and (forms[i] == "header" or i in labels)
    return len(lines)


def _signature_start(text: str, lines: Sequence[Line], forms: Sequence[Form], end: int) -> int:
    """Return the line with which the signature at the end of a message begins, or `end`."""
    for i in range(max(1, end - _LONGEST_SIGNATURE), end):
        start, stop, _ = lines[i]
        if forms[i] not in ("", "rule") or stop - start > _WIDEST_SIGNATURE:
            continue
        dashes = text[start:stop] == "--"
        if dashes or _SIGN_OFF.fullmatch(text, start, stop):
            rest = lines[i + 1 : end]
            if dashes and rest:
                return i
            short = all(
                b - a <= _WIDEST_SIGNATURE
                and (not CLOSED.search(text, max(a, b - 6), b) or _ABBREVIATED.search(text, a, b))
                for a, b, _ in rest
            )
            if not dashes and short and not any(form == "quote" for form in forms[i:end]):
                return i
    return end
