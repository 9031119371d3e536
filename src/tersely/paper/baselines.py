"""The parts that all methods of other papers share: configuration, labeled documents, training, model folders."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from importlib import import_module
from itertools import islice
from math import inf, sqrt
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor, nn

from tersely.datasets import read
from tersely.encode import torch_device
from tersely.errors import InputError, UsageError, unknown_name
from tersely.evaluate.systems import Oracle
from tersely.learn.artifacts import check_folder, find_config, to_toml, today, write_folder
from tersely.learn.corpus import FEWEST_DOCUMENTS, FEWEST_SENTENCES, Corpus, beginning, split
from tersely.learn.training import (
    BestWeights,
    Figures,
    Loop,
    Report,
    RunFiles,
    TrainingState,
    check_resume,
    start_or_resume,
)
from tersely.options import Budget
from tersely.paper.batches import Order
from tersely.settings import changed, parse_settings, read_toml
from tersely.text import Document

KINDS = {
    "neusum": ("train_neusum", "NeuSumConfig"),
    "bertsum": ("train_bertsum", "BertSumConfig"),
    "stas": ("train_stas", "StasConfig"),
    "words": ("train_words", "WordsConfig"),
}


@dataclass(frozen=True)
class BaselineTraining:
    """Adam; the rate grows during warm-up and then falls with the square root of the step."""

    steps: int = 1000
    batch: int = 16
    rate: float = 1e-3
    warmup: int = 100
    clip: float = 1.0
    seed: int = 42
    threads: int = 1
    validate_every: int = 100
    keep: int = 3


class BaselineData(NamedTuple):
    """The files to train on, the files to validate on, and how many documents of the first to read; 0 means all."""

    files: Sequence[Path]
    validation: Sequence[Path] = ()
    limit: int = 0

    def corpus(self, sentences: int) -> Corpus:
        """Read the texts, and at most so many sentences of each."""
        corpus = Corpus.read(self.files, sentences, self.limit)
        return corpus.validated_on(Corpus.read(self.validation, sentences, fewest=1)) if self.validation else corpus


class BaselineConfig(Protocol):
    """The part of a configuration that every baseline has."""

    @property
    def name(self) -> str:
        """The name of the configuration."""

    def make(self, data: "BaselineData", out: Path, resume: bool, report: Report, device: str = "auto") -> None:
        """Read the data, train, and write the model folder `out`; the arguments are those of `make_baseline`."""


@dataclass(frozen=True)
class Trained:
    """The part of a configuration that networks share."""

    name: str
    kind: str
    training: BaselineTraining = field(default_factory=BaselineTraining)

    def check(self, *tables: Any) -> None:
        """Refuse numbers that are not positive."""
        for table in (self.training, *tables):
            for key, value in vars(table).items():
                if type(value) in (int, float) and not 0 < value < inf:
                    raise UsageError(f"'{key}' must be positive, not {value}")


def read_baseline(name: str, changes: Iterable[str] = ()) -> BaselineConfig:
    """Read the configuration of a baseline, by name or file, and change it."""
    path = find_config(name)
    try:
        settings = changed(read_toml(path), changes)
        kind = str(settings.get("kind", ""))
        if kind not in KINDS:
            raise unknown_name("kind of baseline", kind, KINDS)
        module, config = KINDS[kind]
        parsed: BaselineConfig = parse_settings(settings, getattr(import_module(f"tersely.paper.{module}"), config))
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from None
    return parsed


def make_baseline(
    config: BaselineConfig, data: BaselineData, out: Path, *, resume: bool, report: Report, device: str
) -> None:
    """Train the baseline of `config` on `data`, and write its model folder to `out`.

    `resume` continues the run in that folder. `report` gets the progress, and `device` is auto, cpu or cuda.
    """
    check_folder(out, resume)
    check_resume(out / "training" / "checkpoint.safetensors", out, resume)  # before the data is read
    config.make(data, out, resume, report, device)


class Labeled(NamedTuple):
    """A document, and the steps of the oracle: the sentence it chooses, and the gain of every candidate."""

    document: Document
    steps: tuple[tuple[int, dict[int, float]], ...]


def read_labeled(data: BaselineData, longest: int, count: int) -> tuple[list[Labeled], int]:
    """Label the first `longest` sentences of the documents; return how many of them, the last, are to validate on.

    The labels are those of an oracle that sees the summary and takes `count` sentences.
    """
    learning, validation = _labeled(data.files, longest, count, data.limit), _labeled(data.validation, longest, count)
    if data.validation and not validation:
        raise InputError(f"{data.validation[0]} has no document with a summary to validate on")
    training = [example for text, example in learning.items() if text not in validation]
    if len(training) < FEWEST_DOCUMENTS:
        raise InputError(
            f"{len(training)} documents with summaries are too few: at least {FEWEST_DOCUMENTS} are needed"
        )
    return [*training, *validation.values()], len(validation)


def _labeled(files: Iterable[Path], longest: int, count: int, limit: int = 0) -> dict[str, Labeled]:
    """Label documents; a repeated one is left out, since it could be in training and in validation at once."""
    oracle, budget = Oracle(), Budget(count, "sentences")
    by_text: dict[str, Labeled] = {}
    records = (record for path in files for record in read(path) if record.reference)
    for record in islice(records, limit or None):
        cut = replace(record, document=beginning(record.document, longest))
        if len(cut.document) >= FEWEST_SENTENCES and (steps := tuple(oracle.steps(cut, budget))):
            by_text.setdefault(cut.document.text, Labeled(cut.document, steps))
    return by_text


def digest(documents: Iterable[Document]) -> str:
    """Hash the texts in their order: a run can be resumed with the same ones only."""
    parts = (sha256(document.text.encode("utf-8", "surrogatepass")).digest() for document in documents)
    return sha256(b"".join(parts)).hexdigest()


def device_of(network: nn.Module) -> torch.device:
    """Return where a network computes."""
    return next(network.parameters()).device


# The mean loss of some documents; all chance comes from the generator.
Loss = Callable[[Sequence[int], torch.Generator], Tensor]


@dataclass(frozen=True)
class BaselineLessons:
    """A network, and the loss of documents by number; the last `validation` of them, or a tenth, are to validate on."""

    config: Trained
    network: nn.Module
    loss: Loss
    documents: Sequence[Document]
    facts: dict[str, Any] = field(default_factory=dict)
    groups: list[dict[str, Any]] = field(default_factory=list)  # of parameters, each with its own rate
    validation: int = 0

    def train(self, out: Path, resume: bool, report: Report, device: str = "auto") -> TrainingState[nn.Module]:
        """Train to the last step in the folder `out`, or raise KeyboardInterrupt after saving.

        `resume` continues the run in that folder, `report` gets the progress, and `device` is auto, cpu or cuda.
        """
        training, folder = self.config.training, out / "training"
        check_resume(folder / "checkpoint.safetensors", out, resume)
        torch.set_num_threads(training.threads)
        self.network.to(torch_device(device))
        groups = self.groups or [{"params": list(self.network.parameters()), "lr": training.rate}]
        optimizer = torch.optim.Adam(groups)
        facts = {"corpus": digest(self.documents), **self.facts}
        if self.validation:
            facts["validation"] = self.validation
        state = start_or_resume(self.network, optimizer, self.config, folder / "checkpoint.safetensors", facts, True)
        state.notes.setdefault("best", [])
        learning, held_out = (
            Order(numbers, training.batch, training.seed, 1, 1)
            for numbers in split(len(self.documents), self.validation)
        )
        rates, best = [float(group["lr"]) for group in groups], BestWeights(folder, training.keep)

        def step() -> Figures:
            at = state.step
            for group, rate in zip(optimizer.param_groups, rates, strict=True):
                group["lr"] = rate * min((at + 1) / training.warmup, sqrt(training.warmup / (at + 1)))
            self.network.train()
            # All chance of a step comes from its number, so a resumed run draws the same.
            with torch.random.fork_rng():
                torch.manual_seed(training.seed * 1_000_003 + at)
                loss = self.loss(learning.at(at)[0], torch.Generator().manual_seed(training.seed * 1_000_003 + at))
                optimizer.zero_grad()
                torch.autograd.backward(loss)
            nn.utils.clip_grad_norm_(self.network.parameters(), training.clip)
            optimizer.step()
            return {"loss": float(loss.detach())}

        def validate(last: Figures) -> Figures:
            self.network.eval()
            sampling, total = torch.Generator().manual_seed(training.seed), 0.0
            with torch.no_grad():
                for numbers_of_batch, _ in held_out.fixed():
                    total += len(numbers_of_batch) * float(self.loss(numbers_of_batch, sampling))
            mean = total / len(held_out.numbers)
            state.notes["best"] = best.offer(state.notes["best"], mean, state.step, self.network.state_dict())
            return {"validation_loss": mean, **last}

        files = RunFiles(folder, out / "log.jsonl", state.step)
        Loop(state, training.steps, training.validate_every, step, validate, files, report).run()
        return state

    def write(self, state: TrainingState[nn.Module], out: Path, pack: Callable[[], "Packed"]) -> None:
        """Write the best weights to `out`, and the next best to `out/best-2`, `out/best-3`, ...

        `pack` returns the model of the network as it is.
        """
        ranking = state.notes["best"]
        for place, weights in enumerate(BestWeights(out / "training", self.config.training.keep).load(ranking)):
            self.network.load_state_dict(weights)
            self.network.to("cpu").eval()
            about = f"Validation loss {ranking[place][0]:.4f} at step {ranking[place][1]:g}."
            write_model(out, pack(), self.config, about, f"best-{place + 1}" if place else "")


class Packed(NamedTuple):
    """A model to write: its files, its scorer, encoder and selector, and the text of its card."""

    files: dict[str, bytes]
    scorer: str
    encoder: str | None
    select: str
    card: str


def write_model(out: Path, packed: Packed, config: Any, about: str = "", best: str = "") -> None:
    """Write a model folder: `packed` as a model, and the `config` it was trained with.

    `about` is a sentence for the card. `best` is a subfolder of `out`, for a checkpoint that is not the best.
    """
    model: dict[str, Any] = {
        "name": f"{out.resolve().name}/{best}".rstrip("/"),
        "description": packed.card.partition("\n")[0],
        "scorer": packed.scorer,
        "select": packed.select,
        "files": {name: sha256(data).hexdigest() for name, data in packed.files.items()},
    }
    if packed.encoder is not None:
        model["encoder"] = packed.encoder
    origin = f"Made by `tersely train baseline DATA --config training.toml --out FOLDER`; {today()}."
    card = f"# {config.name}\n\n{packed.card}\n{about}\n\n{origin}\n"
    texts = {"training.toml": to_toml(config), "README.md": card.encode(), "config.toml": to_toml(model)}
    write_folder(out / best, packed.files | texts)
