"""Whether a summary is in the words of its sources: each sentence or quotation, and where it stands."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any, Literal, NamedTuple
from unicodedata import decomposition, normalize

from tersely.errors import UsageError
from tersely.io.lines import to_json
from tersely.languages import HAN, Language
from tersely.text.document import Document
from tersely.text.sources import Collection, Text, as_document

Verdict = Literal["verbatim", "joined", "stitched", "missing"]
FAULTS: tuple[Verdict, ...] = ("stitched", "missing")

# Hyphens, also invisible ones, that may stand at the end of a line within a word.
_HYPHENS = "\\-\u00ad\u2010\u2011"
_UNSEEN = "\u00ad\u200b-\u200f\u2060\ufeff"
_DENSE = rf"{HAN}\u3040-\u30ff"
_LETTERS = rf"[^\W{_DENSE}]|[\u0300-\u036f{_UNSEEN}]"
_TOKEN = re.compile(
    rf"(?P<skipped>^[ \t]*>[> \t]*|[{_UNSEEN}]+)|"
    rf"(?P<word>[^\W{_DENSE}](?:{_LETTERS}|(?<=[^\W\d_])[{_HYPHENS}]\s*(?=[^\W\d_{_DENSE}]))*)|"
    "(?P<double>``|''|[\"“”„‟«»「」『』″＂])|(?P<single>[‘’‚‛‹›′`´'])|"
    r"(?P<dots>\.{2,}|…+|。{2,})|(?P<dash>[-‐‑–—―−]+)|\S",
    re.MULTILINE,
)
_SIGNS = {"double": '"', "single": "'", "dots": "…", "dash": "-"}
_WITHIN_WORDS = re.compile(rf"[{_HYPHENS}{_UNSEEN}]\s*")
# What these stand for is not what they say: 10² is not 102.
_RAISED = ("<super>", "<sub>", "<fraction>", "<circle>")
# A mark of what was left out stands between two pieces and is part of neither.
_OMISSION = re.compile(
    r"[\[(]\s?(?:\.{3}|…)\s?[\])]|\[\d[\d,]*-\d[\d,]*: [^\[\]]*\bsentences?\]|\[\.{3} \d[\d,]* similar lines?\]"
)
# Longer words are not remembered, so that strangers' texts cannot fill the memory.
_LONGEST_REMEMBERED = 40
_QUOTED = re.compile(
    '“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»|「([^「」]+)」|『([^『』]+)』|"((?:[^"\n]|\n(?![^\\S\n]*\n))+)"'
)
# What is put together from parts that are shorter than this, in words and marks, has its words but nothing else from
# the sources.
_SHORTEST_PART = 4
_MOST_STEPS = 50


@dataclass(frozen=True)
class Quoted:
    """`summary[start:end]` is `text[source_start:source_end]` of a source; `source` is its id, if it has one."""

    start: int
    end: int
    source: str | None
    source_start: int
    source_end: int


@dataclass(frozen=True)
class Claim:
    """A sentence or quotation, `summary[start:end]`, and where its words stand.

    As `verdict`, `verbatim` stands in one place, `joined` is several whole sentences of the sources, `stitched` is put
    together from parts of sentences, and `missing` is not in the sources.
    """

    start: int
    end: int
    text: str
    verdict: Verdict
    quoted: tuple[Quoted, ...]


@dataclass(frozen=True)
class Verification:
    """What `verify` says: `ok` if each of the claims is verbatim or joined."""

    ok: bool
    claims: tuple[Claim, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return asdict(self)

    def to_json(self, indent: int | None = None) -> str:
        """Return JSON."""
        return to_json(self.to_dict(), indent=indent)

    def explain(self) -> str:
        """Say in one line how many claims are in the sources."""
        verdicts = [claim.verdict for claim in self.claims]
        bad = [f", {verdicts.count(fault)} {fault}" for fault in FAULTS if fault in verdicts]
        good = sum(verdict not in FAULTS for verdict in verdicts)
        return f"{good} of {len(verdicts)} in the sources{''.join(bad)}"


def verify(summary: str, sources: Text, *, quotations: bool = False, language: Language | None = None) -> Verification:
    """Tell for each sentence of a summary whether it is in the sources, and where.

    Line breaks, hyphens within words, kinds of quotation marks and dashes, and spaces next to Chinese characters make
    no difference; every other letter and mark does. The time grows with the length of the texts.

    Keywords:
        summary: The text to check.
        sources: What it is said to be from: a text, a `Document`, or a list of sources, see `Source`.
        quotations: Check only what stands in quotation marks.
        language: The language of the texts, such as "en"; detected if None.

    >>> verify("The river rose.", "It rained. The river\\nrose.").claims[0].quoted
    (Quoted(start=0, end=15, source=None, source_start=11, source_end=26),)
    >>> verify("The river fell.", "It rained. The river rose.").claims[0].verdict
    'missing'
    """
    if not isinstance(summary, str):
        raise UsageError(f"the summary must be a string, not {type(summary).__name__}")
    document = as_document(sources, language)
    spans = _quotations(summary) if quotations else _sentences(summary, language)
    pieces = [piece for start, end in spans if (piece := _Piece.of(summary, start, end, quotations)).tokens]
    places = _Places(document, pieces)
    claims = tuple(_claim(summary, piece, places) for piece in pieces)
    return Verification(all(claim.verdict not in FAULTS for claim in claims), claims)


class _Token(NamedTuple):
    value: str
    start: int
    end: int


def _tokens(text: str, start: int = 0, end: int | None = None) -> Iterator[_Token]:
    """Yield words and marks, each as what it is compared by."""
    for match in _TOKEN.finditer(text, start, len(text) if end is None else end):
        kind = match.lastgroup
        fold = _folded if match.end() - match.start() <= _LONGEST_REMEMBERED else _folded.__wrapped__
        if kind != "skipped" and (value := _SIGNS.get(kind or "") or fold(match[0])):
            yield _Token(value, *match.span())


@lru_cache(100_000)
def _folded(token: str) -> str:
    token = token if len(token) == 1 else _WITHIN_WORDS.sub("", token)
    raised = not token.isascii() and any(decomposition(sign).startswith(_RAISED) for sign in token)
    return normalize("NFC" if raised else "NFKC", token)


class _Piece(NamedTuple):
    start: int
    end: int
    tokens: list[_Token]

    @classmethod
    def of(cls, text: str, start: int, end: int, quotation: bool) -> "_Piece":
        tokens = list(_tokens(text, start, end))
        if quotation and len(tokens) > 1 and tokens[-1].value in (",", "."):  # often it is the writer's own
            tokens.pop()
        return cls(start, end, tokens)


def _sentences(summary: str, language: Language | None) -> Iterator[tuple[int, int]]:
    for start, end in Document.from_text(summary, language).sentences:
        yield from _between_omissions(summary, start, end)


def _quotations(summary: str) -> Iterator[tuple[int, int]]:
    for match in _QUOTED.finditer(summary):
        yield from _between_omissions(summary, *match.span(match.lastindex or 0))


def _between_omissions(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for match in (*_OMISSION.finditer(text, start, end), None):
        stop = match.start() if match else end
        piece = text[start:stop]
        if stripped := piece.strip():
            yield start + len(piece) - len(piece.lstrip()), start + len(piece) - len(piece.lstrip()) + len(stripped)
        start = match.end() if match else end


class _Places:
    """Where the longest parts of the pieces stand in the sources.

    An automaton of all parts of the pieces reads the sources once. Its states are parts that occur at the same places;
    `_links` leads to the longest shorter part at the end of a part, of another state.
    """

    def __init__(self, document: Document, pieces: list[_Piece]) -> None:
        self._document = document
        self._next: list[dict[str, int]] = [{}]
        self._links, self._longest = [-1], [0]
        self._state_at: dict[int, int] = {}  # by where the token begins in the summary
        state = 0
        for piece in pieces:
            for token in piece.tokens:
                state = self._extend(state, token.value)
                self._state_at[token.start] = state
            state = self._extend(state, f"\n{piece.start}")  # in no source
        self._read()

    def _parts(self) -> Iterator[tuple[Document, str | None]]:
        if isinstance(self._document, Collection):
            names = (source.id for source in self._document.sources)
            yield from zip(self._document.parts, names, strict=True)
        else:
            yield self._document, None

    def _streams(self) -> Iterator[tuple[Iterable[_Token], str | None]]:
        """Yield the tokens of each source, and of what is said in a conversation as a summary shows it.

        There, sounds are left out, and the speaker's name comes first. All tokens have the place of the sentence.
        """
        for document, name in self._parts():
            yield _tokens(document.text), name
            for i, (start, end) in enumerate(document.sentences):
                if speaker := document.speakers[i]:
                    speech = f"[{document.times[i]}] {speaker}: {document.display_texts[i]}"
                    yield (_Token(token.value, start, end) for token in _tokens(speech)), name

    def _extend(self, last: int, value: str) -> int:
        """Append a token to what the automaton knows, and return the state of all so far."""
        new = self._add({}, self._longest[last] + 1)
        at = last
        while at >= 0 and value not in self._next[at]:
            self._next[at][value] = new
            at = self._links[at]
        if at < 0:
            self._links[new] = 0
            return new
        target = self._next[at][value]
        if self._longest[at] + 1 == self._longest[target]:
            self._links[new] = target
            return new
        clone = self._add(dict(self._next[target]), self._longest[at] + 1)
        self._links[clone] = self._links[target]
        while at >= 0 and self._next[at].get(value) == target:
            self._next[at][value] = clone
            at = self._links[at]
        self._links[target] = self._links[new] = clone
        return new

    def _add(self, following: dict[str, int], longest: int) -> int:
        self._next.append(following)
        self._links.append(0)
        self._longest.append(longest)
        return len(self._next) - 1

    def _read(self) -> None:
        """Note for each state the longest part that is in a source, and the number of the token that ends it."""
        following, links, longest = self._next, self._links, self._longest
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._firsts: list[int] = []
        self._ids: list[str | None] = []
        length, place = [0] * len(following), [-1] * len(following)
        for tokens, name in self._streams():
            self._firsts.append(len(self._starts))
            self._ids.append(name)
            state = size = 0
            for value, start, end in tokens:
                while state and value not in following[state]:
                    state = links[state]
                    size = longest[state]
                if value in following[state]:
                    state, size = following[state][value], size + 1
                if size > length[state]:
                    length[state], place[state] = size, len(self._starts)
                self._starts.append(start)
                self._ends.append(end)
        by_length = sorted(range(1, len(following)), key=longest.__getitem__)
        for state in reversed(by_length):
            above = links[state]
            if length[state] and above and length[above] < longest[above]:
                length[above], place[above] = longest[above], place[state]
        for state in by_length:
            if not length[state]:
                length[state], place[state] = length[links[state]], place[links[state]]
        self._length, self._place = length, place

    def parts(self, piece: _Piece) -> list[Quoted | None]:
        """Return the fewest parts that a piece is made of; None stands for a token that is in no source."""
        parts: list[Quoted | None] = []
        end = len(piece.tokens)
        while end:
            state = self._state_at[piece.tokens[end - 1].start]
            size = min(self._length[state], end)
            if size:
                parts.append(self._quoted(piece, end - size, end, self._place[state]))
            else:
                parts.append(None)
            end -= size or 1
        return parts[::-1]

    def _quoted(self, piece: _Piece, first: int, end: int, last: int) -> Quoted:
        source = bisect_left(self._firsts, last + 1) - 1
        begin, stop = self._starts[last - (end - first) + 1], self._ends[last]
        return Quoted(piece.tokens[first].start, piece.tokens[end - 1].end, self._ids[source], begin, stop)

    def whole_sentences(self, piece: _Piece) -> list[Quoted] | None:
        """Return the sentences of the sources that a piece is put together from, or None if it is not."""
        values = [token.value for token in piece.tokens]
        before: dict[int, tuple[int, str | None, int, int]] = {0: (0, None, 0, 0)}
        steps = 0
        for begin in range(len(values)):
            if begin not in before:
                continue
            node = self._sentences
            for end in range(begin, len(values)):
                steps += 1
                if values[end] not in node.following or steps > _MOST_STEPS * len(values):
                    break
                node = node.following[values[end]]
                if node.place is not None and end + 1 not in before:
                    before[end + 1] = (begin, *node.place)
        if len(values) not in before:
            return None
        quoted: list[Quoted] = []
        end = len(values)
        while end:
            begin, source, source_start, source_end = before[end]
            tokens = piece.tokens
            quoted.append(Quoted(tokens[begin].start, tokens[end - 1].end, source, source_start, source_end))
            end = begin
        return quoted[::-1]

    @property
    def _sentences(self) -> "_Node":
        """The sentences of the sources that have only words of the pieces, as a tree."""
        if not hasattr(self, "_tree"):
            self._tree = _Node()
            for document, name in self._parts():
                for i, (start, end) in enumerate(document.sentences):
                    forms = [document.text[start:end]]
                    if speaker := document.speakers[i]:
                        speech = document.display_texts[i]
                        forms += [speech, f"{speaker}: {speech}", f"[{document.times[i]}] {speaker}: {speech}"]
                    for form in forms:
                        tokens = list(_tokens(form))
                        if all(token.value in self._next[0] for token in tokens):
                            self._tree.add(tokens, (name, start, end))
        return self._tree


class _Node:
    __slots__ = ("following", "place")

    def __init__(self) -> None:
        self.following: dict[str, _Node] = {}
        self.place: tuple[str | None, int, int] | None = None

    def add(self, tokens: Iterable[_Token], place: tuple[str | None, int, int]) -> None:
        node = self
        for token in tokens:
            node = node.following.setdefault(token.value, _Node())
        node.place = node.place or place


def _claim(summary: str, piece: _Piece, places: _Places) -> Claim:
    parts = places.parts(piece)
    quoted = tuple(part for part in parts if part is not None)
    verdict: Verdict = "missing"
    if len(parts) == len(quoted) == 1:
        verdict = "verbatim"
    elif len(parts) == len(quoted) and (sentences := places.whole_sentences(piece)):
        verdict, quoted = "joined", tuple(sentences)
    elif len(parts) == len(quoted) and len(parts) * _SHORTEST_PART <= len(piece.tokens):
        verdict = "stitched"
    return Claim(piece.start, piece.end, summary[piece.start : piece.end], verdict, quoted)
