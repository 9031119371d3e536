"""Turns a string into a `Document` of blocks and sentence spans, and measures lengths in every unit."""

from tersely.text.blocks import KINDS, Block, Kind, Part, Place
from tersely.text.document import Document, Sentence
from tersely.text.language import LANGUAGES, Language, detect_language
from tersely.text.length import measure
from tersely.text.sources import Collection, Source
from tersely.text.split import split_sentences

__all__ = [
    "KINDS",
    "LANGUAGES",
    "Block",
    "Collection",
    "Document",
    "Kind",
    "Language",
    "Part",
    "Place",
    "Sentence",
    "Source",
    "detect_language",
    "measure",
    "split_sentences",
]
