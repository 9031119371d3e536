"""The training loop: steps and validations, saved so that a killed run resumes as if nothing had happened."""

import signal
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import closing, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, Generic, NamedTuple, Self, TypeVar

import torch
from torch import nn

from tersely.errors import UsageError
from tersely.learn.checkpoint import RunFiles, check_settings, load_checkpoint

N = TypeVar("N", bound=nn.Module)
Figures = dict[str, float]


class TrainingProgress(NamedTuple):
    """How far a run is: first it encodes documents, if it needs vectors, then it takes steps."""

    what: str  # "encoding" or "training"
    done: int
    total: int
    seconds: float  # since the start, without pauses
    figures: Figures  # of this step, or of a validation
    validated: bool = False

    @property
    def left(self) -> float:
        """The seconds that remain, if it goes on at this speed."""
        return self.seconds / self.done * (self.total - self.done)


Report = Callable[[TrainingProgress], None]


@dataclass(frozen=True)
class TrainingState(Generic[N]):
    """What a checkpoint holds."""

    network: N
    optimizer: torch.optim.Optimizer
    notes: dict[str, Any]  # step, seconds, curve, config, and what else a run needs to resume

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
    """Start with a fresh network, or restore the checkpoint if there is one.

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
    counts: tuple[str, int] = ("step", 1)  # what the curve counts, and how many of them there are in one step

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
                    name, each = self.counts
                    files.add(notes, {name: each * self.state.step, "seconds": round(notes["seconds"], 1)}, figures)
                    files.save(self.state.network, self.state.optimizer, notes)
                if files:
                    at = TrainingProgress(
                        "training", self.state.step, self.steps, notes["seconds"], figures, validating
                    )
                    self.report(at)
                if self.in_any_process(interrupt.asked) and self.state.step < self.steps:
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
        self.asked = False
        # Python delivers signals to the main thread, and only there may a handler be set.
        self._here = threading.current_thread() is threading.main_thread()
        self._before: dict[signal.Signals, Any] = {}
        for number in self._signals if self._here else ():
            self._before[number] = signal.signal(number, self._ask)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)

    def _ask(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True
