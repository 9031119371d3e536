"""The whole pipeline, from a text to a summary that fits."""

import inspect
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, Unpack, cast, get_type_hints, overload

import numpy as np

from tersely.candidates import pinned
from tersely.encode import Encoder, load_encoder
from tersely.errors import ModelError, UsageError
from tersely.fitting import Fitting, Key
from tersely.frontier import Frontier
from tersely.languages import LANGUAGES
from tersely.layout import Layout
from tersely.models import DEFAULT, load_model
from tersely.options import BUDGETS, KEYWORDS, LARGEST, UNITS, Budget, Coherence, OptionKeywords, Options, Unit
from tersely.read import read
from tersely.score import SCORERS, Scorer, Values
from tersely.select import SELECTORS, Selector
from tersely.summary import Summary
from tersely.text.document import Document
from tersely.text.language import Language
from tersely.text.length import Tokenizer, token_counter
from tersely.text.logs import are_logs
from tersely.text.sources import Collection, Log, Text, as_document, in_lines, parts_of


class Keywords(OptionKeywords, total=False):
    """The keywords of `summarize` besides the budget, for type checkers."""

    language: Language | None
    tokenizer: Tokenizer | None


@dataclass(frozen=True)
class Summarizer:
    """Summarizes any text within a budget, in its own sentences.

    >>> summarizer = Summarizer.load(scorer="lead", select="greedy")
    >>> summarizer.summarize("One fish. Two fish. Red fish.", max_chars=20).text
    'One fish. Two fish.'
    """

    name: str
    scorer: Scorer
    selector: Selector
    encoder: Encoder | None = None
    languages: dict[str, Scorer] = field(default_factory=dict)
    coherence: Coherence = "off"
    encoders: dict[str, Encoder] = field(default_factory=dict)  # of the languages whose own scorers need vectors

    @classmethod
    def load(
        cls,
        model: str | Path | None = None,
        *,
        scorer: str | None = None,
        encoder: str | None = None,
        select: str | None = None,
    ) -> "Summarizer":
        """Load a shipped model by name or a model folder by path, or combine parts by name.

        A part may have settings after a colon: `Summarizer.load(scorer="pacsum:beta=0.1,lambda1=0.6")`.
        """
        if model is not None and scorer is not None:
            raise UsageError("give either a model or a scorer, not both")
        languages: dict[str, str] = {}
        coherence = "off"
        if scorer is None:
            chosen = load_model(model if model is not None else DEFAULT)
            name, spec, languages, coherence = chosen.name, chosen.scorer, chosen.languages, chosen.coherence
            encoder, select = encoder or chosen.encoder, select or chosen.select
        else:
            name = spec = scorer
        main_scorer = SCORERS.create(spec)
        scorers = {language: SCORERS.create(part) for language, part in languages.items()}
        if encoder is not None and not any(part.encoder for part in (main_scorer, *scorers.values())):
            raise UsageError(f"scorer '{spec}' works on words and takes no encoder")
        main_encoder = (encoder or main_scorer.encoder) if main_scorer.encoder is not None else None
        return cls(
            name=name,
            scorer=main_scorer,
            selector=SELECTORS.create(select or main_scorer.select),
            encoder=load_encoder(main_encoder) if main_encoder is not None else None,
            languages=scorers,
            coherence=cast(Coherence, coherence),
            encoders={
                language: load_encoder(encoder or part.encoder)
                for language, part in scorers.items()
                if part.encoder is not None
            },
        )

    @cached_property
    def fingerprint(self) -> str:
        """A hash of scorer, selector, encoder and their settings; it changes whenever a summary might."""
        parts = [repr(self.scorer), repr(self.selector), self.encoder.fingerprint if self.encoder else ""]
        parts += [f"{language} {scorer!r}" for language, scorer in sorted(self.languages.items())]
        parts += [f"{language} {encoder.fingerprint}" for language, encoder in sorted(self.encoders.items())]
        return _hash(parts)

    @overload
    def summarize(self, text: Text, *, max_chars: int, **keywords: Unpack[Keywords]) -> Summary: ...
    @overload
    def summarize(self, text: Text, *, max_words: int, **keywords: Unpack[Keywords]) -> Summary: ...
    @overload
    def summarize(self, text: Text, *, max_tokens: int, **keywords: Unpack[Keywords]) -> Summary: ...
    @overload
    def summarize(self, text: Text, *, max_bytes: int, **keywords: Unpack[Keywords]) -> Summary: ...
    @overload
    def summarize(self, text: Text, *, max_sentences: int, **keywords: Unpack[Keywords]) -> Summary: ...
    @overload
    def summarize(self, text: Text, *, ratio: float, **keywords: Unpack[Keywords]) -> Summary: ...
    def summarize(self, text: Text, **keywords: Any) -> Summary:
        """Return the best summary of `text` within exactly one budget.

        Keywords:
            max_chars, max_words, max_tokens, max_bytes, max_sentences: The most the summary may have,
                including the separators between its sentences.
            ratio: The most it may have as a share of the text's characters, from 0 to 1.
            order: "document" keeps the order of the text, "rank" puts the best sentences first.
            include, exclude: Indices, from 0, of sentences that must or must not be chosen.
            keep: Patterns whose sentences must all be chosen: "amounts", "dates", "ids", "errors", or a
                regular expression. If they need more than the budget, the error says how much.
            separator: The text between sentences; a space, or nothing in Chinese and Japanese, if None.
            redundancy: "duplicates" leaves out sentences that nearly repeat another one, "trigrams" also
                those that share three words in a row with one; "off" leaves out neither.
            coherence: "strict" makes a sentence that cannot be understood alone worth little or nothing
                without the one it needs, "soft" makes it worth less, and both leave out noise such as
                captions. "off" takes sentences as they are. None stands for the choice of the model.
            query: A question; sentences are chosen to answer it. The summary has the `confidence` that they do.
            fill: With a query, whether others take the room that is left, beginnings of sources first.
            header: A text before the sentences of each source; `{id}`, `{title}` and `{number}` in it
                stand for those of the source.
            omission: A mark between two sentences of a source where others are left out; "account" gives
                their place, their heading or best words, and their number, within the budget.
            speakers: In a conversation, whether the name comes before what somebody says, once for each turn.
            times: In a conversation, whether the time comes before each turn.
            split: "lines" chooses whole lines, as of a log or a tool's output: none is joined to another or moved, an
                error comes with its frame, and similar lines are counted. None chooses lines if the text is a log.
            more: The `more` of an earlier summary of the same text with the same options: the next-best part of the
                text is chosen, within its own budget, and nothing twice.
            encoder: An encoder whose vectors also compare sentences with the `query`.
            language: The language of the text, such as "en"; detected if None.
            tokenizer: What counts tokens for `max_tokens`: the path of a `tokenizer.json`, the name of a
                model or an encoding that tiktoken knows, or a function from a text to a number.

        The text may also be a `Document` or a list of sources, see `Source`.

        >>> Summarizer.load().summarize("Rain fell. It fell all day long.", max_words=2).text
        'Rain fell.'
        """
        for name in keywords:
            if name not in KEYWORDS:
                raise TypeError(f"summarize() got an unexpected keyword argument '{name}'")
        budget = Budget.one_of(**{name: keywords.pop(name, None) for name in BUDGETS})
        language, tokenizer = keywords.pop("language", None), keywords.pop("tokenizer", None)
        return self.fit(_split(text, language, keywords), budget, Options.of(**keywords), tokenizer)

    def fit(
        self, document: Document, budget: Budget, options: Options | None = None, tokenizer: Tokenizer | None = None
    ) -> Summary:
        """Summarize a `Document` with a ready-made `Budget` and `Options`.

        >>> Summarizer.load().fit(Document.from_text("Rain fell. It fell all day."), Budget(2, "words")).text
        'Rain fell.'
        """
        fitting = self._fitting(document, options or Options(), budget.counts, tokenizer)
        capacity = budget.capacity(document.text)
        return fitting.summary(fitting.choice(capacity), budget, capacity)

    def frontier(
        self,
        text: Text,
        *,
        unit: Unit = "chars",
        limit: int | None = None,
        nested: bool = False,
        **keywords: Unpack[Keywords],
    ) -> Frontier:
        """Return the summaries of `text` for every budget.

        `unit` is what budgets count: "chars", "words", "tokens", "bytes" or "sentences". `limit` is the
        largest budget; by default, that of the whole text. If `nested`, a larger budget only adds
        sentences. The other keywords are those of `summarize`.

        >>> frontier = Summarizer.load().frontier("One fish. Two fish. Red fish.", unit="sentences")
        >>> [step.length for step in frontier.steps()]
        [0, 1, 2, 3]
        """
        if unit not in UNITS:
            raise UsageError(f"unit must be one of {', '.join(UNITS)}, not '{unit}'")
        if limit is not None and not 1 <= limit <= LARGEST:
            raise UsageError(f"limit must be from 1 to {LARGEST:,}" + (f", not {limit}" if limit < 1 else ""))
        options: dict[str, Any] = dict(keywords)
        if options.get("more") is not None:
            raise UsageError("`more` goes on with a summary: a frontier shows the whole text")
        language, tokenizer = options.pop("language", None), options.pop("tokenizer", None)
        fitting = self._fitting(_split(text, language, options), Options.of(**options), unit, tokenizer)
        return Frontier(fitting, limit or fitting.largest, nested)

    def summarize_many(self, texts: Iterable[str | Document], **keywords: Any) -> Iterator[Summary]:
        """Summarize each text on its own, one at a time, with the keywords of `summarize`.

        >>> summarizer = Summarizer.load(scorer="lead")
        >>> [s.text for s in summarizer.summarize_many(["One. Two.", "Three."], max_sentences=1)]
        ['One.', 'Three.']
        """
        return (self.summarize(text, **keywords) for text in texts)

    def score(self, document: Document) -> Values:
        """Return one value per sentence; with several sources, by what they have in common."""
        if not len(document):
            return np.empty(0)
        if isinstance(document, Collection):
            return document.together(self._by_source(document))
        scorer, encoder = self.scorer, self.encoder
        if document.language in self.languages:
            scorer, encoder = self.languages[document.language], self.encoders.get(document.language)
        vectors = encoder.encode(document.texts) if encoder else np.empty((len(document), 0), np.float32)
        return self._checked(scorer.score(document, vectors), document)

    def _by_source(self, collection: Collection) -> list[Values]:
        """Return the values of the sentences within each source. A network reads small sources together, and faster."""
        network = getattr(self.scorer, "network", None)
        if network is None or self.languages:
            return [self.score(part) for part in collection.parts]
        filled = sum(len(part) > 0 for part in collection.parts)
        values = self._checked(read(collection, network).worth * filled, collection)
        return np.split(values, np.cumsum([len(part) for part in collection.parts])[:-1])

    def _checked(self, values: Values, document: Document) -> Values:
        if values.shape != (len(document),) or not np.isfinite(values).all():
            raise ModelError(f"{self.name} did not give one finite value per sentence: its files may be damaged")
        return values

    def _fitting(self, document: Document, options: Options, unit: Unit, tokenizer: Tokenizer | None) -> Fitting:
        if options.more is not None:
            return self._continued(document, options, unit, tokenizer)
        if options.coherence is None:
            options = replace(options, coherence=self.coherence)
        if options.split == "lines" or (options.split is None and are_logs(parts_of(document))):
            document = in_lines(document)
        if options.keep:
            options = replace(options, include=options.include | pinned(document, options.keep) - options.exclude)
        layout = Layout(document, unit, options, token_counter(tokenizer) if unit == "tokens" else None)
        # If the scorer reads with a network, the same network finds needs and noise.
        network = getattr(self.languages.get(document.language, self.scorer), "network", None)
        if options.query is not None:
            from tersely.score.question import Answering  # its patterns and words take time to load

            answering = Answering(load_encoder(options.encoder) if options.encoder else None)
            answer = answering.answer(document, options.query, options.fill)
            mark = _hash([answering.fingerprint, network.fingerprint]) if network else answering.fingerprint
            selector = SELECTORS.create(answering.select)
            return Fitting(layout, answer.values, selector, answering.name, mark, network, answer)
        if layout.in_lines:
            return Fitting(layout, layout.lines.worth, SELECTORS.create("knapsack"), "lines", _hash(["lines"]))
        return Fitting(layout, self.score(document), self.selector, self.name, self.fingerprint, network)

    def _continued(self, document: Document, options: Options, unit: Unit, tokenizer: Tokenizer | None) -> Fitting:
        """Return what is left of a text after the parts that a key stands for, which are chosen anew."""
        key = Key.parse(options.more or "")
        units = {part_unit for _, part_unit in key.parts} | {unit}
        fittings = {name: self._fitting(document, replace(options, more=None), name, tokenizer) for name in units}
        expected = fittings["tokens" if "tokens" in units else unit].key(key.parts)
        if expected.text != key.text:
            raise UsageError("the key in `more` is of another text: give the text that it came with")
        if expected.options != key.options:
            raise UsageError("the key in `more` is of other options or another model: give those of the first part")
        earlier: frozenset[int] = frozenset()
        for capacity, part_unit in key.parts:
            chosen = fittings[part_unit].after((), earlier).choice(capacity).chosen
            if not chosen:  # nobody was given such a key
                raise UsageError("the key in `more` is of more parts than the text has: give the last one that you got")
            earlier |= frozenset(chosen)
        layout = replace(fittings[unit].layout, options=replace(fittings[unit].layout.options, more=options.more))
        rest = replace(fittings[unit], layout=layout).after(key.parts, earlier)
        if "tokens" in fittings:  # the next key is of this tokenizer, too, whatever this part counts
            vars(rest)["tokens"] = fittings["tokens"].tokens
        return rest


def _split(text: Text, language: Language | None, options: Mapping[str, Any]) -> Document:
    """Return the document of a text; one whose lines are chosen is not split into sentences first."""
    lines = options.get("split") == "lines" and isinstance(text, str) and language in (None, *LANGUAGES)
    return Log.from_text(cast(str, text), language) if lines else as_document(text, language)


def _hash(parts: Iterable[str]) -> str:
    return sha256("\n".join(parts).encode()).hexdigest()[:16]


@overload
def summarize(text: Text, *, max_chars: int, **keywords: Unpack[Keywords]) -> Summary: ...
@overload
def summarize(text: Text, *, max_words: int, **keywords: Unpack[Keywords]) -> Summary: ...
@overload
def summarize(text: Text, *, max_tokens: int, **keywords: Unpack[Keywords]) -> Summary: ...
@overload
def summarize(text: Text, *, max_bytes: int, **keywords: Unpack[Keywords]) -> Summary: ...
@overload
def summarize(text: Text, *, max_sentences: int, **keywords: Unpack[Keywords]) -> Summary: ...
@overload
def summarize(text: Text, *, ratio: float, **keywords: Unpack[Keywords]) -> Summary: ...
def summarize(text: Text, **keywords: Any) -> Summary:
    """Summarize with the default model, within exactly one budget.

    Give one of `max_chars`, `max_words`, `max_tokens`, `max_bytes`, `max_sentences` and `ratio`. The other
    keywords are those of `Summarizer.summarize`, which explains each of them.

    >>> summarize("It rained. The river rose and the town was flooded by the river.", max_chars=12).text
    'It rained.'
    """
    return _default().summarize(text, **keywords)


def _show_keywords(function: Any, names: Iterable[str]) -> None:
    """Let `help` and editors that ask Python show the keywords of a function, which are declared in `options`."""
    types: dict[str, Any] = get_type_hints(Keywords)
    types |= {name: (float if budget.kind == "share" else int) | None for name, budget in BUDGETS.items()}
    signature = inspect.signature(function)
    parameters = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    parameters += [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=() if KEYWORDS[name].kind == "indices" else KEYWORDS[name].default,
            annotation=types[name],
        )
        for name in names
    ]
    function.__signature__ = signature.replace(parameters=parameters)


_show_keywords(summarize, KEYWORDS)
_show_keywords(Summarizer.summarize, KEYWORDS)
_show_keywords(Summarizer.frontier, (name for name in KEYWORDS if name not in BUDGETS))


@cache
def _default() -> Summarizer:
    return Summarizer.load()
