"""The compiled searches find what those in Python find."""

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from problems import brute_force, problems, random_problem
from tersely import Document, Summarizer
from tersely.select import Problem
from tersely.select._agreement import Solved, Task
from tersely.select._problem import compiled
from tersely.select.consensus import Consensus
from tersely.select.knapsack import Knapsack

pytestmark = pytest.mark.skipif(compiled is None, reason="this installation has no compiled searches")


@pytest.fixture(scope="module", autouse=True)
def both() -> Iterator[list[int]]:
    """Solve every task both ways, and count the choices that were compared."""
    compared = [0]

    def solved(task: Task) -> Solved:
        assert compiled is not None
        one, other = task.by_compiled(compiled), task.by_arrays()
        for left, right in zip(one, other, strict=True):
            np.testing.assert_array_equal(left, right)
        compared[0] += len(one.chosen) + len(one.low)
        return one

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Task, "solved", solved)
        yield compared


@settings(max_examples=400)
@given(problems(largest=9, needs=True), st.integers(1, 9), st.sampled_from([0.0, 0.3, 0.5]))
def test_both_choose_the_same_at_every_capacity(problem: Problem, samples: int, fill: float) -> None:
    for capacity in {problem.least, (problem.least + problem.capacity) // 2}:
        Consensus(samples=samples, starts=2, fill=fill).sweep([(problem, capacity)])


@pytest.mark.parametrize("coherence", ["strict", "off"])
def test_both_choose_the_same_from_real_texts(english: str, chinese: str, both: list[int], coherence: str) -> None:
    summarizer, before = Summarizer.load(), both[0]
    for text in (english, chinese):
        for unit in ("chars", "words", "sentences"):
            summarizer.frontier(text, unit=unit, coherence=coherence).steps()
        summarizer.frontier(text, include=[2], exclude=[0]).steps()
    long = Document.from_sentences([f"{english[i : i + 90]} {i}" for i in range(0, 1800, 7)], "en")
    summarizer.summarize(long, max_chars=700, coherence=coherence)
    assert both[0] - before > 500


@pytest.mark.parametrize("chain", [15, 16, 17, 40])
def test_both_choose_the_same_from_a_long_chain_of_needs(chain: int, both: list[int]) -> None:
    document = Document.from_sentences([*(f"chain{n} of rain" for n in range(chain)), "rain fell all day"], "en")
    values, needs = np.array([*[1.0] * (chain - 1), 500.0, 60.0]), (*range(-1, chain - 1), -1)
    problem = Problem(values, np.array([*[10] * chain, 30]), 250, 1, document=document, needs=needs)
    before = both[0]
    Consensus().table(problem)
    assert both[0] > before


@settings(max_examples=300)
@given(problems(largest=12))
def test_the_knapsack_without_the_compiled_search_is_exact_too(problem: Problem) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tersely.select.knapsack.compiled", None)
        assert Knapsack()(problem).chosen == brute_force(problem)


@pytest.mark.parametrize("kind", ["uniform", "by length", "few", "equal", "decaying"])
@pytest.mark.parametrize("count", [30, 65, 129, 250])
def test_both_knapsacks_choose_the_same(kind: str, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    problems = [random_problem(seed, count, 900, kind) for seed in range(8)]
    chosen = [Knapsack()(problem) for problem in problems]
    monkeypatch.setattr("tersely.select.knapsack.compiled", None)
    assert [Knapsack()(problem) for problem in problems] == chosen


def test_arrays_that_do_not_belong_together_are_refused() -> None:
    assert compiled is not None
    values, lengths = np.ones(3), np.ones(3, dtype=np.int64)
    with pytest.raises(ValueError, match="do not belong together"):
        compiled.knapsack(values, lengths[:2], b"", 0, 5)
    with pytest.raises(ValueError, match="do not belong together"):
        compiled.knapsack(values, lengths, b"12", 0, 5)
    with pytest.raises(ValueError, match="do not belong together"):
        compiled.knapsack(np.ones(300), np.ones(300, dtype=np.int64), b"", 0, 5)
    empty = np.empty(0)
    with pytest.raises(ValueError, match="do not belong together"):
        compiled.consensus(lengths, *[empty] * 17, 1, 1, 0)
