"""CNewSum: Chinese news with labeled sentences (Wang et al., 2021)."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tersely.errors import InputError
from tersely.evaluate.readers.fields import make_id, make_reference
from tersely.evaluate.readers.item import Item
from tersely.evaluate.readers.json_lines import Object, first_object, read_objects
from tersely.evaluate.record import Record
from tersely.text import Document, Language
from tersely.text.language import HAN

__all__ = ["Cnewsum"]

_TOKENIZED = re.compile(rf"[{HAN}] +[{HAN}]")
_SPACE = re.compile(r"(?<![A-Za-z])\s+|\s+(?![A-Za-z])")


class Cnewsum:
    """CNewSum's JSON Lines: `article`, `summary`, `label`, `id`.

    The release is `CNewSum_v2/final/test.simple.label.jsonl` and its like: `article` is a list of sentences,
    `summary` a string, `label` the indices from 0 of the sentences of the extractive oracle, which become the
    record's labels. There the sentences are tokenized, with a space after each token. Those spaces are the
    tokenizer's and not the text's, and would count against a budget in characters; so in a record that has one
    between two Han characters they are taken out, but for those between two Latin letters (`New York`). A record
    without is kept verbatim.
    """

    def accepts(self, path: Path) -> bool:
        """Tell by the keys of the first object."""
        found = first_object(path)
        return found is not None and {"article", "label"} <= found.keys()

    def read(self, path: Path, language: Language | None) -> Iterator[Item]:
        """Read every line that holds an object; the language is Chinese unless another is given."""

        def make(value: Object, number: str) -> Record:
            sentences, summary = _sentences(value.get("article")), value.get("summary")
            if any(map(_TOKENIZED.search, sentences)):
                sentences = [_SPACE.sub("", each) for each in sentences]
                summary = _SPACE.sub("", summary) if isinstance(summary, str) else summary
            kept = [i for i, each in enumerate(sentences) if each.strip()]
            if not kept:
                raise InputError("the document is empty")
            document = Document.from_sentences([sentences[i].strip() for i in kept], language or "zh")
            reference = make_reference(summary, document.language, "summary")
            return Record(make_id(value.get("id"), number), document, reference, _labels(value, sentences, kept))

        return read_objects(path, make)


def _sentences(value: Any) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise InputError("article is not a list of strings")
    return value


def _labels(value: Object, sentences: Sequence[str], kept: list[int]) -> tuple[int, ...]:
    """Return the labels as indices of the sentences that were kept."""
    labels = value.get("label")
    if labels is None:
        return ()
    if not isinstance(labels, list) or not all(type(each) is int for each in labels):
        raise InputError("label is not a list of indices")
    for each in labels:
        if not 0 <= each < len(sentences):
            raise InputError(f"label {each} is not the index of a sentence")
    places = {old: new for new, old in enumerate(kept)}
    return tuple(places[each] for each in labels if each in places)
