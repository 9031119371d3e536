"""Training a scorer on unlabelled documents, so that it can be killed at any time and go on."""

import json
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
from tersely.learn.checkpoint import load_checkpoint, save_checkpoint
from tersely.learn.files import replace_file
from tersely.learn.interrupt import Interrupt
from tersely.learn.scorer.best import Best
from tersely.learn.scorer.config import Config
from tersely.learn.scorer.corpus import Corpus
from tersely.learn.scorer.data import Documents, Order
from tersely.learn.scorer.network import Model
from tersely.learn.scorer.selection import Select, selector
from tersely.learn.scorer.step import forward
from tersely.learn.scorer.teacher import Teacher
from tersely.learn.scorer.validate import Dev, measure, validate


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
    config: Config, corpus: Corpus, encoder: Encoder, out: Path, resume: bool, report: Report, dev: Dev | None = None
) -> State:
    """Train to the end of the configuration, or raise KeyboardInterrupt after saving where it is."""
    checkpoint = out / "training" / "checkpoint.safetensors"
    if checkpoint.exists() and not resume:
        raise UsageError(f"{out} holds a training already: pass --resume, or choose another folder")
    torch.set_num_threads(config.training.threads)
    learning, held_out = (Order.of(numbers, config) for numbers in corpus.split(config.data.held_out))
    teacher = make_teacher(config, corpus, learning)
    labels = corpus.labels if config.objective.supervised else ()
    if config.objective.supervised and not labels:
        raise InputError("supervised training needs documents with summaries, and none of these has one")
    documents = Documents(corpus.documents, encoder, config.features, teacher, labels)
    columns = encode_all(documents, report)
    state = start(config, corpus, encoder, columns, checkpoint)
    state.notes["teacher"] = [] if teacher is None else list(teacher.specs)
    return Loop(config, documents, learning, held_out, state, out / "training", report, dev).run()


def make_teacher(config: Config, corpus: Corpus, learning: Order) -> Teacher | None:
    """Return the teacher, tuned to the documents to learn from, where one is wanted."""
    settings = config.objective
    if not settings.imitation and config.network.value != "coverage_exp":
        return None
    teacher = Teacher.load(settings.teacher_scorer, settings.teacher_select)
    if not settings.teacher_tuned:
        return teacher
    numbers, budgets = zip(*(pair for batch in learning.fixed() for pair in zip(*batch, strict=True)), strict=True)
    documents = [corpus.documents[number] for number in numbers]
    shares = [min(budget / len(document.text), 1.0) for document, budget in zip(documents, budgets, strict=True)]
    return teacher.tuned(documents, sum(shares) / len(shares))


def encode_all(documents: Documents, report: Report) -> int:
    """Have every vector computed; what a cache has is not computed again. Return how many numbers one has."""
    started, total, columns = time.monotonic(), len(documents.documents), 0
    for done, document in enumerate(documents.documents, 1):
        columns = documents.encoder.encode(document.texts).shape[1]
        left = (time.monotonic() - started) / done * (total - done)
        report(Progress("encoding", done, total, left, {}, done == total))
    return columns


def start(config: Config, corpus: Corpus, encoder: Encoder, columns: int, checkpoint: Path) -> State:
    """Make fresh networks, or take up those of the checkpoint."""
    with torch.random.fork_rng():
        torch.manual_seed(config.training.seed)
        model = Model(config, columns)
    # A group of parameters each has its own state and rate: these are the paper's two Adam optimisers.
    groups = [{"params": list(model.scorer.parameters()), "lr": config.training.rate}]
    if model.siamese is not None:
        groups.append({"params": list(model.siamese.parameters()), "lr": config.training.siamese_rate})
    optimizer = torch.optim.Adam(groups, betas=(0.9, 0.999))
    facts = {"config": asdict(config), "corpus": fingerprint(corpus), "encoder": encoder.fingerprint}
    notes: dict[str, Any] = {"step": 0, "seconds": 0.0, "curve": [], "best": [], "columns": columns, **facts}
    if checkpoint.exists():
        notes = load_checkpoint(checkpoint, model, optimizer)
        for name, what in (("encoder", "encoder"), ("corpus", "corpus"), ("config", "configuration")):
            if notes[name] != facts[name]:
                raise UsageError(f"{checkpoint} was made with another {what}, and cannot be resumed with this one")
    return State(model, optimizer, notes)


def fingerprint(corpus: Corpus) -> str:
    """Hash the texts and labels, in their order."""
    digest = sha256(repr(corpus.labels).encode())
    for document in corpus.documents:
        digest.update(sha256(document.text.encode("utf-8", "surrogatepass")).digest())
    return digest.hexdigest()


@dataclass(frozen=True)
class Loop:
    """Steps, validations and what is written of them."""

    config: Config
    documents: Documents
    learning: Order
    held_out: Order
    state: State
    folder: Path
    report: Report
    dev: Dev | None = None

    def run(self) -> State:
        """Go on to the last step."""
        from torch.utils.tensorboard import SummaryWriter

        notes, training = self.state.notes, self.config.training
        select, best = selector(self.config.selection), Best(self.folder, training.keep)
        writer = SummaryWriter(self.folder / "tensorboard", purge_step=notes["step"])
        before = notes["seconds"] - time.monotonic()
        with Interrupt() as interrupt:
            while notes["step"] < training.steps:
                figures = self.learn(select)
                notes["step"] += 1
                notes["seconds"] = before + time.monotonic()
                validating = notes["step"] % training.validate_every == 0 or notes["step"] == training.steps
                if validating:
                    figures = self.validate(select) | {"loss": figures["loss"]}
                    notes["curve"].append({"step": notes["step"], "seconds": round(notes["seconds"], 1), **figures})
                    for name, value in figures.items():
                        writer.add_scalar(name, value, notes["step"])
                    writer.flush()
                    notes["best"] = best.offer(notes["best"], figures["validation_loss"], notes["step"], self.weights())
                left = notes["seconds"] / notes["step"] * (training.steps - notes["step"])
                self.report(Progress("training", notes["step"], training.steps, left, figures, validating))
                stopping = interrupt.asked
                if validating or stopping:
                    self.save()
                    best.tidy(notes["best"])
                if stopping and notes["step"] < training.steps:
                    writer.close()
                    raise KeyboardInterrupt
        writer.close()
        return self.state

    def learn(self, select: Select) -> dict[str, float]:
        """Take one step; return its figures."""
        training, step = self.config.training, self.state.notes["step"]
        model, optimizer = self.state.model, self.state.optimizer
        batch = self.documents.batch(*self.learning.at(step))
        # All chance of a step comes from its number: to resume is to go on counting.
        sampling = torch.Generator().manual_seed(training.seed * 1_000_003 + step)
        found = forward(model, batch, self.config, select, sampling)
        optimizer.zero_grad()
        if found.loss.requires_grad:
            torch.autograd.backward(found.loss)
        if training.clip:
            nn.utils.clip_grad_norm_(model.parameters(), training.clip)
        optimizer.step()
        return {"loss": float(found.loss.detach()), **found.figures}

    def validate(self, select: Select) -> dict[str, float]:
        """Return the validation's figures."""
        batches = (self.documents.batch(*which) for which in self.held_out.fixed())
        figures: dict[str, float] = validate(self.state.model, batches, self.config, select)
        if self.dev is not None:
            figures |= measure(self.state.model, self.dev, self.documents.encoder, self.config)
        return figures

    def weights(self) -> dict[str, torch.Tensor]:
        """Return the scorer's weights, which are all that inference needs."""
        return {name: tensor.contiguous() for name, tensor in self.state.model.scorer.state_dict().items()}

    def save(self) -> None:
        """Write the checkpoint, and the curve as lines of JSON."""
        state = self.state
        save_checkpoint(self.folder / "checkpoint.safetensors", state.model, state.optimizer, state.notes)
        replace_file(self.folder.parent / "log.jsonl", curve_lines(state.notes))


def curve_lines(notes: dict[str, Any]) -> bytes:
    """Return the curve of a training as lines of JSON."""
    return "".join(json.dumps(point) + "\n" for point in notes["curve"]).encode()
