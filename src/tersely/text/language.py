"""Detects the language of a text by its script and its most common words, and tells which words carry content."""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Literal, get_args

Language = Literal[
    "en", "zh", "de", "fr", "es", "it", "pt", "nl", "ru", "tr", "ar", "hi", "bn", "ja", "ko", "vi", "id", "th", "other"
]
LANGUAGES: tuple[Language, ...] = get_args(Language)

# Han ideographs, their extensions and the compatibility block; then the letters of Japanese and of Korean.
HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
KANA = "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9d"
HANGUL = "\uac00-\ud7af"
_HAN = re.compile(f"[{HAN}]+")
_KANA = re.compile("[\u3040-\u30ff]+")
_HIRAGANA = re.compile("[\u3041-\u309f]")
_HANGUL = re.compile(f"[{HANGUL}]+")
_WORD = re.compile(r"[^\W\d_]+")
# Cuts ASCII into the same words, and faster.
_LETTERS_ONLY = {code: " " for code in range(128) if not chr(code).isalpha()}
_BEYOND_LATIN = re.compile(f"[\u0400-\u0e7f\u3040-\u30ff{HAN}{HANGUL}]")
# Scripts with one language of ours, and letters that only other languages have.
_SCRIPTS: tuple[tuple[Language, re.Pattern[str], re.Pattern[str]], ...] = (
    ("ru", re.compile("[\u0400-\u04ff]+"), re.compile("[\u0400-\u04ff](?<![А-Яа-яЁё])")),
    ("ar", re.compile("[\u0600-\u06ff]+"), re.compile("[پچژگکیےٹڈڑں]")),
    ("hi", re.compile("[\u0900-\u0963\u0966-\u097f]+"), re.compile("(?!)")),
    ("bn", re.compile("[\u0980-\u09ff]+"), re.compile("[ৰৱ]")),
    ("th", re.compile("[\u0e00-\u0e7f]+"), re.compile("(?!)")),
)
# Russian has these letters in every few words; Bulgarian, which shares most words of the list, has none of them.
_RUSSIAN = re.compile("[ыэЫЭ]")
_LATIN: tuple[Language, ...] = ("de", "fr", "es", "it", "pt", "nl", "tr", "id", "vi")

# The endings of Korean words, which all texts share.
_KOREAN_ENDINGS = frozenset(
    "습니 니다 입니 합니 됩니 했다 한다 된다 됐다 있다 없다 이다 하는 하고 하며 하기 했습 있는 있습 에서 에게 으로 "
    "부터 까지 에는 들이 들은 들의 이라 라고 다고 했고 대한 위해 것이 것은 것으 것을".split()
)

# Enough characters to be sure, and few enough to be fast on a large file.
_SAMPLE = 20_000
_WORDS = 500
# At least this share of the words of a text are among the most common ones of its language.
_SHARE = 0.08
_FEW = 12  # words, of which one that is common is enough

# English words that carry no content.
STOP_WORDS = frozenset(
    """
    a about above across after again against ago all almost along already also although always am among an and
    another any anyone anything are aren around as at away back be became because become been before behind being
    below between both but by came can cannot come could couldn d did didn do does doesn doing don done down during
    each either else enough even ever every everyone everything few first for from further get gets getting go goes
    going gone got had hadn has hasn have haven having he her here hers herself him himself his how however i if in
    instead into is isn it its itself just last later least less let like likely ll made make makes making many may
    maybe me might mine more most mr mrs ms much must my myself near need never new next no nobody none nor not
    nothing now of off often on once one only onto or other others our ours ourselves out over own per perhaps put
    quite rather re really s said same say saying says seem seemed seems several shall she should shouldn since so
    some someone something sometimes soon still such t take taken takes tell than that the their theirs them
    themselves then there these they thing things think this those though three through thus to together told too
    took toward towards two under until up upon us use used using ve very was wasn way we well went were weren what
    when where whether which while who whole whom whose why will with within without won would wouldn yet you your
    yours yourself yourselves
    """.split()
)


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
        return "other"
    if not plain:
        if _BEYOND_LATIN.search(sample) and (found := _by_script(sample, sum(map(len, words)))):
            return found
        ascii_words = sum(map(str.isascii, words))
        words = list(map(str.lower, words))
        if ascii_words < 0.9 * len(words):
            return _by_words(words)
    common = sum(map(STOP_WORDS.__contains__, words))
    if common < 0.2 * len(words) and not (common and len(words) < _FEW):
        return _by_words(words)
    # Other languages have a few of the English words, too, which misleads only in a short text.
    if len(words) >= 4 * _FEW:
        return "en"
    other = _by_words(words)
    return other if other != "other" and _hits(words, other) > common else "en"


def _by_script(sample: str, letters: int) -> Language | None:
    """Return the language if the script gives it away, `other` if it is a language that we do not know, else None."""
    kana, hangul, han = (sum(map(len, script.findall(sample))) for script in (_KANA, _HANGUL, _HAN))
    if kana + hangul > 0.05 * letters:
        return "ja" if kana > hangul else "ko"
    # A Chinese character says about as much as a few Latin letters.
    if han * 3 > letters - han:
        return "zh"
    for language, script, foreign in _SCRIPTS:
        runs = script.findall(sample)
        size = sum(map(len, runs))
        if size * 2 <= letters:
            continue
        if len(foreign.findall(sample)) > 0.01 * size:
            return "other"
        if language == "ru" and size >= 200 and len(_RUSSIAN.findall(sample)) < 0.005 * size:
            return "other"
        # Marathi and Nepali share the script of Hindi, but few of its most common words.
        return language if language != "hi" or _hits(runs, "hi") >= _SHARE * min(len(runs), _WORDS) else "other"
    return None


def _by_words(words: Sequence[str]) -> Language:
    """Return the language of Latin script whose common words a text has, in lowercase, or `other`."""
    tally = dict.fromkeys(_LATIN, 0.0)
    owners = _owners()
    for word in words[:_WORDS]:
        # A word that several languages have says less about each.
        for language in owners.get(word, ()):
            tally[language] += 1 / len(owners[word])
    best = max(tally, key=tally.__getitem__)
    enough = 0.5 if len(words) < _FEW else _SHARE * min(len(words), _WORDS)
    return best if tally[best] >= enough else "other"


@cache
def _owners() -> dict[str, tuple[Language, ...]]:
    """Return the languages of Latin script that have a common word."""
    owners: dict[str, tuple[Language, ...]] = {}
    for language in _LATIN:
        for word in stop_words(language):
            # A single letter is a name or a sign in many texts.
            if len(word) > 1 or not word.isascii():
                owners[word] = (*owners.get(word, ()), language)
    return owners


def _hits(words: Sequence[str], language: Language) -> int:
    return sum(map(stop_words(language).__contains__, words[:_WORDS]))


@cache
def stop_words(language: Language) -> frozenset[str]:
    """Return the words of a language that carry no content, in lowercase; none if we do not know them.

    >>> "und" in stop_words("de"), len(stop_words("th"))
    (True, 0)
    """
    if language == "en":
        return STOP_WORDS
    from tersely.text.common_words import COMMON_WORDS

    return frozenset(COMMON_WORDS.get(language, "").split())


def content_words(words: Iterable[str], language: Language) -> list[str]:
    """Keep the content words: all but stop words, all pairs in Chinese, all but the shortest in other languages.

    >>> content_words(["the", "storm", "path"], "en"), content_words(["天气", "气好"], "zh")
    (['storm', 'path'], ['天气', '气好'])
    """
    if language in ("zh", "th"):
        return list(words)
    if language == "ja":
        # What begins in hiragana is a particle or an ending.
        return [word for word in words if not _HIRAGANA.match(word)]
    if language == "ko":
        return [word for word in words if word not in _KOREAN_ENDINGS]
    if stops := stop_words(language):
        return [word for word in words if word not in stops and (len(word) > 1 or word.isdigit())]
    return [word for word in words if len(word) > 2 or word.isdigit() or _HAN.match(word)]


def separator(language: Language) -> str:
    """Return the default text between joined sentences: a space, or nothing in Chinese and Japanese."""
    return "" if language in ("zh", "ja") else " "
