"""The bodies of answers, as OpenAPI describes them."""

from typing import Literal

from pydantic import BaseModel, Field

from tersely.extract import Form
from tersely.summary import Reason, Rejected
from tersely.text import Language
from tersely.text.blocks import Kind


class SentenceAnswer(BaseModel):
    """A sentence, `text[start:end]` of the source; offsets count Unicode code points."""

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
    unit: Literal["chars", "words", "tokens", "bytes", "sentences", "ratio"]
    capacity: int


class ModelAnswer(BaseModel):
    """The model that chose; its fingerprint changes whenever a summary might."""

    name: str
    fingerprint: str


class SummaryAnswer(BaseModel):
    """The summary, where its sentences are in the text, and why it is as long as it is."""

    text: str
    query: str | None = Field(None, description="The question, if there was one.")
    sentences: list[SentenceAnswer]
    language: Language
    budget: BudgetAnswer
    length: int
    fill: float
    reason: Reason
    needed: int | None
    ranking: list[RankedAnswer]
    model: ModelAnswer


class StepAnswer(BaseModel):
    """The sentences chosen from this budget up to the next step."""

    budget: int
    length: int
    value: float
    chosen: list[int]


class FrontierAnswer(BaseModel):
    """The sentences once, and each step as indices into them."""

    unit: Literal["chars", "words", "sentences", "bytes"]
    capacity: int
    separator: str
    language: Language
    sentences: list[SentenceAnswer]
    steps: list[StepAnswer]
    points: int | None = Field(description="How many budgets were tried; null: all of them.")
    model: ModelAnswer


class BlockAnswer(BaseModel):
    """A part of the extracted text, `text[start:end]`, and what it is."""

    kind: Kind
    start: int
    end: int
    speaker: str = Field(description="Who says it, if it is a turn of a speaker.")
    level: int = Field(description="Of a heading, 1 for the highest; else 0.")


class PlaceAnswer(BaseModel):
    """Where a part of the extracted text stands in the file: its page, time, row or section."""

    start: int
    end: int
    label: dict[str, str | int]


class ExtractAnswer(BaseModel):
    """The text of a file; offsets count Unicode code points."""

    form: Form = Field(description="What the file is.")
    text: str
    blocks: list[BlockAnswer]
    places: list[PlaceAnswer]
    notes: list[str] = Field(description="Lines for the reader, such as the encoding that was found.")


class FieldError(BaseModel):
    """What is wrong with one field."""

    field: str
    detail: str


class Problem(BaseModel):
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

    error: Problem


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


class StatusAnswer(BaseModel):
    """The state of the server."""

    status: Literal["ok", "ready"]
