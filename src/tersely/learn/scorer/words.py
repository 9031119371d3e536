"""The model without a network: coverage, with the bias of position that a corpus has in each of its languages."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from string import Template

import numpy as np

from tersely.learn.files import replace_file
from tersely.learn.scorer.bias import bias_of, halves
from tersely.learn.scorer.config import Config
from tersely.learn.scorer.corpus import FEWEST_DOCUMENTS, Corpus
from tersely.learn.settings import toml
from tersely.text import Document, Language

_CARD = Template("""# $name

A scorer of sentences for `tersely`, found without labels: `tersely summarize --model FOLDER`. It has no network.

* Data: $documents documents of 4 or more sentences; $short shorter ones and $repeated repeated ones were left out. No
  reference summary was used.
* Scorer `coverage`: the weight of a sentence's content words, those that the text repeats weighing most, times
  (1 + place)^-|bias|. The bias is the corpus's own, for summaries of $share of a text: positive where texts say first
  what they keep coming back to, negative where they say it last (the place is counted from the end then), and 0 where
  neither half says more of it.
* Selection: `$select`.
* Made by `$command`; $date.

| language | documents | mean sentences | t of the halves | bias |
|---|---|---|---|---|
$rows

*t of the halves*: Student's t of the share of all repeated words' weight that the first half of a text covers, less
that of the second half. Below 2 either way there is no bias. The rule from t and length to a bias has constants, which
were chosen on dev sets.

Summaries are sentences of the input, verbatim. The model can be wrong on what matters, most on texts unlike its data.
""")


@dataclass(frozen=True)
class Found:
    """What was found in the texts of one language."""

    language: Language
    documents: int
    sentences: float
    t: float
    bias: float

    @classmethod
    def of(cls, language: Language, documents: Sequence[Document], share: float) -> "Found":
        """Look at texts of one language."""
        length = float(np.mean([len(document) for document in documents]))
        return cls(language, len(documents), length, halves(documents), bias_of(documents, share))


def find(corpus: Corpus, share: float) -> list[Found]:
    """Return what is found in each language, most documents first; a language of a few documents is left out."""
    by_language: dict[Language, list[Document]] = {}
    for document in corpus.documents:
        by_language.setdefault(document.language, []).append(document)
    most = sorted(by_language.items(), key=lambda item: -len(item[1]))
    return [Found.of(*item, share) for place, item in enumerate(most) if not place or len(item[1]) >= FEWEST_DOCUMENTS]


def export_words(config: Config, corpus: Corpus, out: Path, command: str) -> list[Found]:
    """Find the bias of each language and write a model folder."""
    found = find(corpus, config.selection.share)
    specs = {one.language: f"coverage:bias={one.bias:g}" for one in found}
    # The rule of the commonest language, or of English if it is there, is for all languages without one of their own.
    main = specs.pop("en", None) or specs.pop(found[0].language)
    model = {
        "name": out.resolve().name,
        "description": f"Coverage of words, with the bias of {len(corpus.documents):,} documents.",
        "scorer": main,
        "select": config.select,
    }
    card = _CARD.substitute(
        name=out.resolve().name,
        documents=f"{len(corpus.documents):,}",
        short=f"{corpus.short:,}",
        repeated=f"{corpus.repeated:,}",
        share=f"{config.selection.share:.0%}",
        select=config.select,
        command=command,
        date=datetime.now(UTC).date().isoformat(),
        rows="\n".join(
            f"| {one.language} | {one.documents:,} | {one.sentences:.1f} | {one.t:.1f} | {one.bias:g} |"
            for one in found
        ),
    )
    replace_file(out / "README.md", card.encode())
    replace_file(out / "training.toml", toml(asdict(config)).encode())
    languages = "".join(f'{language} = "{spec}"\n' for language, spec in specs.items())
    replace_file(out / "config.toml", (toml(model) + (f"\n[languages]\n{languages}" if languages else "")).encode())
    return found
