"""Long strings inside JSON, shortened in place: the structure stays as it is, and all of it fits a budget."""

import json
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from tersely.errors import InputError, UsageError
from tersely.io.lines import to_json
from tersely.layout import Layout
from tersely.options import BUDGETS, KEYWORDS, OPTIONS, Budget, Options
from tersely.summarizer import Summarizer
from tersely.text.document import Document
from tersely.text.length import Tokenizer, measurer, token_counter
from tersely.text.logs import are_logs
from tersely.text.sources import in_lines

# A string with fewer characters is never shortened.
SHORTEST = 100
# Words and tokens of parts do not add up to those of the whole: then it is tried again, so many times, with less room.
_TRIES = 12
_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?', re.DOTALL)
# What belongs to one text, and not to every string.
_OF_ONE_TEXT = ("include", "exclude", "header", "more")


@dataclass(frozen=True)
class ShortenedString:
    """A string that was `payload[start:end]`, with its quotes, and how long it was and is."""

    start: int
    end: int
    length: int
    shortened: int


@dataclass(frozen=True)
class ShortenedJson:
    """JSON that fits its budget: only long strings differ from the payload, each of which keeps whole sentences."""

    text: str
    length: int
    capacity: int
    budget: Budget
    strings: tuple[ShortenedString, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return asdict(self)

    def to_json(self, indent: int | None = None) -> str:
        """Return JSON about the JSON."""
        return to_json(self.to_dict(), indent)


def shorten_json(payload: str, *, summarizer: Summarizer | None = None, **keywords: Any) -> ShortenedJson:
    """Shorten the long strings of `payload`, which is JSON, so that all of it fits exactly one budget.

    Keys, numbers, short strings and the white space between them stay as they are, to the character. The room is
    divided evenly: the longest strings are shortened first, and none of them to nothing. The keywords are those of
    `summarize`, for each string; but those that belong to one text, such as `include`, make no sense here.

    >>> report = "The river rose and the town was flooded. Nobody was hurt, the mayor said on Monday. "
    >>> report += "Schools stay closed."
    >>> shorten_json(json.dumps({"id": 7, "report": report}), max_chars=90).text
    '{"id": 7, "report": "The river rose and the town was flooded."}'
    """
    for name in keywords:
        if name not in KEYWORDS:
            raise TypeError(f"shorten_json() got an unexpected keyword argument '{name}'")
    budget = Budget.one_of(**{name: keywords.pop(name, None) for name in BUDGETS})
    options = Options.of(**{name: keywords[name] for name in OPTIONS if name in keywords})
    language, tokenizer = keywords.get("language"), keywords.get("tokenizer")
    return fit_json(payload, budget, options, tokenizer, language=language, summarizer=summarizer or Summarizer.load())


def fit_json(
    payload: str,
    budget: Budget,
    options: Options,
    tokenizer: Tokenizer | None = None,
    *,
    summarizer: Summarizer,
    language: str | None = None,
    most: int | None = None,
) -> ShortenedJson:
    """Shorten strings with a ready-made budget and options; `most` is the largest number of long strings, if any."""
    _check(payload)
    if budget.unit == "sentences":
        raise UsageError("JSON has no sentences: give a budget in characters, words, tokens or bytes")
    for name in _OF_ONE_TEXT:
        if getattr(options, name):
            raise UsageError(f"`{name}` is for one text, and JSON has many: leave it out")
    unit, capacity = budget.counts, budget.capacity(payload)
    measure = measurer(unit, token_counter(tokenizer) if unit == "tokens" else None)
    length = measure(payload)
    strings: list[_String] = []
    if length > capacity:
        for match in _STRING.finditer(payload):
            if match[1] is None and match.end() - match.start() >= SHORTEST:
                string = _String(match.start(), match[0], measure, options=options, language=language)
                if len(string.document) > 1:
                    strings.append(string)
                if most is not None and len(strings) > most:
                    raise UsageError(f"the JSON has more than {most:,} long strings: send less at once")

    def result(tokens: list[str]) -> ShortenedJson:
        pieces, changed, at = [], list[ShortenedString](), 0
        for string, token in zip(strings, tokens, strict=True):
            pieces += [payload[at : string.start], token]
            at = string.end
            if token != string.token:
                changed.append(ShortenedString(string.start, string.end, string.length, measure(token)))
        text = "".join([*pieces, payload[at:]])
        return ShortenedJson(text, measure(text), capacity, budget, tuple(changed))

    answer = result([string.token for string in strings])
    room = capacity - (length - sum(string.length for string in strings))
    for _ in range(_TRIES):
        if answer.length <= capacity or room < sum(string.least for string in strings):
            break
        answer = result(_shared(strings, room, lambda string, share: string.fit(summarizer, share)))
        room -= max(1, answer.length - capacity)
    if answer.length > capacity:
        answer = result([string.fit(summarizer, string.least) for string in strings])
    if answer.length > capacity:
        condition = (
            "with one sentence of each long string" if strings else "and has no long string of several sentences"
        )
        raise UsageError(
            f"the JSON needs {answer.length} of {capacity} {unit} {condition}: give more room, or send less"
        )
    return answer


def _check(payload: str) -> None:
    """Refuse what is no JSON."""

    def refuse(name: str) -> None:
        raise ValueError(f"there is no {name} in JSON")

    try:
        # Numbers are not computed: those with a million digits would take forever.
        json.loads(payload, parse_int=str, parse_float=str, parse_constant=refuse)
    except RecursionError:
        raise InputError("the JSON is nested too deep: send a part of it") from None
    except ValueError as error:
        raise InputError(f"the text is no JSON: {error}") from None


class _String:
    """A long string of the payload."""

    def __init__(
        self, start: int, token: str, measure: Callable[[str], int], *, options: Options, language: str | None
    ) -> None:
        self.start, self.end, self.token, self.measure = start, start + len(token), token, measure
        self.length, self._options = measure(token), options
        self.document = Document.from_text(json.loads(token), language)
        if options.split == "lines" or (options.split is None and are_logs([self.document])):
            self.document = in_lines(self.document)

    @cached_property
    def least(self) -> int:
        """The length of the shortest sentence, as a string."""
        return min(map(self._measured, self.document.display_texts))

    @cached_property
    def _joint(self) -> int:
        """By how much two sentences as strings are longer than both in one, on average: quotes less a separator."""
        layout = Layout(self.document, "chars", self._options)
        joined = self._measured(layout.join(range(len(self.document))))
        return round((sum(map(self._measured, layout.labeled_texts)) - joined) / (len(self.document) - 1))

    def fit(self, summarizer: Summarizer, share: int) -> str:
        """Return the string within a share of the room; if nothing fits, with its shortest sentence."""
        if self.length <= share:
            return self.token
        for _ in range(2):
            # Without a joint for each sentence, lengths add up: else many choices would be tried before one fits.
            budget = Budget(max(share - self._joint, 1), "tokens")
            summary = summarizer.fit(
                self.document, budget, self._options, lambda text: max(self._measured(text) - self._joint, 0)
            )
            if summary.sentences:
                token = self._encoded(summary.text)
                return token if self.measure(token) < self.length else self.token
            if summary.needed is None:
                break
            share = summary.needed + self._joint
        return self.token

    def _measured(self, text: str) -> int:
        return self.measure(self._encoded(text))

    def _encoded(self, text: str) -> str:
        try:
            text.encode()
        except UnicodeEncodeError:  # half a character
            return json.dumps(text)
        return json.dumps(text, ensure_ascii=self.token.isascii())


def _shared(strings: list[_String], room: int, fit: Callable[[_String, int], str]) -> list[str]:
    """Divide the room evenly, and fit each string into its share; what a short one leaves is for the longer ones."""
    tokens = dict[int, str]()
    least = sum(string.least for string in strings)
    for count, i in enumerate(sorted(range(len(strings)), key=lambda i: (strings[i].length, i))):
        string = strings[i]
        least -= string.least
        share = max(string.least, min(room - least, room // (len(strings) - count)))
        tokens[i] = fit(string, share)
        room -= string.measure(tokens[i])
    return [tokens[i] for i in range(len(strings))]
