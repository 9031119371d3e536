"""What can be compared: our own systems, the oracle, and other tools. Each makes an extract within a budget."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, cast

from tersely.encode import Recent
from tersely.errors import MissingExtraError, UsageError
from tersely.evaluate.measures import Tokenization, ngrams
from tersely.evaluate.record import Record
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

    One of our own may end in `~strict` or `~soft`, its coherence. A known name wins over a folder of the same name,
    which is then written `./lead`.

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
    found: list[str] = []
    for part in specs.split(","):
        if found and "=" in part and ":" not in part.split("=")[0]:
            found[-1] += "," + part
        elif part.strip():
            found.append(part.strip())
    if len(set(found)) != len(found) or not found:
        raise UsageError(f"name at least one system, each once, not '{specs}'")
    return found


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
        """Return the sentences that the library chooses."""
        summary = self.summarizer.fit(record.document, budget, self.options)
        return join(record.document, (sentence.index for sentence in summary.sentences), budget)


def join(document: Document, chosen: Iterable[int], budget: Budget) -> Extract:
    """Join the chosen sentences by the rules of our summaries, in the same way for every system.

    A text that fits as a whole is joined, too, although the library returns it unchanged: its line breaks would make
    it longer than another system's, and would show a rater whose it is.

    >>> join(Document.from_sentences(["One fish.", "Two fish."]), [1, 0], Budget(20, "chars"))
    Extract(chosen=(0, 1), text='One fish. Two fish.', length=19)
    """
    layout, ascending = Layout(document, budget.counts), tuple(sorted(chosen))
    return Extract(ascending, layout.join(ascending), layout.length(ascending))


def _fits(document: Document, chosen: Iterable[int], budget: Budget) -> bool:
    return join(document, chosen, budget).length <= budget.capacity(document.text)


@dataclass(frozen=True)
class Oracle:
    """The ceiling of extraction: sees the reference, and adds the sentence that most raises ROUGE-1 plus ROUGE-2 F1.

    It stops when no other sentence fits or raises the score.
    """

    tokenization: Tokenization = field(default_factory=Tokenization)
    name: str = "oracle"

    def extract(self, record: Record, budget: Budget) -> Extract:
        """Return the summary of the chosen sentences."""
        return join(record.document, self.choose(record, budget), budget)

    def choose(self, record: Record, budget: Budget) -> list[int]:
        """Return the indices of the chosen sentences, ascending: the labels for supervised training."""
        return sorted(chosen for chosen, _ in self.steps(record, budget))

    def steps(self, record: Record, budget: Budget) -> Iterator[tuple[int, dict[int, float]]]:
        """Yield each sentence in the order of choice, and by how much each candidate would raise the score."""
        document = record.document
        target = _Grams.of([t for s in record.reference for t in self.tokenization.tokens(s, document.language)])
        sentences = [_Grams.of(self.tokenization.tokens(s, document.language)) for s in document.texts[:_FIRST]]
        chosen: list[int] = []
        covered, score = _Grams.of([]), 0.0
        while True:
            others = [i for i in range(len(sentences)) if i not in chosen and _fits(document, [*chosen, i], budget)]
            gains = {i: target.f1(covered + sentences[i]) - score for i in others}
            best = max(gains, key=lambda i: (gains[i], -i), default=-1)
            if best < 0 or gains[best] <= 0:
                return
            yield best, gains
            chosen.append(best)
            covered = covered + sentences[best]
            score = target.f1(covered)


@dataclass(frozen=True)
class _Grams:
    """The unigrams and bigrams of some sentences; no bigram crosses from one sentence into the next."""

    ones: Counter[tuple[str, ...]]
    twos: Counter[tuple[str, ...]]

    @classmethod
    def of(cls, tokens: list[str]) -> "_Grams":
        return cls(ngrams(tokens, 1), ngrams(tokens, 2))

    def __add__(self, other: "_Grams") -> "_Grams":
        return _Grams(self.ones + other.ones, self.twos + other.twos)

    def f1(self, other: "_Grams") -> float:
        return _dice(self.ones, other.ones) + _dice(self.twos, other.twos)


def _dice(one: Counter[tuple[str, ...]], two: Counter[tuple[str, ...]]) -> float:
    total = one.total() + two.total()
    return 2 * (one & two).total() / total if total else 0.0


@dataclass(frozen=True)
class Peer:
    """One of sumy's methods: its sentences are taken in the order of its ratings, skipping those that do not fit."""

    name: str

    def extract(self, record: Record, budget: Budget) -> Extract:
        """Return the summary of the chosen sentences."""
        chosen: list[int] = []

        def take(rated: Sequence[Any]) -> Sequence[Any]:
            # sumy passes its sentences, best first, to a function given in place of their number.
            for info in rated:
                if _fits(record.document, [*chosen, info.order], budget):
                    chosen.append(info.order)
            return [info for info in rated if info.order in chosen]

        _sumy_method(self.name)(_sumy_document(record.document), take)
        return join(record.document, chosen, budget)


@cache
def _sumy_method(name: str) -> Any:
    module, method = PEERS[name].split(".")
    try:
        from sumy.nlp.stemmers import Stemmer

        found = getattr(import_module(f"sumy.summarizers.{module}"), method)
    except ImportError:
        raise MissingExtraError("comparing with sumy", "eval") from None
    return found(Stemmer("english"))


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
