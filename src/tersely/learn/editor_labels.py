"""Documents with an editor's labels, as lessons for the network that reads sentences.

A line of a label file has `sentences` as [start, end], `roles` (a letter per sentence), `noise` (the kind of each
sentence of noise), `needs` (for a sentence, lists of [sentence that cures it, cause, grade]) and `top` (the editor's
choice, best first). Long documents may have `main`, `support` and `noise` as lists of sentences instead. The text is in
the line, or it is line `line` of another `file`: its field `text`, or its `documents`, joined.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tersely.errors import InputError
from tersely.io.lines import Fault, open_unpacked, parse_object, read_objects
from tersely.languages import Language, pack
from tersely.learn.bias import bias_of
from tersely.learn.corpus import FEWEST_DOCUMENTS
from tersely.read.features import features_of
from tersely.read.reader import CAUSES, NOISES, WINDOW, overlaps
from tersely.read.tokens import Floats, Tokens, TokenTerms, terms_of, tokens_of
from tersely.score.classic import Coverage
from tersely.select import Problem
from tersely.select.coverage import GreedyCoverage
from tersely.text.document import Document
from tersely.text.language import separator

UNKNOWN = -1
_ROLES = "MSBQPN"
_STUMBLE = 2  # the grade of a need without which a reader stumbles
_MOST = 6  # the weight of the editor's first choice; each next one weighs one less
_LONG_STEP, _LONG_LEAST = 0.6, 0.5  # of a long document, whose choice has more sentences
# What a sentence is worth beyond the editor's ranked choice, by its role.
_BY_ROLE = np.array([3.0, 1.0, 0.1, 0.05, 0.02, 0.0, 0.0])


@dataclass(frozen=True, eq=False)
class Lesson:
    """A document as the network reads it, and its labels, one per sentence as our own splitter finds them."""

    document: Document
    tokens: Tokens
    terms: TokenTerms
    features: Floats
    roles: NDArray[np.int64]  # places in "MSBQPN", or unknown
    worth: NDArray[np.float32]  # how much an editor wants the sentence
    choice: NDArray[np.float32]  # the weights of the editor's ranked choice alone
    needs: NDArray[np.float32]  # 1, 0 or unknown
    cures: list[list[tuple[int, int]]]  # of each sentence: sentences that cure it, or -1, and causes
    noises: NDArray[np.int64]  # places in NOISES, or unknown
    row: dict[str, Any] = field(repr=False)  # the labels as they were read
    foreign: bool = False  # labeled by other annotators, who see more needs

    @cached_property
    def overlaps(self) -> list[Floats]:
        """The shared words of each two sentences, window by window."""
        return list(overlaps(self.terms, len(self.document)))


def read_lessons(paths: Iterable[Path], data: Path, foreign: bool = False) -> Iterator[Lesson]:
    """Yield the lessons of label files; `data` is the folder of the files that they name."""
    for path in paths:
        for item in read_objects(path):
            if isinstance(item, Fault):
                raise InputError(str(item))
            number, row = item
            try:
                lesson = lesson_of(_with_text(row, data), foreign)
            except (AttributeError, KeyError, IndexError, TypeError, ValueError) as error:
                raise InputError(f"{path}:{number}: not a labeled document: {_reason(error)}") from None
            if lesson is not None:
                yield lesson


def _reason(error: Exception) -> str:
    """Say in one line what is wrong with labels."""
    return f"it has no {error}" if isinstance(error, KeyError) else " ".join(str(error).split())


def _with_text(row: dict[str, Any], data: Path) -> dict[str, Any]:
    if "text" in row:
        return row
    source = parse_object(_lines(data / row["file"])[row["line"]])
    text = source.get("text")
    if text is None:
        documents = source["documents"]
        text = "\n\n".join(documents[i]["text"] for i in row.get("documents", range(len(documents))))
    return {**row, "text": text[: row["end"]]}


@cache
def _lines(file: Path) -> list[bytes]:
    try:
        with open_unpacked(file) as stream:
            return stream.readlines()
    except InputError as error:
        raise InputError(f"{file}: {error}") from None


def lesson_of(row: dict[str, Any], foreign: bool = False) -> Lesson | None:
    """Return the lesson of a labeled document, or None if there is only one sentence."""
    document = Document.from_text(row["text"])
    count = len(document)
    if count < 2:
        return None
    if len(row.get("roles", row["sentences"])) != len(row["sentences"]):
        raise ValueError("'roles' must have one letter per sentence")
    label_of, sentence_of = _aligned(document, row["sentences"])
    roles, noises = np.full(count, UNKNOWN), np.full(count, UNKNOWN)
    needs, cures = np.full(count, float(UNKNOWN), np.float32), [[] for _ in range(count)]  # type: ignore[var-annotated]
    if "roles" in row:
        for i, label in enumerate(label_of):
            if label < 0:
                continue
            roles[i] = _ROLES.index(row["roles"][label])
            if roles[i] == _ROLES.index("N"):
                noises[i] = _place(NOISES, row["noise"].get(str(label), "other"))
                continue
            stumbles = [need for need in row["needs"].get(str(label), ()) if need[2] == _STUMBLE]
            needs[i] = float(bool(stumbles))
            cured = [(sentence_of[cure] if cure >= 0 else -1, _place(CAUSES, cause)) for cure, cause, _ in stumbles]
            cures[i] = [(cure, cause) for cure, cause in cured if cure != i]
    else:
        roles[:] = _ROLES.index("B")
        for name, letter in (("support", "S"), ("main", "M"), ("noise", "N")):
            roles[[sentence_of[label] for label in row[name] if sentence_of[label] >= 0]] = _ROLES.index(letter)
    choice = np.zeros(count, np.float32)
    for rank, label in enumerate(row["top"]):
        weight = _MOST - rank if "roles" in row else max(_MOST - _LONG_STEP * rank, _LONG_LEAST)
        if sentence_of[label] >= 0 and weight > 0:
            choice[sentence_of[label]] = max(choice[sentence_of[label]], weight)
    tokens = tokens_of(document)
    terms = terms_of(tokens)
    return Lesson(
        document,
        tokens,
        terms,
        features_of([document], tokens, terms),
        roles,
        (choice + _BY_ROLE[roles]).astype(np.float32),
        choice,
        needs,
        cures,
        noises,
        row,
        foreign,
    )


def _place(names: list[str], name: str) -> int:
    return names.index(name if name in names else "other")


def _aligned(document: Document, spans: list[list[int]]) -> tuple[list[int], list[int]]:
    """Return for each of our sentences the labeled one that has most of it, and for each labeled one our best match.

    The labels were made for sentences as another version of the splitter found them.
    """
    label_of, sentence_of, best = [], [UNKNOWN] * len(spans), [0] * len(spans)
    low = 0
    for i, (start, end) in enumerate(document.sentences):
        while low < len(spans) and spans[low][1] <= start:
            low += 1
        most, label = 0, UNKNOWN
        for j in range(low, len(spans)):
            shared = min(end, spans[j][1]) - max(start, spans[j][0])
            if shared <= 0:
                break
            if shared > best[j]:
                best[j], sentence_of[j] = shared, i
            if shared > most:
                most, label = shared, j
        label_of.append(label if 2 * most > end - start else UNKNOWN)
    return label_of, sentence_of


@dataclass(frozen=True)
class WordChoice:
    """Which sentences of a text to choose without labels: those that say most of what it keeps saying.

    This is Ext-Doc of the paper in the space of words. The greedy selector `coverage` chooses, by values that have the
    bias of the text's language: so many sentences or, in a dense script, sentences within so many characters.
    """

    biases: Mapping[Language, float] = field(default_factory=dict)
    sentences: int = 3
    dense_characters: int = 60

    @classmethod
    def tuned(cls, documents: Sequence[Document], sentences: int = 3, dense_characters: int = 60) -> "WordChoice":
        """Take the bias of each language from the documents, as the model `news` does."""
        plain = cls({}, sentences, dense_characters)
        languages = {document.language for document in documents}
        chosen = {language: [text for text in documents if text.language == language] for language in languages}
        biases = {
            language: bias_of(texts, float(np.mean([plain._capacity(text)[1] for text in texts])))
            for language, texts in chosen.items()
            if len(texts) >= FEWEST_DOCUMENTS
        }
        return replace(plain, biases=biases)

    def __call__(self, document: Document) -> Floats:
        """Return 1 for each chosen sentence, and 0 for the others."""
        values = Coverage(self.biases.get(document.language, 0.0)).values(document)
        (costs, capacity), _ = self._capacity(document)
        between = len(separator(document.language)) if self._dense(document) else 0
        chosen = GreedyCoverage()(Problem(values, costs, capacity, between, document=document)).chosen
        worth = np.zeros(len(document), np.float32)
        worth[list(chosen)] = 1.0
        return worth

    def _dense(self, document: Document) -> bool:
        return pack(document.language).dense

    def _capacity(self, document: Document) -> tuple[tuple[NDArray[np.int64], int], float]:
        """Return what sentences cost, how much there is room for, and about which share of the text that is."""
        lengths = np.array([len(text) for text in document.texts], np.int64)
        if self._dense(document):
            # There is always room for the shortest sentence.
            capacity = max(self.dense_characters, int(lengths.min()))
            return (lengths, capacity), min(capacity / max(int(lengths.sum()), 1), 1.0)
        return (np.ones_like(lengths), self.sentences), min(self.sentences / len(lengths), 1.0)


def unlabeled_lesson(
    text: str | Document,
    most: int = WINDOW,
    worth: Callable[[Document], Floats] | None = None,
    order: Sequence[int] | None = None,
) -> Lesson | None:
    """Return a lesson from the beginning of a text without labels, or None if there is only one sentence.

    What is known without labels is how much of what a text keeps saying a sentence says: its coverage of words, or what
    the function `worth` makes of them. With an `order`, the network sees the sentences in that order, one per line,
    and has to tell from their words what they are worth in the text as it is.
    """
    document = text if isinstance(text, Document) else Document.from_text(text, most=most)
    count = len(document)
    if count < 2:
        return None
    worths = worth(document) if worth else Coverage(0.0).values(document).astype(np.float32)
    if order is not None:
        document, worths = document_of(document, order), worths[list(order)]
    tokens = tokens_of(document)
    terms = terms_of(tokens)
    unknown = np.full(count, UNKNOWN)
    return Lesson(
        document,
        tokens,
        terms,
        features_of([document], tokens, terms),
        unknown,
        worths,
        np.zeros(count, np.float32),
        unknown.astype(np.float32),
        [[] for _ in range(count)],
        unknown,
        {"text": document.text},
    )


def document_of(document: Document, order: Sequence[int]) -> Document:
    """Return the sentences of a document in another order, one per line."""
    return Document.from_sentences([document.texts[i] for i in order], document.language)


def unlabeled_lessons(
    texts: Sequence[str], worth: Callable[[Document], Floats] | WordChoice | None, shuffled: float, seed: int
) -> Iterator[Lesson]:
    """Yield the lessons of texts without labels; the sentences of the share `shuffled` of them are in random order.

    As many of the others have one sentence per line, so that lines do not tell which texts are shuffled.
    """
    documents = [Document.from_text(text, most=WINDOW) for text in texts]
    if isinstance(worth, WordChoice):
        worth = WordChoice.tuned(documents, worth.sentences, worth.dense_characters)
    chance = np.random.default_rng([seed, 5])
    for document in documents:
        order: Sequence[int] | None = None
        if chance.random() < shuffled:
            order = chance.permutation(len(document)).tolist()
        elif chance.random() < shuffled:
            order = range(len(document))
        lesson = unlabeled_lesson(document, worth=worth, order=order)
        if lesson is not None and lesson.worth.any():
            yield lesson
