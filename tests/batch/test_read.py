"""Reading: every record once, in order, from any place."""

import gzip
import json
import os
import tracemalloc
from itertools import accumulate
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from batch.corpora import FORMS, write_corpus, write_lines
from tersely.batch import inputs as module
from tersely.batch.inputs import Chunk, Lines, PartRoom, Rows, find_files, read_chunks
from tersely.errors import InputError, UsageError
from tersely.io.tables import from_stream


def records_of(chunk: Chunk) -> list[object]:
    if isinstance(chunk, Rows):
        return list(from_stream(chunk.body).to_pylist())
    assert isinstance(chunk, Lines)
    return [json.loads(line) if isinstance(line, bytes) else line for line in chunk.body]


@pytest.mark.parametrize("form", FORMS)
@given(
    files=st.lists(st.lists(st.text(st.characters(codec="utf-8"), max_size=20), max_size=20), min_size=1, max_size=3),
    size=st.integers(1, 9),
    group=st.integers(1, 9),
)
def test_the_same_chunks_follow_from_wherever_a_chunk_ended(
    tmp_path_factory: pytest.TempPathFactory, form: str, files: list[list[str]], size: int, group: int
) -> None:
    folder = tmp_path_factory.mktemp("corpus")
    for i, file in enumerate(files):
        write_corpus(folder / f"{i}.{form}", [{"text": text} for text in file] or [{"text": ""}], group)
    found = find_files([str(folder)])
    chunks = list(read_chunks(found, size=size))
    assert [r for chunk in chunks for r in records_of(chunk)] == [{"text": t} for file in files for t in file or [""]]
    assert all(0 < len(chunk) <= size for chunk in chunks)
    assert chunks[-1].read == sum(file.size for file in found)
    for i, chunk in enumerate(chunks):
        assert list(read_chunks(found, chunk.end, size)) == chunks[i + 1 :]
        assert [r for single in chunk.singles() for r in records_of(single)] == records_of(chunk)
        assert [s.start.number for s in chunk.singles()] == list(range(chunk.start.number, chunk.end.number))


@pytest.mark.parametrize("form", FORMS)
@given(files=st.lists(st.integers(1, 20), min_size=1, max_size=3), size=st.integers(1, 9), part=st.integers(1, 15))
def test_no_chunk_reaches_over_the_end_of_a_part(
    tmp_path_factory: pytest.TempPathFactory, form: str, files: list[int], size: int, part: int
) -> None:
    folder = tmp_path_factory.mktemp("corpus")
    for i, count in enumerate(files):
        write_corpus(folder / f"{i}.{form}", [{"text": f"{i} {n}"} for n in range(count)], 7)
    chunks = list(read_chunks(find_files([str(folder)]), size=size, part=PartRoom(part)))
    assert all(0 < len(chunk) <= size for chunk in chunks)
    ends = set(accumulate(map(len, chunks)))
    assert set(range(part, sum(files) + 1, part)) <= ends
    texts = [record["text"] for chunk in chunks for record in records_of(chunk)]
    assert texts == [f"{i} {n}" for i, count in enumerate(files) for n in range(count)]


@pytest.mark.parametrize("form", FORMS)
def test_a_chunk_of_large_documents_has_fewer_of_them(tmp_path: Path, form: str) -> None:
    records = [{"id": i, "text": f"{i % 10}" * (300_000 if i < 40 else 9)} for i in range(100)]
    found = find_files([str(write_corpus(tmp_path / f"a.{form}", records, 100))])
    chunks = list(read_chunks(found))
    assert [r for chunk in chunks for r in records_of(chunk)] == records
    assert max(chunk.size for chunk in chunks) < 2_000_000
    for i, chunk in enumerate(chunks):
        assert list(read_chunks(found, chunk.end)) == chunks[i + 1 :]


def test_lines_may_end_in_any_way_and_a_byte_order_mark_is_dropped(tmp_path: Path) -> None:
    file = write_lines(tmp_path / "a.jsonl", b'\xef\xbb\xbf{"a": 1}\r\n\n{"a": 2}')
    [chunk] = read_chunks(find_files([str(file)]))
    assert isinstance(chunk, Lines)
    assert chunk.body == [b'{"a": 1}\r\n', b"\n", b'{"a": 2}']


def test_an_endless_line_is_not_held_and_the_next_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_BYTES", 1_000)
    file = write_lines(tmp_path / "a.jsonl", b"1\n" + b"x" * 5_000_000 + b"\n3\n")
    [chunk] = read_chunks(find_files([str(file)]))
    assert isinstance(chunk, Lines)
    assert (chunk.body[0], chunk.body[2]) == (b"1\n", b"3\n")
    assert str(chunk.body[1]).startswith("longer than")
    assert chunk.end.offset == file.stat().st_size


@pytest.mark.parametrize("form", ["jsonl.gz", "jsonl.zst", "parquet"])
def test_a_damaged_file_is_read_as_far_as_possible_and_the_next_file_follows(tmp_path: Path, form: str) -> None:
    # Random letters, so that half of the bytes hold about half of the lines.
    records = [{"text": os.urandom(500).hex()} for _ in range(400)]
    whole = write_corpus(tmp_path / f"a.{form}", records)
    write_corpus(tmp_path / f"b.{form}", [{"text": "after"}])
    data = bytearray(whole.read_bytes())
    if form == "parquet":
        data[len(data) // 2 : len(data) // 2 + 5_000] = bytes(5_000)
    else:
        del data[len(data) // 2 :]
    whole.write_bytes(data)
    found = [r for chunk in read_chunks(find_files([str(tmp_path)])) for r in records_of(chunk)]
    assert found[:100] == records[:100]
    assert found[-1] == {"text": "after"}
    assert "the rest of the file cannot be read: " in str(found[-2])


def test_a_gzip_file_may_have_several_members(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(b"1\n") + gzip.compress(b"2\n"))
    [chunk] = read_chunks(find_files([str(tmp_path)]))
    assert records_of(chunk) == [1, 2]


def test_a_zstd_file_may_have_frames_to_skip(tmp_path: Path) -> None:
    skipped = b"\x5a\x2a\x4d\x18\x02\x00\x00\x00ab"
    (tmp_path / "a.jsonl.zst").write_bytes(skipped + zstandard.compress(b"1\n") + skipped + zstandard.compress(b"2\n"))
    [chunk] = read_chunks(find_files([str(tmp_path)]))
    assert records_of(chunk) == [1, 2]


def test_a_zstd_file_far_larger_than_its_size_is_read_a_little_at_a_time(tmp_path: Path) -> None:
    with (tmp_path / "a.jsonl.zst").open("wb") as raw, zstandard.ZstdCompressor().stream_writer(raw) as stream:
        for _ in range(300):
            stream.write(bytes(1_000_000))
        stream.write(b"\n1\n")
    tracemalloc.start()
    try:
        [chunk] = read_chunks(find_files([str(tmp_path)]))
        assert tracemalloc.get_traced_memory()[1] < 250_000_000
    finally:
        tracemalloc.stop()
    assert records_of(chunk) == ["longer than 64 MB", 1]


def test_files_folders_and_patterns_are_found_in_order_and_once(tmp_path: Path) -> None:
    for name in ("b.jsonl", "a.jsonl", "c.ndjson.gz", "notes.txt", ".hidden.jsonl"):
        write_lines(tmp_path / name, b"{}\n")
    names = ["a.jsonl", "b.jsonl", "c.ndjson.gz"]
    for inputs in ([str(tmp_path)], [str(tmp_path / "*.jsonl"), str(tmp_path)], [f"{tmp_path}/**/[abc].*"]):
        assert [Path(file.path).name for file in find_files(inputs)] == names
    first = [str(tmp_path / "b.jsonl"), f"{tmp_path}/./b.jsonl", f"{tmp_path}//"]
    assert [Path(file.path).name for file in find_files(first)] == ["b.jsonl", "a.jsonl", "c.ndjson.gz"]
    remote = find_files([tmp_path.as_uri()])
    assert [Path(file.path).name for file in remote] == names
    assert len(list(read_chunks(remote))) == 3
    write_corpus(tmp_path / "d.parquet", [{"text": "a"}])
    with pytest.raises(UsageError, match="run them separately"):
        find_files([str(tmp_path)])
    for wrong in (str(tmp_path / "missing.jsonl"), str(tmp_path / "*.csv"), (tmp_path / "missing").as_uri()):
        with pytest.raises(InputError, match=r"does not exist|holds no"):
            find_files([wrong])


def test_a_file_that_cannot_be_read_is_reported_and_not_left_out(tmp_path: Path) -> None:
    write_lines(tmp_path / "a.jsonl", b"{}\n")
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "nowhere.jsonl")
    for name in (tmp_path, tmp_path / "*.jsonl"):
        with pytest.raises(InputError, match=r"link.jsonl cannot be read: No such file"):
            find_files([str(name)])
    os.mkfifo(tmp_path / "pipe")  # it could be read only once
    (tmp_path / "b.parquet").touch()
    for wrong, said in (("pipe", "read only once"), ("b.parquet", "not a readable Parquet"), ("x" * 300, "long")):
        with pytest.raises(InputError, match=said):
            find_files([str(tmp_path / wrong)])
