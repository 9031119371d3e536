"""What a user gets: the summary, where each sentence stands, and why it is as long as it is."""

from dataclasses import dataclass
from typing import Any, Literal

from tersely.io.lines import to_json
from tersely.options import Budget
from tersely.text.language import Language
from tersely.text.sources import Source

Reason = Literal["selected", "whole-text-fits", "no-gain", "nothing-fits", "empty-input"]

Rejected = Literal["", "excluded", "noise", "redundant", "no-room", "needs", "no-gain", "outweighed"]

REASONS: dict[Reason, str] = {
    "selected": "the best choice that fits",
    "whole-text-fits": "the whole text fits",
    "no-gain": "another sentence would fit, but none adds enough",
    "nothing-fits": "no sentence is short enough for the budget",
    "empty-input": "the text has no sentence",
}
_SHOWN = 40


@dataclass(frozen=True, slots=True)
class ScoredSentence:
    """A sentence of the source, `source[start:end]`, and the value its scorer gave it.

    With several sources, `source` is the id of its own, and `start` and `end` are places in that source's text.
    `role` says what it is in the text: "main" for the main point, "support", "background", "quotation", "procedure" or
    "noise". If it can probably not be understood alone, `cause` says why, such as "pronoun", and `needs` is the index
    of the sentence that it needs, if there is one. `noise` names the kind of noise that it is, if any, and `rejected`
    says why it is not in the summary.
    """

    index: int
    start: int
    end: int
    text: str
    score: float
    selected: bool
    needs: int | None = None
    cause: str = ""
    role: str = ""
    noise: str = ""
    rejected: Rejected = ""
    source: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data; offsets count Unicode code points."""
        return ({} if self.source is None else {"source": self.source}) | {
            "index": self.index,
            "start": self.start,
            "end": self.end,
            "text": self.text,
            "score": float(f"{self.score:.9g}"),
            "needs": self.needs,
            "cause": self.cause,
            "role": self.role,
        }


@dataclass(frozen=True, repr=False)
class Summary:
    """A summary that fits its budget, in the source's own words.

    In `text`, a line break within a sentence is a space, or nothing in Chinese; the text of each of the `sentences` is
    exactly what stands in the source.
    `sentences` are in the order that was asked for; `ranking` has every sentence of the source, the best first.
    `source` is the text itself; of several `sources`, all their texts with a blank line between them.
    If nothing fits, `needed` is the length of the shortest possible summary.

    >>> from tersely import summarize
    >>> summarize("One fish. Two fish.", max_chars=10)
    Summary('One fish.', 9 of 10 chars, 1 of 2 sentences)
    """

    text: str
    sentences: tuple[ScoredSentence, ...]
    ranking: tuple[ScoredSentence, ...]
    language: Language
    budget: Budget
    capacity: int
    length: int
    reason: Reason
    needed: int | None
    model: str
    fingerprint: str
    source: str
    sources: tuple[Source, ...] = ()
    query: str | None = None

    @property
    def fill(self) -> float:
        """The part of the budget that is used, from 0 to 1."""
        return self.length / self.capacity if self.capacity else 0.0

    def explain(self) -> str:
        """Return one line about the length: used, allowed, and why.

        >>> from tersely import summarize
        >>> summarize("A long enough sentence.", max_chars=5).explain()
        '0 of 5 chars: no sentence is short enough for the budget; the shortest needs 23'
        """
        needed = f"; the shortest needs {self.needed}" if self.needed is not None else ""
        why = REASONS[self.reason]
        if self.query is not None and self.reason == "nothing-fits":
            why = why.replace("sentence", "sentence that has to do with the question")
        return f"{self._used}: {why}{needed}"

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as plain data, the same that `to_json` writes."""
        asked = {} if self.query is None else {"query": self.query}
        return {
            "text": self.text,
            **asked,
            "sentences": [sentence.to_dict() for sentence in self.sentences],
            "language": self.language,
            "budget": {"limit": self.budget.limit, "unit": self.budget.unit, "capacity": self.capacity},
            "length": self.length,
            "fill": round(self.fill, 4),
            "reason": self.reason,
            "needed": self.needed,
            "ranking": [
                {**s.to_dict(), "selected": s.selected, "noise": s.noise, "rejected": s.rejected} for s in self.ranking
            ],
            "model": {"name": self.model, "fingerprint": self.fingerprint},
        }

    def to_json(self, indent: int | None = None) -> str:
        """Return JSON, readable in every script; a lone surrogate is escaped."""
        return to_json(self.to_dict(), indent)

    def to_html(self) -> str:
        """Return a page that shows the source with the chosen sentences marked."""
        from tersely.render import html

        return html(self)

    def to_markdown(self) -> str:
        """Return the chosen sentences as a Markdown list, with a line about their length."""
        from tersely.render import markdown

        return markdown(self)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        text = self.text if len(self.text) <= _SHOWN else f"{self.text[:_SHOWN].rstrip()}…"
        return f"Summary({text!r}, {self._used}, {len(self.sentences)} of {len(self.ranking)} sentences)"

    @property
    def _used(self) -> str:
        return f"{self.length} of {self.capacity} {self.budget.counts}"
