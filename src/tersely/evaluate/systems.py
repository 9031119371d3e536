"""What can be compared: our own systems, the oracle, and other tools. Each makes an extract within a budget."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, cast

from tersely.datasets import Record
from tersely.encode import Recent
from tersely.errors import MissingExtraError, UsageError
from tersely.evaluate.measures import Tokenization, dice, ngrams
from tersely.layout import Layout
from tersely.models import shipped_models
from tersely.options import Budget, Options
from tersely.score import SCORERS
from tersely.summarizer import Summarizer
from tersely.text import Document, Language
from tersely.text.words import all_words

PEERS = {
    "sumy-textrank": "text_rank.TextRankSummarizer",
    "sumy-lexrank": "lex_rank.LexRankSummarizer",
    "sumy-lsa": "lsa.LsaSummarizer",
    "sumy-luhn": "luhn.LuhnSummarizer",
    "sumy-kl": "kl.KLSummarizer",
    "sumy-sumbasic": "sum_basic.SumBasicSummarizer",
}
# The oracle looks at the first hundred sentences, as is usual.
_FIRST = 100


@dataclass(frozen=True)
class Extract:
    """A system's summary: the chosen sentences in ascending order, the joined text, its length in the budget's unit."""

    chosen: tuple[int, ...]
    text: str
    length: int


class System(Protocol):
    """Makes an extract of a record's document."""

    @property
    def name(self) -> str:
        """The spec that it was loaded from."""
        ...

    def extract(self, record: Record, budget: Budget) -> Extract:
        """Return a summary within the budget."""
        ...


def load_system(spec: str) -> System:
    """Return the system of a spec: `scorer[+selector][@encoder]`, `model[+selector]`, `oracle`, or another tool.

    `~strict` or `~soft` at the end of one of our own sets its coherence. A known name wins over a folder of the same
    name, which is then written `./lead`.

    >>> load_system("textrank+greedy@tfidf").summarizer.selector
    Greedy()
    >>> load_system("news+knapsack~strict").options.coherence
    'strict'
    """
    if spec == "oracle":
        return Oracle()
    if spec in PEERS:
        return Peer(spec)
    parts, tilde, coherence = (spec, "", "") if Path(spec).is_dir() else spec.partition("~")
    options = Options.of(coherence=cast(Any, coherence)) if tilde else Options()
    return Ours(spec, _remembering(_load(parts)), options)


def _load(parts: str) -> Summarizer:
    model, _, selector = (parts, "", "") if Path(parts).is_dir() else parts.partition("+")
    if model in shipped_models() or (Path(model).is_dir() and model not in SCORERS.names()):
        return Summarizer.load(model, select=selector or None)
    scorer, _, encoder = parts.partition("@")
    scorer, _, selector = scorer.partition("+")
    return Summarizer.load(scorer=scorer, encoder=encoder or None, select=selector or None)


def parse_systems(specs: str) -> list[str]:
    """Split a comma-separated list of specs; commas inside the settings of a spec do not split it.

    >>> parse_systems("lead,pacsum:beta=0,lambda1=0.7@use,oracle")
    ['lead', 'pacsum:beta=0,lambda1=0.7@use', 'oracle']
    """
    systems: list[str] = []
    for part in specs.split(","):
        if systems and "=" in part and ":" not in part.split("=")[0]:
            systems[-1] += "," + part
        elif part.strip():
            systems.append(part.strip())
    if not systems:
        raise UsageError(f"name at least one system, not '{specs}'")
    repeated = next((system for system in systems if systems.count(system) > 1), None)
    if repeated is not None:
        raise UsageError(f"name each system once: '{repeated}' is there twice")
    return systems


_recent: dict[str, Recent] = {}


def _remembering(summarizer: Summarizer) -> Summarizer:
    """Let all systems with the same encoder share the vectors of the last few documents."""
    encoder = summarizer.encoder
    if encoder is None:
        return summarizer
    return replace(summarizer, encoder=_recent.setdefault(encoder.fingerprint, Recent(encoder, size=4)))


@dataclass(frozen=True)
class Ours:
    """One of our own systems, called through the library."""

    name: str
    summarizer: Summarizer
    options: Options = field(default_factory=Options)

    def extract(self, record: Record, budget: Budget) -> Extract:
        """Return the sentences that the library chooses.

        The library returns a text that fits as it is. It is joined here like any other summary: its line breaks would
        make it longer than another system's, and would show a rater which system it comes from.
        """
        summary = self.summarizer.fit(record.document, budget, self.options)
        chosen = tuple(sentence.index for sentence in summary.sentences)
        if summary.reason == "whole-text-fits":
            return join(Layout(record.document, budget.counts), chosen)
        return Extract(chosen, summary.text, summary.length)


def join(layout: Layout, chosen: Iterable[int]) -> Extract:
    """Join the chosen sentences by the rules of our summaries.

    >>> join(Layout(Document.from_sentences(["One fish.", "Two fish."]), "chars"), [1, 0])
    Extract(chosen=(0, 1), text='One fish. Two fish.', length=19)
    """
    ascending = tuple(sorted(chosen))
    return Extract(ascending, layout.join(ascending), layout.length(ascending))


@dataclass(frozen=True)
class Oracle:
    """The ceiling of extraction: sees the reference, and adds the sentence that most raises ROUGE-1 plus ROUGE-2 F1.

    It stops when no other sentence fits or raises the score.
    """

    tokenization: Tokenization = field(default_factory=Tokenization)
    name: str = "oracle"

    def extract(self, record: Record, budget: Budget) -> Extract:
        """Return the summary of the chosen sentences."""
        return join(Layout(record.document, budget.counts), self.choose(record, budget))

    def choose(self, record: Record, budget: Budget) -> list[int]:
        """Return the indices of the chosen sentences, ascending: the labels for supervised training."""
        return sorted(chosen for chosen, _ in self.steps(record, budget))

    def steps(self, record: Record, budget: Budget) -> Iterator[tuple[int, dict[int, float]]]:
        """Yield each sentence in the order of choice, and by how much each candidate would raise the score."""
        document = record.document
        target = _NgramCounts.of([t for s in record.reference for t in self.tokenization.tokens(s, document.language)])
        sentences = [_NgramCounts.of(self.tokenization.tokens(s, document.language)) for s in document.texts[:_FIRST]]
        layout, capacity = Layout(document, budget.counts), budget.capacity(document.text)
        chosen: list[int] = []
        covered, score = _NgramCounts.of([]), 0.0
        while True:
            unchosen = [i for i in range(len(sentences)) if i not in chosen]
            fitting = [i for i in unchosen if layout.length(tuple(sorted([*chosen, i]))) <= capacity]
            gains = {i: target.f1(covered + sentences[i]) - score for i in fitting}
            best = max(gains, key=lambda i: (gains[i], -i), default=-1)
            if best < 0 or gains[best] <= 0:
                return
            yield best, gains
            chosen.append(best)
            covered = covered + sentences[best]
            score = target.f1(covered)


@dataclass(frozen=True)
class _NgramCounts:
    """The unigrams and bigrams of some sentences; no bigram crosses from one sentence into the next."""

    ones: Counter[tuple[str, ...]]
    twos: Counter[tuple[str, ...]]

    @classmethod
    def of(cls, tokens: list[str]) -> "_NgramCounts":
        return cls(ngrams(tokens, 1), ngrams(tokens, 2))

    def __add__(self, more: "_NgramCounts") -> "_NgramCounts":
        return _NgramCounts(self.ones + more.ones, self.twos + more.twos)

    def f1(self, summary: "_NgramCounts") -> float:
        return dice(self.ones, summary.ones) + dice(self.twos, summary.twos)


@dataclass(frozen=True)
class Peer:
    """One of sumy's methods: its sentences are taken in the order of its ratings, skipping those that do not fit."""

    name: str

    def extract(self, record: Record, budget: Budget) -> Extract:
        """Return the summary of the chosen sentences."""
        layout, capacity = Layout(record.document, budget.counts), budget.capacity(record.document.text)
        chosen: list[int] = []

        def take(rated: Sequence[Any]) -> Sequence[Any]:
            # sumy passes its sentences, best first, to a function given in place of their number.
            for info in rated:
                if layout.length(tuple(sorted([*chosen, info.order]))) <= capacity:
                    chosen.append(info.order)
            return [info for info in rated if info.order in chosen]

        _sumy_method(self.name)(_sumy_document(record.document), take)
        return join(layout, chosen)


@cache
def _sumy_method(name: str) -> Any:
    module, method = PEERS[name].split(".")
    try:
        from sumy.nlp.stemmers import Stemmer

        summarizer = getattr(import_module(f"sumy.summarizers.{module}"), method)
    except ImportError:
        raise MissingExtraError("comparing with sumy", "eval") from None
    return summarizer(Stemmer("english"))


def _sumy_document(document: Document) -> Any:
    from sumy.models.dom import ObjectDocumentModel, Paragraph, Sentence

    tokenizer = _SumyWords(document.language)
    return ObjectDocumentModel([Paragraph([Sentence(text, tokenizer) for text in document.texts])])


@dataclass(frozen=True)
class _SumyWords:
    """The part of sumy's tokenizer that its methods use; sumy's own first downloads data."""

    language: Language

    def to_words(self, sentence: str) -> tuple[str, ...]:
        if self.language == "zh":
            return tuple(all_words(sentence, "zh"))
        return tuple(re.findall(r"[^\W\d_]+", sentence.lower()))
