"""The cost of a query over passages; questions beside a peer, in another language, in tokens, and texts without one.

Prints figures of docs/context.md. The peer is TextCrusher of headroom-ai, if that is installed.

The passages are those of HotpotQA, cut at 100 words; the fastest of three rounds on one thread counts. Reviews are
summarized in 60 words, as several sources by the default, and as one text by the other systems; of three references,
the one that matches best counts.
"""

import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib import import_module
from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import Any

from threadpoolctl import threadpool_limits  # type: ignore[import-untyped, unused-ignore]

from tersely import Source, Summarizer, summarize
from tersely.evaluate.measures import Tokenization, rouge
from tersely.evaluate.queries import SourcedQuestion, compare, read_questions
from tersely.io.lines import read_objects
from tersely.options import Budget

DATA = Path(os.environ.get("TERSELY_DATA", Path(__file__).parents[2] / "shared" / "data"))
PASSAGES = (10, 100, 900)
QUESTIONS = ("en_hotpot", "en_xquad", "zh_xquad", "de_xquad", "zh_rgb")
TOKENS = (250, 500, 2000)
Row = dict[str, Any]
try:
    PEER: Any = import_module("headroom._core")
except ImportError:
    PEER = None
SCORERS = ("editor", "coverage", "lead", "lexrank")


def main() -> None:
    """Print all tables."""
    if not DATA.is_dir():
        sys.exit(f"no data at {DATA}: set TERSELY_DATA to a folder with queries/ and several/")
    with threadpool_limits(1):
        cost()
        beside()
    across()
    tokens()
    reviews()


def cost() -> None:
    """Print the milliseconds for a query over more and more passages, without and with an encoder, and a peer's."""
    rows = [row for _, row in read_objects(DATA / "queries" / "en_hotpot.jsonl.gz")]  # type: ignore[misc]
    every = [" ".join(part["text"].split()[:100]) for row in rows for part in row["documents"]]
    summarizer, query = Summarizer.load(), rows[0]["query"]
    print("| passages | tersely | with `use`, once it is loaded | TextCrusher |\n|---:|---:|---:|---:|")
    for count in PASSAGES:
        sources = [Source(str(i), text) for i, text in enumerate(islice(every, count))]
        ask = partial(summarizer.summarize, sources, query=query, max_chars=4000)
        text = "\n".join(source.text for source in sources)
        peer = PEER and partial(crush, text, query, min(1.0, 4000 / len(text)))
        cells = (f"{1000 * fastest(work):.0f} ms" if work else "" for work in (ask, partial(ask, encoder="use"), peer))
        print(f"| {count} | {' | '.join(cells)} |")


def crush(text: str, query: str, share: float) -> str:
    """Return what TextCrusher makes of a text."""
    return str(PEER.TextCrusher(PEER.TextCrusherConfig(target_ratio=share)).compress(text, query).compressed)


def beside() -> None:
    """Print what is kept at 20 %, how well questions without an answer are told, and milliseconds for a question."""
    print("\n| questions | system | answer kept | all facts kept | too long | AUC | ms |")
    print("|---|---|---:|---:|---:|---:|---:|")
    systems = ("query", "bm25", "vectors", *(("textcrusher",) if PEER else ()))
    for name in QUESTIONS:
        questions = list(read_questions(DATA / "queries" / f"{name}.jsonl.gz"))
        for system in systems:
            [_, cells] = compare(questions, (system,), [Budget(0.2, "ratio")])
            milliseconds = 1000 * fmean(fastest(partial(ask_once, system, question)) for question in questions[::10])
            print(f"| {name} | {system} | {cells[3]} | {cells[4]} | {cells[6]} | {cells[7]} | {milliseconds:.1f} |")


def ask_once(system: str, question: SourcedQuestion) -> None:
    """Ask a question as users do, from texts to the summary; for a rival, as in the comparison."""
    if system == "query":
        sources = [Source(source.id, source.text) for source in question.sources.sources]
        summarize(sources, query=question.query, ratio=0.2)
    elif system == "textcrusher":
        crush("\n".join(source.text for source in question.sources.sources), question.query, 0.2)
    else:
        compare([question], (system,), [Budget(0.2, "ratio")])


def fastest(work: Callable[[], object]) -> float:
    """Return the processor seconds of the fastest of three rounds, after one that loads what is needed."""
    work()
    found = []
    for _ in range(3):
        begin = time.process_time()
        work()
        found.append(time.process_time() - begin)
    return min(found)


def across() -> None:
    """Print how many answers are kept of texts in one language, at 20 %, if the questions are in another one."""
    print("\n| answers kept | words only | with `use` | BM25 with titles |\n|---|---:|---:|---:|")
    for asked, told in (("en", "de"), ("en", "zh"), ("de", "en"), ("zh", "en")):
        queries = [q.query for q in read_questions(DATA / "queries" / f"{asked}_xquad.jsonl.gz")]
        questions = read_questions(DATA / "queries" / f"{told}_xquad.jsonl.gz")
        pairs = [replace(question, query=query) for query, question in zip(queries, questions, strict=True)]
        _, *rows = compare(pairs, ("query", "query@use", "bm25"), [Budget(0.2, "ratio")])
        print(f"| {asked} over {told} | " + " | ".join(row[3] for row in rows) + " |")


def tokens() -> None:
    """Print how many facts and answers of HotpotQA are kept within a number of tokens of its own tokenizer."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    questions = list(read_questions(DATA / "queries" / "en_hotpot.jsonl.gz"))
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(vocab_size=16_000, initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    tokenizer.train_from_iterator((text for each in questions for text in each.sources.texts), trainer)
    budgets = [Budget(limit, "tokens") for limit in TOKENS]
    found = compare(
        questions, ("query", "query@use", "bm25", "lead"), budgets, tokens=lambda t: len(tokenizer.encode(t))
    )
    print("\n| HotpotQA | system | answer kept | all facts kept |\n|---|---|---:|---:|")
    for budget, system, _, answer, facts, *_ in found[1:]:
        print(f"| {budget} | {system} | {answer} | {facts} |")


def reviews() -> None:
    """Print ROUGE-1 of 60 words of several reviews."""
    rows = [row for _, row in read_objects(DATA / "several" / "en_reviews.jsonl.gz")]  # type: ignore[misc]
    print("\n| 60 words of eight reviews | R-1 |\n|---|---:|")
    print(f"| the default, several sources | {score(Summarizer.load(), rows, lambda row: row['documents'])} |")
    for scorer in SCORERS:
        print(f"| {scorer}, as one text | {score(Summarizer.load(scorer=scorer), rows, joined)} |")


def joined(row: Row) -> str:
    """Return all texts of a row as one."""
    return "\n\n".join(part["text"] for part in row["documents"])


def score(summarizer: Summarizer, rows: list[Row], given: Callable[[Row], Any]) -> str:
    """Return the mean ROUGE-1 against the best of the references."""
    tokens = Tokenization().tokens

    def one(row: Row) -> float:
        found = [tokens(summarizer.summarize(given(row), max_words=60).text, "en")]
        return max(rouge([tokens(reference, "en")], found)["rouge1"].f1 for reference in row["summary"])

    return f"{100 * fmean(map(one, rows)):.1f}"


if __name__ == "__main__":
    main()
