"""The whole way from a text to a summary that fits."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from tersely.budget import Budget
from tersely.encode import Encoder, load_encoder
from tersely.errors import ModelError, UsageError
from tersely.fit import Fit, Fitter, Options, Order, Redundancy
from tersely.frontier import Frontier
from tersely.models import DEFAULT, load_model
from tersely.score import SCORERS, Scorer, Values
from tersely.select import SELECTORS, Selector
from tersely.summary import ScoredSentence, Summary
from tersely.text import LANGUAGES, Document, Language
from tersely.text.length import TokenCounter, Unit
from tersely.text.tokens import load_token_counter


@dataclass(frozen=True)
class Summarizer:
    """Fits texts to budgets, in their own words.

    >>> summarizer = Summarizer.load(scorer="lead", select="greedy")
    >>> summarizer.summarize("One fish. Two fish. Red fish.", max_chars=20).text
    'One fish. Two fish.'
    """

    name: str
    scorer: Scorer
    selector: Selector
    encoder: Encoder | None = None
    languages: dict[str, Scorer] = field(default_factory=dict)

    @classmethod
    def load(
        cls,
        model: str | Path | None = None,
        *,
        scorer: str | None = None,
        encoder: str | None = None,
        select: str | None = None,
    ) -> "Summarizer":
        """Load a shipped model by name, a model folder by path, or put one together from parts by their names.

        A part may have settings after a colon: `Summarizer.load(scorer="pacsum:beta=0.1,lambda1=0.6")`.
        """
        if model is not None and scorer is not None:
            raise UsageError("give either a model or a scorer, not both")
        languages: dict[str, str] = {}
        if scorer is None:
            chosen = load_model(model if model is not None else DEFAULT)
            name, spec, languages = chosen.name, chosen.scorer, chosen.languages
            encoder, select = encoder or chosen.encoder, select or chosen.select
        else:
            name = spec = scorer
        part = SCORERS.create(spec)
        if part.encoder is None and encoder is not None:
            raise UsageError(f"scorer '{spec}' works on words and takes no encoder")
        wanted = encoder or part.encoder
        return cls(
            name=name,
            scorer=part,
            selector=SELECTORS.create(select or part.select),
            encoder=load_encoder(wanted) if wanted is not None else None,
            languages={language: SCORERS.create(own) for language, own in languages.items()},
        )

    @property
    def fingerprint(self) -> str:
        """Changes whenever a summary might: scorer, selector, encoder and their settings."""
        parts = [repr(self.scorer), repr(self.selector), self.encoder.fingerprint if self.encoder else ""]
        parts += [f"{language} {scorer!r}" for language, scorer in sorted(self.languages.items())]
        return sha256("\n".join(parts).encode()).hexdigest()[:16]

    def summarize(
        self,
        text: str | Document,
        *,
        max_chars: int | None = None,
        max_words: int | None = None,
        max_tokens: int | None = None,
        max_bytes: int | None = None,
        max_sentences: int | None = None,
        ratio: float | None = None,
        order: Order = "document",
        include: Iterable[int] = (),
        exclude: Iterable[int] = (),
        separator: str | None = None,
        redundancy: Redundancy = "duplicates",
        language: Language | None = None,
        tokenizer: str | Path | TokenCounter | None = None,
    ) -> Summary:
        """Return the best summary within exactly one budget, separators between its sentences counted.

        `max_tokens` needs a `tokenizer`: the path of a `tokenizer.json`, or a function from text to a count.

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
        options = Options(order, frozenset(include), frozenset(exclude), separator, redundancy)
        document = _document(text, language)
        fitter = self._fitter(document, options, budget.counts, tokenizer)
        capacity = budget.capacity(document.text)
        return self._summary(fitter, fitter.fit(capacity), budget, capacity)

    def frontier(
        self,
        text: str | Document,
        *,
        unit: Unit = "chars",
        limit: int | None = None,
        order: Order = "document",
        include: Iterable[int] = (),
        exclude: Iterable[int] = (),
        separator: str | None = None,
        redundancy: Redundancy = "duplicates",
        language: Language | None = None,
        tokenizer: str | Path | TokenCounter | None = None,
    ) -> Frontier:
        """Return the summaries for every budget up to `limit`, by default up to the whole text.

        >>> frontier = Summarizer.load().frontier("One fish. Two fish. Red fish.", unit="sentences")
        >>> [step.length for step in frontier.steps()]
        [0, 1, 2, 3]
        """
        if limit is not None and limit < 1:
            raise UsageError(f"limit must be at least 1, not {limit}")
        options = Options(order, frozenset(include), frozenset(exclude), separator, redundancy)
        fitter = self._fitter(_document(text, language), options, unit, tokenizer)

        def summary_of(fit: Fit, budget: Budget, capacity: int) -> Summary:
            return self._summary(fitter, fit, budget, capacity)

        return Frontier(fitter, limit or fitter.largest, summary_of)

    def summarize_many(self, texts: Iterable[str | Document], **how: Any) -> Iterator[Summary]:
        """Summarize one text after the other, each alone, with the arguments of `summarize`.

        >>> [s.text for s in Summarizer.load().summarize_many(["One. Two.", "Three."], max_sentences=1)]
        ['One.', 'Three.']
        """
        return (self.summarize(text, **how) for text in texts)

    def score(self, document: Document) -> Values:
        """Return one value a sentence."""
        if not len(document):
            return np.empty(0)
        vectors = self.encoder.encode(document.texts) if self.encoder else np.empty((len(document), 0), np.float32)
        values = self.languages.get(document.language, self.scorer).score(document, vectors)
        if values.shape != (len(document),) or not np.isfinite(values).all():
            raise ModelError(f"{self.name} gave values that are not numbers: its files may be damaged")
        return values

    def _fitter(
        self, document: Document, options: Options, unit: Unit, tokenizer: str | Path | TokenCounter | None
    ) -> Fitter:
        tokens = _token_counter(tokenizer, unit)
        return Fitter(document, self.score(document), self.selector, options, unit, tokens)

    def _summary(self, fitter: Fitter, fit: Fit, budget: Budget, capacity: int) -> Summary:
        document, values, chosen = fitter.document, fitter.values, set(fit.chosen)

        def scored(i: int) -> ScoredSentence:
            start, end = document.sentences[i]
            return ScoredSentence(i, start, end, document.texts[i], float(values[i]), i in chosen)

        return Summary(
            text=fit.text,
            sentences=tuple(map(scored, fitter.ordered(fit.chosen))),
            ranking=tuple(map(scored, fitter.ranks)),
            language=document.language,
            budget=budget,
            capacity=capacity,
            length=fit.length,
            reason=fit.reason,
            needed=min(fitter.lengths) if fit.reason == "nothing-fits" else None,
            model=self.name,
            fingerprint=self.fingerprint,
            source=document.text,
        )


def summarize(text: str | Document, **how: Any) -> Summary:
    """Summarize with the default model; the arguments are those of `Summarizer.summarize`.

    >>> summarize("It rained. The river rose and the town was flooded by the river.", max_chars=12).text
    'It rained.'
    """
    return _default().summarize(text, **how)


@cache
def _default() -> Summarizer:
    return Summarizer.load()


def _document(text: str | Document, language: Language | None) -> Document:
    if isinstance(text, Document):
        return text
    if not isinstance(text, str):
        raise UsageError(f"the text must be a string, not {type(text).__name__}")
    if language is not None and language not in LANGUAGES:
        raise UsageError(f"language must be one of {', '.join(LANGUAGES)}, not '{language}'")
    return Document.from_text(text, language)


def _token_counter(tokenizer: str | Path | TokenCounter | None, unit: Unit) -> TokenCounter | None:
    if unit != "tokens":
        return None
    if tokenizer is None:
        raise UsageError("a budget in tokens needs a tokenizer: give the path of a tokenizer.json")
    return load_token_counter(str(tokenizer)) if isinstance(tokenizer, str | Path) else tokenizer
