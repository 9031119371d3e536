"""Train as one of the processes that torchrun starts: together.py JOBS, a file with a list of jobs.

A job names a configuration file, a folder and, optionally, the step after which the first process kills or interrupts
itself.
"""

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from conftest import Hashing, make_text
from tersely.errors import TerselyError
from tersely.learn.corpus import Corpus
from tersely.learn.loop import TrainingProgress
from tersely.learn.scorer.config import ScorerConfig
from tersely.learn.scorer.distributed import Team, joined
from tersely.learn.scorer.train_scorer import train_scorer
from tersely.learn.scorer.validate import Dev
from tersely.settings import read_settings
from tersely.text import Document


def main() -> None:
    # torchrun ends the other processes when one dies; here they must notice it by themselves.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    with joined("cpu") as team:
        for job in json.loads(Path(sys.argv[1]).read_text()):
            out = Path(job["out"])
            try:
                run(read_settings(Path(job["config"]), ScorerConfig), out, team, job)
            except KeyboardInterrupt:
                (out / f"interrupted-{team.rank}").touch()
            except TerselyError as error:
                (out / f"ended-{team.rank}").write_text(str(error))
                return


def run(config: ScorerConfig, out: Path, team: Team, job: dict[str, Any]) -> None:
    texts = tuple(Document.from_text(make_text(number)) for number in range(30))
    labels = tuple((number % 4,) for number in range(30)) if config.objective.supervised else ()
    losses = []

    def report(at: TrainingProgress) -> None:
        assert team.leads
        if at.what == "encoding":
            return
        losses.append(at.figures["loss"])
        (out / "losses.json").write_text(json.dumps(losses))
        for name, number in (("kill", signal.SIGKILL), ("interrupt", signal.SIGINT)):
            if at.done == job.get(name):
                os.kill(os.getpid(), number)

    dev = Dev(texts[:3], lambda number, chosen: number + len(chosen))
    train_scorer(config, Corpus(texts, labels=labels), Hashing(), out, True, report, dev, team)


if __name__ == "__main__":
    main()
