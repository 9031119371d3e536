"""Documents and their summaries become a rating form that does not tell which system wrote what."""

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from html import escape
from importlib.resources import files
from pathlib import Path
from random import Random
from typing import Any, TypeVar

from tersely.budget import Budget
from tersely.errors import InputError, UsageError
from tersely.evaluate.human import ENDS, POINTS, QUESTIONS
from tersely.evaluate.record import Record
from tersely.evaluate.systems import load_system
from tersely.io.files import write_whole
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


def prepare(items: Sequence[FormItem], seed: int, title: str, raters: int = 3) -> tuple[str, dict[str, Any]]:
    """Return the form as one HTML page, and the key that tells whose summary each opaque id is.

    Systems with the same summary of a document share one id, so nobody rates the same text twice.

    >>> items = [FormItem("d1", "One fish. Two fish.", {"lead": "One fish.", "learned": "Two fish."})]
    >>> page, key = prepare(items, seed=42, title="Fish", raters=1)
    >>> "learned" in page, sorted(summary["systems"] for summary in key["summaries"].values())
    (False, [['lead'], ['learned']])
    """
    _check(items, raters)
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
    form = _form_id(items, seed, title, raters)
    data = {
        "id": form,
        "questions": [question._asdict() for question in QUESTIONS],
        "points": list(POINTS),
        "ends": ENDS,
        "documents": [{"source": item.source, "language": _language(item.source)} for item in items],
        # Sorted by id, which is random: the order of the systems would give them away.
        "summaries": dict(sorted(texts.items())),
        "orders": [_order(ids_of, rater, random) for rater in range(raters)],
    }
    key = {
        "form": form,
        "title": title,
        "seed": seed,
        "raters": raters,
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


def _check(items: Sequence[FormItem], raters: int) -> None:
    if raters < 1:
        raise UsageError("a form needs at least one rater")
    if not items:
        raise InputError("a form needs at least one document")
    seen: set[str] = set()
    for item in items:
        if item.document in seen:
            raise InputError(f"two documents have the id '{item.document}'")
        if not item.summaries:
            raise InputError(f"document '{item.document}' has no summary to rate")
        seen.add(item.document)


def _by_text(summaries: Mapping[str, str]) -> dict[str, list[str]]:
    systems_of: dict[str, list[str]] = {}
    for system, text in summaries.items():
        systems_of.setdefault(text, []).append(system)
    return systems_of


def _new_id(random: Random, taken: Mapping[str, str]) -> str:
    while True:
        opaque = f"{random.getrandbits(40):010x}"
        if opaque not in taken:
            return opaque


def _order(ids_of: Sequence[Sequence[str]], rater: int, random: Random) -> list[tuple[int, list[str]]]:
    """Return (document, ids of its summaries) in the order in which one rater sees them.

    Documents are shuffled for each rater. The summaries of a document are shuffled once and then rotated by one place
    per rater: with as many raters as summaries, each summary is seen once in every place.
    """
    documents = list(range(len(ids_of)))
    random.shuffle(documents)
    order = []
    for document in documents:
        ids = ids_of[document]
        turn = rater % len(ids)
        order.append((document, [*ids[turn:], *ids[:turn]]))
    return order


def _form_id(items: Sequence[FormItem], seed: int, title: str, raters: int) -> str:
    everything = [seed, title, raters, [(item.document, item.source, dict(item.summaries)) for item in items]]
    return sha256(json.dumps(everything).encode()).hexdigest()[:16]


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
