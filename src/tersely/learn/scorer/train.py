"""Training a scorer on unlabeled documents, so that it can be killed at any time and go on."""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import nn

from tersely.encode import Encoder
from tersely.errors import InputError, UsageError
from tersely.learn.checkpoint import check_settings, load_checkpoint
from tersely.learn.interrupt import Interrupt
from tersely.learn.scorer.config import Config
from tersely.learn.scorer.corpus import Corpus
from tersely.learn.scorer.data import Documents, Order
from tersely.learn.scorer.device import check_precision, lower_precision
from tersely.learn.scorer.distributed import Team
from tersely.learn.scorer.network import Model
from tersely.learn.scorer.record import Record
from tersely.learn.scorer.selection import Select, selector
from tersely.learn.scorer.step import forward
from tersely.learn.scorer.teacher import Teacher
from tersely.learn.scorer.validate import Dev, measure, validate
from tersely.score.coverage import Coverage


class Progress(NamedTuple):
    """Where a training is: first the vectors, then the steps."""

    what: str  # "encoding" or "training"
    done: int
    total: int
    left: float  # seconds
    figures: dict[str, float]  # of this step, or of a validation
    validated: bool = False


Report = Callable[[Progress], None]


@dataclass(frozen=True)
class State:
    """What a checkpoint is made of."""

    model: Model
    optimizer: torch.optim.Optimizer
    notes: dict[str, Any]  # step, seconds, curve, best, config, corpus, encoder


def train(
    config: Config,
    corpus: Corpus,
    encoder: Encoder,
    out: Path,
    resume: bool,
    report: Report,
    dev: Dev | None = None,
    team: Team | None = None,
    precision: str = "float32",
) -> State:
    """Train to the end of the configuration, or raise KeyboardInterrupt after saving where it is.

    With a team every process calls this, and one of them reports and writes.
    """
    team, checkpoint = team or Team(), out / "training" / "checkpoint.safetensors"
    check_precision(precision, team.device)
    if checkpoint.exists() and not resume:
        raise UsageError(f"{out} holds a training already: pass --resume, or choose another folder")
    torch.set_num_threads(config.training.threads)
    select = selector(config.selection)
    learning, held_out = (Order.of(numbers, config) for numbers in corpus.split(config.data.held_out))
    teacher = make_teacher(config, corpus, learning)
    labels = corpus.labels if config.objective.supervised else ()
    if config.objective.supervised and not labels:
        raise InputError("supervised training needs documents with summaries, and none of these has one")
    documents = Documents(corpus.documents, encoder, config.features, teacher, labels, make_words(config, teacher))
    columns = encode_all(documents, report, team)
    state = start(config, corpus, encoder, columns, checkpoint, team)
    state.notes["teacher"] = [] if teacher is None else list(teacher.specs)
    lower_precision(state.model, precision, team.device)
    # Gradients of float16 are too small for float16 unless they are scaled.
    scaler = torch.amp.GradScaler(team.device.type, enabled=precision == "float16")
    scaler.load_state_dict(state.notes.get("scaler") or scaler.state_dict())
    return Loop(config, documents, learning, held_out, select, state, scaler, out / "training", report, dev, team).run()


def make_teacher(config: Config, corpus: Corpus, learning: Order) -> Teacher | None:
    """Return the teacher, tuned to the documents to learn from, where one is wanted."""
    settings = config.objective
    if not (settings.imitation or settings.words) and config.network.value != "coverage_exp":
        return None
    teacher = Teacher.load(settings.teacher_scorer, settings.teacher_select)
    if not settings.teacher_tuned:
        return teacher
    numbers, budgets = zip(*(pair for batch in learning.fixed() for pair in zip(*batch, strict=True)), strict=True)
    documents = [corpus.documents[number] for number in numbers]
    shares = [min(budget / len(document.text), 1.0) for document, budget in zip(documents, budgets, strict=True)]
    return teacher.tuned(documents, sum(shares) / len(shares))


def make_words(config: Config, teacher: Teacher | None) -> Coverage | None:
    """Return what says how much the words of a document matter, where that is wanted."""
    if teacher is None or not config.objective.words:
        return None
    if not isinstance(teacher.scorer, Coverage):
        raise UsageError("the objective 'words' counts as coverage does: set teacher_scorer to 'coverage'")
    return teacher.scorer


def encode_all(documents: Documents, report: Report, team: Team) -> int:
    """Have every vector computed; what a cache has is not computed again. Return how many numbers one has."""
    started, total = time.monotonic(), len(documents.documents)
    for number in range(team.rank, total, team.size):
        documents.encoder.encode(documents.documents[number].texts)
        done = min(number + team.size, total)
        left = (time.monotonic() - started) / done * (total - done)
        if team.leads:
            report(Progress("encoding", done, total, left, {}, done == total))
    team.add(torch.zeros(1))  # wait for the others
    columns: int = documents.encoder.encode(documents.documents[0].texts).shape[1]
    return columns


def start(
    config: Config, corpus: Corpus, encoder: Encoder, columns: int, checkpoint: Path, team: Team | None = None
) -> State:
    """Make fresh networks, or take up those of the checkpoint."""
    team = team or Team()
    with torch.random.fork_rng():
        torch.manual_seed(config.training.seed)
        model = Model(config, columns).to(team.device)
    # A group of parameters each has its own state and rate: these are the paper's two Adam optimizers.
    groups = [{"params": list(model.scorer.parameters()), "lr": config.training.rate}]
    if model.siamese is not None:
        groups.append({"params": list(model.siamese.parameters()), "lr": config.training.siamese_rate})
    optimizer = torch.optim.Adam(groups, betas=(0.9, 0.999))
    facts: dict[str, Any] = {"config": asdict(config), "corpus": fingerprint(corpus), "encoder": encoder.fingerprint}
    notes: dict[str, Any] = {"step": 0, "seconds": 0.0, "curve": [], "best": [], "columns": columns, **facts}
    if checkpoint.exists():
        notes = load_checkpoint(checkpoint, model, optimizer)
        for name in ("encoder", "corpus"):
            if notes[name] != facts[name]:
                raise UsageError(f"{checkpoint} was made with another {name}, and cannot be resumed with this one")
        if config.training.steps >= notes["step"]:  # a finished training may go on, too
            notes["config"]["training"]["steps"] = config.training.steps
        check_settings(checkpoint, notes["config"], facts["config"])
    if team.total({"step": notes["step"]})["step"] != team.size * notes["step"]:
        raise UsageError(f"not every process sees {checkpoint}: put --out where all machines can read it")
    return State(model, optimizer, notes)


def fingerprint(corpus: Corpus) -> str:
    """Hash the texts and labels, in their order."""
    digest = sha256(repr(corpus.labels).encode())
    for document in corpus.documents:
        digest.update(sha256(document.text.encode("utf-8", "surrogatepass")).digest())
    return digest.hexdigest()


@dataclass(frozen=True)
class Loop:
    """Steps and validations."""

    config: Config
    documents: Documents
    learning: Order
    held_out: Order
    select: Select
    state: State
    scaler: torch.amp.GradScaler
    folder: Path
    report: Report
    dev: Dev | None
    team: Team

    def run(self) -> State:
        """Go on to the last step."""
        state, notes, training = self.state, self.state.notes, self.config.training
        record = Record(self.folder, training.keep, notes["step"]) if self.team.leads else None
        before = notes["seconds"] - time.monotonic()
        with Interrupt() as interrupt:
            while notes["step"] < training.steps:
                figures = self.learn()
                notes["step"] += 1
                notes["seconds"] = before + time.monotonic()
                validating = notes["step"] % training.validate_every == 0 or notes["step"] == training.steps
                if validating:
                    figures = self.validate() | {"loss": figures["loss"]}
                if record and validating:
                    record.add(notes, figures, state.model)
                if record:
                    left = notes["seconds"] / notes["step"] * (training.steps - notes["step"])
                    self.report(Progress("training", notes["step"], training.steps, left, figures, validating))
                stopping = self.team.any(interrupt.asked)
                if record and (validating or stopping):
                    record.save(notes, state.model, state.optimizer)
                if stopping and notes["step"] < training.steps:
                    break
        if record:
            record.close()
        if notes["step"] < training.steps:
            raise KeyboardInterrupt
        return state

    def learn(self) -> dict[str, float]:
        """Take one step; return its figures."""
        training, step = self.config.training, self.state.notes["step"]
        model, optimizer = self.state.model, self.state.optimizer
        batch = self.team.batch(self.documents, *self.learning.at(step))
        # All chance of a step comes from its number: to resume is to go on counting.
        sampling = torch.Generator().manual_seed(training.seed * 1_000_003 + step)
        part = self.team.part(forward(model, batch, self.config, self.select, sampling))
        optimizer.zero_grad()
        if part.loss.requires_grad:
            torch.autograd.backward(self.scaler.scale(part.loss))
        self.team.add_gradients(model)
        self.scaler.unscale_(optimizer)
        if training.clip:
            nn.utils.clip_grad_norm_(model.parameters(), training.clip)
        self.scaler.step(optimizer)
        self.scaler.update()
        self.state.notes["scaler"] = self.scaler.state_dict()
        return self.team.total({"loss": float(part.loss.detach()), **part.figures})

    def validate(self) -> dict[str, float]:
        """Return the validation's figures."""
        model, config, team = self.state.model, self.config, self.team
        batches = ((team.batch(self.documents, *which), len(which[0])) for which in self.held_out.fixed())
        figures: dict[str, float] = validate(model, batches, config, self.select, team)
        if self.dev is not None:
            figures |= measure(model, self.dev, self.documents, config, team)
        return figures
