"""Random problems, and the slow but obvious answers to them."""

from collections.abc import Collection
from itertools import combinations

import numpy as np
from hypothesis import strategies as st

from tersely.select import SELECTORS, Problem, Selector
from tersely.select._problem import whole
from tersely.text import Document

VALUES = st.one_of(
    st.integers(-2, 6).map(float),
    st.floats(-1, 1, allow_subnormal=False),
    st.sampled_from([1e300, 9e299, 1e-300, 1e150, 0.0, 0.1, 0.2, 0.3]),
)
WORDS = st.sampled_from(["rain", "snow", "wind", "storm", "cloud", "frost", "the", "a"])
SENTENCES = st.lists(WORDS, min_size=1, max_size=6).map(" ".join)

SETTINGS = [
    "knapsack",
    "greedy",
    "top",
    "density",
    "density:power=0.5",
    "coverage",
    "coverage:once=0,power=1",
    "consensus:samples=8,starts=2",
]


def selectors() -> list[Selector]:
    return [SELECTORS.create(spec) for spec in SETTINGS]


@st.composite
def problems(draw: st.DrawFn, largest: int = 8, forced: bool = True, needs: bool = False) -> Problem:
    """Return a small problem, with a document and, if `forced`, sentences that must or must not be in.

    With `needs`, about half of the problems have sentences that need earlier ones.
    """
    count = draw(st.integers(0, largest))
    values = draw(st.lists(VALUES, min_size=count, max_size=count))
    lengths = draw(st.lists(st.integers(0, 9), min_size=count, max_size=count))
    sentences = draw(st.lists(SENTENCES, min_size=count, max_size=count))
    separator = draw(st.integers(0, 2))
    roles = draw(st.lists(st.sampled_from("fffffie" if forced else "f"), min_size=count, max_size=count))
    include = frozenset(i for i, role in enumerate(roles) if role == "i")
    needed = sum(lengths[i] + separator for i in include) - separator if include else 0
    return Problem(
        np.array(values),
        np.array(lengths),
        capacity=needed + draw(st.integers(0, 30)),
        separator=separator,
        include=include,
        exclude=frozenset(i for i, role in enumerate(roles) if role == "e"),
        document=Document.from_sentences(sentences, "en") if draw(st.booleans()) else None,
        needs=draw(forests(count)) if needs and draw(st.booleans()) else (),
    )


def forests(count: int) -> st.SearchStrategy[tuple[int, ...]]:
    """For each sentence nothing, the one before it or any earlier one, each about as often."""

    def need(sentence: int) -> st.SearchStrategy[int]:
        return st.one_of(st.just(-1), st.just(sentence - 1), st.integers(-1, sentence - 1))

    return st.tuples(*map(need, range(count)))


def parents(problem: Problem) -> list[int]:
    """What each sentence still needs if the included ones are chosen."""
    needs = problem.needs or (-1,) * len(problem.values)
    return [-1 if i in problem.include or need in problem.include else need for i, need in enumerate(needs)]


def bundle(problem: Problem, sentence: int, chosen: Collection[int]) -> list[int]:
    """The sentence and all that it needs and that is not chosen, ascending."""
    above = parents(problem)[sentence]
    own = [] if sentence in chosen else [sentence]
    return own if above < 0 else sorted({*bundle(problem, above, chosen), *own})


def bundles(problem: Problem, chosen: Collection[int]) -> dict[int, list[int]]:
    """The bundle of each sentence that may still be chosen for its own sake."""
    found = {
        i: bundle(problem, i, chosen)
        for i in range(len(problem.values))
        if problem.values[i] > 0 and i not in problem.include and i not in chosen
    }
    return {i: one for i, one in found.items() if problem.exclude.isdisjoint(one)}


def in_families(problem: Problem) -> list[int]:
    """All sentences, each followed by those that need it."""
    above = parents(problem)

    def family(sentence: int) -> list[int]:
        return [sentence, *(i for child, need in enumerate(above) if need == sentence for i in family(child))]

    return [i for root, need in enumerate(above) if need < 0 for i in family(root)]


def is_allowed(problem: Problem, chosen: Collection[int]) -> bool:
    """Whether include, exclude, needs and values allow the choice."""
    added = set(chosen) - problem.include
    above = parents(problem)
    useful = {j for i in added if problem.values[i] > 0 for j in bundle(problem, i, ())}
    return (
        problem.include <= set(chosen)
        and problem.exclude.isdisjoint(chosen)
        and all(above[i] < 0 or above[i] in added for i in added)
        and added <= useful
    )


def feasible(problem: Problem) -> list[tuple[int, ...]]:
    """Every allowed set that fits."""
    free = [i for i in range(len(problem.values)) if i not in problem.include]
    if not problem.needs:
        free = [i for i in free if problem.values[i] > 0 and i not in problem.exclude]
    sets = [
        tuple(sorted([*problem.include, *more])) for size in range(len(free) + 1) for more in combinations(free, size)
    ]
    return [one for one in sets if problem.length(one) <= problem.capacity and is_allowed(problem, one)]


def brute_force(problem: Problem) -> tuple[int, ...]:
    """The best set; of several, the one whose 0/1 vector is lexicographically greatest.

    In the vector, each sentence is followed by those that need it.
    """
    values = [int(value) for value in whole(problem.values)]
    order = in_families(problem)

    def rank(chosen: tuple[int, ...]) -> tuple[int, list[bool]]:
        free = [i for i in chosen if i not in problem.include]
        return sum(values[i] for i in free), [i in chosen for i in order]

    return max(feasible(problem), key=rank)


def random_problem(seed: int, count: int, capacity: int, kind: str = "uniform", needing: float = 0.0) -> Problem:
    """A problem of sentences as they are in news, a share of which need the one before."""
    random = np.random.default_rng(seed)
    lengths = np.clip(random.lognormal(4.7, 0.55, count), 10, 600).astype(np.int64)
    values = {
        "uniform": random.random(count),
        "by length": lengths**0.8 * np.exp(random.normal(0, 0.4, count)),
        "nearly by length": lengths + 50 * random.random(count),
        "length": lengths.astype(np.float64),
        "few": random.integers(1, 4, count).astype(np.float64),
        "equal": np.ones(count),
        "decaying": np.exp(-0.1 * np.arange(count)),
    }[kind]
    needs = tuple((np.where(random.random(count) < needing, np.arange(count), 0) - 1).tolist()) if needing else ()
    return Problem(values, lengths, capacity, separator=1, needs=needs)
