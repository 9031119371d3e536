"""Reading: what each sentence of a document is worth, which are noise, and what a sentence needs to be understood.

One small network reads all languages. It learned from an editor's labels (see `tersely train editor`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tersely.languages import Language
from tersely.read.features import features_of
from tersely.read.reader import CAUSES, NOISES, ROLES, Network, Outputs
from tersely.read.tokens import terms_of, tokens_of
from tersely.text.document import Document
from tersely.text.sources import Collection

__all__ = ["NOISE", "Network", "Reading", "read", "read_some", "read_together", "shipped", "unread"]

Values = NDArray[np.float64]

NOISE = ROLES.index("noise")
_LIKELY = 0.5
# Sums may differ in the last digits from one computer to another. The choice must not, so numbers are rounded.
_DIGITS = 5


@dataclass(frozen=True)
class Reading:
    """For each sentence: its worth, its role, and the chances that it is noise and that it needs another sentence.

    `worth` is a share of what the whole text is worth; it sums to 1. `roles` are "main", "support", "background",
    "quotation", "procedure" and "noise". `cures[i]` is the sentence that most likely supplies what sentence i needs,
    earlier or later, or -1, and `certainty[i]` is the chance that it does. Cures form no circle. `causes` and `kinds`
    name the likeliest cause of a need, such as "pronoun", and the likeliest kind of noise, such as "caption", whether
    or not the need or the noise itself is likely.
    """

    worth: Values
    roles: tuple[str, ...]
    noise: Values
    needs: Values
    cures: tuple[int, ...]
    certainty: Values
    causes: tuple[str, ...]
    kinds: tuple[str, ...]

    def need(self, sentence: int) -> tuple[int | None, str]:
        """Return what a sentence probably needs, and why; None and nothing if it probably stands alone."""
        if not self._in_need[sentence]:
            return None, ""
        cure = self.cures[sentence]
        return (cure if cure >= 0 else None), self.causes[sentence]

    def noise_kind(self, sentence: int) -> str:
        """Return the kind of noise that a sentence probably is, or nothing."""
        return self.kinds[sentence] if self._is_noise[sentence] else ""

    @cached_property
    def _in_need(self) -> list[bool]:
        in_need: list[bool] = (self.needs >= _LIKELY).tolist()
        return in_need

    @cached_property
    def _is_noise(self) -> list[bool]:
        is_noise: list[bool] = (self.noise >= _LIKELY).tolist()
        return is_noise


def read(document: Document, network: Network | None = None) -> Reading:
    """Return what an editor would say of the sentences of a document, by the shipped network or another one.

    >>> reading = read(Document.from_text("The mayor of Ghent resigned on Monday. But he gave no reason for it."))
    >>> bool(reading.needs[0] < reading.needs[1]), reading.cures[1]
    (True, 0)
    """
    network = network or shipped()
    readings: dict[str, Reading] = vars(document).setdefault("_readings", {})  # by network; each reads it only once
    if network.fingerprint not in readings:
        parts = document.parts if isinstance(document, Collection) else (document,)
        readings[network.fingerprint] = joined(read_together(parts, network))
    return readings[network.fingerprint]


def read_some(collection: Collection, sources: Sequence[int], network: Network | None = None) -> Reading:
    """Return the reading of a collection of which only some sources are read; the last such reading is remembered."""
    network = network or shipped()
    last: dict[tuple[object, ...], Reading] = vars(collection).setdefault("_last_reading", {})
    reading = last.get(key := (network.fingerprint, *sources))
    if reading is None:
        parts = dict(zip(sources, read_together([collection.parts[i] for i in sources], network), strict=True))
        reading = joined([parts.get(i) or unread(len(part)) for i, part in enumerate(collection.parts)])
        last.clear()
        last[key] = reading
    return reading


def read_together(documents: Sequence[Document], network: Network | None = None) -> list[Reading]:
    """Return the reading of each of several documents; small ones are read faster together than one by one.

    The last digits depend on what is read together. So these readings are not remembered as those of the documents.
    """
    readings: dict[int, Reading] = {}
    by_language: dict[Language, list[int]] = {}
    for number, document in enumerate(documents):
        by_language.setdefault(document.language, []).append(number)
    for numbers in by_language.values():
        group = [documents[number] for number in numbers]
        readings.update(zip(numbers, _read(group, network or shipped()), strict=True))
    return [readings[number] for number in range(len(documents))]


def _read(documents: Sequence[Document], network: Network) -> Iterator[Reading]:
    """Yield the readings of documents in one language."""
    if filled := list(filter(len, documents)):
        tokens = tokens_of(*filled)
        terms = terms_of(tokens)
        outputs = network(tokens, terms, features_of(filled, tokens, terms))
    end = 0
    for document in documents:
        first, end = end, end + len(document)
        if not len(document):
            yield unread(0)
            continue
        yield _reading(_with_turns(outputs.part(first, end), document.speakers))


def _with_turns(outputs: Outputs, speakers: tuple[str, ...]) -> Outputs:
    """Let the later sentences of a speaker's turn need its first sentence, which says who speaks.

    The form of the text shows the turns. Alone, such a sentence would seem to belong to the speaker before it.
    """
    first = 0
    for i, speaker in enumerate(speakers):
        if not speaker or not i or speaker != speakers[i - 1]:
            first = i
        else:
            outputs.need[i], outputs.cure[i], outputs.certainty[i] = 1.0, first, 1.0
            outputs.causes[i, CAUSES.index("speaker")] = 1.0
    return outputs


@cache
def shipped() -> Network:
    """Return the network that comes with the package."""
    return Network.load(Path(__file__).parents[1] / "models" / "editor" / "weights.npz")


def joined(readings: Sequence[Reading]) -> Reading:
    """Join the readings of several texts, one after another. A sentence needs nothing from another text."""
    parts = [part for part in readings if part.cures]
    if not parts:
        return unread(0)
    if len(parts) == 1:
        return parts[0]
    firsts = np.cumsum([0, *(len(part.cures) for part in parts)]).tolist()
    cures = [
        cure + first if cure >= 0 else cure for first, part in zip(firsts, parts, strict=False) for cure in part.cures
    ]
    return Reading(
        np.concatenate([part.worth for part in parts]) / len(parts),
        tuple(role for part in parts for role in part.roles),
        np.concatenate([part.noise for part in parts]),
        np.concatenate([part.needs for part in parts]),
        tuple(cures),
        np.concatenate([part.certainty for part in parts]),
        tuple(cause for part in parts for cause in part.causes),
        tuple(kind for part in parts for kind in part.kinds),
    )


def unread(count: int) -> Reading:
    """Return an empty reading of `count` sentences: worth nothing, no noise, no needs."""
    zeros, blanks = np.zeros(count), ("",) * count
    return Reading(zeros, blanks, zeros, zeros, (-1,) * count, zeros, blanks, blanks)


def _reading(outputs: Outputs) -> Reading:
    raised = np.exp(outputs.worth.astype(np.float64) - float(outputs.worth.max()))
    needs, certainty = _rounded(outputs.need), _rounded(outputs.certainty)
    return Reading(
        _rounded(raised / raised.mean()) / len(raised),  # in a long text, each share is small
        tuple(map(ROLES.__getitem__, outputs.roles.argmax(axis=1).tolist())),
        _rounded(outputs.roles[:, NOISE]),
        needs,
        forest(outputs.cure.tolist(), (needs * certainty).tolist()),
        certainty,
        tuple(map(CAUSES.__getitem__, outputs.causes.argmax(axis=1).tolist())),
        tuple(map(NOISES.__getitem__, outputs.noises.argmax(axis=1).tolist())),
    )


def _rounded(numbers: NDArray[np.floating]) -> Values:
    rounded: Values = numbers.astype(np.float64).round(_DIGITS)
    return rounded


def forest(cures: list[int], weights: list[float]) -> tuple[int, ...]:
    """Return cures without circles. Where some would form one, the weakest, by `weights`, is left out."""
    group = list(range(len(cures)))

    def leader(sentence: int) -> int:
        while group[sentence] != sentence:
            group[sentence] = group[group[sentence]]
            sentence = group[sentence]
        return sentence

    acyclic = [-1] * len(cures)
    for sentence in sorted(range(len(cures)), key=weights.__getitem__, reverse=True):  # the first of equal ones first
        needing, curing = leader(sentence), leader(cures[sentence])
        if needing != curing:
            group[needing], acyclic[sentence] = curing, cures[sentence]
    return tuple(acyclic)
