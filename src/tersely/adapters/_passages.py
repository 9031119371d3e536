"""Fits several texts together to one budget, each of them staying itself: what the adapters have in common."""

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
class Kept:
    """What is left of one text, and where its sentences stood."""

    text: str
    spans: list[list[int]]

    def note(self, metadata: Mapping[str, Any]) -> dict[str, Any]:
        """Return metadata with the places of the sentences."""
        return {**metadata, "kept": self.spans}


class Passages:
    """Fits the passages that a retriever found to a budget in characters, or in tokens of a tokenizer."""

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
        self.budget = Budget.one_of(max_tokens=max_tokens, max_chars=max_chars)
        self.tokens = None if max_tokens is None else token_counter(tokenizer)
        self.encoder, self.summarizer = encoder, Summarizer.load(model)

    def fit(self, passages: Sequence[tuple[str, object]], query: str | None) -> dict[int, Kept | None]:
        """Choose sentences of the passages, each a text and its title; all together they fit the budget.

        The result has what is kept by the number of its passage, in order. A passage without text has nothing to lose:
        it is in the result, with nothing. One of which no sentence is kept is not.
        """
        # An empty title, not none: for want of a title the id, here a mere number, would be taken for one.
        sources = [
            Source(str(number), text, title if isinstance(title, str) else "")
            for number, (text, title) in enumerate(passages)
        ]
        asked = query if query and query.strip() else None
        options = Options(query=asked, encoder=self.encoder if asked else None)
        fitted = self._fitted(Collection.gather(sources), options)
        blank = {source.id for source in sources if not source.text.strip()}
        return {int(each.id): fitted.get(each.id) for each in sources if each.id in fitted or each.id in blank}

    def _fitted(self, collection: Collection, options: Options) -> dict[str, Kept]:
        """Fit, and as long as what is kept is too long in pieces, fit again to a bit less."""
        limit = room = int(self.budget.limit)
        less = 1
        while room > 0 and len(collection):
            summary = self.summarizer.fit(collection, Budget(room, self.budget.unit), options, self.tokens)
            pieces = cut(collection, summary)
            over = sum(measure(each.text, self.budget.counts, self.tokens) for each in pieces.values()) - limit
            if over <= 0:
                if not pieces:
                    _log.warning("nothing is kept: %s", summary.explain())
                return pieces
            room, less = room - max(over, less), 2 * less
        return {}


class Settings:
    """The settings of LangChain's and LlamaIndex's components, which become fields of their pydantic models."""

    max_tokens: int | None = None
    max_chars: int | None = None
    tokenizer: str | TokenCounter | None = None
    encoder: str | None = None
    model: str | None = None
    title_key: str = "title"
    _passages: Passages

    def __init__(
        self,
        *,
        max_tokens: int | None = None,
        max_chars: int | None = None,
        tokenizer: str | TokenCounter | None = None,
        encoder: str | None = None,
        model: str | None = None,
        title_key: str = "title",
        **others: Any,
    ) -> None:
        settings: dict[str, Any] = {
            "max_tokens": max_tokens,
            "max_chars": max_chars,
            "tokenizer": tokenizer,
            "encoder": encoder,
            "model": model,
        }
        # Before pydantic looks at them: what is wrong is then said in one line.
        passages = Passages(**settings)
        super().__init__(**settings | {"title_key": title_key} | others)
        self._passages = passages


def cut(collection: Collection, summary: Summary) -> dict[str, Kept]:
    """Return what is left of each source; sentences that stood side by side keep the space between them."""
    spans: dict[str, list[list[int]]] = {}
    for sentence in summary.sentences:
        spans.setdefault(str(sentence.source), []).append([sentence.start, sentence.end])
    kept = {}
    for source, part in zip(collection.sources, collection.parts, strict=True):
        if source.id in spans:
            text, end = "", None
            for start, stop in spans[source.id]:
                gap = "" if end is None else source.text[end:start]
                text += (separator(part.language) if gap.strip() else gap) + source.text[start:stop]
                end = stop
            kept[source.id] = Kept(text, spans[source.id])
    return kept
