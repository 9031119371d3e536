"""The bodies of requests and answers. What OpenAPI says about requests is exactly what is checked."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, create_model

from tersely.errors import UsageError
from tersely.extract import Form
from tersely.options import BUDGETS, MAX_LINES, OPTIONS, PATTERNS, READING, Budget, BudgetUnit, Keyword, Pattern, Unit
from tersely.serve.problems import ProblemError, invalid, invalid_fields
from tersely.summary import Reason, Rejected
from tersely.text import Language
from tersely.text.blocks import Kind

MAX_DOCUMENTS = 100
# For each task a request and its real answer; they are data, so that describing the interface runs no model.
EXAMPLES: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_name("examples.json").read_text("utf-8"))

# Far more than any text that fits into a body, and far less than the largest whole number in JSON.
Count = Annotated[int, Field(ge=1, le=1_000_000_000)]
Indices = Annotated[list[Annotated[int, Field(ge=0, le=1_000_000_000)]], Field(max_length=10_000)]
Name = Annotated[str, Field(max_length=1000)]

B = TypeVar("B", bound="_Body")

# All line ends but the carriage return, which may be half of one.
_LINE_ENDS = "\n\v\f\x1c\x1d\x1e\x85\u2028\u2029"
# Exactly one budget that is not null.
_ONE_BUDGET: list[JsonValue] = [{"required": [name], "properties": {name: {"type": "number"}}} for name in BUDGETS]


class _Body(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)

    def request(self) -> dict[str, Any]:
        """Return the request for a worker."""
        return self.model_dump()


def _with_fields(keywords: Iterable[Keyword]) -> Callable[[type[B]], type[B]]:
    """Add a field to a body for each of these keywords of `summarize`."""
    fields: dict[str, Any] = {keyword.name: _field_of(keyword) for keyword in keywords if keyword.description}

    def add(body: type[B]) -> type[B]:
        return create_model(body.__name__, __base__=body, __doc__=body.__doc__, __module__=__name__, **fields)

    return add


def _field_of(keyword: Keyword) -> tuple[Any, Any]:
    """Return the type of a keyword's field, and its default with its description."""
    pattern = r"\S" if keyword.name == "query" else None
    kind: Any = {
        "count": Count,
        "share": Annotated[float, Field(gt=0, le=1)],
        "choice": Literal[keyword.choices] if keyword.choices else Language,
        "indices": Indices,
        # No regular expressions: those of strangers may take forever.
        "patterns": Annotated[list[Pattern], Field(max_length=len(PATTERNS))],
        "switch": bool,
        "text": Annotated[str, Field(max_length=keyword.longest, pattern=pattern)],
    }[keyword.kind]
    if keyword.kind in ("indices", "patterns"):
        return kind, Field([], description=keyword.description)
    kind = kind | None if keyword.default is None else kind
    return kind, Field(keyword.default, description=keyword.description)


class BlockBody(_Body):
    """A part of a text, `text[start:end]`, and what it is; `/v1/extract` gives those of a file."""

    kind: Kind
    start: int
    end: int
    speaker: Name = Field("", description="Who says it, if it is a turn of a speaker.")
    level: int = Field(0, description="Of a heading, 1 for the highest; else 0.")
    label: int = Field(0, description="How many of its first characters are no sentence: who speaks, and when.")
    time: Name = Field("", description="When it is said, if it is a turn with a time.")


Blocks = Annotated[list[BlockBody], Field(max_length=MAX_LINES)]


class SourceBody(_Body):
    """One of several texts."""

    id: Name | Annotated[int, Field(ge=0, le=2**53)] = Field(description="Its name; no two sources have the same.")
    text: str = Field(description="Its text.")
    title: Name | None = Field(None, description="Its title, if it has one.")
    blocks: Blocks | None = Field(None, description="Its blocks, as /v1/extract gives them.")


class _Sourced(_Body):
    text: str | list[SourceBody] = Field(description="The text, or several sources, each with `id` and `text`.")
    blocks: Blocks | None = Field(None, description="The blocks of a single text. Null: they are found by its lines.")

    def request(self) -> dict[str, Any]:
        """Return the request for a worker; a text of too many lines is refused before it gets there."""
        check_lines(self.lines)
        is_plain = isinstance(self.text, str) and self.blocks is None  # then no field holds a body
        return dict(vars(self)) if is_plain else self.model_dump()

    @property
    def texts(self) -> list[str]:
        """All that there is to read."""
        return [self.text] if isinstance(self.text, str) else [source.text for source in self.text]

    @property
    def lines(self) -> int:
        """How many lines there are to read."""
        return sum(map(count_lines, self.texts))

    @property
    def key(self) -> str:
        """A text by which a worker is chosen: the same text goes to the same worker."""
        return "".join(self.texts[:1])

    @property
    def size(self) -> int:
        """The number of characters to read."""
        return sum(map(len, self.texts))


@_with_fields([*OPTIONS.values(), *READING.values()])
class _Text(_Sourced):
    model: Name | None = Field(None, description="A model listed at /v1/models. Null: the default.")


@_with_fields(BUDGETS.values())
class SummarizeBody(_Text):
    """A text and exactly one budget."""

    model_config = ConfigDict(
        json_schema_extra={"oneOf": _ONE_BUDGET, "examples": [EXAMPLES["summarize"]["request"]]},
    )

    def request(self) -> dict[str, Any]:
        """Return the request for a worker; without exactly one budget, raise a problem that names the fields."""
        request = super().request()
        limits = {name: request.pop(name) for name in BUDGETS}
        try:
            return request | {"budget": Budget.one_of(**limits)}
        except UsageError as error:
            budgets = [name for name, limit in limits.items() if limit is not None]
            raise invalid(str(error), *(budgets or BUDGETS)) from None


class JsonBody(SummarizeBody):
    """JSON as a text, and exactly one budget; the other fields are for each of its long strings."""

    model_config = ConfigDict(json_schema_extra={"oneOf": _ONE_BUDGET, "examples": [EXAMPLES["json"]["request"]]})


class FrontierBody(_Text):
    """A text, and the unit of the budgets."""

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLES["frontier"]["request"]]})

    unit: Unit = Field("chars", description="What the budgets count; tokens if the server has a tokenizer.")
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
        """Return the request for a worker: that of each document, or its error."""
        remaining = MAX_LINES
        requests: list[dict[str, Any]] = []
        for data in self.documents:
            request, lines = _document(data, remaining)
            remaining -= lines
            requests.append(request)
        return {"documents": requests}


class VerifyBody(_Sourced):
    """A summary, and the text or the sources that it is said to be from."""

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLES["verify"]["request"]]})

    summary: str = Field(description="The text to check.")
    quotations: bool = Field(False, description="Check only what stands in quotation marks.")

    @property
    def texts(self) -> list[str]:
        """All that there is to read."""
        return [*super().texts, self.summary]


def count_lines(text: str) -> int:
    """Count the lines of a text; one that ends with a line end has an empty line after it.

    >>> count_lines("One\\r\\ntwo\\n\\nthree")
    4
    """
    return 1 + sum(map(text.count, _LINE_ENDS)) + text.count("\r") - text.count("\r\n")


def check_lines(lines: int, remaining: int = MAX_LINES) -> None:
    """Refuse more lines than `remaining`, those that a request may still have; blank ones count, too."""
    if lines > remaining:
        rest = f", of which {remaining:,} are left for this document" if remaining < MAX_LINES else ""
        raise invalid(
            f"the text has {lines:,} lines: a request may have {MAX_LINES:,}{rest}; split it into several", "text"
        )


def _document(data: Any, remaining: int) -> tuple[dict[str, Any], int]:
    """Return the request for one document of a batch, or its error, and how many lines it has."""
    try:
        body = SummarizeBody.model_validate(data)
        check_lines(body.lines, remaining)
        return body.request(), body.lines
    except ValidationError as error:
        return {"error": invalid_fields(error.errors(include_input=False, include_url=False)).to_dict()}, 0
    except ProblemError as problem:
        return {"error": problem.to_dict()}, 0


class SentenceAnswer(BaseModel):
    """A sentence, `text[start:end]` of the source; offsets count Unicode code points."""

    speaker: str | None = Field(None, description="Who says it, in a conversation.")
    time: str | None = Field(None, description="When it is said, in a conversation with times.")
    source: str | None = Field(None, description="The id of its source, if there are several.")
    index: int
    start: int
    end: int
    text: str
    score: float
    needs: int | None = Field(description="The sentence, earlier or later, without which it cannot be understood.")
    cause: str = Field(description="Why it cannot be understood alone, such as pronoun; empty if it can.")
    role: Literal["", "main", "support", "background", "quotation", "procedure", "noise"] = Field(
        description="What it is in the text; empty if coherence is off."
    )


class RankedAnswer(SentenceAnswer):
    """A sentence of the source, chosen or not."""

    selected: bool
    noise: str = Field(description="The kind of noise that it is, such as caption; empty for a proper sentence.")
    rejected: Rejected = Field(description="Why it is not in the summary; empty if it is.")


class BudgetAnswer(BaseModel):
    """The budget as requested, and the length it allows."""

    limit: float
    unit: BudgetUnit
    capacity: int


class ModelAnswer(BaseModel):
    """The model that chose; its fingerprint changes whenever a summary might."""

    name: str
    fingerprint: str


class _QuestionAnswer(BaseModel):
    query: str | None = Field(None, description="The question, if there was one.")
    confidence: float | None = Field(None, description="The chance, from 0 to 1, that the text answers it.")
    answered: bool | None = Field(None, description="Whether the text answers; if not, this is what comes nearest.")


class SummaryAnswer(_QuestionAnswer):
    """The summary, where its sentences are in the text, and why it is as long as it is."""

    text: str
    sentences: list[SentenceAnswer]
    language: Language
    budget: BudgetAnswer
    length: int
    fill: float
    reason: Reason
    needed: int | None
    more: str | None = Field(description="A key: send it as `more` to get the next part. Null: nothing is left.")
    ranking: list[RankedAnswer]
    model: ModelAnswer


class StepAnswer(BaseModel):
    """The sentences chosen from this budget up to the next step."""

    budget: int
    length: int
    value: float
    chosen: list[int]


class FrontierAnswer(_QuestionAnswer):
    """The sentences once, and each step as indices into them."""

    unit: Unit
    capacity: int
    separator: str
    language: Language
    sentences: list[SentenceAnswer]
    steps: list[StepAnswer]
    lengths: list[int] | None = Field(None, description="Of the sentences, in tokens.")
    points: int | None = Field(description="How many budgets were tried; null: all of them.")
    model: ModelAnswer


class PlaceAnswer(BaseModel):
    """Where a part of the extracted text stands in the file: its page, time, row or section."""

    start: int
    end: int
    label: dict[str, str | int]


class ExtractAnswer(BaseModel):
    """The text of a file; offsets count Unicode code points."""

    form: Form = Field(description="What the file is.")
    text: str
    blocks: list[BlockBody]
    places: list[PlaceAnswer]
    notes: list[str] = Field(description="Lines for the reader, such as the encoding that was found.")


class FieldError(BaseModel):
    """What is wrong with one field."""

    field: str
    detail: str


class ProblemAnswer(BaseModel):
    """What went wrong (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    errors: list[FieldError] = []
    request_id: str = ""


class SummaryResult(BaseModel):
    """The summary of one document of a batch."""

    summary: SummaryAnswer


class ErrorResult(BaseModel):
    """What is wrong with one document of a batch."""

    error: ProblemAnswer


class BatchAnswer(BaseModel):
    """One result per document, in order."""

    results: list[SummaryResult | ErrorResult]


class ServedModel(ModelAnswer):
    """A model that this server has loaded."""

    description: str
    default: bool


class ModelsAnswer(BaseModel):
    """The models to choose from."""

    models: list[ServedModel]
    tokenizer: str | None = Field(description="What counts tokens for `max_tokens`, if anything does.")


class StatusAnswer(BaseModel):
    """The state of the server."""

    status: Literal["ok", "ready"]
