from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from growth import assert_linear
from problems import bundle, bundles, feasible, problems
from tersely import Summarizer
from tersely.select import Problem
from tersely.select._agreement import Climb, Expected
from tersely.select._problem import whole
from tersely.select._samples import Bundles, Draw, Perturbed, Repeated
from tersely.select.consensus import Consensus
from tersely.select.coverage import Coverage, share_of, sizes_of
from tersely.text import Document

_VOCABULARY = [f"word{n}" for n in range(3000)]


def samples(problem: Problem, coverage: Coverage, values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """What coverage chooses for each row of values, with the included sentences."""
    assert problem.document is not None
    terms = Repeated.of(problem.document, np.arange(len(problem.values)), coverage.once)
    perturbed = Perturbed(coverage, problem, terms, sizes_of(problem, problem.document))
    draws = [Draw(values, share_of(problem)[0], low, problem.room) for low in (problem.room, problem.room // 2)]
    drawn = perturbed.choose(draws)
    assert all(problem.costs[row].sum() <= room for row, room in zip(drawn.chosen, drawn.low, strict=True))
    top = drawn.chosen[drawn.high == problem.room]
    assert (top[: len(values)] == top[len(values) :]).all()
    top[:, list(problem.include)] = True
    return top[: len(values)]


def expected(problem: Problem, picked: NDArray[np.bool_], fill: float) -> Expected:
    assert problem.document is not None
    bundles = Bundles(problem, problem.document.numbered_stems, len(picked))
    return Expected(bundles, picked, np.ones((1, len(picked)), dtype=np.intp), fill)


def climbed(found: Expected, problem: Problem, starts: NDArray[np.bool_], each: float) -> tuple[int, ...]:
    best = found.best([Climb(0, starts, problem.capacity + problem.separator, each)])[0]
    return tuple(np.flatnonzero(best).tolist())


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

    best = climbed(expected(problem, rows, fill=0.0), problem, rows, each=0.0)
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
    problem = Problem(values, np.array([10] * 7 + [11]), 10, document=document)
    assert Coverage()(problem).chosen == (0,)
    assert Consensus()(problem).chosen[0] in (1, 2, 3)
    # Where all are equally long, one sentence is the best one.
    assert Consensus()(Problem(values, np.full(8, 10), 10, document=document)).chosen == (0,)
    assert Consensus()(problem) == Consensus()(problem)


def test_a_few_words_that_happen_to_fit_are_left_out(english: str) -> None:
    scorer = {"scorer": "coverage:bias=0.376"}
    chosen = Summarizer.load(**scorer, select="consensus").summarize(english, max_chars=450)
    filled = Summarizer.load(**scorer, select="consensus:each=0").summarize(english, max_chars=450)
    assert filled.text == f"{chosen.text} Not everybody is pleased."
    assert (chosen.reason, filled.reason) == ("no-gain", "selected")


def test_long_summaries_are_left_to_coverage() -> None:
    document = Document.from_sentences([f"Rain fell on town{n}." for n in range(8)], "en")
    problem = Problem(np.arange(1.0, 9.0), np.full(8, 10), 60, document=document)
    assert Consensus()(problem).chosen == Coverage()(problem).chosen


@given(problems(needs=True), st.integers(1, 4))
def test_of_a_long_text_the_best_sentences_take_part(problem: Problem, longest: int) -> None:
    if problem.document is None or not len(problem.candidates):
        return
    sizes = np.maximum(sizes_of(problem, problem.document), 1)
    order = sorted(problem.candidates.tolist(), key=lambda i: (-whole(problem.values)[i] / sizes[i] ** 0.7, i))
    part = {*problem.include, *(j for i in order[:longest] for j in bundle(problem, i, ()))}
    consensus = Consensus(samples=4, longest=longest)
    table = consensus.table(problem)
    for capacity in range(problem.length(tuple(problem.include)), problem.capacity + 1):
        chosen = table(capacity).chosen
        assert chosen in feasible(problem.with_capacity(capacity))
        if len(problem.values) > longest and 100 * capacity < problem.costs.sum():
            assert part.issuperset(chosen)


def test_ten_thousand_sentences_take_linear_time() -> None:
    def text(count: int) -> Problem:
        rng = np.random.default_rng(count)
        document = Document.from_sentences([" ".join(row) for row in rng.choice(_VOCABULARY, (count, 6))], "en")
        needs = tuple((np.where(rng.random(count) < 0.4, np.arange(count), 0) - 1).tolist())
        return Problem(rng.random(count), rng.integers(20, 90, count), 400, 1, document=document, needs=needs)

    assert_linear(Consensus(), text, 2000)


def needing(seed: int) -> Problem:
    """A problem in which most sentences need another and many are of no value of their own."""
    random = np.random.default_rng(seed)
    texts = [" ".join(random.choice(["rain", "snow", "wind", "storm", "frost"], 4)) for _ in range(7)]
    needs = tuple(int(random.integers(-1, i)) if i else -1 for i in range(7))
    document = Document.from_sentences(texts, "en")
    return Problem(random.random(7) - 0.3, random.integers(1, 9, 7), 22, 1, document=document, needs=needs)


def rated(found: Expected, problem: Problem, chosen: tuple[int, ...]) -> float:
    """The agreement of a choice, at a price of 3% for each sentence."""
    inside = np.array([[i in chosen for i in range(len(problem.values))]])
    return float(found._changes(np.array([0]), inside).agreement[0, 0]) * 0.97 ** len(chosen)


def test_no_change_raises_the_agreement_where_sentences_need_others() -> None:
    for seed in range(150):
        problem = needing(seed)
        assert problem.document is not None
        allowed = feasible(problem)
        picked = [allowed[i] for i in np.random.default_rng(seed).integers(0, len(allowed), 3)]
        rows = np.array([[i in one for i in range(7)] for one in picked])
        found = expected(problem, rows, fill=0.3)
        best = climbed(found, problem, rows, each=0.03)
        assert best in allowed
        changed = {one: rated(found, problem, one) for one in {best, *changes(problem, best)}}
        assert max(changed.values()) <= changed[best] * (1 + 1e-9)


def test_samples_of_needing_sentences_are_choices_of_coverage() -> None:
    for seed in range(150):
        problem = needing(seed)
        assert problem.document is not None
        rows = whole(problem.values)[None]
        found = samples(problem, Coverage(), rows)[0]
        assert Coverage()(problem).chosen == tuple(np.flatnonzero(found).tolist())


def test_every_change_is_rated_as_the_choice_that_it_makes() -> None:
    for seed in range(60):
        problem = needing(seed) if seed % 2 else replace(needing(seed), needs=())
        problem = replace(problem, include=frozenset({seed % 7}), capacity=40)
        assert problem.document is not None
        words = [list(sentence) for sentence in problem.document.words]
        allowed = feasible(problem)
        picked = [allowed[i] for i in np.random.default_rng(seed).integers(0, len(allowed), 4)]
        found = expected(problem, np.array([[i in one for i in range(7)] for one in picked]), fill=0.5)
        mean = sum(len(words[i]) for one in picked for i in one) / len(picked)
        for chosen in allowed:
            inside = np.array([i in chosen for i in range(7)])
            changes = found._changes(np.array([0]), inside[None])
            for left, ratings, costs in zip(changes.kept, changes.agreement, changes.cost, strict=True):
                for new, (rating, cost) in enumerate(zip(ratings, costs, strict=True), start=-1):
                    if rating < 0 or cost > problem.capacity + 1:
                        continue
                    whole_choice = tuple(
                        sorted({*np.flatnonzero(left).tolist(), *(bundle(problem, new, ()) if new >= 0 else ())})
                    )
                    said = [word for i in whole_choice for word in words[i]]
                    shared = sum(
                        min(said.count(word), [w for i in one for w in words[i]].count(word), 4)
                        for one in picked
                        for word in set(said)
                    )
                    agreement = shared / len(picked) / max(len(said) + mean, 1e-9)
                    full = problem.length(whole_choice) + 1 if whole_choice else 0.0
                    assert cost == full
                    assert rating == pytest.approx(agreement * full**0.5)


def test_samples_take_no_bundle_that_is_too_long_to_be_rated() -> None:
    # The last of a chain of twenty is worth more than all else, but only from the fourth on is it within reach.
    texts = [*(f"chain{n} end" for n in range(20)), "rain fell all day"]
    document = Document.from_sentences(texts, "en")
    values = np.array([*[1.0] * 19, 500.0, 60.0])
    needs = (*range(-1, 19), -1)
    problem = Problem(values, np.array([*[10] * 20, 30]), 205, document=document, needs=needs)
    found = samples(problem, Coverage(), whole(values)[None])[0]
    chosen = Coverage()(problem).chosen
    assert chosen == tuple(np.flatnonzero(found).tolist())
    assert 20 in chosen
