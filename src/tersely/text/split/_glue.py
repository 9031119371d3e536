"""Parts what is glued to a sentence in a text that lost its lines: a heading, a caption, a post."""

import re
from collections import deque

from tersely.text.language import HAN

# "SALES ROSEThe shop", "- The winners -Anna", "(图1:会场)大会": a heading or a caption at the start of a sentence.
_HEAD = re.compile(
    r"(?:[A-Z\d][A-Z\d'’,:&-]{0,24}\s){1,12}[A-Z]{2,24}(?=[A-Z][a-z]{2,}\s)|"
    r"-\s?[A-ZÀ-Þ][^-.!?\n]{2,70}\s-(?=[A-ZÀ-Þ])|"
    r"[（(](?:图|照片|资料图|记者|通讯员|摄影|来源|编辑)[^（）()\n]{2,60}[）)](?=\w)|"
    rf"[（(](?:[{HAN}]{{2,4}}[ 、\u3000]){{1,8}}[{HAN}]{{2,4}}[）)](?=\w)"
)
# "the endThe next": a word that begins sentences, and any word after a year, though no space is before it.
_GLUED = re.compile(r"[A-Z](?<=[a-z\d][A-Z])[a-z]{2,9}(?=\s)")
# How such a heading begins.
_OPENS, _GOES_ON = frozenset("-(（"), frozenset(" ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_WORD = re.compile(r"\w")
_YEAR = re.compile(r"\b(?:19|20)\d\d\Z")
_LETTERS = re.compile(r"[a-z]{2}\Z")
# The picture that ends a post.
_PICTURE = re.compile(r"pic\.twitter\.com/\w{10}(?=\s?[A-Z])")


def find_cuts(text: str, first: frozenset[str]) -> list[int]:
    """Return where a text is glued together, ascending; `first` has the words that begin sentences.

    >>> find_cuts("We saw the endThe next came.", frozenset({"the"}))
    [14]
    """
    cuts = [word.start() for word in _GLUED.finditer(text) if _is_glued(text, word, first)]
    if "pic.twitter.com/" in text:
        cuts = sorted([*cuts, *(picture.end() for picture in _PICTURE.finditer(text))])
    return cuts


def _is_glued(text: str, word: re.Match[str], first: frozenset[str]) -> bool:
    near = max(0, word.start() - 5)
    if _YEAR.search(text, near, word.start()):
        return True
    return word[0].lower() in first and bool(_LETTERS.search(text, near, word.start()))


def part(text: str, start: int, end: int, cuts: deque[int]) -> list[tuple[int, int]]:
    """Return the pieces of a sentence: the heading that is glued to it, and what the cuts leave of it."""
    while cuts and cuts[0] <= start:
        cuts.popleft()
    begins = text[start] in _OPENS or text[start + 1 : start + 2] in _GOES_ON
    if not begins and not cuts:
        return [(start, end)]
    stops: list[int] = []
    if begins:
        head = _HEAD.match(text, start, end)
        stops += [head.end()] if head else []
    while cuts and cuts[0] < end:
        stops.append(cuts.popleft())
    pieces: list[tuple[int, int]] = []
    for stop in stops:
        rest = _WORD.search(text, stop, end)
        if stop > start and rest:
            pieces.append((start, stop))
            start = stop + len(text[stop : rest.start()]) - len(text[stop : rest.start()].lstrip())
    return [*pieces, (start, end)]
