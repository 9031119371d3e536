"""The training loop and its files: a killed run resumes as if nothing had happened.

A checkpoint is one safetensors file with the weights, the state of the optimizer and notes. Beside it are the learning
curve and the best weights.
"""

import json
import os
import signal
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import closing, nullcontext
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, Generic, NamedTuple, Self, TypeVar

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor, nn
from torch.utils.tensorboard import SummaryWriter

from tersely.errors import ModelError, UsageError
from tersely.io.files import write_whole
from tersely.learn.artifacts import to_json_lines

N = TypeVar("N", bound=nn.Module)
Figures = dict[str, float]


Ranking = list[list[float]]  # [loss, step] pairs as JSON keeps them, lowest loss first


def save_checkpoint(path: Path, network: nn.Module, optimizer: torch.optim.Optimizer, notes: dict[str, Any]) -> None:
    """Write the network, the state of the optimizer and the notes at once; `notes` is anything that JSON can hold."""
    tensors = {f"network.{name}": tensor for name, tensor in network.state_dict().items()}
    for number, state in optimizer.state_dict()["state"].items():
        tensors |= {f"optimizer.{number}.{name}": tensor for name, tensor in state.items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, _packed(tensors, json.dumps(notes)))


def _packed(tensors: dict[str, Tensor], notes: str) -> bytes:
    """Return a safetensors file that can be checked: the format itself does not notice a changed byte."""
    contiguous = {name: tensor.detach().contiguous() for name, tensor in tensors.items()}
    return save(contiguous, metadata={"notes": notes, "sha256": _digest(contiguous, notes)})


def _digest(tensors: dict[str, Tensor], notes: str) -> str:
    digest = sha256(notes.encode())
    for name, tensor in sorted(tensors.items()):
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode())
        digest.update(tensor.cpu().contiguous().reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()


def load_checkpoint(path: Path, network: nn.Module, optimizer: torch.optim.Optimizer) -> dict[str, Any]:
    """Restore the network and the optimizer, and return the notes."""
    tensors, notes = read_tensors(path, checked=True)
    weights = {name.removeprefix("network."): t for name, t in tensors.items() if name.startswith("network.")}
    state: dict[int, dict[str, Tensor]] = {}
    for name, tensor in tensors.items():
        if name.startswith("optimizer."):
            _, number, key = name.split(".", 2)
            state.setdefault(int(number), {})[key] = tensor
    try:
        network.load_state_dict(weights)
        optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})
    except (RuntimeError, ValueError) as error:
        raise ModelError(f"{path} belongs to another network: {' '.join(str(error).split())[:300]}") from None
    if missing := {"step", "seconds", "curve", "config"} - notes.keys():
        raise ModelError(f"{path} is not the checkpoint of a training run: it has no {min(missing)}")
    return notes


def check_settings(path: Path, were: dict[str, Any], are: dict[str, Any]) -> None:
    """Refuse to resume with another configuration, and name the settings that differ."""
    before, now = _flat(were), _flat(are)
    names = [name for name in now | before if before.get(name) != now.get(name)]
    if names:
        changed = ", ".join(f"{name} was {before.get(name)} and is {now.get(name)}" for name in names)
        raise UsageError(f"{path} was made with another configuration and cannot be resumed with this one: {changed}")


def _flat(settings: dict[str, Any], table: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in settings.items():
        flat |= _flat(value, f"{table}{name}.") if isinstance(value, dict) else {table + name: value}
    return flat


def read_tensors(path: Path, checked: bool = False) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Return the tensors of a safetensors file and its notes; if it is to be `checked`, it must have a checksum."""
    try:
        with safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (OSError, SafetensorError, ValueError, RuntimeError) as error:
        raise ModelError(f"{path} cannot be read: {str(error).partition(chr(10))[0]}") from None
    notes = metadata.get("notes", "{}")
    if ("sha256" in metadata or checked) and metadata.get("sha256") != _digest(tensors, notes):
        raise ModelError(f"{path} is damaged: its content is not what was saved")
    try:
        parsed = json.loads(notes)
    except ValueError:
        parsed = None
    if not isinstance(parsed, dict):
        raise ModelError(f"{path} is damaged: its notes cannot be read")
    return tensors, parsed


@dataclass(frozen=True)
class BestWeights:
    """The best few weights by validation loss, one file per checkpoint.

    A file is written before a ranking names it, and removed only when no saved ranking names it any longer.
    """

    folder: Path
    keep: int = 3

    def offer(self, ranking: Ranking, loss: float, step: int, weights: dict[str, Tensor]) -> Ranking:
        """Return the ranking with the `weights` of this `step`, if their `loss` is among the lowest.

        Of equal losses the earlier is better. The weights are written to a file.
        """
        ranked = sorted([*ranking, [loss, step]])[: self.keep]
        if [loss, step] in ranked:
            self.folder.mkdir(parents=True, exist_ok=True)
            write_whole(self._file(step), _packed(weights, "{}"))
        return ranked

    def tidy(self, ranking: Ranking) -> None:
        """Remove the files that are no longer ranked."""
        ranked = {self._file(int(step)) for _, step in ranking}
        for file in self.folder.glob("best-*.safetensors"):
            if file not in ranked:
                file.unlink()

    def load(self, ranking: Ranking) -> list[dict[str, Tensor]]:
        """Return the weights, best first."""
        return [read_tensors(self._file(int(step)))[0] for _, step in ranking]

    def _file(self, step: int) -> Path:
        return self.folder / f"best-{step:08d}.safetensors"


def averaged(several: list[dict[str, Tensor]]) -> dict[str, Tensor]:
    """Return the mean of each weight."""
    return {name: torch.stack([weights[name] for weights in several]).mean(0) for name in several[0]}


class RunFiles:
    """The files of one training run: checkpoint, curve, TensorBoard's curve and, if asked for, the best weights.

    Only one process at a time may have those of a folder.
    """

    def __init__(self, folder: Path, log: Path, step: int) -> None:
        self.folder, self._log, self._lock = folder, log, _lock(folder)
        self._writer: Any = SummaryWriter(folder / "tensorboard", purge_step=step)

    def add(self, notes: dict[str, Any], point: dict[str, float], figures: dict[str, float]) -> None:
        """Add a validation to both curves."""
        notes["curve"].append(point | figures)
        for name, value in figures.items():
            self._writer.add_scalar(name, value, notes["step"])
        self._writer.flush()

    def save(self, network: nn.Module, optimizer: torch.optim.Optimizer, notes: dict[str, Any]) -> None:
        """Write the checkpoint and the curve, then remove files that the checkpoint no longer needs."""
        save_checkpoint(self.folder / "checkpoint.safetensors", network, optimizer, notes)
        write_whole(self._log, to_json_lines(notes["curve"]))
        BestWeights(self.folder).tidy(notes.get("best", []))

    def close(self) -> None:
        """Close TensorBoard's file, and let others train here."""
        self._writer.close()
        if self._lock is not None:
            os.close(self._lock)


def _lock(folder: Path) -> int | None:
    """Lock a folder for this process; the system unlocks it when the process ends, however it does."""
    try:
        from fcntl import LOCK_EX, LOCK_NB, flock
    except ImportError:  # Windows has no such lock
        return None
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder, os.O_RDONLY)
    try:
        flock(handle, LOCK_EX | LOCK_NB)
    except OSError:
        os.close(handle)
        raise UsageError(f"another process is training in {folder}: wait until it ends, or choose another") from None
    return handle


class TrainingProgress(NamedTuple):
    """How far a run is: first it encodes documents, if it needs vectors, then it takes steps."""

    stage: str  # "encoding" or "training"
    finished: int
    total: int
    seconds: float  # since the start, without pauses
    figures: Figures  # of this step, or of a validation
    validated: bool = False

    @property
    def remaining(self) -> float:
        """The seconds that remain, if it goes on at this speed."""
        return self.seconds / self.finished * (self.total - self.finished)


Report = Callable[[TrainingProgress], None]


@dataclass(frozen=True)
class TrainingState(Generic[N]):
    """The content of a checkpoint."""

    network: N
    optimizer: torch.optim.Optimizer
    notes: dict[str, Any]  # step, seconds, curve, config, and whatever else a run needs to resume

    @property
    def step(self) -> int:
        """How many steps were taken."""
        return int(self.notes["step"])


def check_resume(checkpoint: Path, out: Path, resume: bool) -> None:
    """Refuse to start over in a folder that holds a run."""
    if checkpoint.exists() and not resume:
        raise UsageError(f"{out} holds a training run already: pass --resume, or choose another folder")


def start_or_resume(
    network: N,
    optimizer: torch.optim.Optimizer,
    config: Any,
    checkpoint: Path,
    facts: Mapping[str, Any] | None = None,
    more_steps: bool = False,
) -> TrainingState[N]:
    """Start with a fresh network and `optimizer`, or restore both from the checkpoint if there is one.

    `facts` must be the same as when the checkpoint was made, and so must the configuration; `more_steps` lets a run
    go on to more steps than it was started with.
    """
    facts, settings = facts or {}, asdict(config)
    notes: dict[str, Any] = {"step": 0, "seconds": 0.0, "curve": [], "config": settings, **facts}
    if checkpoint.exists():
        notes = load_checkpoint(checkpoint, network, optimizer)
        for name, value in facts.items():
            if notes.get(name) != value:
                raise UsageError(f"{checkpoint} was made with another {name} and cannot be resumed with this one")
        if more_steps and config.training.steps >= notes["step"]:
            notes["config"]["training"]["steps"] = config.training.steps
        check_settings(checkpoint, notes["config"], settings)
    return TrainingState(network, optimizer, notes)


@dataclass(frozen=True)
class Loop:
    """Steps and validations up to the last step."""

    state: TrainingState[Any]
    steps: int
    validate_every: int
    learn: Callable[[], Figures]  # takes one step
    validate: Callable[[Figures], Figures]  # from the last step's figures to a point of the curve
    files: RunFiles | None  # None where another process writes and reports
    report: Report
    in_any_process: Callable[[bool], bool] = bool
    counts: tuple[str, int] = ("step", 1)  # the unit of the curve, and how many of it one step has

    def run(self) -> None:
        """Train to the last step, or raise KeyboardInterrupt after saving."""
        notes, files = self.state.notes, self.files
        before = notes["seconds"] - time.monotonic()
        with Interrupt(alone=self.in_any_process is bool) as interrupt, closing(files) if files else nullcontext():
            while self.state.step < self.steps:
                figures = self.learn()
                notes["step"] += 1
                notes["seconds"] = before + time.monotonic()
                validating = self.state.step % self.validate_every == 0 or self.state.step == self.steps
                if validating:
                    figures = self.validate(figures)
                if files and validating:
                    name, per_step = self.counts
                    files.add(notes, {name: per_step * self.state.step, "seconds": round(notes["seconds"], 1)}, figures)
                    files.save(self.state.network, self.state.optimizer, notes)
                if files:
                    at = TrainingProgress(
                        "training", self.state.step, self.steps, notes["seconds"], figures, validating
                    )
                    self.report(at)
                if self.in_any_process(interrupt.requested) and self.state.step < self.steps:
                    if files and not validating:
                        files.save(self.state.network, self.state.optimizer, notes)
                    raise KeyboardInterrupt


class Interrupt:
    """Within this context the first Ctrl-C or SIGTERM only sets `asked`: no step is left half done; the second stops.

    A process that is not `alone` ends at once on SIGTERM, which is how its launcher ends it when another one has died.
    """

    def __init__(self, alone: bool = True) -> None:
        self._signals = (signal.SIGINT, signal.SIGTERM) if alone else (signal.SIGINT,)

    def __enter__(self) -> Self:
        self.requested = False
        # Python delivers signals to the main thread, and only there may a handler be set.
        self._in_main_thread = threading.current_thread() is threading.main_thread()
        self._before: dict[signal.Signals, Any] = {}
        for number in self._signals if self._in_main_thread else ():
            self._before[number] = signal.signal(number, self._request)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)

    def _request(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002
        if self.requested:
            raise KeyboardInterrupt
        self.requested = True
