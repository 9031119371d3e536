"""Takes a chat of Haystack apart: what stays whole, and the texts of old messages, which may lose sentences."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from tersely.adapters._passages import Kept
from tersely.errors import extra
from tersely.text.sources import Source

with extra("the Haystack adapter", "haystack"):
    from haystack.dataclasses import ChatMessage, ChatRole, TextContent, ToolCall, ToolCallResult

# A result cannot go without its call, nor a call without its result, so one that is cut to nothing still says so.
_NOTHING = "[...]"


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
