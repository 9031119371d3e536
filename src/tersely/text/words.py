"""The content terms of sentences, which a summary should cover, and their weights."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tersely.text.language import HAN, STOP_WORDS, Language

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_HAN_RUN = re.compile(f"[{HAN}]+")


@dataclass(frozen=True)
class Terms:
    """The distinct terms of each sentence, numbered in order of first occurrence."""

    sentences: tuple[NDArray[np.intp], ...]
    vocabulary: tuple[str, ...]


def all_words(text: str, language: Language) -> list[str]:
    """Return every word of a text in lowercase, without possessive endings; in Chinese, pairs of characters.

    >>> all_words("The storm's path", "en"), all_words("GDP好天气", "zh")
    (['the', 'storm', 'path'], ['gdp', '好天', '天气'])
    """
    found = [word[:-2] if word.endswith(("'s", "’s")) else word for word in _WORD.findall(text.lower())]
    if language != "zh" and not _HAN_RUN.search(text):
        return found
    # A word that mixes scripts, such as "GDP好", is split.
    latin = [part for word in found for part in _HAN_RUN.split(word) if part]
    return latin + [run[i : i + 2] for run in _HAN_RUN.findall(text) for i in range(max(1, len(run) - 1))]


def content_words(words: Iterable[str], language: Language) -> list[str]:
    """Keep the content words: all but stop words in English, all in Chinese, all but the shortest elsewhere.

    >>> content_words(["the", "storm", "path"], "en"), content_words(["天气", "气好"], "zh")
    (['storm', 'path'], ['天气', '气好'])
    """
    if language == "en":
        return [word for word in words if word not in STOP_WORDS and (len(word) > 1 or word.isdigit())]
    if language == "zh":
        return list(words)
    return [word for word in words if len(word) > 2 or word.isdigit() or _HAN_RUN.match(word)]


def stems(words: Sequence[str], language: Language) -> list[str]:
    """Return the stem of each English word ("flooded" and "flooding" are "flood"), and other words unchanged.

    >>> stems(["rivers", "flooding"], "en")
    ['river', 'flood']
    """
    if language != "en":
        return list(words)
    from Stemmer import Stemmer

    # A stemmer is cheap to create and must not be shared between threads.
    found: list[str] = Stemmer("english").stemWords(list(words))
    return found


def sentence_terms(sentences: Iterable[Sequence[str]], stemmed: Iterable[Sequence[str]], language: Language) -> Terms:
    """Number the distinct stems of each sentence's content words, given all of its words and their stems.

    >>> terms = sentence_terms([["rain", "fell"], ["rains", "and"]], [["rain", "fell"], ["rain", "and"]], "en")
    >>> terms.vocabulary, [list(map(int, ids)) for ids in terms.sentences]
    (('rain', 'fell'), [[0, 1], [0]])
    """
    number: dict[str, int] = {}
    rows = []
    for words, stems_of_words in zip(sentences, stemmed, strict=True):
        content = set(content_words(words, language))
        distinct = dict.fromkeys(stem for word, stem in zip(words, stems_of_words, strict=True) if word in content)
        rows.append(np.array([number.setdefault(word, len(number)) for word in distinct], dtype=np.intp))
    return Terms(tuple(rows), tuple(number))


def term_weights(terms: Terms, decay: float = 1.0, once: float = 0.1, from_end: bool = False) -> NDArray[np.float64]:
    """Return the weight of each term: the sum of decay^j over the sentences j that contain it.

    Sentences are counted from the beginning, or from the end if `from_end`. A term in only one sentence says little
    about the document: its weight is multiplied by `once`.

    >>> rain, fell, snow = 0, 1, 2
    >>> terms = Terms((np.array([rain, fell]), np.array([rain, snow])), ("rain", "fell", "snow"))
    >>> term_weights(terms, decay=0.5, once=0.1).tolist()
    [1.5, 0.1, 0.05]
    """
    rows, count = terms.sentences, len(terms.vocabulary)
    if not count:
        return np.zeros(0)
    flat = np.concatenate(rows)
    sentence = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    place = len(rows) - 1 - sentence if from_end else sentence
    weights = np.bincount(flat, decay ** place.astype(np.float64), minlength=count)
    return np.where(np.bincount(flat, minlength=count) == 1, weights * once, weights)
