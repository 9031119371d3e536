"""The bodies of answers, as OpenAPI describes them."""

from typing import Literal

from pydantic import BaseModel, Field


class SentenceAnswer(BaseModel):
    """A sentence, `text[start:end]` of the source; offsets count Unicode code points."""

    index: int
    start: int
    end: int
    text: str
    score: float


class RankedAnswer(SentenceAnswer):
    """A sentence of the source, chosen or not."""

    selected: bool


class BudgetAnswer(BaseModel):
    """The budget as it was asked for, and what it came to."""

    limit: float
    unit: Literal["chars", "words", "tokens", "bytes", "sentences", "ratio"]
    capacity: int


class ModelAnswer(BaseModel):
    """Who chose: the fingerprint changes whenever a summary might."""

    name: str
    fingerprint: str


class SummaryAnswer(BaseModel):
    """The summary, where its sentences stand, and why it is as long as it is."""

    text: str
    sentences: list[SentenceAnswer]
    language: Literal["en", "zh", "other"]
    budget: BudgetAnswer
    length: int
    fill: float
    reason: Literal["selected", "whole-text-fits", "no-gain", "nothing-fits", "empty-input"]
    needed: int | None
    ranking: list[RankedAnswer]
    model: ModelAnswer


class StepAnswer(BaseModel):
    """From `budget` on, up to the next step, these sentences are chosen."""

    budget: int
    length: int
    value: float
    chosen: list[int]


class FrontierAnswer(BaseModel):
    """The sentences once, and each step as indices into them."""

    unit: Literal["chars", "words", "sentences", "bytes"]
    capacity: int
    separator: str
    language: Literal["en", "zh", "other"]
    sentences: list[SentenceAnswer]
    steps: list[StepAnswer]
    points: int | None = Field(description="How many budgets were tried; null: every one.")
    model: ModelAnswer


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
    """One result a document, in their order."""

    results: list[SummaryResult | ErrorResult]


class ServedModel(ModelAnswer):
    """A model that this server has loaded."""

    description: str
    default: bool


class ModelsAnswer(BaseModel):
    """The models to choose from."""

    models: list[ServedModel]


class StatusAnswer(BaseModel):
    """How the server is."""

    status: Literal["ok", "ready"]
