"""The Haystack components, with Haystack itself."""

import os
import warnings
from typing import Any

import pytest

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
pytest.importorskip("haystack", reason="the extra haystack is not installed")

from haystack import Document, Pipeline
from haystack.dataclasses import ByteStream, ChatMessage, ChatRole, ImageContent, TextContent, ToolCall
from haystack.token_counters import ApproximateTokenCounter
from hypothesis import given
from hypothesis import strategies as st

from apart import run_apart
from strategies import prose
from tersely import InputError, UsageError
from tersely.adapters.haystack import TerselyChatCompactor, TerselyCompressor

DOCUMENTS = [
    Document(content="Bread is baked in an oven. The oven must be hot.", meta={"file": "bread.txt"}, score=0.9),
    Document(
        content="The Elbe is a river in Europe. It is 1,094 km long. It flows through Hamburg.",
        meta={"file": "elbe.txt"},
        score=0.7,
    ),
    Document(blob=ByteStream(b"photo"), meta={"file": "photo.png"}),
]
CALL = ToolCall("weather", {"city": "Kelsby"}, id="1")
CHAT = [
    ChatMessage.from_system("You plan journeys."),
    ChatMessage.from_user("I want to see Kelsby in spring. My dog comes along. I like trains.", meta={"n": 1}),
    ChatMessage.from_assistant("Kelsby is lovely. Its harbor has no cars. Dogs ride for free on trains.", name="guide"),
    ChatMessage.from_user("What is the weather like?"),
    ChatMessage.from_assistant(None, tool_calls=[CALL]),
    ChatMessage.from_tool("Sunny in the morning. Rain in the afternoon. Wind from the west.", origin=CALL),
    ChatMessage.from_assistant("Mostly sunny, with some rain later."),
    ChatMessage.from_user("Does the dog need a ticket for the train?"),
]


def words(text: str) -> int:
    return len(text.split())


def length(messages: list[ChatMessage]) -> int:
    """Count words as the component does: those of texts, calls and results."""
    return sum(
        sum(map(words, message.texts))
        + sum(words(str(result.result)) for result in message.tool_call_results)
        + sum(words(f'{call.tool_name}({{"city": "Kelsby"}})') for call in message.tool_calls)
        for message in messages
    )


def test_a_document_keeps_its_id_score_and_meta_and_tells_where_its_sentences_stood() -> None:
    found = TerselyCompressor(max_chars=60).run(documents=DOCUMENTS, query="How long is the Elbe?")["documents"]
    [elbe] = [document for document in found if document.id == DOCUMENTS[1].id]
    assert (elbe.score, elbe.meta["file"]) == (0.7, "elbe.txt")
    assert "1,094 km" in elbe.content
    assert " ".join(DOCUMENTS[1].content[start:end] for start, end in elbe.meta["kept"]) == elbe.content
    assert sum(len(document.content or "") for document in found) <= 60
    assert found[-1] is DOCUMENTS[2]
    assert "kept" not in DOCUMENTS[1].meta


def test_a_pipeline_can_be_stored_and_loaded() -> None:
    pipeline = Pipeline()
    pipeline.add_component("short", TerselyCompressor(max_tokens=12, tokenizer=words, title_key="file"))
    pipeline.add_component(
        "chat", TerselyChatCompactor(max_tokens=40, tokenizer=ApproximateTokenCounter(), keep_last=1)
    )
    modules = ["tersely.adapters.*", words.__module__]
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=modules)
    asked = {"short": {"documents": DOCUMENTS, "query": "Elbe"}, "chat": {"messages": CHAT}}
    assert again.run(asked) == pipeline.run(asked)
    assert again.dumps() == pipeline.dumps()


def test_what_matters_for_the_last_question_stays() -> None:
    [chat] = TerselyChatCompactor(max_tokens=30, tokenizer=words, keep_last=1).run(messages=CHAT).values()
    assert length(chat) <= 30
    assert chat[0] is CHAT[0]
    assert chat[-1] is CHAT[-1]
    assert any("Dogs ride for free on trains." in (message.text or "") for message in chat)
    [guide] = [message for message in chat if message.is_from(ChatRole.ASSISTANT)]
    assert guide.name == "guide"
    assert CHAT[2].text == "Kelsby is lovely. Its harbor has no cars. Dogs ride for free on trains."


def test_a_chat_that_fits_stays_as_it_is() -> None:
    assert TerselyChatCompactor(max_chars=10_000).run(messages=CHAT) == {"messages": CHAT}
    assert TerselyChatCompactor(max_chars=10).run(messages=[]) == {"messages": []}


messages = st.lists(
    st.one_of(
        st.builds(ChatMessage.from_user, prose),
        st.builds(ChatMessage.from_assistant, prose),
        st.builds(ChatMessage.from_system, prose.map(lambda text: text[:20])),
        st.builds(lambda text: (ChatMessage.from_assistant(text, tool_calls=[CALL, CALL]), text), prose),
    ),
    max_size=8,
).map(
    lambda units: [
        message
        for unit in units
        for message in (
            [unit]
            if isinstance(unit, ChatMessage)
            else [unit[0], *(ChatMessage.from_tool(text, origin=CALL) for text in (unit[1], [TextContent("Wind.")]))]
        )
    ]
)


@given(messages, st.integers(1, 200), st.integers(0, 3))
def test_a_chat_never_exceeds_its_budget_and_no_call_is_without_its_results(
    chat: list[ChatMessage], limit: int, keep_last: int
) -> None:
    compactor = TerselyChatCompactor(max_chars=limit, keep_last=keep_last)
    try:
        fitted = compactor.run(messages=chat)["messages"]
    except InputError:
        # Only what must stay whole can be too long.
        asked = max((i for i, m in enumerate(chat) if m.is_from(ChatRole.USER)), default=-1)
        must = [m for i, m in enumerate(chat) if m.is_from(ChatRole.SYSTEM) or i == asked or i >= len(chat) - keep_last]
        assert chars(must) > limit or any(m.tool_calls or m.tool_call_results for m in must)
        return
    assert chars(fitted) <= limit
    # The recent ones are whole, the others are there in order, with their roles.
    if keep_last:
        assert fitted[-keep_last:] == chat[-keep_last:]
    assert [m for m in fitted if m.is_from(ChatRole.SYSTEM)] == [m for m in chat if m.is_from(ChatRole.SYSTEM)]
    rest = iter(chat)
    for message in fitted:
        assert any(same(message, other) for other in rest)
    for place, message in enumerate(fitted):
        if message.tool_calls:
            assert [m.role for m in fitted[place + 1 : place + 3]] == [ChatRole.TOOL, ChatRole.TOOL]
        if message.is_from(ChatRole.TOOL):
            assert any(m.tool_calls for m in fitted[max(0, place - 2) : place])


def chars(messages: list[ChatMessage]) -> int:
    """Count characters as the component does."""
    results = [result.result for message in messages for result in message.tool_call_results]
    return (
        sum(len(text) for message in messages for text in message.texts)
        + sum(len(result if isinstance(result, str) else "Wind.") for result in results)
        + sum(len('weather({"city": "Kelsby"})') for message in messages for _ in message.tool_calls)
    )


def same(short: ChatMessage, given: ChatMessage) -> bool:
    """Tell whether one message may be what is left of the other."""
    said = "".join((short.text or "").split())
    left = iter("".join((given.text or "").split()))
    return short.role == given.role and short.tool_calls == given.tool_calls and all(char in left for char in said)


def test_images_in_old_messages_are_left_out_and_recent_ones_stay() -> None:
    image = ImageContent(base64_image="aGk=", mime_type="image/png", validation=False)
    old = ChatMessage.from_user(content_parts=["My dog is brown. It is old. It barks a lot.", image])
    new = ChatMessage.from_user(content_parts=["What color is my dog?", image])
    [first, last] = TerselyChatCompactor(max_chars=40, keep_last=1).run(messages=[old, new])["messages"]
    assert first.images == []
    assert first.text == "My dog is brown."
    assert last is new


def test_what_must_stay_whole_and_does_not_fit_is_one_clear_line() -> None:
    with pytest.raises(InputError, match=r"^what must stay whole of the chat needs 12, and the budget is 5$"):
        TerselyChatCompactor(max_tokens=5, tokenizer=words, keep_last=0).run(messages=CHAT)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"max_tokens": 5, "max_chars": 5}, "give one budget, max_tokens or max_chars"),
        ({"max_tokens": 5}, "needs a tokenizer"),
        ({"max_chars": 0}, "must be a whole number of at least 1, not 0"),
        ({"max_chars": 5, "keep_last": -1}, "keep_last must be at least 0, not -1"),
        ({}, "no budget: give max_tokens or max_chars"),
    ],
)
def test_a_wrong_setting_is_one_clear_line(settings: Any, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        TerselyChatCompactor(**settings).run(messages=CHAT)


def test_it_is_a_compactor_for_the_hook_of_haystack() -> None:
    counter, compactor = ApproximateTokenCounter(), TerselyChatCompactor(keep_last=1)
    before = list(CHAT)
    short = compactor.compact(CHAT, 50, counter)
    assert short is not None
    assert counter.count(short) <= 50
    assert before == CHAT
    assert run_apart(compactor.compact_async(CHAT, 50, counter)) == short
    assert compactor.compact(CHAT, 1000, counter) is None
    # What must stay is a goal missed, not an error.
    least = compactor.compact(CHAT, 1, counter)
    assert least == [CHAT[0], CHAT[-1]]
    assert compactor.compact(least, 1, counter) is None


def test_the_hook_of_haystack_uses_it() -> None:
    hooks = pytest.importorskip("haystack.hooks.compaction", reason="this Haystack has no hook for compaction")
    from haystack.components.agents.state.state import State

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the hook is called experimental
        hook = hooks.CompactionHook(TerselyChatCompactor(keep_last=1), context_window=100, compact_to=0.5)
    state = State(schema={"messages": {"type": list[ChatMessage]}}, data={"messages": CHAT})
    hook.run(state)
    assert ApproximateTokenCounter().count(state.data["messages"]) <= 50
    assert state.data["messages"][-1] == CHAT[-1]
