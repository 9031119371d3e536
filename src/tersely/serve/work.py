"""What a worker does with a request: the answer's bytes, or what is wrong with the request."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tersely.errors import TerselyError, UsageError
from tersely.models import load_model
from tersely.serve.memory import Memory, Remembering, Scored
from tersely.serve.problems import ProblemError, invalid
from tersely.summarizer import Summarizer
from tersely.summary import Summary
from tersely.text.length import load_token_counter

# So that an answer, which lists every sentence, is bounded, too: of a whole batch together.
MAX_SENTENCES = 20_000
# A document of so few sentences has few budgets at which anything changes.
_ALL_STEPS = 15

Request = Mapping[str, Any]


@dataclass(frozen=True)
class Answer:
    """The body of an answer, and how many sentences were read for it."""

    body: bytes
    sentences: int


class Desk:
    """Models in memory, and the documents that were last asked for."""

    def __init__(self, models: Sequence[str], tokenizer: str | None = None) -> None:
        loaded = [(load_model(model), Remembering.of(Summarizer.load(model))) for model in models]
        self._models = {model.name: summarizer for model, summarizer in loaded}
        self._default = loaded[0][0].name
        self._tokens = load_token_counter(tokenizer) if tokenizer is not None else None
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

    def answer(self, task: str, request: Request) -> Answer:
        """Return the answer to a request that is well formed; what is wrong with it is a `ProblemError`."""
        tasks = {"summarize": self._summarize, "frontier": self._frontier, "batch": self._batch}
        return tasks[task](request)

    def _summarize(self, request: Request) -> Answer:
        summary = self._summary(request, MAX_SENTENCES)
        # Byte for byte what `tersely summarize --format json` writes.
        return Answer(f"{summary.to_json(indent=2)}\n".encode("utf-8", "replace"), len(summary.ranking))

    def _frontier(self, request: Request) -> Answer:
        how = dict(request)
        summarizer, document = self._model(how), self._document(how, MAX_SENTENCES)
        limit, points = how.pop("limit"), how.pop("points")
        try:
            frontier = summarizer.frontier(document, **how)
            # Beyond the whole text nothing changes.
            frontier = replace(frontier, capacity=min(limit or frontier.capacity, frontier.capacity))
            points = bounded(points, len(document))
            steps = frontier.steps(points)
        except TerselyError as error:
            raise _refused(error) from None
        if not steps:
            raise invalid(f"the included sentences need more than the largest budget, {frontier.capacity}", "include")
        answer = frontier.to_dict(steps)
        answer |= {"points": points, "model": {"name": summarizer.name, "fingerprint": summarizer.fingerprint}}
        return Answer(_json(answer), len(document))

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
        return Answer(_json({"results": results}), MAX_SENTENCES - room)

    def _summary(self, request: Request, most: int) -> Summary:
        how = dict(request)
        summarizer, document = self._model(how), self._document(how, most)
        if how["max_tokens"] is not None and self._tokens is None:
            raise invalid("this server counts no tokens: it was started without --tokenizer", "max_tokens")
        try:
            return summarizer.summarize(document, **how, tokenizer=self._tokens)
        except TerselyError as error:
            raise _refused(error) from None

    def _model(self, how: dict[str, Any]) -> Remembering:
        asked = how.pop("model")
        name = self._default if asked is None else asked
        if name not in self._models:
            raise invalid(f"this server has no model of that name: choose from {', '.join(self._models)}", "model")
        return self._models[name]

    def _document(self, how: dict[str, Any], most: int) -> Scored:
        document = self._memory.document(how.pop("text"), how.pop("language"))
        if len(document) > most:
            what = f"the text has {len(document)} sentences, and this server takes {MAX_SENTENCES} in a request"
            raise invalid(f"{what}: {most} are left" if most < MAX_SENTENCES else what, "text")
        for name in ("include", "exclude"):
            if wrong := [i for i in how[name] if i >= len(document)]:
                raise invalid(
                    f"there is no sentence {wrong[0]}: the document has {len(document)}, counted from 0", name
                )
        return document


def bounded(points: int | None, sentences: int) -> int | None:
    """Return how many budgets a frontier tries: as asked for, or every one, but the fewer the longer the document is.

    A budget takes time and space in proportion to the sentences; so many are tried as take about a second.

    >>> [bounded(None, sentences) for sentences in (15, 16, 25, 100, 2000, 20_000)]
    [None, 375, 240, 60, 60, 20]
    >>> bounded(10, 1000), bounded(1000, 1000)
    (10, 60)
    """
    if sentences <= _ALL_STEPS:
        return points
    most = max(20, min(max(60, 6000 // sentences), 120_000 // sentences))
    return most if points is None else min(points, most)


def _refused(error: TerselyError) -> ProblemError:
    """Name the field: what can be wrong with a call at this point is which sentences must be in."""
    return invalid(str(error), *(["include"] if isinstance(error, UsageError) else []))


def _json(data: Any) -> bytes:
    return json.dumps(data, ensure_ascii=False).encode("utf-8", "replace")
