"""Tells a period that only abbreviates a word, or stands in a number, from one that ends a sentence."""

import re

from tersely.text.language import Language
from tersely.text.split._abbreviations import ENGLISH, abbreviations

# "5 a.m. Eastern time", "8 p.m. Monday": words that follow a time of day within a sentence.
AFTER_HOUR = frozenset(
    """
    eastern central mountain pacific atlantic greenwich local standard daylight et est edt ct cst cdt mt mst mdt
    pt pst pdt gmt utc bst ist cet cest jst hkt aest today tomorrow monday tuesday wednesday thursday friday
    saturday sunday january february march april may june july august september october november december
    jan feb mar apr jun jul aug sep sept oct nov dec
    """.split()
)

_ACRONYM = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")
_LIST_NUMBER = re.compile(r"[\"'“(（]?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})\s?")
_LOCAL_TIME = re.compile(r"(?:\w+ ){1,2}time\b")
_HOUR = re.compile(r"\d\s?\S{1,4}\Z")
# "No. 5" and "No. VIII", but not "No. I came."
_NUMBER = re.compile(r"\d|[IVXLC]{2,7}\b")
_BEFORE_NUMBER = frozenset(("fig", "figs", "no", "al"))  # in tokenized text, where "p ." may be a letter
# "6.4. 1977": a date.
_DAY, _YEAR = re.compile(r"\b\d{1,2}\.\d{1,2}\Z"), re.compile(r"(?:1[89]|20)\d\d\b")
# "107. 56 million": the second half of a number.
_DECIMALS = re.compile(r"\d{1,2}(?:\s?%|\s(?:per\s?cent|million|billion|trillion|dollars?|euros?)\b)")
# "Smith et al. (1990) say": the year of a source.
_YEAR_ALONE = re.compile(r"\((?:1[89]|20)\d\d[a-z]?\)\s?[a-z,.;:)]")
# "z. B.", "т. е.", "EE. UU.": an abbreviation with spaces in it.
_SPACED = re.compile(r"(?:[^\W\d_]{1,3}\.\s?){1,4}[^\W\d_]{1,4}\Z")
_ROMAN = re.compile("[IVXL]{2,}")
# "2024. 5. 3.": a Korean date.
_KOREAN_DATE = re.compile(r"\d\.\s?\d{1,2}\Z")


class Periods:
    """Judges the periods of one text, each by the words around it."""

    def __init__(self, text: str, language: Language) -> None:
        """Read the text with the abbreviations of its language."""
        self.text = text
        self.language = language
        self.words = abbreviations(language)
        self.english = self.words is ENGLISH  # other languages that we do not know are read as English, too

    def is_list_number(self, start: int, at: int) -> bool:
        """Tell whether the sentence is only a number so far, as in "2. Second"."""
        return at - start <= 6 and bool(_LIST_NUMBER.fullmatch(self.text, start, at))

    def is_split(self, before: str, word: str, start: int, at: int) -> bool:
        """Tell "3 . 5", "fig . 2", "example . Com" and "2 . Second" in tokenized text from sentence ends."""
        last = before.split()[-1:]
        if word[:1].isdigit() and last and (last[0][-1].isdigit() or last[0] in _BEFORE_NUMBER):
            return True
        return word.lower() in ("com", "org", "net", "co") or self.is_list_number(start, at)

    def is_abbreviation(self, last: str, before: str, after: re.Match[str], start: int, at: int) -> bool:
        """Tell from the next word whether the period after `last`, the end of `before`, only abbreviates it."""
        word, words = after["word"], self.words
        plain, following = last.lower(), word.lower().replace("’", "'")
        number = word[:1].isdigit()
        if self.is_list_number(start, at):
            return True
        if plain in words.never or last in words.never:
            return True
        if plain in ("a.m", "p.m") and _HOUR.search(before):
            return following in AFTER_HOUR or bool(_LOCAL_TIME.match(self.text, after.start("word")))
        if plain in words.before_number and _NUMBER.match(word):
            return True
        if number and self._is_in_number(before, after):
            return True
        initial = len(word) == 1 and self.text[after.end() : after.end() + 1] == "."
        begins = word[:1].isupper() and following in words.first
        if not self.english and initial:
            begins = False  # a name's initial
        if plain.isdigit() and self._is_ordinal(plain, before, number, begins):
            return True
        if not self.english and (joined := _SPACED.search(before)):
            parts = "".join(joined[0].lower().split()).split(".")
            if any(".".join(parts[-size:]) in words.never for size in (2, 3, 4)):
                return True
        if begins or (last == "I" and not initial):
            return False
        single = len(last) == 1 and last.isalpha()
        if single or plain in words.seldom or last in words.seldom or _ACRONYM.fullmatch(plain):
            return True
        return (self.language == "de" and bool(_ROMAN.fullmatch(last))) or (self.language == "th" and len(last) <= 3)

    def _is_in_number(self, before: str, after: re.Match[str]) -> bool:
        """Tell a date and a number with a space in it, and the year after a name, from a number that begins."""
        at = after.start("word")
        if _YEAR_ALONE.match(self.text, after.end("gap")):
            return True
        if _YEAR.match(self.text, at):
            return bool(_DAY.search(before))
        return before[-1:].isdigit() and not before[-4:].isdigit() and bool(_DECIMALS.match(self.text, at))

    def _is_ordinal(self, digits: str, before: str, number: bool, begins: bool) -> bool:
        """Tell "3. Oktober" and a part of a Korean date from a number at the end of a sentence."""
        if self.language == "ko":
            return number or bool(_KOREAN_DATE.search(before))
        if len(digits) > 2:
            return False
        return self.language == "other" or (self.language in ("de", "tr") and not begins)
