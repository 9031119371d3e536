"""Random problems, and the slow but obvious answers to them."""

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
def problems(draw: st.DrawFn, largest: int = 8, forced: bool = True) -> Problem:
    """Return a small problem, with a document and, if `forced`, sentences that must or must not be in."""
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
    )


def feasible(problem: Problem) -> list[tuple[int, ...]]:
    """Every allowed set that fits."""
    free = np.flatnonzero(problem.free).tolist()
    sets = [
        tuple(sorted([*problem.include, *more])) for size in range(len(free) + 1) for more in combinations(free, size)
    ]
    return [chosen for chosen in sets if problem.length(chosen) <= problem.capacity]


def brute_force(problem: Problem) -> tuple[int, ...]:
    """The best set; of several, the one whose 0/1 vector is lexicographically greatest."""
    values = [int(value) for value in whole(problem.values)]

    def rank(chosen: tuple[int, ...]) -> tuple[int, list[bool]]:
        free = [i for i in chosen if i not in problem.include]
        return sum(values[i] for i in free), [i in chosen for i in range(len(values))]

    return max(feasible(problem), key=rank)


def random_problem(seed: int, count: int, capacity: int, kind: str = "uniform") -> Problem:
    """A problem of sentences as they are in news."""
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
    return Problem(values, lengths, capacity, separator=1)
