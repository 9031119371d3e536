"""The function that `tersely batch` applies to each text: a summary within a budget."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tersely import __version__
from tersely.batch.records import Answer, ColumnType, Given
from tersely.errors import InputError
from tersely.io.files import sha256

if TYPE_CHECKING:
    from tersely.summarizer import Summarizer
    from tersely.summary import Summary

SummaryForm = Literal["text", "json"]


@dataclass(frozen=True)
class Summarize:
    """Summaries by one model with one budget.

    With the form `text`, a record gets the summary, its length and the reason for it; with `json`, everything that
    `tersely summarize --format json` prints. A text may be a list of sources. If `asked`, each one comes with its own
    question.
    """

    parts: dict[str, str | None] = field(default_factory=dict)
    how: dict[str, Any] = field(default_factory=dict)
    column: str = "summary"
    form: SummaryForm = "text"
    asked: bool = False

    @property
    def columns(self) -> dict[str, ColumnType]:
        """The columns to add."""
        if self.form == "json":
            return {self.column: "string"}
        return {self.column: "string", f"{self.column}_length": "int64", f"{self.column}_reason": "string"}

    def load(self) -> Callable[..., Answer]:
        """Load the model, and return the function from a text, and a question if `asked`, to its columns."""
        fit = self._load()[1]

        def answer(text: Given, *query: str) -> Answer:
            summary = fit(text, *query)
            if self.form == "json":
                return Answer((summary.to_json(indent=2),), not summary.sentences)
            return Answer((summary.text, summary.length, summary.reason), not summary.sentences)

        return answer

    def identity(self) -> dict[str, Any]:
        """Return what changes whenever a summary might; a wrong model or option raises an error, before any work."""
        # Sentences asked for by number are left out here: the empty text has none.
        summarizer, fit = replace(self, how=self.how | {"include": (), "exclude": ()})._load()
        fit("", *(["?"] if self.asked else []))
        how: dict[str, Any] = {name: sorted(v) if isinstance(v, tuple) else v for name, v in self.how.items()}
        if how.get("tokenizer"):
            how["tokenizer"] = _hash(Path(how["tokenizer"]))
        return {
            "version": __version__,
            "model": {"name": summarizer.name, "fingerprint": summarizer.fingerprint},
            "options": {name: value for name, value in how.items() if value not in (None, [])},
            "column": self.column,
            "format": self.form,
        }

    def _load(self) -> "tuple[Summarizer, Callable[..., Summary]]":
        """Return the summarizer, and the function from a text to its summary within the one budget."""
        from tersely.options import BUDGETS, Budget, Options
        from tersely.summarizer import Summarizer
        from tersely.text.sources import as_document

        summarizer, how = Summarizer.load(**self.parts), dict(self.how)
        budget = Budget.one_of(**{name: how.pop(name, None) for name in BUDGETS})
        language, tokenizer = how.pop("language", None), how.pop("tokenizer", None)
        options = None if self.asked else Options.of(**how)

        def fit(text: Given, query: str | None = None) -> "Summary":
            document = as_document(text, language)
            return summarizer.fit(document, budget, options or Options.of(**how, query=query), tokenizer)

        return summarizer, fit


def _hash(file: Path) -> str:
    try:
        return sha256(file)
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}") from None
