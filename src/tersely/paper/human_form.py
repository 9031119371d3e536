"""The rating form of the human evaluation: documents with their summaries, without the names of the systems."""

import csv
import json
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from html import escape
from importlib.resources import files
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any, TypeVar

from tersely.datasets import Record
from tersely.errors import InputError, UsageError
from tersely.evaluate.systems import load_system
from tersely.io.files import write_whole
from tersely.options import Budget
from tersely.paper.human_answers import ENDS, POINTS, QUESTIONS
from tersely.text.language import detect_language

T = TypeVar("T")
_SLOT = re.compile(r"\{\{(\w+)\}\}")


@dataclass(frozen=True)
class FormItem:
    """A document, and its summary by each system."""

    document: str
    source: str
    summaries: Mapping[str, str]


def sample(records: Iterable[T], count: int, seed: int) -> list[T]:
    """Draw `count` records; the seed decides which."""
    everything = list(records)
    if count < 1:
        raise UsageError("a form needs at least one document")
    if count > len(everything):
        raise InputError(f"the form needs {count} documents, but the data has only {len(everything)}")
    return Random(seed).sample(everything, count)


def summarize(records: Iterable[Record], systems: Sequence[str], budget: Budget) -> list[FormItem]:
    """Summarize every record with every system."""
    loaded = [load_system(name) for name in systems]
    return [
        FormItem(
            record.id,
            record.document.text,
            {system.name: system.extract(record, budget).text for system in loaded},
        )
        for record in records
    ]


def prepare(
    items: Sequence[FormItem], seed: int, title: str, raters: int = 3, raters_each: int | None = None
) -> tuple[str, dict[str, Any]]:
    """Return the form as one HTML page, and the key that tells whose summary each opaque id is.

    `items` are the documents with their summaries, `seed` decides every random choice, and `title` heads the page.
    Every document is rated by `raters_each` of the `raters`, by default by all. Systems with the same summary of a
    document share one id, so nobody rates the same text twice.

    >>> items = [FormItem("d1", "One fish. Two fish.", {"lead": "One fish.", "learned": "Two fish."})]
    >>> page, key = prepare(items, seed=42, title="Fish", raters=1)
    >>> "learned" in page, sorted(summary["systems"] for summary in key["summaries"].values())
    (False, [['lead'], ['learned']])
    """
    raters_each = raters if raters_each is None else raters_each
    _check(items, raters, raters_each)
    random = Random(seed)
    texts: dict[str, str] = {}
    owners: dict[str, dict[str, Any]] = {}
    ids_of: list[list[str]] = []
    for item in items:
        ids_of.append([])
        for text, systems in _by_text(item.summaries).items():
            opaque = _new_id(random, texts)
            ids_of[-1].append(opaque)
            texts[opaque] = text
            owners[opaque] = {"document": item.document, "systems": systems}
        random.shuffle(ids_of[-1])
    form = _form_id(items, seed, title, [raters] if raters_each == raters else [raters, raters_each])
    turns = _turns(len(items), raters, raters_each, random)
    data = {
        "id": form,
        "questions": [question._asdict() for question in QUESTIONS],
        "points": list(POINTS),
        "ends": ENDS,
        "documents": [{"source": item.source, "language": _language(item.source)} for item in items],
        # Sorted by id, which is random: the order of the systems would give them away.
        "summaries": dict(sorted(texts.items())),
        "orders": [_order(ids_of, turns[rater], random) for rater in range(raters)],
    }
    key = {
        "form": form,
        "title": title,
        "seed": seed,
        "raters": raters,
        "ratings": raters_each,
        "systems": list(dict.fromkeys(system for item in items for system in item.summaries)),
        "summaries": dict(sorted(owners.items())),
    }
    return _page(title, data), key


def write_form(path: Path, page: str, key: Mapping[str, Any]) -> Path:
    """Write the form, and beside it its key, whose path is returned. The key of another form is never replaced."""
    key_path = path.with_suffix(".key.json")
    data = (json.dumps(key, indent=1) + "\n").encode()
    # Without its key, a form that the raters already have could never be analyzed.
    if key_path.exists() and key_path.read_bytes() != data:
        raise InputError(f"{key_path} is the key of another form: rename this form, or remove the key first")
    write_whole(key_path, data)
    write_whole(path, page.encode())
    return key_path


def write_tasks(path: Path, items: Sequence[FormItem], key: Mapping[str, Any]) -> None:
    """Write the form as a table with one task (HIT) per document, and beside it the page of a task."""
    write_whole(path, tasks(items, key).encode("utf-8", "replace"))
    write_whole(path.with_suffix(".html"), _layout(len(key["systems"])).encode())


def tasks(items: Sequence[FormItem], key: Mapping[str, Any]) -> str:
    """Return one row per document, as platforms such as Mechanical Turk read tasks.

    They put cells into a page as they are, so texts are escaped here. Summaries are sorted by id, which is random.
    """
    table, most = StringIO(), len(key["systems"])
    rows = csv.writer(table, lineterminator="\r\n")
    rows.writerow(["form", "source", *(f"{name}_{n}" for n in range(1, most + 1) for name in ("id", "summary"))])
    for item in items:
        cells = []
        for opaque, summary in sorted(key["summaries"].items()):
            if summary["document"] == item.document:
                cells += [opaque, _as_html(item.summaries[summary["systems"][0]])]
        rows.writerow([key["form"], _as_html(item.source), *cells, *[""] * (2 * most - len(cells))])
    return table.getvalue()


def _check(items: Sequence[FormItem], raters: int, raters_each: int) -> None:
    if raters < 1:
        raise UsageError("a form needs at least one rater")
    if not 1 <= raters_each <= raters:
        raise UsageError(f"each document can be rated by 1 to {raters} raters, not by {raters_each}")
    if not items:
        raise InputError("a form needs at least one document")
    documents: set[str] = set()
    for item in items:
        if item.document in documents:
            raise InputError(f"two documents have the id '{item.document}'")
        if not item.summaries:
            raise InputError(f"document '{item.document}' has no summary to rate")
        documents.add(item.document)


def _by_text(summaries: Mapping[str, str]) -> dict[str, list[str]]:
    systems_of: dict[str, list[str]] = {}
    for system, text in summaries.items():
        systems_of.setdefault(text, []).append(system)
    return systems_of


def _new_id(random: Random, used: Mapping[str, str]) -> str:
    while True:
        opaque = f"{random.getrandbits(40):010x}"
        if opaque not in used:
            return opaque


def _turns(documents: int, raters: int, raters_each: int, random: Random) -> list[dict[int, int]]:
    """Return for each rater the documents to rate and, for each of them, how many raters come before.

    The documents are dealt out in turn, so that no rater gets more than one document more than another.
    """
    places = list(range(documents))
    if raters_each < raters:
        random.shuffle(places)
    turns: list[dict[int, int]] = [{} for _ in range(raters)]
    for number, document in enumerate(places):
        for turn in range(raters_each):
            turns[(number * raters_each + turn) % raters][document] = turn
    return turns


def _order(ids_of: Sequence[Sequence[str]], turns: Mapping[int, int], random: Random) -> list[tuple[int, list[str]]]:
    """Return (document, ids of its summaries) in the order in which one rater sees them.

    Documents are shuffled for each rater. The summaries of a document are shuffled once and then rotated by one place
    per rater: with as many raters as summaries, each summary is seen once in every place.
    """
    documents = sorted(turns)
    random.shuffle(documents)
    order = []
    for document in documents:
        ids = ids_of[document]
        turn = turns[document] % len(ids)
        order.append((document, [*ids[turn:], *ids[:turn]]))
    return order


def _form_id(items: Sequence[FormItem], seed: int, title: str, raters: Sequence[int]) -> str:
    everything = [seed, title, *raters, [(item.document, item.source, dict(item.summaries)) for item in items]]
    return sha256(json.dumps(everything).encode()).hexdigest()[:16]


def _as_html(text: str) -> str:
    return escape(text).replace("\n", "<br>")


def _layout(most: int) -> str:
    """Return the page of a task, whose names in ${...} a platform replaces by cells of the table."""
    buttons = "".join(
        f"<p>{escape(question.words)} ({ENDS[0]}) "
        + "".join(
            f'<label><input type="radio" name="{question.name}_N" value="{points}" required>{points}</label> '
            for points in POINTS
        )
        + f"({ENDS[1]})</p>"
        for question in QUESTIONS
    )
    part = f'<section data-id="${{id_N}}"><h2>Summary N</h2><blockquote>${{summary_N}}</blockquote>{buttons}</section>'
    parts = "\n".join(part.replace("_N", f"_{n}").replace("Summary N", f"Summary {n}") for n in range(1, most + 1))
    # A document whose systems agree has fewer summaries.
    script = "for (const part of document.querySelectorAll('section')) if (!part.dataset.id) part.remove();"
    return (
        '<script src="https://assets.crowd.aws/crowd-html-elements.js"></script>\n<crowd-form>\n'
        f"<h2>Text</h2><blockquote>${{source}}</blockquote>\n{parts}\n</crowd-form>\n<script>{script}</script>\n"
    )


def _language(text: str) -> str:
    # For the voice of a screen reader; an empty attribute means an unknown language.
    language = detect_language(text)
    return "" if language == "other" else language


def _page(title: str, data: Mapping[str, Any]) -> str:
    """Put the form's three files into one page that loads nothing else and may run no other script."""
    style, script = _file("form.css"), _file("form.js")
    slots = {
        "title": escape(title.encode("utf-8", "replace").decode()),
        "style": style,
        "style_hash": _hash(style),
        "script": script,
        "script_hash": _hash(script),
        "data": _json(data),
    }
    # One pass over the frame alone: a text that looks like a slot stays text.
    return _SLOT.sub(lambda slot: slots[slot[1]], _file("form.html"))


def _file(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()


def _json(data: Mapping[str, Any]) -> str:
    # ASCII without "<": no text can end the element that holds it, and every character arrives.
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
