"""Models without a network: coverage of words, with the position bias that a corpus shows in each of its languages.

The texts alone show whether a corpus says what matters at the beginning, at the end or anywhere.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from string import Template

import numpy as np

from tersely.errors import UsageError, unknown_name
from tersely.learn.artifacts import to_toml, today, write_folder
from tersely.learn.corpus import FEWEST_DOCUMENTS, Corpus
from tersely.select import SELECTORS
from tersely.text import Document, Language
from tersely.text.words import term_weights

# Chance alone makes a difference this large in about one corpus out of twenty.
_SURE = 2.0
# The next three constants were chosen on the dev sets of docs/results.md.
# The bias is 1 in texts of this many sentences; in longer texts it falls with the square of their length.
_SENTENCES, _STEEPEST = 18.0, 2.0
# A summary that keeps this much of a text gets no bias: it no longer matters where a sentence stands.
_MUCH = 0.6

_CARD = Template("""# $name

A scorer of sentences for `tersely`, learned without labels: `tersely summarize --model FOLDER`. It has no network.

* Data: $documents documents of 4 or more sentences; $short shorter and $repeated repeated documents were left out. No
  reference summary was used.
* Scorer `coverage`: the weight of a sentence's content words, where words that the text repeats weigh most, times
  (1 + place)^-|bias|. The bias is learned from the corpus, for summaries of $share of a text.
* The bias is positive where texts begin with what they keep coming back to, and negative where they end with it (places
  are then counted from the end). It is 0 where neither half says more of it.
* Selection: `$select`.
* Made by `$command`; $date.

| language | documents | mean sentences | t of the halves | bias |
|---|---|---|---|---|
$rows

*t of the halves*: the share of the weight of all repeated words that the first half of a text covers, minus the share
that the second half covers, as Student's t over the corpus. Between -$sure and $sure the corpus shows no bias. The rule
from t and length to a bias has constants, which were chosen on dev sets.

Summaries are sentences of the input, verbatim. The model can misjudge what matters, above all in texts unlike its data.
""")


@dataclass(frozen=True)
class BiasConfig:
    """A model without a network."""

    name: str
    kind: str = "news"
    select: str = "coverage"  # the selector at inference
    sentences: int = 40  # read at most this many of each document
    documents: int = 0  # read at most this many; 0 means all
    share: float = 0.2  # how much of a text its summary will keep

    def __post_init__(self) -> None:
        if self.kind != "news":
            raise unknown_name("kind of configuration", self.kind, ("news",))
        if self.select.partition(":")[0] not in SELECTORS.names():
            raise unknown_name("selector", self.select, SELECTORS.names())
        if self.sentences < 1 or self.documents < 0:
            raise UsageError("'sentences' must be positive, and 'documents' must be 0 or more")
        if not 0 < self.share <= 1:
            raise UsageError(f"'share' must be more than 0 and at most 1, not {self.share:g}")


@dataclass(frozen=True)
class LanguageBias:
    """The position bias of the texts of one language."""

    language: Language
    documents: int
    sentences: float  # per document, on average
    t: float
    bias: float

    @classmethod
    def of(cls, language: Language, documents: Sequence[Document], config: BiasConfig) -> "LanguageBias":
        """Look at texts of one language."""
        t, length = halves(documents), float(np.mean([len(document) for document in documents]))
        return cls(language, len(documents), length, t, bias_of(documents, config.share))

    def __str__(self) -> str:
        return f"{self.language}: {self.documents:,} documents, t {self.t:.1f}, bias {self.bias:g}"

    @property
    def row(self) -> str:
        """The row of the card."""
        return f"| {self.language} | {self.documents:,} | {self.sentences:.1f} | {self.t:.1f} | {self.bias:g} |"


def bias_of(documents: Sequence[Document], share: float) -> float:
    """Return the bias for coverage: positive to the beginning, negative to the end, 0 if the corpus has none.

    `share` is how much of a text its summary will keep. The more it keeps, the less it matters where a sentence stands:
    a bias made for short summaries would spoil long ones.
    """
    t = halves(documents)
    if abs(t) < _SURE:
        return 0.0
    steep = min((_SENTENCES / float(np.mean([len(document) for document in documents]))) ** 2, _STEEPEST)
    steep *= max(1 - (share / _MUCH) ** 2, 0.0)
    return round(steep if t > 0 else -steep, 3)


def halves(documents: Sequence[Document]) -> float:
    """Return Student's t of how much more of its repeated words a text says in its first half than in its second.

    Each half counts by its share of the weight of all repeated terms. Texts with shuffled sentences have a t near 0.
    """
    differences = [difference for document in documents if (difference := _difference(document)) is not None]
    if len(differences) < 2:
        return 0.0
    spread = float(np.std(differences, ddof=1)) / sqrt(len(differences))
    return float(np.mean(differences)) / spread if spread else 0.0


def _difference(document: Document) -> float | None:
    weights = term_weights(document.terms, single=0.0)
    total = float(weights.sum())
    if not total:
        return None
    chars = np.array([len(text) for text in document.texts])
    first = np.cumsum(chars) - chars / 2 < chars.sum() / 2
    rows = document.terms.sentences
    opening, closing = (
        np.unique(np.concatenate([row for row, inside in zip(rows, half, strict=True) if inside] or [rows[0][:0]]))
        for half in (first, ~first)
    )
    return float(weights[opening].sum() - weights[closing].sum()) / total


def find_biases(corpus: Corpus, config: BiasConfig) -> list[LanguageBias]:
    """Return the bias of each language, the most documents first; other languages with few documents are left out."""
    by_language: dict[Language, list[Document]] = {}
    for document in corpus.documents:
        by_language.setdefault(document.language, []).append(document)
    most = sorted(by_language.items(), key=lambda item: -len(item[1]))
    learned = [item for place, item in enumerate(most) if not place or len(item[1]) >= FEWEST_DOCUMENTS]
    return [LanguageBias.of(*item, config) for item in learned]


def export_bias(config: BiasConfig, corpus: Corpus, out: Path, command: str) -> list[LanguageBias]:
    """Find the bias of each language of the `corpus`, and write a model folder to `out`.

    `config` has the selector and the share of a text to keep; `command` goes on the card.
    """
    biases = find_biases(corpus, config)
    specs: dict[str, str] = {bias.language: f"coverage:bias={bias.bias:g}" for bias in biases}
    # Languages that were not learned get the bias of English or, if there is no English, of the most frequent language.
    main = specs.pop("en" if "en" in specs else biases[0].language)
    name, count = out.resolve().name, f"{len(corpus.documents):,}"
    model = {
        "name": name,
        "description": f"Word coverage with a position bias fitted to {count} documents.",
        "scorer": main,
        "select": config.select,
    }
    card = _CARD.substitute(
        name=name,
        documents=count,
        short=f"{corpus.short:,}",
        repeated=f"{corpus.repeated:,}",
        share=f"{config.share:.0%}",
        select=config.select,
        command=command,
        date=today(),
        sure=f"{_SURE:g}",
        rows="\n".join(bias.row for bias in biases),
    )
    write_folder(
        out,
        {
            "README.md": card.encode(),
            "training.toml": to_toml(config),
            "config.toml": to_toml(model | ({"languages": specs} if specs else {})),
        },
    )
    return biases
