from dataclasses import replace
from itertools import combinations
from math import ceil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from growth import assert_linear
from problems import problems, selectors, worth
from tersely.select import Problem, _redundancy, blocking_trigrams, distinct
from tersely.select.knapsack import Knapsack
from tersely.select.ranked import Greedy, Top
from tersely.text import Document
from tersely.text.words import all_words


def of(*sentences: str, values: list[float] | None = None, language: str = "en", capacity: int = 1000) -> Problem:
    document = Document.from_sentences(sentences, language)  # type: ignore[arg-type]
    numbers = np.array(values or [1.0] * len(sentences))
    return Problem(numbers, np.array([len(s) for s in sentences]), capacity, 1, document=document)


def pair_by_pair(problem: Problem, similarity: float) -> set[int]:
    assert problem.document is not None
    rows = [set(all_words(text, problem.document.language)) for text in problem.document.texts]
    texts = [" ".join(text.split()).casefold() for text in problem.document.texts]
    kept: list[int] = []
    most = np.abs(problem.values).max(initial=1e-300)
    steps = [round(float(value / most) * 64) for value in problem.values]
    rank = {i: (i not in problem.include, -steps[i], problem.lengths[i], i) for i in range(len(rows))}
    for i in sorted(set(rank) - problem.exclude, key=rank.__getitem__):
        same = any(
            len(rows[i] & rows[j]) >= similarity * len(rows[i] | rows[j]) - 1e-9
            if rows[i] and rows[j]
            else rows[i] == rows[j] and texts[i] == texts[j]
            for j in kept
        )
        if not same or i in problem.include:
            kept.append(i)
    return set(rank) - set(kept)


@given(problems(largest=12), st.sampled_from([0.3, 0.5, 0.8, 1.0]))
def test_duplicates_are_the_same_as_by_comparing_all_pairs(problem: Problem, similarity: float) -> None:
    without = distinct(problem, similarity)
    if problem.document is None:
        assert without is problem
    else:
        assert without.exclude == pair_by_pair(problem, similarity)


@pytest.mark.parametrize("crowd", [2, 4, _redundancy._CROWD])
def test_crowded_lists_are_split_and_hardly_anything_is_missed(crowd: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_redundancy, "_CROWD", crowd)
    rng, pairs, found = np.random.default_rng(5), 0, 0
    for _ in range(40):
        index, rows = _redundancy.Index(), []
        for i in range(30):
            row = sorted(rng.choice(14, rng.integers(4, 9), replace=False).tolist())
            row, spare = [f"w{word}" for word in row], len(row) - ceil(0.6 * len(row) - 1e-9)
            alike = {j for j in range(i) if len({*row} & {*rows[j]}) >= 0.6 * len({*row} | {*rows[j]}) - 1e-9}
            near = index.find(row, spare)
            pairs, found = pairs + len(alike), found + len(alike & near)
            index.add(i, row, spare)
            rows.append(row)
    assert pairs > 400
    # A list that cannot be split further is not read to its end.
    assert found == pairs if crowd > 30 else found > 0.9 * pairs


def log(lines: int) -> Problem:
    """Lines of a log, made of the same words but for a few numbers."""
    rng = np.random.default_rng(1)
    rows = rng.integers(0, [6, 6, 40, 9, 500, 9], (lines, 6)).tolist()
    made = "m{} s{} INFO worker w{} request {} of client c{} was served without errors in t{}"
    return of(*(made.format(*row) for row in rows), values=rng.random(lines).tolist())


@pytest.mark.soak
def test_near_duplicates_of_a_log_are_found_in_linear_time() -> None:
    assert distinct(log(500)).exclude == pair_by_pair(log(500), 0.8)
    assert_linear(distinct, log, 1000)


def test_the_last_line_of_a_log_is_compared_like_the_others() -> None:
    for lines in range(30, 90):
        assert distinct(log(lines)).exclude == pair_by_pair(log(lines), 0.8)


def test_the_better_or_earlier_of_near_duplicates_stays() -> None:
    sentences = [
        "Rain fell on Paris today.",
        "Today rain fell on Paris.",
        "Snow fell on Oslo.",
        "Snow fell on Oslo!",
    ]
    assert distinct(of(*sentences, values=[1.0, 2.0, 1.0, 1.0])).exclude == {0, 3}
    included = replace(of(*sentences), include=frozenset({1, 3}))
    assert distinct(included).exclude == {0, 2}


def test_the_shorter_of_almost_equal_sentences_stays_and_a_better_one_does_however_long() -> None:
    long, short = "Late today rain fell on Paris.", "Today rain fell on Paris."
    assert distinct(of(long, short, values=[1.001, 1.0])).exclude == {0}
    assert distinct(of(long, short, values=[1.1, 1.0])).exclude == {1}


@given(problems(largest=10, cured=True), st.sampled_from([0.3, 0.8]))
def test_duplicates_do_not_depend_on_the_capacity(problem: Problem, alike: float) -> None:
    without = distinct(problem, alike)
    for capacity in range(problem.least, problem.capacity + 1):
        other = distinct(problem.with_capacity(capacity), alike)
        assert (other.exclude, other.cures) == (without.exclude, without.cures)


@given(problems(largest=10, cured=True), st.sampled_from([0.3, 0.8]))
def test_without_duplicates_more_room_never_lowers_the_total(problem: Problem, alike: float) -> None:
    answer = Knapsack().table(distinct(problem, alike))
    answers = [answer(capacity) for capacity in range(problem.least, problem.capacity + 1)]
    totals = [worth(distinct(problem, alike), one.chosen) for one in answers]
    assert totals == sorted(totals)


def test_what_a_duplicate_cures_is_cured_by_the_sentence_kept_for_it() -> None:
    sentences = ["Rain fell on Paris today.", "He left.", "Today rain fell on Paris.", "She came.", "It was late."]
    problem = replace(of(*sentences), cures=(-1, 0, -1, 2, 3))
    first = distinct(problem)  # 0 is kept for 2
    assert (first.exclude, first.cures) == ({2}, (-1, 0, -1, 0, 3))
    second = distinct(replace(problem, include=frozenset({2})))  # 2 is kept for 0
    assert (second.exclude, second.cures) == ({0}, (-1, 2, -1, 2, 3))


def test_a_kept_sentence_that_its_duplicate_cures_is_cured_by_what_cures_that() -> None:
    sentences = ["Snow fell on Oslo.", "Rain fell on Paris today.", "Today rain fell on Paris."]
    problem = replace(of(*sentences, values=[1.0, 1.0, 2.0]), cures=(-1, 0, 1))
    assert distinct(problem).cures == (-1, -1, 0)


def test_no_circle_of_cures_is_closed() -> None:
    sentences = ["Rain fell on Paris today.", "He left.", "She came.", "Today rain fell on Paris."]
    problem = replace(of(*sentences), cures=(1, 2, 3, -1))
    without = distinct(problem)
    assert without.exclude == {3}
    assert sum(cure < 0 for cure in without.cures) == 2


def test_four_words_of_five_make_a_duplicate_and_three_of_four_do_not() -> None:
    assert distinct(of("rain snow wind storm", "rain snow wind storm frost")).exclude == {1}
    assert distinct(of("rain snow wind", "rain snow wind storm")).exclude == set()


def test_sentences_without_terms_are_compared_as_text() -> None:
    assert distinct(of("It  is.", "it is.", "So it is.", "Rain.")).exclude == {0}


@pytest.mark.parametrize("copies", [2, 3000])
def test_a_text_of_copies_keeps_one(copies: int) -> None:
    assert len(distinct(of(*["Rain fell on the old harbor."] * copies)).exclude) == copies - 1


def trigrams(text: str) -> set[tuple[str, ...]]:
    words = text.lower().split()
    return set(zip(words, words[1:], words[2:], strict=False))


def bertsum(problem: Problem, stop: bool) -> tuple[int, ...]:
    """Go through the sentences by value; skip each that shares a trigram with those before it."""
    assert problem.document is not None
    texts = problem.document.texts
    chosen = sorted(problem.include)
    for i in sorted(np.flatnonzero(problem.free).tolist(), key=lambda i: (-problem.values[i], i)):
        if problem.length((*chosen, i)) > problem.capacity:
            if stop:
                break
        elif not any(trigrams(texts[i]) & trigrams(texts[j]) for j in chosen):
            chosen.append(i)
    return tuple(sorted(chosen))


@given(problems(largest=12))
def test_blocking_equals_that_of_bertsum_for_greedy_and_top(problem: Problem) -> None:
    if problem.document is None:
        assert blocking_trigrams(Greedy())(problem) == Greedy()(problem)
        return
    assert blocking_trigrams(Greedy())(problem).chosen == bertsum(problem, stop=False)
    assert blocking_trigrams(Top())(problem).chosen == bertsum(problem, stop=True)


@given(problems(largest=12, cured=True))
def test_no_two_chosen_sentences_share_a_trigram_unless_both_are_included(problem: Problem) -> None:
    if problem.document is None:
        return
    texts = problem.document.texts
    for selector in selectors():
        for i, j in combinations(blocking_trigrams(selector)(problem).chosen, 2):
            assert {i, j} <= problem.include or not trigrams(texts[i]) & trigrams(texts[j])


def test_the_better_of_two_sentences_that_share_a_trigram_stays() -> None:
    problem = of("The storm hit the coast.", "Then the STORM hit us.", "Rain.", values=[1.0, 2.0, 0.5])
    assert Knapsack()(problem).chosen == (0, 1, 2)
    assert blocking_trigrams(Knapsack())(problem).chosen == (1, 2)
    included = replace(problem, include=frozenset({0}))
    assert blocking_trigrams(Knapsack())(included).chosen == (0, 2)


@pytest.mark.parametrize(
    ("language", "sentences", "chosen"),
    [
        ("zh", ["市政府宣布古城禁止私家车。", "市政府宣布古城免费。", "政府宣布新规定。"], (0, 2)),
        ("other", ["市議会は道路を閉鎖することを決めた。", "市議会は道路を直すことを決めた。"], (0,)),
    ],
)
def test_six_characters_in_a_row_count_where_words_are_not_separated(
    language: str, sentences: list[str], chosen: tuple[int, ...]
) -> None:
    assert blocking_trigrams(Knapsack())(of(*sentences, language=language)).chosen == chosen
