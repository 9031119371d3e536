"""CNewSum: Chinese news with labeled sentences (Wang et al., 2021)."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tersely.errors import InputError
from tersely.evaluate.readers._shared import EMPTY, Item, first_object, make_id, make_reference, read_lines
from tersely.evaluate.record import Record
from tersely.io.lines import Object
from tersely.text import Document, Language
from tersely.text.language import HAN

__all__ = ["Cnewsum"]

_TOKENIZED = re.compile(rf"[{HAN}] +[{HAN}]")
_SPACE = re.compile(r"(?<![A-Za-z])\s+|\s+(?![A-Za-z])")


class Cnewsum:
    """CNewSum's JSON Lines with `article`, `summary`, `label` and `id`.

    The files are `CNewSum_v2/final/test.simple.label.jsonl` and the like: `article` is a list of sentences, `summary` a
    string, and `label` lists the indices, from 0, of the sentences that the extractive oracle chose; they become the
    labels of the record. The sentences are tokenized, with a space after each token. These spaces come from the
    tokenizer and would count against a budget in characters, so a record with a space between two Han characters loses
    all spaces except those between two Latin letters (`New York`). Any other record is kept verbatim.
    """

    def accepts(self, path: Path) -> bool:
        """Look at the keys of the first object."""
        found = first_object(path)
        return found is not None and {"article", "label"} <= found.keys()

    def read(self, path: Path, language: Language | None) -> Iterator[Item]:
        """Yield one record per line; the language is Chinese unless another one is given."""

        def make(value: Object, default_id: str) -> Record:
            sentences, summary = _sentences(value.get("article")), value.get("summary")
            if any(map(_TOKENIZED.search, sentences)):
                sentences = [_SPACE.sub("", each) for each in sentences]
                summary = _SPACE.sub("", summary) if isinstance(summary, str) else summary
            kept = [i for i, each in enumerate(sentences) if each.strip()]
            if not kept:
                raise InputError(EMPTY)
            document = Document.from_sentences([sentences[i].strip() for i in kept], language or "zh")
            reference = make_reference(summary, document.language, "summary")
            return Record(make_id(value.get("id"), default_id), document, reference, _labels(value, sentences, kept))

        return read_lines(path, make)


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
