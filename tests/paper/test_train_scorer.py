"""A scorer's training run can be killed at any time and resumes as if nothing had happened; it ends in a model."""

import json
import os
import pickle
import signal
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from click.testing import CliRunner

from killing import kill_at
from tersely import Summarizer
from tersely.cli.train import command
from tersely.encode import Cache, load_encoder
from tersely.errors import InputError, ModelError, UsageError
from tersely.evaluate.report import read_log
from tersely.learn.artifacts import to_toml
from tersely.learn.corpus import Corpus
from tersely.learn.training import BestWeights, TrainingProgress, averaged, read_tensors
from tersely.paper.config import Objective, ScorerConfig, ScorerTraining, read_config, read_network_config
from tersely.paper.export import export
from tersely.paper.networks import ScoringNetwork
from tersely.paper.train_scorer import Dev, check_selection, start, train_scorer
from tersely.text import Document

from .conftest import COLUMNS, Hashing, make_text

SCRIPT = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[3])
from conftest import Hashing, make_text
from tersely.paper.config import ScorerConfig
from tersely.learn.corpus import Corpus
from tersely.paper.train_scorer import train_scorer
from tersely.settings import read_settings
from tersely.text import Document
corpus = Corpus(tuple(Document.from_text(make_text(number)) for number in range(30)))
report = lambda at: at.stage == "training" and reached(at.finished)
train_scorer(read_settings(Path(sys.argv[1]), ScorerConfig), corpus, Hashing(), Path(sys.argv[2]), False, report)
"""


def silent(progress: TrainingProgress) -> None:
    del progress


@pytest.fixture
def straight(config: ScorerConfig, corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nothing disturbed."""
    out = tmp_path_factory.mktemp("straight")
    train_scorer(config, corpus, Hashing(), out, resume=False, report=silent)
    return out


def assert_same(one: Path, two: Path) -> None:
    tensors, notes = read_tensors(one / "training" / "checkpoint.safetensors")
    others, other_notes = read_tensors(two / "training" / "checkpoint.safetensors")
    assert tensors.keys() == others.keys()
    assert any(name.startswith("optimizer.") for name in tensors)
    assert all(torch.equal(tensors[name], others[name]) for name in tensors)
    assert notes["best"] == other_notes["best"]
    for point, other in zip(notes["curve"], other_notes["curve"], strict=True):
        assert {**point, "seconds": 0} == {**other, "seconds": 0}
    assert [f.name for f in sorted((one / "training").glob("best-*"))] == [
        f.name for f in sorted((two / "training").glob("best-*"))
    ]


def test_a_killed_run_resumes_bit_for_bit(config: ScorerConfig, corpus: Corpus, straight: Path, tmp_path: Path) -> None:
    file, out = tmp_path / "config.toml", tmp_path / "run"
    file.write_bytes(to_toml(config))
    kill_at(6, SCRIPT, file, out, Path(__file__).parent)
    assert 4 <= read_tensors(out / "training" / "checkpoint.safetensors")[1]["step"] < 12
    train_scorer(config, corpus, Hashing(), out, resume=True, report=silent)
    assert_same(straight, out)


def test_ctrl_c_finishes_the_step_and_saves_it_for_resuming(
    config: ScorerConfig, corpus: Corpus, straight: Path, tmp_path: Path
) -> None:
    def interrupt(at: TrainingProgress) -> None:
        if at.stage == "training" and at.finished == 5:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        train_scorer(config, corpus, Hashing(), tmp_path, resume=False, report=interrupt)
    assert read_tensors(tmp_path / "training" / "checkpoint.safetensors")[1]["step"] == 5
    train_scorer(config, corpus, Hashing(), tmp_path, resume=True, report=silent)
    assert_same(straight, tmp_path)


def test_a_finished_run_can_go_on_to_more_steps(
    config: ScorerConfig, corpus: Corpus, straight: Path, tmp_path: Path
) -> None:
    fewer = replace(config, training=replace(config.training, steps=8))  # a multiple of `validate_every`
    train_scorer(fewer, corpus, Hashing(), tmp_path, resume=False, report=silent)
    train_scorer(config, corpus, Hashing(), tmp_path, resume=True, report=silent)
    assert_same(straight, tmp_path)


def test_an_unknown_knapsack_network_is_reported_before_anything_is_encoded(
    config: ScorerConfig, corpus: Corpus, tmp_path: Path
) -> None:
    class Unused(Hashing):
        def encode(self, sentences: Sequence[str]) -> np.ndarray:
            raise AssertionError(sentences)

    unknown = replace(config, selection=replace(config.selection, kind="network", folder="nope"))
    with pytest.raises(ModelError, match="nope"):
        train_scorer(unknown, corpus, Unused(), tmp_path, resume=False, report=silent)


def test_a_run_is_neither_overwritten_nor_resumed_with_other_settings(
    config: ScorerConfig, corpus: Corpus, straight: Path
) -> None:
    class Other(Hashing):
        fingerprint = "hashing-2"

    with pytest.raises(UsageError, match="--resume"):
        train_scorer(config, corpus, Hashing(), straight, resume=False, report=silent)
    with pytest.raises(UsageError, match="another encoder"):
        train_scorer(config, corpus, Other(), straight, resume=True, report=silent)
    with pytest.raises(UsageError, match="another corpus"):
        train_scorer(config, Corpus(corpus.documents[1:]), Hashing(), straight, resume=True, report=silent)
    shorter = replace(config, training=replace(config.training, steps=2))
    with pytest.raises(UsageError, match=r"another configuration.*: training\.steps was \d+ and is 2$"):
        train_scorer(shorter, corpus, Hashing(), straight, resume=True, report=silent)
    wider = replace(config, network=replace(config.network, width=16))
    with pytest.raises(ModelError, match="another network"):
        train_scorer(wider, corpus, Hashing(), straight, resume=True, report=silent)


def test_the_log_is_a_learning_curve(config: ScorerConfig, corpus: Corpus, tmp_path: Path) -> None:
    asked: list[int] = []

    def rouge1(number: int, chosen: list[str]) -> float:
        asked.append(number)
        assert set(chosen) <= set(corpus.documents[number].texts)
        return float(len(chosen))

    train_scorer(config, corpus, Hashing(), tmp_path, False, silent, Dev(corpus.documents[:3], rouge1))
    assert [step for step, _, _ in read_log(tmp_path / "log.jsonl")] == [4, 8, 12]
    assert [score for _, _, score in read_log(tmp_path / "log.jsonl")] == [2, 2, 2]
    assert sorted(set(asked)) == [0, 1, 2]
    point = json.loads((tmp_path / "log.jsonl").read_text().splitlines()[0])
    assert {"loss", "rest_ext", "rest_ext_negative", "first_three", "rouge1_shuffled"} <= point.keys()
    assert any((tmp_path / "training" / "tensorboard").iterdir())


@pytest.mark.parametrize("kind", ["network", "perturbed"])
def test_length_control_is_trained_within_budgets(
    kind: str, config: ScorerConfig, corpus: Corpus, tmp_path: Path
) -> None:
    folder = "knapsack-cnndm-dp" if kind == "network" else ""
    changed = replace(config, selection=replace(config.selection, kind=kind, folder=folder))
    state = train_scorer(changed, corpus, Hashing(), tmp_path, False, silent)
    fresh = start(changed, corpus, Hashing(), COLUMNS, tmp_path / "none").network
    assert all(
        not torch.equal(one, two) for one, two in zip(state.network.parameters(), fresh.parameters(), strict=True)
    )
    assert state.notes["curve"][-1]["selects"] > 0.9


def test_a_selection_that_takes_nothing_stops_training(config: ScorerConfig, corpus: Corpus, tmp_path: Path) -> None:
    """The loss of documents without a selection is 0: nothing would be learned, and a model would come of it."""
    changed = replace(config, selection=replace(config.selection, kind="perturbed", shortest=1, longest=2))
    with pytest.raises(ModelError, match=r"nothing to learn from: no sentence fits into 1 to 2 characters"):
        train_scorer(changed, corpus, Hashing(), tmp_path, False, silent)
    selection = replace(config.selection, kind="network", folder="x")
    with pytest.raises(ModelError, match="knapsack network 'x' selects nothing"):
        check_selection({"selects": 0.0}, replace(config, selection=selection))


def test_words_need_coverage_to_count_them(config: ScorerConfig, corpus: Corpus, tmp_path: Path) -> None:
    objective = Objective(rest_ext=0.0, ext_doc=0.0, words=1.0, teacher_scorer="lead", teacher_tuned=False)
    with pytest.raises(UsageError, match="set teacher_scorer to 'coverage'"):
        train_scorer(replace(config, objective=objective), corpus, Hashing(), tmp_path, False, silent)


def test_progress_is_reported_from_the_first_vector_to_the_last_step(
    config: ScorerConfig, corpus: Corpus, tmp_path: Path
) -> None:
    seen: list[TrainingProgress] = []
    train_scorer(config, corpus, Hashing(), tmp_path, False, seen.append)
    assert [at.finished for at in seen if at.stage == "encoding"] == list(range(1, 31))
    steps = [at for at in seen if at.stage == "training"]
    assert [at.finished for at in steps] == list(range(1, 13))
    assert [at.finished for at in steps if at.validated] == [4, 8, 12]
    assert steps[-1].remaining == 0


def test_the_gradients_of_a_scorer_are_clipped(config: ScorerConfig, corpus: Corpus, tmp_path: Path) -> None:
    """Adam hides the scale of gradients, so look at those of the last step."""
    norms = []
    for clip in (0.0, 1e-4):
        changed = replace(config, training=replace(config.training, steps=1, clip=clip))
        state = train_scorer(changed, corpus, Hashing(), tmp_path / str(clip), False, silent)
        gradients = [weight.grad for weight in state.network.parameters() if weight.grad is not None]
        norms.append(float(torch.nn.utils.get_total_norm(gradients)))
    assert norms[0] > 1e-3
    assert norms[1] == pytest.approx(1e-4, rel=1e-2)


def test_rates_fall_to_zero_if_they_are_asked_to(config: ScorerConfig, corpus: Corpus, tmp_path: Path) -> None:
    for decay, last in ((False, (0.1, 0.2)), (True, (0.025, 0.05))):
        training = replace(config.training, steps=4, rate=0.1, siamese_rate=0.2, decay=decay)
        changed = replace(config, training=training)
        state = train_scorer(changed, corpus, Hashing(), tmp_path / str(decay), False, silent)
        assert [group["lr"] for group in state.optimizer.param_groups] == pytest.approx(last)


def test_all_that_is_trained_has_one_rate_unless_another_is_named(config: ScorerConfig, corpus: Corpus) -> None:
    """The paper's second optimizer is for loaded weights, and it updates none of these."""
    for name in ("paper-cnndm", "paper-nyt", "paper-cnewsum"):
        training = read_network_config(name).training
        assert training.rates == (training.rate, training.rate)
    state = start(replace(config, training=ScorerTraining(1)), corpus, Hashing(), COLUMNS, Path("none"))
    groups = state.optimizer.param_groups
    assert {group["lr"] for group in groups} == {3e-6}
    assert sum(len(group["params"]) for group in groups) == len(list(state.network.parameters()))


def test_the_epsilon_of_adam_is_a_setting(config: ScorerConfig, corpus: Corpus) -> None:
    """A gradient as small as epsilon moves a weight by half of the rate, and one far above it by the whole rate."""
    moved = []
    for epsilon in (1e-8, 1e-14):
        training = replace(config.training, rate=0.1, epsilon=epsilon)
        state = start(replace(config, training=training), corpus, Hashing(), COLUMNS, Path("none"))
        weight = next(state.network.scorer.parameters())
        before, weight.grad = weight.detach().clone(), torch.full_like(weight, 1e-8)
        state.optimizer.step()
        moved.append(float((before - weight.detach()).mean()))
    assert moved == pytest.approx([0.05, 0.1], rel=1e-3)


@pytest.mark.parametrize(("features", "value"), [("", "sigmoid"), ("position words length", "length_exp")])
def test_the_exported_graph_computes_what_the_network_computes(
    config: ScorerConfig, corpus: Corpus, tmp_path: Path, features: str, value: str
) -> None:
    from tersely.score import learned

    network = replace(config.network, features=features, value=value)
    changed = replace(config, network=network, training=replace(config.training, keep=1))
    if value == "sigmoid":
        changed = replace(changed, network=replace(network, positions="learned", scaled=True))
    state = train_scorer(changed, corpus, Hashing(), tmp_path, False, silent)
    export(changed, state, corpus, tmp_path)
    scorer = ScoringNetwork(changed, COLUMNS)
    scorer.load_state_dict(read_tensors(tmp_path / "model.safetensors")[0])
    found = learned.Learned(str(tmp_path))
    # One has more sentences than there are learned places.
    for document in (*corpus.documents[:3], *(Document.from_sentences(["One."] * count) for count in (1, 70))):
        vectors = Hashing().encode(document.texts)
        extra = torch.from_numpy(learned.features(document, changed.features))[None]
        with torch.no_grad():
            scores = scorer(torch.from_numpy(vectors)[None], extra, torch.ones(1, len(document), dtype=torch.bool))
            expected = scorer.values(scores, torch.from_numpy(learned.lengths(document))[None])[0]
        values = found.score(document, vectors)
        np.testing.assert_allclose(values, expected, rtol=1e-4)
        np.testing.assert_array_equal(values, pickle.loads(pickle.dumps(found)).score(document, vectors))


@pytest.fixture
def no_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    """Export no graph: that takes seconds, and graphs are tested elsewhere."""
    monkeypatch.setattr(sys.modules["tersely.paper.export"], "onnx_bytes", lambda *_: b"graph")


@pytest.mark.usefixtures("no_graph")
def test_the_mean_of_the_best_weights_can_be_exported(config: ScorerConfig, corpus: Corpus, tmp_path: Path) -> None:
    changed = replace(config, training=replace(config.training, average=True))
    state = train_scorer(changed, corpus, Hashing(), tmp_path, False, silent)
    export(changed, state, corpus, tmp_path)
    expected = averaged(BestWeights(tmp_path / "training").load(state.notes["best"]))
    found = read_tensors(tmp_path / "model.safetensors")[0]
    assert all(torch.equal(found[name], expected[name]) for name in expected)
    assert "the mean of 2 checkpoints" in (tmp_path / "README.md").read_text()


def test_the_command_makes_a_model_that_summarizes(config: ScorerConfig, tmp_path: Path, english: str) -> None:
    file, texts, out = tmp_path / "tiny.toml", tmp_path / "texts.jsonl", tmp_path / "a=b" / "my-model"
    file.write_bytes(to_toml(config))
    texts.write_text("".join(json.dumps({"text": make_text(number)}) + "\n" for number in range(24)))
    dev = tmp_path / "dev.jsonl"
    dev.write_text(json.dumps({"id": "1", "text": make_text(99), "summary": ["Rain on the river."]}) + "\n")
    arguments = ["scorer", str(texts), "--config", str(file), "--out", str(out), "--steps", "4", "--dev", str(dev)]
    done = CliRunner().invoke(command, arguments, catch_exceptions=False)
    assert done.exit_code == 0
    assert "24 documents; 0 with fewer than 4 sentences" in done.output
    assert "training 4/4" in done.output
    for folder in (out, *out.glob("best-*")):
        summarizer = Summarizer.load(folder)
        summary = summarizer.summarize(english, max_chars=200)
        assert 0 < len(summary.text) <= 200
        assert summary.model == folder.relative_to(out.parent).as_posix()
    assert "24 documents of 4 or more sentences, 3 of them held out" in (out / "README.md").read_text()
    assert read_config(str(out / "training.toml")).training.steps == 4
    # The vectors are kept where the next run finds them.
    cache = Cache(out / "training" / "vectors", load_encoder("use"))
    assert len(cache) >= 24
    (out / "model.onnx").write_bytes(b"other")
    with pytest.raises(ModelError, match="SHA-256"):
        Summarizer.load(out)


@pytest.mark.usefixtures("no_graph")
def test_settings_seed_validation_and_first_words_are_options(config: ScorerConfig, tmp_path: Path) -> None:
    file, texts, dev = tmp_path / "tiny.toml", tmp_path / "texts.jsonl", tmp_path / "dev.jsonl"
    file.write_bytes(to_toml(config))
    texts.write_text("".join(json.dumps({"text": make_text(number)}) + "\n" for number in range(24)))
    dev.write_text("".join(json.dumps({"text": make_text(number)}) + "\n" for number in (3, 70, 71)))
    options = ["--seed", "7", "--set", "training.steps=2", "--set", "network.value=exp", "--max-source-tokens", "25"]
    arguments = ["scorer", str(texts), "--config", str(file), "--validation", str(dev), "--out", str(tmp_path / "out")]
    done = CliRunner().invoke(command, [*arguments, *options, "--device", "cpu"], catch_exceptions=False)
    assert "3 of them to validate on" in done.output
    made = read_config(str(tmp_path / "out" / "training.toml"))
    assert (made.training.seed, made.training.steps, made.network.value, made.data.tokens) == (7, 2, "exp", 25)
    assert "or more sentences, 3 of them held out" in (tmp_path / "out" / "README.md").read_text()


def test_supervised_training_learns_the_labels_of_the_oracle(config: ScorerConfig, tmp_path: Path) -> None:
    """Every summary is the third sentence, which a network with positions can learn."""
    settings = replace(config.objective, rest_ext=0.0, ext_doc=0.0, supervised=1.0)
    training = replace(config.training, steps=60, validate_every=30, rate=1e-2, keep=1)
    file, texts, out = tmp_path / "supervised.toml", tmp_path / "labeled.jsonl", tmp_path / "model"
    selection = replace(config.selection, count=1)
    changed = replace(config, objective=settings, training=training, selection=selection, select="top")
    file.write_bytes(to_toml(changed))
    documents = [Document.from_text(make_text(number)) for number in range(24)]
    rows = [{"id": str(i), "text": d.text, "summary": [d.texts[2]]} for i, d in enumerate(documents)]
    texts.write_text("".join(json.dumps(row) + "\n" for row in rows))
    arguments = ["supervised", str(texts), "--config", str(file), "--out", str(out)]
    CliRunner().invoke(command, arguments, catch_exceptions=False)
    summarizer = Summarizer.load(out)
    unseen = Document.from_text(make_text(77))
    assert summarizer.summarize(unseen, max_sentences=1).text == unseen.texts[2]
    assert "trained with labels" in (out / "README.md").read_text()


def test_supervised_training_without_summaries_is_refused(config: ScorerConfig, corpus: Corpus, tmp_path: Path) -> None:
    changed = replace(config, objective=replace(config.objective, supervised=1.0))
    with pytest.raises(InputError, match="documents with summaries"):
        train_scorer(changed, corpus, Hashing(), tmp_path, False, silent)
    texts = tmp_path / "texts.jsonl"
    texts.write_text("".join(json.dumps({"text": make_text(number)}) + "\n" for number in range(24)))
    with pytest.raises(InputError, match="documents with summaries, and none of these has one"):
        CliRunner().invoke(command, ["supervised", str(texts), "--out", str(tmp_path / "x")], catch_exceptions=False)
