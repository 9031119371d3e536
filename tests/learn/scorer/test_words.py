"""The model without a network, by its command."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from tersely import Summarizer
from tersely.cli.train import command
from tersely.errors import InputError, UsageError
from tersely.models import load_model

from .test_teacher import lopsided

CHINESE = "洪水淹没了港口。港口的洪水很大。洪水之后港口关闭。市长去了山上看{}。天气第{}天很好。商店卖出{}只苹果。"


def write(file: Path, early: bool, source: str = "a", count: int = 30) -> Path:
    rows = [{"text": lopsided(n, early).text.replace("\n", " "), "source": source} for n in range(count)]
    rows += [{"text": CHINESE.format(n, n * 7, n * 13), "source": source} for n in range(count)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


def train(*arguments: str) -> None:
    CliRunner().invoke(command, ["scorer", *arguments], catch_exceptions=False)


@pytest.mark.parametrize("early", [True, False])
def test_each_language_gets_its_own_bias_and_the_model_summarizes_at_once(tmp_path: Path, early: bool) -> None:
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


def test_only_the_wanted_records_are_read(tmp_path: Path) -> None:
    both = write(tmp_path / "both.jsonl", True, "early")
    write(tmp_path / "late.jsonl", False, "late")
    both.write_text(both.read_text() + (tmp_path / "late.jsonl").read_text())
    train(str(both), "--where", "source=late", "--config", "news", "--out", str(tmp_path / "late"))
    assert Summarizer.load(tmp_path / "late").scorer.bias < 0
    with pytest.raises(InputError, match="0 documents"):
        train(str(both), "--where", "source=never", "--config", "news", "--out", str(tmp_path / "never"))
    with pytest.raises(UsageError, match="FIELD=VALUE"):
        train(str(both), "--where", "late", "--config", "news", "--out", str(tmp_path / "never"))


def test_a_summary_of_most_of_a_text_has_no_bias(tmp_path: Path) -> None:
    texts = str(write(tmp_path / "texts.jsonl", True))
    train(texts, "--share", "0.7", "--config", "news", "--out", str(tmp_path / "long"))
    assert Summarizer.load(tmp_path / "long").scorer.bias == 0


def test_a_configuration_goes_to_the_command_that_can_train_it(tmp_path: Path) -> None:
    texts = str(write(tmp_path / "texts.jsonl", True))
    with pytest.raises(UsageError, match="train supervised"):
        train(texts, "--config", "cpu-supervised-en", "--out", str(tmp_path / "x"))
    arguments = ["supervised", texts, "--config", "news", "--out", str(tmp_path / "x")]
    with pytest.raises(UsageError, match="train scorer"):
        CliRunner().invoke(command, arguments, catch_exceptions=False)


def test_the_command_that_is_named_at_the_end_means_what_was_trained(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "texts.jsonl", True)
    run = CliRunner().invoke(command, ["scorer", "texts.jsonl", "--config", "news", "--out", "news"])
    assert run.stderr.endswith("--model ./news\n")
