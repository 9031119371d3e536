"""Systems over records: extracts within the budget, figures, processes, tables and plots."""

import json
from pathlib import Path

import pytest

from tersely import Document, summarize
from tersely.datasets import Record
from tersely.errors import InputError, UsageError
from tersely.evaluate import report
from tersely.evaluate.measures import Tokenization
from tersely.evaluate.run import evaluate
from tersely.evaluate.systems import PEERS, load_system, parse_systems
from tersely.options import Budget

CHARS, THREE = Budget(120, "chars"), Budget(3, "sentences")


@pytest.fixture(scope="module")
def records(english: str, chinese: str) -> list[Record]:
    documents = [Document.from_text(english), Document.from_text(chinese)]
    return [Record(str(i), d, (d.texts[4], d.texts[8])) for i, d in enumerate(documents)]


def test_the_oracle_finds_the_reference_and_stops(records: list[Record]) -> None:
    for record in records:
        assert load_system("oracle").extract(record, THREE).chosen == (4, 8)


def test_the_oracle_keeps_a_character_budget(records: list[Record]) -> None:
    for record in records:
        budget = Budget(len(record.document.texts[4]), "chars")
        extract = load_system("oracle").extract(record, budget)
        assert len(extract.text) == extract.length <= budget.limit


@pytest.mark.parametrize("name", sorted(PEERS))
def test_a_peer_chooses_within_the_budget(records: list[Record], name: str) -> None:
    for record in records:
        assert load_system(name).extract(record, THREE).length == 3
        extract = load_system(name).extract(record, CHARS)
        assert len(extract.text) == extract.length <= 120
        assert all(record.document.texts[i] in extract.text for i in extract.chosen)


def test_an_extract_is_the_summary_of_the_library(records: list[Record]) -> None:
    for record in records:
        summary = summarize(record.document, max_chars=120)
        extract = load_system("editor").extract(record, CHARS)
        assert (extract.text, extract.length) == (summary.text, summary.length)
        assert extract.chosen == tuple(sorted(sentence.index for sentence in summary.sentences))


def test_a_text_that_fits_as_a_whole_is_joined_alike_for_every_system() -> None:
    document = Document.from_text("Rain fell.\n\nThe river rose.\n\nThe town slept.")
    record = Record("whole", document, document.texts)
    extracts = [load_system(name).extract(record, CHARS) for name in ("news", "lead", "oracle", "sumy-luhn")]
    assert [extract.text for extract in extracts] == ["Rain fell. The river rose. The town slept."] * 4


def test_results_are_those_of_the_library(records: list[Record]) -> None:
    [lead, oracle] = evaluate(records, ["lead+top", "oracle"], [THREE], workers=1)
    assert [o.positions for o in lead.outcomes] == [(0, 1, 2)] * 2
    assert oracle.mean("rouge1") == pytest.approx(100)
    assert (lead.violations, lead.fill, lead.positions(3)) == (0, 1.0, [2, 2, 2, 0])
    texts = records[0].document.texts
    assert lead.lengths[0] == len(" ".join(texts[:3]))


def test_rouge_counts_the_names_of_speakers_as_a_summary_shows_them() -> None:
    text = "Anna: The train to Ghent is late.\n\nBen: I will wait for you at the station.\n\nAnna: Thank you so much."
    document = Document.from_text(text)
    reference = ("Anna: The train to Ghent is late.", "Ben: I will wait for you at the station.")
    [lead] = evaluate([Record("talk", document, reference)], ["lead+top"], [Budget(2, "sentences")], workers=1)
    assert lead.mean("rouge1") == pytest.approx(100)


def test_two_processes_give_what_one_gives(records: list[Record]) -> None:
    alone, shared = (evaluate(records, ["coverage", "textrank"], [THREE, CHARS], workers=n) for n in (1, 2))
    assert alone == shared


def test_progress_and_empty_data(records: list[Record]) -> None:
    seen: list[int] = []
    evaluate(records, ["lead"], [THREE], workers=1, progress=seen.append)
    assert seen == [1, 2]
    with pytest.raises(InputError, match="no document with a reference"):
        evaluate([Record("x", records[0].document)], ["lead"], [THREE], workers=1)
    with pytest.raises(UsageError, match="did you mean 'lead'"):
        evaluate(records, ["laed"], [THREE])


def test_systems_are_named_once_and_keep_commas_in_settings() -> None:
    assert parse_systems("lead+top, far:alpha=2,beta=0.1") == ["lead+top", "far:alpha=2,beta=0.1"]
    with pytest.raises(UsageError, match="name each system once: 'lead' is there twice"):
        parse_systems("lead,lead")


def test_a_known_name_wins_over_a_folder_and_a_folder_may_have_any_name(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("lead", "c++"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.toml").write_text('name = "mine"\nscorer = "random"\n')
    found = [load_system(spec).summarizer.name for spec in ("lead", "./lead", "c++")]  # type: ignore[attr-defined]
    assert found == ["lead", "mine", "mine"]


def test_every_format_of_the_table_has_every_figure(records: list[Record]) -> None:
    results = evaluate(records, ["lead", "oracle"], [THREE, CHARS], workers=1)
    terminal, markdown = report.terminal(results, "lead"), report.markdown(results, "lead")
    rows = report.as_csv(results, "lead").splitlines()
    assert rows[0].startswith("budget,system,R-1")
    assert len(rows) == 5
    score = f"{results[0].mean('rouge1'):.2f}"
    assert all(score in form for form in (terminal, markdown, rows[1]))
    data = json.loads(report.as_json(results, "lead", Tokenization()))
    first, second = data["results"][:2]
    assert first["scores"]["rouge1"]["difference"] is None
    assert second["scores"]["rouge1"]["difference"]["mean"] == pytest.approx(
        second["scores"]["rouge1"]["f1"] - first["scores"]["rouge1"]["f1"], abs=1e-3
    )
    assert "stemmed" in data["settings"]


def test_plots_are_png_files(records: list[Record]) -> None:
    pictures = report.plots(evaluate(records, ["lead", "coverage"], [CHARS, Budget(200, "chars")], workers=1))
    assert set(pictures) == {"positions.png", "lengths.png", "rouge-budget.png"}
    assert all(picture.startswith(b"\x89PNG") for picture in pictures.values())
