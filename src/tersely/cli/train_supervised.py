"""`tersely train supervised`: the baseline that learns from summaries."""

from functools import partial
from pathlib import Path
from typing import Any

import click

from tersely.cli.train_scorer import read_settings, run, training_options


@click.command("supervised", short_help="Train the supervised baseline on documents with summaries.")
@click.argument("data", metavar="DATA...", nargs=-1, required=True, type=click.Path(exists=True))
@training_options(config="cpu-supervised-en")
def command(data: tuple[str, ...], config: str, out: str, **how: Any) -> None:
    """Train the same scorer on labels: the sentences that a greedy oracle chooses with the summary in hand.

    DATA is anything that 'tersely evaluate' reads: JSONL with 'text' and 'summary', CNN/DailyMail stories, ... This is
    the BertSum-style baseline that models trained without labels are compared with.

    \b
    tersely train supervised labelled.jsonl --out bertsum
    tersely evaluate dev.jsonl --systems lead,bertsum,bertsum+knapsack --budgets 400
    """
    from tersely.errors import UsageError

    settings = read_settings(config, how.pop("steps"), how.pop("limit"))
    if not settings.objective.supervised:
        raise UsageError(f"configuration '{config}' learns without labels: 'tersely train scorer' takes it")
    run(settings, partial(_labelled, data, settings), Path(out), **how)


def _labelled(files: tuple[str, ...], settings: Any) -> Any:
    """Read documents with summaries, and label the sentences that a greedy oracle chooses."""
    from dataclasses import replace

    from tersely.budget import Budget
    from tersely.errors import InputError
    from tersely.evaluate.oracle import Oracle
    from tersely.evaluate.readers import read
    from tersely.learn.scorer.corpus import Corpus, beginning

    def labelled() -> Any:
        for record in (record for file in files for record in read(file) if record.reference):
            document = beginning(record.document, settings.data.sentences)
            budget = Budget(settings.selection.count, "sentences")
            yield document, tuple(Oracle().choose(replace(record, document=document), budget))

    corpus = Corpus.of(labelled(), settings.data.documents)
    if not corpus.labels:
        raise InputError("supervised training needs documents with summaries, and none of these has one")
    return corpus
