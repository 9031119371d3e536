"""NeuSum, BertSum, STAS and the word model of PMI: each learns, resumes bit for bit, and becomes a model folder."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from click.testing import CliRunner

from tersely import Summarizer
from tersely.cli.train import command as train
from tersely.datasets import Record
from tersely.errors import InputError, ModelError, UsageError
from tersely.evaluate.systems import Oracle
from tersely.learn.training import read_tensors
from tersely.options import Budget
from tersely.paper.baselines import BaselineData, BaselineLessons, Labeled, Packed, read_baseline, read_labeled
from tersely.paper.scorers import BEGIN, lay_out
from tersely.paper.train_bertsum import BertSumConfig, BertSumData, BertSumNetwork
from tersely.paper.train_neusum import NeuSum, NeuSumConfig, NeuSumNetwork, divergence, neusum_lessons
from tersely.paper.train_stas import (
    StasConfig,
    StasData,
    StasNet,
    StasNetwork,
    StasRanking,
    stas_lessons,
    vocabulary,
)
from tersely.paper.train_words import WordsConfig, learn_words
from tersely.settings import read_toml
from tersely.text import Document

THINGS = "harbor storm bridge river market school train garden museum bakery".split()


def sentences(number: int) -> list[str]:
    thing = THINGS[number % len(THINGS)]
    return [
        f"It was a day like any other in town number {number}.",
        f"The {thing} of the town was closed by the mayor.",
        "Nobody said a word about it.",
        f"The mayor said that the {thing} would open again.",
        "Some cats slept in the sun.",
    ]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("labeled") / "data.jsonl"
    lines = []
    for number in range(30):
        thing = THINGS[number % len(THINGS)]
        summary = [f"The {thing} of the town was closed.", f"The {thing} would open again."]
        lines.append(json.dumps({"text": " ".join(sentences(number)), "summary": summary}))
    file.write_text("\n".join(lines), encoding="utf-8")
    return file


def quietly(_: object) -> None:
    pass


def labeled() -> list[Labeled]:
    found = []
    for number in range(30):
        document = Document.from_sentences(sentences(number), "en")
        record = Record(str(number), document, (document.texts[1], document.texts[3]))
        found.append(Labeled(document, tuple(Oracle().steps(record, Budget(2, "sentences")))))
    return found


class Places:
    """An encoder that gives each sentence's place: what is to be learned here depends on nothing else."""

    name, fingerprint = "places", "places"

    def encode(self, texts: Any) -> Any:
        return np.eye(8, dtype=np.float32)[: len(texts)]


def short(config: Any, steps: int) -> Any:
    return replace(config, training=replace(config.training, steps=steps, batch=8, validate_every=steps, warmup=5))


def test_the_steps_of_the_oracle_give_its_choice_and_the_gain_of_every_candidate() -> None:
    first, second = labeled()[0].steps
    assert {first[0], second[0]} == {1, 3}
    assert first[1].keys() == {0, 1, 2, 3, 4}
    assert second[1].keys() == {0, 1, 2, 3, 4} - {first[0]}
    assert max(first[1], key=first[1].__getitem__) == first[0]


def test_the_loss_of_neusum_is_least_where_the_scores_follow_the_gains() -> None:
    gains = {0: 0.1, 2: 0.5, 3: 0.2}
    right = torch.tensor([0.0, 99.0, 20.0, 5.0])  # the second sentence is chosen already, and plays no part
    assert float(divergence(right, gains, 20.0)) == pytest.approx(0, abs=1e-5)
    assert float(divergence(-right, gains, 20.0)) > 5


def test_neusum_learns_which_sentences_the_oracle_takes(tmp_path: Path) -> None:
    config = short(NeuSumConfig("x", "neusum", network=NeuSumNetwork(width=16, heads=2, dropout=0.01)), 60)
    config = replace(config, training=replace(config.training, rate=1e-2))
    lessons = neusum_lessons(config, labeled(), Places())
    state = lessons.train(tmp_path / "a", False, quietly)
    network = lessons.network.eval()
    assert isinstance(network, NeuSum)
    rows, mask = torch.eye(8)[None, :5], torch.ones(1, 5, dtype=torch.bool)
    encoded, memory = network.encode(rows, mask)
    scores, _ = network.step(encoded, torch.zeros_like(encoded[:, 0]), memory)
    assert set(scores[0].topk(2).indices.tolist()) == {1, 3}
    assert state.notes["curve"][-1]["validation_loss"] < 1


@pytest.mark.parametrize("kind", ["neusum", "stas"])
def test_a_stopped_run_resumes_bit_for_bit(tmp_path: Path, kind: str) -> None:
    found = labeled()
    documents = [one.document for one in found]

    def lessons(steps: int) -> BaselineLessons:
        if kind == "neusum":
            config = short(NeuSumConfig("x", "neusum", network=NeuSumNetwork(width=8, heads=2)), steps)
            return neusum_lessons(replace(config, training=replace(config.training, validate_every=2)), found, Places())
        size = StasNetwork(width=8, heads=2, inner=16, sentence=1, document=1)
        config = short(StasConfig("x", "stas", data=StasData(5, 8, 50), network=size), steps)
        words = vocabulary(documents, 50)
        return stas_lessons(replace(config, training=replace(config.training, validate_every=2)), documents, words)

    lessons(6).train(tmp_path / "whole", False, quietly)
    lessons(4).train(tmp_path / "parts", False, quietly)
    lessons(6).train(tmp_path / "parts", True, quietly)
    one, two = (read_tensors(tmp_path / run / "training" / "checkpoint.safetensors")[0] for run in ("whole", "parts"))
    assert one.keys() == two.keys()
    assert all(torch.equal(one[name], two[name]) for name in one)
    with pytest.raises(UsageError, match="holds a training run already"):
        lessons(6).train(tmp_path / "parts", False, quietly)


def test_stas_learns_to_foretell_sentences_and_their_order() -> None:
    documents = [Document.from_sentences(sentences(number), "en") for number in range(30)]
    size = StasNetwork(width=16, heads=2, inner=32, sentence=1, document=1)
    config = short(StasConfig("x", "stas", data=StasData(5, 10, 60), network=size), 1)
    lessons = stas_lessons(config, documents, vocabulary(documents, 60))
    optimizer, losses = torch.optim.Adam(lessons.network.parameters(), 1e-2), []
    for step in range(30):
        loss = lessons.loss(range(8), torch.Generator().manual_seed(step))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()))
    assert sum(losses[-5:]) < 0.6 * sum(losses[:5])


def test_the_probability_of_a_sentence_does_not_depend_on_what_its_own_place_shows() -> None:
    """With a sentence masked, the network sees only its length: other words of it change only what is foretold."""
    torch.manual_seed(3)
    network = StasNet(20, StasNetwork(width=8, heads=2, inner=16, sentence=1, document=2)).eval()
    tokens = torch.randint(BEGIN + 1, 20, (4, 6))
    tokens[:, 0] = BEGIN
    other = tokens.clone()
    other[2, 1:] = torch.randint(BEGIN + 1, 20, (5,))
    with torch.no_grad():
        one, two = StasRanking(network)(tokens), StasRanking(network)(other)
    torch.testing.assert_close(one[2, 1:], two[2, 1:])  # what place 2 attends to
    assert not torch.allclose(one[1, 1:], two[1, 1:])


@pytest.mark.parametrize("kind", ["neusum", "stas", "words"])
def test_the_command_makes_a_model_that_summarizes(tmp_path: Path, data: Path, kind: str) -> None:
    config, out = tmp_path / "small.toml", tmp_path / "model"
    size = "[network]\nwidth = 8\nheads = 2\n"
    training = "[training]\nsteps = 2\nbatch = 4\nvalidate_every = 1\nkeep = "
    rest = {
        "neusum": f"{size}picks = 2\n{training}1\n",
        "stas": f"{size}inner = 16\nsentence = 1\ndocument = 1\n{training}1\n",
        "words": "",
    }
    config.write_text(f'name = "small"\nkind = "{kind}"\n{rest[kind]}')
    arguments = ["baseline", str(data), "--config", str(config), "--out", str(out)]
    changes = [] if kind == "words" else ["--seed", "7", "--set", "network.width=10", "--device", "cpu"]
    CliRunner().invoke(train, arguments + changes, catch_exceptions=False)
    made = read_toml(out / "training.toml")
    assert kind == "words" or (made["training"]["seed"], made["network"]["width"]) == (7, 10)
    summary = Summarizer.load(out).summarize(" ".join(sentences(7)), max_sentences=2)
    assert len(summary.sentences) == 2


def test_the_next_best_checkpoints_are_models_too(tmp_path: Path) -> None:
    config = short(NeuSumConfig("x", "neusum", network=NeuSumNetwork(width=8, heads=2)), 4)
    config = replace(config, training=replace(config.training, validate_every=1, keep=2))
    lessons = neusum_lessons(config, labeled(), Places())
    state = lessons.train(tmp_path / "model", False, quietly)
    weights = []

    def pack() -> Packed:
        weights.append(lessons.network.state_dict()["score.weight"].clone())
        return Packed({}, "lead", None, "greedy", "A card.")

    lessons.write(state, tmp_path / "model", pack)
    losses = sorted(point["validation_loss"] for point in state.notes["curve"] if "validation_loss" in point)
    for folder, loss in zip(("", "best-2"), losses, strict=False):
        assert f"Validation loss {loss:.4f} " in (tmp_path / "model" / folder / "README.md").read_text()
        assert Summarizer.load(tmp_path / "model" / folder).summarize("It rains. It pours.", max_sentences=1).text
    assert not torch.equal(*weights)


def test_the_weights_of_the_word_model_fit_held_out_texts() -> None:
    documents = [Document.from_sentences(sentences(number), "en") for number in range(40)]
    model = learn_words(WordsConfig("x"), documents)
    both, one, none = model.weights
    assert both + one + none == pytest.approx(1)
    assert both > 0.5  # these texts say the same again and again
    assert 0 <= model.cache < 0.5


@pytest.fixture(scope="module")
def small_bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast
    from transformers.utils import logging

    logging.disable_progress_bar()
    words = sorted({word for n in range(30) for text in sentences(n) for word in text.lower().strip(".").split()})
    special = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    numbers = {word: k for k, word in enumerate([*special.values(), ".", *words])}
    tokenizer = Tokenizer(models.WordPiece(numbers, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    folder = tmp_path_factory.mktemp("bert")
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special).save_pretrained(folder)
    torch.manual_seed(7)
    size = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    BertModel(BertConfig(vocab_size=len(numbers), max_position_embeddings=64, **size)).save_pretrained(folder)
    return folder


def test_bertsum_is_fine_tuned_and_its_folder_says_what_the_network_says(
    tmp_path: Path, data: Path, small_bert: Path
) -> None:
    config = BertSumConfig(
        "x", "bertsum", data=BertSumData(str(small_bert), 64, count=2), network=BertSumNetwork(1, 2, 16)
    )
    config = replace(short(config, 40), training=replace(short(config, 40).training, rate=1e-2))
    config.make(BaselineData([data]), tmp_path / "model", False, quietly)
    model = Summarizer.load(tmp_path / "model")
    document = Document.from_sentences(sentences(3), "en")
    values = model.score(document)
    assert set(np.argsort(-values)[:2].tolist()) == {1, 3}
    graph, tokens = _bertsum_inputs(tmp_path / "model", document)
    np.testing.assert_allclose(values, graph.run(["values"], tokens)[0][0], rtol=1e-6)  # all were read
    # Of a document that is too long for the encoder, the rest comes last.
    long = Document.from_sentences(sentences(3) * 4, "en")
    late = model.score(long)
    assert len(late) == 20
    assert (np.diff(late[10:]) < 0).all()
    assert 0 < late[10:].max() < late[:3].min() <= late[:3].max() < 1


def _bertsum_inputs(folder: Path, document: Document) -> tuple[Any, dict[str, Any]]:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

    graph = InferenceSession(folder / "model.onnx")
    notes = graph.get_modelmeta().custom_metadata_map
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    rows = [row.ids for row in tokenizer.encode_batch(document.texts, add_special_tokens=False)]
    laid_out = lay_out(rows, (int(notes["cls"]), int(notes["sep"])), int(notes["longest"]))
    return graph, {name: np.array([row]) for name, row in zip(("ids", "segments", "places"), laid_out, strict=True)}


def test_documents_to_validate_on_are_the_last_and_never_trained_on(tmp_path: Path, data: Path) -> None:
    lines = data.read_text().splitlines()
    held_out = tmp_path / "held-out.jsonl"
    held_out.write_text("\n".join(lines[:4]))
    files = BaselineData([data], [held_out])
    examples, validation = read_labeled(files, 40, 2)
    corpus = files.corpus(40)
    for texts, count in (
        ([example.document.text for example in examples], validation),
        ([document.text for document in corpus.documents], corpus.validation),
    ):
        assert count == 4
        assert len(set(texts)) == len(texts) == len({json.loads(line)["text"] for line in lines})
        assert texts[-4:] == [json.loads(line)["text"] for line in lines[:4]]
    config = short(NeuSumConfig("x", "neusum", network=NeuSumNetwork(width=8, heads=2)), 4)
    lessons = neusum_lessons(config, examples, Places())
    seen: dict[bool, set[int]] = {True: set(), False: set()}

    def loss(numbers: Sequence[int], noise: torch.Generator) -> torch.Tensor:
        seen[torch.is_grad_enabled()].update(numbers)
        return lessons.loss(numbers, noise)

    replace(lessons, loss=loss, validation=validation).train(tmp_path / "run", False, quietly)
    assert max(seen[True]) < len(examples) - 4
    assert seen[False] == set(range(len(examples) - 4, len(examples)))
    held_out.write_text(json.dumps({"text": "It rains. It pours."}))
    with pytest.raises(InputError, match="no document with a summary to validate on"):
        read_labeled(files, 40, 2)


def test_wrong_input_is_a_clear_error(tmp_path: Path, data: Path, small_bert: Path) -> None:
    with pytest.raises(UsageError, match="unknown kind of baseline 'scorer'"):
        read_baseline("cpu-siamese-en")
    with pytest.raises(UsageError, match=r"cpu-pmi\.toml: .*training"):  # it counts, and has no steps
        read_baseline("cpu-pmi", ["training.steps=3"])
    few = tmp_path / "few.jsonl"
    few.write_text("\n".join(data.read_text().splitlines()[:5]))
    with pytest.raises(InputError, match="5 documents with summaries are too few"):
        NeuSumConfig("x", "neusum").make(BaselineData([few]), tmp_path / "out", False, quietly)
    with pytest.raises(UsageError, match="'steps' must be positive"):
        short(NeuSumConfig("x", "neusum"), 0)
    for scorer in ("bertsum", "stas"):
        with pytest.raises(ModelError, match=r"it has no model\.onnx"):
            Summarizer.load(scorer=f"{scorer}:{small_bert}")
