"""LaTeX: the text of a document without its commands; sections, lists, tables and captions as such.

Braces and brackets are paired first, so that an argument is skipped in one step; then each token is looked at once.
"""

import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tersely.extract import RawFile
from tersely.extract._plain import decode_file
from tersely.extract.extracted import Contents, Piece, at_most, tidied

if TYPE_CHECKING:
    from tersely.text.blocks import Kind

_LONGEST = 5_000_000  # characters; the longest books have a quarter of it
# What is not LaTeX within LaTeX; a comment, or an escaped sign of one, comes first.
_RAW = re.compile(
    r"\\[\\%]|%[^\n]*+|\\begin\{(?P<name>[vV]erbatim\*?|lstlisting|minted|comment|tikzpicture|filecontents\*?"
    r"|thebibliography|CCSXML)\}"
)
_CODE = frozenset(("verbatim", "verbatim*", "Verbatim", "Verbatim*", "lstlisting", "minted"))
_TOKEN = re.compile(
    r"(?P<blank>\n[ \t]*+\n\s*+|\\par(?![A-Za-z@]))|%[^\n]*+"
    r"|\\verb\*?(?P<quote>[^\sA-Za-z*])(?P<verb>[^\n]{0,200}?)(?P=quote)"
    r"|\\(?P<name>[A-Za-z@]++\*?)|\\(?P<sign>[\s\S]|\Z)|(?P<open>[{[])|(?P<close>[}\]])|(?P<math>\$\$?)"
    r"|(?P<cell>&)|(?P<text>[^\\%{}\[\]$&\n]++|\n)"
)
_TABLES: dict[str, dict[str, str]] = tomllib.loads(Path(__file__).with_name("latex.toml").read_text(encoding="utf-8"))


def _meanings(table: str) -> dict[str, Any]:
    """Return what a table says of each name in its lists: a word or a number."""
    return {name: int(key) if key.isdigit() else key for key, names in _TABLES[table].items() for name in names.split()}


def _printed(name: str) -> dict[str, str]:
    words = _TABLES["printed"][name].split()
    return dict(zip(words[::2], words[1::2], strict=True))


_SECTIONS, _ENVIRONMENTS, _ARGUMENTS = map(_meanings, ("sections", "environments", "arguments"))
_ENVIRONMENT_ARGUMENTS = _meanings("environment_arguments")
_NAMES = {name: frozenset(names.split()) for name, names in _TABLES["names"].items()}
_SIGNS, _LETTERS = _printed("formulas"), _printed("text")
_ACCENTS = {name: chr(int(code, 16)) for name, code in _printed("accents").items()}
# Where the name of a source is part of the sentence, even in parentheses.
_ASKS_FOR_NAME = re.compile(r"(?:^|[.!?]\s+|\b(?:in|by|of|from|see|to|with|and|following|than|as|on))[\s~]*\Z")
_QUIET = re.compile(
    r"(?:math|text|bold|bm|left|right|[bB]igg?|limits|nolimits|display|non|operator|over|under|wide|q?quad|hat|tilde|bar)\w*"
)
_TYPED = (("---", "—"), ("--", "–"), ("``", "“"), ("''", "”"), ("`", "‘"), ("~", " "))
_MACRO = 100  # characters of the longest macro that is written out


def read_latex(file: RawFile) -> Contents:
    """Read the text of LaTeX; formulas stay, as plain text."""
    text, notes = decode_file(file)
    if len(text) > _LONGEST:
        notes.append(f"read as plain text, as it has more than {_LONGEST // 1_000_000} MB of LaTeX")
        return Contents(text=text, notes=notes)
    reader = _Reader(text)
    pieces = at_most(reader.read())
    if reader.parts:
        notes.append(f"the files that it includes are not read: {', '.join(reader.parts[:3])}")
    return Contents(pieces, notes)


class _TexToken(NamedTuple):
    kind: str
    text: str


class _Apart(NamedTuple):
    """An argument that is a block: where it ends, its level if it is a heading, and the text that goes on after it."""

    end: int
    level: int
    before: list[str]


class _Reader:
    def __init__(self, text: str) -> None:
        self.parts: list[str] = []
        self._tokens = list(_tokens(text))
        self._partner = _pairs(self._tokens)
        self._numbers = _numbers(self._tokens)
        self._at = 0
        self._pieces: list[Piece] = []
        self._after: list[Piece] = []  # blocks that follow the paragraph in which they stand
        self._texts: list[str] = []
        self._apart: list[_Apart] = []
        self._environments: list[tuple[str, Kind]] = []
        self._open: Counter[str] = Counter()  # names of environments
        self._macros: dict[str, str] = {}
        self._shown: dict[int, str] = {}  # what is printed for a brace or a bracket
        self._accent = ""
        self._in_math = False

    def read(self) -> list[Piece]:
        """Return the blocks of the document."""
        while self._at < len(self._tokens):
            kind, text = self._tokens[self._at]
            self._at += 1
            if kind == "text":
                self._add(text)
            elif kind == "name":
                self._command(text.rstrip("*"))
            elif kind in ("open", "close"):
                self._bracket(self._at - 1, text)
            elif kind == "math":
                self._in_math = not self._in_math
            elif kind == "sign":
                self._sign(text)
            elif kind == "cell":
                self._texts.append(" | " if self._kind == "row" and not self._in_math else " ")
            elif kind == "code":
                self._flush()
                self._pieces.append(Piece("code", text.strip("\n")))
            elif kind == "verb":
                self._texts.append(text)
            elif kind == "blank":
                self._in_math = False
                self._texts.append(" ")
                if not self._apart and self._kind != "row":
                    self._flush()
        while self._apart:
            self._end_apart()
        self._flush()
        return self._pieces

    @property
    def _kind(self) -> "Kind":
        return self._environments[-1][1] if self._environments else "prose"

    def _flush(self) -> None:
        """End the paragraph; what stands apart from it follows."""
        if self._apart:
            self._texts.append(" ")
            return
        text = tidied("".join(self._texts))
        self._texts = []
        if text.strip(" |"):
            self._pieces.append(Piece(self._kind, text.replace("\n", " ").strip(" |") if self._kind == "row" else text))
        self._pieces += self._after
        self._after = []

    def _add(self, text: str) -> None:
        if self._accent and (letter := text.lstrip()[:1]):
            text = unicodedata.normalize("NFC", letter + self._accent) + text.lstrip()[1:]
            self._accent = ""
        if self._in_math:
            if text.rstrip()[-1:] in ("_", "^"):
                self._parenthesize(self._at)
        else:
            for typed, printed in _TYPED:
                text = text.replace(typed, printed)
        self._texts.append(text)

    def _bracket(self, at: int, text: str) -> None:
        self._texts.append(self._shown.pop(at, text if text in "[]" else ""))
        if self._apart and self._apart[-1].end == at:
            self._end_apart()

    def _sign(self, sign: str) -> None:
        if sign in ("(", "[", ")", "]"):
            self._in_math = sign in ("(", "[")
        elif sign == "\\":
            self._skip("[")
            if self._kind == "row" and not self._in_math:
                self._flush()
            self._texts.append(" " if self._in_math else "\n")
        elif sign in _ACCENTS and not self._in_math:
            self._accent = _ACCENTS[sign]
        elif sign not in ("-", "/", "!", "@"):
            self._texts.append(sign if sign in "{}%&$#_" else " ")

    def _command(self, name: str) -> None:
        if name == "begin":
            self._begin(self._argument())
        elif name == "end":
            self._end(environment := self._argument())
            self._at = len(self._tokens) if environment == "document" else self._at
        elif name == "item":
            self._flush()
            if self._is_next("["):
                self._shown |= {self._at: "", self._partner[self._at]: " "}
        elif name in _NAMES["definitions"]:
            self._define(name)
        elif name in _SECTIONS or name in _NAMES["apart"]:
            self._skip("[")
            self._start_apart(name)
        elif name in _NAMES["cited"] or name in _NAMES["named"]:
            self._cite(name)
        elif name in _NAMES["references"]:
            key = self._argument()
            self._texts.append(self._numbers.get(key, key))
        elif name in ("input", "include", "subfile"):
            self.parts.append(self._argument())
        elif name in _ARGUMENTS:
            self._skip("[", _ARGUMENTS[name])
        elif name in self._macros:
            self._texts.append(self._macros[name])
        elif self._in_math:
            self._math_command(name)
        elif name in _LETTERS or name in _ACCENTS:
            self._accent = _ACCENTS.get(name, "")
            self._texts.append(_LETTERS.get(name, ""))
            if self._at < len(self._tokens) and self._tokens[self._at].kind == "text":  # a space ended the name
                self._tokens[self._at] = _TexToken("text", self._tokens[self._at].text.lstrip(" "))
        else:  # the text in its braces stays
            self._skip("[")

    def _math_command(self, name: str) -> None:
        if name in ("frac", "dfrac", "tfrac", "sqrt"):
            self._texts.append("√" if name == "sqrt" else "")
            self._skip("[")
            end = self._parenthesize(self._at)
            if end and name != "sqrt":
                self._shown[end] = self._shown.get(end, "") + "/"
                self._parenthesize(end + 1)
        else:
            self._texts.append(_SIGNS.get(name, " " if _QUIET.fullmatch(name) else name))

    def _parenthesize(self, at: int) -> int:
        """Print parentheses for braces with more than a letter in them, and return where they end, if there are any."""
        if not self._is_next("{", at):
            return 0
        end = self._partner[at]
        if end > at + 2 or (end == at + 2 and len(self._tokens[at + 1].text) > 1):
            self._shown |= {at: "(", end: ")"}
        return end

    def _begin(self, name: str) -> None:
        if (
            name == "document" and name not in self._open
        ):  # what comes before is the preamble; only its title is printed
            titles = [piece for piece in self._pieces if piece.kind == "heading" and piece.level == 1]
            self._pieces, self._texts, self._after, self._apart = titles[-1:], [], [], []
            self._environments, self._in_math, self._open = [], False, Counter()
        self._skip("[", _ENVIRONMENT_ARGUMENTS.get(name, 0))
        if name.rstrip("*") in _NAMES["formulas"]:
            self._in_math = True
            self._texts.append(" ")
        elif not self._in_math:
            self._flush()
            if name == "abstract":
                self._pieces.append(Piece("heading", "Abstract", 2))
        self._environments.append((name, _ENVIRONMENTS.get(name, self._kind)))
        self._open[name] += 1

    def _end(self, name: str) -> None:
        if name.rstrip("*") in _NAMES["formulas"]:
            self._in_math = False
            self._texts.append(" ")
        elif not self._in_math:
            self._flush()
        if self._open[name]:  # those within it that were left open end with it
            while (last := self._environments.pop()[0]) != name:
                self._open[last] -= 1
            self._open[name] -= 1

    def _start_apart(self, name: str) -> None:
        if not self._is_next("{"):
            return
        if level := _SECTIONS.get(name, 0):
            self._flush()
        self._apart.append(_Apart(self._partner[self._at], level, self._texts))
        self._texts = []

    def _end_apart(self) -> None:
        _, level, before = self._apart.pop()
        text, self._texts = " ".join("".join(self._texts).split()), before
        if text and level and not self._apart:
            self._pieces.append(Piece("heading", text, level))
        elif text:
            self._after.append(Piece("caption", text))

    def _define(self, name: str) -> None:
        """Pass over the definition of a command, and keep it if it stands for a few words."""
        macro = ""
        if self._is_next("{"):
            macro = self._argument().strip().lstrip("\\")
        elif self._at < len(self._tokens) and self._tokens[self._at].kind == "name":
            macro = self._tokens[self._at].text
            self._at += 1
        takes_arguments = self._skip("[")
        self._skip("[")
        if name == "def" and self._at < len(self._tokens) and "#" in self._tokens[self._at].text:
            takes_arguments, self._at = True, self._at + 1
        if self._is_next("{"):
            start, end = self._at + 1, self._partner[self._at]
            words = [token.text for token in self._tokens[start : min(end, start + _MACRO)] if token.kind == "text"]
            if macro and not takes_arguments and end - start < _MACRO and sum(map(len, words)) <= _MACRO:
                self._macros[macro] = "".join(words)
            self._at = end + 1
        if name.endswith("environment"):
            self._skip("{")

    def _cite(self, name: str) -> None:
        """Leave out a source in parentheses; a sentence that needs its name gets its key."""
        while self._skip("["):
            pass
        key = self._argument()
        before = "".join(text[-40:] for text in self._texts[-3:])
        if name in _NAMES["named"] or _ASKS_FOR_NAME.search(before):
            self._texts.append(f"[{key}]")
        elif self._texts:
            self._texts[-1] = self._texts[-1].rstrip()

    def _is_next(self, bracket: str, at: int | None = None) -> bool:
        """Tell whether a closed argument comes next."""
        at = self._at if at is None else at
        return at < len(self._tokens) and self._tokens[at] == ("open", bracket) and self._partner[at] > at

    def _skip(self, bracket: str, more: int = 0) -> bool:
        """Go behind an argument, if one comes next, and behind some `more` in braces."""
        is_next = self._is_next(bracket)
        if is_next:
            self._at = self._partner[self._at] + 1
        for _ in range(more):
            self._skip("{")
            self._skip("[")
        return is_next

    def _argument(self) -> str:
        """Take a short argument, as it is written."""
        if not self._is_next("{"):
            return ""
        start, end = self._at + 1, self._partner[self._at]
        self._at = end + 1
        return "".join(token.text for token in self._tokens[start : min(end, start + 20)]).strip()[:200]


def _tokens(text: str) -> Iterator[_TexToken]:
    """Yield the tokens of a text; what is no LaTeX is one token, and comments are none."""
    at = 0
    while (start := _RAW.search(text, at)) is not None:
        yield from _tokens_of(text, at, start.start() if start["name"] else start.end())
        at = start.end()
        if start["name"]:
            end = text.find(f"\\end{{{start['name']}}}", at)
            end = len(text) if end < 0 else end
            if start["name"] in _CODE:
                yield _TexToken("code", text[at:end])
            at = min(len(text), end + len(start["name"]) + 6)
    yield from _tokens_of(text, at, len(text))


def _tokens_of(text: str, start: int, end: int) -> Iterator[_TexToken]:
    for match in _TOKEN.finditer(text, start, end):
        if kind := match.lastgroup:  # a comment has none
            yield _TexToken(kind, match[kind])


def _pairs(tokens: list[_TexToken]) -> list[int]:
    """Return for each opening brace or bracket where it is closed, and -1 for everything else."""
    partner, stack, braces = [-1] * len(tokens), [], 0
    for at, (kind, text) in enumerate(tokens):
        if kind == "open":
            stack.append(at)
            braces += text == "{"
        elif text == "}" and kind == "close" and braces:
            while tokens[stack[-1]].text != "{":
                stack.pop()
            partner[stack.pop()] = at
            braces -= 1
        elif text == "]" and kind == "close" and stack and tokens[stack[-1]].text == "[":
            partner[stack.pop()] = at
    return partner


def _numbers(tokens: list[_TexToken]) -> dict[str, str]:
    """Return what is printed for the references to each label: the number of its section, figure or formula."""
    counts: Counter[str] = Counter()
    numbers: dict[str, str] = {}
    depths = [0] * 7
    environment = number = ""
    for at, (kind, text) in enumerate(tokens[:-2]):
        if kind != "name" or tokens[at + 1].kind != "open":
            continue
        argument = tokens[at + 2].text
        if text == "label":
            numbers[argument] = number
        elif text in ("chapter", "section", "subsection", "subsubsection"):
            level = _SECTIONS[text]
            depths[level:] = [depths[level] + 1, *[0] * (6 - level)]
            number = ".".join(str(depth) for depth in depths[: level + 1] if depth)
        elif text == "begin":
            environment = argument.rstrip("*")
        if text == "caption" or (text == "begin" and environment in _NAMES["formulas"]):
            counted = "table" if environment.startswith("tab") else "figure" if text == "caption" else "formula"
            counts[counted] += 1
            number = str(counts[counted])
    return numbers
