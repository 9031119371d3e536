from hypothesis import given

from problems import problems
from tersely.select import Problem
from tersely.select.ranked import Greedy, Top


def in_order(problem: Problem, stop: bool) -> tuple[int, ...]:
    chosen = set(problem.include)
    for i in sorted(range(len(problem.values)), key=lambda i: (-problem.values[i], i)):
        if i in problem.include or i in problem.exclude or problem.values[i] <= 0:
            continue
        if problem.length((*chosen, i)) <= problem.capacity:
            chosen.add(i)
        elif stop:
            break
    return tuple(sorted(chosen))


@given(problems())
def test_greedy_skips_sentences_that_do_not_fit(problem: Problem) -> None:
    assert Greedy()(problem).chosen == in_order(problem, stop=False)


@given(problems())
def test_top_stops_at_the_first_sentence_that_does_not_fit(problem: Problem) -> None:
    assert Top()(problem).chosen == in_order(problem, stop=True)
