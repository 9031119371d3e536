"""The MCP server, with the official client."""

import json
import subprocess
import sys
from pathlib import Path
from threading import Event
from typing import Any

import pytest

pytest.importorskip("mcp.client.client", reason="the extra mcp is not installed")

from hypothesis import given
from hypothesis import strategies as st
from mcp import Client, StdioServerParameters, stdio_client
from tokenizers import Tokenizer, models, pre_tokenizers

from apart import run_apart
from strategies import texts
from tersely import Document, Summarizer, summarize
from tersely.adapters import mcp
from tersely.adapters.mcp import create_server, headings

SOURCES = [
    {"id": "rivers", "text": "The Elbe is a river in Europe. It is 1,094 km long."},
    {"id": "bread", "text": "Bread is baked in an oven. The oven must be hot.", "title": "Baking"},
]
PAGE = "# Rain #\n\nIt rained.\n\n```sh\n# none\n```\n\nRivers\n======\n\nThe river rose, and the town was flooded.\n"


def called(*calls: tuple[str, dict[str, Any]], server: Any = None) -> list[Any]:
    """Call tools of a server in this process, or of the one given."""

    async def run() -> list[Any]:
        async with Client(create_server(Summarizer.load()) if server is None else server) as client:
            return [await client.call_tool(name, arguments) for name, arguments in calls]

    return run_apart(run())


def said(result: Any) -> str:
    [block] = result.content
    return str(block.text)


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> str:
    made = Tokenizer(models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    path = tmp_path_factory.mktemp("tokenizer") / "tokenizer.json"
    made.save(str(path))
    return str(path)


def test_the_command_serves_the_tools_on_standard_input_and_output(english: str, tokenizer: str) -> None:
    async def run() -> None:
        command = ["-m", "tersely", "mcp", "--tokenizer", tokenizer]
        async with Client(stdio_client(StdioServerParameters(command=sys.executable, args=command))) as client:
            tools = (await client.list_tools()).tools
            assert [tool.name for tool in tools] == ["fit", "more", "fit_log", "fit_json", "outline", "verify"]
            assert all(tool.annotations.read_only_hint and tool.description for tool in tools)
            short = await client.call_tool("fit", {"text": english, "max_chars": 300})
            assert said(short) == summarize(english, max_chars=300).text
            assert not short.is_error
            tokens = await client.call_tool("fit", {"text": english, "max_tokens": 40})
            assert said(tokens) == summarize(english, max_tokens=40, tokenizer=tokenizer).text
            wrong = await client.call_tool("fit", {"text": english, "max_chars": 20})
            assert wrong.is_error
            assert said(wrong) == "0 of 20 chars: no sentence is short enough for the budget; the shortest needs 25"
            listed = await client.call_tool("outline", {"text": PAGE})
            assert said(listed).splitlines()[0] == "2-6: # Rain"

    run_apart(run())


def test_the_server_ends_when_its_input_ends() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "tersely", "mcp"], stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, b"", b"")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--tokenizer", "no/such.json"], "no tokenizer at no/such.json"),
        (["--model", "no/such/model"], "no/such/model"),
    ],
)
def test_a_wrong_option_is_one_line_at_the_start(options: list[str], message: str) -> None:
    command = [sys.executable, "-m", "tersely", "mcp", *options]
    run = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert run.returncode == 3
    [line] = run.stderr.splitlines()
    assert message in line


def test_several_sources_and_a_query_with_the_places_of_what_is_kept() -> None:
    asked = {"sources": SOURCES, "max_words": 14, "query": "How long is the Elbe?", "offsets": True}
    plain, placed = called(("fit", asked | {"offsets": False}), ("fit", asked))
    assert plain.structured_content is None
    data = placed.structured_content
    assert said(placed) == said(plain) == data["text"]
    assert data["text"].startswith("[rivers]\n")
    assert "It is 1,094 km long." in data["text"]
    assert data["length"] <= data["limit"] == 14
    texts_of = {source["id"]: source["text"] for source in SOURCES}
    assert all(texts_of[s["source"]][s["start"] : s["end"]] in data["text"] for s in data["sentences"])


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("fit", {"text": "Rain fell."}, "give exactly one of max_chars, max_words, max_tokens"),
        ("fit", {"text": "Rain fell.", "max_chars": 9, "max_words": 9}, "give exactly one of"),
        ("fit", {"max_chars": 9}, "give either text or sources"),
        ("fit", {"text": "Rain.", "sources": SOURCES, "max_chars": 9}, "give either text or sources"),
        ("fit", {"text": "Rain.", "max_chars": 0}, "max_chars: input should be greater than or equal to 1"),
        ("fit", {"text": "Rain.", "max_chars": "few"}, "max_chars: input should be a valid integer"),
        ("fit", {"text": "Rain.", "max_tokens": 5}, "this server counts no tokens: use max_chars or max_words, or"),
        ("fit", {"text": "Rain.", "max_char": 5}, "max_char: extra inputs are not permitted"),
        ("fit", {"text": " ", "max_chars": 5}, "the text has no sentence"),
        ("fit", {"sources": [], "max_chars": 5}, "the text has no sentence"),
        ("fit", {"sources": [SOURCES[0]] * 2, "max_chars": 99}, "two sources have the id 'rivers'"),
        ("fit", {"sources": [{"id": "a"}], "max_chars": 99}, "sources.0.text: field required"),
        ("outline", {"text": ""}, "the text has no sentence"),
        ("outline", {"text": "Rain.", "sentences": 1000}, "sentences: input should be less than or equal to 100"),
        ("outline", {}, "text: field required"),
        ("inline", {}, "there is no tool 'inline': choose from fit, more, fit_log, fit_json, outline"),
        ("more", {"text": "Rain fell.", "after": "x"}, "'x' is no key: take the `more` of an earlier summary"),
        ("more", {"text": "Rain.", "after": "0" * 8 + "-" + "0" * 8 + "-9c"}, "is of another text"),
        ("more", {"text": "Rain fell.", "max_chars": 9}, "after: field required"),
        ("fit_log", {"text": "INFO up"}, "give exactly one of max_chars, max_words, max_tokens"),
        ("fit_log", {"text": "a\n" * 20_001, "max_chars": 9}, "the text has more than 20,000 lines: send less at once"),
        ("fit_json", {"text": "{", "max_chars": 9}, "the text is no JSON"),
        ("fit_json", {"text": "[1, 2]", "max_chars": 2}, "the JSON needs 6 of 2 chars"),
    ],
)
def test_what_is_wrong_with_a_call_is_an_error_of_one_line(name: str, arguments: dict[str, Any], message: str) -> None:
    [result] = called((name, arguments))
    assert result.is_error
    assert message in said(result)
    assert "\n" not in said(result)


def test_an_outline_has_headings_and_sentences_in_order_with_their_places() -> None:
    [result] = called(("outline", {"text": PAGE, "sentences": 1}))
    lines = [line.split(": ", 1) for line in said(result).splitlines()]
    assert {"# Rain", "# Rivers"} < {text for _, text in lines}
    places = [tuple(map(int, place.split("-"))) for place, _ in lines]
    assert places == sorted(places)
    assert [PAGE[start:end] for start, end in places] == [text.removeprefix("# ") for _, text in lines]
    assert len(lines) == 3


@given(texts, st.integers(1, 60))
def test_any_text_is_answered_within_the_budget_or_refused_in_one_line(text: str, limit: int) -> None:
    from tersely.adapters.mcp import Tools, _call

    tools = Tools(_SUMMARIZER)
    for name, arguments in (("fit", {"text": text, "max_chars": limit}), ("outline", {"text": text})):
        result = _call(tools, name, arguments)
        assert "\n" not in said(result) if result.is_error else name == "outline" or len(said(result)) <= limit
        said(result).encode()


_SUMMARIZER = Summarizer.load()


@given(
    st.lists(st.sampled_from(["# a", "#b", "## c #", "a b", "", "---", "==", "```", "~~~~", "    # d", "####### e"]))
)
def test_headings_are_in_order_and_without_their_marks(lines: list[str]) -> None:
    text = "\n".join(lines)
    found = list(headings(Document.from_text(text)))
    assert found == sorted(found)
    assert all(text[start:end].strip() == text[start:end] != "" for start, end, _ in found)


def test_what_is_fenced_is_no_heading() -> None:
    assert list(headings(Document.from_text("```\n# a\n```\n\n# c\n"))) == [(15, 16, 1)]


def test_the_example_of_a_configuration_names_the_command() -> None:
    page = (Path(__file__).parents[2] / "docs" / "integrations.md").read_text(encoding="utf-8")
    assert '"command": "tersely", "args": ["mcp"]' in page


def test_verify_names_what_is_not_in_the_sources_and_places_the_rest() -> None:
    [good, bad] = called(
        ("verify", {"summary": "The oven must be hot.", "sources": SOURCES}),
        (
            "verify",
            {"summary": 'He says "the oven is cold" and “a river in Europe”.', "sources": SOURCES, "quotations": True},
        ),
    )
    assert said(good) == "1 of 1 in the sources"
    assert good.structured_content["claims"][0]["quoted"] == [
        {"start": 0, "end": 21, "source": "bread", "source_start": 27, "source_end": 48}
    ]
    assert said(bad).splitlines() == ["1 of 2 in the sources, 1 missing", "missing: the oven is cold"]
    assert not bad.structured_content["ok"]


def test_fit_keeps_what_is_pinned() -> None:
    text = "It rained all day long. The wall costs $5. Nobody spoke."
    [good, bad] = called(
        ("fit", {"text": text, "max_chars": 20, "keep": ["amounts"]}),
        ("fit", {"text": text, "max_chars": 9, "keep": ["amounts"]}),
    )
    assert said(good) == "The wall costs $5."
    assert said(bad) == "the pins need 18 of 9 chars: give more room, or fewer patterns to keep"


def test_more_goes_on_after_what_fit_gave(english: str) -> None:
    server = create_server(Summarizer.load())
    asked = {"text": english, "max_chars": 300, "key": True}
    [first] = called(("fit", asked), server=server)
    text, key = (block.text for block in first.content)
    assert text == summarize(english, max_chars=300).text
    parts = [text]
    while key.startswith("key: "):
        call = {"text": english, "after": key.removeprefix("key: "), "offsets": True}
        [result] = called(("more", call), server=server)
        text, key = (block.text for block in result.content)
        assert result.structured_content["limit"] == 300 >= len(text)
        parts.append(text)
    assert key == "nothing is left"
    sentences = [sentence.text for sentence in summarize(english, max_chars=300).ranking]
    assert all(sum(" ".join(s.split()) in part for part in parts) <= 1 for s in sentences)


def test_fit_log_keeps_lines_and_fit_json_the_structure(english: str) -> None:
    log = "\n".join([*(f"INFO job {i} done" for i in range(50)), "ERROR disk full", "  at write()"])
    payload = json.dumps({"id": 7, "body": english})
    [lines, shorter] = called(
        ("fit_log", {"text": log, "max_chars": 70}), ("fit_json", {"text": payload, "max_chars": 300})
    )
    assert said(lines).splitlines() == ["INFO job 0 done", "[... 49 similar lines]", "ERROR disk full", "  at write()"]
    assert len(said(shorter)) <= 300
    assert json.loads(said(shorter))["id"] == 7


def test_fit_accounts_for_what_is_left_out(english: str) -> None:
    [short] = called(("fit", {"text": english, "max_chars": 500, "account": True}))
    assert said(short) == summarize(english, max_chars=500, omission="account").text
    assert "sentences]" in said(short)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Rain fell. " * 200_000, "the text has 2,200,000 bytes, but a call may have 2,000,000: send less at once"),
        ("Rain\n" * 100_001, "the text has 100,001 lines, but a call may have 100,000: send less at once"),
        ("It rained. " * 20_001, "the text has more than 20,000 sentences: send less at once"),
    ],
)
def test_a_call_has_the_limits_of_a_request_to_the_service(text: str, message: str) -> None:
    half = len(text) // 2 + 1
    sources = [{"id": "a", "text": text[:half]}, {"id": "b", "text": text[half:]}]
    calls = [("fit", {"text": text, "max_chars": 9}), ("outline", {"text": text})]
    results = called(*calls, ("fit", {"sources": sources, "max_chars": 9}))
    assert all(result.is_error for result in results)
    assert [said(result) for result in results[:2]] == [message] * 2
    assert said(results[2]).endswith(": send less at once")


def test_a_call_that_takes_too_long_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    done = Event()
    monkeypatch.setattr(mcp, "DEADLINE", 0.01)
    monkeypatch.setattr(mcp, "_call", lambda *_: done.wait(60))
    [result] = called(("fit", {"text": "Rain fell.", "max_chars": 9}))
    done.set()
    assert result.is_error
    assert said(result) == "there was no answer within 0.01 seconds: send a shorter text"
