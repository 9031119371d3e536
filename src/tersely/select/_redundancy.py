"""Avoids repetition: near duplicates are excluded before the selection, shared trigrams after it."""

from collections import Counter, defaultdict
from dataclasses import replace
from math import ceil

from tersely.select._problem import Problem, Selection, Selector
from tersely.text.document import Document

# Three Chinese words are about six characters.
_HAN_GRAM = 6
# A text with fewer than one space in this many characters does not separate words.
_LONGEST_WORD = 12


def without_duplicates(problem: Problem, similarity: float = 0.8) -> Problem:
    """Exclude each sentence that nearly repeats one of higher value, or an earlier one of the same value.

    Sentences nearly repeat each other if the Jaccard similarity of their words is at least `similarity`; sentences
    without words, if they differ only in case and white space. Included sentences are never excluded.

    A sentence that needs an excluded one needs the one that was kept instead, if that comes earlier, and is excluded
    if it does not. If it is itself the one that was kept, it needs what the excluded one needed.
    """
    if problem.document is None:
        return problem
    twins = _duplicates(problem, problem.document, similarity)
    return _with_twins(problem, twins) if problem.needs and twins else problem.without(twins)


def _with_twins(problem: Problem, twins: dict[int, int]) -> Problem:
    needs: list[int] = []
    lost: set[int] = set()
    for sentence, need in enumerate(problem.needs):
        twin = twins.get(need, need)
        if twin == sentence:
            if need in lost:
                lost.add(sentence)
            twin = needs[need]
        elif twin > sentence:
            lost.add(sentence)
            twin = -1
        needs.append(twin)
    return replace(problem, needs=tuple(needs), exclude=problem.exclude.union(twins, lost - problem.include))


def _duplicates(problem: Problem, document: Document, similarity: float) -> dict[int, int]:
    """Return, for each duplicate, the first of the kept sentences that it repeats."""
    # All words, not only terms: "One fish." and "Two fish." differ.
    rows = [list(dict.fromkeys(words)) for words in document.words]
    frequency = Counter(word for row in rows for word in row)
    kept_texts: dict[str, int] = {}  # the first sentence with this text
    kept_words: dict[int, set[str]] = {}  # by sentence
    kept_by_word: defaultdict[str, list[int]] = defaultdict(list)
    duplicates: dict[int, int] = {}
    # A word that no other sentence has lowers every similarity: most sentences have too many such words to repeat any.
    suspects = {i for i, row in enumerate(rows) if _shared(row, frequency) >= similarity * len(row) - 1e-9}
    for sentence in _by_value(problem, suspects - problem.exclude):
        included = sentence in problem.include
        words = rows[sentence]
        if not words:
            text = " ".join(document.texts[sentence].split()).casefold()
            if text in kept_texts and not included:
                duplicates[sentence] = kept_texts[text]
            else:
                kept_texts[text] = min(sentence, kept_texts.get(text, sentence))
            continue
        # Two sets this similar share one of the rarest words of each, so it is enough to look up those: all words
        # but a share `similarity`, plus one (prefix filtering, Chaudhuri et al. 2006).
        rarest = sorted(words, key=lambda word: (frequency[word], word))
        rarest = rarest[: len(words) - ceil(similarity * len(words) - 1e-9) + 1]
        own = set(words)
        near = {kept for word in rarest for kept in kept_by_word.get(word, ())}
        shortest, longest = similarity * len(own) - 1e-9, len(own) / similarity + 1e-9
        alike = (kept for kept in sorted(near) if shortest <= len(kept_words[kept]) <= longest)
        if not included:
            twin = next((kept for kept in alike if _similar(own, kept_words[kept], similarity)), None)
            if twin is not None:
                duplicates[sentence] = twin
                continue
        for word in rarest:
            kept_by_word[word].append(sentence)
        kept_words[sentence] = own
    return duplicates


def _shared(words: list[str], frequency: Counter[str]) -> int:
    return len(words) - list(map(frequency.__getitem__, words)).count(1)


def _similar(left: set[str], right: set[str], similarity: float) -> bool:
    shared = len(left & right)
    return shared >= similarity * (len(left) + len(right) - shared) - 1e-9


def _by_value(problem: Problem, sentences: set[int] | tuple[int, ...]) -> list[int]:
    """Sort sentences: included ones first, then by value, ties by position."""
    values = problem.values.tolist()
    return sorted(sentences, key=lambda i: (i not in problem.include, -values[i], i))


def blocking_trigrams(selector: Selector) -> Selector:
    """Return a selector that never chooses two sentences that share three words in a row.

    Of two such sentences, the one of lower value is excluded, never an included one, and the selector runs again.
    With `greedy` and `top` this is BertSum's blocking, which goes through the sentences by value and skips each
    that shares a trigram with those before it. In Chinese, and wherever words are not separated by spaces, six
    characters in a row count as three words. A sentence that needs an excluded one is not chosen, either; so of a
    sentence and one that needs it, the latter is excluded, whatever their values.
    """

    def select(problem: Problem) -> Selection:
        answer = selector(problem)
        stable = answer.stable
        if problem.document is None:
            return answer
        grams = _Grams(problem.document)
        while blocked := _blocked(problem, answer.chosen, grams):
            problem = problem.without(blocked)
            answer = selector(problem)
            # At a smaller capacity, the same sentences are blocked as long as every round gives the same answer.
            stable = max(stable, answer.stable)
        return Selection(answer.chosen, stable)

    return select


def _blocked(problem: Problem, chosen: tuple[int, ...], grams: "_Grams") -> list[int]:
    """Return the chosen sentences that repeat any of those before the first repetition, by value.

    Later repetitions wait for the next round: without the blocked sentences, the choice may be another.
    """
    seen: set[tuple[str, ...]] = set()
    blocked: list[int] = []
    order = _by_value(problem, chosen)
    if problem.needs:
        order = _after_needs(problem, order)
    for sentence in order:
        if sentence not in problem.include and not seen.isdisjoint(grams[sentence]):
            blocked.append(sentence)
        elif not blocked:
            seen |= grams[sentence]
    return blocked


def _after_needs(problem: Problem, order: list[int]) -> list[int]:
    """Return the sentences in order, each right after those that it needs and that were not before it."""
    placed: dict[int, None] = {}
    for sentence in order:
        placed.update(dict.fromkeys(reversed(problem.forest.bundle(sentence, placed))))
    return list(placed)


class _Grams(dict[int, set[tuple[str, ...]]]):
    """The trigrams of each sentence, computed on demand."""

    def __init__(self, document: Document) -> None:
        self._texts = document.texts
        text = document.text
        self._in_words = document.language != "zh" and len(text) <= _LONGEST_WORD * len(text.split())

    def __missing__(self, sentence: int) -> set[tuple[str, ...]]:
        words = self._texts[sentence].lower().split()
        parts, size = (words, 3) if self._in_words else (list("".join(words)), _HAN_GRAM)
        self[sentence] = set(zip(*(parts[i:] for i in range(size)), strict=False))
        return self[sentence]
