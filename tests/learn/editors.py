"""A tiny editor, and documents that it learns from."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from tersely.learn.editor_labels import Lesson
from tersely.learn.editor_network import EditorShape
from tersely.learn.editor_run import EditorConfig
from tersely.learn.train_editor import EditorTraining
from tersely.read.features import features_of
from tersely.read.tokens import terms_of, tokens_of
from tersely.text import Document

SHAPE = EditorShape(width=16, heads=2, layers=2, vector=4, opening=4, table_bits=8, opening_bits=7)
CONFIG = EditorConfig("tiny", seed=3, network=SHAPE, training=EditorTraining(epochs=4, batch=4))


def row(number: int) -> dict[str, Any]:
    """Make a labeled document of a heading, the news, a sentence that leans on it, and more."""
    name = ("Meyer", "Okafor", "Silva", "Larsen")[number % 4]
    sentences = [
        f"LOCAL NEWS {number}.",
        f"Mayor {name} of Town {number} resigned on Monday after the flood of the river.",
        "But he gave no reason for it.",
        f"The flood of the river had cost {number + 2} million euros.",
        "Click here for more.",
    ]
    spans, at = [], 0
    for sentence in sentences:
        spans.append([at, at + len(sentence)])
        at += len(sentence) + 1
    return {
        "doc": f"d{number}",
        "text": "\n".join(sentences),
        "sentences": spans,
        "roles": "NMBSN",
        "noise": {"0": "heading", "4": "link"},
        "needs": {"2": [[1, "pronoun", 2]], "3": [[1, "definite", 1]]},
        "top": [1, 3],
    }


def write(file: Path, rows: list[dict[str, Any]]) -> Path:
    file.write_text("".join(json.dumps(line) + "\n" for line in rows), encoding="utf-8")
    return file


def unlabeled(document: Document) -> Lesson:
    tokens, count = tokens_of(document)._replace(learned=True), len(document)
    terms = terms_of(tokens)
    none = np.full(count, -1)
    zeros = np.zeros(count, np.float32)
    features = features_of([document], tokens, terms)
    cures: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    return Lesson(document, tokens, terms, features, none, zeros, zeros, zeros - 1, cures, none, {})
