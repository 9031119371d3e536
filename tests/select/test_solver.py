from hypothesis import given, settings

from problems import problems, random_problem, selectors
from tersely.select import Problem, blocking_trigrams, solver
from tersely.select.knapsack import Knapsack


@settings(max_examples=60)
@given(problems(needs=True))
def test_one_solution_answers_every_smaller_capacity(problem: Problem) -> None:
    lowest = problem.length(tuple(problem.include))
    for selector in [*selectors(), *map(blocking_trigrams, selectors())]:
        solve = solver(selector, problem)
        for capacity in range(lowest, problem.capacity + 1):
            answer = solve(capacity)
            assert answer.chosen == selector(problem.with_capacity(capacity)).chosen
            assert solve(max(answer.stable, lowest)).chosen == answer.chosen


def test_the_knapsack_value_never_falls_as_the_capacity_grows() -> None:
    problem = random_problem(0, 25, 3000, "by length")
    solve = solver(Knapsack(), problem)
    values = [problem.values[list(solve(capacity).chosen)].sum() for capacity in range(0, 3001, 7)]
    assert values == sorted(values)
