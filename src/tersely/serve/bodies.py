"""The bodies of requests. What OpenAPI says about them is exactly what is checked."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from tersely.errors import UsageError
from tersely.options import BUDGETS, Budget
from tersely.serve.problems import ProblemError, invalid
from tersely.text import Language

MAX_DOCUMENTS = 100
# In a request. A wrapped sentence has a few lines, so this leaves room for as many sentences as are allowed.
MAX_LINES = 100_000
# For each task a request and its real answer; they are data, so that describing the interface runs no model.
EXAMPLES: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_name("examples.json").read_text("utf-8"))

# Far more than any text that fits into a body, and far less than the largest whole number in JSON.
Count = Annotated[int, Field(ge=1, le=1_000_000_000)]
Indices = Annotated[list[Annotated[int, Field(ge=0, le=1_000_000_000)]], Field(max_length=10_000)]
Short = Annotated[str, Field(max_length=100)]
Name = Annotated[str, Field(max_length=1000)]
Question = Annotated[str, Field(max_length=10_000, pattern=r"\S")]

_LONGEST_NAME = 100
# All line ends but the carriage return, which may be half of one.
_LINE_ENDS = "\n\v\f\x1c\x1d\x1e\x85\u2028\u2029"
# Said in words of JSON, with the limit and what to do, where pydantic would speak of Python.
_DETAILS = {
    "extra_forbidden": "there is no such field",
    "model_type": "must be a JSON object",
    "model_attributes_type": "must be a JSON object",
    "too_long": "may have at most {max_length:,} items: send the others in another request",
    "string_too_long": "may have at most {max_length:,} characters: shorten it",
    "less_than_equal": "must be at most {le:,.10g}",
    "greater_than_equal": "must be at least {ge:,.10g}",
}
# Exactly one budget that is not null.
_ONE_BUDGET: list[JsonValue] = [{"required": [name], "properties": {name: {"type": "number"}}} for name in BUDGETS]


class _Body(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)

    def request(self) -> dict[str, Any]:
        """Return what a worker is asked."""
        return self.model_dump()


class SourceBody(_Body):
    """One of several texts."""

    id: Name | Annotated[int, Field(ge=0, le=2**53)] = Field(description="Its name; no two sources have the same.")
    text: str = Field(description="Its text.")
    title: Name | None = Field(None, description="Its title, if it has one.")


class _Text(_Body):
    text: str | list[SourceBody] = Field(description="The text, or several sources, each with `id` and `text`.")
    query: Question | None = Field(None, description="A question: what answers it is chosen.")
    header: Short | None = Field(None, description="Comes before each source, with its {id}, {title} or {number}.")
    omission: Short | None = Field(None, description="Comes where sentences are left out, for example [...].")
    include: Indices = Field([], description="Sentences that must be in the summary, counted from 0.")
    exclude: Indices = Field([], description="Sentences that must not be in the summary.")
    order: Literal["document", "rank"] = Field("document", description="As in the text, or best first.")
    separator: Annotated[str, Field(max_length=100)] | None = Field(
        None, description="Goes between sentences. Null: a space, or nothing in Chinese and Japanese."
    )
    redundancy: Literal["duplicates", "trigrams", "off"] = Field(
        "duplicates",
        description="Skip near copies of chosen sentences, or sentences that share three words in a row with one.",
    )
    coherence: Literal["strict", "soft", "off"] | None = Field(
        None,
        description="A sentence without what it needs counts for little or nothing (strict) or for less (soft), "
        "and noise is left out; or take sentences as they are. Null: what the model says; the default model is strict.",
    )
    language: Language | None = Field(None, description="Null: detected from the text.")
    model: Name | None = Field(None, description="A model listed at /v1/models. Null: the default.")

    def request(self) -> dict[str, Any]:
        """Return what a worker is asked; a text of far too many lines is a problem before a worker has seen it."""
        check_lines(self.lines)
        return self.model_dump()

    @property
    def lines(self) -> int:
        """How many lines there are to read."""
        return sum(map(count_lines, [self.text] if isinstance(self.text, str) else [one.text for one in self.text]))

    @property
    def key(self) -> str:
        """A text by which a worker is chosen: the same text goes to the same worker."""
        return self.text if isinstance(self.text, str) else "".join(source.text for source in self.text[:1])

    @property
    def size(self) -> int:
        """The number of characters to read."""
        return len(self.text) if isinstance(self.text, str) else sum(len(source.text) for source in self.text)


class SummarizeBody(_Text):
    """A text and exactly one budget."""

    model_config = ConfigDict(
        json_schema_extra={"oneOf": _ONE_BUDGET, "examples": [EXAMPLES["summarize"]["request"]]},
    )

    max_chars: Count | None = Field(None, description="Budget in characters (Unicode code points).")
    max_words: Count | None = Field(None, description="Budget in words; each Chinese character is one.")
    max_tokens: Count | None = Field(None, description="Budget in tokens of the server's tokenizer, if it has one.")
    max_bytes: Count | None = Field(None, description="Budget in UTF-8 bytes.")
    max_sentences: Count | None = Field(None, description="Budget in sentences.")
    ratio: Annotated[float, Field(gt=0, le=1)] | None = Field(
        None, description="Budget as a fraction of the text's characters."
    )

    def request(self) -> dict[str, Any]:
        """Return what a worker is asked; without exactly one budget, it is a problem that names the fields."""
        how = super().request()
        limits = {name: how.pop(name) for name in BUDGETS}
        try:
            return how | {"budget": Budget.one_of(**limits)}
        except UsageError as error:
            given = [name for name, limit in limits.items() if limit is not None]
            raise invalid(str(error), *(given or BUDGETS)) from None


class FrontierBody(_Text):
    """A text, and the unit of the budgets."""

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLES["frontier"]["request"]]})

    unit: Literal["chars", "words", "sentences", "bytes"] = Field("chars", description="What the budgets count.")
    limit: Count | None = Field(None, description="The largest budget. Null: the whole text.")
    points: Annotated[int, Field(ge=1, le=1000)] | None = Field(
        None,
        description="Try only this many budgets, in even ratios. Null: all; in a long text, as many as are fast.",
    )
    nested: bool = Field(False, description="Whether a larger budget only adds sentences.")


class BatchBody(_Body):
    """Up to 100 bodies of /v1/summarize; each is checked separately and gets its own result or error."""

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLES["batch"]["request"]]})

    documents: list[Any] = Field(min_length=1, max_length=MAX_DOCUMENTS, description="Bodies of /v1/summarize.")

    @property
    def key(self) -> str:
        """The first text, by which a worker is chosen."""
        first = self.documents[0].get("text") if isinstance(self.documents[0], dict) else None
        return first if isinstance(first, str) else ""

    def request(self) -> dict[str, Any]:
        """Return what a worker is asked: the request of each document, or its error."""
        left = MAX_LINES
        asked: list[dict[str, Any]] = []
        for data in self.documents:
            request, lines = _document(data, left)
            left -= lines
            asked.append(request)
        return {"documents": asked}


def count_lines(text: str) -> int:
    """Count the lines of a text; one that ends with a line end has an empty line after it.

    >>> count_lines("One\\r\\ntwo\\n\\nthree")
    4
    """
    return 1 + sum(map(text.count, _LINE_ENDS)) + text.count("\r") - text.count("\r\n")


def check_lines(lines: int, left: int = MAX_LINES) -> None:
    """Refuse more lines than a request may have; blank ones count, too."""
    if lines > left:
        rest = f", of which {left:,} are left for this document" if left < MAX_LINES else ""
        raise invalid(
            f"the text has {lines:,} lines: a request may have {MAX_LINES:,}{rest}; split it into several", "text"
        )


def _document(data: Any, left: int) -> tuple[dict[str, Any], int]:
    """Return the request for one document of a batch, or its error, and how many lines it has."""
    try:
        body = SummarizeBody.model_validate(data)
        check_lines(body.lines, left)
        return body.request(), body.lines
    except ValidationError as error:
        return {"error": invalid_fields(error.errors(include_input=False, include_url=False)).to_dict()}, 0
    except ProblemError as problem:
        return {"error": problem.to_dict()}, 0


def invalid_fields(errors: Sequence[Any]) -> ProblemError:
    """Return the problem that names each wrong field and says what is wrong with it."""
    fields = tuple((_field(error["loc"]), _detail(error)) for error in errors)
    named = "; ".join(f"{name}: {detail}" for name, detail in fields[:3])
    more = f"; and {len(fields) - 3} more" if len(fields) > 3 else ""
    return ProblemError("invalid-request", named + more, fields[:20])


def _field(place: Sequence[str | int]) -> str:
    # Of a text that may be a string or a list, both are tried and named; the client knows only the field.
    names = [str(part) for part in place if part not in ("body", "str", "list[SourceBody]")] or ["body"]
    # Names come from the client and must not break the line.
    return "".join(sign if sign.isprintable() else "\ufffd" for sign in ".".join(names)[:_LONGEST_NAME])


def _detail(error: Any) -> str:
    if tuple(error["loc"]) == ("body",):  # older versions of FastAPI call a body of null a missing field
        return _DETAILS["model_type"]
    text: str = _DETAILS[error["type"]].format(**error.get("ctx", {})) if error["type"] in _DETAILS else error["msg"]
    return text[:1].lower() + text[1:]


def empty_file() -> ProblemError:
    """Return the problem of a file without a byte."""
    return invalid("the body is empty: send the bytes of a file")
