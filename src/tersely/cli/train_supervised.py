"""`tersely train supervised`: the baseline that learns from summaries."""

from collections.abc import Iterable
from itertools import chain
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
    tersely train supervised labeled.jsonl --out bertsum
    tersely evaluate dev.jsonl --systems lead,bertsum --budgets 400
    """
    from tersely.errors import UsageError
    from tersely.evaluate.readers import read

    settings = read_settings(config, how.pop("steps"), how.pop("limit"))
    if not settings.objective.supervised:
        raise UsageError(f"configuration '{config}' learns without labels: 'tersely train scorer' takes it")
    run(settings, lambda: label((record for file in data for record in read(file)), settings), Path(out), **how)


def label(records: Iterable[Any], settings: Any) -> Any:
    """Return the corpus of documents with summaries, the sentences labeled that a greedy oracle chooses.

    It is asked for here, as training and evaluation do not know each other.
    """
    from dataclasses import replace

    from tersely.budget import Budget
    from tersely.errors import InputError
    from tersely.evaluate.systems import Oracle
    from tersely.learn.scorer.corpus import Corpus, beginning

    oracle, budget = Oracle(), Budget(settings.selection.count, "sentences")
    referred = (each for each in records if each.reference)
    first = next(referred, None)
    if first is None:
        raise InputError("supervised training needs documents with summaries, and none of these has one")
    whole = chain([first], referred)
    cut = (replace(each, document=beginning(each.document, settings.data.sentences)) for each in whole)
    labeled = ((each.document, tuple(oracle.choose(each, budget))) for each in cut)
    return Corpus.of(labeled, settings.data.documents)
