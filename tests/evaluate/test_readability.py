"""How summaries read: labels in a file of their own, flaws, the editor's choice, and the command."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from tersely import Document, Summarizer
from tersely.cli.evaluate import command
from tersely.datasets import Record
from tersely.datasets import read as read_data
from tersely.errors import InputError, UsageError
from tersely.evaluate.annotation import MISSING, EditorLabels, LabeledRecord, Need, labeled
from tersely.evaluate.measures import paired_bootstrap
from tersely.evaluate.readability import (
    DEFAULT_BUDGETS,
    LanguageBudget,
    ReadingOutcome,
    ReadingResult,
    evaluate_reading,
    kinds_table,
    pair_budgets,
    reading_table,
)
from tersely.options import Budget
from tersely.text import Sentence

# Sentences of ten characters each, so that budgets are easy to count.
FOUR = Document.from_text("Rain fell. Bob slept. He snored. No answer.")
CHARS = Budget(21, "chars")


def annotation_of(document: Document, **labels: Any) -> EditorLabels:
    return EditorLabels(document.sentences, **{"needs": {}, **labels})


def test_a_need_is_met_by_what_is_chosen_and_one_that_is_missing_never() -> None:
    labels = annotation_of(FOUR, needs={2: (Need(1),), 3: (Need(MISSING),)})
    assert not any(map(labels.unmet_causes, ({0, 1}, {1, 2}, set())))
    assert all(map(labels.unmet_causes, ({0, 2}, {0, 3})))


def test_a_sentence_counts_if_more_than_half_of_it_is_taken_by_one() -> None:
    def spans(*pairs: tuple[int, int]) -> tuple[Sentence, ...]:
        return tuple(Sentence(*pair) for pair in pairs)

    labels = EditorLabels(spans((0, 10), (10, 20), (20, 20), (20, 30)), {})
    assert labels.covered(spans((0, 15))) == {0}
    assert labels.covered(spans((4, 16))) == {0, 1}
    assert labels.covered(spans((5, 10), (10, 15), (19, 30))) == {3}
    assert labels.covered(spans((20, 25), (25, 30))) == set()


def test_the_editors_choice_is_relative_to_the_most_that_fits() -> None:
    labels = annotation_of(FOUR, top=(3, 0, 2))
    # Two of ten characters and the space between them fit, at best those that count 6 and 5.
    assert labels.choice_share({0, 3}, FOUR, CHARS) == 1
    assert labels.choice_share({0, 2}, FOUR, CHARS) == pytest.approx(9 / 11)
    assert labels.choice_share({1}, FOUR, CHARS) == 0
    assert labels.choice_share({0}, FOUR, Budget(20, "chars")) == pytest.approx(5 / 6)
    assert labels.choice_share({3, 0}, FOUR, Budget(2, "sentences")) == 1
    assert labels.choice_share({3}, FOUR, Budget(2, "words")) == 1
    assert labels.choice_share({0}, FOUR, Budget(3, "chars")) == 0
    assert annotation_of(FOUR).choice_share({0}, FOUR, CHARS) == 0


def independent(
    text: str, row: dict[str, Any], label: dict[str, Any], room: int, system: dict[str, str]
) -> list[float]:
    """Return unmet, noise, flawed, choice and fill, written without the code under test."""
    gap = 0 if row["set"].startswith("zh") else 1
    summary = Summarizer.load(**system).summarize(text, max_chars=room)
    taken = [set(range(s.start, s.end)) for s in summary.sentences]
    spans = [set(range(a, b)) for a, b in row["sentences"]]
    chosen = {k for k, span in enumerate(spans) if any(len(span & part) > len(span) / 2 for part in taken)}
    unmet = any(need not in chosen for k in chosen for need in label["needs"].get(str(k), []))
    noise = any(k in label["noise"] for k in chosen)
    table = [0] * (room + gap + 1)
    worth = {k: 6 - rank for rank, k in enumerate(label["top"])}
    for k, weight in worth.items():
        size = len(spans[k]) + gap
        for used in range(room + gap, size - 1, -1):
            table[used] = max(table[used], table[used - size] + weight)
    choice = sum(worth.get(k, 0) for k in chosen) / table[-1] if table[-1] else 0
    return [unmet, noise, unmet or noise, choice, summary.length / room]


@pytest.fixture
def data(tmp_path: Path, english: str, chinese: str) -> tuple[Path, Path]:
    """Three documents with labels; the labeled sentences of the first are not the library's."""
    rows, labels = [], []
    for i, (text, kind) in enumerate(
        [(english, "en_news"), (chinese, "zh_news"), ("Rain fell.\n\nIt rose.", "en_note")]
    ):
        spans = [list(span) for span in Document.from_text(text).sentences]
        if i == 0:
            first, second = spans[0], spans[1]
            middle = (second[0] + second[1]) // 2
            spans[:2] = [first, [second[0], middle - 3], [middle - 3, second[1]]]
        last = len(spans) - 1
        needs = {str(k): [k - 1] for k in range(2, last, 3)} | {"1": [-1]}
        rows.append({"id": f"text {i}", "set": kind, "text": text, "sentences": spans})
        labels.append(
            {"doc": f"try-{i}", "needs": needs, "noise": [last] if i < 2 else [], "top": [0, last, 1][: last + 1]}
        )
    files = tmp_path / "texts.jsonl", tmp_path / "labels.jsonl"
    for file, lines in zip(files, (rows, reversed(labels)), strict=True):
        file.write_text("\n".join(json.dumps(line, ensure_ascii=False) for line in lines), encoding="utf-8")
    return files


def rows_of(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("name", ["lead", "textrank", "lexrank", "news"])
def test_the_figures_are_those_of_independent_code(data: tuple[Path, Path], name: str) -> None:
    texts, file = data
    items, source = labeled(read_data(texts), file)
    assert source == "labels by an annotator whom the file does not name (labels.jsonl)"
    results = evaluate_reading(items, [name], workers=1)
    labels = {label["doc"]: label for label in rows_of(file)}
    system = {"model": name} if name == "news" else {"scorer": name}
    for scale, result in zip((1, 2), results, strict=True):
        expected = []
        for i, row in enumerate(rows_of(texts)):
            room = scale * (100 if row["set"].startswith("zh") else 300)
            expected.append(independent(row["text"], row, labels[f"try-{i}"], room, system))
        # A text that fits as a whole is joined for every system alike, so the last one is a line break shorter.
        expected[2][4] -= 1 / (300 * scale)
        for figure, values in zip(
            ("unmet", "noise", "flawed", "choice", "fill"), zip(*expected, strict=True), strict=True
        ):
            assert result.values(figure) == pytest.approx(np.array(values, dtype=float)), figure


def test_other_tools_and_two_processes_work_alike(data: tuple[Path, Path]) -> None:
    items, _ = labeled(read_data(data[0]), data[1])
    alone, shared = (evaluate_reading(items, ["lead", "sumy-luhn"], workers=n) for n in (1, 2))
    assert alone == shared
    assert all(0 < fill <= 1 for result in alone for fill in result.values("fill"))


def test_an_oracle_without_references_says_so(data: tuple[Path, Path]) -> None:
    with pytest.raises(InputError, match="the oracle needs references, but document text 0 has none"):
        evaluate_reading([LabeledRecord(next(read_data(data[0])), annotation_of(FOUR))], ["oracle"], workers=1)
    with pytest.raises(InputError, match="no document"):
        evaluate_reading([], ["lead"], workers=1)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"noise": [99]}, "it has no sentence 99"),
        ({"needs": {"1": [-2]}}, "it has no sentence -2"),
        ({"needs": None}, "labels do not fit document 0"),
        ({"top": ["first"]}, "labels do not fit document 0"),
        ({"doc": "try-7"}, "has no labels for document 0"),
    ],
)
def test_labels_that_do_not_fit_are_refused_in_one_line(data: tuple[Path, Path], change: Any, said: str) -> None:
    first = rows_of(data[1])[-1]
    data[1].write_text(json.dumps(first | change))
    with pytest.raises(InputError, match=said) as error:
        labeled(read_data(data[0], limit=1), data[1])
    assert "\n" not in str(error.value)


def test_labels_may_name_documents_by_id_and_their_annotator(tmp_path: Path) -> None:
    file = tmp_path / "labels.jsonl"
    lines = [{"doc": f"x-{i}", "needs": {}, "noise": [i], "annotator": "a language model"} for i in (1, 0)]
    file.write_text("\n".join(map(json.dumps, lines)))
    items, source = labeled([Record("x-1", FOUR), Record("x-0", FOUR)], file)
    assert [item.labels for item in items] == [annotation_of(FOUR, noise=frozenset({i})) for i in (1, 0)]
    assert source == "labels by a language model (labels.jsonl)"


def test_spans_must_ascend_within_the_text(tmp_path: Path) -> None:
    file = tmp_path / "labels.jsonl"
    file.write_text('{"doc": "x", "needs": {}, "noise": []}')
    for spans in ([[5, 3]], [[0, 5], [4, 8]], [[0, 99]], [[1]], 7):
        with pytest.raises(InputError, match="do not fit document x"):
            labeled([Record("x", FOUR, fields={"sentences": spans})], file)


def test_budgets_go_in_pairs() -> None:
    assert pair_budgets([], []) == DEFAULT_BUDGETS
    assert list(map(str, DEFAULT_BUDGETS)) == ["300 chars (zh 100)", "600 chars (zh 200)"]
    [one] = pair_budgets([CHARS], [])
    assert (str(one), one.of(Document.from_text("今天天气很好。"))) == ("21 chars", CHARS)
    with pytest.raises(UsageError, match="there are 1 budgets, but 2 for Chinese"):
        pair_budgets([CHARS], [CHARS, CHARS])


def test_the_tables_have_means_and_paired_differences() -> None:
    flaws = {"lead": (True, True, False, False), "news": (False, True, False, False)}
    results = [
        ReadingResult(
            name,
            LanguageBudget(CHARS),
            tuple(
                ReadingOutcome({"noise": noise, "flawed": noise, "fill": 1}, sentences=2, kind="ab"[i % 2])
                for i, noise in enumerate(noisy)
            ),
        )
        for name, noisy in flaws.items()
    ]
    header, lead, news = reading_table(results, "lead")
    assert header == ("budget", "system", "noise", "flawed", "Δ flawed (95 %)", "p", "fill", "sentences")
    assert lead == ("21 chars", "lead", "50.0", "50.0", "", "", "100%", "2.0")
    change = paired_bootstrap(*(100 * np.array(flaws[name], dtype=float) for name in ("news", "lead")))
    assert news[3:6] == ("25.0", f"-25.0 ({change.low:+.1f}, {change.high:+.1f})", f"{change.p:.4f}")
    rows = kinds_table(results, "set")[1:]
    assert [row[:1] + row[2:] for row in rows] == [
        ("a", "lead", "2", "50.0", "50.0", "100%", "2.0"),
        ("a", "news", "2", "0.0", "0.0", "100%", "2.0"),
        ("b", "lead", "2", "50.0", "50.0", "100%", "2.0"),
        ("b", "news", "2", "50.0", "50.0", "100%", "2.0"),
    ]


def run(*args: object) -> Any:
    return CliRunner().invoke(command, [*map(str, args)], catch_exceptions=False)


def test_the_command_prints_and_writes(data: tuple[Path, Path]) -> None:
    texts, labels = data
    out = texts.parent / "out"
    printed = run(texts, "--readability", "--labels", labels, "--by", "set", "--workers", 1, "--out", out).stdout
    assert printed.startswith("labels by an annotator whom the file does not name (labels.jsonl)\n\nbudget")
    assert all(part in printed for part in ("300 chars (zh 100)", "600 chars (zh 200)", "choice", "zh_news", "en_note"))
    assert {file.name for file in out.iterdir()} == {"readability.md", "readability.csv", "readability.json"}
    saved = json.loads((out / "readability.json").read_text(encoding="utf-8"))
    assert len(saved["results"]) == 4
    assert len(saved["results"][0]["figures"]["flawed"]["documents"]) == 3


def test_the_command_takes_budgets_for_chinese_texts(data: tuple[Path, Path]) -> None:
    options = ["--budgets", "90,200", "--budgets-zh", "50,90", "--workers", 1, "--systems", "lead"]
    printed = run(data[0], "--readability", "--labels", data[1], *options).stdout
    assert "90 chars (zh 50)" in printed
    # These labels have neither roles nor causes.
    assert "main" not in printed
    assert "cause" not in printed


def test_the_command_takes_sentences_and_several_fields_or_none(data: tuple[Path, Path]) -> None:
    options = ["--labels", data[1], "--sentences", 2, "--budgets", "90", "--by", "author", "--workers", 1]
    lines = run(data[0], "--readability", *options, "--systems", "lead").stdout.splitlines()
    assert [line.split("  ")[0] for line in lines if line][2:4] == ["2 sentences", "90 chars"]
    assert lines[-1].startswith("(none)")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--readability"], "--readability needs --labels FILE"),
        (["--readability", "--gum", "--labels", "FILE"], "--readability and --gum exclude each other"),
        (["--editor", "--queries"], "--editor and --queries exclude each other"),
        (["--editor", "--labels", "FILE"], "--labels needs --readability"),
        (["--editor", "FILE"], "several files are only for --queries"),
        (["--gum", "--coherence", "off"], "--coherence needs --queries"),
        (["--labels", "FILE"], "--labels needs --readability"),
        (["--budgets-zh", "100"], "--budgets-zh needs --readability"),
        (["--by", "set"], "--by needs --readability or --editor or --gum"),
        (["--readability", "--labels", "FILE", "--budgets-zh", "x"], "--budgets-zh takes numbers, not 'x'"),
        (["--readability", "--labels", "FILE", "--budgets-zh", "100"], "there are 0 budgets, but 1 for Chinese"),
    ],
)
def test_options_that_do_not_go_together_are_refused(data: tuple[Path, Path], options: list[str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        run(data[0], *(option.replace("FILE", str(data[1])) for option in options))
