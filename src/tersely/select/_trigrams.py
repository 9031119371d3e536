"""Avoids repetition of three words in a row, after the selection."""

from tersely.select._problem import Problem, Selection, Selector, by_value
from tersely.text.document import Document

# Three Chinese words are about six characters.
_HAN_GRAM = 6
# A text with fewer than one space in this many characters does not separate words.
_LONGEST_WORD = 12


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
        grams = _Grams(problem.document)
        while blocked := _blocked(problem, answer.chosen, grams):
            problem = problem.without(blocked)
            answer = selector(problem)
            # At a smaller capacity, the same sentences are blocked as long as every round gives the same answer.
            stable = max(stable, answer.stable)
        return Selection(answer.chosen, stable)

    return select


def repeats_trigrams(problem: Problem, chosen: tuple[int, ...]) -> bool:
    """Tell whether two of the chosen sentences share three words in a row."""
    return problem.document is not None and bool(_blocked(problem, chosen, _Grams(problem.document)))


def sharing_trigrams(problem: Problem, chosen: tuple[int, ...]) -> frozenset[int]:
    """Return the sentences, but for the chosen ones, that share three words in a row with a chosen one."""
    if problem.document is None:
        return frozenset()
    grams = _Grams(problem.document)
    seen = set[tuple[str, ...]]().union(*map(grams.__getitem__, chosen))
    others = set(range(len(problem.values))).difference(chosen)
    return frozenset(i for i in others if not seen.isdisjoint(grams[i]))


def _blocked(problem: Problem, chosen: tuple[int, ...], grams: "_Grams") -> list[int]:
    """Return the chosen sentences that repeat any of those before the first repetition, by value.

    Later repetitions wait for the next round: without the blocked sentences, the choice may be another.
    """
    seen: set[tuple[str, ...]] = set()
    blocked: list[int] = []
    for sentence in by_value(problem, chosen):
        if sentence not in problem.include and not seen.isdisjoint(grams[sentence]):
            blocked.append(sentence)
        elif not blocked:
            seen |= grams[sentence]
    return blocked


class _Grams(dict[int, set[tuple[str, ...]]]):
    """The trigrams of each sentence, computed on demand."""

    def __init__(self, document: Document) -> None:
        self._texts, text = document.texts, document.text
        self._in_words = document.language != "zh" and len(text) <= _LONGEST_WORD * len(text.split())

    def __missing__(self, sentence: int) -> set[tuple[str, ...]]:
        words = self._texts[sentence].lower().split()
        parts, size = (words, 3) if self._in_words else (list("".join(words)), _HAN_GRAM)
        self[sentence] = set(zip(*(parts[i:] for i in range(size)), strict=False))
        return self[sentence]
