"""How well a summary answers a question: its answers, supporting facts, and words of a reference."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from math import log
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tersely.encode import Encoder, load_encoder
from tersely.encode.light import pieces
from tersely.errors import InputError, UsageError
from tersely.evaluate import describe
from tersely.evaluate.measures import Tokenization, dice, ngrams
from tersely.fitting import Fitting
from tersely.io.lines import Fault, read_objects
from tersely.layout import Layout
from tersely.options import Budget, Coherence, Options
from tersely.score.matching import stemmed
from tersely.score.question import Answering, meaning
from tersely.select import SELECTORS
from tersely.text.language import content_words
from tersely.text.length import TokenCounter
from tersely.text.sources import Collection, located
from tersely.text.words import all_words

Values = NDArray[np.float64]

USUAL = ("query", "bm25", "vectors", "lead")
SYSTEMS = (*USUAL, "oracle", "textcrusher")
HEADER = ("budget", "system", "questions", "answer kept", "all facts kept", "R-1", "too long", "AUC")


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

    The figures are the shares of the `questions` whose answer is kept and whose facts are all kept, ROUGE-1, the share
    of the summaries that are over the budget, and how well the system tells questions without an answer: AUC. Each of
    the `systems` runs at all `budgets` with this `coherence`; `tokens` counts tokens for budgets in tokens.
    """
    questions = list(questions)
    if not questions:
        raise InputError("there are no questions")
    rows: dict[tuple[int, str], tuple[str, ...]] = {}
    for name in systems:
        answers = [_system(name)(question) for question in questions]
        telling = _telling(name, questions, answers)
        for number, budget in enumerate(budgets):
            figures = [
                _figures(question, answer, budget, Options(coherence=coherence, query=question.query), tokens)
                for question, answer in zip(questions, answers, strict=True)
            ]
            means = (_mean([row[k] for row in figures]) for k in range(4))
            rows[number, name] = (describe(budget), name, str(len(figures)), *means, telling)
    return [HEADER, *(rows[number, name] for number in range(len(budgets)) for name in systems)]


def _telling(name: str, questions: Sequence[SourcedQuestion], answers: Sequence["_Scored"]) -> str:
    """Return how well a system tells questions with an answer from those without, in percent."""
    answered = [answer.certainty for answer in answers if answer.certainty is not None]
    unanswered = [
        certainty
        for number, question in enumerate(questions if answered else ())
        for _, sources in unanswerable(questions, number)
        if (certainty := _system(name)(replace(question, sources=sources)).certainty) is not None
    ]
    return f"{100 * area(answered, unanswered):.1f}" if unanswered else ""


def unanswerable(questions: Sequence[SourcedQuestion], number: int) -> Iterator[tuple[str, Collection]]:
    """Yield sources that do not answer one of the questions, and how they are made.

    From its own, those with an answer or a fact are "taken away"; and the sources "of others" are those of a question
    half of the list away.
    """
    question, another = questions[number], questions[(number + len(questions) // 2) % len(questions)]
    answers = [answer for answer in map(_plain, question.answers) if answer]
    sourced = {name for name, _, _ in question.facts}
    rest = [
        source
        for source in question.sources.sources
        if source.id not in sourced and not any(answer in _plain(source.text) for answer in answers)
    ]
    if rest and len(rest) < len(question.sources.sources):
        yield "taken away", Collection.gather(rest)
    if another.sources.text != question.sources.text:
        yield "of others", another.sources


def area(answered: Sequence[float], unanswered: Sequence[float]) -> float:
    """Return the chance that a question with an answer has the greater figure than one without: AUC.

    >>> area([0.9, 0.5], [0.5, 0.1])
    0.875
    """
    lower, upper = (np.searchsorted(np.sort(unanswered), answered, side=side) for side in ("left", "right"))
    return float((lower + upper).mean() / 2 / len(unanswered))


def _mean(figures: Sequence[float | None]) -> str:
    values = [figure for figure in figures if figure is not None]
    return f"{100 * sum(values) / len(values):.1f}" if values else ""


def _figures(
    question: SourcedQuestion, answer: "_Scored", budget: Budget, options: Options, tokens: TokenCounter | None
) -> tuple[float | None, ...]:
    """Return what of the answer, the facts and a reference is kept, and whether the summary is too long."""
    layout = Layout(question.sources, budget.counts, options, tokens)
    capacity = budget.capacity("".join(source.text for source in question.sources.sources))
    if answer.write is None:
        selector = SELECTORS.create(answer.select)
        choice = Fitting(layout, np.asarray(answer.values, np.float64), selector, "", "").choice(capacity)
        summary, text, chosen = choice.text, _plain(choice.text), list(choice.chosen)
    else:
        summary = answer.write(budget)
        text = _plain(summary)
        chosen = [i for i, sentence in enumerate(question.sources.texts) if _plain(sentence) in text]
    is_kept = float(any(_plain(a) in text for a in question.answers)) if question.answers else None
    spans = [located(question.sources, i) for i in chosen]
    facts = None
    if question.facts:
        touched = (any(s == name and a < end and b > start for a, b, s in spans) for name, start, end in question.facts)
        facts = float(all(touched))
    alike = [_rouge1(reference, summary, question) for reference in question.references]
    length = len(chosen) if budget.unit == "sentences" else layout.measure(summary)
    return is_kept, facts, max(alike) if alike else None, float(length > capacity)


def _plain(text: str) -> str:
    return "".join(text.casefold().split())


def _rouge1(reference: str, text: str, question: SourcedQuestion) -> float:
    tokenization, language = Tokenization(), question.sources.language
    return dice(*(ngrams(tokenization.tokens(part, language), 1) for part in (reference, text)))


class _Scored(NamedTuple):
    """What a system says of a question: values for the selector, or a text for a budget; and how sure it is."""

    values: Values | None = None
    select: str = "greedy"
    certainty: float | None = None
    write: Callable[[Budget], str] | None = None


def _system(name: str) -> Callable[[SourcedQuestion], _Scored]:
    """Return the system of a name."""
    base, _, encoder = name.partition("@")
    if base not in SYSTEMS or (encoder and base not in ("query", "vectors")):
        raise UsageError(f"there is no system '{name}' for questions: choose from {', '.join(SYSTEMS)}")
    if base == "query":
        return partial(_query, load_encoder(encoder) if encoder else None)
    if base == "vectors":
        return partial(_vectors, load_encoder(encoder)) if encoder else _pieces
    return {"bm25": _bm25, "textcrusher": _textcrusher, "lead": _lead, "oracle": _oracle}[base]


def _query(encoder: Encoder | None, question: SourcedQuestion) -> _Scored:
    answer = Answering(encoder).answer(question.sources, question.query)
    return _Scored(answer.values, Answering.select, answer.confidence)


def _vectors(encoder: Encoder, question: SourcedQuestion) -> _Scored:
    rows = encoder.encode([question.query, *question.sources.texts])
    return _by(np.maximum(rows[1:] @ rows[0], 0))


def _pieces(question: SourcedQuestion) -> _Scored:
    return _by(meaning(pieces().nearness(question.query, question.sources.texts)))


def _lead(question: SourcedQuestion) -> _Scored:
    return _Scored(1.0 / (1 + np.arange(len(question.sources))))


def _oracle(question: SourcedQuestion) -> _Scored:
    """Choose the shortest sentence with the answer and of each fact: what whole sentences could keep at best."""
    texts, values = question.sources.texts, np.zeros(len(question.sources))
    spans = [located(question.sources, i) for i in range(len(texts))]
    answers = list(filter(None, map(_plain, question.answers)))
    sought = [[i for i, text in enumerate(texts) if any(answer in _plain(text) for answer in answers)]]
    sought += [
        [i for i, (start, end, source) in enumerate(spans) if source == name and start < last and end > first]
        for name, first, last in question.facts
    ]
    for sentences in filter(None, sought):
        values[min(sentences, key=lambda i: len(texts[i]))] = 1.0
    return _Scored(values)


def _textcrusher(question: SourcedQuestion) -> _Scored:
    """Ask Headroom's TextCrusher, which takes one text and a share of it."""
    try:
        peer = import_module("headroom._core")
    except ImportError:
        raise UsageError("system 'textcrusher' needs another package: pip install headroom-ai") from None
    text = "\n".join(source.text for source in question.sources.sources)

    def write(budget: Budget) -> str:
        share = budget.limit if budget.unit == "ratio" else min(1.0, budget.capacity(text) / max(len(text), 1))
        crusher = peer.TextCrusher(peer.TextCrusherConfig(target_ratio=share))
        return str(crusher.compress(text, question.query).compressed)

    return _Scored(write=write)


def _by(values: Values) -> _Scored:
    return _Scored(values + 1e-6, certainty=float(values.max(initial=0.0)))


def _bm25(question: SourcedQuestion, saturation: float = 1.2, norm: float = 0.75) -> _Scored:
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
    return _by(scores)
