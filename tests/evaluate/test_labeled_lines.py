"""Documents with labels in the same line: an editor's, and those of the GUM corpus, with figures computed by hand."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from quality.gate import DATA
from tersely import Document
from tersely.cli.evaluate import command
from tersely.datasets import Record, read
from tersely.errors import InputError
from tersely.evaluate.annotation import Coreference, EditorLabels, Entity, LabeledRecord, Need, labeled_lines
from tersely.evaluate.readability import (
    LanguageBudget,
    ReadingOutcome,
    ReadingResult,
    causes_table,
    evaluate_reading,
    tables,
)
from tersely.evaluate.systems import Extract
from tersely.io.lines import Object
from tersely.options import Budget

# Sentences of ten characters each, so that budgets are easy to count.
TEXT = "Rain fell. Bob slept. He snored. No answer."
SPANS = [[0, 10], [11, 21], [22, 32], [33, 43]]
EDITOR: Object = {
    "doc": "dev-0",
    "kind": "note",
    "language": "en",
    "text": TEXT,
    "sentences": SPANS,
    "roles": "BMSN",
    "noise": {"3": "fragment"},
    "needs": {"1": [[0, "time", 1]], "2": [[1, "pronoun", 2], [0, "scope", 2]]},
    "top": [1, 2],
}
GUM: Object = {
    "doc": "GUM_note_rain",
    "genre": "note",
    "text": TEXT,
    "sentences": SPANS,
    "mentions": [
        [1, 0, "other", "Rain", "event", "new"],
        [2, 1, "name", "Bob"],
        [2, 2, "pronoun", "He"],
        [3, 3, "other"],
    ],
    "needs": {"2": [[1, "pronoun"]], "3": [[0, "definite"]]},
    "salience": {"1": 1, "2": 4},
}
FIRST_TWO = Budget(21, "chars")


def write(file: Path, *lines: Object) -> Path:
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return file


def items_of(tmp_path: Path, form: Any, *lines: Object) -> list[LabeledRecord]:
    file = write(tmp_path / "data.jsonl", *lines)
    return labeled_lines(read(file, strict=True), form, "data.jsonl")[0]


def test_an_editors_line_becomes_labels(tmp_path: Path) -> None:
    [item] = items_of(tmp_path, "editor", EDITOR)
    sentences = Document.from_text(TEXT).sentences
    needs = {1: (Need(0, "time", 1),), 2: (Need(1, "pronoun"), Need(0, "scope"))}
    assert item.labels == EditorLabels(sentences, needs, frozenset({3}), (1, 2), frozenset({1}))


@pytest.mark.parametrize(
    ("chosen", "causes", "figures"),
    [
        # Two sentences of ten characters fit, and the editor's two count 6 and 5.
        ({0, 1}, set(), (False, False, False, True, 6 / 11)),
        ({1, 2}, {"scope"}, (True, False, True, True, 1)),
        ({2}, {"scope", "pronoun"}, (True, False, True, False, 5 / 11)),
        ({0, 3}, set(), (False, True, True, False, 0)),
        # The need of sentence 1 is of grade 1: hardly anybody notices.
        ({1}, set(), (False, False, False, True, 6 / 11)),
    ],
)
def test_what_an_editor_says_of_a_choice(tmp_path: Path, chosen: set[int], causes: set[str], figures: Any) -> None:
    [item] = items_of(tmp_path, "editor", EDITOR)
    assert item.labels.unmet_causes(chosen) == causes
    measured = item.labels.figures(chosen, item.record.document, FIRST_TWO)
    assert list(measured) == ["unmet", "noise", "flawed", "main", "choice"]
    assert tuple(measured.values()) == pytest.approx(figures)


@pytest.mark.parametrize(
    ("chosen", "dangling", "salience"),
    [({0, 1}, False, 1), ({1, 2}, False, 0.8), ({0, 2}, True, 1), ({3}, False, 0), ({0, 3}, False, 0.2)],
)
def test_what_gum_says_of_a_choice(tmp_path: Path, chosen: set[int], dangling: bool, salience: float) -> None:
    [item] = items_of(tmp_path, "gum", GUM)
    assert isinstance(item.labels, Coreference)
    assert item.labels.entities == (Entity(frozenset({0}), 1), Entity(frozenset({1, 2}), 4))
    measured = item.labels.figures(chosen, item.record.document, FIRST_TWO)
    assert measured == pytest.approx({"dangling": dangling, "salience": salience})


def test_without_salient_entities_nothing_is_covered(tmp_path: Path) -> None:
    [item] = items_of(tmp_path, "gum", {**GUM, "salience": {}})
    assert item.labels.figures({0, 1}, item.record.document, FIRST_TWO) == {"dangling": False, "salience": 0}


def test_systems_are_measured_by_hand_computed_figures(tmp_path: Path) -> None:
    # Lead takes the first two sentences; in the second document, one of them is noise and the other a scrap.
    other = {**EDITOR, "kind": "mail", "roles": "NBMM", "needs": {"1": [[3, "answer", 2], [-1, "name", 2]]}, "top": [2]}
    items = items_of(tmp_path, "editor", EDITOR, other)
    [result] = evaluate_reading(items, ["lead"], [LanguageBudget(Budget(25, "chars"))], workers=1)
    means = {name: result.percent(name) for name in result.names}
    expected = {"unmet": 50, "noise": 50, "flawed": 50, "main": 50, "choice": 50 * 6 / 11, "fill": 84, "other": 0}
    assert means == pytest.approx(expected)
    assert [outcome.causes for outcome in result.outcomes] == [set(), {"answer", "name"}]
    assert result.sentences == 2


class Fickle:
    """Takes the last sentence instead of the first if the budget is exactly ten characters."""

    name = "fickle"

    def extract(self, record: Record, budget: Budget) -> Extract:
        chosen = 3 if budget.limit == 10 else 0
        return Extract((chosen,), record.document.texts[chosen], 10)


@pytest.mark.parametrize(("limit", "other"), [(15, 100), (10, 0)])
def test_another_summary_for_its_length_is_noticed(tmp_path: Path, monkeypatch, limit: int, other: int) -> None:
    monkeypatch.setattr("tersely.evaluate.run.load_system", lambda _: Fickle())
    items = items_of(tmp_path, "gum", GUM)
    [result] = evaluate_reading(items, ["fickle"], [LanguageBudget(Budget(limit, "chars"))], workers=1)
    assert result.percent("other") == other


def test_causes_are_shares_of_summaries_the_most_frequent_first() -> None:
    budget = LanguageBudget(FIRST_TWO)
    causes = {"lead": ({"name"}, {"name", "time"}, set(), {""}), "news": ({"name"}, set(), set(), set())}
    results = [
        ReadingResult(system, budget, tuple(ReadingOutcome({}, frozenset(part)) for part in parts))
        for system, parts in causes.items()
    ]
    assert causes_table(results) == [
        ("budget", "unmet cause", "lead", "news"),
        ("21 chars", "name", "50.0", "25.0"),
        ("21 chars", "time", "25.0", "0.0"),
    ]
    plain = [ReadingResult("lead", budget, (ReadingOutcome({"noise": 1}),))]
    assert [names for _, names in tables(plain, "lead", None)] == [2]


def test_figures_that_some_documents_lack_are_left_out() -> None:
    outcomes = ReadingOutcome({"noise": 1, "main": 1}), ReadingOutcome({"noise": 0})
    assert ReadingResult("lead", LanguageBudget(FIRST_TWO), outcomes).names == ["noise"]


@pytest.mark.parametrize(
    ("form", "change", "message"),
    [
        ("editor", {"roles": None}, "'roles' is missing"),
        ("editor", {"sentences": None}, "'sentences' is missing"),
        ("editor", {"top": None}, "'top' is missing"),
        ("editor", {"roles": "BMS"}, "its 'roles' are not 4 letters of BMNPQS"),
        ("editor", {"roles": "BMSX"}, "its 'roles' are not 4 letters of BMNPQS"),
        ("editor", {"roles": 4}, "do not fit document dev-0"),
        ("editor", {"sentences": [*SPANS[:3], [33, 99]]}, "are not spans of the text"),
        ("editor", {"needs": {"2": [[7, "name", 2]]}}, "it has no sentence 7"),
        ("editor", {"needs": {"2": [[1, "name", 2, 5]]}}, "a need is a sentence, a cause and a grade"),
        ("editor", {"needs": {"2": [[1, "name", "much"]]}}, "do not fit document dev-0"),
        ("editor", {"top": [float("inf")]}, "do not fit document dev-0"),
        ("gum", {"mentions": None}, "'mentions' is missing"),
        ("gum", {"mentions": [[1, 4, "name"]], "salience": {"1": 1}}, "it has no sentence 4"),
        ("gum", {"mentions": [[1]]}, "do not fit document GUM_note_rain"),
        ("gum", {"salience": {"1": "much"}}, "do not fit document GUM_note_rain"),
        ("gum", {"salience": 3}, "do not fit document GUM_note_rain"),
    ],
)
def test_bad_lines_are_refused_in_one_line(tmp_path: Path, form: str, change: Object, message: str) -> None:
    line = {**(EDITOR if form == "editor" else GUM), **change}
    with pytest.raises(InputError, match=message) as error:
        items_of(tmp_path, form, line)
    assert str(error.value).startswith("data.jsonl: the labels do not fit document")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("form", "line", "maker"), [("editor", EDITOR, "a language model"), ("gum", GUM, "people")])
def test_the_command_says_who_made_the_labels(tmp_path: Path, form: str, line: Object, maker: str) -> None:
    options = ["--systems", "lead", "--workers", "1", "--by", "kind" if form == "editor" else "genre"]

    def printed(**fields: str) -> str:
        file = write(tmp_path / f"{form}.jsonl", {**line, **fields})
        return CliRunner().invoke(command, [f"--{form}", str(file), *options], catch_exceptions=False).stdout

    assert printed().startswith(f"labels by {maker}")
    assert printed(annotator="Ann").startswith(f"labels by Ann ({form}.jsonl)")
    assert ("main" in printed()) == (form == "editor")
    assert printed().splitlines()[-1].startswith("note ")


@pytest.mark.skipif(not (DATA / "editor").is_dir() or not (DATA / "gum").is_dir(), reason="no evaluation data")
@pytest.mark.parametrize("form", ["editor", "gum"])
def test_real_files_can_be_read(form: Any) -> None:
    name = {"editor": "editor/dev.jsonl.gz", "gum": "gum/gum.jsonl.gz"}[form]
    items, _ = labeled_lines(read(DATA / name, strict=True), form, name)
    assert all(item.labels.sentences and item.labels.needs for item in items[:50])
