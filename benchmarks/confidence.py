"""Fits the constants that say how sure it is that a text answers a question, and prints how well they tell.

    python benchmarks/confidence.py          # measure the constants as they are
    python benchmarks/confidence.py --fit    # fit and write them first

A question has no answer if the sources that hold it are taken away, or if it is asked of the documents of another
question. Constants are fitted on the questions with even numbers, and measured on the others: AUC, and how many
questions are told at the threshold, which is the one that turns away a few of the answered questions.
"""

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from tersely.evaluate.queries import SourcedQuestion, area, read_questions, unanswerable
from tersely.score.question import CONFIDENCE, Answering, chance
from tersely.text.sources import Collection

DATA = Path(os.environ.get("TERSELY_DATA", Path(__file__).parents[2] / "shared" / "data")) / "queries"
SETS = ("en_hotpot", "en_xquad", "zh_xquad", "de_xquad", "zh_rgb", "en_qmsum", "en_squality")
PAIRS = (("en", "de"), ("en", "zh"), ("de", "en"), ("zh", "en"))
# The share of answered questions that are turned away. In another language, there is less to tell by.
TURNED_AWAY = {"native": 0.03, "foreign": 0.005}
RIDGE = 0.01
# In another language, words say nothing.
SIGNS = {
    "native": (
        *("own words", "words beside", "words anywhere", "own meaning", "meaning beside", "meaning anywhere"),
        *("stands out", "sentences", "words", "number"),
    ),
    "foreign": ("own meaning", "meaning beside", "meaning anywhere", "pieces anywhere", "sentences", "words"),
}


@dataclass(frozen=True)
class Case:
    """A question that was asked of a text, what the text shows, and whether it answers."""

    group: str
    kind: str  # "answered", "taken away" or "of others"
    signs: dict[str, float]
    half: int


def main() -> None:
    """Fit, if asked to, and print the table."""
    if not DATA.is_dir():
        sys.exit(f"no data at {DATA}: set TERSELY_DATA to a folder with queries/")
    cases = {"native": list(native()), "foreign": list(foreign())}
    constants: dict[str, Any] = json.loads(CONFIDENCE.read_text(encoding="utf-8"))
    if "--fit" in sys.argv:
        constants = {name: fitted([c for c in rows if not c.half], name) for name, rows in cases.items()}
        CONFIDENCE.write_text(json.dumps(constants, indent=1) + "\n", encoding="utf-8")
    print("| questions | AUC, sources taken away | AUC, of others | answered, told so | without an answer, told so |")
    print("|---|---:|---:|---:|---:|")
    for name, rows in cases.items():
        measured = [case for case in rows if case.half]
        groups = dict.fromkeys(case.group for case in measured)
        for group in (*groups, f"all {name}"):
            report(group, [c for c in measured if c.group == group or group not in groups], constants[name])


def report(group: str, cases: list[Case], constants: dict[str, Any]) -> None:
    """Print the row of a group of cases."""
    chances: dict[str, list[float]] = {kind: [] for kind in ("answered", "taken away", "of others")}
    for case in cases:
        chances[case.kind].append(chance(constants, case.signs))
    yes, gone, others = chances.values()
    threshold = constants["threshold"]
    cells = [f"{area(yes, gone):.3f}" if gone else "", f"{area(yes, others):.3f}"]
    cells += [f"{100 * np.mean(np.array(yes) >= threshold):.0f} %"]
    cells += [f"{100 * np.mean(np.array(gone + others) < threshold):.0f} %"]
    print(f"| {group} | " + " | ".join(cells) + " |", flush=True)


def native() -> Iterator[Case]:
    """Yield the questions in the language of their texts: over several sources, and over all of them as one text."""
    for name in SETS:
        questions = list(read_questions(DATA / f"{name}.jsonl.gz"))
        yield from asked_of_all(name, questions)
        if len(questions[0].sources.sources) > 1:
            yield from asked_of_all(name, list(map(as_one, questions)))


def foreign() -> Iterator[Case]:
    """Yield questions in another language than their texts."""
    for language, told in PAIRS:
        queries = [q.query for q in read_questions(DATA / f"{language}_xquad.jsonl.gz")]
        questions = read_questions(DATA / f"{told}_xquad.jsonl.gz")
        pairs = [replace(question, query=query) for query, question in zip(queries, questions, strict=True)]
        yield from asked_of_all(f"{language} over {told}", pairs)


def asked_of_all(group: str, questions: list[SourcedQuestion]) -> Iterator[Case]:
    """Yield each question with its answer, and without one."""
    answering = Answering()
    for half in (0, 1):
        part = questions[half::2]
        for number, question in enumerate(part):
            cases = [("answered", question.sources), *unanswerable(part, number)]
            for kind, sources in cases:
                if signs := answering.signs(sources, question.query):
                    yield Case(group, kind, signs, half)


def as_one(question: SourcedQuestion) -> SourcedQuestion:
    """Return the question over all sources as one text."""
    text = "\n\n".join(source.text for source in question.sources.sources)
    return replace(question, sources=Collection.gather([{"id": "all", "text": text}]), facts=())


def fitted(cases: list[Case], name: str) -> dict[str, Any]:
    """Return the constants of a logistic regression, as if there were as many questions with an answer as without."""
    names = SIGNS[name]
    rows = np.array([[case.signs[name] for name in names] for case in cases])
    mean, deviation = rows.mean(axis=0), rows.std(axis=0)
    rows = np.c_[np.ones(len(rows)), (rows - mean) / deviation]
    truth = np.array([case.kind == "answered" for case in cases], dtype=float)
    share = np.where(truth == 1, 0.5 / truth.sum(), 0.5 / (1 - truth).sum())
    weights, ridge = np.zeros(rows.shape[1]), RIDGE * np.eye(rows.shape[1])
    ridge[0, 0] = 0.0
    for _ in range(50):
        chances = 1 / (1 + np.exp(-rows @ weights))
        gradient = rows.T @ (share * (chances - truth)) + ridge @ weights
        hessian = (rows * (share * chances * (1 - chances))[:, None]).T @ rows + ridge
        weights -= np.linalg.solve(hessian, gradient)
    scaled = weights[1:] / deviation
    bias = float(weights[0] - scaled @ mean)
    signs = {sign: round(float(weight), 3) for sign, weight in zip(names, scaled, strict=True)}
    constants: dict[str, Any] = {"bias": round(bias, 3), "signs": signs}
    answered = [chance(constants, case.signs) for case in cases if case.kind == "answered"]
    return {"threshold": float(np.quantile(answered, TURNED_AWAY[name]).round(3)), **constants}


if __name__ == "__main__":
    main()
