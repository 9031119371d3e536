from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from problems import bundle, bundles, feasible, problems
from tersely import Summarizer
from tersely.select import Problem
from tersely.select._agreement import Expected, Words
from tersely.select._problem import whole
from tersely.select._samples import Perturbed, Repeated
from tersely.select.consensus import Consensus
from tersely.select.coverage import Coverage, share_of, sizes_of
from tersely.text import Document


def samples(problem: Problem, coverage: Coverage, values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """What coverage chooses for each row of values, with the included sentences."""
    assert problem.document is not None
    terms = Repeated.of(problem.document, np.arange(len(problem.values)), coverage.once)
    perturbed = Perturbed(coverage, terms, sizes_of(problem, problem.document), values)
    chosen, used = perturbed.choose(problem, share_of(problem)[0], np.arange(len(values)))
    assert all(problem.costs[row].sum() <= room <= problem.room for row, room in zip(chosen, used, strict=True))
    chosen[:, list(problem.include)] = True
    return chosen


def expected(problem: Problem, picked: NDArray[np.bool_], fill: float, each: float) -> Expected:
    assert problem.document is not None
    return Expected(problem, Words(problem.document.stems), picked, fill, each)


def rouge(chosen: list[list[str]], reference: list[list[str]]) -> float:
    """ROUGE-1 F1, with at most four shared occurrences of each word."""
    one, other = ([word for sentence in side for word in sentence] for side in (chosen, reference))
    shared = sum(min(one.count(word), other.count(word), 4) for word in set(one))
    return 2 * shared / max(len(one) + len(other), 1)


@given(problems(needs=True), st.sampled_from([0.0, 1.0]), st.sampled_from([0.0, 1.5]))
def test_each_row_of_values_gives_the_choice_of_coverage(problem: Problem, power: float, keep: float) -> None:
    if problem.document is None or not len(problem.values):
        return
    # Distinct values, so that a different order of rounding cannot decide ties.
    base = problem.values.clip(-1, 2) + np.sqrt(np.arange(len(problem.values))) * 0.01
    problem = replace(problem, values=base)
    coverage = Coverage(power, keep=keep)
    rows = whole(base) * np.array([[1.0], [2.0]]) ** np.linspace(-1, 1, len(base))
    for values, found in zip(rows, samples(problem, coverage, rows), strict=True):
        free = np.where(problem.values > 0, values, problem.values)
        assert coverage(replace(problem, values=free)).chosen == tuple(np.flatnonzero(found).tolist())


@given(problems(largest=6, needs=True), st.data())
def test_the_agreement_is_the_expected_rouge_and_no_single_change_raises_it(
    problem: Problem, data: st.DataObject
) -> None:
    if problem.document is None or not len(problem.values):
        return
    count = len(problem.values)
    allowed = feasible(problem)
    picked = data.draw(st.lists(st.sampled_from(allowed), min_size=1, max_size=4))
    rows = np.array([[i in chosen for i in range(count)] for chosen in picked])
    words = [list(sentence) for sentence in problem.document.words]

    def agreement(chosen: tuple[int, ...]) -> float:
        one = [words[i] for i in chosen]
        length = sum(map(len, one)) + np.mean([sum(len(words[i]) for i in other) for other in picked])
        shared = sum(rouge(one, [words[i] for i in other]) * _length(words, chosen, other) / 2 for other in picked)
        return float(shared / len(picked) / max(length, 1e-9))

    best = expected(problem, rows, fill=0.0, each=0.0).best(len(picked))
    assert best in allowed
    near = list(changes(problem, best))
    assert set(near) <= set(allowed)
    if not problem.needs:
        assert set(near) == {one for one in allowed if max(len({*one} - {*best}), len({*best} - {*one})) <= 1}
    assert all(agreement(one) <= agreement(best) + 1e-9 for one in near)
    assert agreement(best) >= max(map(agreement, picked)) - 1e-9


def changes(problem: Problem, chosen: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """The choices after removing a sentence or none, with all that goes with it, and adding a bundle or none."""
    wanted = [i for i in chosen if i not in problem.include and problem.values[i] > 0]
    for out in {-1, *chosen} - problem.include:
        stay = [i for i in wanted if out not in bundle(problem, i, ())]
        left = {*problem.include, *(j for i in stay for j in bundle(problem, i, ()))}
        for new, more in [(-1, []), *bundles(problem, left).items()]:
            changed = tuple(sorted({*left, *more}))
            if new not in chosen and problem.length(changed) <= problem.capacity:
                yield changed


def _length(words: list[list[str]], one: tuple[int, ...], other: tuple[int, ...]) -> int:
    return max(sum(len(words[i]) for i in one) + sum(len(words[i]) for i in other), 1)


def test_the_choice_agrees_with_most_samples() -> None:
    texts = ["Prices rose in May.", "The storm hit the port.", "The storm hit ports.", "A storm hit the port."]
    document = Document.from_sentences([*texts, *(f"Filler number{n} here." for n in range(4))], "en")
    values = np.array([3.0, 2.9, 2.9, 2.9, *[0.1] * 4])
    problem = Problem(values, np.full(8, 10), 10, document=document)
    assert Coverage()(problem).chosen == (0,)
    assert Consensus()(problem).chosen[0] in (1, 2, 3)
    assert Consensus()(problem) == Consensus()(problem)


def test_a_few_words_that_happen_to_fit_are_left_out(english: str) -> None:
    scorer = {"scorer": "coverage:bias=0.376"}
    chosen = Summarizer.load(**scorer, select="consensus").summarize(english, max_chars=450)
    filled = Summarizer.load(**scorer, select="consensus:each=0").summarize(english, max_chars=450)
    assert filled.text == f"{chosen.text} Not everybody is pleased."
    assert (chosen.reason, filled.reason) == ("no-gain", "selected")


def test_long_texts_and_long_summaries_are_left_to_coverage() -> None:
    document = Document.from_sentences([f"Rain fell on town{n}." for n in range(8)], "en")
    problem = Problem(np.arange(1.0, 9.0), np.full(8, 10), 60, document=document)
    assert Consensus()(problem).chosen == Coverage()(problem).chosen
    short = problem.with_capacity(20)
    assert Consensus(longest=7)(short) == Coverage()(short)


def needing(seed: int) -> Problem:
    """A problem in which most sentences need another and many are of no value of their own."""
    random = np.random.default_rng(seed)
    texts = [" ".join(random.choice(["rain", "snow", "wind", "storm", "frost"], 4)) for _ in range(7)]
    needs = tuple(int(random.integers(-1, i)) if i else -1 for i in range(7))
    document = Document.from_sentences(texts, "en")
    return Problem(random.random(7) - 0.3, random.integers(1, 9, 7), 22, 1, document=document, needs=needs)


def rated(found: Expected, chosen: tuple[int, ...], count: int) -> float:
    """The agreement of a choice."""
    inside = np.array([[i in chosen for i in range(count)]])
    return float(found._changes(inside, inside)[0, 0])


def test_no_change_raises_the_agreement_where_sentences_need_others() -> None:
    for seed in range(150):
        problem = needing(seed)
        assert problem.document is not None
        allowed = feasible(problem)
        picked = [allowed[i] for i in np.random.default_rng(seed).integers(0, len(allowed), 3)]
        rows = np.array([[i in one for i in range(7)] for one in picked])
        found = expected(problem, rows, fill=0.3, each=0.03)
        best = found.best(3)
        assert best in allowed
        changed = {one: rated(found, one, 7) for one in {best, *changes(problem, best)}}
        assert max(changed.values()) <= changed[best] * (1 + 1e-9)


def test_samples_of_needing_sentences_are_choices_of_coverage() -> None:
    for seed in range(150):
        problem = needing(seed)
        assert problem.document is not None
        rows = whole(problem.values)[None]
        found = samples(problem, Coverage(), rows)[0]
        assert Coverage()(problem).chosen == tuple(np.flatnonzero(found).tolist())
