"""Trains the paper's objectives in many settings with several seeds, and says what each of them learns.

The steps are those of `tersely train scorer`. Each finished run is a line of DIR/rows-LANGUAGE.jsonl: trajectory,
places, cosines, R-1 on documents as they are and shuffled. Runs that have a line are not repeated, so it can be stopped
at any time. The table in docs/siamese.md is written from these lines.
"""

import argparse
import json
import os
import pickle
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import save_file

from siamese_page import write_page
from siamese_rows import SENTENCES, changed, configurations
from tersely.encode import Cache, Encoder, Matrix, load_encoder
from tersely.evaluate.measures import Tokenization, rouge
from tersely.evaluate.readers import SUITE
from tersely.learn.corpus import Corpus, beginning
from tersely.learn.news import bias_of
from tersely.learn.scorer.batches import DocumentBatch, Documents, Order
from tersely.learn.scorer.config import ScorerConfig, ScorerData
from tersely.learn.scorer.networks import ScorerModel
from tersely.learn.scorer.objectives import forward, score
from tersely.learn.scorer.selection import Select, exact, rank, selector
from tersely.learn.scorer.train_scorer import make_documents, start, warming
from tersely.text import Document

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("TERSELY_DATA", ROOT.parent / "shared" / "data"))
DEVS = {"en": "dev_cnndm", "zh": "dev_pku"}
BUDGETS = {"en": (300, 400, 500), "zh": (100, 150, 200)}
COUNTS = {"en": 3, "zh": 2}
POINTS, HELD_OUT = 6, 256


def main() -> None:
    """Train the rows that are not there yet, then write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--language", choices=[*DEVS], default="en")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these rows only")
    parser.add_argument("--seeds", type=int, nargs="+", default=[42, 1, 2, 3, 4], metavar="N")
    parser.add_argument("--minutes", type=float, default=1e9, help="start no run after so many minutes")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "siamese", metavar="DIR")
    parser.add_argument("--cache", type=Path, metavar="DIR", help="folder for vectors; default: inside --folder")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "siamese.md", help="page with the table")
    parser.add_argument("--page-only", action="store_true", help="write the page from earlier rows")
    args = parser.parse_args()
    if not args.page_only:
        if not DATA.is_dir():
            sys.exit(f"no documents at {DATA}: set TERSELY_DATA")
        train_all(args)
    write_page(args.out, args.folder)


def train_all(args: argparse.Namespace) -> None:
    """Train every row that has no line yet."""
    torch.set_num_threads(1)
    file = args.folder / f"rows-{args.language}.jsonl"
    args.folder.mkdir(parents=True, exist_ok=True)
    lines = file.read_text().splitlines() if file.exists() else []
    known = {(line["row"], line["seed"]) for line in map(json.loads, lines)}
    wanted = [one for one in configurations(args.language, args.seeds, args.only) if (one[0].name, one[1]) not in known]
    until = time.monotonic() + 60 * args.minutes
    encoder = Cache(args.cache or args.folder / "vectors", load_encoder("use"))
    if not wanted:
        return
    texts = Beginnings(read_corpus(args.language, args.folder), encoder, SENTENCES)
    teacher = tuned(texts.corpus, wanted[0][2], args.folder / f"teacher-{args.language}.txt")
    dev = Trial(args.language, encoder, SENTENCES)
    for row, seed, config in wanted:
        if time.monotonic() > until:
            return
        config = changed(config, {"objective.teacher_scorer": teacher, "objective.teacher_tuned": False})
        found = run(config, texts.corpus, texts, dev, args.folder / "weights" / f"{args.language}-{row.name}-{seed}")
        with file.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps({"row": row.name, "seed": seed, **found}) + "\n")
        last = found["trajectory"][-1]
        print(row.name, seed, f"{found['seconds']:.0f} s", found["budgets"], last, flush=True)


def read_corpus(language: str, folder: Path) -> Corpus:
    """Read the first sentences of all texts as training runs do; keep them, as splitting takes a minute."""
    kept = folder / f"corpus-{language}.pickle"
    if not kept.exists():
        kept.write_bytes(pickle.dumps(Corpus.read([DATA / language / "train.jsonl.gz"], ScorerData().sentences)))
    corpus: Corpus = pickle.loads(kept.read_bytes())
    return corpus


class Beginnings:
    """Documents cut shorter, and an encoder that finds their vectors among those of the longer ones."""

    def __init__(self, corpus: Corpus, encoder: Encoder, sentences: int) -> None:
        self.name, self.fingerprint = encoder.name, encoder.fingerprint
        self.corpus = Corpus(tuple(beginning(document, sentences) for document in corpus.documents))
        pairs = zip(self.corpus.documents, corpus.documents, strict=True)
        self._long = {tuple(short.texts): long.texts for short, long in pairs}
        self._encoder = encoder

    def encode(self, sentences: Sequence[str]) -> Matrix:
        """Return the vectors of a document that is known."""
        return self._encoder.encode(self._long[tuple(sentences)])[: len(sentences)]


def tuned(corpus: Corpus, config: ScorerConfig, kept: Path) -> str:
    """Return the teacher, tuned to the corpus; it is the same for all rows, and finding it takes a minute."""
    if not kept.exists():
        mean = (config.selection.shortest + config.selection.longest) / 2
        share = np.mean([min(mean / len(document.text), 1.0) for document in corpus.documents])
        kept.write_text(f"coverage:bias={bias_of(corpus.documents, float(share))}")
    return kept.read_text()


class Trial:
    """Labeled documents as they are and shuffled: measured, never learned from."""

    def __init__(self, language: str, encoder: Encoder, sentences: int) -> None:
        dev = next(dev for dev in SUITE if dev.name == DEVS[language])
        records = [record for record in dev.records(DATA) if record.reference and len(record.document) > 1]
        records.sort(key=lambda record: len(record.document))
        self.documents = [beginning(record.document, sentences) for record in records]
        self.budgets, self.count = BUDGETS[language], COUNTS[language]
        tokens = Tokenization().tokens
        self._tokens = [[tokens(text, one.language) for text in one.texts] for one in self.documents]
        self._references = [[tokens(text, one.document.language) for text in one.reference] for one in records]
        self._orders = [
            np.random.default_rng([7, len(one), i]).permutation(len(one)) for i, one in enumerate(self.documents)
        ]
        pairs = list(zip(self.documents, self._orders, strict=True))
        self._mixed = [Document.from_sentences([one.texts[i] for i in order], one.language) for one, order in pairs]
        self._vectors = [encoder.encode(one.document.texts)[:sentences] for one in records]
        self._known: dict[tuple[int, tuple[int, ...]], float] = {}
        self._batches: dict[tuple[str, ...], tuple[list[DocumentBatch], list[DocumentBatch]]] = {}

    def measure(self, model: ScorerModel, config: ScorerConfig, last: bool) -> dict[str, Any]:
        """Return R-1, also shuffled, and the share of the first three; at the end also places and lengths."""
        plain, mixed = self._inputs(config.features)
        chosen = self._best(model, plain)
        found = [
            [int(order[i]) for i in some] for order, some in zip(self._orders, self._best(model, mixed), strict=True)
        ]
        places = np.bincount([place for some in chosen for place in some], minlength=10)
        point = {"r1": self.rouge1(chosen), "shuffled": self.rouge1(found)}
        point["first"] = round(float(places[:3].sum() / places.sum()), 3)
        if not last:
            return point
        within = {str(limit): self.rouge1(self._fitting(model, plain, limit)) for limit in self.budgets}
        return {**point, "budgets": within, "places": [*places[:9].tolist(), int(places[9:].sum())]}

    def rouge1(self, chosen: Sequence[Sequence[int]]) -> float:
        """Return the mean over the documents of sentences chosen from each."""
        total = 0.0
        for number, some in enumerate(chosen):
            key = number, tuple(sorted(some))
            if key not in self._known:
                found = [self._tokens[number][i] for i in key[1]]
                self._known[key] = rouge(self._references[number], found)["rouge1"].f1
            total += self._known[key]
        return round(100 * total / len(chosen), 2)

    def _inputs(self, features: tuple[str, ...]) -> tuple[list[DocumentBatch], list[DocumentBatch]]:
        if features not in self._batches:
            vectors = self._vectors
            turned = [rows[order] for rows, order in zip(vectors, self._orders, strict=True)]
            self._batches[features] = batches(self.documents, vectors, features), batches(self._mixed, turned, features)
        return self._batches[features]

    def _best(self, model: ScorerModel, inputs: Sequence[DocumentBatch]) -> list[list[int]]:
        given = (score(model.scorer, batch) for batch in inputs)
        return [row.nonzero().flatten().tolist() for one in given for row in rank(one.scores, one.mask) < self.count]

    def _fitting(self, model: ScorerModel, inputs: Sequence[DocumentBatch], limit: int) -> list[list[int]]:
        limited = (batch._replace(capacities=batch.capacities + limit) for batch in inputs)
        return [row.nonzero().flatten().tolist() for one in limited for row in exact(score(model.scorer, one))]


def batches(documents: Sequence[Document], vectors: Sequence[Matrix], names: tuple[str, ...]) -> list[DocumentBatch]:
    """Return documents, sorted by length, as the scorer sees them."""
    known = {tuple(one.texts): rows for one, rows in zip(documents, vectors, strict=True)}
    inputs = Documents(documents, Given(known), names)
    cuts = [range(first, min(first + 32, len(documents))) for first in range(0, len(documents), 32)]
    return [inputs.batch(cut, [0] * len(cut)) for cut in cuts]


class Given:
    """Vectors that are already computed, in place of an encoder."""

    name, fingerprint = "given", ""

    def __init__(self, known: dict[tuple[str, ...], Matrix]) -> None:
        self._known = known

    def encode(self, sentences: Sequence[str]) -> Matrix:
        """Return those of a document that is known."""
        return self._known[tuple(sentences)].astype(np.float32)


def run(config: ScorerConfig, corpus: Corpus, encoder: Encoder, dev: Trial, out: Path) -> dict[str, Any]:
    """Train one row with one seed, and keep its scorer."""
    started = time.monotonic()
    learning, held_out = (Order.of(numbers, config) for numbers in corpus.split(config.data.held_out))
    documents = make_documents(config, corpus, encoder, learning)
    columns = encoder.encode(corpus.documents[0].texts).shape[1]
    state = start(config, corpus, encoder, columns, out)
    select, trajectory = selector(config.selection), []
    for step in range(config.training.steps + 1):
        if step % (config.training.steps // (POINTS if config.training.steps > 300 else 3)) == 0:
            last = step == config.training.steps
            with torch.no_grad():
                found = dev.measure(state.network, config, last)
                trajectory.append(
                    {"step": step, **validated(config, state.network, documents, held_out, select), **found}
                )
        if step < config.training.steps:
            learn(config, state, documents, learning, select, step)
    out.parent.mkdir(exist_ok=True)
    save_file(state.network.scorer.state_dict(), out.with_suffix(".safetensors"))
    outcome = {name: trajectory[-1].pop(name) for name in ("places", "budgets")}
    return {"seconds": round(time.monotonic() - started), **outcome, "trajectory": trajectory}


def learn(config: ScorerConfig, state: Any, documents: Documents, learning: Order, select: Select, step: int) -> None:
    """Take one step."""
    now = warming(config) if step < config.objective.warm_start else config
    sampling = torch.Generator().manual_seed(config.training.seed * 1_000_003 + step)
    loss = forward(state.network, documents.batch(*learning.at(step)), now, select, sampling).loss
    state.optimizer.zero_grad()
    if loss.requires_grad:
        loss.backward()
        torch.nn.utils.clip_grad_norm_(state.network.parameters(), config.training.clip)
        state.optimizer.step()


def validated(
    config: ScorerConfig, model: ScorerModel, documents: Documents, held_out: Order, select: Select
) -> dict[str, float]:
    """Return loss and cosines on held-out documents."""
    sums: dict[str, float] = {}
    sampling = torch.Generator().manual_seed(config.training.seed)
    batches = held_out.fixed()[: HELD_OUT // config.training.batch]
    for numbers, capacities in batches:
        loss = forward(model, documents.batch(numbers, capacities), config, select, sampling, noisy=False)
        for name, value in {"loss": float(loss.loss), **loss.figures}.items():
            sums[name] = sums.get(name, 0.0) + value / len(batches)
    return {name: round(value, 4) for name, value in sums.items() if name not in ("selects", "leaves")}


if __name__ == "__main__":
    main()
