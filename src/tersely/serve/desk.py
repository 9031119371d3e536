"""The desk: how a worker answers a request, and the documents it remembers."""

from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import PurePath
from typing import Any

from tersely.encode import load_encoder
from tersely.errors import MissingExtraError, TerselyError, UsageError
from tersely.extract import extract_apart
from tersely.fitting import Fitting
from tersely.io.lines import to_json
from tersely.models import load_model
from tersely.options import MAX_SENTENCES, MAX_SOURCES, Budget, Options, Unit
from tersely.payload import fit_json
from tersely.score import Values
from tersely.serve.problems import FailureError, ProblemError, Reply, invalid
from tersely.summarizer import Summarizer
from tersely.summary import Summary
from tersely.text import Document, Language
from tersely.text.blocks import Block
from tersely.text.language import detect_language
from tersely.text.length import Tokenizer, load_token_counter
from tersely.text.logs import are_logs
from tersely.text.quotations import verify
from tersely.text.sources import Log, as_document, parts_of
from tersely.text.sources import in_lines as as_lines

# For nested frontiers: their steps may list the square of this number of sentences.
MAX_NESTED = 1000
# In a document this short, few budgets change anything, so all of them are tried.
_ALL_STEPS = 60

# A document is remembered together with its candidates for this many combinations of options.
_FITTINGS = 8

_NO_TOKENIZER = "this server cannot count tokens: it was started without --tokenizer"

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
        self.card = {
            "models": [
                {
                    "name": model.name,
                    "description": model.description,
                    "fingerprint": summarizer.fingerprint,
                    "default": model.name == self._default,
                }
                for model, summarizer in loaded
            ],
            "tokenizer": None if tokenizer is None else PurePath(tokenizer).name,
        }

    def __call__(self, job: tuple[str, Request]) -> Reply | ProblemError | FailureError:
        """Reply one request: a task and its parsed body. Errors are returned, since a worker must go on."""
        task, request = job
        tasks = {
            "summarize": self._summarize,
            "frontier": self._frontier,
            "batch": self._batch,
            "verify": self._verify,
            "json": self._json,
            "extract": self._extract,
        }
        try:
            return tasks[task](request)
        except ProblemError as problem:
            return problem
        except Exception as error:
            return FailureError.of(error)

    def _summarize(self, request: Request) -> Reply:
        summary = self._summary(request, MAX_SENTENCES)
        # Byte for byte what `tersely summarize --format json` writes.
        return Reply(f"{summary.to_json(indent=2)}\n".encode(), len(summary.ranking))

    def _frontier(self, request: Request) -> Reply:
        keywords = dict(request)
        summarizer, document = self._model(keywords), self._document(keywords, MAX_SENTENCES)
        limit, points, is_tokens = keywords.pop("limit"), keywords.pop("points"), keywords["unit"] == "tokens"
        if is_tokens and self._tokens is None:
            raise invalid(_NO_TOKENIZER, "unit")
        if keywords["nested"] and len(document) > MAX_NESTED:
            size = f"texts of up to {MAX_NESTED:,} sentences, and this one has {len(document):,}"
            raise invalid(f"`nested` works for {size}: leave it out or send less", "nested")
        try:
            encoder = self._encoder if keywords["query"] else None
            frontier = summarizer.frontier(document, **keywords, encoder=encoder, tokenizer=self._tokens)
            # Beyond the whole text nothing changes.
            frontier = replace(frontier, capacity=min(limit or frontier.capacity, frontier.capacity))
            points = None if frontier.nested else bounded(points, len(document))
            steps = frontier.steps(points)
        except TerselyError as error:
            raise _refused(error, _suspect(keywords)) from None
        if not steps:
            raise invalid(f"the included sentences need more than the largest budget, {frontier.capacity}", "include")
        answer = frontier.to_dict(steps)
        answer |= {"lengths": frontier.fitting.layout.lengths} if is_tokens else {}
        answer |= {"points": points, "model": {"name": summarizer.name, "fingerprint": summarizer.fingerprint}}
        return Reply(to_json(answer).encode(), len(document))

    def _batch(self, request: Request) -> Reply:
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
        return Reply(to_json({"results": results}).encode(), MAX_SENTENCES - room)

    def _verify(self, request: Request) -> Reply:
        sources = {**request, "language": None, "header": None, "include": (), "exclude": ()}
        document = self._document(sources, MAX_SENTENCES)
        result = verify(request["summary"], document, quotations=request["quotations"])
        return Reply(result.to_json().encode(), len(document))

    def _json(self, request: Request) -> Reply:
        keywords = dict(request)
        summarizer, text, budget = self._model(keywords), keywords.pop("text"), keywords.pop("budget")
        language, _ = keywords.pop("language"), keywords.pop("blocks", None)
        if not isinstance(text, str):
            raise invalid("`text` must be one string that holds JSON", "text")
        self._check_tokens(budget)
        try:
            options = Options.of(**keywords, encoder=self._encoder if keywords["query"] else None)
            limits: dict[str, Any] = {"language": language, "most": MAX_SOURCES}
            result = fit_json(text, budget, options, self._tokens, summarizer=summarizer, **limits)
        except TerselyError as error:
            raise _refused(error, "text") from None
        return Reply(f"{result.to_json(indent=2)}\n".encode(), len(result.strings))

    def _extract(self, request: Request) -> Reply:
        try:
            extracted = extract_apart(**request)
        except MissingExtraError as error:
            raise ProblemError("unsupported-media-type", f"this server cannot read such a file: {error}") from None
        except TerselyError as error:
            raise _refused(error, "field") from None
        answer = {
            "form": extracted.form,
            "text": extracted.text,
            "blocks": [block._asdict() for block in extracted.blocks],
            "places": [place._asdict() for place in extracted.places],
            "notes": extracted.notes,
        }
        return Reply(to_json(answer).encode(), 0)

    def _summary(self, request: Request, most: int) -> Summary:
        keywords = dict(request)
        summarizer, document = self._model(keywords), self._document(keywords, most)
        budget = keywords.pop("budget")
        self._check_tokens(budget)
        try:
            options = Options.of(**keywords, encoder=self._encoder if keywords["query"] else None)
            return summarizer.fit(document, budget, options, self._tokens)
        except TerselyError as error:
            raise _refused(error, _suspect(keywords)) from None

    def _check_tokens(self, budget: Budget) -> None:
        if budget.unit == "tokens" and self._tokens is None:
            raise invalid(_NO_TOKENIZER, "max_tokens")

    def _model(self, keywords: dict[str, Any]) -> "Remembering":
        """Take the model's name out of the keywords, and return the model."""
        name = keywords.pop("model")
        name = self._default if name is None else name
        if name not in self._models:
            raise invalid(f"this server has no model of that name: choose from {', '.join(self._models)}", "model")
        return self._models[name]

    def _document(self, keywords: dict[str, Any], most: int) -> Document:
        """Take text and language out of the keywords, and return the document; it may have `most` sentences."""
        text, language, blocks = keywords.pop("text"), keywords.pop("language"), keywords.pop("blocks")
        if not isinstance(text, str) and blocks is not None:
            raise invalid("`blocks` are those of a single text: give each source its own", "blocks")
        if isinstance(text, str) and keywords["header"]:
            raise invalid("`header` needs a list of sources as the text", "header")
        if not isinstance(text, str) and len(text) > MAX_SOURCES:
            detail = f"the text has too many sources: a request may have {MAX_SOURCES:,}"
            raise invalid(f"{detail}; join short ones, or send several requests", "text")
        try:
            document = self._memory.document(text, language, most, blocks, in_lines=keywords.get("split") == "lines")
            if document is not None and keywords.get("split", "sentences") is None and are_logs(parts_of(document)):
                document = self._memory.document(text, language, most, blocks, in_lines=True)
        except TerselyError as error:
            raise _refused(error, "text" if blocks is None else "blocks") from None
        if document is None or len(document) > most:
            rest = f", of which {most:,} are left for this document" if most < MAX_SENTENCES else ""
            detail = f"the text has too many sentences: a request may have {MAX_SENTENCES:,}{rest}"
            raise invalid(f"{detail}; split it into several requests", "text")
        for name in ("include", "exclude"):
            if wrong := [i for i in keywords[name] if i >= len(document)]:
                raise invalid(
                    f"there is no sentence {wrong[0]}: the document has {len(document)}, counted from 0", name
                )
        return document


class Remembering(Summarizer):
    """A summarizer that remembers its work on a document; the summaries are the same.

    It stores with the document the values of its sentences and, for the last combinations of options, the candidates:
    for another budget, only the choice is computed. `read` remembers what a network has read.
    """

    @classmethod
    def of(cls, summarizer: Summarizer) -> "Remembering":
        """Return a summarizer that gives the same summaries as another one, and remembers."""
        return cls(**{part.name: getattr(summarizer, part.name) for part in fields(summarizer)})

    def score(self, document: Document) -> Values:
        """Return one value per sentence."""
        values: dict[str, Values] = vars(document).setdefault("_values", {})
        if self.fingerprint not in values:
            values[self.fingerprint] = super().score(document)
        return values[self.fingerprint]

    def _fitting(self, document: Document, options: Options, unit: Unit, tokenizer: Tokenizer | None) -> Fitting:
        fittings: OrderedDict[Any, Fitting] = vars(document).setdefault("_fittings", OrderedDict())
        key = (self.fingerprint, options, unit, tokenizer)
        if key not in fittings:
            fittings[key] = super()._fitting(document, options, unit, tokenizer)
        fittings.move_to_end(key)
        while len(fittings) > _FITTINGS:
            fittings.popitem(last=False)
        return fittings[key].afresh()


class Memory:
    """The last documents, with their values and candidates, so that another budget costs only the choice.

    It holds as many documents as fit into `characters`, and the last one in any case.

    >>> memory = Memory(characters=20)
    >>> memory.document("One fish. Two fish.", None) is memory.document("One fish. Two fish.", None)
    True
    """

    def __init__(self, characters: int = 500_000) -> None:
        self._characters, self._used = characters, 0
        self._documents: OrderedDict[tuple[Hashable, Language | None, bool], Document] = OrderedDict()

    def document(
        self,
        text: str | Sources,
        language: Language | None,
        most: int = MAX_SENTENCES,
        blocks: Sequence[Mapping[str, Any]] | None = None,
        *,
        in_lines: bool = False,
    ) -> Document | None:
        """Return the document of a text or of several sources; if it is remembered, the same object again.

        `blocks` are those of a single text, if they are known. Return None for a text of more than `most` sentences, or
        lines; it is not split to its end.
        """
        # Two different lists may have the same joined text; as JSON they differ, and \0 tells them from a text.
        plain = isinstance(text, str) and blocks is None
        key = (text if plain else f"\0{to_json([text, blocks])}", language, in_lines)
        if key not in self._documents:
            if not isinstance(text, str):
                split = _gathered(text, language, most)
            elif in_lines:
                split = Log.from_text(text, language, most)
            else:
                split = _split(text, blocks, language, most)
            split = as_lines(split) if in_lines else split
            if len(split) > most:
                return None
            self._documents[key] = split
            self._used += len(split.text)
        self._documents.move_to_end(key)
        document = self._documents[key]
        while self._used > self._characters and len(self._documents) > 1:
            _, dropped = self._documents.popitem(last=False)
            self._used -= len(dropped.text)
        return document if len(document) <= most else None


def _split(text: str, blocks: Sequence[Mapping[str, Any]] | None, language: Language | None, most: int) -> Document:
    """Split a text into sentences by its blocks, which must lie in it one after another."""
    if blocks is None:
        return Document.from_text(text, language, most)
    parts = tuple(Block(**block) for block in blocks)
    ends = [0, *(part.end for part in parts)]
    for number, (part, before) in enumerate(zip(parts, ends, strict=False)):
        inside = before <= part.start < part.end <= len(text) and 0 <= part.label <= part.end - part.start
        if not inside:
            raise UsageError(f"block {number} is not within the text and after the one before it")
    return Document.split(text, parts, language or detect_language(text), most)


def _gathered(sources: Sources, language: Language | None, most: int) -> Document:
    texts = [{**source, "text": _split(source["text"], source.get("blocks"), language, most)} for source in sources]
    return as_document(texts, language)


def bounded(points: int | None, sentences: int) -> int | None:
    """Return the number of budgets that a frontier tries: all in a short document, and fewer in a longer one.

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


def _suspect(keywords: Mapping[str, Any]) -> str:
    """Return the field that an error of the library is about, most probably."""
    return next((name for name in ("more", "keep") if keywords[name]), "include")


def _refused(error: TerselyError, *fields: str) -> ProblemError:
    """Return the problem for an error of the library; if the call was wrong, it names these fields."""
    return invalid(str(error), *(fields if isinstance(error, UsageError) else ()))
