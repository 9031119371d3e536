"""The bodies of requests: what OpenAPI says of them is what is checked."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from tersely.budget import BUDGETS, Budget
from tersely.errors import UsageError
from tersely.serve.check import parse_as
from tersely.serve.examples import REQUESTS
from tersely.serve.problems import ProblemError, invalid

MAX_DOCUMENTS = 100

# Far above any text that fits into a body, and far below where whole numbers end.
Count = Annotated[int, Field(ge=1, le=1_000_000_000)]
Indices = Annotated[list[Annotated[int, Field(ge=0, le=1_000_000_000)]], Field(max_length=10_000)]

# Exactly one budget that is not null.
_ONE_BUDGET: list[JsonValue] = [{"required": [name], "properties": {name: {"type": "number"}}} for name in BUDGETS]


class _Body(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)


class _Text(_Body):
    text: str = Field(description="The text, of any length that the server takes.")
    include: Indices = Field([], description="Sentences that must be in, counted from 0.")
    exclude: Indices = Field([], description="Sentences that must not be in.")
    order: Literal["document", "rank"] = Field("document", description="As in the text, or the best first.")
    separator: Annotated[str, Field(max_length=100)] | None = Field(
        None, description="Between sentences. Null: a space, nothing in Chinese."
    )
    redundancy: Literal["duplicates", "trigrams", "off"] = Field(
        "duplicates",
        description="Leave out what nearly repeats a sentence, or what shares three words in a row with one.",
    )
    language: Literal["en", "zh", "other"] | None = Field(None, description="Null: found in the text.")
    model: Annotated[str, Field(max_length=200)] | None = Field(
        None, description="One of those at /v1/models. Null: the default."
    )


class SummarizeBody(_Text):
    """A text and exactly one budget."""

    model_config = ConfigDict(
        json_schema_extra={"oneOf": _ONE_BUDGET, "examples": [REQUESTS["summarize"]]},
    )

    max_chars: Count | None = Field(None, description="Budget in characters (Unicode code points).")
    max_words: Count | None = Field(None, description="Budget in words; a Chinese character is one.")
    max_tokens: Count | None = Field(None, description="Budget in tokens of the server's tokenizer, if it has one.")
    max_bytes: Count | None = Field(None, description="Budget in UTF-8 bytes.")
    max_sentences: Count | None = Field(None, description="Budget in sentences.")
    ratio: Annotated[float, Field(gt=0, le=1)] | None = Field(
        None, description="Budget as a part of the text's characters."
    )

    def request(self) -> dict[str, Any]:
        """Return what a worker is asked; none or two budgets is a problem that names them."""
        try:
            Budget.one_of(**{name: getattr(self, name) for name in BUDGETS})
        except UsageError as error:
            given = [name for name in BUDGETS if getattr(self, name) is not None]
            raise invalid(str(error), *(given or BUDGETS)) from None
        return self.model_dump()


class FrontierBody(_Text):
    """A text, and the unit of the budgets."""

    model_config = ConfigDict(json_schema_extra={"examples": [REQUESTS["frontier"]]})

    unit: Literal["chars", "words", "sentences", "bytes"] = Field("chars", description="What budgets count.")
    limit: Count | None = Field(None, description="The largest budget. Null: the whole text.")
    points: Annotated[int, Field(ge=1, le=1000)] | None = Field(
        None,
        description="Try only so many budgets, evenly spread. Null: every one, in a long text as many as are quick.",
    )

    def request(self) -> dict[str, Any]:
        """Return what a worker is asked."""
        return self.model_dump()


class BatchBody(_Body):
    """Up to 100 bodies of /v1/summarize; each is checked on its own and gets its own result or error."""

    model_config = ConfigDict(json_schema_extra={"examples": [REQUESTS["batch"]]})

    documents: list[Any] = Field(min_length=1, max_length=MAX_DOCUMENTS, description="Bodies of /v1/summarize.")

    @property
    def text(self) -> str:
        """The first text, which says which worker may have it in memory."""
        first = self.documents[0].get("text") if isinstance(self.documents[0], dict) else None
        return first if isinstance(first, str) else ""

    def request(self) -> dict[str, Any]:
        """Return what a worker is asked: each document's request, or its error."""
        return {"documents": [_document(data) for data in self.documents]}


def _document(data: Any) -> dict[str, Any]:
    try:
        return parse_as(SummarizeBody, data).request()
    except ProblemError as problem:
        return {"error": problem.to_dict()}
