"""Budgets and options, declared once.

`BUDGETS` and `OPTIONS` list the keywords of `summarize`: what each is called, which values it takes,
and what it means. The command line, the service, the tools for assistants and the spaCy pipe are made
from these tables; tests compare signatures, documents and the page with them.
"""

import re
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from math import floor, inf, isfinite
from numbers import Real
from operator import index
from typing import Any, Literal, TypedDict, Unpack, cast, get_args, get_type_hints

from tersely.errors import UsageError

Unit = Literal["chars", "words", "tokens", "bytes", "sentences"]
# The units that need no tokenizer: every server counts in them, and the page offers them.
PlainUnit = Literal["chars", "words", "sentences", "bytes"]
BudgetUnit = Literal[Unit, "ratio"]
Order = Literal["document", "rank"]
Redundancy = Literal["duplicates", "trigrams", "off"]
Coherence = Literal["strict", "soft", "off"]
Split = Literal["sentences", "lines"]

# The patterns of `keep` that have a name; every other one is a regular expression.
Pattern = Literal["amounts", "dates", "ids", "errors"]

UNITS: tuple[Unit, ...] = get_args(Unit)
PATTERNS: tuple[Pattern, ...] = get_args(Pattern)

# As `omission`, it stands for the place, the topic and the number of the sentences that are left out.
ACCOUNT = "account"

# Larger than any text, and small enough for every computation.
LARGEST = 10**15

# What the service and the tools for assistants take in one request: bytes, lines, blank ones too, and sentences. A
# wrapped sentence has a few lines. An answer lists every sentence, so the last one bounds answers, too.
MAX_BODY = 2_000_000
MAX_LINES = 100_000
MAX_SENTENCES = 20_000
# Each source is read by itself, which takes some three milliseconds, however short it is.
MAX_SOURCES = 2_000
# Seconds from a request to its answer.
DEADLINE = 30.0

Kind = Literal["count", "share", "choice", "indices", "patterns", "text", "switch"]


@dataclass(frozen=True)
class Keyword:
    """A keyword of `summarize`, and what its users read about it.

    `kind` says which values it takes: a whole number, a share from 0 to 1, one of `choices`, indices
    of sentences, patterns, a text, or true and false. `help` and `metavar` are for the command line, where `\\n`
    in a value stands for a line break if `breaks`. `description` is for the service, which takes texts of up to
    `longest` characters. A keyword without `help` or `description` has no flag or field of its own.
    """

    name: str
    kind: Kind
    help: str = ""
    description: str = ""
    default: Any = None
    choices: tuple[str, ...] = ()
    metavar: str = ""
    breaks: bool = False
    longest: int = 100


BUDGETS: dict[str, Keyword] = {
    keyword.name: keyword
    for keyword in (
        Keyword(
            "max_chars",
            "count",
            help="Budget in characters (Unicode code points); 1k and 1,000 are numbers, too.",
            description="Budget in characters (Unicode code points).",
        ),
        Keyword(
            "max_words",
            "count",
            help="Budget in words, as 'wc -w' counts them.",
            description="Budget in words; each Chinese character is one.",
        ),
        Keyword(
            "max_tokens",
            "count",
            help="Budget in tokens of --tokenizer.",
            description="Budget in tokens of the server's tokenizer, if it has one.",
        ),
        Keyword("max_bytes", "count", help="Budget in UTF-8 bytes.", description="Budget in UTF-8 bytes."),
        Keyword("max_sentences", "count", help="Budget in sentences.", description="Budget in sentences."),
        Keyword(
            "ratio",
            "share",
            help="Budget as a share of the text's characters: 0.2 or 20%.",
            description="Budget as a fraction of the text's characters.",
        ),
    )
}


@dataclass(frozen=True)
class Budget:
    """A limit and the unit it counts in; a ratio is a share of the source's characters.

    >>> Budget.one_of(max_words=50)
    Budget(limit=50, unit='words')
    >>> Budget.one_of(ratio=0.2).capacity("ten chars.")
    2
    """

    limit: int | float
    unit: BudgetUnit

    @classmethod
    def one_of(cls, **limits: int | float | None) -> "Budget":
        """Take the one limit that is not None; no limit, two limits or a senseless one is an error."""
        budgets = {name: limit for name, limit in limits.items() if limit is not None}
        if len(budgets) != 1:
            fault = "two budgets at once, " + " and ".join(sorted(budgets)) if budgets else "no budget"
            raise UsageError(f"{fault}: give exactly one of {', '.join(BUDGETS)}")
        [(name, limit)] = budgets.items()
        if name not in BUDGETS:
            raise UsageError(f"there is no budget '{name}': give exactly one of {', '.join(BUDGETS)}")
        if not isinstance(cast(object, limit), Real):
            raise UsageError(f"{name} must be a number, not {limit!r}")
        if LARGEST < limit < inf:
            raise UsageError(f"{name} must be at most {LARGEST:,}")
        if name == "ratio":
            if not (isfinite(limit) and 0 < limit <= 1):
                raise UsageError(f"ratio must be above 0 and at most 1, not {limit}")
            return cls(float(limit), "ratio")
        if isinstance(limit, bool) or not isfinite(limit) or int(limit) != limit or limit < 1:
            raise UsageError(f"{name} must be a whole number of at least 1, not {limit}")
        return cls(int(limit), cast(Unit, name.removeprefix("max_")))

    @property
    def counts(self) -> Unit:
        """The unit that lengths are measured in."""
        return "chars" if self.unit == "ratio" else self.unit

    def capacity(self, text: str) -> int:
        """Return the limit for a summary of `text`, in `counts`."""
        if self.unit == "ratio":
            # A float such as 0.29 is a little less than it says; 0.29 of 100 characters is still 29.
            return floor(self.limit * len(text) + 1e-9)
        return int(self.limit)


# What a command takes if its user names no budget.
USUAL_BUDGET = Budget(100, "words")


@dataclass(frozen=True)
class Options:
    """How to assemble a summary, for any budget; `Summarizer.summarize` explains each of them.

    `include` and `exclude` are sentence indices, and `keep` are patterns whose sentences must stay: names of `PATTERNS`
    or regular expressions. The metadata of a field is the rest of its `Keyword`, see `OPTIONS`.
    """

    order: Order = field(
        default="document",
        metadata={
            "help": "Order of the sentences: as in the text, or the best first.",
            "description": "As in the text, or best first.",
        },
    )
    include: frozenset[int] = field(
        default=frozenset(),
        metadata={
            "help": "Keep sentence I, or 1-3 (from 0); repeatable.",
            "description": "Sentences that must be in the summary, counted from 0.",
        },
    )
    exclude: frozenset[int] = field(
        default=frozenset(),
        metadata={
            "help": "Leave out sentence I, or 1-3; repeatable.",
            "description": "Sentences that must not be in the summary.",
        },
    )
    keep: tuple[str, ...] = field(
        default=(),
        metadata={
            "help": "Keep every sentence with amounts, dates, ids or errors, or a match of REGEX; repeatable.",
            "description": "Every sentence with one of these must be in the summary.",
        },
    )
    separator: str | None = field(
        default=None,
        metadata={
            "help": "Text between sentences; \\n is a line break. Default: a space, or none as in Chinese.",
            "description": "Goes between sentences. Null: a space, or nothing in Chinese and Japanese.",
            "breaks": True,
        },
    )
    redundancy: Redundancy = field(
        default="duplicates",
        metadata={
            "help": "Leave out sentences that nearly repeat another, or that share three words in a row with one.",
            "description": "Skip near copies of chosen sentences, or sentences that share three words "
            "in a row with one.",
        },
    )
    coherence: Coherence | None = field(
        default=None,
        metadata={
            "help": "Without what it needs to be understood, a sentence counts for little or nothing, for less, "
            "or in full. Default: strict for the default model.",
            "description": "A sentence without what it needs counts for little or nothing (strict) or for less (soft), "
            "and noise is left out; or take sentences as they are. Null: what the model says; the default "
            "model is strict.",
        },
    )
    query: str | None = field(
        default=None,
        metadata={
            "help": "Choose what answers this question; exit code 1 if nothing does. --encoder use adds vectors.",
            "description": "A question: what answers it is chosen.",
            "longest": 10_000,
        },
    )
    fill: bool = field(
        default=False,
        metadata={
            "help": "With a query, fill the room that is left with other sentences.",
            "description": "With a query, other sentences take the room that is left.",
        },
    )
    header: str | None = field(
        default=None,
        metadata={
            "help": "Put this before each source; {id}, {title} and {number} are its own, \\n is a line break.",
            "description": "Comes before each source, with its {id}, {title} or {number}.",
            "breaks": True,
        },
    )
    omission: str | None = field(
        default=None,
        metadata={
            "help": "Mark where sentences are left out, for example with [...]; account says what they are about.",
            "description": "Comes where sentences are left out, for example [...]; account: what they are about.",
            "breaks": True,
        },
    )
    speakers: bool = field(
        default=True,
        metadata={
            "help": "In a conversation, say who speaks, once for each turn, or do not.",
            "description": "In a conversation, the name comes before what somebody says, once for each turn.",
        },
    )
    times: bool = field(
        default=False,
        metadata={
            "help": "In a conversation, say when each turn begins.",
            "description": "In a conversation, the time comes before each turn.",
        },
    )
    split: Split | None = field(
        default=None,
        metadata={
            "help": "Choose whole sentences, or whole lines as of a log. Default: lines if the text is a log.",
            "description": "Choose sentences, or lines as of a log. Null: lines if the text is a log.",
        },
    )
    more: str | None = field(
        default=None,
        metadata={
            "help": "Go on after an earlier summary of the same text: its key, which --format json shows as more.",
            "description": "Go on after an earlier summary of the same text, with the same options: its `more`.",
            "longest": 10_000,
        },
    )
    # On the command line, --encoder belongs to the model as well; a server has one for all requests.
    encoder: str | None = None

    @classmethod
    def of(cls, **keywords: Unpack["OptionKeywords"]) -> "Options":
        """Build the options from a caller's keywords: `include`, `exclude` and `keep` may be one or several."""
        values: dict[str, Any] = dict(keywords)
        for name in ("include", "exclude"):
            if name in values:
                values[name] = _indices(name, values[name])
        if "keep" in values:
            values["keep"] = _patterns(values["keep"])
        return cls(**values)

    def __post_init__(self) -> None:
        for name, option in OPTIONS.items():
            value = getattr(self, name)
            if option.kind == "choice" and value not in (*option.choices, option.default):
                raise UsageError(f"{name} must be {' or '.join(option.choices)}, not '{value}'")
            if option.kind == "text" and not isinstance(value, str | None):
                raise UsageError(f"{name} must be a string, not {value!r}")
            if option.kind == "switch" and not isinstance(value, bool):
                raise UsageError(f"{name} must be True or False, not {value!r}")
        if self.query is not None and not self.query.strip():
            raise UsageError("the query is empty: ask something, or leave it out")
        if self.fill and self.query is None:
            raise UsageError("`fill` only applies to a query: pass `query`, or leave it out")
        if self.encoder is not None and self.query is None:
            raise UsageError(
                "`encoder` only applies to a query: pass `query`, or choose the encoder in "
                "`Summarizer.load(encoder=...)`"
            )


class OptionKeywords(TypedDict, total=False):
    """The options as callers give them, for type checkers."""

    order: Order
    include: int | Iterable[int]
    exclude: int | Iterable[int]
    keep: str | Iterable[str]
    separator: str | None
    redundancy: Redundancy
    coherence: Coherence | None
    query: str | None
    fill: bool
    header: str | None
    omission: str | None
    speakers: bool
    times: bool
    split: Split | None
    more: str | None
    encoder: str | None


def _indices(name: str, indices: int | Iterable[int]) -> frozenset[int]:
    try:
        return frozenset(map(index, indices if isinstance(indices, Iterable) else (indices,)))
    except TypeError:
        raise UsageError(f"{name} must be sentence indices, whole numbers counted from 0, not {indices!r}") from None


def compiled(pattern: str) -> re.Pattern[str]:
    """Compile a user's regular expression, without Python's warnings about what it may mean one day."""
    with warnings.catch_warnings(action="ignore"):
        return re.compile(pattern)


def _patterns(patterns: str | Iterable[str]) -> tuple[str, ...]:
    several: tuple[object, ...] = (patterns,)
    if isinstance(patterns, Iterable) and not isinstance(patterns, str):
        several = tuple(patterns)
    for pattern in several:
        if not isinstance(pattern, str) or not pattern:
            raise UsageError(f"keep must be {', '.join(PATTERNS)} or a regular expression, not {pattern!r}")
        try:
            compiled(pattern)
        except (re.error, RecursionError, OverflowError) as error:
            raise UsageError(
                f"keep: '{pattern}' is no regular expression ({error}): give one, or {', '.join(PATTERNS)}"
            ) from None
    return cast(tuple[str, ...], several)


def _declared_options() -> dict[str, Keyword]:
    """Return the table of options: names, defaults and choices are those of the fields of `Options`."""
    hints, table = get_type_hints(Options), {}
    for option in fields(Options):
        hint = hints[option.name]
        # Of `Order`, the choices; of `Coherence | None`, those of its first part.
        listed = (*get_args(hint), *(choice for first in get_args(hint)[:1] for choice in get_args(first)))
        choices = tuple(choice for choice in listed if isinstance(choice, str))
        kind: Kind = "choice" if choices else "text"
        if option.default in (frozenset(), ()):
            kind = "indices" if option.default == frozenset() else "patterns"
        kind = "switch" if hint is bool else kind
        metavar = {"indices": "I", "patterns": "|".join(("REGEX", *PATTERNS)), "text": "TEXT"}.get(kind, "")
        table[option.name] = Keyword(
            option.name, kind, default=option.default, choices=choices, metavar=metavar, **option.metadata
        )
    return table


OPTIONS: dict[str, Keyword] = _declared_options()
# What is needed to read and to measure a text; the languages are those of `tersely.text`.
READING: dict[str, Keyword] = {
    "language": Keyword(
        "language",
        "choice",
        help="Language of the text. Default: detected.",
        description="Null: detected from the text.",
    ),
    "tokenizer": Keyword(
        "tokenizer",
        "text",
        help="A tokenizer.json, or a model or an encoding that tiktoken knows: gpt-4o.",
        metavar="FILE|NAME",
    ),
}
KEYWORDS: dict[str, Keyword] = BUDGETS | OPTIONS | READING
