"""Reading by form alone: paragraphs, quotation marks and, for some languages, the words that open a sentence."""

import re
from collections.abc import Iterator

from tersely.read._reading import ALONE, LOST, Reading
from tersely.text.document import Document

_MARKS = re.compile('[“”„"«»‹›「」『』]')
_CLOSERS = {"“": "”", "„": "“”", "«": "»", "»": "«", "‹": "›", "›": "‹", "「": "」", "『": "』", '"': '"'}
_LONGEST_QUOTATION = 12  # sentences; a mark that stays open longer was most likely never meant to pair


def paragraph_starts(document: Document) -> list[bool]:
    """Return for each sentence whether it is the first of a line."""
    ends = [0, *(sentence.end for sentence in document.sentences[:-1])]
    return [
        not number or "\n" in document.text[end : sentence.start]
        for number, (end, sentence) in enumerate(zip(ends, document.sentences, strict=True))
    ]


def quotations(document: Document) -> list[int]:
    """Return for each sentence that begins inside a quotation the sentence in which it opens; else `ALONE`.

    A quotation counts once it is closed. One that runs over paragraphs may open again at the start of each.
    """
    inside, starts = [ALONE] * len(document), paragraph_starts(document)
    mark, first = "", 0
    for number, text in enumerate(document.texts):
        # Straight marks look alike, so one that is missing must not turn all that follow around.
        if number - first > _LONGEST_QUOTATION or (starts[number] and mark == '"'):
            mark = ""
        for match in _MARKS.finditer(text):
            found = match[0]
            if mark and found in _CLOSERS[mark]:
                inside[first + 1 : number + 1] = [first] * (number - first)
                mark = ""
            elif found in _CLOSERS and not (mark and (found != mark or (starts[number] and not match.start()))):
                mark, first = found, number
    return inside
