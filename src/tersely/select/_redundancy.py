"""Avoids repetition: near copies are excluded before the selection, repeated trigrams after it."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tersely.select._problem import Indices, Problem, Selection, Selector, by_value, without_circles

if TYPE_CHECKING:
    from tersely.text.document import Document

# A list of more sentences than this is split, or else not read to its end.
_CROWD = 32
# Sentences that cannot repeat another one are sorted out so many times, if few are left.
_ROUNDS = 3
# A sentence is compared with about this many unchosen at most.
_ENOUGH = 256
# The pairs of rarest words of a sentence are not compared if more words than this may be missing in a similar one.
_LONG = 20
# Three Chinese words are about six characters.
_HAN_GRAM = 6
# A text with fewer than one space in this many characters does not separate words.
_LONGEST_WORD = 12
# The words of so many sentences are marked together, to save memory.
_AT_ONCE = 1024
# A sentence, its words with the rarest first, and how many of them may be missing in a similar sentence.
_Entry = tuple[int, list[str], int]
_BITS = np.array([byte.bit_count() for byte in range(256)], np.uint8)  # how many are set in a byte


def distinct(problem: Problem, similarity: float = 0.8) -> Problem:
    """Exclude all but one of sentences that nearly repeat each other, whatever the capacity.

    Sentences nearly repeat each other if the Jaccard similarity of their words is at least `similarity`; sentences
    without words, if they differ only in case and white space. The more valuable one is kept; of (almost) equally
    valuable ones the shorter, then the earlier. Included sentences are kept in any case.

    What an excluded sentence would cure is cured by the one kept for it. If that is the cured sentence itself, what
    cures the excluded sentence cures it. No circle of cures is closed that way: then there is no cure.
    """
    if problem.document is None:
        return problem
    twins = _duplicates(problem, problem.document, similarity)
    if not twins:
        return problem
    return problem.revised(cures=_by_twins(problem.cures, twins), exclude=problem.exclude.union(twins))


def _by_twins(cures: Sequence[int], twins: dict[int, int]) -> tuple[int, ...]:
    """Return the cures with the sentences that were kept in place of their twins; of the latter, none is cured."""
    changed = list(cures)
    for i, cure in enumerate(cures):
        twin = twins.get(cure, cure)
        if twin == i:
            twin = twins.get(cures[cure], cures[cure])
        changed[i] = -1 if i in twins or twin == i else twin
    return tuple(without_circles(changed))


def _order(problem: Problem, sentences: Iterable[int]) -> list[int]:
    """Sort sentences by which is rather kept. Values in the same 64th of the largest are almost equal."""
    steps = np.rint(problem.values / np.abs(problem.values).max(initial=1e-300) * 64).tolist()
    lengths = problem.lengths.tolist()
    return sorted(sentences, key=lambda i: (i not in problem.include, -steps[i], lengths[i], i))


def _duplicates(problem: Problem, document: "Document", similarity: float) -> dict[int, int]:
    """Return, for each duplicate, the first of the kept sentences that it repeats."""
    suspects: dict[float, dict[int, _Suspect]] = vars(document).setdefault("_suspects", {})  # whatever the values
    if similarity not in suspects:
        suspects[similarity] = _suspects(document, similarity)
    if not (sentences := suspects[similarity]):
        return {}
    kept_texts: dict[str, int] = {}  # the first sentence with this text
    index, duplicates = Index(), dict[int, int]()
    for i in _order(problem, sentences.keys() - problem.exclude):
        included, (words, rarest, spare) = i in problem.include, sentences[i]
        if not words:
            text = " ".join(document.texts[i].split()).casefold()
            if text in kept_texts and not included:
                duplicates[i] = kept_texts[text]
            else:
                kept_texts[text] = min(i, kept_texts.get(text, i))
            continue
        if not included:
            shortest, longest = similarity * len(words) - 1e-9, len(words) / similarity + 1e-9
            similar = sorted(index.find(rarest, spare))
            alike = (k for k in similar if shortest <= len(sentences[k].words) <= longest)
            twin = next((k for k in alike if _similar(words, sentences[k].words, similarity)), None)
            if twin is not None:
                duplicates[i] = twin
                continue
        index.add(i, rarest, spare)
    return duplicates


class _Suspect(NamedTuple):
    """A sentence that may repeat another one: its words as numbers, the rarest first, and how many may be missing."""

    words: set[int]
    rarest: list[str]
    spare: int


def _suspects(document: "Document", similarity: float) -> dict[int, _Suspect]:
    """Return the sentences that may repeat another one."""
    # All words, not only terms: "One fish." and "Two fish." differ.
    numbered, possible = document.numbered, np.ones(len(document), np.bool_)
    vocabulary = numbered.vocabulary
    # A word that no other sentence has lowers every similarity: most sentences have too many such words to repeat any.
    for _ in range(_ROUNDS):
        words, of_word, _ = numbered
        alone = of_word[(np.bincount(words, minlength=len(vocabulary)) == 1)[words]]
        lengths, single = (np.bincount(rows, minlength=len(document)) for rows in (of_word, alone))
        possible &= single <= (1 - similarity) * lengths + 1e-6
        if (count := np.count_nonzero(possible)) < 2:
            return {}
        if count > _CROWD:
            break
        inside = possible[of_word]
        numbered = numbered._replace(words=words[inside], sentence=of_word[inside])
    sentence, word = numbered.distinct()
    frequency = np.bincount(word, minlength=len(vocabulary))
    sizes, shared = (np.bincount(rows, minlength=len(document)) for rows in (sentence, sentence[(frequency > 1)[word]]))
    suspects = np.flatnonzero(possible & (shared >= similarity * sizes - 1e-9))
    if len(suspects) < 2:
        return {}
    rows = _Rows(word, sizes.cumsum() - sizes, sizes)
    if len(suspects) > _CROWD:
        near_pairs = _sharing_pairs(rows, suspects, frequency, similarity)
    else:
        left, right = (suspects[place] for place in _pairs(len(suspects)))
        may = _may_be_similar(rows, _marks(rows), left, right, similarity)
        near_pairs = {*left[may].tolist(), *right[may].tolist()}
    often, suspicious = frequency.tolist(), dict[int, _Suspect]()
    for i in near_pairs:
        words = word[rows.begins[i] :][: sizes[i]].tolist()
        numbers = sorted(words, key=lambda number: (often[number], vocabulary[number]))
        rarest = [vocabulary[number] for number in numbers]
        suspicious[i] = _Suspect(set(words), rarest, _spare(len(words), similarity))
    return suspicious


def _spare(count: int, similarity: float) -> int:
    """Return how many words of a set of this many may be missing in a similar one."""
    return count - ceil(similarity * count - 1e-9)


class _Rows(NamedTuple):
    """The different words of each sentence, one after another, as numbers."""

    word: Indices
    begins: Indices
    sizes: Indices


def _sharing_pairs(rows: _Rows, suspects: Indices, frequency: Indices, similarity: float) -> set[int]:
    """Return the sentences that share two of their rarest words with one that may be similar, and those that need not.

    Two similar sets share two of the first spare + 2 words of each (see `Index`), if they share two at all.
    """
    number = np.empty_like(frequency)
    number[np.argsort(frequency, kind="stable")] = np.arange(len(frequency))
    suspects = suspects[np.argsort(rows.sizes[suspects], kind="stable")]
    groups, sentences, keys = [suspects[:0]], [np.zeros(0, np.int32)], [suspects[:0]]
    for group in np.split(suspects, np.flatnonzero(np.diff(rows.sizes[suspects])) + 1):
        length = int(rows.sizes[group[0]])
        spare = _spare(length, similarity)
        # Long sentences have too many pairs, and so have those that may be similar to long ones.
        if length - spare < 2 or spare > _LONG * similarity:
            groups.append(group)
        if length < 2 or spare > _LONG:
            continue
        words = number[rows.word[rows.begins[group][:, None] + np.arange(length)]]
        words.sort(axis=1)
        left, right = _pairs(min(spare + 2, length))
        keys.append((words[:, left] * len(number) + words[:, right]).ravel())
        sentences.append(np.repeat(group.astype(np.int32), len(left)))
    all_keys, all_sentences = np.concatenate(keys), np.concatenate(sentences)
    del keys, sentences  # in a long text, they are large
    groups += _in_groups(all_keys, all_sentences, rows, similarity)
    return set(np.concatenate(groups).tolist())


@cache
def _pairs(count: int) -> tuple[Indices, Indices]:
    """Return each pair of numbers below `count`, as two columns."""
    return np.triu_indices(count, 1)


def _in_groups(keys: Indices, sentences: NDArray[np.int32], rows: _Rows, similarity: float) -> Iterator[Indices]:
    """Yield the sentences that may be similar to another one with the same key, or that share it with very many."""
    order, marks = np.argsort(keys, kind="stable"), _marks(rows)
    keys, sentences = keys[order], sentences[order]
    del order
    at = np.flatnonzero(keys[:-1] == keys[1:])
    for distance in range(1, _CROWD + 1):
        at = at[: np.searchsorted(at, len(keys) - distance)]
        at = at[keys[at] == keys[at + distance]]
        left, right = sentences[at], sentences[at + distance]
        similar = _may_be_similar(rows, marks, left, right, similarity) | (distance == _CROWD)
        yield from (left[similar], right[similar])


def _marks(rows: _Rows) -> NDArray[np.uint64]:
    """Return for each sentence the marks of its words, of which there are 64; for some sentences at a time."""
    bits, count = np.uint64(1) << np.arange(64, dtype=np.uint64), len(rows.sizes)
    marks = np.zeros(count, np.uint64)
    for first in range(0, count, _AT_ONCE):
        places = first + np.flatnonzero(rows.sizes[first : first + _AT_ONCE])
        if len(places):
            low, high = rows.begins[places[0]], rows.begins[places[-1]] + rows.sizes[places[-1]]
            marks[places] = np.bitwise_or.reduceat(bits[rows.word[low:high] % 64], rows.begins[places] - low)
    return marks


def _may_be_similar(
    rows: _Rows, marks: NDArray[np.uint64], left: Indices, right: Indices, similarity: float
) -> NDArray[np.bool_]:
    """Tell which pairs of sentences may be similar: then few words are in only one of them, and no more marks."""
    apart = _BITS[(marks[left] ^ marks[right]).view(np.uint8)].reshape(-1, 8).sum(axis=1)
    most = (rows.sizes[left] + rows.sizes[right]) * (1 - similarity) / (1 + similarity) + 1e-9
    may: NDArray[np.bool_] = apart <= most
    return may


class Index:
    """Finds the kept sentences that may be similar to another one, by the rarest words of each.

    If at most `spare` words of a set are not in a similar one, the first word that they share is among its first
    spare + 1, the second among its first spare + 2, and so on, whatever the order (prefix filtering, Chaudhuri et al.
    2006). Sets are listed by the first word that they may share. A list that gets long is split by the second one,
    then by the third: so the lists stay short even where all sentences are made of the same few words.
    """

    def __init__(self) -> None:
        self._lists: defaultdict[tuple[str, ...], list[_Entry]] = defaultdict(list)
        self._split: set[tuple[str, ...]] = {()}

    def find(self, words: list[str], spare: int) -> set[int]:
        """Return the sentences that may be similar: all that are, unless there are very many to look at."""
        candidates: set[int] = set()
        keys: list[tuple[str, ...]] = [()]
        while keys and len(candidates) < _ENOUGH:
            key = keys.pop()
            candidates.update(sentence for sentence, _, _ in self._lists.get(key, ())[:_CROWD])
            if key in self._split and len(key) < _deepest(spare):
                keys += reversed(_longer(key, words, spare))
        return candidates

    def add(self, sentence: int, words: list[str], spare: int) -> None:
        """Add a sentence with its words, the rarest first."""
        waiting: list[tuple[tuple[str, ...], _Entry]] = [((), (sentence, words, spare))]
        while waiting:
            key, entry = waiting.pop()
            _, words, spare = entry
            # A set that may share no more words than these with a similar one stays here.
            if key in self._split and len(key) < min(len(words) - spare, _deepest(spare)):
                waiting += [(longer, entry) for longer in _longer(key, words, spare)]
                continue
            entries = self._lists[key]
            entries.append(entry)
            if len(entries) > _CROWD and key not in self._split:
                self._split.add(key)
                self._lists[key] = []
                waiting += [(key, entry) for entry in entries]


def _longer(key: tuple[str, ...], words: list[str], spare: int) -> list[tuple[str, ...]]:
    """Return the key with each word that a similar set may share next."""
    after = words.index(key[-1]) + 1 if key else 0
    return [(*key, word) for word in words[after : spare + len(key) + 1]]


def _deepest(spare: int) -> int:
    """Return how many words a key may have, so that a set has at most a few hundred keys."""
    return 4 if spare <= 4 else 3 if spare <= 8 else 2 if spare <= 20 else 1


def _similar(left: set[int], right: set[int], similarity: float) -> bool:
    shared = len(left & right)
    return shared >= similarity * (len(left) + len(right) - shared) - 1e-9


def blocking_trigrams(selector: Selector) -> Selector:
    """Return a selector that never chooses two sentences that share three words in a row.

    Of two such sentences, the one of lower value is excluded, never an included one, and the selector runs again.
    With `greedy` and `top` this is BertSum's blocking, which goes through the sentences by value and skips each
    that shares a trigram with those before it. In Chinese, and wherever words are not separated by spaces, six
    characters in a row count as three words.

    What is excluded depends on the capacity: with more room, another choice may repeat something else, so that the
    total may fall, and a choice is stable only down to the longest of all rounds.
    """

    def select(problem: Problem) -> Selection:
        answer = selector(problem)
        stable = answer.stable
        if problem.document is None:
            return answer
        grams = Trigrams(problem.document)
        while blocked := _blocked(problem, answer.chosen, grams):
            problem = problem.without(blocked)
            answer = selector(problem)
            # At a smaller capacity, the same sentences are blocked as long as every round gives the same answer.
            stable = max(stable, answer.stable)
        return Selection(answer.chosen, stable)

    return select


def sharing_trigrams(problem: Problem, chosen: tuple[int, ...]) -> frozenset[int]:
    """Return the sentences, but for the chosen ones, that share three words in a row with a chosen one."""
    if problem.document is None:
        return frozenset()
    grams = Trigrams(problem.document)
    grams_so_far = set[tuple[str, ...]]().union(*map(grams.__getitem__, chosen))
    unchosen = set(range(len(problem.values))).difference(chosen)
    return frozenset(i for i in unchosen if not grams_so_far.isdisjoint(grams[i]))


def _blocked(problem: Problem, chosen: tuple[int, ...], grams: "Trigrams") -> list[int]:
    """Return the chosen sentences that repeat any of those before the first repetition, by value.

    Later repetitions wait for the next round: without the blocked sentences, the choice may be another.
    """
    grams_so_far: set[tuple[str, ...]] = set()
    blocked: list[int] = []
    for sentence in by_value(problem, chosen):
        if sentence not in problem.include and not grams_so_far.isdisjoint(grams[sentence]):
            blocked.append(sentence)
        elif not blocked:
            grams_so_far |= grams[sentence]
    return blocked


class Trigrams(dict[int, set[tuple[str, ...]]]):
    """The trigrams of each sentence, computed on demand."""

    def __init__(self, document: "Document") -> None:
        self._texts, text = document.texts, document.text
        self._in_words = document.language != "zh" and len(text) <= _LONGEST_WORD * len(text.split())

    def __missing__(self, sentence: int) -> set[tuple[str, ...]]:
        words = self._texts[sentence].lower().split()
        parts, size = (words, 3) if self._in_words else (list("".join(words)), _HAN_GRAM)
        self[sentence] = set(zip(*(parts[i:] for i in range(size)), strict=False))
        return self[sentence]
