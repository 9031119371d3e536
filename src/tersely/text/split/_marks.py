"""Decides whether a punctuation mark ends a sentence, and exactly where."""

import re

from tersely.text.language import HAN


def _words(table: str) -> frozenset[str]:
    return frozenset(table.split())


# Words that a period may follow without ending a sentence, and words that begin one. A lowercase entry matches in any
# case; a capitalized one ("Sun.") only as written, as it is an ordinary word otherwise.

# These never end a sentence.
NEVER_LAST = _words(
    """
    mr mrs ms mx messrs dr drs prof gen sen sens Rep Reps gov govs lt col capt cpt sgt cpl maj adm cmdr brig Rev
    Hon Pres supt Insp Det mme mlle sra srta vs v cf viz e.g eg i.e ie approx incl esp resp ca z.b d.h bzw
    sig dott см напр
    """
)

# These end a sentence only if the next word is one that begins sentences.
SELDOM_LAST = _words(
    """
    inc corp ltd llc plc co cos bros jr sr etc al st ste mt ft ave blvd rd hwy dept univ assn assoc est intl natl
    ph.d ee.uu lb lbs oz tel usw evtl ggf str dipl ing av ул г гг тыс млн руб
    Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mon Tue Tues Wed Thu Thur Thurs Fri Sat Sun
    Ala Ariz Ark Calif Colo Conn Fla Ga Kan Ky Md Mich Minn Mo Mont Neb Nev Okla Pa Tenn Tex Va Vt Wis Wyo
    """
)

NAMES_WITH_MARK = _words("Yahoo Jeopardy")

# These are abbreviations only before a number: "No. 5", but "No. Not now."
BEFORE_NUMBER = _words("no nos nr p pp vol vols fig figs art arts sec sect ch chap par eq ver n núm nº op")

# Words that begin a sentence far more often than they follow an abbreviation within one.
FIRST_WORDS = _words(
    """
    a after also although an and another any as at because before both but by despite during each earlier for from
    he her here his how however i if in it its later many meanwhile most my nor not now on once or our over she
    since so some such that the their then there these they this those though to under until we what when where
    whether which while who why with yet you your it's he's she's they're we're that's there's i'm i've
    mr mrs ms dr
    """
)

# "5 a.m. Eastern time", "8 p.m. Monday": words that follow a time of day within a sentence.
AFTER_HOUR = _words(
    """
    eastern central mountain pacific atlantic greenwich local standard daylight et est edt ct cst cdt mt mst mdt
    pt pst pdt gmt utc bst ist cet cest jst hkt aest today tomorrow monday tuesday wednesday thursday friday
    saturday sunday january february march april may june july august september october november december
    jan feb mar apr jun jul aug sep sept oct nov dec
    """
)

# "?" and "!" before a closing quote do not end a sentence when one of these follows the speaker's name.
SPEECH_VERBS = (
    "said|says|asked|asks|added|adds|replied|replies|told|tells|wrote|writes|cried|cries|shouted|shouts|exclaimed"
    "|wondered|wonders|tweeted|continued|recalled|joked|quipped|demanded|answered|explained|yelled|whispered"
)

_CJK = f"{HAN}\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"
# These end a sentence whatever follows: the final marks of Chinese, Japanese, Hindi, Arabic, Armenian, Burmese...
_STRONG = "。｡！？．।॥؟۔։።፧၊။។៕᠃᠉\u037e"
_QUOTES = "\"'’”»›」』"
_CLOSERS = _QUOTES + ")\\]}）］】〉》"
# A mark and what closes after it: brackets, quotes, note numbers, even if a tokenizer put spaces in between.
MARK = re.compile(
    rf"(?P<mark>[.!?…‽⁇⁈⁉{_STRONG}]+)"
    rf"(?P<closers>(?:[{_CLOSERS}]|[“«](?=\s|\Z)|\[\d{{1,3}}\])*"
    rf"(?:[ \xa0]{{1,2}}(?:''|[”»)\]}}]|['.!?](?=\s|\Z)))*)"
)
_NEXT = re.compile(r"(?P<gap>\s*)(?P<open>(?:[\"'“‘„‚«‹(\[{`´¿¡「『（《【*_]\s?)*)(?P<word>\w{0,24}(?:['’]\w{1,2}\b)?)")
# Short text in quotes or brackets is kept whole; long text is split as if they were not there.
ENCLOSED = re.compile(
    r"[\"“「『(（\[【《](?:"
    r"(?<=“)[^“”]{1,80}”|(?<=\()[^()]{1,120}\)|(?<=（)[^（）]{1,120}）|(?<=《)[^《》]{1,80}》|"
    r"(?<=\")(?<![^\s(\[—]\")(?=\S)[^\"]{1,80}(?<=\S)\"(?!\w)|"
    r"(?<=「)[^「」]{1,80}」|(?<=『)[^『』]{1,80}』|(?<=\[)[^\[\]]{1,120}\]|(?<=【)[^【】]{1,120}】)"
)
_OPENING = {"”": "“", "」": "「", "』": "『", "）": "（", ")": "(", "】": "【", "’": "‘", "］": "［"}
_REACH = 300
_CJK_CHAR = re.compile(f"[{_CJK}“「『《（【]")
# "3.5", "Node.js", "e.g.this": the next character gives away most marks that end nothing.
_IS_INNER = re.compile(r"(?<=[ -~][.!?])[a-z0-9]")

_ACRONYM = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")
_LIST_NUMBER = re.compile(r"[\"'“(（]?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})\s?")
_NOT_IN_WORD = re.compile(r"[^\w.]")
_ADDRESS = re.compile(r"[/@\\_=]|www\.")
_BRAND = re.compile(r"[a-z]{1,2}[A-Z]")
_TOKENIZED_OPENER = re.compile("[`‘“']")
_SPEAKER = re.compile(rf"(?:[A-Z][\w.’'-]{{0,20}}\s+){{1,4}}(?:{SPEECH_VERBS})\b(?!\s?:)")
_LOCAL_TIME = re.compile(r"(?:\w+ ){1,2}time\b")
_GOES_ON = re.compile(r"\s*[,;:，、；：]|[-–—~～%/&=+@#*]|\s+&")
# 她问。 他喊道， 李明说，“ : only who said it.
_SPEAKER_CJK = re.compile(
    r"\s*[^，。！？；：“”「」、\s]{0,20}?(?:"
    r"(?:[说问答称喊叫嚷道]|表示|介绍|回忆|感慨|坦言|透露|写道|告诉[^，。！？；：“”]{1,12})"
    r"(?:着|了)?(?:[。！？.!?…]|[，,]\s*[“\"「『]|\Z)|[说问答喊叫嚷笑]道[，。！？]|[问喊叫嚷][，。！？])"
)
_CLINGS_CJK = re.compile(r"\s*(?:的(?!确)|と|って|等[^待到]|之[^后前])")


class Scanner:
    """Judges the marks of one text, each by a bounded context, so the time is linear."""

    def __init__(self, text: str, *, uncased: bool, ordinals: bool) -> None:
        """With `uncased`, sentences may begin in lowercase; with `ordinals`, "3. Oktober" does not end one."""
        self.text = text
        self.uncased = uncased
        self.ordinals = ordinals

    def end_of_sentence(self, found: re.Match[str], start: int, end: int, quotes: int) -> int:
        """Return where the sentence that begins at `start` stops, or -1 if it goes on after this mark.

        `found` is a match of `MARK` in the block that ends at `end`; `quotes` counts the straight double quotes
        in the block before it.
        """
        at = found.end()
        if at >= end or _IS_INNER.match(self.text, at) or self._before(found) in ("(", "[", "（"):
            return -1
        at, after = self._place_quote(found, quotes, end)
        if _GOES_ON.match(self.text, at, end):
            return -1
        if found["mark"][-1] in _STRONG or (not after["gap"] and self._is_in_cjk(found, after)):
            ends = self._ends_strong(found, after, start, at, end)
        else:
            ends = self._ends_spaced(found, after, start, end)
        return at if ends else -1

    def _before(self, found: re.Match[str]) -> str:
        return self.text[found.start() - 1] if found.start() else ""

    def _place_quote(self, found: re.Match[str], quotes: int, end: int) -> tuple[int, re.Match[str]]:
        """Decide by counting whether an ambiguous straight quote closes or opens."""
        after = self._look_ahead(found.end(), end)
        opens = quotes % 2 == 0
        if found["closers"] == '"' and not after["gap"] and opens:
            at = found.end() - 1
        elif not found["closers"] and after["gap"] and after["open"].startswith('" ') and not opens:
            at = after.start("open") + 1
        else:
            return found.end(), after
        return at, self._look_ahead(at, end)

    def _look_ahead(self, at: int, end: int) -> re.Match[str]:
        after = _NEXT.match(self.text, at, end)
        assert after is not None  # every part of it may be empty
        return after

    def _is_in_cjk(self, found: re.Match[str], after: re.Match[str]) -> bool:
        """Tell whether a Latin mark stands in Chinese or Japanese, where no space follows it."""
        before, following = self._before(found), self.text[after.end("gap")]
        if _CJK_CHAR.match(following) or _CJK_CHAR.match(after["word"]):
            return found["mark"] != "." or not before.isdigit()
        return bool(_CJK_CHAR.match(before)) and (following.isdigit() or following.isupper())

    def _ends_strong(self, found: re.Match[str], after: re.Match[str], start: int, at: int, end: int) -> bool:
        """Judge a mark that needs neither a space nor a capital after it."""
        mark, closers = found["mark"], self.text[found.end("mark") : at].strip()
        if mark[-1] in "．." and self._before(found).isdigit():
            return not after["word"][:1].isdigit() and not self._is_list_number(start, found.start())
        if not closers:
            # A pause far more often than an end: 我……我不知道。
            return not _is_ellipsis(mark)
        if closers[0] in "》〉":
            return False
        if closers[0] in "）)】］]":
            return self._opened_at(closers[0], found.start(), start) <= start
        if _CLINGS_CJK.match(self.text, at, end) or _SPEAKER_CJK.match(self.text, at, end):
            return False
        opened = self._opened_at(closers[-1], found.start(), start)
        embedded = opened > start and self.text[opened - 1].isalnum()
        return not embedded or mark[-1] in "。｡."

    def _opened_at(self, closer: str, before: int, start: int) -> int:
        """Return where the quote or bracket that `closer` closes was opened in this sentence, else -1."""
        opener = _OPENING.get(closer)
        return self.text.rfind(opener, max(start, before - _REACH), before) if opener else -1

    def _ends_spaced(self, found: re.Match[str], after: re.Match[str], start: int, end: int) -> bool:
        """Judge a mark in a script that separates sentences by a space and begins them with a capital."""
        word, mark = after["word"], found["mark"]
        before = self.text[max(start, found.start() - 64) : found.start()]
        tokenized = before[-1:].isspace()
        token = "" if tokenized or not before else before.split()[-1]
        last = _NOT_IN_WORD.split(token)[-1]
        if word[:1].islower() and not self._may_begin(word, after["open"], tokenized):
            return False
        if not after["gap"] and not self._runs_on(token, mark, found["closers"], after, end):
            return False
        if mark[0] != "." and any(quote in found["closers"] for quote in _QUOTES):
            return not _SPEAKER.match(self.text, after.start("word"), end)
        if _is_ellipsis(mark):
            return word != last
        if mark == "." and tokenized:
            return not self._is_split_number(before, word, start, found.start())
        if mark == "!" and last in NAMES_WITH_MARK:
            return word.lower() in FIRST_WORDS
        return mark != "." or not self._is_abbreviation(last, after, start, found.start())

    def _may_begin(self, word: str, opener: str, tokenized: bool) -> bool:
        """Tell whether a lowercase word may begin a sentence: "iPhone", "` we" in tokenized text."""
        return self.uncased or bool(_BRAND.match(word)) or (tokenized and bool(_TOKENIZED_OPENER.search(opener)))

    def _runs_on(self, token: str, mark: str, closers: str, after: re.Match[str], end: int) -> bool:
        """Tell whether two sentences run together ("the end.Start"), unlike "Node.js", "U.S.A" or an address."""
        word = after["word"]
        if not word[:1].isupper() or not (word[1:].islower() or word in ("A", "I")):
            return False
        follows = self.text[after.end() : min(end, after.end() + 2)]
        if follows[:1] in ("@", "/", "_", "(", "=") or (follows[:1] == "." and follows[1:].isalnum()):
            return False
        if _ADDRESS.search(token):
            return False
        if closers or after["open"] or mark != ".":
            return True
        last = _NOT_IN_WORD.split(token)[-1]
        return len(last) > 1 and (last[-1].islower() or last[-1].isdigit()) and last.lower() not in NEVER_LAST

    def _is_split_number(self, before: str, word: str, start: int, at: int) -> bool:
        """Tell "3 . 5", "example . Com" and "2 . Second" in tokenized text from sentence ends."""
        if before.rstrip()[-1:].isdigit() and word[:1].isdigit():
            return True
        return word.lower() in ("com", "org", "net", "co") or self._is_list_number(start, at)

    def _is_list_number(self, start: int, at: int) -> bool:
        return at - start <= 6 and bool(_LIST_NUMBER.fullmatch(self.text, start, at))

    def _is_abbreviation(self, last: str, after: re.Match[str], start: int, at: int) -> bool:
        """Tell from the next word whether the period after `last` only abbreviates it."""
        word = after["word"]
        plain, following = last.lower(), word.lower().replace("’", "'")
        number = word[:1].isdigit()
        if self._is_list_number(start, at):
            return True
        if plain in NEVER_LAST or last in NEVER_LAST:
            return True
        if plain in ("a.m", "p.m"):
            return following in AFTER_HOUR or bool(_LOCAL_TIME.match(self.text, after.start("word")))
        if plain in BEFORE_NUMBER and number:
            return True
        if self.ordinals and plain.isdigit() and len(plain) <= 2:
            return True
        if last == "I" or (word[:1].isupper() and following in FIRST_WORDS):
            return False
        single = len(last) == 1 and last.isalpha()
        return single or plain in SELDOM_LAST or last in SELDOM_LAST or bool(_ACRONYM.fullmatch(plain))


def _is_ellipsis(mark: str) -> bool:
    return "…" in mark or mark.count(".") > 2
