"""Labels of the sentences of a document: their needs, noise, an editor's choice, people and things in them."""

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, Literal, NamedTuple

from tersely.datasets import Record
from tersely.errors import InputError
from tersely.io.lines import Fault, Object, read_objects
from tersely.layout import Layout
from tersely.options import Budget
from tersely.text import Document, Sentence

# The cure of a need that no sentence of the document supplies.
MISSING = -1
# The grade of a need that a reader stumbles over; grade 1 is for purists, and does not count.
STUMBLES = 2
# What an editor calls a sentence: main point, support, background, quotation, procedure, noise.
ROLES = frozenset("MSBQPN")
# An editor's sentences count 6, 5, ... 1, best first.
_CHOICES = 6


class Need(NamedTuple):
    """What a sentence lacks: the sentence that supplies it, the cause, such as "pronoun", and a grade, 1 or 2."""

    cure: int
    cause: str = ""
    grade: int = STUMBLES


@dataclass(frozen=True)
class Annotation(ABC):
    """The labeled `sentences` of one document, and the `needs` of those that do not stand alone."""

    sentences: tuple[Sentence, ...]
    needs: Mapping[int, tuple[Need, ...]]

    def covered(self, spans: Iterable[Sentence]) -> set[int]:
        """Return the labeled sentences of which more than half lies in one of the `spans`.

        The spans may come from another way to split the text.
        """
        ends = [sentence.end for sentence in self.sentences]
        chosen = set()
        for start, end in spans:
            i = bisect_right(ends, start)
            while i < len(ends) and self.sentences[i].start < end:
                first, last = self.sentences[i]
                if 2 * (min(end, last) - max(start, first)) > last - first:
                    chosen.add(i)
                i += 1
        return chosen

    def unmet_causes(self, chosen: set[int]) -> frozenset[str]:
        """Return the causes of the needs that a reader of the `chosen` sentences stumbles over."""
        needs = (need for i in chosen for need in self.needs.get(i, ()))
        return frozenset(need.cause for need in needs if need.grade >= STUMBLES and need.cure not in chosen)

    @abstractmethod
    def figures(self, chosen: set[int], document: Document, budget: Budget) -> dict[str, float]:
        """Return figures from 0 to 1, by name, of the `chosen` sentences as a summary of `document` within `budget`."""


@dataclass(frozen=True)
class EditorLabels(Annotation):
    """An editor's judgment of a document.

    `noise` has the sentences that belong in no summary. `top` is the editor's choice, best first; it is empty if
    nobody chose. `main` has the sentences that say the main point; it is None if nobody marked them.
    """

    noise: frozenset[int] = frozenset()
    top: tuple[int, ...] = ()
    main: frozenset[int] | None = None

    def figures(self, chosen: set[int], document: Document, budget: Budget) -> dict[str, float]:
        """Return whether there is an unmet need, noise, either, and the main point, and the share of the choice."""
        unmet, noise = bool(self.unmet_causes(chosen)), not self.noise.isdisjoint(chosen)
        figures: dict[str, float] = {"unmet": unmet, "noise": noise, "flawed": unmet or noise}
        if self.main is not None:
            figures["main"] = not self.main.isdisjoint(chosen)
        return {**figures, "choice": self.choice_share(chosen, document, budget)}

    def choice_share(self, chosen: set[int], document: Document, budget: Budget) -> float:
        """Return the weight of the editor's sentences among those `chosen`, relative to the most that fits."""
        weights = {i: _CHOICES - rank for rank, i in enumerate(self.top[:_CHOICES])}
        layout = Layout(document, budget.counts)
        room = budget.capacity(document.text) + layout.gap
        lengths = {i: layout.measure(document.text[slice(*self.sentences[i])]) + layout.gap for i in weights}
        subsets = (subset for size in range(len(weights) + 1) for subset in combinations(weights, size))
        best = max(sum(weights[i] for i in s) for s in subsets if sum(lengths[i] for i in s) <= room)
        return sum(weights.get(i, 0) for i in chosen) / best if best else 0.0


class Entity(NamedTuple):
    """The sentences that mention a person or thing, and the number of people who named it in their summaries."""

    sentences: frozenset[int]
    salience: float


@dataclass(frozen=True)
class Coreference(Annotation):
    """The mentions in a document of the GUM corpus; `entities` are the salient people and things."""

    entities: tuple[Entity, ...] = ()

    def figures(self, chosen: set[int], document: Document, budget: Budget) -> dict[str, float]:  # noqa: ARG002
        """Return whether a pronoun dangles, and the share of the salience that the `chosen` sentences mention."""
        total = sum(entity.salience for entity in self.entities)
        mentioned = sum(entity.salience for entity in self.entities if not entity.sentences.isdisjoint(chosen))
        return {"dangling": "pronoun" in self.unmet_causes(chosen), "salience": mentioned / total if total else 0.0}


class LabeledRecord(NamedTuple):
    """A record with its labels, and its kind, such as "email", if records have kinds."""

    record: Record
    labels: Annotation
    kind: str = ""


Parse = Callable[[Record, Object], Annotation]


def editor_labels(record: Record, value: Object) -> EditorLabels:
    """Make the labels of a `record` from `value`: needs, noise, top and roles, which older labels lack."""
    spans = _spans(record, record.fields.get("sentences", record.document.sentences))
    size, roles = len(spans), value.get("roles")
    if roles is None:
        noise, main = frozenset(_numbers(value["noise"], size)), None
    elif len(roles) != size or not ROLES.issuperset(roles):
        raise ValueError(f"its 'roles' are not {size} letters of {''.join(sorted(ROLES))}, one for each sentence")
    else:
        noise, main = (frozenset(i for i, role in enumerate(roles) if role == letter) for letter in "NM")
    return EditorLabels(spans, _needs(value["needs"], size), noise, _numbers(value.get("top", ()), size), main)


def editor_lines(record: Record, value: Object) -> EditorLabels:
    """Make the labels of a `record` from `value`, the line that also has its text and must have every field."""
    _require(value, "sentences", "roles", "needs", "top")
    return editor_labels(record, value)


def coreference(record: Record, value: Object) -> Coreference:
    """Make the coreference of a `record` from `value`, its line in a file of the GUM corpus."""
    _require(value, "sentences", "mentions", "needs", "salience")
    spans = _spans(record, value["sentences"])
    places: dict[str, set[int]] = {str(entity): set() for entity in value["salience"]}
    for entity, sentence, *_ in value["mentions"]:
        places.get(str(entity), set()).update(_numbers([sentence], len(spans)))
    entities = (Entity(frozenset(places[name]), float(value["salience"][name])) for name in places)
    return Coreference(spans, _needs(value["needs"], len(spans)), tuple(entities))


# For lines with both a text and its labels: the function that reads them, and the usual maker of such labels.
FORMATS: dict[str, tuple[Parse, str]] = {
    "editor": (editor_lines, "a language model, not by people"),
    "gum": (coreference, "people, for the GUM corpus, CC BY 4.0"),
}


def labeled_lines(
    records: Iterable[Record], form: Literal["editor", "gum"], file: str
) -> tuple[list[LabeledRecord], str]:
    """Return the records of a file with the labels in the same lines, and who made the labels, in a few words.

    `form` says which labels they are, `file` is named in errors.
    """
    parse, usual_maker = FORMATS[form]
    items = []
    for record in records:
        name = str(record.fields.get("doc", record.id))
        items.append(LabeledRecord(record, _parsed(parse, record, record.fields, file, name)))
    makers = _makers((item.record.fields for item in items), usual_maker)
    return items, f"labels by {makers} ({Path(file).name})"


def labeled(records: Iterable[Record], file: Path) -> tuple[list[LabeledRecord], str]:
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
    items = []
    for key, record in zip(keys, documents, strict=True):
        if key not in lines:
            raise InputError(f"{file} has no labels for document {key} ({record.id})")
        line, value = lines[key]
        items.append(
            LabeledRecord(record, _parsed(editor_labels, record, value, f"{file}:{line}", f"{key} ({record.id})"))
        )
    makers = _makers((value for _, value in lines.values()), "an annotator whom the file does not name")
    return items, f"labels by {makers} ({file.name})"


def _makers(values: Iterable[Object], usual: str) -> str:
    return " and ".join(sorted({str(value["annotator"]) for value in values if value.get("annotator")})) or usual


def _parsed(parse: Parse, record: Record, value: Object, place: str, name: str) -> Annotation:
    """Call `parse`; anything wrong with `value` is an error of one line with the `place` and the document."""
    try:
        return parse(record, value)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        reason = f"{error} is missing" if isinstance(error, KeyError) else error
        raise InputError(f"{place}: the labels do not fit document {name}: {reason}") from None


def _require(value: Object, *names: str) -> None:
    for name in names:
        if value.get(name) is None:
            raise KeyError(name)


def _spans(record: Record, pairs: Iterable[Any]) -> tuple[Sentence, ...]:
    spans = tuple(Sentence(int(start), int(end)) for start, end in pairs)
    bounds = [place for span in spans for place in span]
    if bounds != sorted(bounds) or any(not 0 <= place <= len(record.document.text) for place in bounds):
        raise ValueError("its 'sentences' are not spans of the text, in ascending order")
    return spans


def _numbers(values: Iterable[Any], size: int, least: int = 0) -> tuple[int, ...]:
    """Return the numbers of sentences, from `least` up to `size`; a negative `least` allows for no sentence."""
    numbers = tuple(map(int, values))
    for number in numbers:
        if not least <= number < size:
            raise ValueError(f"it has no sentence {number}")
    return numbers


def _needs(value: Mapping[str, Any], size: int) -> dict[int, tuple[Need, ...]]:
    return {i: tuple(_need(entry, size) for entry in value[str(i)]) for i in _numbers(value, size)}


def _need(entry: Any, size: int) -> Need:
    """Make a need from the number of the sentence that cures it, or from a list of that, the cause and the grade."""
    parts = entry if isinstance(entry, list) else [entry]
    if not 1 <= len(parts) <= len(Need._fields):
        raise ValueError(f"a need is a sentence, a cause and a grade, not {entry}")
    [cure] = _numbers(parts[:1], size, MISSING)
    cause = str(parts[1]) if len(parts) > 1 else ""
    return Need(cure, cause, int(parts[2]) if len(parts) > 2 else STUMBLES)
