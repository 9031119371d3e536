"""What all readers have in common: detection, limits, and faults that are reported or fatal."""

import io
import json
from contextlib import redirect_stderr
from pathlib import Path

import pytest

from tersely.datasets import Record, detect, json_lines, make_document, read, readers
from tersely.errors import InputError, UsageError
from tersely.io.lines import Object
from tersely.learn.corpus import read_records
from tersely.text import Language

STORY = "(CNN) -- It rains.\n\n@highlight\n\nRain falls\n"


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def lines(*objects: object) -> str:
    return "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in objects)


def test_there_is_one_reader_per_format_and_each_describes_itself() -> None:
    assert list(readers()) == ["cnewsum", "jsonl", "nyt", "parquet", "presumm", "story"]
    assert all(type(reader).__doc__ for reader in readers().values())


def test_a_new_format_is_one_class(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Notes(json_lines.JsonLinesReader):
        """Lines with a note."""

        name = "notes"
        keys = frozenset(("text", "note"))

        def record(self, value: Object, default_id: str, language: Language | None) -> Record:
            return Record(f"note {default_id}", make_document(value["note"], language, "note"))

    monkeypatch.setattr(json_lines, "Notes", Notes, raising=False)
    readers.cache_clear()
    try:
        file = write(tmp_path / "a.jsonl", lines({"text": "It rains.", "note": "It pours."}))
        assert detect(file) == "notes"
        for records in (read(file), read_records(file)):
            assert [(record.id, record.document.text) for record in records] == [("note 1", "It pours.")]
    finally:
        monkeypatch.undo()
        readers.cache_clear()


def test_the_format_is_detected(tmp_path: Path) -> None:
    jsonl = write(tmp_path / "a.data", lines({"text": "It rains."}))
    cnewsum = write(tmp_path / "b.jsonl", lines({"article": ["下雨了。"], "summary": "雨", "label": [0]}))
    presumm = write(tmp_path / "cnndm.test.0.json", '[{"src": [["It", "rains"]], "tgt": []}]')
    story = write(tmp_path / "stories" / "1.story", STORY)
    nyt = write(tmp_path / "nyt" / "text" / "1", "It rains.").parents[1]
    write(nyt / "abstracts" / "1", "Rain")
    assert [detect(path) for path in (jsonl, cnewsum, presumm, story, story.parent, nyt, nyt / "text")] == (
        ["jsonl", "cnewsum", "presumm", "story", "story", "nyt", "nyt"]
    )


def test_a_broken_first_line_does_not_hide_the_format(tmp_path: Path) -> None:
    file = write(tmp_path / "a.jsonl", '{"text": \n' + lines({"text": "It rains."}))
    assert detect(file) == "jsonl"


@pytest.mark.parametrize("content", ["Just prose.\n", "[1, 2]", '"text"\n', "\x00\x01"])
def test_an_unknown_format_names_the_readers(tmp_path: Path, content: str) -> None:
    file = write(tmp_path / "a.txt", content)
    with pytest.raises(
        InputError, match=r"a\.txt is in no known format: .*cnewsum, jsonl, nyt, parquet, presumm, story$"
    ):
        read(file)


def test_a_shard_with_one_record_a_line_is_no_json_lines(tmp_path: Path) -> None:
    record = json.dumps({"src": [["It", "rains"]], "tgt": []})
    assert detect(write(tmp_path / "a.json", f"[{record},\n{record}\n]")) == "presumm"


def test_an_empty_file_is_called_empty(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a\.jsonl is empty$"):
        read(write(tmp_path / "a.jsonl", ""))


def test_an_empty_folder_is_no_known_format(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no known format"):
        read(tmp_path)


def test_a_wrong_call_fails_at_once(tmp_path: Path) -> None:
    file = write(tmp_path / "a.jsonl", lines({"text": "It rains."}))
    with pytest.raises(UsageError, match="unknown reader 'stroy': did you mean 'story'"):
        read(file, reader="stroy")
    with pytest.raises(UsageError, match="unknown language"):
        read(file, language="xx")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="limit"):
        read(file, limit=-1)
    for missing in ("none.jsonl", "none-*.jsonl", "n" * 5000, "a.jsonl/b"):
        with pytest.raises(InputError, match=r"does not exist|cannot be read"):
            read(tmp_path / missing)


@pytest.mark.parametrize("reader", ["cnewsum", "jsonl", "nyt", "parquet", "presumm", "story"])
def test_a_reader_without_its_files_says_so(tmp_path: Path, reader: str) -> None:
    with pytest.raises(InputError, match="holds no"):
        list(read(tmp_path, reader=reader))


def test_a_bad_record_is_reported_and_skipped_or_fatal(tmp_path: Path) -> None:
    file = write(tmp_path / "a.jsonl", lines({"text": "One."}, {"no": 1}, {"text": "Three."}))
    reports: list[str] = []
    assert [record.id for record in read(file, report=reports.append)] == ["1", "3"]
    assert reports == [f"{file}:2: no text: there is neither 'text' nor 'article'"]
    strict = read(file, strict=True)
    assert next(strict).id == "1"
    with pytest.raises(InputError) as error:
        next(strict)
    assert str(error.value) == reports[0]


def test_reports_go_to_standard_error_by_default(tmp_path: Path) -> None:
    file = write(tmp_path / "a.jsonl", lines({"no": 1}, {"text": "Two."}))
    with redirect_stderr(io.StringIO()) as said:
        assert len(list(read(str(file)))) == 1
    assert said.getvalue().count("\n") == 1


def test_nothing_is_read_beyond_the_limit(tmp_path: Path) -> None:
    file = write(tmp_path / "a.jsonl", lines({"text": "One."}, {"text": "Two."}) + "broken\n")
    assert len(list(read(file, strict=True, limit=2))) == 2
    assert list(read(file, strict=True, limit=0)) == []


def test_files_of_a_folder_or_pattern_come_in_sorted_order(tmp_path: Path) -> None:
    for name in ("test-1", "test-0", "train-0"):
        write(tmp_path / f"{name}.jsonl", lines({"text": f"This is {name}."}))
    write(tmp_path / "README.md", "Not data.")
    (tmp_path / "folder.jsonl").mkdir()
    assert [record.id for record in read(tmp_path)] == ["test-0.jsonl:1", "test-1.jsonl:1", "train-0.jsonl:1"]
    assert [record.document.text for record in read(tmp_path / "test-*")] == ["This is test-0.", "This is test-1."]


def test_a_name_that_only_looks_like_a_pattern_is_a_file(tmp_path: Path) -> None:
    file = write(tmp_path / "a[1].jsonl", lines({"text": "One."}))
    assert len(list(read(file))) == 1


def test_a_given_language_is_not_detected(tmp_path: Path) -> None:
    file = write(tmp_path / "1.story", STORY)
    assert [next(read(file, language=language)).document.language for language in (None, "zh")] == ["en", "zh"]


def test_an_unreadable_file_is_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    file = write(tmp_path / "1.story", STORY)
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(InputError, match=r"1\.story:1: cannot be read: Permission denied"):
        list(read(file, strict=True))
