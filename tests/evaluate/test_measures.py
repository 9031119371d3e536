"""ROUGE against the reference implementation and its definition, and the paired bootstrap."""

import gzip
import json
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer
from scipy.stats import ttest_rel

from tersely.evaluate.measures import MEASURES, Tokenization, interval, lcs_length, paired_bootstrap, rouge
from tersely.text import Document

DATA = Path(os.environ.get("TERSELY_DATA", Path(__file__).parents[3] / "shared" / "data"))
sentences = st.lists(st.lists(st.sampled_from("abcdef"), max_size=8), max_size=5)


class Listed:
    """Passes tokens unchanged to the reference implementation."""

    def tokenize(self, text: str) -> list[str]:
        return text.split()


def reference(target: list[list[str]], found: list[list[str]]) -> dict[str, tuple[float, float, float]]:
    scorer = RougeScorer(list(MEASURES), tokenizer=Listed())
    lines = ["\n".join(" ".join(tokens) for tokens in part) for part in (target, found)]
    return {name: (s.precision, s.recall, s.fmeasure) for name, s in scorer.score(*lines).items()}


@given(sentences, sentences)
def test_every_score_equals_the_reference_implementation(target: list[list[str]], found: list[list[str]]) -> None:
    ours, theirs = rouge(target, found), reference(target, found)
    for measure in MEASURES:
        assert ours[measure] == pytest.approx(theirs[measure], abs=1e-6)


@given(st.lists(st.sampled_from("abc"), max_size=12), st.lists(st.sampled_from("abc"), max_size=12))
def test_the_longest_common_subsequence_equals_the_textbook_table(one: list[str], two: list[str]) -> None:
    table = [[0] * (len(two) + 1) for _ in range(len(one) + 1)]
    for i, a in enumerate(one):
        for j, b in enumerate(two):
            table[i + 1][j + 1] = table[i][j] + 1 if a == b else max(table[i][j + 1], table[i + 1][j])
    assert lcs_length(one, two) == table[-1][-1]


@pytest.mark.skipif(not DATA.is_dir(), reason="no evaluation data: set TERSELY_DATA")
@pytest.mark.parametrize(("name", "language"), [("en/dev_cnndm", "en"), ("zh/dev_pku", "zh")])
def test_ours_agrees_with_the_reference_on_real_pairs(name: str, language: str) -> None:
    tokenization = Tokenization()
    scorer = RougeScorer(list(MEASURES), use_stemmer=True)
    with gzip.open(DATA / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        records = [json.loads(line) for line, _ in zip(lines, range(150), strict=False)]
    for record in records:
        target = [s.replace("\n", " ") for s in record["summary"]]
        found = [s.replace("\n", " ") for s in Document.from_text(record["text"], language).texts[:3]]
        tokens = [[tokenization.tokens(s, language) for s in part] for part in (target, found)]
        if language == "zh":
            theirs = reference(*tokens)
        else:
            scores = scorer.score("\n".join(target), "\n".join(found))
            theirs = {m: (s.precision, s.recall, s.fmeasure) for m, s in scores.items()}
        for measure, score in rouge(*tokens).items():
            assert score == pytest.approx(theirs[measure], abs=1e-6)


def test_settings_change_the_tokens() -> None:
    assert Tokenization().tokens("Running dogs ran.", "en") == ["run", "dog", "ran"]
    assert Tokenization(stem=False).tokens("Running dogs ran.", "en") == ["running", "dogs", "ran"]
    assert Tokenization().tokens("今天 GDP增长。", "zh") == list("今天gdp增长。")
    assert Tokenization(chinese="words").tokens("今天天气很好。", "zh") == ["今天天气", "很", "好", "。"]
    assert Tokenization().tokens("Éléphant noir", "other") == ["éléphant", "noir"]


def test_a_clear_difference_is_found_and_noise_is_not() -> None:
    rng = np.random.default_rng(0)
    hard = rng.normal(40, 10, 300)  # documents differ much more than systems do
    better, same = hard + rng.normal(1, 2, 300), hard + rng.normal(0, 2, 300)
    found = paired_bootstrap(better, hard)
    assert found.low > 0
    assert found.p < 0.01
    assert paired_bootstrap(same, hard).p > 0.05


def test_p_is_close_to_that_of_the_paired_t_test() -> None:
    rng = np.random.default_rng(1)
    one, two = rng.normal(0.15, 1, 200), np.zeros(200)
    assert abs(paired_bootstrap(one, two).p - ttest_rel(one, two).pvalue) < 0.02


def test_equal_scores_are_not_different() -> None:
    scores = np.arange(5.0)
    assert paired_bootstrap(scores, scores) == (0, 0, 0, 1)


def test_the_seed_decides_the_interval() -> None:
    scores = np.random.default_rng(2).random(50)
    assert interval(scores) == interval(scores)
    assert interval(scores) != interval(scores, seed=1)
    low, high = interval(scores)
    assert low < scores.mean() < high
