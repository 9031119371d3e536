"""A training run of the editor's network: configuration, checkpoints, and the model folder in the end."""

import io
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from string import Template
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from tersely.errors import InputError, UsageError, unknown_name
from tersely.learn.artifacts import check_folder, find_config, to_json_lines, to_toml, today, write_folder
from tersely.learn.corpus import read_texts
from tersely.learn.editor_labels import UNKNOWN, Lesson, WordChoice, read_lessons, unlabeled_lessons
from tersely.learn.editor_network import EditorNetwork, EditorShape
from tersely.learn.train_editor import ChoiceTraining, EditorTraining, epochs, optimizer_of, standardize
from tersely.learn.training import Figures, Loop, Report, RunFiles, TrainingState, check_resume, start_or_resume
from tersely.read import NOISE, Network
from tersely.read.reader import FEATURES, ROLES, Outputs
from tersely.settings import read_settings

Floats = NDArray[np.floating]

MEANING = {
    "noise": "average precision of noise",
    "need": "average precision of needs",
    "worth": "rank correlation of worth with the editor's, mean over documents",
    "first": "documents whose best sentence is the editor's first choice",
    "main": "documents whose best sentence says the main point",
    "cure": "needs whose most probable cure is one of the editor's",
}


def figures_of(network: Network, lessons: Sequence[Lesson]) -> dict[str, float]:
    """Return the figures that `MEANING` explains, from 0 to 1; there must be lessons.

    Sentences without a label do not count, nor does a need that nothing in its document cures.
    """
    outputs = [network(lesson.tokens, lesson.terms, lesson.features) for lesson in lessons]
    pairs = list(zip(outputs, lessons, strict=True))
    roles, needs = (np.concatenate([getattr(lesson, name) for lesson in lessons]) for name in ("roles", "needs"))
    noise = np.concatenate([output.roles[:, NOISE] for output in outputs])
    need = np.concatenate([output.need for output in outputs])
    has_role, has_need = roles != UNKNOWN, needs >= 0
    best = [(int(output.worth.argmax()), lesson) for output, lesson in pairs]
    return {
        "noise": average_precision(noise[has_role], roles[has_role] == NOISE),
        "need": average_precision(need[has_need], needs[has_need] > 0),
        "worth": _mean([rank_correlation(output.worth, lesson.worth) for output, lesson in pairs]),
        "first": _mean([float(i == lesson.choice.argmax()) for i, lesson in best if lesson.choice.any()]),
        "main": _mean([float(lesson.roles[i] == ROLES.index("main")) for i, lesson in best]),
        "cure": _mean([hit for output, lesson in pairs for hit in _cured(output, lesson)]),
    }


def _cured(output: Outputs, lesson: Lesson) -> list[float]:
    """Return for each need that has a cure whether it is found, 1 or 0."""
    labeled = [{cure for cure, _ in cures if cure >= 0} for cures in lesson.cures]
    return [float(cure in cures) for cure, cures in zip(output.cure.tolist(), labeled, strict=True) if cures]


def _mean(numbers: Sequence[float]) -> float:
    return float(np.mean(numbers)) if numbers else 0.0


def average_precision(chances: Floats, labels: NDArray[np.bool_]) -> float:
    """Return the mean precision at each label that is true, from the highest chance to the lowest.

    >>> average_precision(np.array([0.9, 0.8, 0.1]), np.array([True, False, True])).__round__(3)
    0.833
    """
    hits = labels[np.argsort(-chances, kind="stable")]
    precision = hits.cumsum() / np.arange(1, len(hits) + 1)
    return float(precision[hits].mean()) if hits.any() else 0.0


def rank_correlation(values: Floats, labels: Floats) -> float:
    """Return Spearman's correlation, from -1 to 1; it is 0 if all values are equal.

    >>> rank_correlation(np.array([1.0, 2.0, 5.0]), np.array([0.0, 3.0, 4.0])).__round__(3)
    1.0
    """
    left, right = (_centered_ranks(numbers) for numbers in (values, labels))
    spread = float(np.sqrt((left @ left) * (right @ right)))
    return float(left @ right) / spread if spread else 0.0


def _centered_ranks(values: Floats) -> NDArray[np.float64]:
    """Return ranks with mean 0; equal values share the mean of theirs."""
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (count.cumsum() - (count + 1) / 2)[place]
    centered: NDArray[np.float64] = ranks - ranks.mean()
    return centered


_SHARES = ("dropout", "drop_tokens", "drop_documents")
TARGETS = ("words", "choice")
_MOST_BITS = 22  # of a table

_CARD = Template("""# $name

A small network that reads as an editor would: worth, role, noise, needs and what cures them.
`tersely summarize --model FOLDER`; it needs nothing but NumPy.

* Data: $data.
  Documents of one sentence were left out. The labels that tersely was developed with were made by language
  models, not by people.
* Network: $parameters parameters, stored as float16; its sizes are in `training.toml`.
* Seed $seed, $epochs epochs; `log.jsonl` has the curve. The weights are those of the last epoch: nothing was chosen by
  what was measured.
* Selection: the exact knapsack. Coherence: `strict`.
* Made by `$command`; $date.

$figures

Summaries are sentences of the input, verbatim. The model can misjudge what matters, above all in texts unlike its data.
""")


@dataclass(frozen=True)
class Pretraining:
    """How the network learns from texts without labels, before it sees any: what covers their words is worth most.

    The `target` is how much each sentence covers by itself (`words`), or what is chosen because it covers most together
    (`choice`): some `sentences`, or as many as `dense_characters` hold in a dense script.
    """

    epochs: int = 1
    documents: int = 3000  # at most
    target: str = "words"
    shuffled: float = 0.0  # the sentences of this share of the texts are in random order
    sentences: int = 3
    dense_characters: int = 60


@dataclass(frozen=True)
class EditorConfig:
    """A configuration of `tersely train editor`."""

    name: str
    kind: str = "editor"
    seed: int = 1
    network: EditorShape = field(default_factory=EditorShape)
    training: EditorTraining = field(default_factory=EditorTraining)
    choice: ChoiceTraining = field(default_factory=ChoiceTraining)
    pretraining: Pretraining = field(default_factory=Pretraining)

    def __post_init__(self) -> None:
        if self.kind != "editor":
            raise unknown_name("kind of editor", self.kind, ("editor",))
        for table in (self.network, self.training, self.choice, self.pretraining):
            for key, value in vars(table).items():
                if key != "target":
                    _check(key, value)
        if self.pretraining.target not in TARGETS:
            raise unknown_name("target of pretraining", self.pretraining.target, TARGETS)
        if self.pretraining.shuffled > 1:
            raise UsageError(f"'shuffled' must be from 0 to 1, not {self.pretraining.shuffled:g}")
        if self.seed < 0:
            raise UsageError(f"'seed' must be 0 or more, not {self.seed}")
        if self.network.width % self.network.heads:
            raise UsageError(f"'width' must be a multiple of 'heads', {self.network.heads}, not {self.network.width}")
        if max(self.network.table_bits, self.network.opening_bits) > _MOST_BITS:
            raise UsageError(f"'table_bits' and 'opening_bits' must be at most {_MOST_BITS}")

    def build(self) -> EditorNetwork:
        """Make a network with random weights."""
        return EditorNetwork(self.network, FEATURES, self.training.dropout)


def _check(key: str, value: float) -> None:
    if key in _SHARES and not 0 <= value < 1:
        raise UsageError(f"'{key}' must be at least 0 and below 1, not {value:g}")
    if (type(value) is int or key == "rate") and value <= 0:
        raise UsageError(f"'{key}' must be positive, not {value:g}")
    if value < 0:
        raise UsageError(f"'{key}' must be 0 or more, not {value:g}")


def read_editor_config(name: str, changes: Iterable[str] = ()) -> EditorConfig:
    """Read a configuration by name or file, and change it."""
    return read_settings(find_config(name), EditorConfig, changes)


@dataclass(frozen=True)
class EditorData:
    """Label files, and the folder of the documents that they name."""

    folder: Path
    labels: Sequence[Path]
    more: Sequence[Path] = ()  # by other annotators, who see more needs
    dev: Path | None = None  # to measure on
    unlabeled: Sequence[Path] = ()  # texts without labels to learn from first

    def lessons(self) -> list[Lesson]:
        """Read what to learn from."""
        lessons = [*read_lessons(self.labels, self.folder), *read_lessons(self.more, self.folder, foreign=True)]
        if not lessons:
            raise InputError("the label files have no document of two or more sentences")
        return lessons

    def dev_lessons(self) -> list[Lesson]:
        """Read what to measure on: nothing, if there is no file."""
        lessons = list(read_lessons([self.dev], self.folder)) if self.dev else []
        if self.dev and not lessons:
            raise InputError(f"{self.dev} has no document of two or more sentences")
        return lessons

    def unlabeled_lessons(self, settings: Pretraining, seed: int) -> list[Lesson]:
        """Read texts without labels to learn from first, spread over all of them; nothing, if there are none."""
        texts = [text for path in self.unlabeled for text in read_texts(path)]
        texts = texts[:: max(-(-len(texts) // settings.documents), 1)]
        choice = WordChoice({}, settings.sentences, settings.dense_characters)
        worth = choice if settings.target == "choice" else None
        return list(unlabeled_lessons(texts, worth, settings.shuffled, seed))

    @property
    def command(self) -> str:
        """The command to make a model with these files, for its card."""
        words = [*(path.name for path in self.labels), "--data FOLDER", *(f"--more {path.name}" for path in self.more)]
        words += [f"--unlabeled {path.name}" for path in self.unlabeled]
        words += [f"--dev {self.dev.name}"] if self.dev else []
        return f"tersely train editor {' '.join(words)} --config training.toml --out FOLDER"


def make_editor(config: EditorConfig, data: EditorData, out: Path, resume: bool, report: Report) -> None:
    """Train the network, or go on with it, and write the model folder."""
    check_folder(out, resume)
    check_resume(out / "training" / "checkpoint.safetensors", out, resume)  # before the data is read
    lessons, dev, unlabeled = (
        data.lessons(),
        data.dev_lessons(),
        data.unlabeled_lessons(config.pretraining, config.seed),
    )
    with torch.random.fork_rng(), one_thread():
        state = train(config, lessons, dev, out, report, unlabeled)
    _write(out, config, data, lessons, state)


@contextmanager
def one_thread() -> Iterator[None]:
    """Let PyTorch compute on one thread, which always adds up in the same order."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def train(
    config: EditorConfig,
    lessons: Sequence[Lesson],
    dev: Sequence[Lesson],
    out: Path,
    report: Report,
    unlabeled: Sequence[Lesson] = (),
) -> TrainingState[EditorNetwork]:
    """Train to the last epoch, with a checkpoint after each, or raise KeyboardInterrupt after saving."""
    torch.manual_seed(config.seed)
    network = config.build()
    standardize(network, [lesson for lesson in lessons if not lesson.foreign] or lessons)
    optimizer = optimizer_of(network, config.training)
    chance = np.random.default_rng(config.seed)
    torch.manual_seed(config.seed)
    folder = out / "training"
    facts = {"set of labels": digest(lessons)}
    state = start_or_resume(network, optimizer, config, folder / "checkpoint.safetensors", facts)
    if state.step:
        _restore(state.notes["chance"], chance)
    epoch = [lesson for lesson in lessons for _ in range(1 if lesson.foreign else config.training.repeat)]
    phases = [unlabeled] * config.pretraining.epochs * bool(unlabeled) + [epoch] * config.training.epochs
    losses = epochs(network, optimizer, phases, config.training, config.choice, chance, state.step)

    def learn() -> Figures:
        loss = next(losses)
        state.notes["chance"] = {"batches": chance.bit_generator.state, "torch": torch.get_rng_state().tolist()}
        return {"loss": loss}

    def measure(last: Figures) -> Figures:
        return last | (figures_of(Network(stored(network)), dev) if dev else {})

    files = RunFiles(folder, out / "log.jsonl", state.step)
    Loop(state, len(phases), 1, learn, measure, files, report, counts=("epoch", 1)).run()
    return state


def _restore(state: dict[str, Any], chance: np.random.Generator) -> None:
    """Let chance go on where a run was stopped."""
    chance.bit_generator.state = state["batches"]
    torch.set_rng_state(torch.tensor(state["torch"], dtype=torch.uint8))


def digest(lessons: Iterable[Lesson]) -> str:
    """Hash texts and labels: a run can be resumed with the same ones only."""
    rows = (json.dumps([lesson.foreign, lesson.row], sort_keys=True).encode() for lesson in lessons)
    return sha256(b"".join(sha256(row).digest() for row in rows)).hexdigest()


def stored(network: EditorNetwork) -> dict[str, Any]:
    """Return the weights as they are when they were stored and read again: rounded to float16."""
    return {name: array.astype(np.float16).astype(np.float32) for name, array in network.arrays().items()}


def weights_file(network: EditorNetwork) -> bytes:
    """Return the file of the weights; equal weights give equal bytes, as NumPy writes no times."""
    stream = io.BytesIO()
    arrays: dict[str, Any] = {name: array.astype(np.float16) for name, array in sorted(network.arrays().items())}
    np.savez_compressed(stream, **arrays)
    return stream.getvalue()


def _write(
    out: Path, config: EditorConfig, data: EditorData, lessons: Sequence[Lesson], state: TrainingState[EditorNetwork]
) -> None:
    weights, name = weights_file(state.network), out.resolve().name
    model = {
        "name": name,
        "description": f"A small network that reads as an editor, trained on {len(lessons):,} labeled documents.",
        "scorer": "editor:folder={folder}",
        "select": "knapsack",
        "coherence": "strict",
        "files": {"weights.npz": sha256(weights).hexdigest()},
    }
    card = _CARD.substitute(
        name=name,
        data=_counts(lessons),
        parameters=f"{sum(array.size for array in state.network.arrays().values()):,}",
        seed=config.seed,
        epochs=config.training.epochs,
        command=data.command,
        date=today(),
        figures=_table(state.notes["curve"][-1], data.dev),
    )
    texts = {"README.md": card.encode(), "training.toml": to_toml(config), "config.toml": to_toml(model)}
    write_folder(out, {"weights.npz": weights, "log.jsonl": to_json_lines(state.notes["curve"]), **texts})


def _counts(lessons: Sequence[Lesson]) -> str:
    counted = []
    for foreign, annotators in ((False, ""), (True, " of other annotators")):
        chosen = [lesson for lesson in lessons if lesson.foreign is foreign]
        sentences = sum(len(lesson.document) for lesson in chosen)
        counted += [f"{len(chosen):,} labeled documents{annotators} with {sentences:,} sentences"] if chosen else []
    return ", and ".join(counted)


def _table(point: dict[str, float], dev: Path | None) -> str:
    if dev is None:
        return "It was not measured."
    rows = "\n".join(f"| {meaning} | {100 * point[name]:.1f} |" for name, meaning in MEANING.items())
    return f"Measured on `{dev.name}`, in percent:\n\n| figure | % |\n|---|---|\n{rows}"
