"""What goes wrong around a program, for `soak.py`: files are broken, it is killed, or the disk is full."""

import json
import resource
import subprocess
import sys
import time
from contextlib import ExitStack, suppress
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from random import Random
from shutil import rmtree
from typing import Any

from safetensors import safe_open

from soak_texts import text
from tersely import Summarizer
from tersely.errors import TerselyError
from tersely.extract import extract_apart

TERSELY = [sys.executable, "-m", "tersely"]
_DOCUMENTS = 150
_TRAINING = """
name = "tiny"
kind = "knapsack"
[data]
distribution = "cnewsum"
labels = "dp"
[training]
steps = 200
batch = 32
parts = 2
warmup = 5
validate_every = 4
validation = 50
[network]
width = 8
layers = 1
heads = 2
pairs = 4
"""


_SECONDS = 30.0  # within which a file is read, or refused
_BURSTS = [
    b"(",
    b"[",
    b"{",
    b"\\begin{x}",
    b"<div>",
    b"> ",
    b"*",
    b"`",
    b"=",
    b"\\",
    b"| ",
    b"&#1;",
    b"a-",
    b"\x00",
    b"\xff",
]


class Files:
    """Files of every form, damaged, cut, and stuffed with repeats: a text, or one line that says what is wrong."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        del folder, stack

    @cached_property
    def _samples(self) -> dict[str, bytes]:
        sys.path.append(str(Path(__file__).parents[1] / "tests"))
        samples: dict[str, bytes] = import_module("extract.test_hard").SAMPLES
        forms = {
            "tex": b"\\section{A}\nIt $x$ rained. % no\n",
            "rst": b"A\n=\n\nIt *rained*.\n",
            "adoc": b"= A\n\nIt rained.\n",
        }
        return {**samples, **forms, "txt": b"It rained. The river rose.\n"}

    def case(self, chance: Random) -> list[str]:
        """Read one file in a child process, as the command and the service do."""
        form = chance.choice(sorted(self._samples))
        data = bytearray(self._samples[form])
        how = chance.choice(["damaged", "cut", "stuffed", "mixed"])
        if how == "damaged":
            for _ in range(chance.choice([1, 4, 30])):
                data[chance.randrange(len(data))] = chance.randrange(256)
        elif how == "cut":
            del data[chance.randrange(len(data)) :]
        elif how == "stuffed":
            place = chance.randrange(len(data) + 1)
            data[place:place] = chance.choice(_BURSTS) * chance.choice([100, 20_000])
        else:
            data += self._samples[chance.choice(sorted(self._samples))]
        try:
            extracted = extract_apart(bytes(data), name=f"a.{form}", seconds=_SECONDS)
        except TerselyError as error:
            said = str(error)
            assert "\n" not in said, said
            assert "takes more than" not in said, said
            return [form, how, "refused"]
        summary = Summarizer.load(scorer="lead").summarize(extracted.document(), max_chars=100)
        assert len(summary.text) <= 100
        return [form, how, "read"]


def corpus(file: Path, chance: Random) -> Path:
    """Write documents, some of them without a text."""
    lines = [json.dumps({"id": i, "text": text(chance)} if i % 20 else {"id": i}) for i in range(_DOCUMENTS)]
    file.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return file


def content(folder: Path) -> dict[str, bytes]:
    """Return every file of a folder."""
    return {path.name: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


class Batches:
    """Batches that are killed at any moment, as often as three times: the output is what it would have been."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        del stack
        self._folder = folder / "batches"
        self._folder.mkdir()

    @cached_property
    def _source(self) -> Path:
        return corpus(self._folder / "in.jsonl", Random(1))

    def _call(self, out: Path, *more: str) -> list[str]:
        options = ["--max-chars", "120", "--part-size", "10", "--workers", "2", "--id", "id"]
        return [*TERSELY, "batch", str(self._source), str(out), *options, *more]

    @cached_property
    def _straight(self) -> tuple[dict[str, bytes], float]:
        began = time.monotonic()
        out = self._folder / "straight"
        subprocess.run(self._call(out), capture_output=True, check=False)
        return content(out), time.monotonic() - began

    def case(self, chance: Random) -> list[str]:
        """Kill a run, and let it resume to its end."""
        wanted, seconds = self._straight
        out, counted = self._folder / "out", []
        rmtree(out, ignore_errors=True)
        for _ in range(chance.randint(1, 3)):
            call = self._call(out, *_resume(out))
            with subprocess.Popen(call, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                with suppress(subprocess.TimeoutExpired):
                    process.wait(chance.uniform(0.1, 1.1) * seconds)
                process.kill()
            counted.append("killed" if process.returncode == -9 else "too late to kill")
        end = _run(self._call(out, *_resume(out)), {0, 1, 3})
        assert content(out) == wanted, (end.stderr, out)
        return counted


class Disks:
    """Disks that are full at any byte: one line, nothing half-written, and the output is complete after resuming."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        del stack
        self._folder = folder / "disks"
        self._folder.mkdir()

    def case(self, chance: Random) -> list[str]:
        """Write a summary or a corpus where there is too little room."""
        room = chance.choice([1, 50, 400, 3_000, 20_000, 200_000])
        full = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
        source, out = corpus(self._folder / "in.jsonl", chance), self._folder / "out.jsonl"
        rmtree(self._folder / "out.jsonl.parts", ignore_errors=True)
        out.unlink(missing_ok=True)
        if chance.random() < 0.5:
            call = [*TERSELY, "summarize", str(source), "--max-chars", "5000", "--format", "json", "-o", str(out)]
            run = _run(call, {0, 3}, preexec_fn=full)
            assert out.exists() == (run.returncode == 0), run
            return ["wrote" if out.exists() else "full"]
        call = [*TERSELY, "batch", str(source), str(out), "--max-chars", "99", "--part-size", "40", "--workers", "1"]
        run = _run(call, {1, 3}, preexec_fn=full)
        whole = out.exists()
        if not whole:
            _run([*call, *_resume(self._folder / "out.jsonl.parts")], {1, 3})
        assert out.read_bytes().count(b"\n") == _DOCUMENTS - len(range(0, _DOCUMENTS, 20)), run
        return ["wrote" if whole else "full"]


def _resume(out: Path) -> list[str]:
    """Return what continues an output, if there is anything to continue."""
    return ["--resume"] if out.exists() else []


def _run(call: list[str], codes: set[int], **how: Any) -> subprocess.CompletedProcess[str]:
    """Run a command that must end by itself, with one of these codes and no traceback."""
    run = subprocess.run(call, capture_output=True, text=True, timeout=300, check=False, **how)
    assert run.returncode in codes, run
    assert "Traceback" not in run.stderr, run.stderr
    return run


class Trainings:
    """Trainings that are killed at any step: the weights are what they would have been."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        del stack
        self._folder = folder / "trainings"
        self._folder.mkdir()
        self._config = self._folder / "tiny.toml"
        self._config.write_text(_TRAINING, "utf-8")

    def _call(self, out: Path, *more: str) -> list[str]:
        return [*TERSELY, "train", "knapsack", str(self._config), "--out", str(out), *more]

    @cached_property
    def _straight(self) -> tuple[Any, float]:
        began = time.monotonic()
        _run(self._call(self._folder / "straight"), {0})
        return _weights(self._folder / "straight"), time.monotonic() - began

    def case(self, chance: Random) -> list[str]:
        """Kill or stop a run, and let it resume to its end."""
        wanted, seconds = self._straight
        out = self._folder / "out"
        rmtree(out, ignore_errors=True)
        politely = chance.random() < 0.5
        with subprocess.Popen(self._call(out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            with suppress(subprocess.TimeoutExpired):
                process.wait(chance.uniform(0.3, 1.0) * seconds)
            process.terminate() if politely else process.kill()
        more = ["--resume"] if (out / "checkpoint.safetensors").exists() else []
        _run(self._call(out, *more), {0})
        assert _weights(out) == wanted
        return ["early" if not more else "stopped" if politely else "killed"]


def _weights(out: Path) -> Any:
    with safe_open(out / "checkpoint.safetensors", framework="np") as file:
        tensors = {name: file.get_tensor(name).tobytes() for name in file.keys()}  # noqa: SIM118
        curve = [point | {"seconds": 0} for point in json.loads(file.metadata()["notes"])["curve"]]
    return tensors, curve
