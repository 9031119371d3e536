"""Documents and their summaries become a rating form that does not say which system wrote what."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from random import Random
from typing import Any, TypeVar

from tersely.errors import InputError, UsageError
from tersely.evaluate.human.page import page
from tersely.evaluate.human.questions import ENDS, POINTS, QUESTIONS
from tersely.text.language import detect_language

T = TypeVar("T")


@dataclass(frozen=True)
class Item:
    """A document and its summary by each system."""

    document: str
    source: str
    summaries: Mapping[str, str]


def sample(records: Iterable[T], count: int, seed: int) -> list[T]:
    """Draw `count` records, the same ones for the same seed."""
    everything = list(records)
    if count < 1:
        raise UsageError("a form needs at least one document")
    if count > len(everything):
        raise InputError(f"{count} documents are asked for, but the data has {len(everything)}")
    return Random(seed).sample(everything, count)


def prepare(items: Sequence[Item], seed: int, title: str, raters: int = 3) -> tuple[str, dict[str, Any]]:
    """Return the form as one HTML page, and the key that tells whose summary each opaque id is.

    Systems that gave a document the very same summary share one id: nobody is asked about a text twice.

    >>> items = [Item("d1", "One fish. Two fish.", {"lead": "One fish.", "learned": "Two fish."})]
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
        # In the order of their ids, which is random: the order of the systems would give them away.
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
    return page(title, data), key


def _check(items: Sequence[Item], raters: int) -> None:
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

    Documents are shuffled. Summaries, shuffled once a document, move on by one place a rater, so that over as many
    raters as summaries each is seen once in every place.
    """
    documents = list(range(len(ids_of)))
    random.shuffle(documents)
    order = []
    for document in documents:
        ids = ids_of[document]
        turn = rater % len(ids)
        order.append((document, [*ids[turn:], *ids[:turn]]))
    return order


def _form_id(items: Sequence[Item], seed: int, title: str, raters: int) -> str:
    everything = [seed, title, raters, [(item.document, item.source, dict(item.summaries)) for item in items]]
    return sha256(json.dumps(everything).encode()).hexdigest()[:16]


def _language(text: str) -> str:
    # For the voice of a screen reader; an empty attribute means a language that is not known.
    language = detect_language(text)
    return "" if language == "other" else language
