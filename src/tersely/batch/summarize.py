"""The function of a text that `tersely batch` applies: a summary within a budget."""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from tersely import __version__
from tersely.batch.records import Answer, Type
from tersely.errors import InputError

SummaryForm = Literal["text", "json"]


@dataclass(frozen=True)
class Summarize:
    """Summaries by one model with one budget.

    As `text`, a record gets the summary, its length and the reason for it; as `json`, the whole of what
    `tersely summarize --format json` prints for its text.
    """

    parts: dict[str, str | None] = field(default_factory=dict)
    how: dict[str, Any] = field(default_factory=dict)
    column: str = "summary"
    form: SummaryForm = "text"

    @property
    def columns(self) -> dict[str, Type]:
        """The columns that a record gets."""
        if self.form == "json":
            return {self.column: "string"}
        return {self.column: "string", f"{self.column}_length": "int64", f"{self.column}_reason": "string"}

    def load(self) -> Callable[[str], Answer]:
        """Load the model, and return the function from a text to its columns."""
        summarize, how = self._summarizer().summarize, self.how
        if self.form == "json":

            def answer(text: str) -> Answer:
                summary = summarize(text, **how)
                return Answer((summary.to_json(indent=2),), not summary.sentences)
        else:

            def answer(text: str) -> Answer:
                summary = summarize(text, **how)
                return Answer((summary.text, summary.length, summary.reason), not summary.sentences)

        return answer

    def identity(self) -> dict[str, Any]:
        """Return what changes when a summary might; a wrong model or option is said here, before any work."""
        summarizer = self._summarizer()
        # No text has the sentences yet that may be asked for by their number.
        summarizer.summarize("", **{name: v for name, v in self.how.items() if name not in ("include", "exclude")})
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

    def _summarizer(self) -> Any:
        from tersely.summarizer import Summarizer

        return Summarizer.load(**self.parts)


def _hash(file: Path) -> str:
    try:
        return sha256(file.read_bytes()).hexdigest()
    except OSError as error:
        raise InputError(f"{os.fspath(file)} cannot be read: {error.strerror}") from None
