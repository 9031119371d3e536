"""A server for the Model Context Protocol over standard input and output: `tersely mcp` (extra `mcp`)."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from inspect import getdoc
from typing import Any

from tersely import __version__
from tersely.errors import TerselyError, UsageError, extra
from tersely.fitting import Key
from tersely.options import (
    ACCOUNT,
    BUDGETS,
    DEADLINE,
    MAX_BODY,
    MAX_LINES,
    MAX_SENTENCES,
    MAX_SOURCES,
    OPTIONS,
    Budget,
    Options,
    Pattern,
)
from tersely.payload import fit_json
from tersely.summarizer import Summarizer
from tersely.summary import Summary
from tersely.text.document import Document
from tersely.text.quotations import FAULTS, verify
from tersely.text.sources import Log, as_document

with extra("the MCP server", "mcp"):
    import anyio
    from mcp.server.lowlevel import Server
    from mcp.server.stdio import stdio_server
    from mcp.types import (
        CallToolRequestParams,
        CallToolResult,
        ListToolsResult,
        PaginatedRequestParams,
        TextContent,
        Tool,
        ToolAnnotations,
    )
    from pydantic import BaseModel, ConfigDict, Field, ValidationError

_MOST_SENTENCES = 100
_MARKED = re.compile(r"(?:#{1,6}[ \t]+)?(\S.*?)(?:[ \t]+#+)?\s*", re.DOTALL)


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid")


class GivenSource(_Arguments):
    """One of several texts."""

    id: str = Field(description="A name for the text; what is kept says which text it is from.")
    text: str
    title: str | None = Field(None, description="What the text is about, if it has a title.")


class _Budgeted(_Arguments):
    max_chars: int | None = Field(None, ge=1, description=BUDGETS["max_chars"].description)
    max_words: int | None = Field(None, ge=1, description=BUDGETS["max_words"].description)
    max_tokens: int | None = Field(None, ge=1, description=BUDGETS["max_tokens"].description)
    query: str | None = Field(None, description=OPTIONS["query"].description)
    keep: list[Pattern] = Field([], description=OPTIONS["keep"].description)

    @property
    def limits(self) -> dict[str, int | None]:
        """The budgets, of which one must be given."""
        return {name: getattr(self, name) for name in BUDGETS if name in _Budgeted.model_fields}


class Fit(_Budgeted):
    """Shorten a text, or several, to a budget that is never exceeded.

    Whole sentences are chosen and copied word for word; nothing is rewritten. Give either text or sources, and exactly
    one of max_chars, max_words and max_tokens. With a query, what helps to answer it is kept.
    """

    text: str | None = Field(None, description="The text to shorten.")
    sources: list[GivenSource] | None = Field(None, description="Several texts that share the budget.")
    fill: bool = Field(False, description=OPTIONS["fill"].description)
    account: bool = Field(False, description="Also tell, within the budget, what is left out where.")
    offsets: bool = Field(False, description="Also tell where each kept sentence stands, in characters from 0.")
    key: bool = Field(False, description="Also give a key, with which the tool more goes on with the text.")


class More(Fit):
    """Get the next-best part of a text after a call of fit with key, within its own budget; nothing comes twice.

    Give the same arguments as before, and the last key. Without a budget, it is that of the part before.
    """

    after: str = Field(description="The key that came with the part before.")


class FitLog(_Budgeted):
    """Shorten a log or the output of a tool to a budget that is never exceeded.

    Whole lines are kept in their order, word for word: errors with their frames, what is rare, and totals. One line
    stands for similar ones, and [... 214 similar lines] counts them.
    """

    text: str = Field(description="The log.")


class FitJson(_Budgeted):
    """Shorten the long strings inside JSON so that all of it fits a budget that is never exceeded.

    Keys, numbers and short strings stay as they are, and strings keep whole sentences: the result is valid JSON.
    """

    text: str = Field(description="The JSON.")


class Outline(_Arguments):
    """List the headings of a text and its most important sentences, in order, and where each of them stands."""

    text: str = Field(description="The text to outline.")
    sentences: int = Field(10, ge=1, le=_MOST_SENTENCES, description="How many sentences to list at most.")


class Verify(_Arguments):
    """Check that a text is in the words of its sources: where each sentence, or each quotation, stands in them.

    Each is verbatim, joined from whole sentences, stitched together from parts, or missing. Use it before you show
    quotations to a user.
    """

    summary: str = Field(description="The text to check.")
    sources: list[GivenSource] = Field(min_length=1, description="The texts that it is said to be from.")
    quotations: bool = Field(False, description="Check only what stands in quotation marks.")


class Tools:
    """Answers the calls of tools with one summarizer."""

    def __init__(self, summarizer: Summarizer, tokenizer: str | None = None) -> None:
        self.summarizer, self.tokenizer = summarizer, tokenizer

    def fit(self, call: Fit, after: str | None = None) -> CallToolResult:
        """Answer `fit`: the summary's text, then a key if the call wants one, and as data where its sentences stand."""
        if (call.text is None) == (call.sources is None):
            raise UsageError("give either text or sources")
        text_or_sources = call.text if call.text is not None else [source.model_dump() for source in call.sources or ()]
        # A name before what is kept of each source; with one text there is nothing to tell apart.
        header = None if call.sources is None else "[{id}]\n"
        omission = ACCOUNT if call.account else None
        query, fill = call.query or None, call.fill and bool(call.query)
        pins: dict[str, Any] = {"keep": call.keep, "omission": omission, "more": after}
        options = Options.of(query=query, fill=fill, header=header, **pins)
        budget = self._budget(call, None if after is None else Key.parse(after).last)
        summary = self.summarizer.fit(_document(text_or_sources), budget, options, self.tokenizer)
        answer = self._text_of(summary, {"more": summary.more, **_places(summary)} if call.offsets else None)
        if call.key or after is not None:
            rest = "nothing is left" if summary.more is None else f"key: {summary.more}"
            answer.content.append(TextContent(text=rest))
        return answer

    def more(self, call: More) -> CallToolResult:
        """Answer `more`: the next part, and the key of what comes after it."""
        return self.fit(call, call.after)

    def fit_log(self, call: FitLog) -> CallToolResult:
        """Answer `fit_log`: lines of a log."""
        options = Options.of(query=call.query or None, keep=call.keep, split="lines")
        document = _document(call.text, Log)
        return self._text_of(self.summarizer.fit(document, self._budget(call), options, self.tokenizer))

    def fit_json(self, call: FitJson) -> CallToolResult:
        """Answer `fit_json`: JSON with its long strings shortened."""
        _check_size([call.text])
        options = Options.of(query=call.query or None, keep=call.keep)
        limits: dict[str, Any] = {"summarizer": self.summarizer, "most": MAX_SOURCES}
        result = fit_json(call.text, self._budget(call), options, self.tokenizer, **limits)
        return _answer(_sendable(result.text))

    def _budget(self, call: _Budgeted, usual: Budget | None = None) -> Budget:
        """Return the one budget of a call, or the usual one if it has none."""
        if call.max_tokens is not None and self.tokenizer is None:
            raise UsageError("this server counts no tokens: use max_chars or max_words, or start it with --tokenizer")
        count = sum(limit is not None for limit in call.limits.values())
        if count != 1 and (count or usual is None):
            raise UsageError(f"give exactly one of {', '.join(call.limits)}")
        return Budget.one_of(**call.limits) if count or usual is None else usual

    def _text_of(self, summary: Summary, data: dict[str, Any] | None = None) -> CallToolResult:
        if not summary.sentences:
            raise UsageError(summary.explain())
        text = _sendable(summary.text)
        answer = _answer(text, None if data is None else {"text": text, **data})
        if summary.reason == "nothing-answers":
            answer.content.append(TextContent(text=f"({summary.explain()}.)"))
        return answer

    def outline(self, call: Outline) -> CallToolResult:
        """Answer `outline`: a line for each heading and each of the best sentences."""
        document = _document(call.text)
        places = list(headings(document))
        titles = frozenset(i for i, kind in enumerate(document.kinds) if kind == "heading")
        if len(titles) < len(document):
            chosen = self.summarizer.fit(document, Budget(call.sentences, "sentences"), Options(exclude=titles))
            places += [(sentence.start, sentence.end, 0) for sentence in chosen.sentences]
        if not places:
            raise UsageError("the text has no sentence")
        lines = [
            f"{start}-{end}: {'#' * level}{' ' * bool(level)}{' '.join(call.text[start:end].split())}"
            for start, end, level in sorted(places)
        ]
        return _answer(_sendable("\n".join(lines)))

    def verify(self, call: Verify) -> CallToolResult:
        """Answer `verify`: a line in text for each sentence that is not in the sources, and everything as data."""
        result = verify(call.summary, [source.model_dump() for source in call.sources], quotations=call.quotations)
        faults = [f"{c.verdict}: {' '.join(c.text.split())}" for c in result.claims if c.verdict in FAULTS]
        data = {
            "ok": result.ok,
            "claims": [claim | {"text": _sendable(claim["text"])} for claim in result.to_dict()["claims"]],
        }
        return _answer(_sendable("\n".join([result.explain(), *faults])), data)


_TOOLS: dict[str, tuple[type[_Arguments], Callable[..., CallToolResult]]] = {
    "fit": (Fit, Tools.fit),
    "more": (More, Tools.more),
    "fit_log": (FitLog, Tools.fit_log),
    "fit_json": (FitJson, Tools.fit_json),
    "outline": (Outline, Tools.outline),
    "verify": (Verify, Tools.verify),
}


def create_server(summarizer: Summarizer, tokenizer: str | None = None) -> Server:
    """Return a server with the tools in `_TOOLS`, for any transport."""
    tools = Tools(summarizer, tokenizer)
    # The tools change nothing and always answer the same.
    hints = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)

    async def list_tools(_: Any, __: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(
            tools=[
                Tool(name=name, description=getdoc(form), input_schema=form.model_json_schema(), annotations=hints)
                for name, (form, _) in _TOOLS.items()
            ]
        )

    async def call_tool(_: Any, call: CallToolRequestParams) -> CallToolResult:
        # In a thread, so that a long text does not keep the server from answering. One that is late is not waited for.
        work = partial(_call, tools, call.name, call.arguments or {})
        with anyio.move_on_after(DEADLINE):
            return await anyio.to_thread.run_sync(work, abandon_on_cancel=True)
        return _refused(f"there was no answer within {DEADLINE:g} seconds: send a shorter text")

    return Server("tersely", version=__version__, on_list_tools=list_tools, on_call_tool=call_tool)


def serve(summarizer: Summarizer, tokenizer: str | None = None) -> None:
    """Answer what comes in at standard input until it ends."""
    server = create_server(summarizer, tokenizer)

    async def run() -> None:
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    anyio.run(run)


def headings(document: Document) -> Iterator[tuple[int, int, int]]:
    r"""Yield start, end and level of each heading, without the marks of Markdown.

    >>> list(headings(Document.from_text("# Rain #\n\nIt rained.\n\nRivers\n------\n")))
    [(2, 6, 1), (22, 28, 2)]
    """
    for block in document.blocks:
        if block.kind == "heading" and (words := _MARKED.fullmatch(document.text, block.start, block.end)):
            yield *words.span(1), max(block.level, 1)


def _places(summary: Summary) -> dict[str, Any]:
    sentences = [
        ({} if sentence.source is None else {"source": sentence.source})
        | {"start": sentence.start, "end": sentence.end}
        for sentence in summary.sentences
    ]
    return {"sentences": sentences, "length": summary.length, "limit": summary.capacity, "unit": summary.budget.counts}


def _call(tools: Tools, name: str, arguments: dict[str, Any]) -> CallToolResult:
    """Call a tool by its name; what is wrong with the call is one line that a model can act on."""
    try:
        if name not in _TOOLS:
            raise UsageError(f"there is no tool '{name}': choose from {', '.join(_TOOLS)}")
        form, answer = _TOOLS[name]
        return answer(tools, form.model_validate(arguments))
    except ValidationError as error:
        first = error.errors()[0]
        message = f"{'.'.join(map(str, first['loc']))}: {first['msg'][:1].lower()}{first['msg'][1:]}"
    except TerselyError as error:
        message = str(error)
    return _refused(message)


def _refused(message: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=_sendable(" ".join(message.split())))], is_error=True)


def _document(content: str | list[dict[str, Any]], kind: type[Document] = Document) -> Document:
    """Return the document of a call; it has the limits of a request to the service."""
    texts = [content] if isinstance(content, str) else [source["text"] for source in content]
    _check_size(texts)
    is_text = isinstance(content, str)
    document = kind.from_text(texts[0], None, MAX_SENTENCES) if is_text else as_document(content)
    if len(document) > MAX_SENTENCES:
        raise UsageError(
            f"the text has more than {MAX_SENTENCES:,} {'lines' if kind is Log else 'sentences'}: send less at once"
        )
    return document


def _check_size(texts: Sequence[str]) -> None:
    limits = (
        ("bytes", MAX_BODY, sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)),
        ("lines", MAX_LINES, sum(len(text.splitlines()) for text in texts)),
    )
    for unit, most, count in limits:
        if count > most:
            raise UsageError(f"the text has {count:,} {unit}, but a call may have {most:,}: send less at once")


def _answer(text: str, data: dict[str, Any] | None = None) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=text)], structured_content=data)


def _sendable(text: str) -> str:
    """Return the text with a question mark for each lone surrogate, which cannot be sent."""
    return text.encode("utf-8", "replace").decode("utf-8")
