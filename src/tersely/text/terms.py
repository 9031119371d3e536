"""The content terms of sentences: what a summary should cover."""

import re
from collections.abc import Iterable, Sequence
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


def content_words(words: Iterable[str], language: Language) -> list[str]:
    """Keep the words that say something: all but the commonest in English, all but the shortest elsewhere.

    >>> content_words(["the", "storm", "path"], "en"), content_words(["天气", "气好"], "zh")
    (['storm', 'path'], ['天气', '气好'])
    """
    if language == "en":
        return [word for word in words if word not in ENGLISH and (len(word) > 1 or word.isdigit())]
    if language == "zh":
        return list(words)
    return [word for word in words if len(word) > 2 or word.isdigit() or _HAN_RUN.match(word)]


def sentence_terms(sentences: Iterable[Sequence[str]], stems: Iterable[Sequence[str]], language: Language) -> Terms:
    """Number the distinct content words of each sentence by their stems, given all of its words and their stems.

    >>> terms = sentence_terms([["rain", "fell"], ["rains", "and"]], [["rain", "fell"], ["rain", "and"]], "en")
    >>> terms.vocabulary, [list(map(int, ids)) for ids in terms.sentences]
    (('rain', 'fell'), [[0, 1], [0]])
    """
    number: dict[str, int] = {}
    rows = []
    for words, stemmed in zip(sentences, stems, strict=True):
        content = set(content_words(words, language))
        distinct = dict.fromkeys(stem for word, stem in zip(words, stemmed, strict=True) if word in content)
        rows.append(np.array([number.setdefault(word, len(number)) for word in distinct], dtype=np.intp))
    return Terms(tuple(rows), tuple(number))
