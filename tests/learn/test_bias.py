"""Models without a network: the bias that they find, and their command."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from tersely import Summarizer
from tersely.cli.train import command
from tersely.errors import InputError, UsageError
from tersely.learn.bias import BiasConfig, halves
from tersely.models import load_model, model_folder
from tersely.paper.config import read_config
from tersely.settings import read_settings
from tersely.text import Document

CHINESE = "洪水淹没了港口。港口的洪水很大。洪水之后港口关闭。市长去了山上看{}。天气第{}天很好。商店卖出{}只苹果。"


def lopsided(number: int, early: bool) -> Document:
    """Make a text that says at one end what it keeps coming back to, and at the other what it never repeats."""
    rng = np.random.default_rng(number)
    themes = [f"theme{number}{letter}" for letter in "abcdef"]
    dense = [" ".join(themes[:n]) + f" {rng.integers(1e6)}." for n in (6, 5, 4)]
    thin = [f"{themes[i % 3]} " + " ".join(f"w{rng.integers(1e9)}" for _ in range(5)) + "." for i in range(8)]
    sentences = dense + thin if early else thin + dense
    return Document.from_sentences(sentences, "en")


def write(file: Path, early: bool, source: str = "a", count: int = 30) -> Path:
    rows = [{"text": lopsided(n, early).text.replace("\n", " "), "source": source} for n in range(count)]
    rows += [{"text": CHINESE.format(n, n * 7, n * 13), "source": source} for n in range(count)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


@given(st.lists(st.sampled_from(["Rain fell.", "Rain fell on the town.", "The town slept.", "!"]), max_size=6))
def test_reversed_texts_have_the_opposite_bias(sentences: list[str]) -> None:
    # Without a sentence in the middle, reversing a text swaps its halves.
    one, other = [*sentences, *sentences[::-1]], [*sentences, *sentences]
    documents = [Document.from_sentences(texts, "en") for texts in (one, other, [*one, *other])]
    backwards = [Document.from_sentences(list(d.texts)[::-1], "en") for d in documents]
    even = all(sum(map(len, d.texts[: len(d) // 2])) * 2 == sum(map(len, d.texts)) for d in documents)
    if even:
        assert halves(backwards) == pytest.approx(-halves(documents))


def train(*arguments: str) -> None:
    CliRunner().invoke(command, ["scorer", *arguments], catch_exceptions=False)


@pytest.mark.parametrize("early", [True, False])
def test_each_language_gets_a_bias_and_the_model_summarizes(tmp_path: Path, early: bool) -> None:
    out = tmp_path / "model"
    train(str(write(tmp_path / "texts.jsonl", early)), "--config", "news", "--out", str(out))
    summarizer = Summarizer.load(out)
    assert (summarizer.scorer.bias > 0) is early
    assert summarizer.languages["zh"].bias > 0
    text = lopsided(99, early).text
    (chosen,) = summarizer.summarize(text, max_sentences=1).sentences
    assert chosen.index in ((0, 1, 2) if early else (8, 9, 10))
    assert "洪水" in summarizer.summarize(CHINESE.format(5, 6, 7), max_chars=12).text
    assert "| zh | 30 |" in load_model(out).card
    assert load_model(out).name == "model"
    with pytest.raises(UsageError, match="holds a model already"):
        train(str(tmp_path / "texts.jsonl"), "--config", "news", "--out", str(out))


def test_without_a_configuration_it_is_coverage_with_a_bias(tmp_path: Path) -> None:
    train(str(write(tmp_path / "late.jsonl", early=False)), "--out", str(tmp_path / "late"))
    model = load_model(tmp_path / "late")
    assert model.scorer.startswith("coverage:bias=-")
    assert (model.select, model.coherence) == ("coverage", "off")
    assert (tmp_path / "late" / "training.toml").read_text().startswith('name = "news"\nkind = "news"')


def test_only_records_that_match_where_are_read(tmp_path: Path) -> None:
    both = write(tmp_path / "both.jsonl", True, "early")
    write(tmp_path / "late.jsonl", False, "late")
    both.write_text(both.read_text() + (tmp_path / "late.jsonl").read_text())
    train(str(both), "--where", "source=late", "--config", "news", "--out", str(tmp_path / "late"))
    assert Summarizer.load(tmp_path / "late").scorer.bias < 0
    with pytest.raises(InputError, match="0 documents"):
        train(str(both), "--where", "source=never", "--config", "news", "--out", str(tmp_path / "never"))
    with pytest.raises(UsageError, match="FIELD=VALUE"):
        train(str(both), "--where", "late", "--config", "news", "--out", str(tmp_path / "never"))


def test_summaries_of_most_of_a_text_get_no_bias(tmp_path: Path) -> None:
    texts = str(write(tmp_path / "texts.jsonl", True))
    train(texts, "--share", "0.7", "--config", "news", "--out", str(tmp_path / "long"))
    assert Summarizer.load(tmp_path / "long").scorer.bias == 0


def test_the_wrong_command_names_the_right_one(tmp_path: Path) -> None:
    texts = str(write(tmp_path / "texts.jsonl", True))
    with pytest.raises(UsageError, match="train supervised"):
        train(texts, "--config", "cpu-supervised-en", "--out", str(tmp_path / "x"))
    arguments = ["supervised", texts, "--config", "news", "--out", str(tmp_path / "x")]
    with pytest.raises(UsageError, match="train scorer"):
        CliRunner().invoke(command, arguments, catch_exceptions=False)


def test_the_suggested_command_means_the_new_model_and_not_a_shipped_one(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "texts.jsonl", True)
    run = CliRunner().invoke(command, ["scorer", "texts.jsonl", "--config", "news", "--out", "news"])
    assert run.stderr.endswith("--model ./news\n")


def test_the_default_configuration_is_small_and_is_that_of_the_shipped_model() -> None:
    config = read_config("news")
    assert config == BiasConfig("news", select="coverage", sentences=40, share=0.2)
    assert read_settings(model_folder("news") / "training.toml", BiasConfig) == config


def test_the_shipped_model_is_unchanged() -> None:
    assert Summarizer.load("news").fingerprint == "e215ffcc1cead8c1"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--config", "news", "--steps", "3"), "--steps is for networks"),
        (("--config", "news", "--knapsack", "knapsack-cnndm-dp"), "--knapsack is for networks"),
        (("--config", "cpu-siamese-en", "--share", "0.3"), "--share is for --config news"),
        (("--seed", "3"), "--seed is for networks"),
        (("--config", "cpu-siamese-en", "--set", "training.rat=3"), "did you mean 'rate'"),
        (("--config", "cpu-siamese-en", "--set", "rate 3"), "SECTION.KEY=VALUE"),
    ],
)
def test_an_option_without_effect_is_refused(tmp_path: Path, options: tuple[str, ...], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        train(str(write(tmp_path / "texts.jsonl", True)), *options, "--out", str(tmp_path / "x"))
