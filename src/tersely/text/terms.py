"""The content terms of sentences: what a summary should cover."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tersely.text.language import HAN, Language
from tersely.text.stopwords import ENGLISH

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_HAN_RUN = re.compile(f"[{HAN}]+")


@dataclass(frozen=True)
class Terms:
    """The distinct terms of each sentence, as numbers in the order of first occurrence."""

    sentences: tuple[NDArray[np.intp], ...]
    vocabulary: tuple[str, ...]


def all_words(text: str, language: Language) -> list[str]:
    """Return every word of a text, lower case, without a possessive ending; in Chinese, the bigrams of its characters.

    >>> all_words("The storm's path", "en"), all_words("GDP好天气", "zh")
    (['the', 'storm', 'path'], ['gdp', '好天', '天气'])
    """
    found = [word[:-2] if word.endswith(("'s", "’s")) else word for word in _WORD.findall(text.lower())]
    if language != "zh" and not _HAN_RUN.search(text):
        return found
    # A word that mixes scripts, as "GDP好" does, is taken apart.
    latin = [part for word in found for part in _HAN_RUN.split(word) if part]
    return latin + [run[i : i + 2] for run in _HAN_RUN.findall(text) for i in range(max(1, len(run) - 1))]


def words(text: str, language: Language) -> list[str]:
    """Return the content words of a text: all but the commonest in English, all but the shortest elsewhere.

    >>> words("The storm's path, again!", "en")
    ['storm', 'path']
    >>> words("天气好", "zh")
    ['天气', '气好']
    """
    found = all_words(text, language)
    if language == "en":
        return [word for word in found if word not in ENGLISH and (len(word) > 1 or word.isdigit())]
    if language == "zh":
        return found
    return [word for word in found if len(word) > 2 or word.isdigit() or _HAN_RUN.match(word)]


def sentence_terms(sentences: Sequence[str], language: Language) -> Terms:
    """Number the distinct content terms of each sentence.

    >>> terms = sentence_terms(["Rain fell.", "Rain and snow."], "en")
    >>> terms.vocabulary, [list(map(int, ids)) for ids in terms.sentences]
    (('rain', 'fell', 'snow'), [[0, 1], [0, 2]])
    """
    number: dict[str, int] = {}
    rows = tuple(
        np.fromiter(
            dict.fromkeys(number.setdefault(word, len(number)) for word in words(sentence, language)),
            dtype=np.intp,
        )
        for sentence in sentences
    )
    return Terms(rows, tuple(number))
