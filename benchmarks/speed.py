"""Speed and memory of every scorer beside sumy's, of a start, the exact knapsack beside OR-Tools', and a long PDF.

Prints Markdown. Each cell of the first two tables runs in a process of its own, so that its peak memory is its own;
sentence splitting, the same for all, is left out of the times. Systems that are compared take turns in one
process. Times are those of the processor, on one thread. Documents are real: the data, joined up to each size.
"""

import argparse
import gzip
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

DATA = Path(os.environ.get("TERSELY_DATA", Path(__file__).parents[2] / "shared" / "data"))
SIZES = (25, 200, 1000)
COMPARED = (5, *SIZES)
PASSAGES, WORDS = 100, 100  # of a question: how many passages, and words of each
STARTS = 15  # how often each command is started
LONG = (10_000, 100_000)
OURS = ("editor", "coverage", "lead", "centroid", "textrank", "textrank@tfidf", "lexrank", "pacsum", "far")
SUMY = {"sumy TextRank": "text_rank.TextRankSummarizer", "sumy LexRank": "lex_rank.LexRankSummarizer"}
SUMY |= {"sumy LSA": "lsa.LsaSummarizer"}
BUDGET = 400


def main() -> None:
    """Print both tables, or measure one cell where --one asks for it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--one", nargs=2, metavar=("SYSTEM", "SIZE"), help=argparse.SUPPRESS)
    parser.add_argument("--seconds", type=float, default=3.0, help="how long each cell is repeated")
    parser.add_argument("--compare", type=int, metavar="SIZE", help=argparse.SUPPRESS)
    parser.add_argument("--knapsack", action="store_true", help="only the knapsacks")
    parser.add_argument("--pdf", action="store_true", help="only a PDF of 100 pages")
    parser.add_argument("--start", action="store_true", help="only what a start takes")
    args = parser.parse_args()
    if args.one:
        print(json.dumps(measure(args.one[0], int(args.one[1]), args.seconds)))
        return
    if args.compare is not None:
        print(json.dumps(compare(args.compare, args.seconds)))
        return
    if not DATA.is_dir():
        sys.exit(f"no documents at {DATA}: set TERSELY_DATA to a folder with en/dev_cnndm.jsonl.gz")
    if args.start:
        starts()
    elif args.knapsack:
        knapsacks()
    elif args.pdf:
        long_pdf()
    else:
        scorers(args.seconds)
        long_texts()
        ratios(args.seconds)
        starts()
        knapsacks()
        long_pdf()


def scorers(seconds: float) -> None:
    """Print documents a second and peak memory of each system at each size."""
    print("| system | " + " | ".join(f"{n} sentences | MB" for n in SIZES) + " |")
    print("|---" * (1 + 2 * len(SIZES)) + "|", flush=True)
    for system in (*OURS, *SUMY):
        cells = []
        for size in SIZES:
            found = in_a_process("--one", system, str(size), "--seconds", str(seconds))
            cells += [f"{found['rate']:.4g}/s", f"{found['memory']:.0f}"]
        print(f"| {system} | " + " | ".join(cells) + " |", flush=True)


def long_texts() -> None:
    """Print time and peak memory of the default for one long text."""
    print("\n| sentences | editor, s | MB |\n|---|---|---|", flush=True)
    for size in LONG:
        found = in_a_process("--one", "editor", str(size), "--seconds", "0")
        print(f"| {size:,} | {1 / found['rate']:.3g} | {found['memory']:.0f} |", flush=True)


def ratios(seconds: float) -> None:
    """Print how many times as long others take, and how long all budgets of a short text take."""
    print("\n| sentences | editor, ms | lead, ms | sumy TextRank, ms | editor : lead | sumy : editor |")
    print("|---|---|---|---|---|---|", flush=True)
    for size in COMPARED:
        found = in_a_process("--compare", str(size), "--seconds", str(seconds))
        editor, lead, sumy = found["editor"], found["lead"], found["sumy TextRank"]
        cells = [f"{1e3 * editor:.3g}", f"{1e3 * lead:.3g}", f"{1e3 * sumy:.4g}", f"{editor / lead:.1f}"]
        print(f"| {size:,} | " + " | ".join([*cells, f"{sumy / editor:.1f}"]) + " |", flush=True)
    found = in_a_process("--compare", "0", "--seconds", str(seconds))
    print(f"\n| {SIZES[0]} sentences | ms |\n|---|---|")
    for name in ("editor", "all budgets", f"a question over {PASSAGES} passages"):
        print(f"| {name} | {1e3 * found[name]:.3g} |", flush=True)


def starts() -> None:
    """Print what new processes take, each command started in turns: median time, and time of the processor."""
    text = str(Path(__file__).parents[1] / "examples" / "harbor.txt")
    first = "from tersely import summarize; summarize(open(sys.argv[1]).read(), max_chars=280)"
    commands = {
        "Python alone": ("-c", ""),
        "loading NumPy": ("-c", "import numpy"),
        "loading tersely.summarizer": ("-c", "import tersely.summarizer"),
        "and a first summary": ("-c", f"import sys; {first}", text),
        "`tersely --version`": ("-m", "tersely", "--version"),
        "`tersely summarize`": ("-m", "tersely", "summarize", text, "--max-chars", "280"),
    }
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    for _ in range(STARTS):
        for name, arguments in commands.items():
            started, before = time.perf_counter(), of_children()
            subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
            times[name].append((time.perf_counter() - started, of_children() - before))
    print("\n| a new process | ms | of the processor, ms |\n|---|---|---|")
    for name, pairs in times.items():
        cells = [f"{1e3 * statistics.median(column):.0f}" for column in zip(*pairs, strict=True)]
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def in_a_process(*arguments: str) -> dict[str, float]:
    """Return what this script finds when it is run with these arguments."""
    command, one_thread = [sys.executable, __file__, *arguments], {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=one_thread)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def of_children() -> float:
    """Return the seconds of the processor that all processes took which this one has started."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def compare(size: int, seconds: float) -> dict[str, float]:
    """Return the seconds that each system takes for a document, all on the same ones in turns.

    For size 0: the default, all budgets of short texts, and a question.
    """
    documents = sample(size or SIZES[0], count=max(1, 250 // (size or SIZES[0])))
    if size:
        systems = {system: our_system(system) for system in ("editor", "lead")}
        systems["sumy TextRank"] = sumy_system("sumy TextRank")
    else:
        systems = {"editor": our_system("editor"), "all budgets": all_budgets()}
        systems[f"a question over {PASSAGES} passages"] = asked()
    spent, rounds = dict.fromkeys(systems, 0.0), 0
    for run in systems.values():
        run(documents[0][: SIZES[0]])
    while rounds == 0 or sum(spent.values()) < seconds * len(systems):
        for system, run in systems.items():
            started = time.process_time()
            for document in documents:
                run(document)
            spent[system] += time.process_time() - started
        rounds += 1
    return {system: total / rounds / len(documents) for system, total in spent.items()}


def measure(system: str, size: int, seconds: float) -> dict[str, float]:
    """Summarize documents of one size for about that many seconds."""
    documents = sample(size, count=max(1, 500 // size))
    run = sumy_system(system) if system in SUMY else our_system(system)
    # A first, short document pays for imports, model loading and the like.
    run(documents[0][:3])
    done, started = 0, time.process_time()
    while time.process_time() - started < seconds or done == 0:
        run(documents[done % len(documents)])
        done += 1
    spent = time.process_time() - started
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"rate": done / spent, "memory": memory}


def sample(size: int, count: int) -> list[list[str]]:
    """Return documents of `size` sentences each, real articles joined."""
    from tersely import Document

    sentences: list[str] = []
    for name in ("dev_cnndm", "train"):
        with gzip.open(DATA / "en" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
            for line in lines:
                if len(sentences) >= size * count:
                    break
                sentences += Document.from_text(json.loads(line)["text"], "en").texts
    return [sentences[k * size : (k + 1) * size] for k in range(min(count, len(sentences) // size))]


def our_system(system: str) -> Callable[[list[str]], object]:
    """Return a function that summarizes given sentences to the budget."""
    from tersely import Document, Summarizer

    scorer, _, encoder = system.partition("@")
    summarizer = Summarizer.load() if system == "editor" else Summarizer.load(scorer=scorer, encoder=encoder or None)
    return lambda sentences: summarizer.summarize(Document.from_sentences(sentences, "en"), max_chars=BUDGET)


def all_budgets() -> Callable[[list[str]], object]:
    """Return a function that finds the summaries of given sentences for every budget, with the default model."""
    from tersely import Document, Summarizer

    summarizer = Summarizer.load()
    return lambda sentences: summarizer.frontier(Document.from_sentences(sentences, "en")).steps()


def asked() -> Callable[[list[str]], object]:
    """Return a function that asks the same question of the same passages, whatever sentences it is given."""
    from tersely import Summarizer

    summarizer = Summarizer.load()
    passages = [" ".join(" ".join(sentences).split()[:WORDS]) for sentences in sample(SIZES[0], PASSAGES)]
    sources = [{"id": str(number), "text": text} for number, text in enumerate(passages)]
    question = "How many people were hurt in the crash near the airport?"
    return lambda _: summarizer.summarize(sources, max_words=200, query=question)


def sumy_system(system: str) -> Callable[[list[str]], object]:
    """Return the same for one of sumy's summarizers, three sentences each, with a tokenizer that needs no data."""
    import re
    from importlib import import_module

    from sumy.models.dom import ObjectDocumentModel, Paragraph, Sentence
    from sumy.nlp.stemmers import Stemmer

    class Words:
        """sumy's tokenizer, as far as its summarizers use it."""

        def to_words(self, sentence: str) -> tuple[str, ...]:
            return tuple(re.findall(r"[^\W\d_]+", sentence.lower()))

    module, name = SUMY[system].split(".")
    summarizer = getattr(import_module(f"sumy.summarizers.{module}"), name)(Stemmer("english"))

    def run(sentences: list[str]) -> object:
        paragraph = Paragraph([Sentence(sentence, Words()) for sentence in sentences])
        return summarizer(ObjectDocumentModel([paragraph]), 3)

    return run


def knapsacks() -> None:
    """Print the time of one exact solution, ours and OR-Tools', on the same problems."""
    import numpy as np
    from ortools.algorithms.python import knapsack_solver

    from tersely.select import Problem
    from tersely.select.knapsack import Knapsack

    kinds = {
        "dynamic programming": knapsack_solver.SolverType.KNAPSACK_DYNAMIC_PROGRAMMING_SOLVER,
        "branch and bound": knapsack_solver.SolverType.KNAPSACK_MULTIDIMENSION_BRANCH_AND_BOUND_SOLVER,
    }
    print("\n| items × capacity | tersely | " + " | ".join(f"OR-Tools, {kind}" for kind in kinds) + " |")
    print("|---|---|" + "---|" * len(kinds), flush=True)
    for items, capacity, repeats in ((30, 500, 200), (200, 2_000, 50), (1_000, 5_000, 20), (10_000, 100_000, 3)):
        rng = np.random.default_rng(items)
        times: dict[str, list[float]] = {"tersely": [], **{kind: [] for kind in kinds}}
        for _ in range(repeats):
            lengths = rng.gamma(2, 60, items).astype(np.int64) + 1
            values = np.round(lengths * rng.lognormal(0, 0.5, items) * 1e6)
            problem = Problem(values, lengths, capacity)
            started = time.process_time()
            ours = Knapsack()(problem).chosen
            times["tersely"].append(time.process_time() - started)
            for kind, solver_type in kinds.items():
                if kind == "dynamic programming" and items * capacity > 1e7:
                    continue  # its table would take minutes
                profits, weights = values.astype(np.int64).tolist(), [lengths.tolist()]
                started = time.process_time()
                solver = knapsack_solver.KnapsackSolver(solver_type, "")
                solver.set_time_limit(20)
                solver.init(profits, weights, [capacity])
                best = solver.solve()
                [i for i in range(items) if solver.best_solution_contains(i)]
                times[kind].append(time.process_time() - started)
                if solver.is_solution_optimal() and abs(values[list(ours)].sum() - best) > 1e-9 * best:
                    sys.exit(f"the solvers disagree: {values[list(ours)].sum()} and {best}")
        cells = [f"{1e3 * statistics.median(found):.3g} ms" if found else "-" for found in times.values()]
        print(f"| {items:,} × {capacity:,} | " + " | ".join(cells) + " |", flush=True)


def long_pdf(pages: int = 100, lines: int = 45) -> None:
    """Print how long the command takes for a PDF of news, and how much of that is reading it."""
    import textwrap
    from tempfile import TemporaryDirectory

    sys.path.append(str(Path(__file__).parents[1] / "tests" / "extract"))
    from making import pdf, set_lines  # type: ignore[import-not-found]

    [sentences] = sample(pages * lines, count=1)
    text = "\n".join(textwrap.fill(" ".join(sentences[i : i + 5]), 90) for i in range(0, len(sentences), 5))
    rows = text.encode("cp1252", "replace").decode("cp1252").splitlines()[: pages * lines]
    with TemporaryDirectory() as folder:
        file = Path(folder, "report.pdf")
        file.write_bytes(pdf([set_lines(rows[i : i + lines]) for i in range(0, len(rows), lines)]))
        print(f"\n| a PDF of {pages} pages, {sum(map(len, rows)):,} characters | s |\n|---|---|")
        reading = "import sys; from tersely.extract import extract; extract(open(sys.argv[1], 'rb').read())"
        for name, arguments in {
            "reading it": ("-c", reading, str(file)),
            "all of the command": ("-m", "tersely", "summarize", str(file), "--max-words", "100"),
        }.items():
            before = of_children()
            subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
            print(f"| {name} | {of_children() - before:.2g} |", flush=True)


if __name__ == "__main__":
    main()
