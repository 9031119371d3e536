"""Haystack components (extra `haystack`): one for retrieved documents, one for the history of a chat."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tersely.adapters._chat import Chat, TextCounter
from tersely.adapters._passages import Kept, Passages, counter_of, cut
from tersely.budget import Budget
from tersely.errors import InputError, UsageError, extra
from tersely.summarizer import Summarizer
from tersely.text.sources import Collection

with extra("the Haystack adapter", "haystack"):
    from haystack import Document, component, default_from_dict, default_to_dict
    from haystack.core.serialization import component_to_dict
    from haystack.dataclasses import ChatMessage
    from haystack.utils import deserialize_callable, serialize_callable
    from haystack.utils.deserialization import deserialize_component_inplace

Tokenizer = str | Callable[[str], int]
# Enough to come within a thousandth of the best length.
_TRIES = 10


@component
class TerselyCompressor:
    """Keeps of the documents the sentences that answer the query, all together within one budget.

    Give `max_chars`, or `max_tokens` with a `tokenizer`: the path of a `tokenizer.json`, or a function that counts the
    tokens of a text. `encoder="use"` also compares meanings, which takes longer. `title_key` names the entry of `meta`
    with a document's title.

    A document keeps its id, its score and its `meta`; the new entry `kept` says where its sentences stood, as
    `[start, end]`. A document of which nothing is kept is left out; one without text stays as it is.
    """

    def __init__(
        self,
        *,
        max_tokens: int | None = None,
        max_chars: int | None = None,
        tokenizer: Tokenizer | None = None,
        encoder: str | None = None,
        model: str | None = None,
        title_key: str = "title",
    ) -> None:
        self._settings: dict[str, Any] = {
            "max_tokens": max_tokens,
            "max_chars": max_chars,
            "tokenizer": tokenizer,
            "encoder": encoder,
            "model": model,
        }
        self._title_key = title_key
        self._passages = Passages(**self._settings)

    def to_dict(self) -> dict[str, Any]:
        """Return the component as plain data."""
        settings = self._settings | {"title_key": self._title_key}
        return default_to_dict(self, **settings | {"tokenizer": _plain(settings["tokenizer"])})

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "TerselyCompressor":
        """Make the component from plain data."""
        return default_from_dict(cls, _read(data))

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document], query: str | None = None) -> dict[str, list[Document]]:
        """Return what is kept of the documents, in their order."""
        passages = [(document.content or "", document.meta.get(self._title_key)) for document in documents]
        return {
            "documents": [
                _shortened(documents[number], kept) if kept else documents[number]
                for number, kept in self._passages.fit(passages, query).items()
            ]
        }


@component
class TerselyChatCompactor:
    """Fits a chat to a budget: recent messages stay whole, old ones keep their sentences that matter now.

    What stays whole: messages of the system, the last message of the user, and the last `keep_last` messages, with the
    tool calls whose results are among them. Of older messages and tool results, the sentences that go best with the
    last message of the user are kept. Roles, names and metadata stay; a message of which nothing is kept is left out, a
    tool call only together with its results. Images and files in old messages are left out.

    Give `max_chars`, or `max_tokens` with a `tokenizer`: the path of a `tokenizer.json`, a function that counts the
    tokens of a text, or a `TokenCounter` of Haystack. It is also a `Compactor` for Haystack's `CompactionHook`, which
    brings a budget and a counter of its own.
    """

    def __init__(
        self,
        *,
        max_tokens: int | None = None,
        max_chars: int | None = None,
        tokenizer: Tokenizer | Any | None = None,
        keep_last: int = 2,
        model: str | None = None,
    ) -> None:
        if max_tokens is not None and max_chars is not None:
            raise UsageError("give one budget, max_tokens or max_chars")
        if max_tokens is not None and tokenizer is None:
            raise UsageError(
                "max_tokens needs a tokenizer: the path of a tokenizer.json, a function, or a TokenCounter"
            )
        if keep_last < 0:
            raise UsageError(f"keep_last must be at least 0, not {keep_last}")
        self._settings: dict[str, Any] = {
            "max_tokens": max_tokens,
            "max_chars": max_chars,
            "tokenizer": tokenizer,
            "keep_last": keep_last,
            "model": model,
        }
        limits = [limit for limit in (max_tokens, max_chars) if limit is not None]
        self._limit = int(Budget.one_of(max_chars=limits[0]).limit) if limits else None
        self._counter = TextCounter(len) if max_tokens is None else _chat_counter(tokenizer)
        self._keep_last, self._summarizer = keep_last, Summarizer.load(model)

    def to_dict(self) -> dict[str, Any]:
        """Return the component as plain data."""
        return default_to_dict(self, **self._settings | {"tokenizer": _plain(self._settings["tokenizer"])})

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "TerselyChatCompactor":
        """Make the component from plain data."""
        return default_from_dict(cls, _read(data))

    @component.output_types(messages=list[ChatMessage])
    def run(self, messages: list[ChatMessage]) -> dict[str, list[ChatMessage]]:
        """Return the chat within the budget; if what must stay whole is too long, that is an error."""
        if self._limit is None:
            raise UsageError("no budget: give max_tokens or max_chars")
        fitted = self.compact(messages, self._limit, self._counter)
        fitted = messages if fitted is None else fitted
        used = self._counter.count(fitted)
        if used > self._limit:
            raise InputError(f"what must stay whole of the chat needs {used}, and the budget is {self._limit}")
        return {"messages": fitted}

    def compact(self, messages: list[ChatMessage], target_tokens: int, token_counter: Any) -> list[ChatMessage] | None:
        """Return a shorter chat, as close to the target as what must stay allows; none if it would not be shorter."""
        before = token_counter.count(messages)
        if before <= target_tokens:
            return None
        chat = Chat(messages, self._keep_last)
        best = chat.shortened({})
        least = token_counter.count(best)
        texts = Collection.gather(chat.texts())
        if len(texts) and least < target_tokens:
            # Lengths in characters, which are quick to try, are halved until the counter agrees.
            frontier = self._summarizer.frontier(texts, query=chat.question)
            low, high = 0, frontier.capacity
            guess = high * (target_tokens - least) // (before - least)
            for _ in range(_TRIES):
                guess = min(max(guess, low + 1), high)
                if low == high:
                    break
                tried = chat.shortened(cut(texts, frontier.at(guess)))
                if token_counter.count(tried) <= target_tokens:
                    best, low = tried, guess
                else:
                    high = guess - 1
                guess = (low + high + 1) // 2
        return best if token_counter.count(best) < before else None

    async def compact_async(
        self, messages: list[ChatMessage], target_tokens: int, token_counter: Any
    ) -> list[ChatMessage] | None:
        """Do the same as `compact`, for agents that run asynchronously."""
        return self.compact(messages, target_tokens, token_counter)


def _shortened(document: Document, kept: Kept) -> Document:
    return replace(document, content=kept.text, meta=kept.note(document.meta))


def _chat_counter(tokenizer: Any) -> Any:
    return tokenizer if hasattr(tokenizer, "count") else TextCounter(counter_of(tokenizer))


def _plain(tokenizer: Any) -> Any:
    """Return a tokenizer as plain data: a path, a counter of Haystack, or the name of a function."""
    if hasattr(tokenizer, "to_dict"):
        return component_to_dict(tokenizer, "tokenizer")
    return {"function": serialize_callable(tokenizer)} if callable(tokenizer) else tokenizer


def _read(data: dict[str, Any]) -> dict[str, Any]:
    """Return the data of a component with the tokenizer that `_plain` wrote down."""
    settings = dict(data["init_parameters"])
    tokenizer = settings.get("tokenizer")
    if isinstance(tokenizer, dict):
        if "function" in tokenizer:
            settings["tokenizer"] = deserialize_callable(tokenizer["function"])
        else:
            deserialize_component_inplace(settings, "tokenizer")
    return data | {"init_parameters": settings}
