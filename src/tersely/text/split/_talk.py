"""Finds who speaks in a conversation, and the parts of an e-mail that are not its message."""

import re
from collections import Counter
from collections.abc import Sequence

from tersely.languages import HAN, alternatives, words_of_all
from tersely.text.blocks import role_of
from tersely.text.split._lines import CLOSED, Form, Line

# "10:32 ", "[12/03/2025, 09:02:11] ", "12/03/2025, 09:02 - "
_STAMP = (
    r"\u200e?[\[(]?(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4},?\s)?"
    r"\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,3})?(?:\s?[AaPp][Mm])?[\])]?\s{1,4}(?:[-–—]\s)?"
)
_STAMPED = re.compile(_STAMP)
# "Ann Lee (CFO):", "#Person1#:", "**Q:**", "[doctor]", "<nick>", "10:32 Ann:", 记者：
_LABEL = re.compile(
    rf"(?:{_STAMP})?[*_]{{0,2}}(?:"
    r"(?:#(?P<marked>[^#:\n]{1,30})#|(?P<name>[^\W_](?:[\w.’'&/-]|[ \xa0](?=[\w(&])){0,39})|"
    rf"(?P<han>[{HAN}·]{{1,10}}))"
    r"(?:\s?[(（][^()（）\n]{1,40}[)）])?[*_]{0,2}\s?(?::(?=[\s*_]|\Z)|：)[*_]{0,2}|"
    rf"\[(?P<bracket>[^\W\d_][\w .’'-]{{0,30}})\]:?(?=\s)|<(?P<nick>[^\W\d_][\w.’'-]{{0,30}})>:?(?=\s))\s*"
)
_HAN = re.compile(f"[{HAN}]")
_REACH, _LONGEST_HAN = 100, 10  # characters in which a label must end, and Chinese ones that it may have
_QUESTIONS, _ANSWERS = words_of_all("talk.question_labels"), words_of_all("talk.answer_labels")
_HEADERS, _SUBJECTS = words_of_all("mail.headers"), words_of_all("mail.subjects")
# Words before a colon that name no speaker, as a whole or as the end of a clause.
_NO_SPEAKERS = words_of_all("talk.other_labels") | _HEADERS - _ANSWERS
_INTRODUCTION = re.compile(
    rf".*\b(?:{alternatives('talk.introductions', capitals=True)})"
    rf"|[{HAN}]+(?:{alternatives('talk.introductions', capitals=False)})"
)
_ORIGINAL = re.compile(rf"[-_*\s]{{2,40}}(?:{alternatives('mail.original')})\b", re.IGNORECASE)
_FORWARDED = re.compile(rf"(?:[-_*\s]{{2,40}}|begin )(?:{alternatives('mail.forwarded')})", re.IGNORECASE)
_WROTE = re.compile(
    rf"(?:\b(?:{alternatives('mail.wrote', capitals=True)})|{alternatives('mail.wrote', capitals=False)})"
    r"[^:：]{0,80}[:：]\Z"
)
_SENT = re.compile(r"@|\d{1,2}[:：]\d{2}")  # an address or a time, which "In 1790 he wrote:" does not have
_SIGN_OFF = re.compile(
    rf"(?:(?:{alternatives('mail.sign_offs')})\s?[,.!，。！-]{{0,3}})(?:\s[-–—]?\s?\w{{1,20}})?", re.IGNORECASE
)
_SPEECH = 24  # characters after a label that are no mere entry in a form
_ABBREVIATED = re.compile(r"\b(?:Inc|Corp|Ltd|Co|Jr|Sr|[A-Z])\.\Z")
_LONGEST_SIGNATURE, _WIDEST_SIGNATURE = 8, 70


def find_labels(text: str, lines: Sequence[Line], forms: Sequence[Form]) -> dict[int, tuple[str, int]]:
    """Return the lines that begin with a label, as a speaker's turn does: the label, and where it ends."""
    labels = {}
    for i, (start, end, _) in enumerate(lines):
        if forms[i]:
            continue
        reach = min(end, start + _REACH)
        if text[start] in "[<\u200e" or text.find(":", start, reach) > 0 or text.find("：", start, reach) > 0:
            match = _LABEL.match(text, start, end)
            if match and match.end() <= reach:
                name = match[match.lastgroup or 0].strip()
                if any(map(str.isalpha, name)) and len(_HAN.findall(name)) <= _LONGEST_HAN:
                    labels[i] = name, match.end()
    return labels


def skip_stamp(text: str, start: int, end: int) -> int:
    """Return where the speaker's name begins in a turn, after the time if there is one."""
    stamp = _STAMPED.match(text, start, end)
    return stamp.end() if stamp else start


def find_speakers(
    text: str, lines: Sequence[Line], forms: Sequence[Form], labels: dict[int, tuple[str, int]]
) -> dict[int, tuple[str, int]]:
    """Return the lines that begin a turn: the speaker, and where the label ends.

    A label names a speaker if it comes again, and if what follows the labels is speech: long enough, or closed by a
    mark. "Name: Ann" and "Age: 40" of a form are not.
    """
    lower = {i: name.casefold() for i, (name, _) in labels.items()}
    lower = {
        i: name
        for i, name in lower.items()
        if not (name in _NO_SPEAKERS or role_of(name) or _INTRODUCTION.fullmatch(name))
    }
    names = set(lower.values())
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
    return {i: labels[i] for i, name in lower.items() if name in speakers}


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
