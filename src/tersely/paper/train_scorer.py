"""Training of a scorer: a corpus becomes vectors, steps and validations lead to a model folder.

Every validation measures the loss on held-out documents, and ROUGE-1 on a file of labeled documents if there is one.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from torch import nn

from tersely.datasets import read
from tersely.encode import Cache, Encoder, Matrix, Precision, load_encoder, on_device, pieces_of
from tersely.errors import InputError, ModelError, UsageError
from tersely.evaluate.measures import Tokenization, rouge
from tersely.learn.artifacts import check_folder
from tersely.learn.corpus import Corpus
from tersely.learn.training import (
    BestWeights,
    Figures,
    Loop,
    Report,
    RunFiles,
    TrainingProgress,
    TrainingState,
    check_resume,
    start_or_resume,
)
from tersely.paper.batches import DocumentBatch, Documents, Order, make_teacher, make_words
from tersely.paper.config import ScorerConfig, ScorerTraining
from tersely.paper.distributed import Team, check_precision, joined, lower_precision, to_device
from tersely.paper.export import export
from tersely.paper.networks import ScorerModel
from tersely.paper.objectives import choose, forward
from tersely.paper.selection import Select, selector
from tersely.text import Document
from tersely.text.length import TokenCounter


@dataclass(frozen=True)
class Dev:
    """Labeled documents, measured and never learned from: `rouge1` scores sentences chosen from document `number`."""

    documents: Sequence[Document]
    rouge1: Callable[[int, Sequence[str]], float]

    @classmethod
    def read(cls, file: Path) -> "Dev":
        """Read the documents of a file that have a summary."""
        records = [record for record in read(file) if record.reference and len(record.document)]
        if not records:
            raise InputError(f"{file} has no documents with a summary")
        tokens = Tokenization().tokens
        references = [[tokens(text, record.document.language) for text in record.reference] for record in records]

        def rouge1(number: int, chosen: Sequence[str]) -> float:
            language = records[number].document.language
            return 100 * rouge(references[number], [tokens(text, language) for text in chosen])["rouge1"].f1

        return cls([record.document for record in records], rouge1)


def validate(
    model: ScorerModel, batches: Iterable[tuple[DocumentBatch, int]], config: ScorerConfig, select: Select, team: Team
) -> dict[str, float]:
    """Return the mean loss and figures over the batches, and the share of choices among the first three sentences.

    Each batch holds the documents of this process, and comes with the number of documents in all processes of the
    `team`. `select` is the selection of training.
    """
    documents = 0
    sums: dict[str, float] = {}
    # The same sentences are sampled every time, so that two validations differ only by the weights.
    sampling = torch.Generator().manual_seed(config.training.seed)
    for batch, size in batches:
        with torch.no_grad():
            loss = forward(model, batch, config, select, sampling, noisy=False)
            hard = choose(model.scorer, batch, config).cpu().double()  # not every device has double precision
        counts = {"chosen": float(hard.sum(1).mean()), "first": float(hard[:, :3].sum(1).mean())}
        part = team.part(loss._replace(figures=loss.figures | counts))
        for name, value in {"validation_loss": float(part.loss), **part.figures}.items():
            sums[name] = sums.get(name, 0.0) + size * value
        documents += size
    means = {name: value / documents for name, value in team.total(sums).items()}
    chosen, first = means.pop("chosen"), means.pop("first")
    return means | {"first_three": first / chosen if chosen else 0.0}


def measure_dev(model: ScorerModel, dev: Dev, learned: Documents, config: ScorerConfig, team: Team) -> dict[str, float]:
    """Return ROUGE-1 on the documents of `dev` as they are and with their sentences shuffled.

    Encoder and teacher are those of the training documents, `learned`. On shuffled documents a scorer that has learned
    only positions does no better than chance. The processes of the `team` share the documents.
    """
    sums = {"rouge1": 0.0, "rouge1_shuffled": 0.0}
    budget = (config.selection.shortest + config.selection.longest) // 2
    for number in range(team.rank, len(dev.documents), team.size):
        document = dev.documents[number]
        order = np.random.default_rng([config.training.seed, number]).permutation(len(document))
        mixed = Document.from_sentences([document.texts[i] for i in order], document.language)
        vectors = learned.encoder.encode(document.texts)
        for name, text, rows in (("rouge1", document, vectors), ("rouge1_shuffled", mixed, vectors[order])):
            batch = Documents([text], _Precomputed(rows), config.features, learned.teacher).batch([0], [budget])
            with torch.no_grad():
                hard = choose(model.scorer, to_device(batch, team.device), config)[0]
            sums[name] += dev.rouge1(number, [text.texts[i] for i in hard.nonzero().flatten().tolist()])
    return {name: value / len(dev.documents) for name, value in team.total(sums).items()}


@dataclass(frozen=True)
class _Precomputed:
    """Vectors that are already computed, in place of an encoder."""

    vectors: Matrix
    name: str = "given"
    fingerprint: str = ""

    def encode(self, sentences: Sequence[str]) -> Matrix:
        assert len(sentences) == len(self.vectors)
        return self.vectors


def make_scorer(
    config: ScorerConfig,
    read: Callable[[TokenCounter], Corpus],
    out: Path,
    report: Report,
    *,
    resume: bool = False,
    cache: Path | None = None,
    dev: Path | None = None,
    device: str = "auto",
    precision: str = "float32",
    show: Callable[[Corpus], None] = lambda _: None,
) -> None:
    """Train a scorer by `config` on the corpus that `read` returns, and write its model folder to `out`.

    `read` gets the function that counts tokens as the encoder does.
    `resume` continues the run in that folder. `cache` is a folder for vectors, by default in `out`. `dev` is a file of
    labeled documents to measure on. `device` is auto, cpu or cuda, and `precision` that of the networks. If torchrun
    started several processes, they train together, and the first one reports, shows the corpus and writes.
    """
    with joined(device) as team:
        check_folder(out, resume)
        frozen = load_encoder(on_device(config.data.encoder, str(team.device)))
        corpus = read(pieces_of(frozen))
        if team.leads:
            show(corpus)
        vectors = cache or out / "training" / "vectors"
        encoder = Cache(vectors, frozen, cast(Precision, config.data.precision))
        labeled = Dev.read(dev) if dev else None
        state = train_scorer(config, corpus, encoder, out, resume, report, labeled, team, precision)
        if team.leads:
            export(config, state, corpus, out)


def train_scorer(
    config: ScorerConfig,
    corpus: Corpus,
    encoder: Encoder,
    out: Path,
    resume: bool,
    report: Report,
    dev: Dev | None = None,
    team: Team | None = None,
    precision: str = "float32",
) -> TrainingState[ScorerModel]:
    """Train to the last step of the configuration, or raise KeyboardInterrupt after saving.

    `encoder` makes the vectors of the `corpus`. The run is in `out/training`; `resume` continues it. `dev` has labeled
    documents to measure on, and `precision` is that of the networks. With a `team` every process calls this, and the
    first one reports and writes.
    """
    team, folder = team or Team(), out / "training"
    check_precision(precision, team.device)
    if config.objective.contrast and team.size > 1:
        raise UsageError("contrast compares the documents of a batch with each other: train in one process")
    check_resume(folder / "checkpoint.safetensors", out, resume)
    torch.set_num_threads(config.training.threads)
    select = selector(config.selection)
    learning, held_out = (Order.of(numbers, config) for numbers in corpus.split(config.data.held_out))
    documents = make_documents(config, corpus, encoder, learning)
    columns = encode_all(documents, [*learning.documents_of(config.training.steps), *held_out.numbers], report, team)
    state = start(config, corpus, encoder, columns, folder / "checkpoint.safetensors", team)
    state.notes["teacher"] = [] if documents.teacher is None else list(documents.teacher.specs)
    lower_precision(state.network, precision, team.device)
    # The gradients of float16 are too small for float16 unless they are scaled.
    scaler = torch.amp.GradScaler(team.device.type, enabled=precision == "float16")
    scaler.load_state_dict(state.notes.get("scaler") or scaler.state_dict())
    best = BestWeights(folder, config.training.keep)
    lessons = ScorerLessons(config, documents, learning, held_out, select, state, scaler, best, dev, team)
    files = RunFiles(folder, out / "log.jsonl", state.step) if team.leads else None
    steps, every = config.training.steps, config.training.validate_every
    Loop(state, steps, every, lessons.learn, lessons.validate, files, report, team.in_any).run()
    return state


def make_documents(config: ScorerConfig, corpus: Corpus, encoder: Encoder, learning: Order) -> Documents:
    """Return the documents of the corpus with everything that the configuration needs of them.

    `learning` is the order of the documents to train on: the teacher is tuned to these.
    """
    labels = corpus.labels if config.objective.supervised else ()
    if config.objective.supervised and not labels:
        raise InputError("supervised training needs documents with summaries, and none of these has one")
    pairs = [pair for batch in learning.fixed() for pair in zip(*batch, strict=True)]
    texts, budgets = [corpus.documents[number] for number, _ in pairs], [budget for _, budget in pairs]
    teacher = make_teacher(config, texts, budgets)
    chance = np.random.default_rng([config.training.seed, 3])
    # Each document has one order: a run sees most of them once.
    mixed = [number for number in learning.numbers if chance.random() < config.data.shuffled]
    orders = {number: chance.permutation(len(corpus.documents[number])) for number in mixed}
    return Documents(corpus.documents, encoder, config.features, teacher, labels, make_words(config, teacher), orders)


def encode_all(documents: Documents, numbers: Sequence[int], report: Report, team: Team) -> int:
    """Compute the vectors of the documents with these `numbers` that are not cached yet; return their width.

    The processes of the `team` share the work, and the first one reports.
    """
    started, total = time.monotonic(), len(numbers)
    for place in range(team.rank, total, team.size):
        documents.encoder.encode(documents.documents[numbers[place]].texts)
        finished = min(place + team.size, total)
        if team.leads:
            report(TrainingProgress("encoding", finished, total, time.monotonic() - started, {}, finished == total))
    team.add(torch.zeros(1))  # wait for the others
    columns: int = documents.encoder.encode(documents.documents[numbers[0]].texts).shape[1]
    return columns


def start(
    config: ScorerConfig, corpus: Corpus, encoder: Encoder, columns: int, checkpoint: Path, team: Team | None = None
) -> TrainingState[ScorerModel]:
    """Create fresh networks for vectors of this many `columns`, or restore them from the checkpoint.

    A run can only be resumed with the same `corpus` and `encoder`, and every process of the `team` must see its files.
    """
    team = team or Team()
    with torch.random.fork_rng():
        torch.manual_seed(config.training.seed)
        model = ScorerModel(config, columns).to(team.device)
    # The paper's optimizer of randomly initialized weights, which are all that are trained: see `ScorerTraining`.
    rates = config.training.rates
    groups: list[dict[str, Any]] = [{"params": list(model.scorer.parameters()), "lr": rates[0]}]
    if model.siamese is not None:
        groups.append({"params": list(model.siamese.parameters()), "lr": rates[1]})
    optimizer = torch.optim.Adam(groups, betas=(0.9, 0.999), eps=config.training.epsilon)
    facts = {"encoder": encoder.fingerprint, "corpus": fingerprint(corpus), "columns": columns}
    state = start_or_resume(model, optimizer, config, checkpoint, facts, more_steps=True)
    state.notes.setdefault("best", [])
    if team.total({"step": state.step})["step"] != team.size * state.step:
        raise UsageError(f"not every process sees {checkpoint}: put --out where all machines can read it")
    return state


def fingerprint(corpus: Corpus) -> str:
    """Hash the texts and labels, in their order."""
    digest = sha256(repr(corpus.labels).encode())
    for document in corpus.documents:
        digest.update(sha256(document.text.encode("utf-8", "surrogatepass")).digest())
    if corpus.validation:
        digest.update(str(corpus.validation).encode())
    return digest.hexdigest()


def check_selection(figures: Figures, config: ScorerConfig) -> None:
    """Stop if nothing is selected of any document: the loss would be 0, and nothing would be learned."""
    if figures.get("selects") == 0:
        selection = config.selection
        reason = f"knapsack network '{selection.folder}' selects nothing, or " if selection.folder else ""
        raise ModelError(
            f"no sentence of any document is selected, so there is nothing to learn from: {reason}"
            f"no sentence fits into {selection.shortest} to {selection.longest} characters"
        )


def set_rates(optimizer: torch.optim.Optimizer, settings: ScorerTraining, step: int) -> None:
    """Set the rates of a step."""
    remaining = 1 - step / settings.steps if settings.decay else 1.0
    for group, rate in zip(optimizer.param_groups, settings.rates, strict=False):
        group["lr"] = remaining * rate


@dataclass(frozen=True)
class ScorerLessons:
    """The steps and validations of a scorer."""

    config: ScorerConfig
    documents: Documents
    learning: Order
    held_out: Order
    select: Select
    state: TrainingState[ScorerModel]
    scaler: torch.amp.GradScaler
    best: BestWeights
    dev: Dev | None
    team: Team

    def learn(self) -> Figures:
        """Take one step; return its figures."""
        training, step = self.config.training, self.state.step
        model, optimizer = self.state.network, self.state.optimizer
        batch = self.team.batch(self.documents, *self.learning.at(step))
        # All randomness of a step comes from its number, so a resumed run draws the same.
        sampling = torch.Generator().manual_seed(training.seed * 1_000_003 + step)
        part = self.team.part(forward(model, batch, self.config, self.select, sampling))
        set_rates(optimizer, training, step)
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
        figures = self.team.total({"loss": float(part.loss.detach()), **part.figures})
        if step == 0:  # the check of a validation comes after a thousand steps
            check_selection(figures, self.config)
        return figures

    def validate(self, last: Figures) -> Figures:
        """Return the figures of a validation, and keep the weights if they are among the best."""
        model, config, team, notes = self.state.network, self.config, self.team, self.state.notes
        batches = ((team.batch(self.documents, *numbered), len(numbered[0])) for numbered in self.held_out.fixed())
        figures = validate(model, batches, config, self.select, team)
        check_selection(figures, config)
        if self.dev is not None:
            figures |= measure_dev(model, self.dev, self.documents, config, team)
        if team.leads:
            # Inference needs only the scorer.
            weights = model.scorer.state_dict()
            notes["best"] = self.best.offer(notes["best"], figures["validation_loss"], self.state.step, weights)
        return figures | {"loss": last["loss"]}
