"""The readers `story`, `nyt` (one file per article) and `parquet`."""

import sys
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tersely.datasets import Record, read
from tersely.errors import InputError, MissingExtraError


def read_all(path: Path) -> tuple[list[Record], list[str]]:
    reports: list[str] = []
    return list(read(path, report=reports.append)), [each.removeprefix(f"{path}/") for each in reports]


def write(path: Path, text: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_a_story_is_verbatim_paragraphs_followed_by_highlights(tmp_path: Path) -> None:
    story = (
        "LONDON, England (CNN) -- Rain fell on Monday. It stopped.\n\nBy .\n\nA Reporter\n\n"
        "@highlight\n\nRain falls in London\n\n@highlight\n\nNEW: It stops\n"
    )
    for name, text in (("b", story), ("a", story.replace("\n", "\r\n"))):
        write(tmp_path / f"{name}.story", text)
    records, reports = read_all(tmp_path)
    assert not reports
    assert [record.id for record in records] == ["a", "b"]
    for record in records:
        assert record.document.text.startswith("LONDON, England (CNN) -- Rain")
        assert "@highlight" not in record.document.text
        assert record.document.texts[-1] == "A Reporter"
        assert record.reference == ("Rain falls in London", "NEW: It stops")


def test_a_story_without_an_article_or_not_in_utf8_is_a_fault(tmp_path: Path) -> None:
    write(tmp_path / "a.story", "\n\n@highlight\n\nRain falls\n")
    write(tmp_path / "b.story", b"It rains \xe9.")
    write(tmp_path / "c.story", "It rains, with no highlight, on user@highlight.com.\n")
    records, reports = read_all(tmp_path)
    assert [(record.id, record.reference) for record in records] == [("c", ())]
    assert reports == ["a.story:1: the document is empty", "b.story:1: not UTF-8 at byte 9"]


def conll(name: str, *sentences: str) -> str:
    rows = [
        "".join(f"{name}\t0\t{i}\t{word}\tNN\t*\t-\t-\t-\t-\t*\t-\n" for i, word in enumerate(sentence.split())) + "\n"
        for sentence in sentences
    ]
    return f"#begin document ({name}); part 000\n{''.join(rows)}#end document\n"


def test_nyt_reads_the_layout_of_the_berkeley_summarizer(tmp_path: Path) -> None:
    for split, name in (("eval", "1818952"), ("train", "17")):
        document = conll(name, "The rain -LRB- much -RRB- fell .", "It stopped .")
        write(tmp_path / f"{split}_corefner" / name, document)
        write(tmp_path / f"{split}_abstracts" / name, conll(name, "Rain fell .", "Stopped ."))
    with pytest.raises(InputError, match=r"2 folders of documents: choose one, such as .*eval_corefner$"):
        list(read(tmp_path))
    (record,), reports = read_all(tmp_path / "eval_corefner")
    assert not reports
    assert record.id == "1818952"
    assert record.document.texts == ("The rain ( much ) fell .", "It stopped .")
    assert record.reference == ("Rain fell .", "Stopped .")


@pytest.mark.parametrize(
    "names", [("text", "abstracts"), ("documents", "abstract"), ("test_articles", "test_summaries")]
)
def test_nyt_reads_plain_text_and_splits_an_abstract_into_clauses(tmp_path: Path, names: Sequence[str]) -> None:
    write(tmp_path / names[0] / "1.txt", "Rain fell on Monday. It stopped.")
    write(tmp_path / names[1] / "1.txt", "Rain falls on city; stops in the evening. Photo (M)\n")
    write(tmp_path / names[0] / ".DS_Store", b"\xff")
    (record,), reports = read_all(tmp_path)
    assert not reports
    assert (record.id, record.document.texts) == ("1", ("Rain fell on Monday.", "It stopped."))
    assert record.reference == ("Rain falls on city;", "stops in the evening.", "Photo (M)")


def test_nyt_is_found_from_within_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "text" / "1", "It rains.")
    write(tmp_path / "abstracts" / "1", "Rain.")
    for folder, path in ((tmp_path, "."), (tmp_path / "text", "."), (tmp_path, "text"), (tmp_path / "text", "..")):
        monkeypatch.chdir(folder)
        assert len(list(read(path))) == 1


def test_a_bad_article_of_nyt_does_not_affect_the_others(tmp_path: Path) -> None:
    for name, text in {"1": "", "2": "It rains.", "3": "It rains.", "4": "It rains.", "5": "It rains."}.items():
        write(tmp_path / "text" / name, text)
        write(tmp_path / "abstracts" / name, "Rain.")
    (tmp_path / "abstracts" / "2").unlink()
    write(tmp_path / "abstracts" / "3", " \n")
    write(tmp_path / "text" / "4", "#begin document (4); part 000\n4 0 0\n")
    records, reports = read_all(tmp_path)
    assert [record.id for record in records] == ["5"]
    assert reports == [
        "text/1:1: the document is empty",
        "abstracts/2:1: cannot be read: No such file or directory",
        "abstracts/3:1: the abstract is empty",
        "text/4:1: line 2 has no column of words",
    ]


def shard(path: Path, **columns: Sequence[object]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), path)
    return path


def test_parquet_reads_a_shard_a_folder_and_a_pattern(tmp_path: Path) -> None:
    folder = tmp_path / "3.0.0"
    article = ["(CNN)It rains. It pours."] * 150
    highlights = ["Rain falls .\nMuch of it ."] * 150
    for number in (1, 0):
        ids = [f"{number}-{i}" for i in range(150)]
        shard(folder / f"test-0000{number}-of-00002.parquet", article=article, highlights=highlights, id=ids)
    shard(folder / "train-00000-of-00001.parquet", article=article, highlights=highlights)
    records, reports = read_all(folder)
    assert not reports
    assert [records[i].id for i in (0, 149, 150, 300)] == ["0-0", "0-149", "1-0", "train-00000-of-00001.0"]
    assert records[0].document.texts == ("(CNN)It rains.", "It pours.")
    assert records[0].reference == ("Rain falls .", "Much of it .")
    assert len(list(read(folder / "test-*.parquet"))) == 300
    assert len(list(read(folder / "test-00000-of-00002.parquet", limit=70))) == 70


def test_a_bad_row_or_shard_of_parquet_does_not_affect_the_others(tmp_path: Path) -> None:
    shard(tmp_path / "a.parquet", article=["It rains."], id=["1"])
    write(tmp_path / "b.parquet", b"PAR1 and then nothing of the kind PAR1")
    broken = pa.array([b"It rains.", b"\xff", b"", b"It pours.", None], pa.binary()).view(pa.string())
    whole = ["Rain .", "Rain .", "Rain .", None, "Rain ."]
    pq.write_table(pa.table({"article": broken, "highlights": whole}), tmp_path / "c.parquet")
    shard(tmp_path / "d.parquet", article=[1], highlights=["Rain ."])
    twice = pa.Table.from_arrays([pa.array(["It rains."])] * 3, ["article", "article", "highlights"])
    pq.write_table(twice, tmp_path / "e.parquet")
    intact = shard(tmp_path / "f.parquet", article=["It rains."] * 3, highlights=["Rain ."] * 3)
    write(tmp_path / "g.parquet", intact.read_bytes()[:-9])
    records, reports = read_all(tmp_path)
    assert [record.id for record in records] == ["1", "c.0", "f.0", "f.1", "f.2"]
    assert records[0].reference == ()
    assert reports == [
        "b.parquet:1: not a readable Parquet file",
        "c.parquet:2: not UTF-8",
        "c.parquet:3: the document is empty",
        "c.parquet:4: highlights is not a string",
        "c.parquet:5: article is neither a string nor a list of strings",
        "d.parquet:1: article is neither a string nor a list of strings",
        "e.parquet:1: the column 'article' is doubled",
        "g.parquet:1: not a readable Parquet file",
    ]


def test_a_shard_with_broken_pages_is_one_fault(tmp_path: Path) -> None:
    texts = [f"It rains for the {i}th time." for i in range(500)]
    raw = bytearray(shard(tmp_path / "a.parquet", article=texts, highlights=texts).read_bytes())
    raw[4:2000] = b"\xaa" * 1996
    write(tmp_path / "a.parquet", bytes(raw))
    records, reports = read_all(tmp_path)
    assert (records, reports) == ([], ["a.parquet:1: not a readable Parquet file"])


def test_without_pyarrow_the_error_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = shard(tmp_path / "a.parquet", article=["It rains."], highlights=["Rain ."])
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"reading Parquet .*tersely\[eval\]"):
        list(read(file))
