"""Detects the language of a text by its script and its most common words."""

import re
from collections.abc import Sequence
from functools import cache

from tersely.languages import (
    HAN,
    HANGUL,
    KANA,
    LANGUAGES,
    UNKNOWN,
    Language,
    Pack,
    content_words,
    packs,
    separator,
    stop_words,
)

_WORD = re.compile(r"[^\W\d_]+")
# Cuts ASCII into the same words, and faster.
_LETTERS_ONLY = {code: " " for code in range(128) if not chr(code).isalpha()}

# Enough characters to be sure, and few enough to be fast on a large file.
_SAMPLE = 20_000
_WORDS = 500
# At least this share of the words of a text are among the most common ones of its language.
_SHARE = 0.08
_FEW = 12  # words, of which one that is common is enough
# Letters of Japanese or Korean, which have Chinese characters among them, as a share of all letters.
_MIXED_SHARE = 0.05
# Letters that only other languages of the script have are at most this share of the letters.
_FOREIGN_SHARE = 0.01
# In a text with this many letters, the typical ones are at least this share.
_LONG_ENOUGH, _TYPICAL_SHARE = 200, 0.005


def detect_language(text: str) -> Language:
    """Return the language of a text, or `other`; only the beginning of the text is read.

    >>> detect_language("The cat sat on the mat."), detect_language("今天天气很好。")
    ('en', 'zh')
    >>> detect_language("Der Hund schläft unter dem Tisch."), detect_language("猫はテーブルの下で寝ています。")
    ('de', 'ja')
    >>> detect_language("Kot śpi pod stołem.")
    'other'
    """
    sample = text[:_SAMPLE]
    plain = sample.isascii()
    words = sample.lower().translate(_LETTERS_ONLY).split() if plain else _WORD.findall(sample)
    if not words:
        return UNKNOWN
    if not plain:
        if _beyond_latin().search(sample) and (language := _by_script(sample, sum(map(len, words)))):
            return language
        ascii_words = sum(map(str.isascii, words))
        words = list(map(str.lower, words))
        if ascii_words < 0.9 * len(words):
            return _by_words(words)
    common = sum(map(stop_words("en").__contains__, words))
    if common < 0.2 * len(words) and not (common and len(words) < _FEW):
        return _by_words(words)
    # Other languages have a few of the English words, too, which misleads only in a short text.
    if len(words) >= 4 * _FEW:
        return "en"
    language = _by_words(words)
    return language if language != UNKNOWN and _hits(words, language) > common else "en"


@cache
def _beyond_latin() -> re.Pattern[str]:
    return re.compile("[" + "".join(entry.script.letters for entry in packs() if entry.script) + "]")


def _by_script(sample: str, letters: int) -> Language | None:
    """Return the language if the script shows it, `other` if the language has no pack, else None.

    `letters` is the number of letters of the sample.
    """
    mixed = {entry.code: len("".join(_runs(entry, sample))) for entry in packs() if entry.script and entry.script.mixed}
    if sum(mixed.values()) > _MIXED_SHARE * letters:
        return max(reversed(mixed), key=mixed.__getitem__)
    for entry in packs():
        if not (script := entry.script) or script.mixed:
            continue
        runs = _runs(entry, sample)
        size = sum(map(len, runs))
        if size <= script.share * letters:
            continue
        if script.foreign and len(re.findall(script.foreign, sample)) > _FOREIGN_SHARE * size:
            return UNKNOWN
        expected = _TYPICAL_SHARE * size if script.typical and size >= _LONG_ENOUGH else 0
        if expected and len(re.findall(script.typical, sample)) < expected:
            return UNKNOWN
        if script.shared and _hits(runs, entry.code) < _SHARE * min(len(runs), _WORDS):
            return UNKNOWN
        return entry.code
    return None


def _runs(entry: Pack, sample: str) -> list[str]:
    """Return the runs of letters that are in the script of a language."""
    return re.findall(f"[{entry.script.letters}]+", sample) if entry.script else []


def _by_words(words: Sequence[str]) -> Language:
    """Return the language of Latin script whose common words a text has, in lowercase, or `other`."""
    owners = _owners()
    tally = dict.fromkeys((entry.code for entry in _latin()), 0.0)
    for word in words[:_WORDS]:
        # A word that several languages have says less about each.
        for language in owners.get(word, ()):
            tally[language] += 1 / len(owners[word])
    best = max(tally, key=tally.__getitem__)
    enough = 0.5 if len(words) < _FEW else _SHARE * min(len(words), _WORDS)
    return best if tally[best] >= enough else UNKNOWN


@cache
def _latin() -> tuple[Pack, ...]:
    """Return the languages of Latin script but English: those that are known by their words alone."""
    return tuple(entry for entry in packs() if not entry.script and entry.code != "en")


@cache
def _owners() -> dict[str, tuple[Language, ...]]:
    """Return for each common word the languages of Latin script that have it."""
    owners: dict[str, tuple[Language, ...]] = {}
    for entry in _latin():
        for word in entry.words("stop_words"):
            # A single letter is a name or a sign in many texts.
            if len(word) > 1 or not word.isascii():
                owners[word] = (*owners.get(word, ()), entry.code)
    return owners


def _hits(words: Sequence[str], language: Language) -> int:
    return sum(map(stop_words(language).__contains__, words[:_WORDS]))


__all__ = [
    "HAN",
    "HANGUL",
    "KANA",
    "LANGUAGES",
    "Language",
    "content_words",
    "detect_language",
    "separator",
    "stop_words",
]
