from hypothesis import given

from problems import bundles, problems
from tersely.select import Problem
from tersely.select._problem import whole
from tersely.select.greedy import Greedy
from tersely.select.top import Top


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


@given(problems(needs=True))
def test_greedy_takes_the_bundle_of_greatest_value_that_fits(problem: Problem) -> None:
    if not problem.has_needs:
        return
    values = whole(problem.values)
    chosen = set(problem.include)
    while True:
        fitting = {
            i: one for i, one in bundles(problem, chosen).items() if problem.length((*chosen, *one)) <= problem.capacity
        }
        if not fitting:
            break
        best = max(fitting, key=lambda i: values[fitting[i]].sum())
        chosen.update(fitting[best])
    assert Greedy()(problem).chosen == tuple(sorted(chosen))


@given(problems(needs=True))
def test_top_stops_at_the_first_bundle_that_does_not_fit(problem: Problem) -> None:
    chosen = set(problem.include)
    for i in sorted(bundles(problem, chosen), key=lambda i: (-problem.values[i], i)):
        more = bundles(problem, chosen).get(i, [])
        if problem.length((*chosen, *more)) > problem.capacity:
            break
        chosen.update(more)
    assert Top()(problem).chosen == tuple(sorted(chosen))
