"""The words of a document in the CoNLL-2012 format."""

from tersely.errors import InputError

_BEGIN, _END = "#begin document", "#end document"
_WORD = 3
# Brackets are escaped there, as they are in the Penn Treebank.
_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}


def is_conll(text: str) -> bool:
    """Tell whether a file is in this format rather than plain text."""
    return text.startswith(_BEGIN)


def sentences(text: str) -> list[str]:
    """Return the sentences, words with a space between.

    A line is a word, its columns apart by white space and the word in the fourth; a blank line ends a sentence.

    >>> sentences("#begin document (1); part 000\\n1 0 0 It\\n1 0 1 rains\\n\\n1 0 0 -LRB-\\n#end document\\n")
    ['It rains', '(']
    """
    found: list[list[str]] = [[]]
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith((_BEGIN, _END)):
            continue
        columns = line.split()
        if not columns:
            found.append([])
        elif len(columns) <= _WORD:
            raise InputError(f"line {number} has no column of words")
        else:
            found[-1].append(_BRACKETS.get(columns[_WORD], columns[_WORD]))
    return [" ".join(words) for words in found if words]
