"""Which language a text is in, told by its script and its commonest words."""

import re
from typing import Literal, get_args

from tersely.text.stopwords import ENGLISH

Language = Literal["en", "zh", "other"]
LANGUAGES: tuple[Language, ...] = get_args(Language)

# Han ideographs, their extensions and the compatibility block.
HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_HAN = re.compile(f"[{HAN}]")
_KANA_OR_HANGUL = re.compile("[\u3040-\u30ff\uac00-\ud7af]")
_WORD = re.compile(r"[^\W\d_]+")

# Enough to be sure, little enough that a large file costs nothing.
_SAMPLE = 20_000


def detect_language(text: str) -> Language:
    """Return `en`, `zh` or `other`, from the beginning of the text alone.

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
    common = sum(word.lower() in ENGLISH for word in words)
    return "en" if common >= 0.2 * len(words) or (common and len(words) < 12) else "other"
