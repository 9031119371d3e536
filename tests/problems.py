"""Random problems, and the slow but obvious answers to them."""

from itertools import combinations

import numpy as np
from hypothesis import strategies as st

from tersely.select import SELECTORS, Problem, Selector
from tersely.select._problem import to_whole_numbers
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
    "coverage:single=0,power=1",
]


def selectors() -> list[Selector]:
    return [SELECTORS.create(spec) for spec in SETTINGS]


@st.composite
def problems(draw: st.DrawFn, largest: int = 8, forced: bool = True, cured: bool = False) -> Problem:
    """Return a small problem, with a document and, if `forced`, sentences that must or must not be in.

    With `cured`, about half of the problems have sentences that are cured by others.
    """
    count = draw(st.integers(0, largest))
    values = draw(st.lists(VALUES, min_size=count, max_size=count))
    lengths = draw(st.lists(st.integers(0, 9), min_size=count, max_size=count))
    sentences = draw(st.lists(SENTENCES, min_size=count, max_size=count))
    separator = draw(st.integers(0, 2))
    roles = draw(st.lists(st.sampled_from("fffffie" if forced else "f"), min_size=count, max_size=count))
    include = frozenset(i for i, role in enumerate(roles) if role == "i")
    needed = sum(lengths[i] + separator for i in include) - separator if include else 0
    has_cures = cured and draw(st.booleans())
    return Problem(
        np.array(values),
        np.array(lengths),
        capacity=needed + draw(st.integers(0, 30)),
        separator=separator,
        include=include,
        exclude=frozenset(i for i, role in enumerate(roles) if role == "e"),
        document=Document.from_sentences(sentences, "en") if draw(st.booleans()) else None,
        cures=draw(forests(count)) if has_cures else (),
        bonus=np.abs(draw(st.lists(VALUES, min_size=count, max_size=count))) if has_cures else None,
    )


@st.composite
def forests(draw: st.DrawFn, count: int) -> tuple[int, ...]:
    """Return a forest of any shape: for each sentence nothing or another one, earlier or later."""
    order = draw(st.permutations(range(count)))
    cures = [-1] * count
    for place, sentence in enumerate(order):
        above = draw(st.one_of(st.just(-1), st.just(place - 1), st.integers(-1, place - 1)))
        cures[sentence] = order[above] if above >= 0 else -1
    if count > 1 and cures[order[1]] == order[0] and draw(st.booleans()):
        cures[order[0]] = order[1]  # they cure each other
    return tuple(cures)


def fits(problem: Problem, chosen: tuple[int, ...]) -> bool:
    """Whether length, include and exclude allow the choice."""
    inside = set(chosen)
    allowed = problem.include <= inside and problem.exclude.isdisjoint(inside)
    return allowed and problem.length(chosen) <= problem.capacity


def feasible(problem: Problem) -> list[tuple[int, ...]]:
    """Every set that fits."""
    count = len(problem.values)
    sets = (chosen for size in range(count + 1) for chosen in combinations(range(count), size))
    return [chosen for chosen in sets if fits(problem, chosen)]


def worth(problem: Problem, chosen: tuple[int, ...]) -> int:
    """The total value, in whole numbers; that of included sentences by themselves is left out."""
    if not problem.cures:
        values = to_whole_numbers(problem.values)
        return sum(int(values[i]) for i in chosen if i not in problem.include)
    assert problem.bonus is not None
    values, bonus = np.split(to_whole_numbers(np.concatenate([problem.values, problem.bonus])), 2)
    cured = [i for i in chosen if problem.cures[i] in chosen and not {i, problem.cures[i]} <= problem.include]
    return sum(int(values[i]) for i in chosen if i not in problem.include) + sum(int(bonus[i]) for i in cured)


def brute_force(problem: Problem) -> tuple[int, ...]:
    """The best set; of several, the one without the last sentence that they do not share, in the order of closing."""
    items = problem.items
    closing = sorted(range(len(items.spans)), key=lambda i: (items.spans[i], -i))
    order = [items.sentences[i] for i in reversed(closing)]
    rest = sorted(set(range(len(problem.values))) - set(order))

    def rank(chosen: tuple[int, ...]) -> tuple[int, list[bool]]:
        return worth(problem, chosen), [i not in chosen for i in [*rest, *order]]

    return max(feasible(problem), key=rank)


def random_problem(
    seed: int, count: int, capacity: int, kind: str = "uniform", cured: float = 0.0, shape: str = "near"
) -> Problem:
    """A problem of sentences as they are in news, a share of which are cured by another one."""
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
    if not cured:
        return Problem(values, lengths, capacity, separator=1)
    number = np.arange(count)
    above = {
        "near": np.maximum(number - random.geometric(0.6, count), -1),
        "path": number - 1,
        "star": np.minimum(number - 1, 0),
        "binary": (number - 1) // 2,
    }[shape]
    has_cure = random.random(count) < cured
    bonus = np.where(has_cure, values * random.choice([0.5, 1.0, 1.5], count), 0.0)
    cures = np.where(has_cure, above, -1)
    return Problem(values - bonus, lengths, capacity, separator=1, cures=tuple(cures.tolist()), bonus=bonus)
