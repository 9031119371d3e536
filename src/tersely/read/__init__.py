"""Reading: what each sentence of a document is worth, which are noise, and what a sentence needs to be understood.

One small network says it for all languages; an editor's labels taught it (see `tersely train editor`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tersely.read.features import features_of
from tersely.read.reader import CAUSES, NOISES, ROLES, Network, Outputs
from tersely.read.tokens import terms_of, tokens_of
from tersely.text.document import Document
from tersely.text.sources import Collection

__all__ = ["NOISE", "Network", "Reading", "joined", "read", "shipped", "unread"]

Values = NDArray[np.float64]

NOISE = ROLES.index("noise")
_LIKELY = 0.5
# What a computer adds up may differ in the last digits from what another one does. The choice must not.
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
        if self.needs[sentence] < _LIKELY:
            return None, ""
        cure = self.cures[sentence]
        return (cure if cure >= 0 else None), self.causes[sentence]

    def noise_kind(self, sentence: int) -> str:
        """Return the kind of noise that a sentence probably is, or nothing."""
        return self.kinds[sentence] if self.noise[sentence] >= _LIKELY else ""


def read(document: Document, network: Network | None = None) -> Reading:
    """Return what an editor would say of the sentences of a document, by the shipped network or another one.

    >>> reading = read(Document.from_text("The mayor of Ghent resigned on Monday. But he gave no reason for it."))
    >>> bool(reading.needs[0] < reading.needs[1]), reading.cures[1]
    (True, 0)
    """
    network = network or shipped()
    # A network reads a document only once.
    known: dict[str, Reading] = vars(document).setdefault("_readings", {})
    if network.fingerprint not in known:
        parts = document.parts if isinstance(document, Collection) else ()
        reading = joined([read(part, network) for part in parts]) if parts else _read(document, network)
        known[network.fingerprint] = reading
    return known[network.fingerprint]


def _read(document: Document, network: Network) -> Reading:
    if not len(document):
        return unread(0)
    tokens = tokens_of(document)
    terms = terms_of(tokens)
    said = network(tokens, terms, features_of(document, tokens, terms))
    return _reading(_with_turns(said, document.speakers))


def _with_turns(said: Outputs, speakers: tuple[str, ...]) -> Outputs:
    """Let what goes on with a speaker's turn need its first sentence, which says who speaks.

    That is known from the form of the text. Alone, such a sentence would seem to be said by whoever spoke before it.
    """
    first = 0
    for i, speaker in enumerate(speakers):
        if not speaker or not i or speaker != speakers[i - 1]:
            first = i
        else:
            said.need[i], said.cure[i], said.certainty[i] = 1.0, first, 1.0
            said.causes[i, CAUSES.index("speaker")] = 1.0
    return said


@cache
def shipped() -> Network:
    """Return the network that comes with the package."""
    return Network.load(Path(__file__).parents[1] / "models" / "editor" / "weights.npz")


def joined(readings: Sequence[Reading]) -> Reading:
    """Return what was read of several texts, one after another: a sentence needs nothing from another text."""
    parts = [part for part in readings if part.cures]
    if not parts:
        return unread(0)
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
    """Return what is said of sentences that nobody has read: nothing."""
    none, nothing = np.zeros(count), ("",) * count
    return Reading(none, nothing, none, none, (-1,) * count, none, nothing, nothing)


def _reading(said: Outputs) -> Reading:
    raised = np.exp(said.worth.astype(np.float64) - float(said.worth.max()))
    needs, certainty = _rounded(said.need), _rounded(said.certainty)
    return Reading(
        _rounded(raised / raised.mean()) / len(raised),  # in a long text, each share is small
        tuple(ROLES[role] for role in said.roles.argmax(axis=1).tolist()),
        _rounded(said.roles[:, NOISE]),
        needs,
        forest(said.cure.tolist(), (needs * certainty).tolist()),
        certainty,
        tuple(CAUSES[cause] for cause in said.causes.argmax(axis=1).tolist()),
        tuple(NOISES[kind] for kind in said.noises.argmax(axis=1).tolist()),
    )


def _rounded(numbers: NDArray[np.floating]) -> Values:
    rounded: Values = numbers.astype(np.float64).round(_DIGITS)
    return rounded


def forest(cures: list[int], weights: list[float]) -> tuple[int, ...]:
    """Return cures without circles: of those that would close one, the weakest are left out."""
    group = list(range(len(cures)))

    def leader(sentence: int) -> int:
        while group[sentence] != sentence:
            group[sentence] = group[group[sentence]]
            sentence = group[sentence]
        return sentence

    kept = [-1] * len(cures)
    for sentence in sorted(range(len(cures)), key=lambda i: (-weights[i], i)):
        one, other = leader(sentence), leader(cures[sentence])
        if one != other:
            group[one], kept[sentence] = other, cures[sentence]
    return tuple(kept)
