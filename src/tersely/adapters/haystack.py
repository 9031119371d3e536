"""Haystack components (extra `haystack`): one for retrieved documents, one for the history of a chat."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from tersely.adapters._passages import Kept, Passages, cut
from tersely.errors import InputError, UsageError, extra
from tersely.options import Budget
from tersely.summarizer import Summarizer
from tersely.text.length import token_counter
from tersely.text.sources import Collection, Source

with extra("the Haystack adapter", "haystack"):
    from haystack import Document, component, default_from_dict, default_to_dict
    from haystack.core.serialization import component_to_dict
    from haystack.dataclasses import ChatMessage, ChatRole, TextContent, ToolCall, ToolCallResult
    from haystack.utils import deserialize_callable, serialize_callable
    from haystack.utils.deserialization import deserialize_component_inplace

Tokenizer = str | Callable[[str], int]
# Enough to come within a thousandth of the best length.
_TRIES = 10
# A result cannot go without its call, nor a call without its result, so one that is cut to nothing still says so.
_NOTHING = "[...]"


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
    return tokenizer if hasattr(tokenizer, "count") else TextCounter(token_counter(tokenizer))


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


class Chat:
    """The messages in units that belong together: a message by itself, or one with tool calls and their results."""

    def __init__(self, messages: list[ChatMessage], keep_last: int) -> None:
        self.messages = messages
        asked = max((i for i, message in enumerate(messages) if message.is_from(ChatRole.USER)), default=-1)
        self.question = (messages[asked].text or "").strip() or None if asked >= 0 else None
        self.units = list(_units(messages))
        self.whole = {
            unit
            for unit in self.units
            if unit.stop > len(messages) - keep_last
            or asked in unit
            or any(messages[i].is_from(ChatRole.SYSTEM) for i in unit)
        }

    def texts(self) -> list[Source]:
        """Return the texts that may be shortened."""
        old = (i for unit in self.units if unit not in self.whole for i in unit)
        parts = ((f"{i}.{k}", part) for i in old for k, part in enumerate(self.messages[i]._content))
        return [Source(name, _text(part), "") for name, part in parts if isinstance(part, TextContent | ToolCallResult)]

    def shortened(self, kept: Mapping[str, Kept]) -> list[ChatMessage]:
        """Return the chat with only what is kept of the texts; a unit of which nothing is kept is left out."""
        units = {int(name.partition(".")[0]) for name in kept}
        messages = []
        for unit in self.units:
            if unit in self.whole:
                messages += self.messages[unit.start : unit.stop]
            elif not units.isdisjoint(unit):
                messages += [self._message(i, kept) for i in unit if self._content(i, kept)]
        return messages

    def _message(self, i: int, kept: Mapping[str, Kept]) -> ChatMessage:
        return replace(self.messages[i], _content=self._content(i, kept))

    def _content(self, i: int, kept: Mapping[str, Kept]) -> list[Any]:
        content: list[Any] = []
        for k, part in enumerate(self.messages[i]._content):
            left = kept.get(f"{i}.{k}")
            if isinstance(part, ToolCallResult):
                content.append(replace(part, result=left.text if left else _NOTHING))
            elif isinstance(part, TextContent):
                content += [TextContent(left.text)] if left else []
            elif isinstance(part, ToolCall):
                content.append(part)
        return content


class TextCounter:
    """Counts a chat by the texts, tool calls and results in it, with a function that measures a text."""

    def __init__(self, measure: Callable[[str], int]) -> None:
        self._measure = measure

    def count(self, messages: list[ChatMessage], tools: Any = None) -> int:  # noqa: ARG002
        """Return the length of the messages."""
        return sum(self._measure(_text(part)) for message in messages for part in message._content)


def _units(messages: list[ChatMessage]) -> Iterator[range]:
    start = 0
    for i in range(1, len(messages) + 1):
        # A result of a tool belongs to what comes before it.
        if i == len(messages) or not messages[i].is_from(ChatRole.TOOL):
            yield range(start, i)
            start = i


def _text(part: Any) -> str:
    if isinstance(part, TextContent):
        return part.text
    if isinstance(part, ToolCall):
        return f"{part.tool_name}({json.dumps(part.arguments, ensure_ascii=False, default=str)})"
    if isinstance(part, ToolCallResult):
        result = part.result
        return result if isinstance(result, str) else "\n".join(filter(None, map(_text, result)))
    return ""
