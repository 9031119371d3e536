"""The measured rows under results/, and the tables that pages of docs/ show of them.

A page has such a table between `<!-- table: NAME -->` and `<!-- end of table -->`. This script writes all of these
tables again from the rows, in a second and without measuring anything. The scripts that measure call it at the end.
"""

import csv
import re
from collections.abc import Callable, Iterable, Sequence
from decimal import ROUND_HALF_UP, Decimal
from functools import partial
from pathlib import Path

from tersely.evaluate import markdown_table

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "results"
PAGES = ("results", "tables", "siamese", "editor")
MARK = re.compile(r"(<!-- table: ([\w-]+) -->\n).*?(<!-- end of table -->)", re.DOTALL)
Line = dict[str, str]
Cells = list[tuple[str, ...]]


def read_rows(name: str, folder: Path = RESULTS) -> list[Line]:
    """Return the rows of a file, or none if there is no such file."""
    file = folder / name
    if not file.exists():
        return []
    with file.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def update_rows(name: str, key: Sequence[str], rows: Sequence[Line], folder: Path = RESULTS) -> None:
    """Write rows into a file: each replaces the row with the same values in the key columns, or comes last.

    name: the name of the file
    key: the columns that tell rows apart
    rows: what was measured; a column that a row lacks stays empty
    folder: the folder of the file
    """
    earlier = read_rows(name, folder)
    merged = {tuple(row[column] for column in key): row for row in [*earlier, *rows]}
    columns = dict.fromkeys(column for row in [*earlier[:1], *rows] for column in row)
    folder.mkdir(exist_ok=True)
    with (folder / name).open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, [*columns], restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(merged.values())


def split_difference(cell: str) -> tuple[str, str, str]:
    """Return the mean and the bounds of a difference.

    >>> split_difference("+1.43 (+0.80, +2.09)")
    ('+1.43', '+0.80', '+2.09')
    """
    mean, low, high = re.findall(r"[+-][\d.]+", cell) or ("", "", "")
    return mean, low, high


def join_difference(row: Line) -> str:
    """Return a difference and its bounds as one cell."""
    return f"{row['delta']} ({row['low']}, {row['high']})" if row["delta"] else ""


# The sets of the table of systems: what they are, their names, and a budget near the length of the references.
SETS = (
    ("CNN/DailyMail", "dev_cnndm", "3 sentences"),
    ("CNN", "dev_cnn", "3 sentences"),
    ("Inshorts", "dev_inshorts", "58 words"),
    ("BBC", "dev_bbc", "170 words"),
    ("Chinese web news", "dev_pku", "100 chars"),
    ("Chinese broadcast news", "dev_xinwenlianbo", "100 chars"),
    ("Chinese court rulings", "dev_cail", "300 chars"),
)


def systems() -> Cells:
    """Return R-1 of every system on every set of news, at one budget each."""
    measured = {(row["set"], row["budget"], row["system"]): row["r1"] for row in read_rows("rouge.csv")}
    names = list(dict.fromkeys(name for dev, _, name in measured if dev in {dev for _, dev, _ in SETS}))
    cells: Cells = [("", "budget", *(f"`{name}`" for name in names))]
    for title, dev, budget in SETS:
        cells.append((title, budget, *(_mean([measured.get((dev, budget, name), "")]) for name in names)))
    return cells


def reading() -> Cells:
    """Return what is flawed, and how much of the editor's choice was matched, within the shorter budget."""
    rows = read_rows("reading.csv")
    cells: Cells = [("system", "unmet", "noise", "flawed", "choice")]
    cells += [
        (f"`{row['system']}`", row["unmet"], row["noise"], row["flawed"], row["choice"])
        for row in rows
        if row["budget"] == rows[0]["budget"]
    ]
    return cells


# The rows of the digest of Table 2: what the page calls them, and their names.
OBJECTIVES = (
    ("`oracle`", "oracle"),
    ("`lead`", "lead"),
    ("`random`", "random"),
    ("`textrank@tfidf`", "textrank@tfidf"),
    ("`textrank@use`", "textrank@use"),
    ("`pacsum`", "pacsum"),
    ("`far`", "far"),
    ("`coverage`", "coverage"),
    ("`news`", "news"),
    ("siamese, our reading", "both"),
    ("siamese, without Ext-Doc", "rest-ext"),
    ("siamese, without Rest-Ext", "ext-doc"),
    ("siamese, without predictor", "no-predictor"),
    ("siamese, without sentence encoder", "no-encoder"),
    ("siamese, without negatives", "no-negatives"),
    ("siamese, no positions in any network", "no-positions"),
    ("Ext-Doc in words", "words"),
    ("imitation of coverage", "imitation"),
    ("supervised", "supervised"),
)


def objectives() -> Cells:
    """Return R-1 of the rows of Tables 2 and 3, for a number of sentences: the mean of the seeds."""
    rows = [row for row in read_rows("tables.csv") if row["budget"].endswith("sentences")]
    devs = list(dict.fromkeys(row["set"] for row in rows))
    cells: Cells = [("", *devs, "dev_cnndm, shuffled", "paper, CNN/DailyMail")]
    for title, name in OBJECTIVES:
        equal = [row for row in rows if row["system"] == name]
        first = [row for row in equal if row["set"] == devs[0]]
        figures = [_mean(row["r1"] for row in equal if row["set"] == dev) for dev in devs]
        cells.append((title, *figures, _mean(row["shuffled"] for row in first), first[0]["paper"].split(" / ")[0]))
    return cells


# The rows of the table of court rulings: what the page calls them, and their names.
RULINGS = (
    ("`lead`", "lead"),
    ("`random`", "random"),
    ("`textrank@tfidf`", "textrank@tfidf"),
    ("`textrank@use`", "textrank@use"),
    ("`coverage:bias=0`", "coverage:bias=0"),
    ("`coverage:bias=0+knapsack`", "coverage:bias=0+knapsack"),
    ("siamese, our reading", "both"),
    ("siamese, our reading + exact knapsack", "perturbed"),
    ("Ext-Doc in words", "words"),
    ("Ext-Doc in words + exact knapsack", "words-perturbed"),
    ("imitation of coverage", "imitation"),
    ("imitation of coverage + exact knapsack", "imitation-perturbed"),
)


def rulings() -> Cells:
    """Return R-1 on court rulings within each length, as they are / shuffled; several seeds as a range."""
    rows = [row for row in read_rows("tables.csv") if row["set"] == "dev_cail" and row["budget"].endswith("chars")]
    budgets = list(dict.fromkeys(row["budget"] for row in rows))
    cells: Cells = [("", "seeds", *(budget.replace("chars", "characters") for budget in budgets))]
    for title, name in RULINGS:
        runs = [row for row in rows if row["system"] == name]
        by_budget = [[row for row in runs if row["budget"] == budget] for budget in budgets]
        figures = (
            " / ".join(_range(equal, column) for column in ("r1", "shuffled") if equal[0][column])
            for equal in by_budget
        )
        cells.append((title, str(len(by_budget[0])) if runs[0]["seed"] else "", *figures))
    return cells


# The rows of the digest of Tables 4 and 5: the objective, and its name without length control.
CONTROLLED = (("siamese, our reading", "both"), ("Ext-Doc in words", "words"), ("imitation of coverage", "imitation"))
WAYS = {"ktdp": "KTDP", "ktden": "KTDEN", "perturbed": "exact knapsack"}


def lengths(dev: str) -> Cells:
    """Return what length control in training adds on a dev set, over all seeds of a row."""
    rows = [row for row in read_rows("length-control.csv") if (row["study"], row["set"]) == ("tables", dev)]
    budgets = list(dict.fromkeys(row["budget"] for row in rows))
    cells: Cells = [
        ("objective", "trained through", "seeds", *(budget.replace("chars", "characters") for budget in budgets))
    ]
    for title, without in CONTROLLED:
        for way, through in WAYS.items():
            name = way if without == "both" else f"{without}-{way}"
            pair = [row for row in rows if (row["row"], row["without"]) == (name, without)]
            seeds = max((row["seeds"] for row in pair), key=len)
            gains = {row["budget"]: join_difference(row) for row in pair if row["seeds"] == seeds}
            cells.append((title, through, str(len(seeds.split())), *(gains[budget] for budget in budgets)))
    return cells


DEVS = ("dev_cnndm", "dev_cnn")
# The rows of the grid of docs/siamese.md that were trained within a length.
MIXED = {
    "mixed-perturbed": "the exact knapsack",
    "mixed-ktdp": "KTDP",
    "mixed-ktden": "KTDEN",
    "mixed-ktden-epsilon": "KTDEN, epsilon 1e-14",
}


def mixed() -> Cells:
    """Return what length control adds to the setting `mixed` in English, over its seeds."""
    rows = [row for row in read_rows("length-control.csv") if row["row"] in MIXED and row["set"] in DEVS]
    budgets = list(dict.fromkeys(row["budget"] for row in rows))
    cells: Cells = [("set", "trained through", "seeds", *(budget.replace("chars", "characters") for budget in budgets))]
    for dev in DEVS:
        for name, through in MIXED.items():
            pair = {row["budget"]: row for row in rows if (row["set"], row["row"]) == (dev, name)}
            seeds = str(len(pair[budgets[0]]["seeds"].split()))
            cells.append((dev, through, seeds, *(join_difference(pair[budget]) for budget in budgets)))
    return cells


def controls() -> Cells:
    """Return what needs no training on dev_cnndm, and what trained scorers reach beside it."""
    cells: Cells = [("values", "selection", "as it is", "shuffled", "release")]
    for row in read_rows("controls.csv"):
        if row["set"] == "dev_cnndm":
            release = "earlier" if row["measured_by"].startswith("earlier") else "this"
            cells.append((row["values"], row["selection"], row["as_is"], row["shuffled"], release))
    return cells


def choice() -> Cells:
    """Return R-1, as it is / shuffled, of untrained coverage and of networks that learned from a choice of words."""
    untrained = [row for row in read_rows("controls.csv") if row["values"] in CHOICE_CONTROLS]
    runs: dict[tuple[str, str], dict[str, list[Line]]] = {}
    for row in [*untrained, *read_rows("choice.csv")]:
        if not row.get("measured_by", "").startswith("earlier"):
            by_set = runs.setdefault((row["values"], row["selection"]), {})
            by_set.setdefault(row["set"], []).append(row)
    cells: Cells = [("values", "selection", *CHOICE_SETS)]
    for names, by_set in runs.items():
        cells.append((*names, *(_both(by_set.get(dev, [])) for dev in CHOICE_SETS)))
    return cells


def _both(runs: Sequence[Line]) -> str:
    return f"{_range(runs, 'as_is')} / {_range(runs, 'shuffled')}" if runs else ""


CHOICE_SETS = ("dev_cnndm", "dev_cnn", "dev_pku", "dev_xinwenlianbo", "dev_cail")
CHOICE_CONTROLS = (
    "first sentences",
    "random",
    "length",
    "word coverage without positions",
    "the same / length^0.5",
    "the same / length",
    "TextRank (tf-idf)",
)


def _range(runs: Sequence[Line], column: str) -> str:
    """Return the figures of some runs: the lowest and the highest if there are several."""
    figures = sorted(Decimal(row[column]) for row in runs)
    ends = [str(figure.quantize(Decimal("0.1"), ROUND_HALF_UP)) for figure in (figures[0], figures[-1])]
    return "–".join(dict.fromkeys(ends))


# What the editor's network learned from before it saw labels.
PRETRAINING = {
    "none": "nothing",
    "lead": "nothing: earlier sentences are better",
    "words": "`words`",
    "choice": "`choice`, half of the texts shuffled",
    "siamese": "siamese",
    "both": "siamese and `words`",
}


def pretraining() -> Cells:
    """Return what texts without labels are worth for the editor's network: mean and range of the seeds."""
    columns = ("worth", "first", "main", "need", "cure")
    rows = read_rows("pretraining.csv")
    cells: Cells = [
        ("measured on", "labels", "before them", "seeds", "worth", "first choice", "main point", *columns[3:])
    ]
    for language, title in (("all", "all"), ("zh", "Chinese")):
        for labels in sorted({row["labels"] for row in rows if row["language"] == language}, key=int, reverse=True):
            for kind, before in PRETRAINING.items():
                names = {"language": language, "labels": labels, "pretraining": kind}
                if runs := [row for row in rows if names.items() <= row.items()]:
                    seeds = "" if kind == "lead" else str(len(runs))
                    shown = columns if int(labels) else columns[:3]
                    figures = (_mean_and_range(runs, column) if column in shown else "" for column in columns)
                    cells.append((title, labels, before, seeds, *figures))
    return cells


def _mean_and_range(runs: Sequence[Line], column: str) -> str:
    mean, ends = _mean(row[column] for row in runs), _range(runs, column).replace("–-", " to -")
    return f"{mean} ({ends})" if len(runs) > 1 else mean


# The settings of the grid that the page shows: what the page calls them, and their names.
GRID = (
    ("as printed", "printed"),
    ("as printed, scaled embeddings", "scaled"),
    ("no positions in encoder and predictor, 600 steps", "long-siamese-none"),
    ("no positions at all, 600 steps", "long-none-scaled"),
    ("exact gradient", "exact"),
    ("frozen targets", "frozen"),
    ("frozen targets, exact gradient, contrast", "contrast"),
    ("words alone", "words"),
    ("contrast + 5 words", "words-contrast"),
    ("contrast + 10 words, some texts shuffled, exact knapsack, 300 steps", "mixed-perturbed-300"),
)


def grid() -> Cells:
    """Return R-1 of English settings by seed, as the documents are and shuffled."""
    rows = [row for row in read_rows("siamese.csv") if row["language"] == "en"]
    cells: Cells = [("setting", "seeds", "R-1 by seed", "shuffled")]
    for title, name in GRID:
        runs = [row for row in rows if row["row"] == name]
        figures = (", ".join(_mean([row[column]]) for row in runs) for column in ("r1", "shuffled"))
        cells.append((title, ", ".join(row["seed"] for row in runs), *figures))
    return cells


# Each table, and how many of its first columns are names.
TABLES: dict[str, tuple[Callable[[], Cells], int]] = {
    "systems": (systems, 2),
    "reading": (reading, 1),
    "objectives": (objectives, 1),
    "rulings": (rulings, 1),
    "lengths": (partial(lengths, "dev_cnndm"), 2),
    "lengths-law": (partial(lengths, "dev_cail"), 2),
    "mixed": (mixed, 2),
    "controls": (controls, 2),
    "choice": (choice, 2),
    "pretraining": (pretraining, 3),
    "grid": (grid, 2),
}


def _mean(figures: Iterable[str]) -> str:
    """Return the mean of figures with one digit after the point; an empty figure was not measured."""
    numbers = [Decimal(figure) for figure in figures if figure]
    if not numbers:
        return ""
    mean = sum(numbers, Decimal(0)) / len(numbers)
    return str(mean.quantize(Decimal("0.1"), ROUND_HALF_UP))


def filled(page: str) -> str:
    """Return the text of a page with its tables written again."""

    def table(mark: re.Match[str]) -> str:
        cells, names = TABLES[mark[2]]
        return f"{mark[1]}{markdown_table(cells(), names)}{mark[3]}"

    return MARK.sub(table, page)


def write_pages() -> None:
    """Write the tables of all pages again."""
    for name in PAGES:
        file = ROOT / "docs" / f"{name}.md"
        file.write_text(filled(file.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    write_pages()
