"""The editor's network: the same in training and in use, the same by the same seed, and the folder that it leaves."""

import json
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import pytest
import torch
from click.testing import CliRunner, Result
from hypothesis import given, settings
from safetensors.torch import load_file

from killing import kill_at
from strategies import prose
from tersely import Summarizer
from tersely.cli import cli
from tersely.cli.train import command
from tersely.errors import InputError, ModelError, TerselyError, UsageError
from tersely.learn.editor_labels import UNKNOWN, Lesson, lesson_of, read_lessons, unlabeled_lesson
from tersely.learn.editor_network import EditorNetwork, EditorShape, batch_of
from tersely.learn.editor_run import (
    EditorConfig,
    EditorData,
    average_precision,
    figures_of,
    make_editor,
    rank_correlation,
    read_editor_config,
    stored,
    weights_file,
)
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
from tersely.read import Network
from tersely.read.features import feature_names, features_of
from tersely.read.reader import CAUSES, NOISES, ROLES, Outputs
from tersely.read.tokens import Floats, Tokens, TokenTerms, terms_of, tokens_of
from tersely.score.learned import Editor
from tersely.text import Document

SHAPE = EditorShape(width=16, heads=2, layers=2, vector=4, opening=4, table_bits=8, opening_bits=7)
CONFIG = EditorConfig("tiny", seed=3, network=SHAPE, training=EditorTraining(epochs=4, batch=4))
SMALL = ("network.width=16", "network.heads=2", "network.table_bits=8", "network.opening_bits=7", "training.epochs=2")
SCRIPT = """
import sys
from pathlib import Path
from test_train_editor import CONFIG
from tersely.learn.editor_run import EditorData, make_editor
labels, out = map(Path, sys.argv[1:])
make_editor(CONFIG, EditorData(labels.parent, [labels]), out, False, lambda at: print(at.finished, flush=True))
"""


def silent(progress: TrainingProgress) -> None:
    del progress


def row(number: int) -> dict[str, Any]:
    """Make a labeled document of a heading, the news, a sentence that leans on it, and more."""
    name = ("Meyer", "Okafor", "Silva", "Larsen")[number % 4]
    sentences = [
        f"LOCAL NEWS {number}.",
        f"Mayor {name} of Town {number} resigned on Monday after the flood of the river.",
        "But he gave no reason for it.",
        f"The flood of the river had cost {number + 2} million euros.",
        "Click here for more.",
    ]
    spans, at = [], 0
    for sentence in sentences:
        spans.append([at, at + len(sentence)])
        at += len(sentence) + 1
    return {
        "doc": f"d{number}",
        "text": "\n".join(sentences),
        "sentences": spans,
        "roles": "NMBSN",
        "noise": {"0": "heading", "4": "link"},
        "needs": {"2": [[1, "pronoun", 2]], "3": [[1, "definite", 1]]},
        "top": [1, 3],
    }


def write(file: Path, rows: list[dict[str, Any]]) -> Path:
    file.write_text("".join(json.dumps(line) + "\n" for line in rows), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def lessons() -> list[Lesson]:
    return [lesson for number in range(12) if (lesson := lesson_of(row(number))) is not None]


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    return write(tmp_path / "labels.jsonl", [row(number) for number in range(12)])


@pytest.fixture(scope="module")
def random_network() -> EditorNetwork:
    """A network in which no weight is 0, so that each of them counts."""
    torch.manual_seed(5)
    network = EditorNetwork(SHAPE, len(feature_names()), dropout=0.3)
    with torch.no_grad():
        for weight in network.parameters():
            weight += 0.3 * torch.randn_like(weight)
        network.update_averages(0, 0.0)
        network.mean += 0.2
        network.deviation *= 1.5
    return network.eval()


def unlabeled(document: Document) -> Lesson:
    tokens, count = tokens_of(document)._replace(learned=True), len(document)
    terms = terms_of(tokens)
    none = np.full(count, -1)
    zeros = np.zeros(count, np.float32)
    features = features_of(document, tokens, terms)
    cures: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    return Lesson(document, tokens, terms, features, none, zeros, zeros, zeros - 1, cures, none, {})


def assert_alike(network: EditorNetwork, documents: list[Document]) -> None:
    """Read documents by PyTorch, all in one batch, and one by one by NumPy."""
    with torch.no_grad():
        heads, pointer = network(batch_of(list(map(unlabeled, documents)), network.shape))
    reader, done = Network(network.arrays()), 0
    for lesson in map(unlabeled, documents):
        count = len(lesson.document)
        parts = heads[done : done + count].split([len(ROLES), 1, 1, len(CAUSES), len(NOISES), 1], 1)
        outputs = reader(lesson.tokens, lesson.terms, lesson.features)
        chances = pointer[done : done + count].softmax(1)[:, :-1]
        expected = [
            (outputs.roles, parts[0].softmax(1)),
            (outputs.worth, parts[1][:, 0]),
            (outputs.need, parts[2][:, 0].sigmoid()),
            (outputs.causes, parts[3].softmax(1)),
            (outputs.noises, parts[4].softmax(1)),
            (outputs.certainty, chances.max(1).values),
        ]
        for ours, theirs in expected:
            np.testing.assert_allclose(ours, theirs.numpy(), atol=1e-5, rtol=1e-5)
        done += count


@settings(max_examples=30, deadline=None)
@given(prose, prose)
def test_both_networks_say_the_same(random_network: EditorNetwork, text: str, other: str) -> None:
    documents = [document for document in map(Document.from_text, (text, other)) if len(document)]
    if documents:
        assert_alike(random_network, documents)


@pytest.mark.parametrize("count", [1, 63, 64, 65, 150])
def test_both_networks_say_the_same_of_long_texts(random_network: EditorNetwork, count: int) -> None:
    texts = [f"The {('river', 'town', 'mayor')[i % 3]} of {i % 7} rose {i * i} times." for i in range(count)]
    long = Document.from_sentences(texts, "en")
    assert len(long) == count
    assert_alike(random_network, [long, Document.from_text("One fish. Two fish.")])


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


def test_labels_become_lessons(lessons: list[Lesson]) -> None:
    lesson = lessons[0]
    assert [ROLES[role] for role in lesson.roles] == ["noise", "main", "background", "support", "noise"]
    assert lesson.needs.tolist() == [-1, 0, 1, 0, -1]  # a need that only a purist notices is none
    assert lesson.cures == [[], [], [(1, CAUSES.index("pronoun"))], [], []]
    assert [NOISES[kind] for kind in lesson.noises if kind >= 0] == ["heading", "link"]
    assert lesson.choice.tolist() == [0, 6, 0, 5, 0]
    assert lesson_of({**row(1), "text": "Alone.", "sentences": [[0, 6]], "roles": "M", "top": [0]}) is None


def test_a_document_may_be_named_instead(tmp_path: Path) -> None:
    whole = row(0)
    text = whole.pop("text")
    write(tmp_path / "texts.jsonl", [{"text": "Other."}, {"text": text + " And what nobody labeled."}])
    write(tmp_path / "several.jsonl", [{"documents": [{"text": "Not this."}, {"text": text}]}])
    where = [
        {"file": "texts.jsonl", "line": 1, "end": len(text)},
        {"file": "several.jsonl", "line": 0, "end": len(text), "documents": [1]},
    ]
    named = write(tmp_path / "labels.jsonl", [{**whole, **place} for place in where])
    found = list(read_lessons([named], tmp_path, foreign=True))
    assert [lesson.document.text for lesson in found] == [text, text]
    assert all(lesson.foreign for lesson in found)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"roles": "NMB"}, "'roles' must have one letter per sentence"),
        ({"roles": "NMBSX"}, "substring not found"),
        ({"sentences": None}, "has no len"),
        ({"needs": []}, "has no attribute 'get'"),
        ({"needs": {"2": [[77, "pronoun", 2]]}}, "list index out of range"),
        ({"top": [99]}, "list index out of range"),
        ({"top": None}, "not iterable"),
        ({"text": None}, "labels.jsonl:1"),
    ],
)
def test_wrong_labels_give_one_line(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    file = write(tmp_path / "labels.jsonl", [{**row(0), **changes}])
    with pytest.raises(InputError, match=said) as caught:
        list(read_lessons([file], tmp_path))
    assert str(caught.value).startswith(f"{file}:1: not a labeled document: ")
    assert "\n" not in str(caught.value)


def test_missing_keys_and_files_are_named(tmp_path: Path) -> None:
    bare = {key: value for key, value in row(0).items() if key != "top"}
    with pytest.raises(InputError, match="it has no 'top'"):
        list(read_lessons([write(tmp_path / "bare.jsonl", [bare])], tmp_path))
    elsewhere = {**row(0), "file": "gone.jsonl.gz", "line": 0, "end": 10}
    del elsewhere["text"]
    with pytest.raises(InputError, match=r"gone\.jsonl\.gz: cannot be read: No such file"):
        list(read_lessons([write(tmp_path / "named.jsonl", [elsewhere])], tmp_path))
    (tmp_path / "broken.jsonl").write_text("{")
    with pytest.raises(InputError, match="broken JSON"):
        list(read_lessons([tmp_path / "broken.jsonl"], tmp_path))
    alone = {**row(0), "text": "Alone.", "sentences": [[0, 6]], "roles": "M", "top": [0]}
    with pytest.raises(InputError, match="no document of two or more sentences"):
        EditorData(tmp_path, [write(tmp_path / "alone.jsonl", [alone])]).lessons()


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


def test_the_file_of_weights_has_no_time_and_is_read_as_it_was_measured(random_network: EditorNetwork) -> None:
    written = weights_file(random_network)
    with ZipFile(BytesIO(written)) as packed:
        assert {entry.date_time for entry in packed.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    with np.load(BytesIO(written)) as arrays:
        read_again = {name: arrays[name].astype(np.float32) for name in arrays.files}
    assert Network(read_again).fingerprint == Network(stored(random_network)).fingerprint


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
    content = file.read_bytes()
    for broken in (b"", b"no weights", b"PK\x03\x04", content[:3000]):
        file.write_bytes(broken)
        with pytest.raises(ModelError, match=r"weights\.npz cannot be read as the weights of an editor: it is broken"):
            Editor(str(tmp_path / "model"))
        with pytest.raises(ModelError, match=r"does not match config\.toml"):
            Summarizer.load(tmp_path / "model")
    file.unlink()
    with pytest.raises(ModelError, match=r"it has no weights\.npz"):
        Editor(str(tmp_path / "model"))


class Agreeing(Network):
    """Says of lessons what the editor says."""

    lessons: list[Lesson]

    def __call__(self, tokens: Tokens, terms: TokenTerms, features: Floats) -> Outputs:
        lesson = next(lesson for lesson in self.lessons if lesson.features is features)
        outputs = super().__call__(tokens, terms, features)
        cures = np.array([cures[0][0] if cures else 0 for cures in lesson.cures])
        roles = np.eye(len(ROLES), dtype=np.float32)[lesson.roles]
        return outputs._replace(roles=roles, worth=lesson.worth, need=lesson.needs, cure=cures)


def test_figures_are_1_for_a_reader_that_agrees(lessons: list[Lesson], random_network: EditorNetwork) -> None:
    reader = Agreeing(random_network.arrays())
    object.__setattr__(reader, "lessons", lessons)
    figures = figures_of(reader, lessons)
    assert figures == pytest.approx(dict.fromkeys(figures, 1.0))
    assert min(figures_of(Network(random_network.arrays()), lessons).values()) < 0.9


def test_average_precision_and_rank_correlation() -> None:
    chances = np.array([0.9, 0.8, 0.7, 0.6])
    assert average_precision(chances, np.array([False, True, False, True])) == pytest.approx((1 / 2 + 2 / 4) / 2)
    assert average_precision(chances, np.zeros(4, bool)) == 0
    assert rank_correlation(chances, -chances) == pytest.approx(-1)
    assert rank_correlation(chances, np.ones(4)) == 0
    assert rank_correlation(np.array([1.0, 1, 2, 3]), np.array([1.0, 2, 3, 4])) == pytest.approx(0.9486833)


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


def test_a_text_without_labels_teaches_which_sentences_say_what_it_keeps_saying() -> None:
    text = "Rain fell on the river. The river rose with the rain. Somebody sneezed. Rain and river met the town."
    lesson = unlabeled_lesson(text)
    assert lesson is not None
    assert (lesson.roles == UNKNOWN).all()
    assert lesson.worth.argmin() == 2
    assert unlabeled_lesson("One sentence.") is None
