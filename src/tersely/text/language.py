"""Detects the language of a text by its script and its most common words."""

import re
from typing import Literal, get_args

Language = Literal["en", "zh", "other"]
LANGUAGES: tuple[Language, ...] = get_args(Language)

# Han ideographs, their extensions and the compatibility block.
HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_HAN = re.compile(f"[{HAN}]")
_KANA_OR_HANGUL = re.compile("[\u3040-\u30ff\uac00-\ud7af]")
_WORD = re.compile(r"[^\W\d_]+")

# Enough characters to be sure, and few enough to be fast on a large file.
_SAMPLE = 20_000

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
    """Return `en`, `zh` or `other`; only the beginning of the text is read.

    >>> detect_language("The cat sat on the mat."), detect_language("今天天气很好。")
    ('en', 'zh')
    >>> detect_language("Der Hund schläft unter dem Tisch."), detect_language("猫はテーブルの下で寝ています。")
    ('other', 'other')
    """
    sample = text[:_SAMPLE]
    words = _WORD.findall(sample)
    letters = sum(map(len, words))
    if not letters:
        return "other"
    han = len(_HAN.findall(sample))
    if len(_KANA_OR_HANGUL.findall(sample)) > 0.05 * letters:
        return "other"
    # A Chinese character says about as much as a few Latin letters.
    if han * 3 > letters - han:
        return "zh"
    if sum(word.isascii() for word in words) < 0.9 * len(words):
        return "other"
    common = sum(word.lower() in STOP_WORDS for word in words)
    return "en" if common >= 0.2 * len(words) or (common and len(words) < 12) else "other"


def separator(language: Language) -> str:
    """Return the default text between joined sentences: a space, or nothing in Chinese."""
    return "" if language == "zh" else " "
