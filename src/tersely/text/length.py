"""How long a text is, in every unit a budget may have."""

import re
from collections.abc import Callable
from typing import Literal

from tersely.text.language import HAN

Unit = Literal["chars", "words", "tokens", "bytes", "sentences"]
TokenCounter = Callable[[str], int]

# A word is a run of anything but white space that has a letter or a digit in it; a Han character is a word.
_WORDS = re.compile(rf"[{HAN}]|[^\s{HAN}]*[^\W_{HAN}][^\s{HAN}]*")


def count_words(text: str) -> int:
    """Count words; each Chinese character is one, as word processors count them.

    >>> count_words("It's 5 o'clock - at last!"), count_words("我有3只cat。")
    (5, 5)
    """
    return len(_WORDS.findall(text))


def measure(text: str, unit: Unit, tokens: TokenCounter | None = None) -> int:
    """Return the length of `text` in `unit`; `tokens` counts tokens where the unit is tokens.

    >>> measure("naïve", "chars"), measure("naïve", "bytes")
    (5, 6)
    """
    if unit == "chars":
        return len(text)
    if unit == "words":
        return count_words(text)
    if unit == "bytes":
        return len(text.encode("utf-8", "surrogatepass"))
    if unit == "tokens":
        if tokens is None:
            raise ValueError("a length in tokens needs a tokenizer")
        return tokens(text)
    return 1 if text else 0
