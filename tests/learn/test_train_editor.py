"""The editor's network: the same in training and in use, the same by the same seed, and the folder that it leaves."""

import io
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from click.testing import CliRunner, Result
from safetensors.torch import load_file

from killing import kill_at
from learn.editors import CONFIG, SHAPE, row, unlabeled, write
from tersely import Summarizer
from tersely.cli import cli
from tersely.cli.train import command
from tersely.errors import ModelError, TerselyError, UsageError
from tersely.learn.editor_labels import Lesson
from tersely.learn.editor_network import EditorNetwork
from tersely.learn.editor_run import EditorConfig, EditorData, make_editor, read_editor_config
from tersely.learn.train_editor import (
    ChoiceTraining,
    EditorTraining,
    choice_loss,
    epochs,
    optimizer_of,
    standardize,
)
from tersely.learn.training import TrainingProgress
from tersely.models import load_model
from tersely.read.features import feature_names
from tersely.read.reader import ROLES
from tersely.score.learned import Editor
from tersely.text import Document

SMALL = ("network.width=16", "network.heads=2", "network.table_bits=8", "network.opening_bits=7", "training.epochs=2")
SCRIPT = """
import sys
from pathlib import Path
from editors import CONFIG
from tersely.learn.editor_run import EditorData, make_editor
labels, out = map(Path, sys.argv[1:])
make_editor(CONFIG, EditorData(labels.parent, [labels]), out, False, lambda at: reached(at.finished))
"""


def silent(progress: TrainingProgress) -> None:
    del progress


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    return write(tmp_path / "labels.jsonl", [row(number) for number in range(12)])


def weights_of(network: EditorNetwork) -> dict[str, np.ndarray]:
    return {name: array.copy() for name, array in network.arrays().items()}


def trained(
    lessons: list[Lesson], seed: int, count: int = 10, choice: float = 0.0
) -> tuple[EditorNetwork, list[float]]:
    torch.manual_seed(seed)
    training, through = EditorTraining(batch=4), ChoiceTraining(weight=choice)
    network = EditorNetwork(SHAPE, len(feature_names()), training.dropout)
    standardize(network, lessons)
    optimizer, chance = optimizer_of(network, training), np.random.default_rng(seed)
    losses = list(epochs(network, optimizer, [lessons] * count, training, through, chance))
    return network, losses


def test_training_lowers_the_loss_and_depends_on_nothing_but_the_seed(lessons: list[Lesson]) -> None:
    (network, losses), (same, _), (other, _) = (trained(lessons, seed) for seed in (1, 1, 2))
    assert len(losses) == 10
    assert losses[-1] < 0.9 * losses[0]
    ours, again, different = map(weights_of, (network, same, other))
    assert all((ours[name] == again[name]).all() for name in ours)
    assert any((ours[name] != different[name]).any() for name in ours)


def weights_in(out: Path) -> bytes:
    return (out / "weights.npz").read_bytes()


def test_a_run_that_is_killed_and_resumed_ends_as_one_that_is_not(labels: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("PYTHONPATH", f"{Path(__file__).parent}:{Path(__file__).parents[1]}", prepend=":")
    data, straight, killed = EditorData(tmp_path, [labels]), tmp_path / "straight", tmp_path / "killed"
    make_editor(CONFIG, data, straight, False, silent)
    kill_at(2, SCRIPT, labels, killed)
    assert not (killed / "config.toml").exists()
    with pytest.raises(UsageError, match="pass --resume"):
        make_editor(CONFIG, data, killed, False, silent)
    make_editor(CONFIG, data, killed, True, silent)
    assert weights_in(killed) == weights_in(straight)
    states = [load_file(out / "training" / "checkpoint.safetensors") for out in (straight, killed)]
    assert all(torch.equal(states[0][name], states[1][name]) for name in states[0])
    curves = [list(map(json.loads, (out / "log.jsonl").read_text().splitlines())) for out in (straight, killed)]
    assert [point["epoch"] for point in curves[1]] == [1, 2, 3, 4]
    assert [point["loss"] for point in curves[0]] == [point["loss"] for point in curves[1]]


def test_a_run_is_resumed_with_the_same_labels_and_settings_only(labels: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    make_editor(CONFIG, EditorData(tmp_path, [labels]), out, False, silent)
    before = weights_in(out)
    make_editor(CONFIG, EditorData(tmp_path, [labels]), out, True, silent)  # nothing is left to do
    assert weights_in(out) == before
    with pytest.raises(UsageError, match="seed was 3 and is 4"):
        make_editor(replace(CONFIG, seed=4), EditorData(tmp_path, [labels]), out, True, silent)
    fewer = write(tmp_path / "fewer.jsonl", [row(number) for number in range(11)])
    with pytest.raises(UsageError, match="another set of labels"):
        make_editor(CONFIG, EditorData(tmp_path, [fewer]), out, True, silent)
    with pytest.raises(UsageError, match="another set of labels"):
        make_editor(CONFIG, EditorData(tmp_path, [], [labels]), out, True, silent)


def run(*arguments: object) -> Result:
    changes = [word for change in SMALL for word in ("--set", change)]
    return CliRunner().invoke(command, ["editor", *map(str, arguments), *changes], catch_exceptions=False)


def test_the_command_makes_a_model_that_summarizes(labels: Path, tmp_path: Path) -> None:
    out = tmp_path / "my-editor"
    result = run(labels, "--more", labels, "--dev", labels, "--data", tmp_path, "--seed", 7, "--out", out)
    lines = result.stderr.splitlines()
    assert len(lines) == 3
    assert all(name in lines[1] for name in ("loss", "noise", "need", "worth", "first", "main", "cure"))
    assert lines[2].endswith(f"--model {out}")
    model, summarizer = load_model(out), Summarizer.load(out)
    assert (model.name, model.select, model.coherence) == ("my-editor", "knapsack", "strict")
    for said in (
        "12 labeled documents with 60",
        "12 labeled documents of other",
        "Seed 7",
        "language\n  models",
        "| %",
    ):
        assert said in model.card
    assert "seed = 7" in (out / "training.toml").read_text()
    summary = summarizer.summarize(row(3)["text"], max_chars=120)
    assert summary.text
    assert summary.length <= 120
    assert summarizer.fingerprint not in {Summarizer.load().fingerprint, Summarizer.load("news").fingerprint}
    assert summarizer.fingerprint == Summarizer.load(scorer=f"editor:{out}", select="knapsack").fingerprint


def test_the_weights_are_the_same_bytes_by_the_same_seed(labels: Path, tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        run(labels, "--data", tmp_path, "--seed", seed, "--out", tmp_path / name)
    assert weights_in(tmp_path / "a") == weights_in(tmp_path / "b") != weights_in(tmp_path / "c")
    assert "not measured" in load_model(tmp_path / "a").card
    assert (tmp_path / "a" / "training.toml").read_bytes() == (tmp_path / "b" / "training.toml").read_bytes()


def test_needs_and_noise_are_those_of_the_models_network(labels: Path, tmp_path: Path) -> None:
    run(labels, "--data", tmp_path, "--out", tmp_path / "model")
    document = Document.from_text(row(5)["text"])
    ours, shipped = Summarizer.load(tmp_path / "model"), Summarizer.load()
    assert isinstance(ours.scorer, Editor)
    worth = [summarizer.score(document).tolist() for summarizer in (shipped, ours, shipped)]
    assert worth[0] == worth[2] != worth[1]
    lesson = unlabeled(document)
    roles = ours.scorer.network(lesson.tokens, lesson.terms, lesson.features).roles.argmax(1).tolist()
    ranked = sorted(ours.summarize(row(5)["text"], max_chars=90).ranking, key=lambda sentence: sentence.index)
    assert [sentence.role for sentence in ranked] == [ROLES[role] for role in roles]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("gone.jsonl", "--data", "."), "gone.jsonl"),
        (("labels.jsonl", "--data", "nowhere"), "nowhere"),
        (("labels.jsonl", "--data", ".", "--dev", "gone.jsonl"), "gone.jsonl"),
        (("labels.jsonl", "--data", ".", "--config", "news"), "unknown key 'select'"),
        (("labels.jsonl", "--data", ".", "--config", "edtor"), "did you mean 'editor'"),
        (("labels.jsonl", "--data", ".", "--set", "network.width=15"), "'width' must be a multiple of 'heads'"),
        (("labels.jsonl", "--data", ".", "--set", "training.dropout=1.0"), "'dropout' must be at least 0 and below 1"),
        (("labels.jsonl", "--data", ".", "--set", "training.batch=0"), "'batch' must be positive"),
        (("labels.jsonl", "--data", ".", "--set", "training.decay=-1.0"), "'decay' must be 0 or more"),
        (("labels.jsonl", "--data", ".", "--set", "network.table_bits=40"), "at most 22"),
        (("labels.jsonl", "--data", "."), "labels.jsonl:1: not a JSON object"),
    ],
)
def test_a_wrong_call_gives_one_line(tmp_path: Path, monkeypatch, arguments: tuple[str, ...], said: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "labels.jsonl").write_text("[]\n")
    words = ["train", "editor", *arguments, "--out", "out"]
    result = CliRunner().invoke(cli, words)
    message = result.stderr if result.exception is None or result.exit_code == 2 else str(result.exception)
    assert result.exit_code != 0
    assert said in message
    assert not (tmp_path / "out" / "config.toml").exists()
    if isinstance(result.exception, TerselyError):
        assert "\n" not in message


def test_broken_weights_give_one_line(labels: Path, tmp_path: Path) -> None:
    run(labels, "--data", tmp_path, "--out", tmp_path / "model")
    file = tmp_path / "model" / "weights.npz"
    content, infinite = file.read_bytes(), io.BytesIO()
    with np.load(file) as stored:
        np.savez(infinite, **{**stored, "heads_bias": stored["heads_bias"] + np.float16(np.inf)})
    for broken in (b"", b"no weights", b"PK\x03\x04", content[:3000], infinite.getvalue()):
        file.write_bytes(broken)
        with pytest.raises(ModelError, match=r"weights\.npz cannot be read as the weights of an editor: it is broken"):
            Editor(str(tmp_path / "model"))
        with pytest.raises(ModelError, match=r"does not match config\.toml"):
            Summarizer.load(tmp_path / "model")
    file.unlink()
    with pytest.raises(ModelError, match=r"it has no weights\.npz"):
        Editor(str(tmp_path / "model"))


def test_the_shipped_configuration_is_the_default_of_the_code() -> None:
    assert read_editor_config("editor") == EditorConfig("editor")


def test_worth_learns_from_the_editors_choice_through_the_knapsack(lessons: list[Lesson]) -> None:
    worth = torch.zeros(sum(len(lesson.document) for lesson in lessons), requires_grad=True)
    count = len(worth)
    longest = max(len(lesson.document) for lesson in lessons)
    heads = torch.zeros(count, 6), worth, torch.full((count,), -9.0), torch.zeros(count, longest + 1)
    torch.manual_seed(1)
    choice_loss(*heads, lessons, ChoiceTraining(weight=1.0, samples=16, price=0.0)).backward()
    assert worth.grad is not None
    chosen = torch.tensor(np.concatenate([lesson.choice for lesson in lessons])) > 0
    assert worth.grad[chosen].mean() < 0 < worth.grad[~chosen].mean()
