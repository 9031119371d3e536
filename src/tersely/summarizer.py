"""The whole pipeline, from a text to a summary that fits."""

import inspect
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, TypedDict, Unpack, cast, get_args, overload

import numpy as np

from tersely.budget import LARGEST, Budget
from tersely.encode import Encoder, load_encoder
from tersely.errors import ModelError, UsageError
from tersely.fitting import Fitting
from tersely.frontier import Frontier
from tersely.layout import Coherence, Layout, Options, Order, Redundancy
from tersely.models import DEFAULT, load_model
from tersely.score import SCORERS, Scorer, Values
from tersely.score._question import Answering
from tersely.select import SELECTORS, Selector
from tersely.summary import Summary
from tersely.text.document import Document
from tersely.text.language import Language
from tersely.text.length import Tokenizer, Unit, token_counter
from tersely.text.sources import Collection, Text, as_document


class Keywords(TypedDict, total=False):
    """Arguments of `summarize` besides the text and the budget."""

    order: Order
    include: int | Iterable[int]
    exclude: int | Iterable[int]
    separator: str | None
    redundancy: Redundancy
    coherence: Coherence | None
    header: str | None
    omission: str | None
    query: str | None
    encoder: str | None
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
        part = SCORERS.create(spec)
        own = {language: SCORERS.create(each) for language, each in languages.items()}
        if encoder is not None and not any(each.encoder for each in (part, *own.values())):
            raise UsageError(f"scorer '{spec}' works on words and takes no encoder")
        wanted = (encoder or part.encoder) if part.encoder is not None else None
        return cls(
            name=name,
            scorer=part,
            selector=SELECTORS.create(select or part.select),
            encoder=load_encoder(wanted) if wanted is not None else None,
            languages=own,
            coherence=cast(Coherence, coherence),
            encoders={
                language: load_encoder(encoder or each.encoder)
                for language, each in own.items()
                if each.encoder is not None
            },
        )

    @property
    def fingerprint(self) -> str:
        """A hash of scorer, selector, encoder and their settings; it changes whenever a summary might."""
        parts = [repr(self.scorer), repr(self.selector), self.encoder.fingerprint if self.encoder else ""]
        parts += [f"{language} {scorer!r}" for language, scorer in sorted(self.languages.items())]
        parts += [f"{language} {encoder.fingerprint}" for language, encoder in sorted(self.encoders.items())]
        return _hash(parts)

    @overload
    def summarize(self, text: Text, *, max_chars: int, **how: Unpack[Keywords]) -> Summary: ...
    @overload
    def summarize(self, text: Text, *, max_words: int, **how: Unpack[Keywords]) -> Summary: ...
    @overload
    def summarize(self, text: Text, *, max_tokens: int, **how: Unpack[Keywords]) -> Summary: ...
    @overload
    def summarize(self, text: Text, *, max_bytes: int, **how: Unpack[Keywords]) -> Summary: ...
    @overload
    def summarize(self, text: Text, *, max_sentences: int, **how: Unpack[Keywords]) -> Summary: ...
    @overload
    def summarize(self, text: Text, *, ratio: float, **how: Unpack[Keywords]) -> Summary: ...
    def summarize(
        self,
        text: Text,
        *,
        max_chars: int | None = None,
        max_words: int | None = None,
        max_tokens: int | None = None,
        max_bytes: int | None = None,
        max_sentences: int | None = None,
        ratio: float | None = None,
        order: Order = "document",
        include: int | Iterable[int] = (),
        exclude: int | Iterable[int] = (),
        separator: str | None = None,
        redundancy: Redundancy = "duplicates",
        coherence: Coherence | None = None,
        header: str | None = None,
        omission: str | None = None,
        query: str | None = None,
        encoder: str | None = None,
        language: Language | None = None,
        tokenizer: Tokenizer | None = None,
    ) -> Summary:
        """Return the best summary within exactly one budget; the separators between sentences count.

        `include` and `exclude` are the indices, from 0, of sentences that must or must not be chosen. `max_tokens`
        needs a `tokenizer`: the path of a `tokenizer.json`, the name of a tiktoken encoding, or a function that counts
        the tokens of a text. The text may be a list of sources, see `Source`; `query` is a question to answer.

        >>> Summarizer.load().summarize("Rain fell. It fell all day long.", max_words=2).text
        'Rain fell.'
        """
        budget = Budget.one_of(
            max_chars=max_chars,
            max_words=max_words,
            max_tokens=max_tokens,
            max_bytes=max_bytes,
            max_sentences=max_sentences,
            ratio=ratio,
        )
        options = Options.of(
            order, include, exclude, separator, redundancy, coherence, header, omission, query, encoder
        )
        return self.fit(as_document(text, language), budget, options, tokenizer)

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
        order: Order = "document",
        include: int | Iterable[int] = (),
        exclude: int | Iterable[int] = (),
        separator: str | None = None,
        redundancy: Redundancy = "duplicates",
        coherence: Coherence | None = None,
        header: str | None = None,
        omission: str | None = None,
        query: str | None = None,
        encoder: str | None = None,
        language: Language | None = None,
        tokenizer: Tokenizer | None = None,
        nested: bool = False,
    ) -> Frontier:
        """Return the summaries for every budget up to `limit`, or all; if `nested`, more only adds sentences.

        >>> frontier = Summarizer.load().frontier("One fish. Two fish. Red fish.", unit="sentences")
        >>> [step.length for step in frontier.steps()]
        [0, 1, 2, 3]
        """
        if unit not in get_args(Unit):
            raise UsageError(f"unit must be one of {', '.join(get_args(Unit))}, not '{unit}'")
        if limit is not None and not 1 <= limit <= LARGEST:
            raise UsageError(f"limit must be from 1 to {LARGEST:,}" + (f", not {limit}" if limit < 1 else ""))
        options = Options.of(
            order, include, exclude, separator, redundancy, coherence, header, omission, query, encoder
        )
        fitting = self._fitting(as_document(text, language), options, unit, tokenizer)
        return Frontier(fitting, limit or fitting.largest, nested)

    def summarize_many(self, texts: Iterable[str | Document], **how: Any) -> Iterator[Summary]:
        """Summarize each text on its own, one at a time, with the arguments of `summarize`.

        >>> summarizer = Summarizer.load(scorer="lead")
        >>> [s.text for s in summarizer.summarize_many(["One. Two.", "Three."], max_sentences=1)]
        ['One.', 'Three.']
        """
        return (self.summarize(text, **how) for text in texts)

    def score(self, document: Document) -> Values:
        """Return one value per sentence; with several sources, by what they have in common."""
        if not len(document):
            return np.empty(0)
        if isinstance(document, Collection):
            return document.together([self.score(part) for part in document.parts])
        scorer, encoder = self.scorer, self.encoder
        if document.language in self.languages:
            scorer, encoder = self.languages[document.language], self.encoders.get(document.language)
        vectors = encoder.encode(document.texts) if encoder else np.empty((len(document), 0), np.float32)
        values = scorer.score(document, vectors)
        if values.shape != (len(document),) or not np.isfinite(values).all():
            raise ModelError(f"{self.name} did not give one finite value per sentence: its files may be damaged")
        return values

    def _fitting(self, document: Document, options: Options, unit: Unit, tokenizer: Tokenizer | None) -> Fitting:
        if options.coherence is None:
            options = replace(options, coherence=self.coherence)
        layout = Layout(document, unit, options, token_counter(tokenizer) if unit == "tokens" else None)
        # A scorer that has a network for reading has it say, too, what sentences need and which are noise.
        network = getattr(self.languages.get(document.language, self.scorer), "network", None)
        if options.query is not None:
            answering = Answering(load_encoder(options.encoder) if options.encoder else None)
            values = answering.values(document, options.query)
            mark = _hash([answering.fingerprint, network.fingerprint]) if network else answering.fingerprint
            selector = SELECTORS.create(answering.select)
            return Fitting(layout, values, selector, answering.name, mark, network)
        return Fitting(layout, self.score(document), self.selector, self.name, self.fingerprint, network)


def _hash(parts: Iterable[str]) -> str:
    return sha256("\n".join(parts).encode()).hexdigest()[:16]


@overload
def summarize(text: Text, *, max_chars: int, **how: Unpack[Keywords]) -> Summary: ...
@overload
def summarize(text: Text, *, max_words: int, **how: Unpack[Keywords]) -> Summary: ...
@overload
def summarize(text: Text, *, max_tokens: int, **how: Unpack[Keywords]) -> Summary: ...
@overload
def summarize(text: Text, *, max_bytes: int, **how: Unpack[Keywords]) -> Summary: ...
@overload
def summarize(text: Text, *, max_sentences: int, **how: Unpack[Keywords]) -> Summary: ...
@overload
def summarize(text: Text, *, ratio: float, **how: Unpack[Keywords]) -> Summary: ...
def summarize(text: Text, **how: Any) -> Summary:
    """Summarize with the default model, within exactly one budget.

    `include` and `exclude` are the indices, from 0, of sentences that must or must not be chosen. `max_tokens`
    needs a `tokenizer`: the path of a `tokenizer.json`, the name of a tiktoken encoding, or a function that counts the
    tokens of a text. The text may be a list of sources, see `Source`; `query` is a question to answer.

    >>> summarize("It rained. The river rose and the town was flooded by the river.", max_chars=12).text
    'It rained.'
    """
    return _default().summarize(text, **how)


# Lets `help` and editors show the parameters, which are declared only once, above.
_signature = inspect.signature(Summarizer.summarize)
summarize.__signature__ = _signature.replace(parameters=list(_signature.parameters.values())[1:])  # type: ignore[attr-defined]


@cache
def _default() -> Summarizer:
    return Summarizer.load()
