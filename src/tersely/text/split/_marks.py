"""Decides whether a punctuation mark ends a sentence, and exactly where.

A period may also abbreviate a word, or stand in a number.
"""

import re
from functools import cache
from typing import NamedTuple

from tersely.languages import HAN, UNKNOWN, Language, alternatives, pack, pattern, stop_words

NAMES_WITH_MARK = ("Yahoo", "Jeopardy")

_CJK = f"{HAN}\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"
# These end a sentence whatever follows: the final marks of Chinese, Japanese, Hindi, Arabic, Armenian, Burmese...
_STRONG = "。｡！？．।॥؟۔։።፧၊။។៕᠃᠉\u037e"
_QUOTES = "\"'’”»›」』"
_QUOTED = frozenset(_QUOTES)
_CLOSERS = _QUOTES + ")\\]}）］】〉》"
# What a transcript says about a voice: "[laughter]", "{vocalsound}".
_SOUND = r"\[[a-z]{4,20}\]|\{[a-z]{3,20}\}|\((?:laughter|laughs|applause|cheers|crosstalk|inaudible|music|sighs)\)"
# A mark and what closes after it: brackets, quotes, note numbers, even if a tokenizer put spaces in between. A period
# is plain between a word and a space with a capitalized word: it ends a sentence unless it abbreviates the word. Where
# a tokenizer put a space before it, it may also belong to an address.
MARK = pattern(
    rf"(?P<mark>[.!?…‽⁇⁈⁉{_STRONG}]+)(?:"
    r"(?P<plain>(?<=[a-z][a-z]\.)(?= [\"“]?[A-Z][a-z '’])|(?<=[a-z] \.)(?= [A-Z][a-z])(?! (?:Com?|Net|Org)\b))|"
    rf"(?P<closers>(?:[{_CLOSERS}]|[“«](?=[\s,;]|\Z)|\[(?:\^\w{{1,20}}|[\da-z]{{1,3}})\])*"
    rf"(?:[ \xa0]{{1,2}}(?:''|[”»)\]}}]|['.!?](?=\s|\Z)|{_SOUND}))*))"
)
_NEXT = pattern(r"(?P<gap>\s*)(?P<open>(?:[\"'“‘„‚«‹(\[{`´¿¡「『（《【*_]\s?)*)(?P<word>\w{0,24}(?:['’]\w{1,2}\b)?)")
# Short text in quotes, brackets or back-ticks is kept whole; long text is split as if they were not there.
ENCLOSED = pattern(
    r"[\"“「『(（\[【《`](?:"
    r"(?<=“)[^“”]{1,80}”|(?<=\()[^()]{1,120}\)|(?<=（)[^（）]{1,120}）|(?<=《)[^《》]{1,80}》|"
    r"(?<=\")(?<![^\s(\[—]\")(?=\S)[^\"]{1,80}(?<=\S)\"(?!\w)|"
    r"(?<=`)(?<![\w`]`)(?=[^\s`])[^`\n]{1,120}(?<=\S)`(?![\w`])|"
    r"(?<=「)[^「」]{1,80}」|(?<=『)[^『』]{1,80}』|(?<=\[)[^\[\]]{1,120}\]|(?<=【)[^【】]{1,120}】)"
)
_OPENING = {"”": "“", "」": "「", "』": "『", "）": "（", ")": "(", "】": "【", "’": "‘", "］": "［"}
_REACH = 300
_CJK_CHAR = pattern(f"[{_CJK}“「『《（【]")
# "3.5", "Node.js", "e.g.this": the next character gives away most marks that end nothing.
_IS_INNER = pattern(r"(?<=[ -~][.!?])[a-z0-9]")

_NOT_IN_WORD = pattern(r"[^\w.\u0900-\u0963\u0980-\u09e3\u0e01-\u0e4e]")
_ADDRESS = pattern(r"[/@\\_=]|www\.")
_CALL = pattern(r"\w[(\[]")
_BRAND = pattern(r"[a-z]{1,2}[A-Z]")
_TOKENIZED_OPENER = pattern("[`‘“']")
# "?" and "!" before a closing quote do not end a sentence if the speaker's name and such a verb follow.
_SPEAKER = pattern(lambda: rf"(?:[A-Z][\w.’'-]{{0,20}}\s+){{1,4}}(?:{alternatives('talk.verbs')})\b(?!\s?:)")
_GOES_ON = pattern(r"\s*[,;:，、；：،؛]|[-–—~～%/&=+@#*]|\s+&")
# 她问。 他喊道， 李明说，“ : only who said it.
_SPEAKER_CJK = pattern(
    r"\s*[^，。！？；：“”「」、\s]{0,20}?(?:"
    r"(?:[说问答称喊叫嚷道]|表示|介绍|回忆|感慨|坦言|透露|写道|告诉[^，。！？；：“”]{1,12})"
    r"(?:着|了)?(?:[。！？.!?…]|[，,]\s*[“\"「『]|\Z)|[说问答喊叫嚷笑]道[，。！？]|[问喊叫嚷][，。！？])"
)
_CLINGS_CJK = pattern(r"\s*(?:的(?!确)|と|って|等[^待到]|之[^后前])")

_DASH = pattern(r"[-–—]\s+")
# "It rained.- Nobody came.": the next item of a list that has lost its lines.
_NEXT_ITEM = pattern(r"-\s+[A-ZÀ-Þ]")
# "to . the coast" shows that lone periods end nothing, if "coast. It" shows that others do.
_LONE, _ATTACHED = pattern(r"\w \. ([^\W\d_])"), pattern(r"[a-z]\. [A-Z]")
_FEWEST, _SAMPLE, _LINE = 3, 5_000, 80
# "'s Avonds": a Dutch sentence that begins with a small letter.
_DUTCH = pattern(r"['’‘][stnk]\s+[A-Z]")
_KOREAN_END = pattern("[다요까죠네]\\Z")

# Abbreviations that all languages borrow: those that never end a sentence, seldom do, and do unless a number follows.
_NEVER = frozenset("dr prof mr mrs st vs cf".split())
_SELDOM = frozenset("inc corp ltd llc plc co jr sr etc al ph.d tel".split())
_BEFORE_NUMBER = frozenset("no nr p pp vol fig art ver n op al".split())
# "5 a.m. Eastern time", "8 p.m. Monday": words that follow a time of day within a sentence.
_AFTER_HOUR = frozenset(pack("en").words("abbreviations.after_hour"))
_ACRONYM = pattern(r"(?:[^\W\d_]\.)+[^\W\d_]")
_LIST_NUMBER = pattern(r"[\"'“(（]?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})\s?")
_LOCAL_TIME = pattern(r"(?:\w+ ){1,2}time\b")
_HOUR = pattern(r"\d\s?\S{1,4}\Z")
# "No. 5" and "No. VIII", but not "No. I came."
_NUMBER = pattern(r"\d|[IVXLC]{2,7}\b")
_BEFORE_DIGIT = frozenset(("fig", "figs", "no", "al"))  # in tokenized text, where "p ." may be a letter
# "6.4. 1977": a date.
_DAY, _YEAR = pattern(r"\b\d{1,2}\.\d{1,2}\Z"), pattern(r"(?:1[89]|20)\d\d\b")
# "107. 56 million": the second half of a number.
_DECIMALS = pattern(r"\d{1,2}(?:\s?%|\s(?:per\s?cent|million|billion|trillion|dollars?|euros?)\b)")
# "Smith et al. (1990) say": the year of a source.
_YEAR_ALONE = pattern(r"\((?:1[89]|20)\d\d[a-z]?\)\s?[a-z,.;:)]")
# "z. B.", "т. е.", "EE. UU.": an abbreviation with spaces in it.
_LONGEST_PART = 4
_SPACED = pattern(rf"(?:[^\W\d_]{{1,3}}\.\s?){{1,4}}[^\W\d_]{{1,{_LONGEST_PART}}}\Z")
_ROMAN = pattern("[IVXL]{2,}")
# "2024. 5. 3.": a Korean date.
_KOREAN_DATE = pattern(r"\d\.\s?\d{1,2}\Z")


class Abbreviations(NamedTuple):
    """What the period after a word means in a language.

    A lowercase entry matches in any case. A capitalized one ("Sun.") matches only as written, because it is an ordinary
    word otherwise. Spaces within an abbreviation are left out: "z.b" is "z. B.", too.
    """

    never: frozenset[str]  # these never end a sentence
    seldom: frozenset[str]  # these end one only if the next word begins sentences
    before_number: frozenset[str]  # these are abbreviations only before a number: "No. 5", but "No. Not now."
    first: frozenset[str]  # words that begin a sentence far more often than they follow an abbreviation within one


@cache
def abbreviations(language: Language) -> Abbreviations:
    """Return the abbreviations of a language; those of English, with a few of others, if its pack has none.

    >>> "z.b" in abbreviations("de").never, "die" in abbreviations("de").first
    (True, True)
    """
    entry = pack(language)
    if "abbreviations.never" not in entry.lists:
        return abbreviations("en")
    never, seldom, before_number, first = (
        frozenset(entry.words(f"abbreviations.{name}")) for name in ("never", "seldom", "before_number", "first_words")
    )
    return Abbreviations(
        (_NEVER | never) - seldom,
        _SELDOM | seldom,
        _BEFORE_NUMBER | frozenset(map(str.lower, before_number)),
        first or stop_words(language),
    )


class Periods:
    """Judges the periods of one text, each by the words around it."""

    def __init__(self, text: str, language: Language) -> None:
        """Read the text with the abbreviations of its language."""
        self.text = text
        self.language = language
        self.words = abbreviations(language)
        self.english = self.words is abbreviations("en")  # a language without a list is read as English

    def is_list_number(self, start: int, at: int) -> bool:
        """Tell whether the sentence is only a number so far, as in "2. Second"."""
        return at - start <= 6 and bool(_LIST_NUMBER.fullmatch(self.text, start, at))

    def is_split(self, before: str, word: str, start: int, at: int) -> bool:
        """Tell "3 . 5", "fig . 2", "example . Com" and "2 . Second" in tokenized text from sentence ends."""
        last = before.split()[-1:]
        if word[:1].isdigit() and last and (last[0][-1].isdigit() or last[0] in _BEFORE_DIGIT):
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
            return following in _AFTER_HOUR or bool(_LOCAL_TIME.match(self.text, after.start("word")))
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
        return self.language == UNKNOWN or (pack(self.language).ordinals and not begins)


class Scanner:
    """Judges the marks of one text, each by a bounded context, so the time is linear."""

    mark, enclosed = MARK, ENCLOSED

    def __init__(self, text: str, language: Language, *, uncased: bool) -> None:
        """With `uncased`, sentences may begin in lowercase."""
        self.text = text
        self.language = language
        self.uncased = uncased
        self.periods = Periods(text, language)
        self.words, self.english = self.periods.words, self.periods.english
        self.wrapped = not uncased and _is_wrapped(text)
        # Letters of a word that may abbreviate something though no list has it.
        self.longest_part = 1 if self.english and language != "th" else _LONGEST_PART

    def ends_plainly(self, match: re.Match[str], start: int) -> bool:
        """Tell whether a plain period ends the sentence that begins at `start`, by the word before it alone."""
        at, words = match.start(), self.words
        space = self.text.rfind(" ", start, at)
        if space == at - 1:
            return not self.wrapped and self.text.find(" ", start, space) > 0
        last = self.text[space + 1 : at]
        if space < 0 or len(last) <= self.longest_part or not last.isalpha():
            return False
        plain = last.lower()
        return not (plain in words.never or plain in words.seldom or last in words.never or last in words.seldom)

    def end_of_sentence(self, match: re.Match[str], start: int, end: int, quotes: int) -> int:
        """Return where the sentence that begins at `start` stops, or -1 if it goes on after this mark.

        `match` is a match of `MARK` in the block that ends at `end`, but not at its end; `quotes` counts the straight
        double quotes in the block before it.
        """
        at = match.end()
        if _IS_INNER.match(self.text, at) or self._before(match) in ("(", "[", "（"):
            return -1
        at, after = self._place_quote(match, quotes, end)
        if _GOES_ON.match(self.text, at, end):
            return at if _NEXT_ITEM.match(self.text, at, end) and self._is_closed(match) else -1
        if match["mark"] == "?" and self.english and self._is_lost_quote(match, after):
            return -1
        if match["mark"][-1] in _STRONG or (not after["gap"] and self._is_in_cjk(match, after)):
            ends = self._ends_strong(match, after, start, at, end)
        else:
            ends = self._ends_spaced(match, after, start, at, end)
        return at if ends else -1

    def _is_closed(self, match: re.Match[str]) -> bool:
        """Tell whether a word, not an abbreviation such as "U.S.", stands before a mark."""
        return match.start() > 1 and self.text[match.start() - 2 : match.start()].islower()

    def _is_lost_quote(self, match: re.Match[str], after: re.Match[str]) -> bool:
        """Tell a quotation mark that a wrong encoding has turned into "?", as in "?Go,? he said"."""
        before = self._before(match)
        return before == "," or (before == " " and not after["gap"] and after["word"] != "")

    def _before(self, match: re.Match[str]) -> str:
        return self.text[match.start() - 1] if match.start() else ""

    def _place_quote(self, match: re.Match[str], quotes: int, end: int) -> tuple[int, re.Match[str]]:
        """Decide by counting whether an ambiguous straight quote closes or opens."""
        after = self._look_ahead(match.end(), end)
        opens = quotes % 2 == 0
        if match["closers"] == '"' and not after["gap"] and opens:
            at = match.end() - 1
        elif not match["closers"] and after["gap"] and after["open"].startswith('" ') and not opens:
            at = after.start("open") + 1
        else:
            return match.end(), after
        return at, self._look_ahead(at, end)

    def _look_ahead(self, at: int, end: int) -> re.Match[str]:
        after = _NEXT.match(self.text, at, end)
        assert after is not None  # every part of it may be empty
        return after

    def _is_in_cjk(self, match: re.Match[str], after: re.Match[str]) -> bool:
        """Tell whether a Latin mark stands in Chinese or Japanese, where no space follows it."""
        before, following = self._before(match), self.text[after.end("gap")]
        if _CJK_CHAR.match(following) or _CJK_CHAR.match(after["word"]):
            return match["mark"] != "." or not before.isdigit()
        return bool(_CJK_CHAR.match(before)) and (following.isdigit() or following.isupper())

    def _ends_strong(self, match: re.Match[str], after: re.Match[str], start: int, at: int, end: int) -> bool:
        """Judge a mark that needs neither a space nor a capital after it."""
        mark, closers = match["mark"], self.text[match.end("mark") : at].strip()
        if mark[-1] in "．." and self._before(match).isdigit():
            return not after["word"][:1].isdigit() and not self.periods.is_list_number(start, match.start())
        if not closers:
            # A pause far more often than an end: 我……我不知道。
            return not _is_ellipsis(mark)
        if closers[0] in "》〉":
            return False
        if closers[0] in "）)】］]":
            return self._opened_at(closers[0], match.start(), start) <= start
        if _CLINGS_CJK.match(self.text, at, end) or _SPEAKER_CJK.match(self.text, at, end):
            return False
        opened = self._opened_at(closers[-1], match.start(), start)
        embedded = opened > start and self.text[opened - 1].isalnum()
        return not embedded or mark[-1] in "。｡."

    def _opened_at(self, closer: str, before: int, start: int) -> int:
        """Return where the quote or bracket that `closer` closes was opened in this sentence, else -1."""
        opener = _OPENING.get(closer)
        return self.text.rfind(opener, max(start, before - _REACH), before) if opener else -1

    def _ends_spaced(self, match: re.Match[str], after: re.Match[str], start: int, at: int, end: int) -> bool:
        """Judge a mark in a script that separates sentences by a space and begins them with a capital."""
        word, mark, closers = after["word"], match["mark"], self.text[match.end("mark") : at]
        before = self.text[max(start, match.start() - 64) : match.start()]
        tokenized = before[-1:].isspace()
        token = "" if tokenized or not before else before.rsplit(None, 1)[-1]
        last = _NOT_IN_WORD.split(token)[-1]
        if word[:1].islower() and not self._may_begin(word, after, tokenized):
            return False
        if not after["gap"] and not self._runs_on(token, mark, match["closers"], after, end):
            return False
        if mark[0] != "." and self._goes_on_after_dash(after, end):
            return False
        if closers and not _QUOTED.isdisjoint(closers):
            if mark[0] != ".":
                return not _SPEAKER.match(self.text, after.start("word"), end)
            if not self.english:
                return True
        if _is_ellipsis(mark):
            return word != last
        if mark == "." and tokenized:
            if self.wrapped and word.lower() not in self.words.first and self._is_line_end(start, match.start()):
                return False
            return not self.periods.is_split(before, word, start, match.start())
        if mark == "!" and last in NAMES_WITH_MARK:
            return word.lower() in self.words.first
        return mark != "." or not self.periods.is_abbreviation(last, before, after, start, match.start())

    def _is_line_end(self, start: int, at: int) -> bool:
        """Tell whether the last period is near enough for a lost line end."""
        line_start = at - _LINE
        return line_start < start or self.text.find(".", line_start, at) >= 0

    def _goes_on_after_dash(self, after: re.Match[str], end: int) -> bool:
        """Tell who speaks, as in "«Кто там?» — спросил он", from a sentence of its own."""
        if self.english:
            return False
        dash = _DASH.match(self.text, after.end("gap"), end)
        return dash is not None and self.text[dash.end() : dash.end() + 1].islower()

    def _may_begin(self, word: str, after: re.Match[str], tokenized: bool) -> bool:
        """Tell whether a lowercase word may begin a sentence: "iPhone", "` we" in tokenized text."""
        if self.uncased or _BRAND.match(word) or (tokenized and _TOKENIZED_OPENER.search(after["open"])):
            return True
        return self.language == "nl" and bool(_DUTCH.match(self.text, after.start("open")))

    def _runs_on(self, token: str, mark: str, closers: str, after: re.Match[str], end: int) -> bool:
        """Tell whether two sentences run together ("the end.Start"), unlike "Node.js", "U.S.A" or an address."""
        word = after["word"]
        if self.language in ("ko", "ar", "hi", "bn"):
            return not closers and word[:1].isalpha() and self._is_whole(token, mark)
        follows = self.text[after.end() : min(end, after.end() + 2)]
        letter = len(word) == 1 and word.lower() in self.words.first and (self.english or follows[:1] in " '’")
        if not word[:1].isupper() or not (word[1:].islower() or letter):
            return False
        if follows[:1] in ("@", "/", "_", "(", "=") or (follows[:1] == "." and follows[1:].isalnum()):
            return False
        if _ADDRESS.search(token):
            return False
        if closers or after["open"] or mark != ".":
            return True
        if token[-1:] in ")]" and token[-2:-1].isalnum() and not _CALL.search(token):
            return True
        last = _NOT_IN_WORD.split(token)[-1]
        return len(last) > 1 and (last[-1].islower() or last[-1].isdigit()) and last.lower() not in self.words.never

    def _is_whole(self, token: str, mark: str) -> bool:
        """Tell whether a word in a script without capitals ends a sentence though the next one follows at once."""
        if mark != ".":
            return True
        if self.language == "ko":
            return bool(_KOREAN_END.search(token))
        return len(token) > 2 and "." not in token and token not in self.words.never


def _is_ellipsis(mark: str) -> bool:
    return "…" in mark or mark.count(".") > 2


def _is_wrapped(text: str) -> bool:
    """Tell whether a text has a lone period for each line end that it lost: "The storm hit . the coast. It left."."""
    if text.count(" . ", 0, _SAMPLE) < _FEWEST:
        return False
    lone = [mark[1].islower() for mark in _LONE.finditer(text, 0, _SAMPLE)]
    return sum(lone) >= max(_FEWEST, len(lone) / 3) and bool(_ATTACHED.search(text, 0, _SAMPLE))
