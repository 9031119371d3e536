"""`tersely train baseline`: the methods of other papers that need training."""

from pathlib import Path
from typing import Any

import click

from tersely.cli._options import CONTINUE, STEPS
from tersely.cli._running import RESUME, Progress, stoppable
from tersely.errors import extra


@click.command("baseline", short_help="Train a method of another paper.")
@click.argument("data", metavar="DATA...", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--config", required=True, metavar="NAME|FILE", help="Configuration, such as cpu-neusum-en.")
@click.option("--out", required=True, type=click.Path(path_type=Path), metavar="DIR", help="Model folder to create.")
@click.option("--resume", is_flag=True, help=CONTINUE)
@click.option("--steps", type=click.IntRange(1), metavar="N", help=STEPS)
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Read at most N documents. Default: all.")
def baseline(data: tuple[Path, ...], config: str, out: Path, **how: Any) -> None:
    """Train NeuSum, BertSum, STAS or the word model of PMI on DATA.

    NeuSum and BertSum learn from summaries: DATA is as in 'tersely train supervised'. STAS and PMI need only texts:
    DATA is as in 'tersely train scorer'. Ctrl-C saves and stops. In the end DIR is a model folder.

    \b
    tersely train baseline labeled.jsonl --config cpu-neusum-en --out models/cnndm-neusum
    tersely reproduce table2 --data datasets --models models
    """
    with extra("training a baseline", "train"):
        from tersely.cli.train import _say_written
        from tersely.learn.baselines.baseline import make_baseline

    with stoppable(lambda: RESUME):
        make_baseline(config, data, out, how.pop("resume"), Progress(), **how)
    _say_written(out)
