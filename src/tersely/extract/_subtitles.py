"""Subtitles, SRT and VTT: the words, with the time of each part."""

import re
from collections import Counter
from collections.abc import Iterator
from html import unescape
from typing import NamedTuple

from tersely.extract import RawFile
from tersely.extract._plain import decode_file
from tersely.extract.extracted import Contents, Label, Piece

_TIME = r"(?:(\d{1,3}):)?(\d{1,2}):(\d{2})[,.](\d{1,3})"
_TIMES = re.compile(rf"[ \t]*{_TIME}[ \t]*-->[ \t]*{_TIME}")
_VOICE = re.compile(r"<v(?:\.[^\s>]*)?\s+([^>]{1,60})>")
_TAG = re.compile(r"</?[a-zA-Z0-9.:][^<>]{0,200}>|\{\\[^{}]{0,100}\}")
_DASH = re.compile(r"^[-–—]\s?", re.MULTILINE)
# "Ann Lee: Good morning." in the transcript of a meeting
_NAME_FIRST = re.compile(r"(?P<name>[^\W\d_][^\n:.!?]{0,40}):\s+(?=\S)")
_CLOSED = re.compile(r"[.!?…。！？♪\])][\"'”’»]?\Z")
_PAUSE = 4  # seconds without a word that end a paragraph
_LONGEST = 60  # seconds of a paragraph, if a sentence ends there


class _Cue(NamedTuple):
    start: int
    end: int
    speaker: str
    text: str


def read_srt(file: RawFile) -> Contents:
    """Read SRT subtitles; a sentence may go on from one to the next."""
    text, notes = decode_file(file)
    return Contents(list(_paragraphs(_with_speakers(list(_cues(text))))), notes)


read_vtt = read_srt


def _cues(text: str) -> Iterator[_Cue]:
    """Yield the subtitles: a line with times, and the lines below it up to a blank one."""
    times: re.Match[str] | None = None
    lines: list[str] = []
    for line in [*text.split("\n"), ""]:
        if match := _TIMES.match(line):
            times, lines = match, []
        elif line.strip():
            lines.append(line.strip())
        elif times is not None:
            start, end = _seconds(*times.group(1, 2, 3)), _seconds(*times.group(5, 6, 7))
            yield from _turns(start, end, "\n".join(lines))
            times = None


def _with_speakers(cues: list[_Cue]) -> Iterator[_Cue]:
    """Yield the subtitles with the names of their speakers, if names come before what is said, and come again.

    Then one without a name goes on with what the last speaker says.
    """
    names = Counter(name["name"] for cue in cues if not cue.speaker and (name := _NAME_FIRST.match(cue.text)))
    has_names = 2 * sum(times for times in names.values() if times > 1) >= max(names.total(), 2)
    has_names = has_names and 3 * names.total() >= len(cues)
    speaker = ""
    for cue in cues:
        name = _NAME_FIRST.match(cue.text) if has_names and not cue.speaker else None
        speaker = name["name"] if name else speaker
        yield cue._replace(speaker=cue.speaker or speaker, text=cue.text[name.end() :] if name else cue.text)


def _turns(start: int, end: int, text: str) -> Iterator[_Cue]:
    """Yield the words of each speaker in a subtitle; dashes separate speakers without names."""
    voices = _VOICE.split(text)
    if len(voices) > 1:
        for speaker, words in zip(voices[1::2], voices[2::2], strict=True):
            yield _Cue(start, end, speaker.strip(), _plain(words))
    elif len(lines := _DASH.split(text)) > 2 and not lines[0].strip():
        yield from (_Cue(start, end, "-", _plain(words)) for words in lines[1:])
    else:
        yield _Cue(start, end, "", _plain(text))


def _plain(text: str) -> str:
    return _DASH.sub("", unescape(_TAG.sub("", text))).strip()


def _seconds(hours: str | None, minutes: str, seconds: str) -> int:
    return 3600 * int(hours or 0) + 60 * int(minutes) + int(seconds)


def _paragraphs(cues: Iterator[_Cue]) -> Iterator[Piece]:
    """Join subtitles to paragraphs; each word keeps the time of its subtitle."""
    paragraph: list[_Cue] = []
    for cue in cues:
        if not cue.text or (paragraph and cue.text == paragraph[-1].text):  # repeated, as when lines roll
            continue
        if paragraph and _ends(paragraph, cue):
            yield _paragraph(paragraph)
            paragraph = []
        paragraph.append(cue)
    if paragraph:
        yield _paragraph(paragraph)


def _ends(paragraph: list[_Cue], cue: _Cue) -> bool:
    """Tell whether a paragraph ends before a subtitle: at another speaker, after a pause, or when it is long."""
    last = paragraph[-1]
    if cue.speaker != last.speaker or cue.speaker == "-" or cue.start - last.end >= _PAUSE:
        return True
    return cue.start - paragraph[0].start >= _LONGEST and bool(_CLOSED.search(last.text))


def _paragraph(cues: list[_Cue]) -> Piece:
    text, marks = "", []
    for cue in cues:
        text += "\n" if text else ""
        label: Label = {"time": _clock(cue.start)}
        marks.append((len(text), label))
        text += cue.text
    speaker = cues[0].speaker.strip("-")
    return Piece("turn" if speaker else "prose", text, 0, speaker, tuple(marks))


def _clock(seconds: int) -> str:
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
