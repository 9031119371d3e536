"""Labels of the sentences of a document: what each needs, which are noise, and what an editor would choose."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from tersely.budget import Budget
from tersely.errors import InputError
from tersely.evaluate.record import Record
from tersely.io.lines import Fault, Object, read_objects
from tersely.layout import Layout
from tersely.read import ALONE, read
from tersely.text import Document, Sentence

# In `Annotation.needs`: something that no earlier sentence supplies.
MISSING = -1
# An editor's sentences count 6, 5, ... 1, best first.
_CHOICES = 6


@dataclass(frozen=True)
class Annotation:
    """What is known about the sentences of one document: what each needs, which are noise, what an editor chooses.

    `needs` has the earlier sentences that a sentence cannot be understood without, or `MISSING`; sentences that stand
    alone are not in it. `top` is empty if nobody chose, and starts with the best.
    """

    sentences: tuple[Sentence, ...]
    needs: Mapping[int, frozenset[int]]
    noise: frozenset[int]
    top: tuple[int, ...] = ()

    @classmethod
    def detected(cls, document: Document) -> "Annotation":
        """Return what our own detector finds."""
        reading = read(document)
        needs = {i: frozenset({max(need, MISSING)}) for i, need in enumerate(reading.needs) if need != ALONE}
        return cls(document.sentences, needs, frozenset(i for i, kind in enumerate(reading.noise) if kind))

    def covered(self, taken: Iterable[Sentence]) -> set[int]:
        """Return the sentences of which more than half lies in one of those taken, which may be split differently."""
        ends = [sentence.end for sentence in self.sentences]
        found = set()
        for start, end in taken:
            i = bisect_right(ends, start)
            while i < len(ends) and self.sentences[i].start < end:
                first, last = self.sentences[i]
                if 2 * (min(end, last) - max(start, first)) > last - first:
                    found.add(i)
                i += 1
        return found

    def has_unmet_need(self, chosen: set[int]) -> bool:
        """Tell whether a chosen sentence lacks something it needs."""
        return any(not self.needs.get(i, frozenset()) <= chosen for i in chosen)

    def choice_found(self, chosen: set[int], document: Document, budget: Budget) -> float:
        """Return the weight of the editor's sentences among those chosen, relative to the most that fits."""
        weights = {i: _CHOICES - rank for rank, i in enumerate(self.top[:_CHOICES])}
        layout = Layout(document, budget.counts)
        room = budget.capacity(document.text) + layout.gap
        lengths = {i: layout.measure(document.text[slice(*self.sentences[i])]) + layout.gap for i in weights}
        subsets = (subset for size in range(len(weights) + 1) for subset in combinations(weights, size))
        best = max(sum(weights[i] for i in s) for s in subsets if sum(lengths[i] for i in s) <= room)
        return sum(weights.get(i, 0) for i in chosen) / best if best else 0.0


class Item(NamedTuple):
    """A record with its labels, if it has any, and its kind, such as "email", if records are told apart."""

    record: Record
    labels: Annotation | None = None
    kind: str = ""


def labeled(records: Iterable[Record], file: Path) -> tuple[list[Item], str]:
    """Return the records with the labels of a file, and who made the labels, in a few words.

    A line of labels belongs to the record whose id is its `doc`; if any record's id is missing, every `doc` must end in
    the number of its record, counted from 0, as in `dev-0`.
    """
    lines: dict[str, tuple[int, Object]] = {}
    for item in read_objects(file):
        if isinstance(item, Fault):
            raise InputError(str(item))
        lines[str(item[1].get("doc"))] = item
    documents = list(records)
    if any(record.id not in lines for record in documents):
        lines = {doc.rpartition("-")[2]: item for doc, item in lines.items()}
        keys = list(map(str, range(len(documents))))
    else:
        keys = [record.id for record in documents]
    found = []
    for key, record in zip(keys, documents, strict=True):
        if key not in lines:
            raise InputError(f"{file} has no labels for document {key} ({record.id})")
        line, value = lines[key]
        try:
            found.append(Item(record, _annotation(record, value)))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            reason = f"{error} is missing" if isinstance(error, KeyError) else error
            raise InputError(f"{file}:{line}: the labels do not fit document {key} ({record.id}): {reason}") from None
    makers = sorted({str(value["annotator"]) for _, value in lines.values() if value.get("annotator")})
    return found, f"labels by {' and '.join(makers) or 'an annotator whom the file does not name'} ({file.name})"


def _annotation(record: Record, value: Object) -> Annotation:
    document = record.document
    spans = tuple(Sentence(int(a), int(b)) for a, b in record.fields.get("sentences", document.sentences))
    bounds = [place for span in spans for place in span]
    if bounds != sorted(bounds) or any(not 0 <= place <= len(document.text) for place in bounds):
        raise ValueError("its 'sentences' are not spans of the text, in ascending order")

    def numbers(given: Iterable[Any], least: int = 0) -> tuple[int, ...]:
        chosen = tuple(map(int, given))
        for i in chosen:
            if not least <= i < len(spans):
                raise ValueError(f"it has no sentence {i}")
        return chosen

    needs = {i: frozenset(numbers(value["needs"][str(i)], MISSING)) for i in numbers(value["needs"])}
    return Annotation(spans, needs, frozenset(numbers(value["noise"])), numbers(value.get("top", ())))


def detector_table(items: Sequence[Item], by: str) -> list[tuple[str, ...]]:
    """Return, by kind and in all, how well our own detector finds what the labels say, on the labeled sentences.

    A need is found if the sentence is said to need anything; `right` is the share of the found needs for which it
    names a sentence that the labels name. Sentences labeled as noise count for noise only: no summary should have them.
    """
    counts = {kind: Counter[str]() for kind in [*sorted({item.kind for item in items} - {""}), "all"]}
    for item in items:
        if item.labels is not None:
            found = _detector_counts(item.record.document, item.labels)
            for kind in {item.kind or "all", "all"}:
                counts[kind] += found

    def share(count: Counter[str], part: str, whole: str) -> str:
        return f"{count[part] / count[whole]:.2f}" if count[whole] else ""

    figures = ("needs", "need precision", "need recall", "right", "noise", "noise precision", "noise recall")
    rows = [
        (
            kind,
            *(str(count[name]) for name in ("documents", "sentences", "needs")),
            share(count, "need found", "need said"),
            share(count, "need found", "needs"),
            share(count, "need right", "need found"),
            str(count["noise"]),
            share(count, "noise found", "noise said"),
            share(count, "noise found", "noise"),
        )
        for kind, count in counts.items()
    ]
    return [(by, "documents", "sentences", *figures), *rows]


def _detector_counts(document: Document, labels: Annotation) -> Counter[str]:
    said = Annotation.detected(replace(document, sentences=labels.sentences))
    counts = Counter(documents=1, sentences=len(labels.sentences), noise=len(labels.noise))
    counts.update({"noise said": len(said.noise), "noise found": len(said.noise & labels.noise)})
    needs, said_needs = labels.needs.keys() - labels.noise, said.needs.keys() - labels.noise
    found = needs & said_needs
    counts.update({"needs": len(needs), "need said": len(said_needs), "need found": len(found)})
    counts["need right"] = sum(not said.needs[i].isdisjoint(labels.needs[i]) for i in found)
    return counts
