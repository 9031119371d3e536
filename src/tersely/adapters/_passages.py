"""Fits several passages together to one budget, and returns an excerpt of each: the core of the adapters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from logging import getLogger
from typing import Any

from tersely.errors import UsageError
from tersely.options import Budget, Options
from tersely.summarizer import Summarizer
from tersely.summary import Summary
from tersely.text.language import separator
from tersely.text.length import TokenCounter, Tokenizer, measure, token_counter
from tersely.text.sources import Collection, Source

_log = getLogger("tersely")


@dataclass(frozen=True)
class Excerpt:
    """The sentences that are left of one text, and where they stood, as [start, end]."""

    text: str
    spans: list[list[int]]

    def note(self, metadata: Mapping[str, Any]) -> dict[str, Any]:
        """Return metadata with the places of the sentences added."""
        return {**metadata, "kept": self.spans}


class Passages:
    """Fits the passages that a retriever found to a budget in characters, or in tokens of a tokenizer.

    `max_tokens` needs a `tokenizer`. `encoder` names the vectors that compare sentences with a query, besides their
    words. `model` is the name or the folder of the summarizer's model.
    """

    def __init__(
        self,
        *,
        max_tokens: int | None = None,
        max_chars: int | None = None,
        tokenizer: Tokenizer | None = None,
        encoder: str | None = None,
        model: str | None = None,
    ) -> None:
        if (max_tokens is None) == (max_chars is None):
            raise UsageError("give exactly one budget, max_tokens or max_chars")
        self.settings = {
            "max_tokens": max_tokens,
            "max_chars": max_chars,
            "tokenizer": tokenizer,
            "encoder": encoder,
            "model": model,
        }
        self.budget = Budget.one_of(max_tokens=max_tokens, max_chars=max_chars)
        self.tokens = None if max_tokens is None else token_counter(tokenizer)
        self.encoder, self.summarizer = encoder, Summarizer.load(model)

    def fit(self, passages: Sequence[tuple[str, object]], query: str | None) -> dict[int, Excerpt | None]:
        """Choose sentences of the passages, each a text and its title; all together they fit the budget.

        Return the excerpt of each passage by its number. An empty passage maps to None. A passage of which nothing is
        kept is missing.
        """
        # Without a title, a source would be titled by its id, which is a mere number here.
        sources = [
            Source(str(number), text, title if isinstance(title, str) else "")
            for number, (text, title) in enumerate(passages)
        ]
        question = query if query and query.strip() else None
        options = Options(query=question, encoder=self.encoder if question else None)
        excerpts = self._excerpts(Collection.gather(sources), options)
        return {
            int(source.id): excerpts.get(source.id)
            for source in sources
            if source.id in excerpts or not source.text.strip()
        }

    def _excerpts(self, collection: Collection, options: Options) -> dict[str, Excerpt]:
        """Return excerpts that fit the budget together.

        Alone, they may be longer than the summary that they are cut from. Then fit again to less, and to less and less.
        """
        limit = room = int(self.budget.limit)
        less = 1
        while room > 0 and len(collection):
            summary = self.summarizer.fit(collection, Budget(room, self.budget.unit), options, self.tokens)
            excerpts = cut(collection, summary)
            lengths = (measure(excerpt.text, self.budget.counts, self.tokens) for excerpt in excerpts.values())
            over = sum(lengths) - limit
            if over <= 0:
                if not excerpts:
                    _log.warning("nothing is kept: %s", summary.explain())
                return excerpts
            room, less = room - max(over, less), 2 * less
        return {}


class Settings:
    """The settings of the components for LangChain and LlamaIndex; they become fields of pydantic models.

    They are those of `Passages`, and `title_key`, the entry of the metadata that holds a title.
    """

    max_tokens: int | None = None
    max_chars: int | None = None
    tokenizer: str | TokenCounter | None = None
    encoder: str | None = None
    model: str | None = None
    title_key: str = "title"
    _passages: Passages | None

    def __init__(
        self,
        *,
        max_tokens: int | None = None,
        max_chars: int | None = None,
        tokenizer: str | TokenCounter | None = None,
        encoder: str | None = None,
        model: str | None = None,
        title_key: str = "title",
        **fields: Any,
    ) -> None:
        settings: dict[str, Any] = {
            "max_tokens": max_tokens,
            "max_chars": max_chars,
            "tokenizer": tokenizer,
            "encoder": encoder,
            "model": model,
        }
        # Checked before pydantic does: an error is then one line.
        passages = Passages(**settings)
        super().__init__(**settings | {"title_key": title_key} | fields)
        self._passages = passages

    def fit_passages(self, passages: Sequence[tuple[str, object]], query: str | None) -> dict[int, Excerpt | None]:
        """Fit passages by the settings as they are now: fields may be set, and copies changed."""
        settings = {name: getattr(self, name) for name in ("max_tokens", "max_chars", "tokenizer", "encoder", "model")}
        if self._passages is None or self._passages.settings != settings:
            self._passages = Passages(**settings)
        return self._passages.fit(passages, query)


def cut(collection: Collection, summary: Summary) -> dict[str, Excerpt]:
    """Return an excerpt of each source that has chosen sentences; neighbors keep the space between them."""
    spans: dict[str, list[list[int]]] = {}
    for sentence in summary.sentences:
        spans.setdefault(str(sentence.source), []).append([sentence.start, sentence.end])
    excerpts = {}
    for source, part in zip(collection.sources, collection.parts, strict=True):
        if source.id in spans:
            text, end = "", None
            for start, stop in spans[source.id]:
                gap = "" if end is None else source.text[end:start]
                text += (separator(part.language) if gap.strip() else gap) + source.text[start:stop]
                end = stop
            excerpts[source.id] = Excerpt(text, spans[source.id])
    return excerpts
