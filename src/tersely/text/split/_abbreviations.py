"""Tells a period that only abbreviates a word, or stands in a number, from one that ends a sentence.

It knows the abbreviations of each language, and the words that begin sentences.

A lowercase entry matches in any case; a capitalized one ("Sun.") only as written, as it is an ordinary word otherwise.
Spaces within an abbreviation are left out: "z.b" is "z. B.", too.
"""

import re
from functools import cache
from typing import NamedTuple

from tersely.text.language import Language, stop_words


def _words(table: str) -> frozenset[str]:
    return frozenset(table.split())


class Abbreviations(NamedTuple):
    """What the period after a word means in a language."""

    never: frozenset[str]  # these never end a sentence
    seldom: frozenset[str]  # these do only if the next word is one that begins sentences
    before_number: frozenset[str]  # these are abbreviations only before a number: "No. 5", but "No. Not now."
    first: frozenset[str]  # words that begin a sentence far more often than they follow an abbreviation within one


ENGLISH = Abbreviations(
    _words("""
    mr mrs ms mx messrs dr drs prof gen sen sens Rep Reps gov govs lt col capt cpt sgt cpl maj adm cmdr brig Rev
    Hon Pres supt Insp Det mme mlle sra srta vs v cf viz e.g eg i.e ie approx incl esp resp ca z.b d.h bzw
    sig dott см напр pvt Misc Crl Exs
    """),
    _words("""
    inc corp ltd llc plc co cos bros jr sr etc al st ste mt ft ave blvd rd hwy dept univ assn assoc est intl natl
    ph.d ee.uu cv Ors Anr Ref lb lbs oz tel usw evtl ggf str dipl ing av ул г гг тыс млн руб
    Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mon Tue Tues Wed Thu Thur Thurs Fri Sat Sun
    Ala Ariz Ark Calif Colo Conn Fla Ga Kan Ky Md Mich Minn Mo Mont Neb Nev Okla Pa Tenn Tex Va Vt Wis Wyo
    """),
    _words("no nos nr p pp vol vols fig figs art arts sec sect ch chap par para eq ver n núm nº op al rs cl ref refs"),
    _words("""
    a after also although an and another any as at because before both but by despite during each earlier for from
    he her here his how however i if in it its later many meanwhile most my nor not now on once or our over she
    since so some such that the their then there these they this those though to under until we what when where
    whether which while who why with yet you your it's he's she's they're we're that's there's i'm i've
    mr mrs ms dr
    """),
)

# What all languages borrow.
_NEVER = "dr prof mr mrs st vs cf"
_SELDOM = "inc corp ltd llc plc co jr sr etc al ph.d tel"
_BEFORE_NUMBER = "no nr p pp vol fig art ver n op al"

# For each language: what never ends a sentence, what seldom does, and what does unless a number follows.
_OTHERS: dict[Language, tuple[str, str, str]] = {
    "de": (
        "drs dres dipl ing mag hr hrn fr frl z.b d.h u.a i.d.r u.u z.t s.o s.u v.a i.a m.e o.g u.v.a bzw ca vgl evtl "
        "ggf inkl exkl zzgl abzgl geb gest verh hl hrsg sog lt gem bes allg inh zw ehem röm griech lat engl frz "
        "dt jap russ phil med jur rer nat habil Jan Feb Apr Aug Sept Okt Nov Dez",
        "mio mrd tsd usw usf u.s.w o.ä u.ä u.dgl dgl str jh jhd jhs v.chr n.chr gmbh e.v a.d a.g Chr Std Min Sek Pf "
        "Bhf Hbf Tel Abt Verf Red",
        "Abs Art Bd Bde Nr Nrn Kap Abb Tab Aufl Jg Ziff S max min",
    ),
    "fr": (
        "M MM mme mmes mlle mlles mgr Me Pr ste p.ex càd env cie ex av apr boul bd gal lieut réf éd trad hab janv "
        "févr avr juil sept oct nov déc",
        "s.a s.a.r.l n.d.l.r tél",
        "chap art tom t n no nos fig pl coll sect § pp",
    ),
    "es": (
        "sr sra sres sras srta dra D dña profa ing lic arq gral cap cnel tte sto sta fray mons p.ej ej "
        "aprox ca núm pág págs av avda ctra pza dpto admón excmo excma ilmo",
        "ee ff ee.uu ff.aa ud uds cía s.a s.l s.a.s a.c d.c a.m p.m a.de.c c.v etc",
        "art arts núm cap tomo t vol pág no n fig",
    ),
    "it": (
        "sig sigg sig.ra sig.na sigra dott dott.ssa dottssa dr.ssa prof.ssa profssa avv arch geom rag on sen gen "
        "col cap mons rev p.es ad.es es ca cfr ecc.mo egr spett sec gent",
        "s.p.a s.r.l s.n.c s.a.s ecc a.c d.c",
        "art artt pag pagg cap n nn fig vol t",
    ),
    "pt": (
        "sr sra srs sras srta dra drs profa engº eng arq gen cel cap exmo exma v.exa p.ex ex aprox av pça Rod Pe D",
        "e.u.a ltda cia s.a a.c d.c etc jan fev abr nov dez séc",
        "art arts pág págs cap fls fl n vol inc",
    ),
    "nl": (
        "drs ir ing mw mevr dhr hr ds mgr bijv o.a m.a.w d.w.z m.b.t i.v.m t.a.v z.g zgn zog o.l.v i.p.v n.a.v t.o.v "
        "t.g.v a.u.b ca ong resp vgl incl excl gem t.w m.n i.t.t jhr mej bv",
        "enz e.d e.a n.v b.v v.chr n.chr jl a.s j.l mln mld a.d jan feb mrt apr aug sept okt nov dec",
        "nr blz pag art lid hfst afb deel min max",
    ),
    "ru": (
        "т.е т.к т.н т.о т.ч и.о в.т.ч ср напр проф акад доц гр тов св преп ул пл просп пер наб бул "
        "пос дер обл корп оф кв адм ген полк подп",
        "г гг в вв см им т.д т.п др пр н.э тыс млн млрд трлн руб коп долл чел экз ч мин сек тел м км кг га",
        "рис табл гл ст стр с п пп № т разд",
    ),
    "tr": (
        "doç yrd öğr Av müh alb yb bnb yzb org tuğg korg müd uzm hz sn bkz örn çev Haz mim ecz vet",
        "a.ş ş ti şti vb vd vs t.c m.ö m.s i.ö i.s cad sok mah apt blv yy tic san",
        "no s sf md c cilt sayfa",
    ),
    "ar": ("د أ أ.د م ا.د ص.ب ق.م هـ", "ش.م.م", "ص ج رقم"),
    "hi": (
        "डॉ डा प्रो श्री सुश्री पं मो सं कु ब्रि इंजी एड ए बी सी डी एफ जी एच जे के एल एम एन पी आर एस टी यू वी डब्ल्यू एक्स वाई",
        "कि.मी मि रु लि",
        "नं पृ",
    ),
    "bn": (
        "ড ডা ডাঃ ডঃ মো মোঃ মু প্রফে প্রকৌ অধ্যা ব্রি লে মে ইঞ্জি এ বি সি ডি এফ জি এইচ জে কে এল এম এন পি আর এস টি",
        "কি.মি লি",
        "নং পৃ",
    ),
    "id": (
        "drs dra ir hj h s.h s.e m.h bpk sdr sdri tn ny jl jln gg kec kab kel prov tgl rp Rp a.n u.p s.d d.a yth kh "
        "ust pt cv ps brigjen letjen mayjen kol",
        "dll dsb dst dkk tbk s.pd m.pd s.kom m.si s.t m.t s.sos",
        "no hal ps pasal bab",
    ),
    "vi": (
        "tp tx ts th.s ths gs pgs bs ks ths.bs gs.ts pgs.ts cn lm đ q p h x tr nxb ubnd tphcm",
        "v.v vv",
        "số tr điều",
    ),
}


@cache
def abbreviations(language: Language) -> Abbreviations:
    """Return the abbreviations of a language; those of English, with a few of others, where we know none.

    >>> "z.b" in abbreviations("de").never, "die" in abbreviations("de").first
    (True, True)
    """
    if language not in _OTHERS:
        return ENGLISH
    never, seldom, before_number = _OTHERS[language]
    return Abbreviations(
        _words(f"{_NEVER} {never}") - _words(seldom),
        _words(f"{_SELDOM} {seldom}"),
        _words(f"{_BEFORE_NUMBER} {before_number.lower()}"),
        stop_words(language),
    )


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
_BEFORE_DIGIT = frozenset(("fig", "figs", "no", "al"))  # in tokenized text, where "p ." may be a letter
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
