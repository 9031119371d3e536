"""The desk: what a worker does with a request, and the documents it remembers."""

from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from tersely.encode import load_encoder
from tersely.errors import MissingExtraError, TerselyError, UsageError
from tersely.extract import extract
from tersely.fitting import Fitting
from tersely.io.lines import to_json
from tersely.models import load_model
from tersely.options import Options, Unit
from tersely.score import Values
from tersely.serve.problems import Answer, FailureError, ProblemError, invalid
from tersely.summarizer import Summarizer
from tersely.summary import Summary
from tersely.text import Document, Language
from tersely.text.length import Tokenizer, load_token_counter
from tersely.text.sources import as_document

# An answer lists every sentence, so this bounds answers, too; it holds for all documents of a batch together.
MAX_SENTENCES = 20_000
# For summaries that only grow: the steps list as many sentences as the square of this.
MAX_NESTED = 1000
# In a document this short, few budgets change anything, so all of them are tried.
_ALL_STEPS = 60

# For so many options, what may be chosen from a document is kept.
_FITTINGS = 8

Request = Mapping[str, Any]
Sources = Sequence[Mapping[str, Any]]


class Desk:
    """The loaded models, and the documents of the last requests."""

    def __init__(self, models: Sequence[str], tokenizer: str | None = None, encoder: str | None = None) -> None:
        loaded = [(load_model(model), Remembering.of(Summarizer.load(model))) for model in models]
        self._models = {model.name: summarizer for model, summarizer in loaded}
        self._default = loaded[0][0].name
        self._tokens = load_token_counter(tokenizer) if tokenizer is not None else None
        self._encoder = encoder
        if encoder is not None:
            load_encoder(encoder)  # so that no request waits for it
        self._memory = Memory()
        self.card = [
            {
                "name": model.name,
                "description": model.description,
                "fingerprint": summarizer.fingerprint,
                "default": model.name == self._default,
            }
            for model, summarizer in loaded
        ]

    def __call__(self, job: tuple[str, Request]) -> Answer | ProblemError | FailureError:
        """Answer one request: a task and its parsed body. Errors are returned, since a worker must go on."""
        task, request = job
        tasks = {
            "summarize": self._summarize,
            "frontier": self._frontier,
            "batch": self._batch,
            "extract": self._extract,
        }
        try:
            return tasks[task](request)
        except ProblemError as problem:
            return problem
        except Exception as error:
            return FailureError.of(error)

    def _summarize(self, request: Request) -> Answer:
        summary = self._summary(request, MAX_SENTENCES)
        # Byte for byte what `tersely summarize --format json` writes.
        return Answer(f"{summary.to_json(indent=2)}\n".encode(), len(summary.ranking))

    def _frontier(self, request: Request) -> Answer:
        how = dict(request)
        summarizer, document = self._model(how), self._document(how, MAX_SENTENCES)
        limit, points = how.pop("limit"), how.pop("points")
        if how["nested"] and len(document) > MAX_NESTED:
            raise invalid(f"only texts of up to {MAX_NESTED:,} sentences have summaries that only grow", "nested")
        try:
            frontier = summarizer.frontier(document, **how, encoder=self._encoder if how["query"] else None)
            # Beyond the whole text nothing changes.
            frontier = replace(frontier, capacity=min(limit or frontier.capacity, frontier.capacity))
            points = None if frontier.nested else bounded(points, len(document))
            steps = frontier.steps(points)
        except TerselyError as error:
            raise _refused(error, "include") from None
        if not steps:
            raise invalid(f"the included sentences need more than the largest budget, {frontier.capacity}", "include")
        answer = frontier.to_dict(steps)
        answer |= {"points": points, "model": {"name": summarizer.name, "fingerprint": summarizer.fingerprint}}
        return Answer(to_json(answer).encode(), len(document))

    def _batch(self, request: Request) -> Answer:
        results: list[dict[str, Any]] = []
        room = MAX_SENTENCES
        for document in request["documents"]:
            if "error" in document:
                results.append(document)
                continue
            try:
                summary = self._summary(document, room)
            except ProblemError as problem:
                results.append({"error": problem.to_dict()})
            else:
                room -= len(summary.ranking)
                results.append({"summary": summary.to_dict()})
        return Answer(to_json({"results": results}).encode(), MAX_SENTENCES - room)

    def _extract(self, request: Request) -> Answer:
        try:
            found = extract(**request)
        except MissingExtraError as error:
            raise ProblemError("unsupported-media-type", f"this server cannot read such a file: {error}") from None
        except TerselyError as error:
            raise _refused(error, "field") from None
        answer = {
            "form": found.form,
            "text": found.text,
            "blocks": [block._asdict() for block in found.blocks],
            "places": [place._asdict() for place in found.places],
            "notes": found.notes,
        }
        return Answer(to_json(answer).encode(), 0)

    def _summary(self, request: Request, most: int) -> Summary:
        how = dict(request)
        summarizer, document = self._model(how), self._document(how, most)
        budget = how.pop("budget")
        if budget.unit == "tokens" and self._tokens is None:
            raise invalid("this server cannot count tokens: it was started without --tokenizer", "max_tokens")
        try:
            options = Options.of(**how, encoder=self._encoder if how["query"] else None)
            return summarizer.fit(document, budget, options, self._tokens)
        except TerselyError as error:
            raise _refused(error, "include") from None

    def _model(self, how: dict[str, Any]) -> "Remembering":
        asked = how.pop("model")
        name = self._default if asked is None else asked
        if name not in self._models:
            raise invalid(f"this server has no model of that name: choose from {', '.join(self._models)}", "model")
        return self._models[name]

    def _document(self, how: dict[str, Any], most: int) -> Document:
        text, language = how.pop("text"), how.pop("language")
        if isinstance(text, str) and how["header"]:
            raise invalid("a header is for sources: give a list of them as the text", "header")
        try:
            document = self._memory.document(text, language, most)
        except TerselyError as error:
            raise _refused(error, "text") from None
        if document is None or len(document) > most:
            left = f", of which {most:,} are left for this document" if most < MAX_SENTENCES else ""
            what = f"the text has too many sentences: a request may have {MAX_SENTENCES:,}{left}"
            raise invalid(f"{what}; split it into several requests", "text")
        for name in ("include", "exclude"):
            if wrong := [i for i in how[name] if i >= len(document)]:
                raise invalid(
                    f"there is no sentence {wrong[0]}: the document has {len(document)}, counted from 0", name
                )
        return document


class Remembering(Summarizer):
    """A summarizer that keeps what it finds out about a document with it; the summaries are the same.

    These are the values, and for the last options what may be chosen: for another budget, only the choice is left.
    What a network reads is kept by `read`.
    """

    @classmethod
    def of(cls, summarizer: Summarizer) -> "Remembering":
        """Return one that gives the same summaries as another summarizer."""
        return cls(**{part.name: getattr(summarizer, part.name) for part in fields(summarizer)})

    def score(self, document: Document) -> Values:
        """Return one value per sentence."""
        known: dict[str, Values] = vars(document).setdefault("_values", {})
        if self.fingerprint not in known:
            known[self.fingerprint] = super().score(document)
        return known[self.fingerprint]

    def _fitting(self, document: Document, options: Options, unit: Unit, tokenizer: Tokenizer | None) -> Fitting:
        known: OrderedDict[Any, Fitting] = vars(document).setdefault("_fittings", OrderedDict())
        key = (self.fingerprint, options, unit, tokenizer)
        if key not in known:
            known[key] = super()._fitting(document, options, unit, tokenizer)
        known.move_to_end(key)
        while len(known) > _FITTINGS:
            known.popitem(last=False)
        return known[key].afresh()


class Memory:
    """The last documents, with what was found out about them, so that another budget costs only the choice.

    It holds as many as fit into `characters`, and the very last one in any case.

    >>> memory = Memory(characters=20)
    >>> memory.document("One fish. Two fish.", None) is memory.document("One fish. Two fish.", None)
    True
    """

    def __init__(self, characters: int = 500_000) -> None:
        self._characters, self._used = characters, 0
        self._kept: OrderedDict[tuple[Hashable, Language | None], Document] = OrderedDict()

    def document(self, text: str | Sources, language: Language | None, most: int = MAX_SENTENCES) -> Document | None:
        """Return the document of a text or of several sources, the same one again if it is still remembered.

        There is none for a text of more than `most` sentences, which is not split to its end.
        """
        # To join texts could make two lists the same; JSON tells them apart, and no text is a list.
        key = (text if isinstance(text, str) else f"\0{to_json(text)}", language)
        if key not in self._kept:
            split = Document.from_text(text, language, most) if isinstance(text, str) else as_document(text, language)
            if len(split) > most:
                return None
            self._kept[key] = split
            self._used += len(split.text)
        self._kept.move_to_end(key)
        document = self._kept[key]
        while self._used > self._characters and len(self._kept) > 1:
            _, dropped = self._kept.popitem(last=False)
            self._used -= len(dropped.text)
        return document if len(document) <= most else None


def bounded(points: int | None, sentences: int) -> int | None:
    """Return how many budgets a frontier tries: every one in a short document, and fewer the longer the document is.

    The time and space for one budget grow with the number of sentences; this many take about a second.

    >>> [bounded(None, sentences) for sentences in (60, 61, 100, 2000, 20_000)]
    [None, 98, 60, 60, 20]
    >>> bounded(10, 1000), bounded(1000, 1000)
    (10, 60)
    """
    if sentences <= _ALL_STEPS:
        return points
    most = max(20, min(max(60, 6000 // sentences), 120_000 // sentences))
    return most if points is None else min(points, most)


def _refused(error: TerselyError, *fields: str) -> ProblemError:
    """Return the problem of a request that the library refuses; a wrong call is blamed on these fields."""
    return invalid(str(error), *(fields if isinstance(error, UsageError) else ()))
