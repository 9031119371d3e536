"""How well a summary answers a question: its answers, supporting facts, and words of a reference."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import log
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tersely.encode import DEFAULT_ENCODER, load_encoder
from tersely.errors import InputError, UsageError
from tersely.evaluate import describe
from tersely.evaluate.measures import Tokenization, dice, ngrams
from tersely.fitting import Choice, Fitting
from tersely.io.lines import Fault, read_objects
from tersely.layout import Layout
from tersely.options import Budget, Coherence, Options
from tersely.score.question import Answering, stemmed
from tersely.select import SELECTORS
from tersely.text.language import content_words
from tersely.text.length import TokenCounter
from tersely.text.sources import Collection, located
from tersely.text.words import all_words

Values = NDArray[np.float64]

SYSTEMS = ("query", "query@use", "bm25", "vectors", "lead")
HEADER = ("budget", "system", "questions", "answer kept", "all facts kept", "R-1")


@dataclass(frozen=True)
class SourcedQuestion:
    """A question, the sources that may answer it, and what a good summary has.

    `answers` are strings; the summary should have one of them. `facts` are spans, each the id of a source, a start and
    an end; the summary should have a part of each. `references` are texts; the most similar one counts.
    """

    query: str
    sources: Collection
    answers: tuple[str, ...] = ()
    facts: tuple[tuple[str, int, int], ...] = ()
    references: tuple[str, ...] = field(default=(), repr=False)


def read_questions(path: Path) -> Iterator[SourcedQuestion]:
    """Yield the questions of JSON Lines with `query`, `documents`, and `answers`, `facts` or `summary`."""
    for item in read_objects(path):
        if isinstance(item, Fault):
            raise InputError(str(item))
        line, value = item
        try:
            yield SourcedQuestion(
                query=str(value["query"]),
                sources=Collection.gather(value["documents"]),
                answers=tuple(map(str, value.get("answers") or ())),
                facts=tuple((str(name), int(start), int(end)) for name, start, end in value.get("facts") or ()),
                references=tuple(map(str, value.get("summary") or ())),
            )
        except (KeyError, TypeError, ValueError, UsageError) as error:
            raise InputError(f"{path}:{line}: not a question with 'query' and 'documents': {error}") from None


def compare(
    questions: Iterable[SourcedQuestion],
    systems: Sequence[str],
    budgets: Sequence[Budget],
    coherence: Coherence = "off",
    tokens: TokenCounter | None = None,
) -> list[tuple[str, ...]]:
    """Return the cells of a table: the mean figures of each budget and system.

    The figures are the shares of the `questions` whose answer is kept and whose facts are all kept, and ROUGE-1. Each
    of the `systems` runs at all `budgets` with this `coherence`; `tokens` counts tokens for budgets in tokens.
    """
    loaded = {name: _system(name) for name in systems}
    figures: dict[tuple[int, str], list[tuple[float | None, ...]]] = {}
    for question in questions:
        for name, system in loaded.items():
            fitting = system(question)
            for number, budget in enumerate(budgets):
                text = "".join(source.text for source in question.sources.sources)
                options = Options(coherence=coherence, query=question.query)
                layout = Layout(question.sources, budget.counts, options, tokens)
                choice = Fitting(layout, fitting.values, fitting.selector, name, "").choice(budget.capacity(text))
                figures.setdefault((number, name), []).append(_figures(question, choice))
    if not figures:
        raise InputError("there are no questions")
    rows: list[tuple[str, ...]] = [HEADER]
    for number, budget in enumerate(budgets):
        for name in systems:
            by_question = figures[number, name]
            means = (_mean([row[k] for row in by_question]) for k in range(3))
            rows.append((describe(budget), name, str(len(by_question)), *means))
    return rows


def _mean(figures: Sequence[float | None]) -> str:
    values = [figure for figure in figures if figure is not None]
    return f"{100 * sum(values) / len(values):.1f}" if values else ""


def _figures(question: SourcedQuestion, choice: Choice) -> tuple[float | None, ...]:
    text = _plain(choice.text)
    answer = float(any(_plain(a) in text for a in question.answers)) if question.answers else None
    spans = [located(question.sources, i) for i in choice.chosen]
    facts = None
    if question.facts:
        touched = (any(s == name and a < end and b > start for a, b, s in spans) for name, start, end in question.facts)
        facts = float(all(touched))
    alike = [_rouge1(reference, choice.text, question) for reference in question.references]
    return answer, facts, max(alike) if alike else None


def _plain(text: str) -> str:
    return "".join(text.casefold().split())


def _rouge1(reference: str, text: str, question: SourcedQuestion) -> float:
    tokenization, language = Tokenization(), question.sources.language
    return dice(*(ngrams(tokenization.tokens(part, language), 1) for part in (reference, text)))


def _system(name: str) -> Callable[[SourcedQuestion], Fitting]:
    """Return the system of a name, from a question to a fitting for any budget."""
    base, _, encoder = name.partition("@")
    if base not in ("query", "bm25", "vectors", "lead") or (encoder and base == "lead"):
        raise UsageError(f"there is no system '{name}' for questions: choose from {', '.join(SYSTEMS)}")
    if base == "query":
        answering = Answering(load_encoder(encoder) if encoder else None)
        return lambda question: _fitting(question, answering.values(question.sources, question.query), "knapsack")
    if base == "vectors":
        vectors = load_encoder(encoder or DEFAULT_ENCODER)

        def cosines(question: SourcedQuestion) -> Fitting:
            rows = vectors.encode([question.query, *question.sources.texts])
            return _fitting(question, np.maximum(rows[1:] @ rows[0], 0) + 1e-6)

        return cosines
    if base == "bm25":
        return lambda question: _fitting(question, _bm25(question) + 1e-6)
    return lambda question: _fitting(question, 1.0 / (1 + np.arange(len(question.sources))))


def _fitting(question: SourcedQuestion, values: Any, select: str = "greedy") -> Fitting:
    layout = Layout(question.sources, "chars", Options(query=question.query))
    return Fitting(layout, np.asarray(values, dtype=np.float64), SELECTORS.create(select), "", "")


def _bm25(question: SourcedQuestion, saturation: float = 1.2, norm: float = 0.75) -> Values:
    """Return the BM25 of each sentence, to which the words of its source's title are added."""
    sources = question.sources
    language = sources.language
    words = content_words(all_words(question.query, language), language)
    query = {stem for word in words for stem in stemmed(word, language)}
    rows: list[list[str]] = []
    for source, part in zip(sources.sources, sources.parts, strict=True):
        title = stemmed(source.heading, part.language)
        rows += [[*stemmed(text, part.language), *title] for text in part.texts]
    count, mean = len(rows), sum(map(len, rows)) / max(len(rows), 1) or 1.0
    frequency = Counter(stem for row in rows for stem in query.intersection(row))
    weights = {stem: log(1 + (count - f + 0.5) / (f + 0.5)) for stem, f in frequency.items()}
    scores = np.zeros(count)
    for i, row in enumerate(rows):
        length = saturation * (1 - norm + norm * len(row) / mean)
        counts = Counter(stem for stem in row if stem in query)
        scores[i] = sum(weights[stem] * n * (saturation + 1) / (n + length) for stem, n in counts.items())
    return scores
