"""Other tools as systems, through their public interfaces."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from tersely.budget import Budget
from tersely.errors import MissingExtraError
from tersely.evaluate.record import Record
from tersely.evaluate.room import Room
from tersely.text import Language
from tersely.text.words import all_words

PEERS = {
    "sumy-textrank": "text_rank.TextRankSummarizer",
    "sumy-lexrank": "lex_rank.LexRankSummarizer",
    "sumy-lsa": "lsa.LsaSummarizer",
    "sumy-luhn": "luhn.LuhnSummarizer",
    "sumy-kl": "kl.KLSummarizer",
    "sumy-sumbasic": "sum_basic.SumBasicSummarizer",
}


@dataclass(frozen=True)
class Peer:
    """One of sumy's methods: its rating, and its sentences taken in that order while they fit."""

    name: str

    def choose(self, record: Record, budget: Budget) -> Sequence[int]:
        """Return the chosen sentences, ascending."""
        room = Room(record.document, budget)
        chosen: list[int] = []

        def take(rated: Sequence[Any]) -> Sequence[Any]:
            # sumy hands over its sentences, best first, where a number of sentences would stand.
            chosen.extend(room.fill(info.order for info in rated))
            return [info for info in rated if info.order in chosen]

        _summarizer(self.name)(_document(record), take)
        return chosen


@dataclass(frozen=True)
class _Words:
    """sumy's tokenizer as far as its methods use it; its own downloads data first."""

    language: Language

    def to_words(self, sentence: str) -> tuple[str, ...]:
        if self.language == "zh":
            return tuple(all_words(sentence, "zh"))
        return tuple(re.findall(r"[^\W\d_]+", sentence.lower()))


@cache
def _summarizer(name: str) -> Any:
    module, method = PEERS[name].split(".")
    try:
        from sumy.nlp.stemmers import Stemmer

        found = getattr(import_module(f"sumy.summarizers.{module}"), method)
    except ImportError:
        raise MissingExtraError("comparing with sumy", "eval") from None
    return found(Stemmer("english"))


def _document(record: Record) -> Any:
    from sumy.models.dom import ObjectDocumentModel, Paragraph, Sentence

    tokenizer = _Words(record.document.language)
    return ObjectDocumentModel([Paragraph([Sentence(text, tokenizer) for text in record.document.texts])])
