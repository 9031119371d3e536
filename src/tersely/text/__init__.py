"""A string becomes a `Document` of sentence spans; lengths in every unit."""

from tersely.text.document import Document, Sentence
from tersely.text.language import LANGUAGES, Language, detect_language
from tersely.text.length import Unit, measure
from tersely.text.split import split_sentences
from tersely.text.terms import Terms

__all__ = [
    "LANGUAGES",
    "Document",
    "Language",
    "Sentence",
    "Terms",
    "Unit",
    "detect_language",
    "measure",
    "split_sentences",
]
