"""The readers `jsonl`, `cnewsum` and `presumm`."""

import gzip
import json
import tracemalloc
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from tersely.datasets import Record, json_lines, read
from tersely.errors import InputError


def read_all(path: Path, **how: str) -> tuple[list[Record], list[str]]:
    reports: list[str] = []
    records = list(read(path, report=reports.append, **how))  # type: ignore[arg-type]
    return records, [each.removeprefix(f"{path}:") for each in reports]


def write_lines(path: Path, *objects: object) -> Path:
    path.write_text("".join(json.dumps(each, ensure_ascii=False) + "\n" for each in objects), encoding="utf-8")
    return path


def test_a_text_is_split_and_a_list_of_sentences_is_not(tmp_path: Path) -> None:
    file = write_lines(
        tmp_path / "a.jsonl",
        {"id": "x", "text": "It rains. It pours.", "summary": "Rain. Much.", "source": "ignored"},
        {"id": 7, "article": ["No. 5 wins. Again.", " ", "It rains. "], "summary": ["Five. Wins.", ""]},
        {"text": None, "article": "It rains."},
    )
    records, _ = read_all(file)
    assert [record.id for record in records] == ["x", "7", "3"]
    assert [record.document.texts for record in records] == [
        ("It rains.", "It pours."),
        ("No. 5 wins. Again.", "It rains."),
        ("It rains.",),
    ]
    assert [record.reference for record in records] == [("Rain.", "Much."), ("Five. Wins.",), ()]


def test_compression_is_detected_by_content(tmp_path: Path) -> None:
    content = b'\xef\xbb\xbf{"text": "It rains."}\r\n\r\n{"text": "It pours."}'
    packed = {"gzip.jsonl": gzip.compress(content), "zstd.jsonl": zstandard.compress(content)}
    for name, raw in {"plain.jsonl.gz": content, **packed}.items():
        (tmp_path / name).write_bytes(raw)
        records, reports = read_all(tmp_path / name)
        assert [record.id for record in records] == ["1", "3"]
        assert not reports


def test_a_folder_of_compressed_files_is_read(tmp_path: Path) -> None:
    line = b'{"text": "It rains."}\n'
    files = {"a.jsonl": line, "b.jsonl.gz": gzip.compress(line), "c.jsonl.zst": zstandard.compress(line)}
    for name, raw in files.items():
        (tmp_path / name).write_bytes(raw)
    assert [record.id for record in read(tmp_path)] == [f"{name}:1" for name in files]


BAD_LINES = {
    b'{"text": "It': "broken JSON at column 10: Unterminated string starting at",
    b'["It rains."]': "not a JSON object",
    b'{"summary": "Rain."}': "no text: there is neither 'text' nor 'article'",
    b'{"text": 5}': "text is neither a string nor a list of strings",
    b'{"text": ["It rains.", 5]}': "text[1] is not a string",
    b'{"text": " \\n "}': "the document is empty",
    b'{"article": []}': "the document is empty",
    b'{"text": "It rains.", "summary": {"a": 1}}': "summary is neither a string nor a list of strings",
    b'{"text": "It rains.", "id": [1]}': "id is neither a string nor a whole number",
    b'{"text": "It rains.", "id": true}': "id is neither a string nor a whole number",
    b'{"text": "\xff\xfe"}': "not UTF-8 at byte 10",
    b'{"text": ' + b"[" * 100_000: "broken JSON: a number too long, or nested too deep",
    b'{"text": ' + b"1" * 10_000 + b"}": "broken JSON: a number too long, or nested too deep",
}


@pytest.mark.parametrize(("line", "reason"), BAD_LINES.items(), ids=range(len(BAD_LINES)))
def test_a_bad_line_does_not_affect_the_others(tmp_path: Path, line: bytes, reason: str) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(b'{"text": "One."}\n' + line + b'\n{"text": "Three."}\n')
    records, reports = read_all(file)
    assert [record.id for record in records] == ["1", "3"]
    assert reports == [f"2: {reason}"]


@given(st.lists(st.binary(max_size=40), max_size=8))
def test_any_bytes_give_records_or_faults(tmp_path_factory: pytest.TempPathFactory, parts: list[bytes]) -> None:
    file = tmp_path_factory.mktemp("any") / "a.jsonl"
    file.write_bytes(b'{"text": "One."}\n' + b'\n{"text": "'.join(parts) + b'\n{"text": "Last."}\n')
    for reader in ("jsonl", "cnewsum", "presumm"):
        read_all(file, reader=reader)


@pytest.mark.parametrize("reader", ["jsonl", "presumm"])
def test_a_broken_gzip_is_one_fault(tmp_path: Path, reader: str) -> None:
    file = tmp_path / "a.jsonl.gz"
    file.write_bytes(gzip.compress(b'{"text": "One."}\n')[:10] + b"\xff" * 20)
    assert read_all(file, reader=reader) == ([], ["1: the gzip file is broken"])


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    sentences = [f"Sentence {i} of a document that is repeated often." for i in range(20)]
    one = json.dumps({"article": sentences}) + "\n"
    jsonl, presumm = tmp_path / "a.jsonl", tmp_path / "cnndm.test.0.json"
    jsonl.write_text(one * 3000, encoding="utf-8")
    shard = {"src": [each.split() for each in sentences], "tgt": []}
    presumm.write_text("[" + ", ".join([json.dumps(shard)] * 4000) + "]", encoding="utf-8")
    tracemalloc.start()
    for file, count in ((jsonl, 3000), (presumm, 4000)):
        tracemalloc.reset_peak()
        assert sum(1 for _ in read(file, language="en", reader="presumm" if file == presumm else "jsonl")) == count
        peak = tracemalloc.get_traced_memory()[1]
        assert peak < 3_000_000
    tracemalloc.stop()


def test_cnewsum_loses_the_spaces_of_its_tokenizer_and_keeps_its_labels(tmp_path: Path) -> None:
    file = write_lines(
        tmp_path / "test.simple.label.jsonl",
        {
            "id": 12,
            "article": ["昨 天 上 午 , New York 下 雨 。", " ", "2 0 1 7 年 有 3 . 5 % 的 雨 。", "雨 停 了 。"],
            "summary": "纽 约 下 雨 。 雨 停 了 。",
            "label": [3, 0, 1],
        },
        {"article": ["买了 iPhone 7 手机。", "很贵。"], "summary": "买 手机", "label": []},
    )
    (first, second), reports = read_all(file)
    assert not reports
    assert first.document.texts == ("昨天上午,New York下雨。", "2017年有3.5%的雨。", "雨停了。")
    assert first.reference == ("纽约下雨。", "雨停了。")
    assert (first.id, first.labels, first.document.language) == ("12", (2, 0), "zh")
    assert second.document.texts == ("买了 iPhone 7 手机。", "很贵。")
    assert (second.id, second.reference, second.labels) == ("2", ("买 手机",), ())


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ({"article": "雨。", "label": []}, "article is not a list of strings"),
        ({"article": ["雨。", 1], "label": []}, "article is not a list of strings"),
        ({"article": [" "], "label": []}, "the document is empty"),
        ({"article": ["雨。"], "label": [1]}, "label 1 is not the index of a sentence"),
        ({"article": ["雨。"], "label": [-1]}, "label -1 is not the index of a sentence"),
        ({"article": ["雨。"], "label": ["0"]}, "label is not a list of indices"),
        ({"article": ["雨。"], "label": 0}, "label is not a list of indices"),
        ({"article": ["雨。"], "label": [], "summary": 1}, "summary is neither a string nor a list of strings"),
    ],
)
def test_a_bad_record_of_cnewsum_is_named(tmp_path: Path, value: object, reason: str) -> None:
    assert read_all(write_lines(tmp_path / "a.jsonl", value)) == ([], [f"1: {reason}"])


def test_presumm_joins_tokens_and_numbers_records_by_shard(tmp_path: Path) -> None:
    shard = [
        {"src": [["It", "rains", "."], ["Much", "."]], "tgt": [["rain", "falls"], ["much"], []]},
        {"src": [["So", "it", "goes", "."]], "tgt": []},
    ]
    (tmp_path / "cnndm.test.0.json").write_text(json.dumps(shard), encoding="utf-8")
    second = json.dumps(shard[1:], indent=1).encode()
    (tmp_path / "cnndm.test.1.json.gz").write_bytes(gzip.compress(second))
    (tmp_path / "cnndm.test.2.json.zst").write_bytes(zstandard.compress(second))
    records, reports = read_all(tmp_path)
    assert not reports
    assert [record.id for record in records] == [
        "cnndm.test.0.0",
        "cnndm.test.0.1",
        "cnndm.test.1.0",
        "cnndm.test.2.0",
    ]
    assert records[0].document.texts == ("It rains .", "Much .")
    assert records[0].reference == ("rain falls", "much")


@pytest.mark.parametrize("chunk", [1, 7, 64, 1 << 20])
def test_a_bad_record_of_presumm_does_not_affect_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setattr(json_lines, "_CHUNK", chunk)
    good = b'{"src": [["It", "rains"]], "tgt": [["a \\"}, { b"]]}'
    bad = {
        b'{"src": [["It" "rains"]], "tgt": []}': "broken JSON",
        b'{"tgt": []}': "no text: there is no 'src'",
        b'{"src": "It rains", "tgt": []}': "src is not a list of sentences",
        b'{"src": [["It", 5]], "tgt": []}': "a sentence of src is not a list of tokens",
        b'{"src": [["It"]], "tgt": ["rain"]}': "a sentence of tgt is not a list of tokens",
        b'{"src": [[" "]], "tgt": []}': "the document is empty",
        b'{"src": [["\xff"]], "tgt": []}': "not UTF-8",
    }
    file = tmp_path / "cnndm.test.0.json"
    file.write_bytes(b"[" + good + b", " + b", ".join([*bad, good]) + b"]")
    records, reports = read_all(file)
    assert [record.id for record in records] == ["cnndm.test.0.0", "cnndm.test.0.8"]
    assert records[1].reference == ('a "}, { b',)
    assert reports == [f"{number}: {reason}" for number, reason in enumerate(bad.values(), 2)]


def test_the_intact_records_of_a_truncated_shard_are_read(tmp_path: Path) -> None:
    file = tmp_path / "cnndm.test.0.json"
    file.write_text('[{"src": [["It", "rains"]], "tgt": []}, {"src": [["It"', encoding="utf-8")
    records, reports = read_all(file)
    assert len(records) == 1
    assert reports == ["2: broken JSON: the list does not end"]


def test_pickles_are_never_loaded(tmp_path: Path) -> None:
    file = tmp_path / "cnndm.test.0.bert.pt"
    file.write_bytes(b"\x80\x02.")
    for path in (file, tmp_path):
        with pytest.raises(InputError, match=r"pickles, which are never loaded: use PreSumm's \.json files"):
            list(read(path))
