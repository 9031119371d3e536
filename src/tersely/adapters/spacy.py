"""A spaCy pipe that summarizes each `Doc` (extra `spacy`).

    nlp = spacy.blank("en")
    nlp.add_pipe("tersely", config={"max_chars": 280})
    nlp(text)._.summary

Nothing has to be imported: spaCy finds the pipe by its name.
"""

from tersely.errors import extra
from tersely.options import Budget, Coherence, Options, Order, Redundancy
from tersely.summarizer import Summarizer
from tersely.text.document import Document, Sentence
from tersely.text.language import LANGUAGES, detect_language

with extra("the spaCy pipe", "spacy"):
    from spacy.language import Language
    from spacy.tokens import Doc

_DEFAULTS = {
    "max_chars": None,
    "max_words": None,
    "max_tokens": None,
    "max_bytes": None,
    "max_sentences": None,
    "ratio": None,
    "tokenizer": None,
    "model": None,
    "order": Options().order,
    "redundancy": Options().redundancy,
    "coherence": Options().coherence,
    "spans_key": "summary",
}


class TerselyPipe:
    """Sets `doc._.summary`, the summary's text, and `doc.spans["summary"]`, its sentences.

    The sentences are those of the `Doc` if an earlier pipe has found them, and tersely's own otherwise.
    """

    def __init__(
        self, summarizer: Summarizer, budget: Budget, options: Options, tokenizer: str | None, spans_key: str
    ) -> None:
        self.summarizer, self.budget, self.options = summarizer, budget, options
        self.tokenizer, self.spans_key = tokenizer, spans_key
        if not Doc.has_extension("summary"):
            Doc.set_extension("summary", default=None)

    def __call__(self, doc: Doc) -> Doc:
        """Summarize one `Doc`, and return it."""
        summary = self.summarizer.fit(as_document(doc), self.budget, self.options, self.tokenizer)
        doc._.summary = summary.text
        # A sentence of tersely's own may begin or end within a token, which the span then has whole.
        spans = (doc.char_span(s.start, s.end, alignment_mode="expand") for s in summary.sentences)
        doc.spans[self.spans_key] = list(spans)
        return doc


def as_document(doc: Doc) -> Document:
    """Turn a spaCy `Doc` into a `Document` with the same text, language and sentences."""
    language = doc.lang_ if doc.lang_ in LANGUAGES else detect_language(doc.text)
    if not len(doc) or not doc.has_annotation("SENT_START"):
        return Document.from_text(doc.text, language)
    sentences = []
    for sent in doc.sents:
        text = sent.text
        start = sent.start_char + len(text) - len(text.lstrip())
        if end := len(text.strip()):
            sentences.append(Sentence(start, start + end))
    return Document(doc.text, language, tuple(sentences))


@Language.factory("tersely", default_config=_DEFAULTS, assigns=["doc._.summary", "doc.spans"])
def create(
    nlp: Language,  # noqa: ARG001
    name: str,  # noqa: ARG001
    max_chars: int | None,
    max_words: int | None,
    max_tokens: int | None,
    max_bytes: int | None,
    max_sentences: int | None,
    ratio: float | None,
    tokenizer: str | None,
    model: str | None,
    order: Order,
    redundancy: Redundancy,
    coherence: Coherence | None,
    spans_key: str,
) -> TerselyPipe:
    """Make the pipe from its configuration: exactly one budget, and the options of `tersely.summarize`."""
    budget = Budget.one_of(
        max_chars=max_chars,
        max_words=max_words,
        max_tokens=max_tokens,
        max_bytes=max_bytes,
        max_sentences=max_sentences,
        ratio=ratio,
    )
    options = Options(order=order, redundancy=redundancy, coherence=coherence)
    return TerselyPipe(Summarizer.load(model), budget, options, tokenizer, spans_key)
