"""Run as several processes do that torchrun starts: together.py RUNS, a file with a list of runs, one after the other.

Torch is imported once, and the processes are forked: to import it takes longer than to train here. A run says how many
processes it has, and either the arguments of a command, or jobs: a job names a configuration file, a folder and,
optionally, the step after which the first process kills or interrupts itself. The exit codes are printed.
"""

import json
import os
import signal
import sys
import traceback
from pathlib import Path
from typing import Any

import torch._dynamo  # noqa: F401  # what optimizers would import in every process
from torch.distributed import TCPStore

from conftest import Hashing, make_text
from tersely.__main__ import main as tersely
from tersely.errors import TerselyError
from tersely.learn.corpus import Corpus
from tersely.learn.training import TrainingProgress
from tersely.paper.config import ScorerConfig
from tersely.paper.distributed import Team, joined
from tersely.paper.train_scorer import Dev, train_scorer
from tersely.settings import read_settings
from tersely.text import Document


def main() -> None:
    codes = []
    for run in json.loads(Path(sys.argv[1]).read_text()):
        # Like torchrun, the process that starts the others also keeps what they tell each other.
        store = TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
        started = [fork(run, rank, store.port) for rank in range(run["processes"])]
        codes.append([os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) for process in started])
    print(json.dumps(codes))


def fork(run: dict[str, Any], rank: int, port: int) -> int:
    """Start a process of a run and return its number."""
    if process := os.fork():
        return process
    code: Any = 1
    try:
        numbers = {"RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": run["processes"], "MASTER_PORT": port}
        os.environ |= {name: str(number) for name, number in numbers.items()} | run.get("environment", {})
        os.environ |= {
            "MASTER_ADDR": "127.0.0.1",
            "TORCHELASTIC_USE_AGENT_STORE": "True",
            "TORCHELASTIC_RESTART_COUNT": "0",
        }
        if "said" in run:
            os.dup2(os.open(run["said"], os.O_WRONLY | os.O_CREAT | os.O_APPEND), sys.stderr.fileno())
        if "arguments" in run:
            sys.argv[1:] = run["arguments"]
            tersely()
        else:
            work(run["jobs"])
        code = 0
    except SystemExit as error:
        code = error.code
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code or 0)


def work(jobs: list[dict[str, Any]]) -> None:
    with joined("cpu") as team:
        for job in jobs:
            out = Path(job["out"])
            try:
                train(read_settings(Path(job["config"]), ScorerConfig), out, team, job)
            except KeyboardInterrupt:
                (out / f"interrupted-{team.rank}").touch()
            except TerselyError as error:
                (out / f"ended-{team.rank}").write_text(str(error))
                return


def train(config: ScorerConfig, out: Path, team: Team, job: dict[str, Any]) -> None:
    texts = tuple(Document.from_text(make_text(number)) for number in range(30))
    labels = tuple((number % 4,) for number in range(30)) if config.objective.supervised else ()
    losses = []

    def report(at: TrainingProgress) -> None:
        assert team.leads
        if at.stage == "encoding":
            return
        losses.append(at.figures["loss"])
        (out / "losses.json").write_text(json.dumps(losses))
        for name, number in (("kill", signal.SIGKILL), ("interrupt", signal.SIGINT)):
            if at.finished == job.get(name):
                os.kill(os.getpid(), number)

    dev = Dev(texts[:3], lambda number, chosen: number + len(chosen))
    train_scorer(config, Corpus(texts, labels=labels), Hashing(), out, True, report, dev, team)


if __name__ == "__main__":
    main()
