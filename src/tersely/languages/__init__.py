"""What the package knows of each language: one pack a language, the TOML file `CODE.toml` in this folder.

A new file makes a new language known. docs/languages.md explains the fields, and `FIELDS` lists them. A pack is read
when it is first needed. A field that holds words is a string: words are set apart by white space, and "_" within a word
stands for a space. A field that holds patterns is an array of regular expressions.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

FOLDER = Path(__file__).parent
# A text in a language without a pack.
UNKNOWN = "other"
# The order in which lists show languages, and in which detection prefers them between equals. Other packs come after.
_ORDER = "en zh de fr es it pt nl ru tr ar hi bn ja ko vi id th".split()


def _codes() -> tuple[str, ...]:
    codes = {file.stem for file in FOLDER.iterdir() if file.suffix == ".toml"}
    return (*(code for code in _ORDER if code in codes), *sorted(codes.difference(_ORDER)), UNKNOWN)


LANGUAGES = _codes()
# Type checkers cannot know which packs there are. At runtime, a schema lists them.
if TYPE_CHECKING:
    Language = str
else:
    Language = Literal[LANGUAGES]

# Han ideographs, their extensions and the compatibility block; then the letters of Japanese and of Korean.
HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
KANA = "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9d"
HANGUL = "\uac00-\ud7af"
# The signs and codes of currencies, which are those of no language.
_SIGNS, _CODES = "$€£¥￥₹₽₩", "USD|EUR|GBP|JPY|CNY|RMB|CHF|INR|RUB|KRW"


class _Pattern:
    """A regular expression that is compiled when it is first used: a short command needs a few of many."""

    def __init__(self, source: "str | Callable[[], str]", flags: int) -> None:
        self._source, self._flags = source, flags

    def __getattr__(self, name: str) -> Any:
        source = self._source if isinstance(self._source, str) else self._source()
        compiled = re.compile(source, self._flags)
        self.__dict__ |= {method: getattr(compiled, method) for method in _METHODS}
        return getattr(compiled, name)


_METHODS = ("match", "search", "fullmatch", "finditer", "findall", "sub", "split")


def pattern(source: "str | Callable[[], str]", flags: int = 0) -> re.Pattern[str]:
    """Return a regular expression that is compiled when it is first used; a function may make its source then.

    >>> pattern("[aeiou]").sub("", "harbor")
    'hrbr'
    """
    return cast("re.Pattern[str]", _Pattern(source, flags))


# The lists that a pack may have, and what each is for.
FIELDS = {
    "stop_words": "words that carry no content; they also tell languages of Latin script apart",
    "endings": "pairs of characters that are only endings",
    "openers": "words that open a sentence which leans on an earlier one",
    "pronouns": "pronouns and demonstratives",
    "abbreviations.never": "abbreviations that never end a sentence",
    "abbreviations.seldom": "abbreviations that end a sentence only if the next word begins sentences",
    "abbreviations.before_number": "words that are abbreviations only before a number",
    "abbreviations.first_words": "words that begin sentences; if there are none, the stop words",
    "abbreviations.after_hour": "words that follow a time of day within a sentence",
    "headings.abstract": "headings of a summary",
    "headings.introduction": "headings of an introduction",
    "headings.method": "headings of a section on methods",
    "headings.result": "headings of results",
    "headings.discussion": "headings of a discussion",
    "headings.conclusion": "headings of a conclusion",
    "headings.references": "headings of a bibliography",
    "headings.acknowledgment": "headings of acknowledgments",
    "headings.facts": "headings of the facts of a judgment",
    "headings.holding": "headings of the reasons of a judgment",
    "headings.order": "headings of the decision of a judgment",
    "lines.chapters": "words before the number of a chapter",
    "lines.chapter_patterns": "patterns of numbered chapters of another form",
    "lines.captions": "patterns before the number of a figure or a table",
    "lines.pictures": "words before a colon and what a picture shows",
    "lines.pages": "words before the number of a page",
    "lines.page_totals": "words between the number of a page and the number of pages",
    "lines.page_patterns": "patterns of page numbers of another form",
    "lines.unfinished": "patterns of the last word of a line that must go on",
    "lines.credits": "words that begin a caption or a credit in brackets at the start of a sentence",
    "talk.question_labels": "labels of a question in an interview",
    "talk.answer_labels": "labels of an answer in an interview",
    "talk.other_labels": "words before a colon that name no speaker",
    "talk.introductions": "patterns of the end of what introduces a quotation or a list, and names no speaker",
    "talk.verbs": "verbs of speech that follow a speaker's name",
    "talk.days": "days by name, such as today, in the stamps of messages",
    "talk.at": "words between the day and the hour of a stamp",
    "talk.system": "patterns of what a messenger or a recorder says itself",
    "talk.machines": "names under which programs write in a conversation",
    "talk.sounds": "words in brackets that describe a sound",
    "talk.fillers": "words that fill a pause",
    "mail.headers": "names of the headers of an e-mail",
    "mail.subjects": "names of the header with the subject",
    "mail.original": "patterns above the message that is answered",
    "mail.forwarded": "words above a forwarded message",
    "mail.wrote": "words after the author of the message that is answered",
    "mail.sign_offs": "patterns above a signature",
    "questions.when": "patterns in a question for a date",
    "questions.how_many": "patterns in a question for a number",
    "questions.price": "patterns in a question for a price",
    "faults.fatal": "words for what ends a program",
    "faults.errors": "words for errors and failures",
    "faults.warnings": "words for warnings",
    "logs.severe": "words for errors that only logs have",
    "logs.problems": "words for what goes wrong in logs",
    "logs.levels": "words that logs have in ordinary lines",
    "logs.totals": "patterns in the last lines of a tool, which say how it went",
    "pins.months": "names of months, as they are written in dates",
    "pins.before_years": "words before a year, which make it a date",
    "pins.dates": "patterns of dates of another form",
    "pins.amounts": "patterns after the number of an amount",
    "pdf.captions": "patterns before the number of a figure or a table on a page",
    "pdf.pages": "patterns before the number of a page in its margin",
    "pdf.page_totals": "words between that number and the number of pages",
    "pdf.page_patterns": "patterns of page numbers of another form; 0 stands for every number",
    "pdf.joining": 'words after a hyphen that stays, as in "pre- and postwar"',
}
_EMPTY: Mapping[str, Any] = MappingProxyType({})
_SECTIONS = frozenset(name.split(".")[0] for name in FIELDS if "." in name)


class Script(NamedTuple):
    """How detection knows a language by its letters, a range of a regular expression such as "a-z".

    `share` is the least share of the letters of a text. A `mixed` script has Chinese characters among its letters.
    A `shared` one is also that of other languages, so that stop words decide. The pattern `foreign` matches letters
    that only other languages have, `typical` letters that every longer text has.
    """

    letters: str
    share: float = 0.5
    mixed: bool = False
    shared: bool = False
    foreign: str = ""
    typical: str = ""


class Pack(NamedTuple):
    """What is known of one language.

    `stemmer` names a Snowball stemmer. `separator` joins sentences. `capitals` says whether the script has them. In a
    `dense` script, nothing sets words apart, and one of its characters says as much as `letters_per_character`. With
    `ordinals`, a period follows the number in "3. Oktober". Runs of the pattern `pairs` are read in pairs of
    characters, or of what the pattern `syllables` matches; words that begin with `particles` carry no content.
    A text with `judgment_mark` is a judgment, and the patterns of `judgment` open its parts, by role. `lists` has the
    fields of `FIELDS`.
    """

    code: str
    name: str
    stemmer: str = ""
    separator: str = " "
    capitals: bool = True
    dense: bool = False
    letters_per_character: int = 1
    apostrophe_ends_words: bool = False
    ordinals: bool = False
    pairs: str = f"[{HAN}]+"
    particles: str = ""
    syllables: str = ""
    script: Script | None = None
    judgment_mark: str = ""
    judgment: Mapping[str, str] = _EMPTY
    lists: Mapping[str, str | list[str]] = _EMPTY

    def words(self, name: str) -> tuple[str, ...]:
        """Return the words of a field, in order; none if the language lacks it."""
        listed = self.lists.get(name, "")
        assert isinstance(listed, str), name
        return tuple(word.replace("_", " ") for word in listed.split())

    def patterns(self, name: str) -> tuple[str, ...]:
        """Return the regular expressions of a field, or its words as such."""
        listed = self.lists.get(name, "")
        return tuple(map(re.escape, self.words(name))) if isinstance(listed, str) else tuple(listed)


@cache
def pack(language: Language) -> Pack:
    """Return what is known of a language; of one without a pack, little.

    >>> pack("de").name, pack("de").stemmer, pack("ja").separator, len(pack("other").lists)
    ('German', 'german', '', 0)
    """
    if language == UNKNOWN:
        return Pack(UNKNOWN, "another language")
    import tomllib

    file = FOLDER / f"{language}.toml"
    stored: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))
    script = Script(**stored.pop("script")) if "script" in stored else None
    tables = {name: stored.pop(name) for name in _SECTIONS & stored.keys()}
    lists = {name: stored.pop(name) for name in FIELDS.keys() & stored.keys()}
    lists |= {f"{section}.{name}": listed for section, table in tables.items() for name, listed in table.items()}
    if unknown := lists.keys() - FIELDS.keys():
        raise ValueError(f"{file} has fields that no language has: {', '.join(sorted(unknown))}")
    return Pack(language, script=script, lists=lists, **stored)


def packs() -> Iterator[Pack]:
    """Yield all packs, in the order of `LANGUAGES`."""
    return (pack(language) for language in LANGUAGES if language != UNKNOWN)


def words_of_all(name: str) -> frozenset[str]:
    """Return the words of a field in all languages.

    The form of a line is known by the words of all languages, because many a German e-mail has English headers.

    >>> sorted(words_of_all("lines.page_totals"))
    ['de', 'di', 'of', 'von']
    """
    return frozenset(word for entry in packs() for word in entry.words(name))


def alternatives(name: str, capitals: bool | None = None) -> str:
    """Return a pattern that matches what a field has in any language, without a group around its alternatives.

    With `capitals`, only languages whose script has capitals count, or only the others. Their words have spaces around
    them, so that a pattern may ask for the boundary of a word.

    >>> alternatives("mail.wrote", capitals=False)
    '写道|寫道'
    """
    chosen = (entry for entry in packs() if capitals is None or entry.capitals == capitals)
    return "|".join(dict.fromkeys(pattern for entry in chosen for pattern in entry.patterns(name)))


@cache
def amounts() -> re.Pattern[str]:
    """Return what an amount looks like, of money or a share, in any language.

    >>> [bool(amounts().search(text)) for text in ("It cost £5.", "Es waren 3 Prozent.", "In 2025, five came.")]
    [True, True, False]
    """
    spaced, dense = alternatives("pins.amounts", capitals=True), alternatives("pins.amounts", capitals=False)
    return re.compile(
        rf"[{_SIGNS}]\s?\d|\d\s?(?:[{_SIGNS}%‰％]|[kKmM]?(?:{_CODES})\b|(?:{spaced})\b|{dense})|\b(?:{_CODES})\s?\d"
    )


@cache
def stop_words(language: Language) -> frozenset[str]:
    """Return the words of a language that carry no content, in lowercase; none if its pack has none.

    >>> "und" in stop_words("de"), len(stop_words("th"))
    (True, 0)
    """
    return frozenset(pack(language).words("stop_words"))


def content_words(words: Iterable[str], language: Language) -> list[str]:
    """Keep the content words: all but stop words, all pairs in Chinese, all but the shortest in other languages.

    >>> content_words(["the", "storm", "path"], "en"), content_words(["天气", "气好"], "zh")
    (['storm', 'path'], ['天气', '气好'])
    """
    entry = pack(language)
    if entry.particles:
        is_particle = re.compile(entry.particles).match
        return [word for word in words if not is_particle(word)]
    if entry.dense:
        return list(words)
    if endings := frozenset(entry.words("endings")):
        return [word for word in words if word not in endings]
    if stops := stop_words(language):
        return [word for word in words if word not in stops and (len(word) > 1 or word.isdigit())]
    is_han = re.compile(f"[{HAN}]").match
    return [word for word in words if len(word) > 2 or word.isdigit() or is_han(word)]


def separator(language: Language) -> str:
    """Return the default text between joined sentences: a space, or nothing in Chinese and Japanese."""
    return pack(language).separator
