"""Simulated problems follow the paper, never repeat, and are the same in every run."""

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from tersely.errors import InputError
from tersely.paper.knapsack_network import ProblemData
from tersely.paper.knapsack_problems import CNEWSUM, CNNDM, Distribution, Problems, Resampled, Simulation, Space


@pytest.mark.parametrize(("paper", "items", "length"), [(CNNDM, 17.4, 121.1), (CNEWSUM, 9.3, 69.7)])
def test_items_lengths_and_capacities_follow_the_paper(paper: Distribution, items: float, length: float) -> None:
    batch = Simulation(paper, seed=3).batch(0, 20_000)
    lengths = batch.lengths[batch.mask]
    assert batch.mask.sum(1).mean() == pytest.approx(items, rel=0.01)
    assert lengths.mean() == pytest.approx(length, rel=0.01)
    # Gamma(2, mean / 2) deviates by mean / sqrt(2).
    assert lengths.std() == pytest.approx(length / 2**0.5, rel=0.02)
    assert set(batch.capacities.tolist()) == set(paper.capacities)


def test_profits_sum_to_one_and_sizes_are_lengths_over_the_capacity() -> None:
    batch = Simulation(CNNDM, seed=3).batch(0, 500)
    assert np.allclose(batch.profits.sum(1), 1, atol=1e-6)
    assert np.allclose(batch.sizes * batch.capacities[:, None], batch.lengths, rtol=1e-6)
    assert not batch.profits[~batch.mask].any()
    assert not batch.sizes[~batch.mask].any()
    assert (batch.profits[batch.mask] > 0).all()
    assert (batch.lengths[batch.mask] >= 1).all()


def test_a_batch_depends_only_on_seed_and_step() -> None:
    one, two = Simulation(CNNDM, seed=5), Simulation(CNNDM, seed=5)
    two.batch(0, 64)
    assert all(np.array_equal(a, b) for a, b in zip(one.batch(7, 64), two.batch(7, 64), strict=True))


def test_no_two_streams_steps_or_seeds_share_a_sample() -> None:
    batches = [Simulation(CNNDM, seed, space).batch(step, 100) for seed in (0, 1) for space in Space for step in (0, 1)]
    batches.append(Simulation(CNNDM, 0).batch(2, 100))
    for one, two in combinations(map(rows, batches), 2):
        assert not one & two
    assert rows(Simulation(CNNDM, 0).fixed(100)) == rows(Simulation(CNNDM, 0, Space.VALIDATION).batch(0, 100))


def rows(batch: Problems) -> set[bytes]:
    return {row[mask].tobytes() for row, mask in zip(batch.profits, batch.mask, strict=True)}


def test_a_part_is_padded_to_its_largest_problem() -> None:
    batch = Simulation(CNNDM, seed=1).batch(0, 40)
    part = batch.part(slice(0, 10))
    assert part.mask.shape == (10, batch.mask[:10].sum(1).max())
    assert np.allclose(part.profits.sum(1), 1, atol=1e-6)


def test_values_grow_with_length_in_problems_from_a_corpus(tmp_path: Path, english: str) -> None:
    file = tmp_path / "corpus.jsonl"
    file.write_text("".join(json.dumps({"text": english[start:]}) + "\n" for start in (0, 300)), encoding="utf-8")
    documents = Resampled.read(file, "coverage", CNNDM.capacities, limit=10)
    assert len(documents.lengths) == 2
    same = ProblemData("cnndm", "dp", corpus=str(file)).simulation().batch(0, 400)
    batch = Simulation(documents, seed=1).batch(0, 400)
    assert np.array_equal(same.profits, batch.profits)
    assert np.allclose(batch.profits.sum(1), 1, atol=1e-6)
    assert np.corrcoef(batch.lengths[batch.mask], batch.profits[batch.mask])[0, 1] > 0.1
    assert len(rows(batch)) == 400


@pytest.mark.parametrize(
    ("content", "message"), [("", "no documents"), ("{}\n", ":1: no text"), ("nonsense\n", ":1: not a JSON")]
)
def test_a_corpus_without_documents_is_an_error_that_names_the_place(
    tmp_path: Path, content: str, message: str
) -> None:
    file = tmp_path / "corpus.jsonl"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        Resampled.read(file, "coverage", CNNDM.capacities, limit=10)
