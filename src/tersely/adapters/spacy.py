"""A spaCy pipe that summarizes each `Doc` (extra `spacy`).

    nlp = spacy.blank("en")
    nlp.add_pipe("tersely", config={"max_chars": 280})
    nlp(text)._.summary

Nothing has to be imported: spaCy finds the pipe by its name.
"""

from inspect import Parameter, Signature, signature
from typing import Any, get_type_hints

from tersely.errors import extra
from tersely.options import BUDGETS, OPTIONS, Budget, Options
from tersely.summarizer import Summarizer
from tersely.text.document import Document, Sentence
from tersely.text.language import LANGUAGES, detect_language

with extra("the spaCy pipe", "spacy"):
    from spacy.language import Language
    from spacy.tokens import Doc

# The options that make sense for every text of a pipeline.
_OPTIONS = ("order", "redundancy", "coherence")
_DEFAULTS: dict[str, Any] = (
    dict.fromkeys(BUDGETS)
    | {"tokenizer": None, "model": None}
    | {name: OPTIONS[name].default for name in _OPTIONS}
    | {"spans_key": "summary"}
)


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


def create(
    nlp: Language,  # noqa: ARG001
    name: str,  # noqa: ARG001
    tokenizer: str | None,
    model: str | None,
    spans_key: str,
    **keywords: Any,
) -> TerselyPipe:
    """Make the pipe from its configuration: exactly one budget, and the options of `tersely.summarize`.

    spaCy gives the pipeline `nlp` and the pipe's `name`. `tokenizer` counts tokens, `model` is a name or a folder, and
    `spans_key` names the group of spans for the sentences.
    """
    budget = Budget.one_of(**{name: keywords.pop(name) for name in BUDGETS})
    return TerselyPipe(Summarizer.load(model), budget, Options(**keywords), tokenizer, spans_key)


# spaCy passes only the settings that it finds in the signature, and checks their types.
_TYPES = {name: (float if budget.kind == "share" else int) | None for name, budget in BUDGETS.items()}
_TYPES |= {name: get_type_hints(Options)[name] for name in _OPTIONS}
_parameters = [p for p in signature(create).parameters.values() if p.kind is not p.VAR_KEYWORD]
_parameters += [Parameter(name, Parameter.KEYWORD_ONLY, annotation=kind) for name, kind in _TYPES.items()]
create.__signature__ = Signature(_parameters)  # type: ignore[attr-defined]
Language.factory("tersely", default_config=_DEFAULTS, assigns=["doc._.summary", "doc.spans"], func=create)
